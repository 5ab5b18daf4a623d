/* permutation.h - how large the sum of one rank gets by chance alone, when ranks are exchanged at random within each
 * block of steps.
 *
 * Under the null hypothesis that ranks are alike, the labels of the ranks may be exchanged within any block. The sum over
 * blocks of the rank then called r is a sum of independent draws, one from the values of each block, and has the same
 * distribution for every r. That distribution is computed whole, by convolution: no random draws, and tails as small as a
 * double holds. Values are rounded to 1/8192 of the range of the sum first, and sums that are less by no more than rounding
 * does count as equal.
 */
#ifndef TSCOPE_ANALYSIS_STATS_PERMUTATION_H
#define TSCOPE_ANALYSIS_STATS_PERMUTATION_H

#include "base/arena.h"

#include <stddef.h>

enum { TS_PERMUTATION_BLOCKS_MAX = 128 };

/* x[rank][block], finite. ret_p[rank] is the chance that a sum is at least that of the rank; all 1 where every block is the
 * same for all ranks. 1 <= n_blocks <= TS_PERMUTATION_BLOCKS_MAX. */
enum ts_status ts_permutation_p(const double *x, size_t n_ranks, size_t n_blocks, struct ts_arena *arena, double *ret_p,
				struct ts_error *err);
/* The fewest blocks with which the best of n_ranks ranks, in front in all of them, has n_ranks * p <= alpha; 0 for one rank. */
size_t ts_permutation_blocks(size_t n_ranks, double alpha);
/* p times the number of ranks that are not yet rejected (Holm 1979), at most 1, never less than a smaller p's. */
enum ts_status ts_holm(double *p, size_t n, struct ts_arena *arena, struct ts_error *err);

#endif
