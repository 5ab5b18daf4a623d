/* test_gate_test.c - the statistics of a gate against scipy 1.x (ttest_ind, ttest_1samp and t.sf of sums done with numpy),
 * and by hand. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "analysis/gate/gate_test.h"

#include <math.h>

static const double six[] = {0.010, -0.004, 0.006, -0.011, 0.002, 0.003};

static struct ts_gate_rule rule(void)
{
	return (struct ts_gate_rule){log1p(0.01), log1p(0.02), 0.001};
}

static void about(double got, double want)
{
	if (!(fabs(got - want) <= 1e-11 * fabs(want)))
		fail_msg("%.17g is not %.17g", got, want);
}

static void first_look(void **state)
{
	static const double one[] = {0.041}, two[] = {0.041, 0.035};
	struct ts_gate_spread none = {0, 0}, prior = {0.005, 30};
	struct ts_gate_rule r = rule();
	struct ts_gate_look look;

	(void)state;
	ts_gate_first_look(six, 6, one, 1, none, NULL, &r, &look);
	about(look.difference, 0.04);
	about(look.sd, 0.0074833147735478825);
	about(look.df, 5);
	about(look.error, 0.00808290376865476);
	about(look.t, 3.7176824080677);
	about(look.p, 0.006872526675300132);
	about(look.p_better, 0.9991914789598813);
	about(ts_gate_interval(&look, 0.99), 0.0325914237175334);
	about(ts_gate_found_from(&look, &r, 0.05), 0.0467738486356807); /* t(0.9935, 5) error is the greatest term */
	ts_gate_first_look(six, 6, one, 1, prior, NULL, &r, &look);
	about(look.sd, 0.00542481072744215);
	about(look.df, 35);
	about(look.t, 5.128397853019612);
	about(look.p, 5.440325197516479e-06);
	about(ts_gate_found_from(&look, &r, 0.05), 0.029750313152124272);
	/* The expected values are from scipy's two-sample test of values less log(1.01). */
	ts_gate_first_look(six, 6, two, 2, none, NULL, &r, &look);
	about(look.t, 4.70083578481145);
	about(look.df, 6);
	about(look.p, 0.001661641006576755);
}

static void floor_of_spread(void **state)
{
	static const double zero[4] = {0}, one[] = {0.012};
	struct ts_gate_rule r = rule();
	struct ts_gate_look look;

	(void)state;
	ts_gate_first_look(zero, 4, one, 1, (struct ts_gate_spread){0, 0}, NULL, &r, &look);
	about(look.sd, 0.001);
	about(look.t, 1.8332798174800655);
	about(look.p, 0.08206623424777235);
	/* min_size is the greatest term: log(1.02) + t(0.95, 3) 0.001118. */
	about(ts_gate_found_from(&look, &r, 0.05), 0.022433767604169347);
}

static void worse_is_more_than_p(void **state)
{
	struct ts_gate_rule r = rule();
	struct ts_gate_look look = {.difference = 0.0197, .p = 1e-9, .p_clean = 1e-10, .p_better = 1};

	(void)state;
	assert_false(ts_gate_worse(&look, &r, 0.005)); /* log(1.02) is 0.0198 */
	look.difference = 0.0199;
	assert_true(ts_gate_worse(&look, &r, 0.005));
	assert_false(ts_gate_worse(&look, &r, 1e-9));
	assert_false(ts_gate_better(&look, &r, 0.005));
	look = (struct ts_gate_look){.difference = -0.0199, .p = 1, .p_better = 1e-9};
	assert_true(ts_gate_better(&look, &r, 0.005));
	look.p = look.p_better = (double)NAN;
	assert_false(ts_gate_worse(&look, &r, 0.4) || ts_gate_better(&look, &r, 0.4));
}

