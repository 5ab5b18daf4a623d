/* permutation.h - how large the sum of one rank gets by chance alone, when ranks are exchanged at random within each block
 * of steps.
 *
 * The null hypothesis is that the ranks are alike. Under it, the labels of the ranks may be exchanged within any block, so
 * the sum over blocks for rank r is a sum of independent draws, one from the values of each block, and has the same
 * distribution for every r. That distribution is computed exactly, by convolution, without random draws, and its tails are
 * as small as a double can hold. Values are first rounded to 1/8192 of the range of the sum; sums that are smaller by no
 * more than this rounding count as equal.
 */
#ifndef TSCOPE_ANALYSIS_STATS_PERMUTATION_H
#define TSCOPE_ANALYSIS_STATS_PERMUTATION_H

#include "base/arena.h"

#include <stddef.h>

enum { TS_PERMUTATION_BLOCKS_MAX = 128 };

/* x is [rank][block], finite. ret_p[rank] is the chance that a sum is at least as large as that of the rank; all are 1 if the
 * ranks are equal in every block. 1 <= n_blocks <= TS_PERMUTATION_BLOCKS_MAX. */
enum ts_status ts_permutation_p(const double *x, size_t n_ranks, size_t n_blocks, struct ts_arena *arena, double *ret_p,
				struct ts_error *err);
/* The fewest blocks with which a rank that is the largest of n_ranks in every block has n_ranks * p <= alpha; 0 for one rank. */
size_t ts_permutation_blocks(size_t n_ranks, double alpha);
/* Adjusts the n p-values in place (Holm 1979): each is multiplied by the number of hypotheses that are not yet rejected, is
 * at most 1, and is never less than the adjusted value of a smaller p. */
enum ts_status ts_holm(double *p, size_t n, struct ts_arena *arena, struct ts_error *err);

#endif
