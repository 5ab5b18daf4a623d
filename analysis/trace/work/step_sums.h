/* step_sums.h - what a step had the devices do, by category and by name: the mean over steps, with the least, the most and the spread.
 *
 * An event belongs to the step during which the call that launched it began, else to that during which it began itself, as in
 * timeline.h. The first steps may be left out as warm-up, by their number, never by a share of the time. n log n.
 * Threads: one at a time.
 */
#ifndef TSCOPE_ANALYSIS_TRACE_WORK_STEP_SUMS_H
#define TSCOPE_ANALYSIS_TRACE_WORK_STEP_SUMS_H

#include "analysis/trace/device/timeline.h"
#include "analysis/trace/work/device_work.h"

struct ts_step_sum {
	struct ts_span name; /* of one name; of a category empty */
	uint32_t category;   /* as in kernel_sums.h */
	struct ts_work_sum sum;
	uint64_t least_ns, most_ns;   /* of a step; 0 where a step has none */
	double mean_ns, deviation_ns; /* over steps; the deviation divides by the steps less one, and is valid from two steps on */
	double mean_count;
};

struct ts_step_sums {
	size_t steps, warmup;		/* steps counted, and steps left out before them */
	int64_t first;			/* number of the first that is counted; valid if there are any */
	struct ts_step_sum *categories; /* the most time first */
	size_t n_categories;
	struct ts_step_sum *names; /* the same of kernels, copies and fills by name */
	size_t n_names;
};

/* How many of so many steps are left out unless somebody says it: the first of three and more. */
size_t ts_step_warmup(size_t steps);
enum ts_status ts_step_sums(const struct ts_trace *trace, const struct ts_nest *nest, const struct ts_timelines *lines, size_t warmup,
			    struct ts_arena *arena, struct ts_step_sums *ret, struct ts_error *err);

#endif
