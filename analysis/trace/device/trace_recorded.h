/* trace_recorded.h - with which versions a trace was recorded and what its profiler was asked to record, as the envelope says it.
 *
 * Of another version or device the same program may take another time, and a recording with stacks or shapes makes the host slower; so
 * whoever compares traces wants to know. PyTorch writes only the options that are on: what is not said is unknown, never off.
 *
 * Texts are the arena's. Pure; one thread at a time.
 */
#ifndef TSCOPE_ANALYSIS_TRACE_DEVICE_TRACE_RECORDED_H
#define TSCOPE_ANALYSIS_TRACE_DEVICE_TRACE_RECORDED_H

#include "base/arena.h"
#include "run/trace.h"

#include <stdbool.h>

enum ts_recorded_version {
	TS_RECORDED_CUDA_RUNTIME,
	TS_RECORDED_CUDA_DRIVER,
	TS_RECORDED_CUPTI,
	TS_RECORDED_HIP_RUNTIME,
	TS_RECORDED_HIP_DRIVER,
	TS_RECORDED_ROCTRACER,
	TS_RECORDED_SCHEMA, /* of the file */
	TS_RECORDED_VERSIONS,
};

enum ts_recorded_option {
	TS_RECORDED_STACKS,
	TS_RECORDED_SHAPES,
	TS_RECORDED_MEMORY,
	TS_RECORDED_FLOPS,
	TS_RECORDED_MODULES,
	TS_RECORDED_OPTIONS,
};

struct ts_trace_recorded {
	struct ts_span versions[TS_RECORDED_VERSIONS]; /* "12.9"; empty: not said */
	struct ts_span device;			       /* of the first device; empty: not said */
	bool said[TS_RECORDED_OPTIONS];		       /* whether the option was on; else `on` is false */
	bool on[TS_RECORDED_OPTIONS];
};

enum ts_status ts_trace_recorded(const struct ts_trace_about *about, struct ts_arena *arena, struct ts_trace_recorded *ret,
				 struct ts_error *err);
/* "CUDA runtime 12.9, CUDA driver 13.0; with stacks and shapes": all but the device and the schema; "": nothing is said. NULL: no
 * memory. */
const char *ts_trace_recorded_text(const struct ts_trace_recorded *recorded, struct ts_arena *arena);
/* "CUDA driver 12.4 in A and 13.0 in B, stacks in B alone", where a and b are named so; "": nothing that both say differs, nor an
 * option that one says. NULL: no memory. */
const char *ts_trace_recorded_apart(const struct ts_trace_recorded *a, const char *name_a, const struct ts_trace_recorded *b,
				    const char *name_b, struct ts_arena *arena);

#endif
