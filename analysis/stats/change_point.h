/* change_point.h - where the level of a series of runs changed: E-divisive in windows, with permutation tests.
 *
 * Values are one a run, in the order in which the runs came. Looked at are windows of up to TS_CHANGE_WINDOW values that
 * end at every 6th value and at the last, none of them across a change that was found before it. In each, the split that
 * makes the energy distance between both sides greatest (Euclidean, exponent 1, both sides TS_CHANGE_LEAST values at least)
 *
 *	ab/(a+b) (2 mean |x - y| - mean |x - x'| - mean |y - y'|)
 *
 * is held against the same of TS_CHANGE_PERMUTATIONS random orders. It is a change at p <= max_p if the medians of both sides
 * differ by min_size, and on either side TS_CHANGE_LEAST values are nearer to their own median than to the other; those of
 * the whole levels between two changes must differ by min_size too. Values further than TS_CHANGE_CLIP deviations
 * (1.4826 median deviations) from the median of the window count as if at that distance, which permutes as well as the values
 * do: odd runs would hide a change otherwise, and a single one is none.
 *
 * Each level is then looked at again by medians of 4, 16, ... values: so a level that drifts by less than min_size in 50 runs
 * is found when it does in 200. The place of such a change is only where the two halves of a drift lie furthest apart.
 *
 * p cannot be less than the chance that the new level's runs come last, or first: 2 / C(50, 3) = 0.0001 for three of 50. So
 * three runs show a change where some 47 of the old level stand before them, and half of the time where 22 do; where only 10 do,
 * it takes five or six. Runs must be exchangeable if nothing changed: a level that wanders (runs that depend on the one before) is
 * taken for changes. docs/trend.md has the measured rates.
 * Source: Matteson and James 2014; Szekely and Rizzo 2004 for the statistic; Fleming et al. 2023 (Hunter) for windows.
 */
#ifndef TSCOPE_ANALYSIS_STATS_CHANGE_POINT_H
#define TSCOPE_ANALYSIS_STATS_CHANGE_POINT_H

#include "base/arena.h"

enum { TS_CHANGE_WINDOW = 50, TS_CHANGE_LEAST = 3, TS_CHANGE_PERMUTATIONS = 1999, TS_CHANGE_CLIP = 4 };

struct ts_change_options {
	double max_p;	 /* 0.001; from 0.0005 on, below which no test of ours comes */
	double min_size; /* on the scale of the values: log(1.02) */
	uint64_t seed;	 /* of the permutations: the same input gives the same answer */
};

struct ts_change_point {
	size_t at;	       /* the first value of the new level */
	double before, after;  /* medians of the segments on both sides */
	double p;	       /* of the window in which it was found */
};

/* Ascending. Finite values only (asserted). 10,000 values take some 10 ms, and each change one more. */
enum ts_status ts_change_points(const double *values, size_t n, const struct ts_change_options *options, struct ts_arena *arena,
				struct ts_change_point **ret_points, size_t *ret_n, struct ts_error *err);

#endif
