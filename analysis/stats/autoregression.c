#include "analysis/stats/autoregression.h"

#include "analysis/stats/stats.h"

#include <math.h>
#include <string.h>

enum { MOST = TS_AUTOREGRESSION_MOST };

/* The predictor of each order: a[m][1..m], and by what share each leaves the variance. */
struct predictors {
	double a[MOST + 1][MOST + 1];
	double left[MOST + 1];
};

/* Computes the predictors from the errors of prediction forward and backward, which x and its copy become. */
static void burg(double *forward, double *backward, size_t n, struct predictors *p)
{
	p->left[0] = 1;
	for (size_t m = 1; m <= MOST; m++) {
		double product = 0, square = 0, k;

		for (size_t t = m; t < n; t++) {
			product += forward[t] * backward[t - 1];
			square += forward[t] * forward[t] + backward[t - 1] * backward[t - 1];
		}
		k = square > 0 ? 2 * product / square : 0;
		p->a[m][m] = k;
		for (size_t j = 1; j < m; j++)
			p->a[m][j] = p->a[m - 1][j] - k * p->a[m - 1][m - j];
		p->left[m] = p->left[m - 1] * (1 - k * k);
		for (size_t t = n; t-- > m;) {
			double f = forward[t], b = backward[t - 1];

			forward[t] = f - k * b;
			backward[t] = b - k * f;
		}
	}
}

/* The first values have fewer before them, and are predicted by what there is. */
static double likelihood(const double *x, size_t n, const struct predictors *p, size_t order)
{
	double rest = 0, log_variance = 0;

	for (size_t t = 0; t < n; t++) {
		size_t m = t < order ? t : order;
		double off = x[t], variance = p->left[m] / p->left[order];

		for (size_t j = 1; j <= m; j++)
			off -= p->a[m][j] * x[t - j];
		rest += off * off / variance;
		log_variance += m < order ? log(variance) : 0;
	}
	return -(double)n * log(rest / (double)n) - log_variance - (double)order;
}

enum ts_status ts_autoregression_likelihood(const double *x, size_t n, struct ts_arena *arena, double *ret, struct ts_error *err)
{
	double *off = ts_arena_array(arena, n, sizeof *off), *forward = ts_arena_array(arena, n, sizeof *forward);
	double *backward = ts_arena_array(arena, n, sizeof *backward), mean = ts_mean(x, n), best = -HUGE_VAL;
	struct predictors p = {.left = {1}};

	if (!off || !forward || !backward)
		return ts_arena_error(arena, err);
	for (size_t t = 0; t < n; t++)
		off[t] = x[t] - mean;
	memcpy(forward, off, n * sizeof *off);
	memcpy(backward, off, n * sizeof *off);
	burg(forward, backward, n, &p);
	for (size_t order = 0; order <= MOST && p.left[order] > 0; order++)
		best = fmax(best, likelihood(off, n, &p, order));
	*ret = best;
	return TS_OK;
}
