/* axolotl_sums.h - the numbers of axolotl_trace.h, as Axolotl's script has them and as they should be.
 *
 * Its numbers are doubles of microseconds that are added in its order, so that they round as in Python. Threads: one at a time.
 */
#ifndef TSCOPE_ANALYSIS_PEERS_AXOLOTL_SUMS_H
#define TSCOPE_ANALYSIS_PEERS_AXOLOTL_SUMS_H

#include "analysis/peers/axolotl_kernels.h"
#include "analysis/trace/trace_answer.h"

/* Something that is summed: its microseconds and count, and the nanoseconds and count that are right. */
struct ts_axolotl_sum {
	double us;
	uint64_t count;
	uint64_t right_ns, right_count, right_bytes;
	struct ts_span name;
	uint32_t row; /* the first span; of a fill, of its operator */
	bool seen;    /* it has a row with them */
};

struct ts_axolotl_sums {
	uint64_t seen_events; /* of kernels and copies; 0: it stops */
	bool cut;
	uint64_t events, before_cut;
	double total_us, wall_us;
	uint64_t steps;
	struct ts_axolotl_sum categories[TS_AXOLOTL_CATEGORIES];
	int order[TS_AXOLOTL_CATEGORIES]; /* categories with events in the order in which it meets them */
	size_t n_order;
	struct ts_axolotl_sum *kernels; /* by name, in that order; those that it does not see come last */
	size_t n_kernels, n_seen;
	struct ts_axolotl_sum *fills; /* by shape, in that order */
	size_t n_fills;
	struct ts_axolotl_sum *right_fills; /* by the shapes of the operator that launched them, the longest first */
	size_t n_right_fills;
	/* Over all that it keeps, before the cut. */
	double all_wall_us, kernel_us;
	uint64_t kernel_count;
	struct ts_axolotl_sum *copies; /* by direction, in its order */
	size_t n_copies;
	struct ts_axolotl_sum checkpoint;
	/* Right. */
	uint64_t work_ns;	  /* of all durations of devices' work */
	uint64_t kernel_union_ns; /* of kernels alone */
	uint64_t copy_union_ns;
	uint64_t fill_ns; /* by kernels and by memset */
	uint64_t wall_ns; /* of operators and Python functions, all of them */
	bool has_steps;
	uint64_t right_steps;
};

enum ts_status ts_axolotl_sums(const struct ts_trace *trace, const struct ts_trace_answer *answer, struct ts_arena *arena,
			       struct ts_axolotl_sums *ret, struct ts_error *err);
/* Rows of sums in the order of its tables: the longest first, and of equal ones the one that it met first. The arena's; NULL: no
 * memory. */
const struct ts_axolotl_sum **ts_axolotl_sorted(const struct ts_axolotl_sum *sums, size_t n, struct ts_arena *arena);

#endif