/* The groups are 1 2 3 | 10 | 4 8: squares 2, 0 and 8 with 2, 0 and 1 degrees of freedom. */
static void pooled(void **state)
{
	static const double x[] = {1, 2, 3, 10, 4, 8};
	static const size_t sizes[] = {3, 1, 2};
	struct ts_gate_spread s = ts_gate_pooled(x, sizes, 3);

	(void)state;
	about(s.df, 3);
	about(s.sd, sqrt(10.0 / 3));
	s = ts_gate_pooled(x, sizes + 1, 1);
	assert_true(s.df == 0 && s.sd == 0);
	s = ts_gate_pooled(x, sizes, 0);
	assert_true(s.df == 0);
}

/* A first look of few draws and much noise: p of the edge is below 0.05, but no change at all is not unlikely enough. By
 * scipy, with t of 3 degrees of freedom: (0.06 - log 1.01) / 0.02 = 2.50, p = 0.044; 0.06 / 0.02 = 3, p = 0.029. */
static void clean_changes_are_seldom_suspect(void **state)
{
	struct ts_gate_rule r = rule();
	struct ts_gate_look look;

	(void)state;
	ts_gate_first_look((const double[]){0, 0, 0, 0}, 4, (const double[]){0.06}, 1, (struct ts_gate_spread){0, 0}, NULL,
			   &(struct ts_gate_rule){r.delta, r.min_size, 0.02 / sqrt(1.25)}, &look);
	about(look.error, 0.02);
	assert_true(look.p < 0.05 && look.p_clean > TS_GATE_CLEAN_ALPHA);
	about(look.p_clean, 0.02883444281121865);
	assert_false(ts_gate_worse(&look, &r, 0.05));
}

/* Holm 1979 by hand: of 0.01, 0.04, 0.03, 0.005 at 0.05 the levels are 0.0125, 0.05/3, 0.025; 0.03 misses 0.025, and so 0.04
 * fails too. */
static void holm(void **state)
{
	static const double p[] = {0.01, 0.04, 0.03, 0.005};
	double odd[] = {0.004, (double)NAN};

	(void)state;
	about(ts_gate_holm(p, 4, 3, 0.05), 0.0125);
	about(ts_gate_holm(p, 4, 0, 0.05), 0.05 / 3);
	about(ts_gate_holm(p, 4, 2, 0.05), 0.025);
	assert_true(ts_gate_holm(p, 4, 1, 0.05) == 0);
	about(ts_gate_holm(p, 1, 0, 0.05), 0.05);
	about(ts_gate_holm(odd, 2, 0, 0.05), 0.025);
	about(ts_gate_holm(odd, 2, 1, 0.05), 0.05);
	odd[1] = 0.004;
	about(ts_gate_holm(odd, 2, 0, 0.05), 0.025);
	about(ts_gate_holm(odd, 2, 1, 0.05), 0.025);
}

static void nothing_decided_by_nonsense(void **state)
{
	static const double huge[] = {1e308, -1e308, 1e308}, one[] = {1e308}, small[] = {0.5};
	struct ts_gate_rule r = rule();
	struct ts_gate_look look;

	(void)state;
	ts_gate_first_look(huge, 3, one, 1, (struct ts_gate_spread){0, 0}, NULL, &r, &look);
	assert_false(ts_gate_worse(&look, &r, 0.49) || ts_gate_better(&look, &r, 0.49));
	/* There is one value of each and no known spread: no degree of freedom. */
	ts_gate_first_look(small, 1, one, 1, (struct ts_gate_spread){0, 0}, NULL, &r, &look);
	assert_true(isnan(look.p) && isnan(look.error));
	assert_false(ts_gate_worse(&look, &r, 0.49));
	assert_true(isnan(ts_gate_found_from(&look, &r, 0.05)));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(first_look),
		cmocka_unit_test(floor_of_spread),
		cmocka_unit_test(worse_is_more_than_p),
		cmocka_unit_test(pooled),
		cmocka_unit_test(clean_changes_are_seldom_suspect),
		cmocka_unit_test(holm),
		cmocka_unit_test(nothing_decided_by_nonsense),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
