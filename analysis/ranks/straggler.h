/* straggler.h - which ranks are slow, by more than chance and by enough to matter.
 *
 * The deviation of a rank in a cell is its own time less the median own time of the others. Cells are gathered into blocks
 * long enough to be independent (correlation.h), and the sum of a rank's deviations is judged against those that arise when
 * within each block chance says which rank is which (permutation.h), Holm-adjusted over the ranks, at TS_STRAGGLER_ALPHA. Of
 * TS_OUTLIERS_OF ranks or more it must also be out of line with the others (outlier.h), at TS_STRAGGLER_ODD: memory longer than
 * the run makes every rank a little slow or fast throughout, which time alone cannot tell from a slow rank, but the other
 * ranks can. A rank is named when it is also slow by TS_STRAGGLER_SLOW or costs the job TS_STRAGGLER_SAVED more than a usual
 * rank. Named ranks are then left out and the rest are tested again, so that a rank slow by a half is found beside one slow by
 * five times; at most half are named. Where a rank has deviations far from its usual ones, a pause or a checkpoint, blocks are
 * measured without them, and sums are judged with and without them, at half the level each. Both levels are half of the 1 %
 * that is promised: the length of blocks is an estimate.
 *
 * Where even a rank in front in every block could not reach alpha, nothing can be decided, and how many blocks it would take
 * is said. Source: permutation within blocks as in Good, "Permutation, Parametric and Bootstrap Tests of Hypotheses" (2005).
 */
#ifndef TSCOPE_ANALYSIS_RANKS_STRAGGLER_H
#define TSCOPE_ANALYSIS_RANKS_STRAGGLER_H

#include "base/arena.h"

#include <stdbool.h>
#include <stddef.h>

#define TS_STRAGGLER_ALPHA 0.005
#define TS_STRAGGLER_ODD 0.005
#define TS_STRAGGLER_SLOW 0.05
#define TS_STRAGGLER_SAVED 0.02

/* own[rank][cell], `stride` doubles a rank, finite; saved[rank]: what the job would save with it gone, as a share of the
 * time, less what it would save with a usual rank gone. */
struct ts_straggler_data {
	const double *own;
	size_t stride, n_ranks, n_cells;
	const double *saved;
};

struct ts_straggler_rank {
	/* Sum of own time less the median of the others that are not named, over the sum of those medians; NaN if that is
	 * not above 0. */
	double slowdown;
	double p;	 /* Holm-adjusted; NaN where nothing could be decided */
	bool named;
};

struct ts_straggler_test {
	size_t block;	      /* cells; 0: memory as long as the run */
	size_t blocks;	      /* 0 if block is */
	size_t blocks_needed; /* for a decision among so many ranks */
	bool decidable;
	size_t n_named;
	struct ts_straggler_rank *ranks; /* in the arena */
};

/* n_ranks >= 2, n_cells >= 1. */
enum ts_status ts_straggler_test(const struct ts_straggler_data *data, struct ts_arena *arena, struct ts_straggler_test *ret,
				 struct ts_error *err);
/* deviation[i] = x[i] less the median of all others; n >= 2. scratch holds n. */
void ts_deviations(const double *x, size_t n, double *scratch, double *deviation);

#endif
