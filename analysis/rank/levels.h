/* levels.h - whether the step times of a run go to and fro between two levels, as those of a device with two clock states do.
 *
 * The logarithms of the medians of up to 512 cells, of four steps or more each, are explained in two ways: by two levels
 * between which a Markov chain goes, in noise that depends on itself (analysis/stats/switching.h), and by noise alone: a
 * level that wanders (analysis/stats/wander.h), with or without one change - the rise that was found, or the best single
 * split of the two levels - or values that depend on up to eight before them (analysis/stats/autoregression.h). The
 * evidence for two levels is by how much twice the logarithm of the first likelihood is above the greatest of the others.
 * They are found from 11 on, which one in a hundred series of 1/f noise reaches, and fewer of AR(1) and random walks.
 *
 * Levels have to last: at least half of the cells of each level are in runs of three cells and 48 steps or more, so that
 * bursts of some steps are none. They are gone between three times, or twice if the run begins in the upper one, so that
 * no single change leaves fewer than one cell in fifty on the wrong side. And they are levels: no visit is elsewhere than
 * the others of its level, or rises or falls, beyond what noise explains; a sawtooth is none.
 *
 * A run so long that a cell may hold several visits is looked at in the blocks of spikes.h first, where the levels must
 * lie six deviations within a level apart; and visits have four cells on average.
 *
 * O(n); nothing but medians and their means is computed unless the cells depend on their neighbours.
 */
#ifndef TSCOPE_ANALYSIS_RANK_LEVELS_H
#define TSCOPE_ANALYSIS_RANK_LEVELS_H

#include "analysis/rank/spikes.h"

/* A rise from 0 to 1 in the indices of a series: at `first`, or little by little until `last`, over again at `end`. */
struct ts_levels_rise {
	size_t first, last, end;
};

struct ts_levels {
	bool found;
	bool possible; /* if not found: two levels explain the run better than a rise does, but not well enough to be named */
	double lower, upper; /* s */
	double upper_share;  /* of the steps, in the upper one */
	size_t switches;     /* from one level to the other */
};

/* fit is that of the step times. rise is the one to be compared with, or NULL. TS_NO_MEMORY is the only error. */
enum ts_status ts_levels_find(const struct ts_spikes_fit *fit, const struct ts_levels_rise *rise, struct ts_arena *arena,
			      struct ts_levels *ret_levels, struct ts_error *err);

#endif
