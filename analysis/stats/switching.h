/* switching.h - does a series go to and fro between two levels?
 *
 * The model is y_t = level[s_t] + a_t: the side s is a Markov chain of two states, and a an AR(1) process of normal noise, so that
 * neighbours are alike for another reason, too (Hamilton 1989). Its parameters are those of the greatest likelihood (Baum and others
 * 1970), with some prior weight on staying, from two beginnings: the values, and their means over seven, split in two. The path is the
 * most likely one (Viterbi 1967).
 *
 * The likelihood can be compared with that of wander.h.
 */
#ifndef TSCOPE_ANALYSIS_STATS_SWITCHING_H
#define TSCOPE_ANALYSIS_STATS_SWITCHING_H

#include "base/arena.h"

#include <stddef.h>
#include <stdint.h>

enum { TS_SWITCHING_LEAST = 12 };

struct ts_switching {
	double level[2];    /* the lower and the upper one */
	double deviation;   /* of a */
	double correlation; /* of neighbouring a, 0 to 0.95 */
	double leave[2];    /* the chance that a side is left at a value */
	double likelihood;  /* twice its logarithm, up to the constant of ts_wander_likelihood */
	const uint8_t *side; /* of each value: 0 or 1 */
};

/* The n values are finite, n is at least TS_SWITCHING_LEAST, and not all values are equal. TS_NO_MEMORY is the only error.
 * Time: O(n), some 3 microseconds a value. */
enum ts_status ts_switching_fit(const double *x, size_t n, struct ts_arena *arena, struct ts_switching *ret, struct ts_error *err);

#endif
