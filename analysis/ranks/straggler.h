/* straggler.h - which ranks are slow, by more than chance and by enough to matter.
 *
 * The deviation of a rank in a cell is its own time minus the median own time of the other ranks. Cells are gathered into
 * blocks that are independent and hold bursts whole (straggler_blocks.h). The sum of a rank's deviations is compared with the sums
 * that arise if the ranks are exchanged at random within each block (permutation.h), with Holm's adjustment over the ranks, at
 * TS_STRAGGLER_ALPHA. With TS_OUTLIERS_OF ranks or more, the rank must also be an outlier among the others (outlier.h), at
 * TS_STRAGGLER_ODD: autocorrelation longer than the run makes every rank a little slow or fast throughout, which looks like
 * a slow rank in time, but not beside the other ranks. A rank is named if it is also slow by TS_STRAGGLER_SLOW, or costs the
 * job TS_STRAGGLER_SAVED more than a usual rank. Named ranks are then left out and the rest are tested again, so that a rank
 * that is slow by a half is found beside one that is five times slower; at most half of the ranks are named. If a rank has
 * deviations far from its usual ones, such as a pause or a checkpoint, the length of blocks is measured without them, and
 * sums are tested with and without them, at half the level each. Both levels are less than the 1 % that the documents promise,
 * because the length of blocks is an estimate, and neighbours of them still correlate by 0.14 under AR(1) 0.8.
 *
 * Last, ranks that are slow for a part of the run only are looked for among those that are left (straggler_episode.h), in
 * deviations without bursts, at TS_STRAGGLER_EPISODE, in windows at least as long as the longest burst that chance explains; they must
 * cost half as much to be named (TS_STRAGGLER_PART).
 *
 * Blocks are found on deviations relative to the median of their cell, so that a drift or a stall of all ranks together does not
 * count.
 *
 * If even a rank that is the slowest in every block could not reach alpha, the levels of ranks are compared
 * (straggler_level.h). If these do not show a rank that is slower by 30 %, nothing can be decided, and the answer says how many
 * blocks it would take.
 * Source: permutation within blocks as in Good, "Permutation, Parametric and Bootstrap Tests of Hypotheses" (2005).
 */
#ifndef TSCOPE_ANALYSIS_RANKS_STRAGGLER_H
#define TSCOPE_ANALYSIS_RANKS_STRAGGLER_H

#include "base/arena.h"

#include <stdbool.h>
#include <stddef.h>

#define TS_STRAGGLER_ALPHA 0.003
#define TS_STRAGGLER_ODD 0.005
#define TS_STRAGGLER_EPISODE 0.001
#define TS_STRAGGLER_SLOW 0.05
#define TS_STRAGGLER_SAVED 0.02
/* An episode matters from such a part of both on: one that has only begun cost less so far than it will. */
#define TS_STRAGGLER_PART 0.5

/* own is [rank][cell] with `stride` doubles for each rank, finite. saved[rank] is what the job would save without the rank,
 * as a share of the time, minus what it would save without a usual rank. */
struct ts_straggler_data {
	const double *own;
	size_t stride, n_ranks, n_cells;
	const double *saved;
};

struct ts_straggler_rank {
	/* The sum of (own time - median of the other ranks that are not named), divided by the sum of those medians; NaN if
	 * that is not above 0. */
	double slowdown;
	double p;	 /* Holm-adjusted p-value, or that of an episode; NaN if nothing could be decided */
	bool named;
};

struct ts_straggler_test {
	size_t block;	      /* cells of one block; 0: the autocorrelation is as long as the run */
	size_t blocks;	      /* number of blocks; 0 if block is 0 */
	size_t blocks_needed; /* that a decision among so many ranks takes */
	bool decidable; /* over the whole run; an episode may be named even so */
	size_t n_named;
	struct ts_straggler_rank *ranks; /* in the arena */
};

/* Tests all ranks; n_ranks >= 2, n_cells >= 1. */
enum ts_status ts_straggler_test(const struct ts_straggler_data *data, struct ts_arena *arena, struct ts_straggler_test *ret,
				 struct ts_error *err);
/* deviation[i] = x[i] minus the median of all others; n >= 2. scratch has room for n values. */
void ts_deviations(const double *x, size_t n, double *scratch, double *deviation);

#endif
