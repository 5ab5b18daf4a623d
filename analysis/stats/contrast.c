#include "analysis/stats/contrast.h"

#include "analysis/stats/student.h"

#include <math.h>

/* What one side's numbers show. */
struct moments {
	double mean, squares, lag; /* sums of squares, and of products of neighbours, about the mean */
};

static double mean_of(const struct ts_contrast_side *side)
{
	double sum = 0;

	for (size_t i = 0; i < side->n_numbers; i++)
		sum += side->numbers[i].value;
	return side->n ? sum / (double)side->n : 0;
}

/* The zeros between the numbers count: a neighbour that is absent lies -mean from the mean. */
static struct moments moments_of(const struct ts_contrast_side *side)
{
	struct moments m = {.mean = mean_of(side)};
	size_t both = 0, one = 0;

	for (size_t i = 0; i < side->n_numbers; i++) {
		const struct ts_contrast_number *x = &side->numbers[i];
		double d = x->value - m.mean;
		bool follows = i && x[-1].at + 1 == x->at, followed = i + 1 < side->n_numbers && x[1].at == x->at + 1;

		m.squares += d * d;
		if (follows) {
			m.lag += d * (x[-1].value - m.mean);
			both++;
		} else if (x->at > 0) {
			m.lag -= d * m.mean;
			one++;
		}
		if (!followed && (size_t)x->at + 1 < side->n) {
			m.lag -= d * m.mean;
			one++;
		}
	}
	m.squares += (double)(side->n - side->n_numbers) * m.mean * m.mean;
	if (side->n > 1)
		m.lag += ((double)(side->n - 1) - (double)both - (double)one) * m.mean * m.mean;
	return m;
}

static void add_rho(const struct ts_contrast_side *side, const struct moments *m, double *sum, double *weight)
{
	double n = (double)side->n;

	if (side->n < TS_CONTRAST_RHO_FROM)
		return;
	*sum += m->squares > 0 ? n * (m->lag / m->squares) + 1 : 0;
	*weight += n - 3;
}

static double rho_of(const struct ts_contrast_side *const sides[2], const struct moments *m, bool *ret_assumed)
{
	double sum = 0, weight = 0, rho;

	for (int k = 0; k < 2; k++)
		add_rho(sides[k], &m[k], &sum, &weight);
	*ret_assumed = !(weight > 0);
	rho = (sum + TS_CONTRAST_RHO * TS_CONTRAST_WEIGHT) / (weight + TS_CONTRAST_WEIGHT);
	return fmin(fmax(rho, 0), TS_CONTRAST_RHO_MOST);
}

/* The variance of the side's mean, and its degrees of freedom. */
static double error_of(const struct ts_contrast_side *side, const struct moments *m, double rho, bool assumed, double *ret_df)
{
	double n = (double)side->n, f = fmin((1 + rho) / (1 - rho), TS_CONTRAST_TIME_MOST * n),
	       variance = m->squares / (n - 1) * (f * (n - 1) / (n - f)) / n;

	*ret_df = fmax((assumed ? n : n / sqrt(f)) - 1, 1);
	return fmax(variance, side->floor / n);
}

struct ts_contrast ts_contrast(const struct ts_contrast_side *a, const struct ts_contrast_side *b, double least)
{
	const struct ts_contrast_side *const sides[2] = {a, b};
	struct moments m[2] = {moments_of(a), moments_of(b)};
	struct ts_contrast c = {.a = m[0].mean, .b = m[1].mean, .difference = m[1].mean - m[0].mean, .p = 1};
	bool assumed;
	double rho, v[2], df[2], error, beyond = fabs(c.difference) - least, freedom, reach;

	if (a->n < 2 || b->n < 2)
		return c;
	rho = rho_of(sides, m, &assumed);
	for (int k = 0; k < 2; k++)
		v[k] = error_of(sides[k], &m[k], rho, assumed, &df[k]);
	c.decided = true;
	error = sqrt(v[0] + v[1]);
	if (!(error > 0)) {
		c.low = c.high = c.difference;
		c.p = beyond > 0 ? 0 : 1;
		return c;
	}
	freedom = (v[0] + v[1]) * (v[0] + v[1]) / (v[0] * v[0] / df[0] + v[1] * v[1] / df[1]);
	if (!isfinite(freedom)) /* squares of the smallest numbers are 0 */
		freedom = fmin(df[0], df[1]);
	reach = ts_student_quantile(0.975, freedom) * error;
	c.low = c.difference - reach;
	c.high = c.difference + reach;
	c.p = beyond > 0 ? fmin(2 * ts_student_cdf(-beyond / error, freedom), 1) : 1;
	return c;
}

size_t ts_contrast_holm(const double *p, size_t n, double alpha)
{
	size_t found = 0;

	while (found < n && p[found] * (double)(n - found) <= alpha)
		found++;
	return found;
}
