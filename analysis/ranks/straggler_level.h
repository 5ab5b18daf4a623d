/* straggler_level.h - which ranks are slow by their levels alone, where there are too few independent blocks to exchange ranks in
 * (straggler.h).
 *
 * Five ranks or more: the sums of the ranks are compared with each other (outlier.h). However long noise stays correlated, the levels
 * of equal ranks are alike, so that no length of blocks is needed.
 *
 * Two to four ranks: the deviations of a rank, less the mean of the ranks, are gathered in up to 48 parts, and
 *
 *	W = K m^2 / (1/K^2 sum_k S_k^2),  m their mean, S_k the partial sums of what it leaves
 *
 * decides: the partial sums of noise that depends on itself grow as the error of m does (Lobato 2001; Kiefer, Vogelsang and Bunzel
 * 2000). The limit is 1,000; it grows below 250 cells, as (250 / cells)^2, because there such noise is a level of its own. Of 40,000
 * series of AR(1) 0.95 of each of 64 to 1,000 steps at most 0.01 % exceed it, of AR(1) 0.98 at most 0.13 %, at 250 steps.
 *
 * Something can be decided if a rank is slow, or if one that is slower by TS_LEVEL_SHOWS would have been seen.
 */
#ifndef TSCOPE_ANALYSIS_RANKS_STRAGGLER_LEVEL_H
#define TSCOPE_ANALYSIS_RANKS_STRAGGLER_LEVEL_H

#include "base/arena.h"

#include <stdbool.h>
#include <stddef.h>

#define TS_LEVEL_SHOWS 0.3
enum { TS_LEVEL_CELLS = 64 }; /* of fewer cells a mean is not normal enough */

/* x is [rank][cell], finite: deviations from the other ranks; usual is what the other ranks take in all cells, in the same unit.
 * ret_p[rank] is the adjusted chance that equal ranks show such a level; of fewer than five ranks it is alpha if W exceeds the
 * limit, and 1 if not. n_ranks >= 2. TS_NO_MEMORY is the only error. */
enum ts_status ts_straggler_levels(const double *x, size_t n_ranks, size_t n_cells, double usual, double alpha, struct ts_arena *arena,
				   double *ret_p, bool *ret_decidable, struct ts_error *err);

#endif
