#include "analysis/stats/wander.h"

#include "analysis/stats/stats.h"

#include <math.h>

enum { FAR = 5, ALIKE = 2, BEST_WITHIN = 4 /* of twice the log likelihood: about the 95 % region of one parameter */ };

/* The factor from the median difference of neighbours to four standard deviations of white noise, or to three of the steps of a
 * random walk. */
#define REACH 4.2

/* The models: the correlation of the wandering part, and the variance of its steps over that of the white noise. */
static const double correlations[] = {0.3, 0.6, 0.8, 0.9, 0.95, 0.98, 0.995, 0.9995};
static const double ratios[] = {0.003, 0.02, 0.1, 0.4, 1.5, 6, INFINITY};

enum { CORRELATIONS = sizeof correlations / sizeof correlations[0], RATIOS = sizeof ratios / sizeof ratios[0] };
enum { MODELS = CORRELATIONS * RATIOS + 1 };

/* Sums of products of the innovations, each divided by its variance. 1 is the level, z the regressor, x the values. */
struct sums {
	double log_variance;
	double l_l, l_z, l_x, z_z, z_x, x_x;
};

/* The series of a test: x less its first value, and z. A step has no array: z is 1 from `at` on. */
struct series {
	const double *x, *z;
	size_t n, at;
};

static void add(struct sums *s, double weight, double l, double z, double x)
{
	s->l_l += weight * l * l;
	s->l_z += weight * l * z;
	s->l_x += weight * l * x;
	s->z_z += weight * z * z;
	s->z_x += weight * z * x;
	s->x_x += weight * x * x;
}

static struct sums filter(const struct series *in, double rho, double share)
{
	struct sums s = {.log_variance = 0};
	double variance = share, l = 0, z = 0, x = 0, product = 1;

	for (size_t i = 0; i < in->n; i++) {
		double f = variance + 1 - share, gain = rho * variance / f;
		double now = in->z ? in->z[i] : i >= in->at;
		double dl = 1 - l, dz = now - z, dx = in->x[i] - in->x[0] - x;

		add(&s, 1 / f, dl, dz, dx);
		product *= f;
		if (product < 1e-200 || i + 1 == in->n) { /* one logarithm for many factors */
			s.log_variance += log(product);
			product = 1;
		}
		l = rho * l + gain * dl;
		z = rho * z + gain * dz;
		x = rho * x + gain * dx;
		variance = rho * rho * variance * (1 - share) / f + share * (1 - rho * rho);
	}
	return s;
}

/* The share of the wandering part in the variance; the first model is white noise. */
static double model_of(size_t model, double *ret_rho)
{
	double ratio, steps;

	*ret_rho = 0;
	if (model == 0)
		return 0;
	*ret_rho = correlations[(model - 1) / RATIOS];
	ratio = ratios[(model - 1) % RATIOS];
	steps = 1 - *ret_rho * *ret_rho;
	return isinf(ratio) ? 1 : ratio / (ratio + steps);
}

static struct sums filter_model(const struct series *in, size_t model)
{
	double rho, share = model_of(model, &rho);

	return filter(in, rho, share);
}

static double likelihood(const struct sums *s, double rest, size_t n)
{
	return -(double)n * log(fmax(rest, 0) / (double)n) - s->log_variance;
}

static double rest_of_level(const struct sums *s)
{
	double rest = s->x_x - s->l_x * s->l_x / s->l_l;

	return rest > 1e-12 * s->x_x ? rest : 0;
}

/* The sums of squares about the level: of z, of z with x, and what is left of x. */
static double rest_of_both(const struct sums *s, double *ret_z, double *ret_b)
{
	double level = rest_of_level(s), rest;

	*ret_z = s->z_z - s->l_z * s->l_z / s->l_l;
	*ret_b = *ret_z > 0 ? (s->z_x - s->l_z * s->l_x / s->l_l) / *ret_z : 0;
	rest = level - *ret_b * *ret_b * *ret_z;
	return rest > 1e-12 * s->x_x ? rest : 0;
}

static void test(const struct series *in, struct ts_wander *ret)
{
	double with[MODELS], errors[MODELS], none = -INFINITY, best = -INFINITY;

	*ret = (struct ts_wander){.evidence = 0};
	for (size_t k = 0; k < MODELS; k++) {
		struct sums s = filter_model(in, k);
		double z, b, rest = rest_of_both(&s, &z, &b), without = likelihood(&s, rest_of_level(&s), in->n);

		with[k] = likelihood(&s, rest, in->n);
		errors[k] = z > 0 ? sqrt(rest / (double)(in->n > 2 ? in->n - 2 : 1) / z) : (double)INFINITY;
		if (without > none) {
			double rho, share = model_of(k, &rho);

			none = without;
			ret->correlation = rho * share;
		}
		if (with[k] > best) {
			best = with[k];
			ret->coefficient = b;
		}
	}
	for (size_t k = 0; k < MODELS; k++)
		if (with[k] >= best - BEST_WITHIN)
			ret->error = fmax(ret->error, errors[k]);
	ret->evidence = isinf(none) ? 0 : fmax(best - none, 0);
}

void ts_wander_test(const double *x, const double *z, size_t n, struct ts_wander *ret)
{
	test(&(struct series){.x = x, .z = z, .n = n}, ret);
}

double ts_wander_step(const double *x, size_t n, size_t at)
{
	struct ts_wander found;

	test(&(struct series){.x = x, .n = n, .at = at}, &found);
	return found.evidence;
}

double ts_wander_likelihood(const double *x, size_t n, size_t *ret_model)
{
	struct series in = {.x = x, .n = n, .at = n};
	double best = -INFINITY;
	size_t model = 0;

	for (size_t k = 0; k < MODELS; k++) {
		struct sums s = filter_model(&in, k);
		double l = likelihood(&s, rest_of_level(&s), n);

		model = l > best ? k : model;
		best = fmax(best, l);
	}
	if (ret_model)
		*ret_model = model;
	return best;
}

double ts_wander_step_in(const double *x, size_t n, size_t at, size_t model)
{
	struct series in = {.x = x, .n = n, .at = at};
	struct sums s = filter_model(&in, model);
	double z, b, rest = rest_of_both(&s, &z, &b), with = likelihood(&s, rest, n), without = likelihood(&s, rest_of_level(&s), n);

	return isinf(without) ? 0 : fmax(with - without, 0);
}

/* Returns whether fewer than ALIKE of the values around x[i] are near it. */
static bool is_odd(const double *x, size_t n, size_t i, double reach)
{
	size_t first = i < FAR ? 0 : i - FAR, last = n - i > FAR ? i + FAR + 1 : n, alike = 0;

	for (size_t k = first; k < last; k++)
		alike += k != i && fabs(x[k] - x[i]) <= reach;
	return alike < ALIKE;
}

enum ts_status ts_wander_tame(const double *x, size_t n, struct ts_arena *arena, double *out, struct ts_error *err)
{
	double *far = ts_arena_array(arena, n, sizeof *far), reach;
	size_t first = 0;

	if (!far)
		return ts_arena_error(arena, err);
	for (size_t i = 1; i < n; i++)
		far[i - 1] = fabs(x[i] - x[i - 1]);
	reach = n > 1 ? REACH * ts_median(far, n - 1, far) : 0;
	while (first < n && is_odd(x, n, first, reach))
		first++;
	for (size_t i = 0; i < n; i++)
		out[i] = reach > 0 && first < n && is_odd(x, n, i, reach) ? (i ? out[i - 1] : x[first]) : x[i];
	return TS_OK;
}
