/* autoregression.h - how likely a series is where each value depends on up to eight before it.
 *
 * The coefficients are Burg's (1967), of every order from 0 to TS_AUTOREGRESSION_MOST; the likelihood is exact but for
 * that. The order is the one that is best after one unit has been taken off for each coefficient. Unlike wander.h, this
 * has memories of several lengths, as 1/f noise has.
 */
#ifndef TSCOPE_ANALYSIS_STATS_AUTOREGRESSION_H
#define TSCOPE_ANALYSIS_STATS_AUTOREGRESSION_H

#include "base/arena.h"

enum { TS_AUTOREGRESSION_MOST = 8 };

/* Twice the logarithm of the likelihood, less the units, up to the constant of ts_wander_likelihood; infinite if all
 * values are equal. The values are finite, and n is more than TS_AUTOREGRESSION_MOST. TS_NO_MEMORY is the only error. */
enum ts_status ts_autoregression_likelihood(const double *x, size_t n, struct ts_arena *arena, double *ret, struct ts_error *err);

#endif
