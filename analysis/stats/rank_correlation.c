#include "analysis/stats/rank_correlation.h"

#include "analysis/stats/student.h"
#include "base/door.h"
#include "base/order.h"

#include <math.h>

struct place {
	double value;
	size_t at;
};
TS_ORDER(by_value, struct place, TS_UP(value); TS_UP(at))

size_t ts_ranks_of(const double *x, size_t n, struct ts_arena *arena, double *out)
{
	struct place *places = ts_arena_array(arena, n, sizeof *places);
	size_t most = 0;

	if (!places)
		return 0;
	for (size_t i = 0; i < n; i++)
		places[i] = (struct place){x[i], i};
	TS_SORT(places, n, by_value);
	for (size_t from = 0, to; from < n; from = to) {
		for (to = from + 1; to < n && places[to].value == places[from].value; to++)
			;
		for (size_t i = from; i < to; i++)
			out[places[i].at] = ((double)from + 1 + (double)to) / 2;
		most = to - from > most ? to - from : most;
	}
	return most;
}

static double p_of(double rho, double df)
{
	if (fabs(rho) >= 1)
		return 0;
	return 2 * ts_student_cdf(-fabs(rho) * sqrt(df / (1 - rho * rho)), df);
}

struct ts_rank_correlation ts_rank_correlation(const double *x, const double *y, size_t n, double alpha)
{
	struct ts_rank_correlation c = {.n = n};
	double mean = ((double)n + 1) / 2, xx = 0, yy = 0, xy = 0, half, z;

	for (size_t i = 0; i < n; i++) {
		xx += (x[i] - mean) * (x[i] - mean);
		yy += (y[i] - mean) * (y[i] - mean);
		xy += (x[i] - mean) * (y[i] - mean);
	}
	if (n < TS_RANK_LEAST || !(xx > 0) || !(yy > 0))
		return c;
	c.known = true;
	c.rho = fmax(-1, fmin(1, xy / sqrt(xx * yy)));
	half = -ts_student_quantile(alpha / 2, INFINITY) * sqrt((1 + c.rho * c.rho / 2) / ((double)n - 3));
	z = atanh(c.rho);
	c.low = tanh(z - half);
	c.high = tanh(z + half);
	c.p = p_of(c.rho, (double)n - 2);
	return c;
}

double ts_rank_partial_p(double xy, double xz, double yz, size_t n)
{
	double left = (1 - xz * xz) * (1 - yz * yz);

	TS_DOOR(n >= TS_RANK_LEAST);
	return left > 1e-12 ? p_of(fmax(-1, fmin(1, (xy - xz * yz) / sqrt(left))), (double)n - 3) : 1;
}
