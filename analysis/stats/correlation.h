/* correlation.h - for how many cells a series stays correlated with itself: how long blocks must be to count as independent.
 *
 * From each series the best single change of level is removed first, so that a late onset is not taken for autocorrelation.
 * The lag-1 correlation of the rest is 1 - V/s2, where V is half the mean squared difference of neighbours (von Neumann
 * 1941) and s2 is the variance. The correlation is averaged over the series, corrected for the bias that removing levels
 * brings (Kendall 1954 gives the form; the constants were fitted to 4,000 simulated AR(1) series at each of 8 to 500 cells
 * and rho 0 to 1), and taken at its upper 97.5 % bound, so that few cells give long blocks rather than false findings. rho
 * gives an autocorrelation time of (1 + rho)/(1 - rho) cells, and a block is twice that: adjacent blocks then correlate by
 * less than 0.17. Then the means over 2, 4, 8, ... cells are examined: if they correlate by more than rho explains, or vary
 * by more than independent blocks would, the series has a longer correlation that lag 1 does not show, and the block grows.
 * For one pair of ranks, a slow component of 3 % under white noise of 5 % shows in 500 steps but not in 100.
 */
#ifndef TSCOPE_ANALYSIS_STATS_CORRELATION_H
#define TSCOPE_ANALYSIS_STATS_CORRELATION_H

#include "base/arena.h"

#include <stddef.h>

enum { TS_CORRELATION_CELLS_MIN = 8 }; /* fewer cells cannot show autocorrelation */

/* x is [series][cell] with `stride` doubles for each series; n_independent of the series are independent (n - 1 if the series
 * sum to 0). *ret_cells is the length of a block in cells, at least 1, or 0 if the autocorrelation is as long as the series
 * or there are fewer cells than TS_CORRELATION_CELLS_MIN. TS_NO_MEMORY is the only error. */
enum ts_status ts_correlation_length(const double *x, size_t stride, size_t n_series, size_t n_independent, size_t n_cells,
				     struct ts_arena *arena, size_t *ret_cells, struct ts_error *err);
/* Fits the single change of level that is best in least squares. Returns the first cell of the later level, 1 to n - 1, and
 * stores both levels; n > 1. */
size_t ts_level_change(const double *x, size_t n, double *ret_before, double *ret_after);

#endif
