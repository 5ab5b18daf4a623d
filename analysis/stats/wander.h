/* wander.h - is a step, or a slope, in a series more than the series' own wandering?
 *
 * The model is y = level + b z + a + e: e is white noise, and a is an AR(1) process, so that neighbouring values are alike; from
 * white noise to a random walk, and any sum of both. Its likelihood is computed exactly by a Kalman filter for each of 57 pairs of
 * correlation and strength of a; level and b are generalized least squares (Harvey 1989, chapters 3 and 4). The
 * evidence for z is twice the logarithm of the ratio of the greatest likelihoods with and without it. So a series that wanders may
 * have its levels by wandering, and a step must improve on that.
 *
 * Odd values should be replaced first (ts_wander_tame), because the likelihood is that of normal noise.
 */
#ifndef TSCOPE_ANALYSIS_STATS_WANDER_H
#define TSCOPE_ANALYSIS_STATS_WANDER_H

#include "base/arena.h"

#include <stddef.h>

struct ts_wander {
	double evidence;    /* not negative; infinite if z explains all of the variance */
	double coefficient; /* b */
	double error;	    /* the largest standard error of b in any of the pairs that are nearly as likely as the best */
	double correlation; /* of neighbouring values in the model without z: 0 for white noise */
};

/* z[i] belongs to x[i]; both are finite, and z is not constant. n is at least 4. Time: O(n), about a microsecond a value. */
void ts_wander_test(const double *x, const double *z, size_t n, struct ts_wander *ret);
/* The evidence for a step whose second level begins at `at`, 0 < at < n. */
double ts_wander_step(const double *x, size_t n, size_t at);
/* Twice the logarithm of the greatest likelihood of the model without z, up to a constant that depends only on n. ret_model is the
 * number of the pair that has it, and may be NULL. */
double ts_wander_likelihood(const double *x, size_t n, size_t *ret_model);
/* The evidence for a step as above, where correlation and strength are those of a pair: of one that a longer series has shown. */
double ts_wander_step_in(const double *x, size_t n, size_t at, size_t model);
/* Replaces odd values by the value before: those with fewer than two of the ten values around them within four deviations, which are
 * taken from the median difference of neighbours.
 * So one odd value, or two, are nothing to the likelihood, and three at a new level stay. out has room for n values and is not x.
 * TS_NO_MEMORY is the only error. */
enum ts_status ts_wander_tame(const double *x, size_t n, struct ts_arena *arena, double *out, struct ts_error *err);

#endif
