/* trace_answer.h - what `tscope analyze` says of a trace that stands alone. */
#ifndef TSCOPE_ANALYSIS_TRACE_ADVICE_TRACE_ANSWER_H
#define TSCOPE_ANALYSIS_TRACE_ADVICE_TRACE_ANSWER_H

#include "analysis/trace/advice/trace_rows.h"
#include "analysis/trace/advice/trace_verdict.h"
#include "analysis/trace/device/kernel_sums.h"
#include "analysis/trace/device/timeline.h"
#include "analysis/trace/device/trace_recorded.h"
#include "analysis/trace/host/idle.h"
#include "analysis/trace/host/trace_host.h"
#include "analysis/trace/path/critical_path.h"
#include "analysis/trace/work/allocation_sums.h"
#include "analysis/trace/work/trace_work.h"

enum { TS_TRACE_KERNELS_SHOWN = 15 };

struct ts_trace_answer {
	const char *path; /* as it was named */
	bool has_rank, has_world_size;
	int64_t rank, world_size;
	struct ts_span backend, device_name; /* of the first device; empty: not said */
	struct ts_trace_recorded recorded;
	int64_t base_ns;
	uint64_t events; /* in the file */
	uint64_t spans, operators, python, annotations, runtime, kernels, copies, fills, flows, allocations, counters;
	bool cut; /* the file ends too early */
	struct ts_trace_other {
		struct ts_span category; /* "mtia_ccp_events"; empty: the spans say none */
		uint64_t count;
	} * others; /* categories that the reader does not know, whose spans count as no work of a device; the most spans first */
	size_t n_others;
	struct ts_trace_notice *notices;
	size_t n_notices;
	struct ts_trace_warmup warmup;
	struct ts_timelines lines;
	struct ts_kernel_sums sums;
	struct ts_idle *idle; /* of each device and stream */
	size_t n_idle;
	struct ts_trace_host host;
	struct ts_critical_path critical;
	struct ts_trace_verdict verdict; /* by ts_trace_judge alone */
	struct ts_trace_work work;
	struct ts_allocation_place *memory; /* of each device, and of the host, that the instants of the allocator name */
	size_t n_memory;
};

/* Counts and computes; what the reader alone knows (path, events, cut, notices) is left for the caller. Texts are the trace's.
 * critical: where the caller has found the path already, such as of one step; NULL: that of the trace is found. */
enum ts_status ts_trace_answer(const struct ts_trace *trace, const struct ts_critical_path *critical, struct ts_arena *arena,
			       struct ts_trace_answer *ret, struct ts_error *err);

#endif
