/* test_gate_paired.c - pairs of base and candidate: against scipy (ttest_1samp) and numpy (lstsq), and by hand. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "analysis/gate/gate_paired.h"

#include <math.h>
#include <string.h>

enum { ROOM = 16 };

static struct ts_gate_rule rule(void)
{
	return (struct ts_gate_rule){log1p(0.01), log1p(0.02), 0.001};
}

static void about(double got, double want)
{
	if (!(fabs(got - want) <= 1e-11 * fabs(want)))
		fail_msg("%.17g is not %.17g", got, want);
}

/* Makes differences whose order is not recorded. */
static struct ts_gate_difference *plain(const double *d, size_t n)
{
	static struct ts_gate_difference pairs[ROOM];

	assert_true(n <= ROOM);
	memset(pairs, 0, sizeof pairs);
	for (size_t i = 0; i < n; i++)
		pairs[i].d = d[i];
	return pairs;
}

static void look_at(const double *d, size_t n, struct ts_gate_spread within, const struct ts_gate_rule *r, struct ts_gate_look *ret)
{
	double scratch[2 * ROOM];

	ts_gate_pairs_look(plain(d, n), n, within, r, scratch, ret);
}

static enum ts_gate_pairs_answer judge(const double *d, size_t n, const struct ts_gate_pairs_plan *plan, struct ts_gate_spread within,
				       const struct ts_gate_rule *r, struct ts_gate_look *ret)
{
	double scratch[2 * ROOM];

	return ts_gate_pairs_judge(plain(d, n), n, plan, within, r, scratch, ret);
}

static void pairs_look(void **state)
{
	static const double d[] = {0.031, 0.024, 0.038, 0.029};
	struct ts_gate_rule r = rule();
	struct ts_gate_look look;

	(void)state;
	look_at(d, 4, (struct ts_gate_spread){0, 0}, &r, &look);
	about(look.difference, 0.0305);
	about(look.sd, 0.005802298395176403);
	about(look.t, 7.083285879924884);
	about(look.p, 0.0028934821696150787);
	/* The history has 12 degrees of freedom at 0.4 % a run: 2 * 0.004^2 * 12 + 0.000101 over 15. */
	look_at(d, 4, (struct ts_gate_spread){0.004, 12}, &r, &look);
	about(look.sd, 0.005686240703077327);
	about(look.df, 15);
	about(look.p, 1.468062157773773e-06);
}

static void pairs_in_two_looks(void **state)
{
	static const double worse[] = {0.030, 0.031, 0.029, 0.030}, none[] = {0.001, -0.002, 0.004, 0.009, 0.1, 0.1};
	static const double open[] = {0.019, 0.021, 0.015, 0.017, 0.030, 0.031, 0.030, 0.029, -1, -1};
	static const double small[] = {0.019, 0.021, 0.015, 0.017, 0.011, 0.012, 0.014, 0.013};
	struct ts_gate_pairs_plan plan = {.first = 4, .most = 8, .alpha = 0.005};
	struct ts_gate_spread within = {0.002, 20};
	struct ts_gate_rule r = rule();
	struct ts_gate_look look;

	(void)state;
	assert_int_equal(judge(worse, 3, &plan, within, &r, &look), TS_GATE_PAIRS_FEW);
	assert_int_equal(judge(worse, 4, &plan, within, &r, &look), TS_GATE_PAIRS_CONFIRM);
	/* 0.003 is not above delta: no more pairs are requested, and more pairs do not count if they exist. */
	assert_int_equal(judge(none, 4, &plan, within, &r, &look), TS_GATE_PAIRS_REFUTE);
	assert_int_equal(judge(none, 6, &plan, within, &r, &look), TS_GATE_PAIRS_REFUTE);
	about(look.difference, 0.003);
	/* 0.018 is above delta and below the least size that counts: the result stays open until there are 8 pairs. */
	for (size_t n = 4; n < 8; n++)
		assert_int_equal(judge(open, n, &plan, within, &r, &look), TS_GATE_PAIRS_OPEN);
	about(look.difference, 0.018);
	assert_int_equal(judge(open, 8, &plan, within, &r, &look), TS_GATE_PAIRS_CONFIRM);
	about(look.difference, 0.024);
	/* Pairs after the last look change nothing. */
	assert_int_equal(judge(open, 10, &plan, within, &r, &look), TS_GATE_PAIRS_CONFIRM);
	about(look.difference, 0.024);
	assert_int_equal(judge(small, 8, &plan, within, &r, &look), TS_GATE_PAIRS_REFUTE);
	/* With a single look, nothing stays open. */
	plan.most = 4;
	assert_int_equal(judge(open, 8, &plan, within, &r, &look), TS_GATE_PAIRS_REFUTE);
}

