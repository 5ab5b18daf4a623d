/* rank_correlation.h - Spearman's rank correlation of two columns, with an interval.
 *
 *	rho		the correlation of ranks, where equal values have the mean of their ranks (Spearman 1904)
 *	interval	tanh(atanh(rho) +- z sqrt((1 + rho^2 / 2) / (n - 3))), Bonett and Wright, Psychometrika 65 (2000), 23
 *	p		of no correlation: t = rho sqrt((n - 2) / (1 - rho^2)) with n - 2 degrees of freedom (Kendall and Stuart 31.19)
 *	partial		(r_xy - r_xz r_yz) / sqrt((1 - r_xz^2) (1 - r_yz^2)), with one degree of freedom less (Kendall 1942)
 *
 * Nothing is said of fewer than TS_RANK_LEAST pairs, nor where fewer than TS_RANK_APART values differ from the most frequent one of
 * their column. Threads: pure.
 */
#ifndef TSCOPE_ANALYSIS_STATS_RANK_CORRELATION_H
#define TSCOPE_ANALYSIS_STATS_RANK_CORRELATION_H

#include "base/arena.h"

enum { TS_RANK_LEAST = 8, TS_RANK_APART = 3 };

struct ts_rank_correlation {
	bool known;
	size_t n;
	double rho, low, high, p;
};

/* out[i] is the rank of x[i], from 1 on. Returns how many values are equal to the most frequent one; 0 without memory. No NaN. */
size_t ts_ranks_of(const double *x, size_t n, struct ts_arena *arena, double *out);
/* Of ranks. alpha: what the interval leaves out, such as 0.05. */
struct ts_rank_correlation ts_rank_correlation(const double *x_ranks, const double *y_ranks, size_t n, double alpha);
/* p of x and y where z is held, by the three correlations; 1 where z leaves nothing of them. */
double ts_rank_partial_p(double xy, double xz, double yz, size_t n);

#endif
