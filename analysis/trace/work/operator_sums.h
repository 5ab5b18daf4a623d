/* operator_sums.h - what operators had devices do.
 *
 * Own is what an operator launched itself: events whose innermost operator it is. Total is what was launched within it; of operators of
 * one name that stand within each other the outermost counts. Work that autograd runs on its own thread stands below the operators of
 * the backward pass.
 *
 * Linear but for the sort of the rows. Threads: one at a time.
 */
#ifndef TSCOPE_ANALYSIS_TRACE_WORK_OPERATOR_SUMS_H
#define TSCOPE_ANALYSIS_TRACE_WORK_OPERATOR_SUMS_H

#include "analysis/trace/work/device_work.h"

struct ts_operator_sum {
	struct ts_span name;
	uint64_t count; /* how often it ran */
	struct ts_work_sum own, total;
};

/* Those that launched nothing have rows, too: the most own time first, then the most total time, then by name. */
enum ts_status ts_operator_sums(const struct ts_trace *trace, const struct ts_nest *nest, const struct ts_device_work *work,
				struct ts_arena *arena, struct ts_operator_sum **ret, size_t *ret_n, struct ts_error *err);

#endif