/* The scatter is 3 % where 0.4 % a run is known, 0.57 % a pair: these pairs are compared with their own scatter
 * alone. The expected values are from scipy's ttest_1samp. */
static void a_noisy_allocation(void **state)
{
	static const double d[] = {0.06, 0.01, 0.00, 0.07, 0.05, 0.035}, calm[] = {0.030, 0.041, 0.035, 0.020};
	struct ts_gate_rule r = rule();
	struct ts_gate_look look;

	(void)state;
	look_at(d, 6, (struct ts_gate_spread){0.004, 30}, &r, &look);
	about(look.df, 5);
	about(look.t, 2.4201473794774415);
	about(look.p, 0.0300532402221851);
	look_at(calm, 4, (struct ts_gate_spread){0.004, 30}, &r, &look);
	about(look.df, 33);
	/* The known spread counts as at least the floor: otherwise identical runs would make every pair noisy. */
	look_at((const double[]){0.030, 0.032}, 2, (struct ts_gate_spread){0, 30}, &r, &look);
	about(look.df, 1 + TS_GATE_FEW_DF);
}

/* p lies between half of alpha and alpha: enough for one look, not for the first of two. By scipy, these four have p
 * = 0.00289. */
static void alpha_is_split(void **state)
{
	static const double d[] = {0.031, 0.024, 0.038, 0.029};
	struct ts_gate_spread none = {0, 0};
	struct ts_gate_rule r = rule();
	struct ts_gate_look look;

	(void)state;
	assert_int_equal(judge(d, 4, &(struct ts_gate_pairs_plan){.first = 4, .most = 4, .alpha = 0.005}, none, &r, &look),
			 TS_GATE_PAIRS_CONFIRM);
	assert_int_equal(judge(d, 4, &(struct ts_gate_pairs_plan){.first = 4, .most = 8, .alpha = 0.005}, none, &r, &look),
			 TS_GATE_PAIRS_OPEN);
}

static void what_pairs_are_held_to(void **state)
{
	struct ts_gate_look first = {.sd = 0.01, .df = 9};
	struct ts_gate_spread few = {0.001, TS_GATE_WITHIN_LEAST - 1}, enough = {0.001, TS_GATE_WITHIN_LEAST}, got;

	(void)state;
	got = ts_gate_within(enough, &first);
	assert_true(got.sd == 0.001 && got.df == TS_GATE_WITHIN_LEAST);
	got = ts_gate_within(few, &first);
	assert_true(got.sd == 0.01 && got.df == 9);
	/* The candidate is at 1 error: its distance is a value as large as the others. At 2 and 9 degrees of freedom, the ten values
	 * have 1.3 times the variance; beyond t(0.9935, 9) = 3.0866 (mpmath), the distance adds nothing more. */
	first.error = 0.02;
	first.difference = -0.02;
	got = ts_gate_within(few, &first);
	assert_true(got.sd == 0.01 && got.df == 9);
	first.difference = 0.04;
	got = ts_gate_within(few, &first);
	about(got.sd, 0.01 * sqrt(1.3));
	first.difference = 5;
	got = ts_gate_within(few, &first);
	if (!(fabs(got.sd - 0.013611498709662859) < 1e-9))
		fail_msg("%.17g", got.sd);
	first.df = TS_GATE_WITHIN_LEAST - 1;
	got = ts_gate_within(few, &first);
	assert_true(got.sd == 0.01);
	got = ts_gate_within(few, NULL);
	assert_true(got.sd == 0.001);
	first.sd = (double)NAN;
	got = ts_gate_within(few, &first);
	assert_true(got.sd == 0.001);
}

/* The runs have the order ABBA and get 2 % slower one after the other: least squares over 1 and the turn, by numpy's
 * lstsq. */
