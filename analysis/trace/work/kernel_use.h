/* kernel_use.h - how well kernels filled the device: estimated occupancy, and grids too small for it.
 *
 * Occupancy is "est. achieved occupancy %", which the profiler computes from the launch, not measures: the mean weighted by duration,
 * of the kernels that say it. One below 0 or above 100, and 0 where there is a warp and more for each multiprocessor, is none: that is
 * what the profiler writes where its computation failed, as of kernels that ask for more shared memory than is usual.
 *
 * A grid is small if it has fewer blocks than the device has multiprocessors, so that some have none; that is said of the kernels
 * whose grid and device are known. n log n. Threads: one at a time.
 */
#ifndef TSCOPE_ANALYSIS_TRACE_WORK_KERNEL_USE_H
#define TSCOPE_ANALYSIS_TRACE_WORK_KERNEL_USE_H

#include "analysis/trace/work/device_work.h"

struct ts_kernel_use {
	struct ts_span name;	    /* of a category, and of all, empty */
	uint32_t category;	    /* of kernel.h; of all TS_KERNEL_CATEGORIES */
	struct ts_work_sum sum;	    /* all kernels */
	struct ts_work_sum rated;   /* those that say their occupancy */
	bool has_occupancy;	    /* some of them last */
	double occupancy;	    /* percent */
	struct ts_work_sum sized;   /* those whose grid and device's multiprocessors are known */
	struct ts_work_sum small;   /* of them, those with fewer blocks than multiprocessors */
	struct ts_work_sum graphed; /* those that ran as a part of a CUDA graph */
};

struct ts_kernel_uses {
	struct ts_kernel_use all;
	struct ts_kernel_use *categories; /* those that occur, the longest first */
	size_t n_categories;
	struct ts_kernel_use *names; /* the longest first */
	size_t n_names;
};

enum ts_status ts_kernel_uses(const struct ts_trace *trace, struct ts_arena *arena, struct ts_kernel_uses *ret, struct ts_error *err);

#endif
