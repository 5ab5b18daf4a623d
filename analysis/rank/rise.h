/* rise.h - whether a series ends in a rise, or in a fall, that its own ups and downs do not explain; and where it begins.
 *
 * A rise is judged by the path that the series took, not by a model of its noise: it must be large beside every move in the other
 * direction that the series made. So noise that wanders, cycles of the learning rate and two networks that fight each other explain
 * a rise at the end, and a curve without noise, however bent, does not.
 *
 * The values are reduced to medians of 16, 32 and 64 equal blocks (of at least two values each), as they are and, if all are above
 * 0, as logarithms. In each, R is the median of the last three blocks less the lowest block. R is a rise if
 *
 *	R > 2.5 D	D: the largest climb before the lowest block (in the last three quarters of that part, so that a warm-up
 *			does not count), and the largest descent after it
 *	R > 3.5 N	N^2 = V(4) (b/16)^h a^(h-1): the variance of a level that the noise alone would reach over a quarter of
 *			the b finest blocks (at most 128, of three values or more), a of which are one block. V(d) is the
 *			variance of the second differences at distance d, by their median absolute value, over 6. h = log2 of
 *			the growth of V for a doubling of d is 0 for white noise and 1 for a random walk; a curve that is only
 *			bent has V near 0
 *	the descent after the highest block is at most N (of finest blocks) or R / 5, and at most 6 times V(4)^.5 or R / 3 in the
 *			finest blocks: a level that jumped and falls again, as after a change of the data or of the learning
 *			rate, is no rise
 *
 * in at least one of these ways. It begins where the best fit in squares turns up: flat and then straight, or flat and then another
 * level, over the finest blocks from where the series first came near its lowest level; so to about a 128th of the series, and to the
 * value for a step. A fall is the same, upside down.
 *
 * tests/quality/quality_convergence.c has the measured rates. O(n); the values must be finite.
 */
#ifndef TSCOPE_ANALYSIS_RANK_RISE_H
#define TSCOPE_ANALYSIS_RANK_RISE_H

#include "base/arena.h"

#include <stdbool.h>
#include <stddef.h>

enum { TS_RISE_LEAST = 32 };

struct ts_rise {
	bool found;
	size_t from;	 /* index of the value from which the series rises */
	double low, end; /* the lowest level, and the level at the end */
};

/* With fewer than TS_RISE_LEAST values nothing is found. The arena holds work memory of n / 12 values. TS_NO_MEMORY is the only
 * error. */
enum ts_status ts_rise_find(const double *x, size_t n, struct ts_arena *arena, struct ts_rise *ret_rise, struct ts_error *err);
/* Whether the values fall from their beginning to their end by more than their ups and downs explain. */
enum ts_status ts_falls(const double *x, size_t n, struct ts_arena *arena, bool *ret_falls, struct ts_error *err);

struct ts_growth {
	bool found;
	size_t from; /* index of the value from which the floor grows */
	bool cycles; /* the floor is that of cycles */
};

/* Whether the floor under the values keeps growing to the end: the lowest values of 12, 24 or 48 blocks end in a rise as above, against
 * twice the moves the other way, whatever their place, and with N from these blocks themselves and V(2). The rise must last for six
 * blocks or more, be no step, have not more than half of itself in a fifth of its blocks, and at least a sixth in its last third. So
 * a floor under a sawtooth is seen, and one step, a climb that ends or a cache that fills up are not growth.
 *
 * Where values fall suddenly 6 to 128 times (by 8 robust deviations of the differences of neighbours), as memory does when it is
 * collected, the floor is instead a line through the lowest values of the cycles that begin there, at equal distances in time,
 * because a block of its own may hold no collection. At most 60 % of the rise may then lie in a fifth of it or between two cycles, at
 * most 85 % in two such steps, and three cycles must follow where it begins. */
enum ts_status ts_growth_find(const double *x, size_t n, struct ts_arena *arena, struct ts_growth *ret_growth, struct ts_error *err);

#endif