static void a_drift_is_no_regression(void **state)
{
	static const double d[] = {0.052, 0.011, 0.049, 0.008, 0.051, 0.013};
	static const double clean[] = {0.021, -0.019, 0.020, -0.022, 0.018, -0.020};
	const struct ts_gate_spread none = {0, 0};
	struct ts_gate_rule r = rule();
	struct ts_gate_difference *pairs;
	struct ts_gate_look look;
	double scratch[2 * ROOM];

	(void)state;
	pairs = plain(d, 6);
	for (int i = 0; i < 6; i++)
		pairs[i].turn = i % 2 ? -1 : 1;
	ts_gate_pairs_look(pairs, 6, none, &r, scratch, &look);
	about(look.drift, 0.02);
	about(look.difference, 0.184 / 6);
	about(look.df, 4);
	about(look.sd, 0.0020816659994661348);
	about(look.error, 0.0008498365855987983);
	assert_true(ts_gate_worse(&look, &r, 0.005));
	pairs = plain(clean, 6);
	for (int i = 0; i < 6; i++)
		pairs[i].turn = i % 2 ? -1 : 1;
	ts_gate_pairs_look(pairs, 6, none, &r, scratch, &look);
	assert_false(ts_gate_worse(&look, &r, 0.005));
}

/* The orders are not balanced: the expected values are the intercept of the line over the turn, and its error. */
static void orders_need_not_be_balanced(void **state)
{
	static const double d[] = {0.52, 0.49, 0.51, 0.50, 0.10};
	struct ts_gate_difference *pairs = plain(d, 5);
	struct ts_gate_rule r = rule();
	struct ts_gate_look look;
	double scratch[2 * ROOM];

	(void)state;
	for (int i = 0; i < 5; i++)
		pairs[i].turn = i < 4 ? 1 : -1;
	ts_gate_pairs_look(pairs, 5, (struct ts_gate_spread){0, 0}, &r, scratch, &look);
	about(look.difference, 0.3025);
	about(look.drift, 0.2025);
	about(look.error, 0.007216878364870277);
}

/* The base runs before the candidate every time. The middles of the pairs rise by 1.9875 % a run (numpy's polyfit),
 * which is subtracted; where they fall, nothing is added. */
static void one_order_alone(void **state)
{
	static const double d[] = {0.031, 0.029, 0.030}, middles[] = {0, 0.0405, 0.0795};
	struct ts_gate_difference *pairs = plain(d, 3);
	struct ts_gate_rule r = rule();
	struct ts_gate_look look;
	double scratch[2 * ROOM];

	(void)state;
	for (int i = 0; i < 3; i++) {
		pairs[i].turn = 1;
		pairs[i].place = 1.5 + 2 * i;
		pairs[i].middle = middles[i];
	}
	ts_gate_pairs_look(pairs, 3, (struct ts_gate_spread){0, 0}, &r, scratch, &look);
	about(look.drift, 0.019875);
	about(look.difference, 0.010125);
	about(look.error, 0.0006038073644245595 * sqrt(2.0)); /* the deviation 0.001 is below the floor, sqrt(2) 0.001 */
	for (int i = 0; i < 3; i++)
		pairs[i].middle = -middles[i];
	ts_gate_pairs_look(pairs, 3, (struct ts_gate_spread){0, 0}, &r, scratch, &look);
	about(look.drift, -0.019875);
	about(look.difference, 0.03);
	/* Each pair has its own session, so its middle cannot be compared with another. */
	for (int i = 0; i < 3; i++)
		pairs[i].session = (uint32_t)i;
	ts_gate_pairs_look(pairs, 3, (struct ts_gate_spread){0, 0}, &r, scratch, &look);
	assert_true(isnan(look.drift));
}

/* The second run of each pair is 3 % slower: pairs in which the base always ran first say nothing, however many there are, and as many
 * of the other order clear the candidate. */
