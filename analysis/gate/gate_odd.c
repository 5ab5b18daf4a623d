#include "analysis/gate/gate_odd.h"

#include "analysis/stats/stats.h"

#include <math.h>

/* Computes the distances from the median of each group, in the places of the values. */
static size_t distances(const double *x, const size_t *sizes, size_t n_groups, double *ret_far)
{
	size_t n = 0;

	for (size_t g = 0; g < n_groups; n += sizes[g++]) {
		double median;

		if (!sizes[g])
			continue;
		median = ts_median(x + n, sizes[g], ret_far + n);
		for (size_t i = n; i < n + sizes[g]; i++)
			ret_far[i] = fabs(x[i] - median);
	}
	return n;
}

/* Returns the greatest distance that is not an outlier, or NaN if that cannot be known. */
static double cut(double *far, size_t n, size_t n_groups, struct ts_gate_spread known, double floor_sd)
{
	bool told = known.df >= TS_GATE_ODD_KNOWN;
	double left, s;

	if (n < n_groups || (n - n_groups + 1 < TS_GATE_ODD_LEAST && !told))
		return (double)NAN;
	left = (double)(n - n_groups + 1);
	s = fmax(TS_MAD_TO_SD * ts_median_few(far, n) * sqrt((double)n / left), floor_sd);
	return told ? (3.9 + 31 / (left + known.df)) * fmax(s, known.sd) : (3.9 + 31 / left) * s;
}

size_t ts_gate_odd(const double *x, const size_t *sizes, size_t n_groups, struct ts_gate_spread known, double floor_sd, double *scratch,
		   bool *ret_odd)
{
	size_t n = distances(x, sizes, n_groups, scratch), odd = 0;
	double most = n ? cut(scratch, n, n_groups, known, floor_sd) : (double)NAN;

	/* The cut has reordered the distances. */
	(void)distances(x, sizes, n_groups, scratch);
	for (size_t i = 0; i < n; i++) {
		ret_odd[i] = scratch[i] > most;
		odd += ret_odd[i];
	}
	if (odd <= n / 4)
		return odd;
	for (size_t i = 0; i < n; i++)
		ret_odd[i] = false;
	return 0;
}
