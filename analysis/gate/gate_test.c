#include "analysis/gate/gate_test.h"

#include "analysis/stats/stats.h"
#include "analysis/stats/student.h"

#include <math.h>

#define FOUND 0.95 /* the probability with which the test finds a difference of the size ts_gate_found_from */

/* Returns the sum of squares around the mean of each group. */
static double squares(const double *x, size_t n)
{
	double mean = ts_mean(x, n), sd = ts_stddev(x, n, mean);

	return sd * sd * (double)n;
}

struct ts_gate_spread ts_gate_pooled(const double *x, const size_t *sizes, size_t n_groups)
{
	double sum = 0, df = 0;

	for (size_t i = 0; i < n_groups; x += sizes[i++])
		if (sizes[i] > 1) {
			sum += squares(x, sizes[i]);
			df += (double)(sizes[i] - 1);
		}
	return (struct ts_gate_spread){df > 0 ? sqrt(sum / df) : 0, df};
}

struct ts_gate_spread ts_gate_both(struct ts_gate_spread a, struct ts_gate_spread b)
{
	double df = a.df + b.df;

	return (struct ts_gate_spread){df > 0 ? sqrt((a.df * a.sd * a.sd + b.df * b.sd * b.sd) / df) : 0, df};
}

void ts_gate_look_judge(struct ts_gate_look *look, double factor, double floor_sd, double delta)
{
	look->sd = look->sd < floor_sd ? floor_sd : look->sd;
	look->error = look->df > 0 ? look->sd * factor : (double)NAN;
	look->t = (look->difference - delta) / look->error;
	look->p = ts_student_cdf(-look->t, look->df);
	look->p_clean = ts_student_cdf(-look->difference / look->error, look->df);
	look->p_better = ts_student_cdf((look->difference + delta) / look->error, look->df);
}

void ts_gate_first_look(const double *base, size_t n_base, const double *candidate, size_t n_candidate, struct ts_gate_spread prior,
			const struct ts_gate_allowance *allowance, const struct ts_gate_rule *rule, struct ts_gate_look *ret_look)
{
	static const struct ts_gate_allowance none;
	const struct ts_gate_allowance *more = allowance ? allowance : &none;
	struct ts_gate_look look = {.difference = ts_mean(candidate, n_candidate) - ts_mean(base, n_base), .drift = (double)NAN};
	double sum = squares(base, n_base) + squares(candidate, n_candidate), s;

	look.df = fmax((double)(n_base + n_candidate - 2) - more->fitted, 0);
	if (prior.df > 0) {
		sum += prior.df * prior.sd * prior.sd;
		look.df += prior.df;
	}
	look.sd = look.df > 0 ? sqrt(sum / look.df) : (double)NAN;
	s = fmax(look.sd, rule->floor_sd);
	ts_gate_look_judge(&look, sqrt(1 / (double)n_base + 1 / (double)n_candidate + more->leverage + more->variance / (s * s)),
			   rule->floor_sd, rule->delta);
	*ret_look = look;
}

bool ts_gate_worse(const struct ts_gate_look *look, const struct ts_gate_rule *rule, double alpha)
{
	return look->p < alpha && look->p_clean < TS_GATE_CLEAN_ALPHA && look->difference >= rule->min_size;
}

bool ts_gate_better(const struct ts_gate_look *look, const struct ts_gate_rule *rule, double alpha)
{
	return look->p_better < alpha && -look->difference >= rule->min_size;
}

double ts_gate_found_from(const struct ts_gate_look *look, const struct ts_gate_rule *rule, double alpha)
{
	double from = rule->delta + ts_student_quantile(1 - alpha, look->df) * look->error;
	double clean = ts_student_quantile(1 - TS_GATE_CLEAN_ALPHA, look->df) * look->error;

	from = from < clean ? clean : from;
	return (from < rule->min_size ? rule->min_size : from) + ts_student_quantile(FOUND, look->df) * look->error;
}

double ts_gate_interval(const struct ts_gate_look *look, double level)
{
	return ts_student_quantile(0.5 + level / 2, look->df) * look->error;
}

double ts_gate_holm(const double *p, size_t n, size_t at, double alpha)
{
	size_t smaller = 0;

	for (size_t i = 0; i < n; i++)
		smaller += p[i] < p[at] || (isnan(p[at]) && !isnan(p[i]));
	for (size_t i = 0; i < n; i++) {
		size_t below = 0;

		for (size_t j = 0; j < n; j++)
			below += p[j] < p[i];
		if (p[i] < p[at] && !(p[i] < alpha / (double)(n - below)))
			return 0;
	}
	return alpha / (double)(n - smaller);
}