static void one_order_is_completed(void **state)
{
	static const double d[] = {0.031, 0.029, 0.030, 0.032, 0.028, 0.030, -0.029, -0.031, -0.030};
	const struct ts_gate_spread within = {0.002, 19};
	const struct ts_gate_pairs_plan plan = {.first = 2, .most = 6, .alpha = 0.005},
					single = {.first = 1, .most = 1, .alpha = 0.005};
	struct ts_gate_difference *pairs = plain(d, 9), mixed[9];
	struct ts_gate_rule r = rule();
	struct ts_gate_look look;
	double scratch[2 * ROOM];

	(void)state;
	for (int i = 0; i < 9; i++) {
		pairs[i].turn = i < 6 ? 1 : -1;
		pairs[i].number = (uint32_t)i;
	}
	for (size_t n = 2; n <= 6; n += 4) {
		assert_int_equal(ts_gate_pairs_judge(pairs, n, &plan, within, &r, scratch, &look), TS_GATE_PAIRS_OPEN);
		assert_int_equal(look.first, 1);
	}
	ts_gate_pairs_alternate(pairs, 9, mixed);
	for (int i = 0; i < 6; i++)
		assert_int_equal(mixed[i].number, i % 2 ? 6 + i / 2 : i / 2);
	assert_int_equal(mixed[8].number, 5);
	assert_int_equal(ts_gate_pairs_judge(mixed, 9, &plan, within, &r, scratch, &look), TS_GATE_PAIRS_REFUTE);
	assert_true(look.first == 0 && fabs(look.difference) < 0.002);
	/* A policy with one pair cannot have both. */
	assert_int_equal(ts_gate_pairs_judge(pairs, 1, &single, within, &r, scratch, &look), TS_GATE_PAIRS_CONFIRM);
	assert_int_equal(look.first, 1);
}

/* One base run was disturbed by 22 %: two pairs that disagree leave the result open though their mean is below 0,
 * and six pairs find the outlier. */
static void a_disturbed_pair(void **state)
{
	static const double d[] = {-0.103, 0.096, 0.094, 0.101, 0.089, 0.097}, agree[] = {-0.013, 0.006};
	const struct ts_gate_spread within = {0.01, 19};
	const struct ts_gate_pairs_plan plan = {.first = 2, .most = 6, .alpha = 0.005};
	struct ts_gate_difference *pairs = plain(d, 6);
	struct ts_gate_rule r = rule();
	struct ts_gate_look look;
	double scratch[2 * ROOM];

	(void)state;
	assert_int_equal(ts_gate_pairs_judge(pairs, 2, &plan, within, &r, scratch, &look), TS_GATE_PAIRS_OPEN);
	assert_true(look.noisy && look.difference < 0);
	assert_int_equal(ts_gate_pairs_judge(pairs, 6, &plan, within, &r, scratch, &look), TS_GATE_PAIRS_CONFIRM);
	assert_true(pairs[0].odd && !pairs[1].odd);
	assert_int_equal(look.pairs, 5);
	about(look.difference, 0.0954);
	assert_int_equal(judge(agree, 2, &plan, within, &r, &look), TS_GATE_PAIRS_REFUTE);
	/* The scatter is not known, so two pairs cannot be called noisy. */
	assert_int_equal(judge(d, 2, &plan, (struct ts_gate_spread){0, 0}, &r, &look), TS_GATE_PAIRS_REFUTE);
}

/* Two pairs whose differences agree at 25 %, on an allocation that is not that of the baselines (1 % a run). */
static void two_pairs_may_agree_by_chance(void **state)
{
	static const double d[] = {0.24, 0.26};
	const struct ts_gate_pairs_plan plan = {.first = 2, .most = 6, .alpha = 0.005};
	const struct ts_gate_spread within = {0.01, 19};
	struct ts_gate_difference *pairs = plain(d, 2);
	struct ts_gate_rule r = rule();
	struct ts_gate_look look;
	double scratch[2 * ROOM];

	(void)state;
	assert_int_equal(ts_gate_pairs_judge(pairs, 2, &plan, within, &r, scratch, &look), TS_GATE_PAIRS_CONFIRM);
	/* Their steps show an error of 15 % in each run. */
	pairs[0].steps = pairs[1].steps = 2 * 0.15 * 0.15;
	assert_int_equal(ts_gate_pairs_judge(pairs, 2, &plan, within, &r, scratch, &look), TS_GATE_PAIRS_OPEN);
	assert_true(look.noisy && look.sd >= 0.15 * sqrt(2));
	/* Both runs of the second pair took a fifth longer than those of the first, though it is one session. */
	pairs[0].steps = pairs[1].steps = 0;
	pairs[1].middle = pairs[0].middle + 0.2;
	assert_int_equal(ts_gate_pairs_judge(pairs, 2, &plan, within, &r, scratch, &look), TS_GATE_PAIRS_OPEN);
	assert_true(look.noisy);
	/* Two sessions may differ. */
	pairs[1].session = pairs[0].session + 1;
	assert_int_equal(ts_gate_pairs_judge(pairs, 2, &plan, within, &r, scratch, &look), TS_GATE_PAIRS_CONFIRM);
}

