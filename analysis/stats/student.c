/* student.c - computes what student.h promises. If a product would leave the range of a double, the logarithms of its
 * factors are added instead.
 */
#include "analysis/stats/student.h"

#include <math.h>
#include <stdbool.h>

#define NORMAL_FROM 1e9 /* degrees of freedom */
#define HALF_LN_PI 0.57236494292470008707
#define LN_T_MOST 709.0 /* exp of more overflows a double */
#define TINY 1e-300	/* stands in for 0 in a denominator */

enum { FRACTION_MOST = 200000, ROOT_MOST = 200 };

/* The remainder of Stirling's formula for ln Gamma(x), x >= 10 (DLMF 5.11.1): the next term is below 1e-17. */
static double stirling_rest(double x)
{
	static const double c[] = {1.0 / 12, -1.0 / 360, 1.0 / 1260, -1.0 / 1680, 1.0 / 1188, -691.0 / 360360, 1.0 / 156};
	double sum = 0;

	for (int i = 6; i >= 0; i--)
		sum = sum / (x * x) + c[i];
	return sum / x;
}

/* Computes ln B(a, 1/2) = ln Gamma(a) - ln Gamma(a + 1/2) + ln(pi) / 2 without subtracting two large numbers. lgamma
 * is not used, because it writes to a global. */
static double ln_beta_half(double a)
{
	double shift = 0;

	/* Gamma(a) / Gamma(a + 1/2) = (a + 1/2) / a * Gamma(a + 1) / Gamma(a + 3/2) */
	for (; a < 10; a++)
		shift += log1p(0.5 / a);
	return HALF_LN_PI + shift - a * log1p(0.5 / a) + 0.5 - 0.5 * log(a) + stirling_rest(a) - stirling_rest(a + 0.5);
}

static double not_zero(double v)
{
	return fabs(v) < TINY ? TINY : v;
}

/* Computes the continued fraction of I(x; a, b) without its leading factor; it converges fast for x < (a + 1) / (a +
 * b + 2). */
static double fraction(double x, double a, double b)
{
	double c = 1, d = 1 / not_zero(1 - (a + b) * x / (a + 1)), h = d;

	for (int i = 1; i <= FRACTION_MOST; i++) {
		double m = i;
		double even = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m));
		double odd = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1));
		double step;

		d = 1 / not_zero(1 + even * d);
		c = not_zero(1 + even / c);
		h *= d * c;
		d = 1 / not_zero(1 + odd * d);
		c = not_zero(1 + odd / c);
		step = d * c;
		h *= step;
		if (fabs(step - 1) < 1e-16)
			break;
	}
	return h;
}

/* Returns P(|T| > t), or P(|T| <= t) if inner; t > 0. */
static double both_sides(double t, double df, bool inner)
{
	double a = df / 2, r = t / sqrt(df), rr = r * r, ln_r = log(t) - 0.5 * log(df);
	/* x = t^2 / (df + t^2) and y = df / (df + t^2) */
	double y = 1 / (1 + rr), x = isinf(rr) ? 1 : rr / (1 + rr);
	double ln_y = r > 1e8 ? -2 * ln_r : -log1p(rr), ln_x = r > 1e8 ? 0 : 2 * ln_r + ln_y;
	double front = a * ln_y + 0.5 * ln_x - ln_beta_half(a), part;

	if (x < 1.5 / (a + 2.5)) {
		part = exp(front) * fraction(x, 0.5, a) / 0.5;
		return inner ? part : 1 - part;
	}
	part = exp(front) * fraction(y, a, 0.5) / a;
	return inner ? 1 - part : part;
}

static double normal_below(double t)
{
	return erfc(-t / sqrt(2.0)) / 2;
}

double ts_student_cdf(double t, double df)
{
	double tail;

	if (isnan(t) || !(df > 0))
		return (double)NAN;
	if (isinf(t) || t == 0)
		return t == 0 ? 0.5 : t > 0;
	if (df >= NORMAL_FROM)
		return normal_below(t);
	tail = both_sides(fabs(t), df, false) / 2;
	return t < 0 ? tail : 1 - tail;
}

/* Returns ln of the probability that decides where exp(ln_t) lies: the outer one for a tail, the inner one near the
 * middle. Both are nearly straight in ln t, in which the root is searched: a tail falls as t^-df, the middle grows
 * as t. */
static double ln_part(double ln_t, double df, bool inner)
{
	double t = exp(ln_t);

	if (df < NORMAL_FROM)
		return log(both_sides(t, df, inner));
	return log(inner ? erf(t / sqrt(2.0)) : erfc(t / sqrt(2.0)));
}

/* Finds the t > 0 at which the probability is exp(want), by secants, and by bisection where a secant leaves the
 * interval that contains the root. */
static double find(double want, double df, bool inner)
{
	double lo = -LN_T_MOST, hi = LN_T_MOST, at = 0, before = 0.5, f_before = ln_part(before, df, inner) - want;

	if (!inner && ln_part(hi, df, inner) > want)
		return (double)INFINITY;
	for (int i = 0; i < ROOT_MOST; i++) {
		double f = ln_part(at, df, inner) - want, next;
		bool secant = isfinite(f) && isfinite(f_before);

		if ((f > 0) == inner)
			hi = at;
		else
			lo = at;
		next = at - f * (at - before) / (f - f_before);
		if (f == 0 || hi - lo < 1e-15 || (secant && fabs(next - at) < 1e-15))
			break;
		before = at;
		f_before = f;
		at = secant && next > lo && next < hi ? next : lo + (hi - lo) / 2;
	}
	return exp(at);
}

double ts_student_quantile(double p, double df)
{
	double tail = p < 0.5 ? p : 1 - p, t;

	if (!(p >= 0 && p <= 1) || !(df > 0))
		return (double)NAN;
	if (tail == 0)
		return p < 0.5 ? (double)-INFINITY : (double)INFINITY;
	if (p == 0.5)
		return 0;
	t = tail < 0.25 ? find(log(2 * tail), df, false) : find(log1p(-2 * tail), df, true);
	return p < 0.5 ? -t : t;
}
