/* change_point.h - where the level of a series of runs changed: E-divisive with a permutation test.
 *
 * Values are one a run, in the order in which the runs came. Looked at are windows of TS_CHANGE_WINDOW values; within
 * one the split that makes the energy distance between both sides greatest is tested by permuting the values, and
 * confirmed at p <= max_p if the medians of the two segments differ by at least min_size. At least TS_CHANGE_LEAST
 * values stand on either side: with a step of two runs no permutation test of 50 values reaches 0.001.
 * Source: Matteson and James 2014; Fleming et al. 2023 (Hunter) for windows.
 */
#ifndef TSCOPE_ANALYSIS_CHANGE_POINT_H
#define TSCOPE_ANALYSIS_CHANGE_POINT_H

#include "base/arena.h"

enum { TS_CHANGE_WINDOW = 50, TS_CHANGE_LEAST = 3, TS_CHANGE_PERMUTATIONS = 1999 };

struct ts_change_options {
	double max_p;	 /* 0.001 */
	double min_size; /* on the scale of the values: log(1.02) */
	uint64_t seed;	 /* of the permutations: the same input gives the same answer */
};

struct ts_change_point {
	size_t at;	       /* the first value of the new level */
	double before, after;  /* medians of the segments on both sides */
	double p;
};

/* Ascending. Finite values only (asserted). O(n), with a constant. */
enum ts_status ts_change_points(const double *values, size_t n, const struct ts_change_options *options, struct ts_arena *arena,
				struct ts_change_point **ret_points, size_t *ret_n, struct ts_error *err);

#endif