/* Two pairs are sure of 15 %, and a single run says 1 %: after six, their own spread decides. */
static void a_single_run_that_says_otherwise(void **state)
{
	static const double d[] = {0.14, 0.16, 0.02, -0.12, 0.01, -0.05}, sure[] = {0.14, 0.16, 0.15, 0.155, 0.145, 0.15};
	struct ts_gate_look single = {.difference = 0.01, .df = 15, .error = 0.01}, look;
	const struct ts_gate_pairs_plan plan = {.first = 2, .most = 6, .alpha = 0.005, .single = &single};
	const struct ts_gate_spread within = {0.01, 19};
	struct ts_gate_rule r = rule();

	(void)state;
	assert_int_equal(judge(d, 2, &plan, within, &r, &look), TS_GATE_PAIRS_OPEN);
	assert_true(look.noisy && look.df == 1);
	assert_int_equal(judge(d, 6, &plan, within, &r, &look), TS_GATE_PAIRS_REFUTE);
	assert_int_equal(judge(sure, 6, &plan, within, &r, &look), TS_GATE_PAIRS_CONFIRM);
	assert_true(look.noisy && look.df == 5);
	/* It says the same up to its error, or nothing is known of that. */
	single.difference = 0.12;
	assert_int_equal(judge(d, 2, &plan, within, &r, &look), TS_GATE_PAIRS_CONFIRM);
	single = (struct ts_gate_look){.difference = 0.01, .error = (double)NAN};
	assert_int_equal(judge(d, 2, &plan, within, &r, &look), TS_GATE_PAIRS_CONFIRM);
	/* A suspect that its pairs clear. */
	single = (struct ts_gate_look){.difference = 0.15, .df = 15, .error = 0.01};
	assert_int_equal(judge((const double[]){0.002, -0.003}, 2, &plan, within, &r, &look), TS_GATE_PAIRS_REFUTE);
	assert_true(look.ends && !look.noisy);
}

/* Both differences are the same number, and the runs of each side lie 30 % apart. */
static void two_noisy_pairs_decide_nothing(void **state)
{
	const struct ts_gate_pairs_plan plan = {.first = 2, .most = 6, .alpha = 0.005};
	struct ts_gate_difference *pairs = plain((const double[]){0.25, 0.25}, 2);
	struct ts_gate_rule r = rule();
	struct ts_gate_look look;
	double scratch[2 * ROOM];

	(void)state;
	pairs[1].middle = 0.3;
	assert_int_equal(ts_gate_pairs_judge(pairs, 2, &plan, (struct ts_gate_spread){0.01, 19}, &r, scratch, &look),
			 TS_GATE_PAIRS_OPEN);
	assert_true(look.noisy && look.p < 0.0025);
}

/* Six pairs in the order ABBA while the level of the machine wanders by tens of percent: leaving out the first pair would make the
 * others a sure improvement. On a level that only drifts, the same pair is odd. */
static void a_level_that_wanders(void **state)
{
	static const double d[] = {0.12, -0.10, -0.11, -0.09, -0.10, -0.11}, level[] = {0, 0.3, -0.2, 0.25, -0.3, 0.1};
	const struct ts_gate_spread within = {0.01, 19};
	struct ts_gate_difference *pairs = plain(d, 6);
	struct ts_gate_rule r = rule();
	struct ts_gate_look look;
	double scratch[2 * ROOM];

	(void)state;
	for (int wandering = 1; wandering >= 0; wandering--) {
		for (int i = 0; i < 6; i++) {
			pairs[i].turn = i % 2 ? -1 : 1;
			pairs[i].place = 1.5 + 2 * i;
			pairs[i].middle = wandering ? level[i] : 0.1 * i;
		}
		ts_gate_pairs_look(pairs, 6, within, &r, scratch, &look);
		assert_true(look.noisy == wandering && pairs[0].odd == !wandering);
		assert_int_equal(look.pairs, wandering ? 6 : 5);
		assert_true(ts_gate_better(&look, &r, 0.0025) == !wandering);
	}
}

