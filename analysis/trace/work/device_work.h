/* device_work.h - what each span of the host had a device do: the kernels, copies and fills that were launched within it.
 *
 * An event counts for the call that launched it and for everything that encloses the call. Where nest.h knows the operator alone, by
 * its "External id", it counts for the operator and what encloses that. Durations are added: what ran at once counts twice. Sums that
 * 64 bits cannot hold stay at the largest. Linear. Threads: one at a time.
 */
#ifndef TSCOPE_ANALYSIS_TRACE_WORK_DEVICE_WORK_H
#define TSCOPE_ANALYSIS_TRACE_WORK_DEVICE_WORK_H

#include "analysis/trace/device/nest.h"

struct ts_work_sum {
	uint64_t count, ns; /* of events, of their durations */
};

struct ts_device_work {
	struct ts_work_sum *below; /* of each span of the host, by row */
	struct ts_work_sum all;
	struct ts_work_sum known;   /* of those whose operator is known */
	struct ts_work_sum unknown; /* launched by a call outside of operators, or by none that the trace has */
};

static inline void ts_work_add(struct ts_work_sum *sum, uint64_t count, uint64_t ns)
{
	sum->count += count;
	sum->ns = sum->ns + ns < ns ? UINT64_MAX : sum->ns + ns;
}

/* The categories of kernel.h by name; of names that no kernel has TS_KERNEL_CATEGORIES. In the arena. */
enum ts_status ts_kernel_names(const struct ts_trace *trace, struct ts_arena *arena, uint8_t **ret, struct ts_error *err);
/* For each span of the host the innermost one that is so, itself or one that encloses it; TS_NEST_NONE: none. In the arena. */
typedef bool ts_span_is_fn(const struct ts_trace *trace, uint32_t span, const void *ctx);
enum ts_status ts_nest_nearest(const struct ts_trace *trace, const struct ts_nest *nest, ts_span_is_fn *is, const void *ctx,
			       struct ts_arena *arena, uint32_t **ret, struct ts_error *err);
/* The span of the host that an event of a device counts for first; TS_NEST_NONE: none is known. */
uint32_t ts_device_work_of(const struct ts_nest *nest, size_t event);
/* Lies in the arena. */
enum ts_status ts_device_work(const struct ts_trace *trace, const struct ts_nest *nest, struct ts_arena *arena,
			      struct ts_device_work *ret, struct ts_error *err);

#endif
