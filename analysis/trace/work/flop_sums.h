/* flop_sums.h - floating-point operations by operator, shapes and type, and how fast the devices did them.
 *
 * Of operators within each other that have a count (flops.h) the outermost is counted, so each operation once. The time is that of
 * the kernels, copies and fills launched within these operators, a sum of durations; achieved is operations by that time, of the
 * operators that launched any. The peak is that of the device and the type of the inputs (analysis/rank/peaks.h); without a name of
 * the device, where devices of several names are described, and for fp32, which runs as tf32 where that is allowed, none is said.
 * Of the device, all operations that are counted are taken by all the time that it worked, whatever it worked on.
 * n log n. Threads: one at a time.
 */
#ifndef TSCOPE_ANALYSIS_TRACE_WORK_FLOP_SUMS_H
#define TSCOPE_ANALYSIS_TRACE_WORK_FLOP_SUMS_H

#include "analysis/trace/work/device_work.h"

struct ts_flop_sum {
	struct ts_span name, shapes; /* of the row over all empty */
	const char *type;	     /* "bf16"; NULL: not recorded, or none that is known; in the row over all: if it is not all one */
	uint64_t each;		     /* operations of one; of the row over all 0 */
	uint64_t count, flops;	     /* all operators that are counted */
	uint64_t timed, timed_flops; /* of them, those that launched something */
	struct ts_work_sum work;     /* what these launched */
	bool has_achieved, has_peak;
	double achieved, peak; /* operations a second */
};

struct ts_flop_sums {
	struct ts_flop_sum all;
	struct ts_flop_sum *items; /* the most time first, then the most operations */
	size_t n;
	uint64_t unknown;		 /* operators with a formula whose count is not known, and none around them that is */
	struct ts_work_sum unknown_work; /* what these launched */
	const char *no_peak;		 /* why no row has a peak, a sentence without its full stop; NULL: some have one */
	uint64_t busy_ns;		 /* of each device, added up */
	bool has_of_busy;
	double of_busy; /* all.flops a second of that time; at least so many, where some are unknown */
};

enum ts_status ts_flop_sums(const struct ts_trace *trace, const struct ts_nest *nest, const struct ts_device_work *work,
			    struct ts_arena *arena, struct ts_flop_sums *ret, struct ts_error *err);
/* Fills in what all operations come to in the time that devices worked. */
void ts_flops_of_busy(struct ts_flop_sums *sums, uint64_t busy_ns);

#endif