/* An improvement is shown at the level of a regression. */
static void better_is_as_sure(void **state)
{
	static const double d[] = {-0.10, -0.11, -0.09, -0.10, -0.11, -0.09}, little[] = {-0.021, -0.021};
	const struct ts_gate_pairs_plan plan = {.first = 2, .most = 6, .alpha = 0.005, .see_alpha = 0.0025, .must_see = 0.01};
	struct ts_gate_rule r = rule();
	struct ts_gate_look look;

	(void)state;
	assert_int_equal(judge(d, 2, &plan, (struct ts_gate_spread){0.005, 19}, &r, &look), TS_GATE_PAIRS_BETTER);
	/* These two cannot show it, nor could they have shown what must be seen. */
	assert_int_equal(judge(little, 2, &plan, (struct ts_gate_spread){0.01, 19}, &r, &look), TS_GATE_PAIRS_OPEN);
	assert_int_equal(judge(d, 6, &plan, (struct ts_gate_spread){0, 0}, &r, &look), TS_GATE_PAIRS_BETTER);
}

/* By scipy: a change of 7.02 % is at or below delta after two pairs with a probability of 1 %, t(0.99, 5) errors of 1.79 % above it,
 * and six pairs would find 6.41 %; the two alone would have needed 11 %. */
static void what_both_looks_would_have_found(void **state)
{
	static const double d[] = {-0.010, -0.012};
	const struct ts_gate_spread within = {0.02, 30};
	struct ts_gate_pairs_plan plan = {.first = 2, .most = 6, .alpha = 0.005, .see_alpha = 0.0025, .must_see = log1p(0.1)};
	struct ts_gate_rule r = rule();
	struct ts_gate_look look;
	double from;

	(void)state;
	assert_int_equal(judge(d, 2, &plan, within, &r, &look), TS_GATE_PAIRS_REFUTE);
	assert_true(look.ends && ts_gate_found_from(&look, &r, plan.see_alpha) > plan.must_see);
	from = ts_gate_pairs_found_from(&look, &plan, within, &r);
	if (!(fabs(from - 0.07016283618216218) < 1e-9))
		fail_msg("%.17g", from);
	plan.must_see = 0.07;
	assert_int_equal(judge(d, 2, &plan, within, &r, &look), TS_GATE_PAIRS_OPEN);
	assert_false(look.ends);
}

static void one_pair_and_nothing_known(void **state)
{
	static const double one[] = {0.5};
	struct ts_gate_rule r = rule();
	struct ts_gate_look look;

	(void)state;
	look_at(one, 1, (struct ts_gate_spread){0, 0}, &r, &look);
	assert_true(isnan(look.p));
	assert_true(isnan(ts_gate_found_from(&look, &r, 0.05)));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(pairs_look),
		cmocka_unit_test(pairs_in_two_looks),
		cmocka_unit_test(a_noisy_allocation),
		cmocka_unit_test(alpha_is_split),
		cmocka_unit_test(what_pairs_are_held_to),
		cmocka_unit_test(a_drift_is_no_regression),
		cmocka_unit_test(orders_need_not_be_balanced),
		cmocka_unit_test(one_order_alone),
		cmocka_unit_test(one_order_is_completed),
		cmocka_unit_test(a_disturbed_pair),
		cmocka_unit_test(two_pairs_may_agree_by_chance),
		cmocka_unit_test(a_single_run_that_says_otherwise),
		cmocka_unit_test(two_noisy_pairs_decide_nothing),
		cmocka_unit_test(a_level_that_wanders),
		cmocka_unit_test(better_is_as_sure),
		cmocka_unit_test(what_both_looks_would_have_found),
		cmocka_unit_test(one_pair_and_nothing_known),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
