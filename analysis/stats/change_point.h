/* change_point.h - finds where the level of a series of runs changed: E-divisive in windows, with permutation tests.
 *
 * There is one value for each run, in the order in which the runs came. The search looks at windows of up to
 * TS_CHANGE_WINDOW values that end at every 6th value and at the last value; no window reaches across a change that was
 * found before it. In each window it takes the split that makes the energy distance between both sides greatest (Euclidean,
 * exponent 1, each side at least TS_CHANGE_LEAST values)
 *
 *	ab/(a+b) (2 mean |x - y| - mean |x - x'| - mean |y - y'|)
 *
 * and compares this distance with the greatest distances of TS_CHANGE_PERMUTATIONS random orders of the same values. The
 * split is a change if p <= max_p, if the medians of both sides differ by at least min_size, and if on each side at least
 * TS_CHANGE_LEAST values are nearer to the median of their own side than to that of the other. The medians of the whole
 * levels between two changes must also differ by min_size. A value further than TS_CHANGE_CLIP deviations (1.4826 times the
 * median absolute deviation) from the median of the window counts as if it were at that distance, because outliers would
 * otherwise hide a change. The permutation test stays valid with clipped values, and a single outlier is not a change.
 *
 * Each level is then searched again as medians of 4, 16, ... values, so that a level that drifts by less than min_size in 50
 * runs is found when it drifts by as much in 200. The place of such a change is only the point where the two halves of a
 * drift lie furthest apart.
 *
 * p cannot be less than the chance that random order puts the runs of the new level last, or first: 2 / C(50, 3) = 0.0001
 * for three of 50. So three runs show a change if some 47 runs of the old level stand before them, and half of the time if
 * 22 do; if only 10 do, it takes five or six runs. The test assumes that runs are exchangeable if nothing changed: a level
 * that wanders (each run depends on the one before) is reported as changes. docs/trend.md has the measured rates.
 * Source: Matteson and James 2014; Szekely and Rizzo 2004 for the statistic; Fleming et al. 2023 (Hunter) for windows.
 */
#ifndef TSCOPE_ANALYSIS_STATS_CHANGE_POINT_H
#define TSCOPE_ANALYSIS_STATS_CHANGE_POINT_H

#include "base/arena.h"

enum { TS_CHANGE_WINDOW = 50, TS_CHANGE_LEAST = 3, TS_CHANGE_PERMUTATIONS = 1999, TS_CHANGE_CLIP = 4 };

struct ts_change_options {
	double max_p;	 /* usually 0.001; at least 0.0005, the smallest p that 1,999 permutations can give */
	double min_size; /* on the scale of the values: log(1.02) for 2 % of logarithms */
	uint64_t seed;	 /* of the permutations: the same input and seed give the same answer */
};

struct ts_change_point {
	size_t at;	       /* index of the first value of the new level */
	double before, after;  /* medians of the segments on both sides */
	double p;	       /* of the window in which the change was found */
};

/* The changes in ascending order, in the arena. Values must be finite (asserted). 10,000 values take some 10 ms, and each
 * change adds about 1 ms. */
enum ts_status ts_change_points(const double *values, size_t n, const struct ts_change_options *options, struct ts_arena *arena,
				struct ts_change_point **ret_points, size_t *ret_n, struct ts_error *err);

#endif
