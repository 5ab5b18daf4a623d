/* correlation.h - for how many cells a series stays correlated with itself: how long blocks must be to count as
 * independent.
 *
 * For each series the best single change of level is taken out (so that a late onset is not taken for memory), and the lag-1
 * correlation of what is left is 1 - V/s2, with V half the mean squared difference of neighbours (von Neumann 1941) and s2 the
 * variance. It is averaged over the series, corrected for the bias that taking out levels brings (Kendall 1954 gives its form;
 * the constants were fitted to 4,000 simulated AR(1) series at each of 8 to 500 cells and rho 0 to 1), and taken at its upper
 * 97.5 % bound, so that few cells give long blocks rather than false ones. rho gives a time (1 + rho)/(1 - rho), and a
 * block is twice that: adjacent blocks then correlate by less than 0.17. Then means over 2, 4, 8, ... cells are looked at: where
 * they correlate by more than that rho explains, or vary by more than independent blocks would, there is longer memory below
 * and the block grows. Of one pair of ranks 3 % of such memory under 5 % of white noise shows in 500 steps, not in 100.
 */
#ifndef TSCOPE_ANALYSIS_STATS_CORRELATION_H
#define TSCOPE_ANALYSIS_STATS_CORRELATION_H

#include "base/arena.h"

#include <stddef.h>

enum { TS_CORRELATION_CELLS_MIN = 8 }; /* fewer cells say nothing about memory */

/* x[series][cell], `stride` doubles a series, n_independent of the series are independent (n - 1 where they sum to nothing).
 * Gives the cells of a block, at least 1; 0 when memory is as long as the series or there are fewer cells than the minimum. */
enum ts_status ts_correlation_length(const double *x, size_t stride, size_t n_series, size_t n_independent, size_t n_cells,
				     struct ts_arena *arena, size_t *ret_cells, struct ts_error *err);
/* The first cell of the later level, 1 to n - 1, and both levels, of the best single change in least squares; n > 1. */
size_t ts_level_change(const double *x, size_t n, double *ret_before, double *ret_after);

#endif
