/* Expected numbers: numpy 2 and scipy 1.17.1 (std with ddof 1, t.ppf, t.sf), from the definitions in equivalence.h. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "analysis/diverge/equivalence.h"
#include "base/test_arena.h"

#include <math.h>

static void near(double got, double want)
{
	if (!(fabs(got - want) <= fabs(want) * 1e-9 + 1e-15))
		fail_msg("%.17g, expected %.17g", got, want);
}

static bool says(struct ts_span s, const char *part)
{
	size_t len = strlen(part);

	for (size_t i = 0; i + len <= s.len; i++)
		if (memcmp(s.data + i, part, len) == 0)
			return true;
	return false;
}

#define SAYS(s, part)                                                                                                              \
	if (!says(s, part))                                                                                                        \
	fail_msg("\"%.*s\" does not say \"%s\"", TS_SPAN_ARG(s), part)

static const double wide[] = {2.0, 2.01, 1.99}, narrow[] = {2.0, 2.001, 1.9985, 2.0005, 1.9995};

static struct ts_level_row tested(const double *levels, size_t n, double candidate, size_t series)
{
	struct ts_level_row row = {.name = ts_span_str("scalars.loss"), .points = 80, .first_step = 720, .last_step = 799};

	ts_level_test(levels, n, candidate, series, &row);
	return row;
}

static struct ts_tier tier_of(const struct ts_level_row *rows, size_t n)
{
	struct ts_tier tier;

	assert_true(ts_equivalence_tier(rows, n, 5, &arena, &tier));
	return tier;
}

static void figures(void **state)
{
	static const struct {
		const double *levels;
		size_t n;
		double candidate;
		size_t series;
		double mean, deviation, difference, low, high, p_value, seen;
		enum ts_tier_answer answer;
	} rows[] = {
		{wide, 3, 2.005, 1, 2, 0.01, 0.0025, -0.022341377117503097, 0.02734137711750299, 0.707229978115443, 0.0922297734507084,
		 TS_TIER_UNKNOWN},
		{narrow, 5, 2.003, 1, 1.9999, 0.0009617692030835768, 0.0015500775038753563, 8.742115644963305e-05,
		 0.0030127338513010796, 0.04228837200816463, 0.0037565564582537083, TS_TIER_HOLDS},
		{narrow, 5, 2.1, 1, 1.9999, 0.0009617692030835768, 0.05005250262513141, 0.048589846277705684, 0.05151515897255714,
		 7.357668723853055e-08, 0.0037565564582537083, TS_TIER_FAILS},
		{narrow, 5, 2.025, 2, 1.9999, 0.0009617692030835768, 0.012550627531376632, 0.011087971183950909, 0.014013283878802355,
		 1.8408496254323683e-05, 0.004368015513515486, TS_TIER_FAILS},
		{narrow, 5, 1.97, 1, 1.9999, 0.0009617692030835768, -0.014950747537376779, -0.016413403884802502, -0.013488091189951056,
		 9.173312542133862e-06, 0.0037565564582537083, TS_TIER_FAILS},
		/* The difference is significant at 0.005, but not where two series were asked about. */
		{wide, 3, 2.18, 1, 2, 0.01, 0.09, 0.06515862288249703, 0.11484137711750313, 0.0040899966895212815, 0.0922297734507084,
		 TS_TIER_FAILS},
		{wide, 3, 2.18, 2, 2, 0.01, 0.09, 0.06515862288249703, 0.11484137711750313, 0.0040899966895212815, 0.1261400557035234,
		 TS_TIER_UNKNOWN},
	};

	(void)state;
	for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
		struct ts_level_row row = tested(rows[i].levels, rows[i].n, rows[i].candidate, rows[i].series);

		assert_true(row.known);
		assert_int_equal(row.n, rows[i].n);
		near(row.mean, rows[i].mean);
		near(row.deviation, rows[i].deviation);
		near(row.difference, rows[i].difference);
		near(row.low, rows[i].low);
		near(row.high, rows[i].high);
		near(row.p_value, rows[i].p_value);
		near(row.seen, rows[i].seen);
		assert_int_equal(row.answer, rows[i].answer);
	}
}

/* The value is a log-likelihood: above still means towards greater values. */
static void negative_levels(void **state)
{
	static const double levels[] = {-3.0, -3.001, -2.9985};
	struct ts_level_row row = tested(levels, 3, -2.9, 1);

	(void)state;
	near(row.difference, 0.03327962664592474);
	near(row.low, 0.03119564104248821);
	near(row.p_value, 0.00021174930234736764);
	assert_int_equal(row.answer, TS_TIER_FAILS);
	SAYS(tier_of(&row, 1).why, "3.33 % above");
}

static void equal_repeats_have_one_level(void **state)
{
	/* 0.1 + 0.1 + 0.1 is not 3 times 0.1. */
	static const double levels[] = {0.1, 0.1, 0.1};
	struct ts_level_row same = tested(levels, 3, 0.1, 1), near_by = tested(levels, 3, 0.1005, 1), off = tested(levels, 3, 0.102, 1);

	(void)state;
	assert_true(same.deviation == 0 && same.mean == 0.1 && same.difference == 0 && same.p_value == 1);
	assert_int_equal(same.answer, TS_TIER_HOLDS);
	SAYS(tier_of(&same, 1).why, "is equal to that of the 3 repeats");
	assert_true(near_by.p_value == 0 && near_by.low == near_by.high);
	assert_int_equal(near_by.answer, TS_TIER_HOLDS);
	SAYS(tier_of(&near_by, 1).why, "0.5 % above that of the 3 repeats: the margin is 1 %; the repeats do not vary");
	assert_int_equal(off.answer, TS_TIER_FAILS);
	SAYS(tier_of(&off, 1).why, "2 % above that of the 3 repeats: the margin is 1 %; the repeats do not vary");
}

/* By scipy, p of 2.006 against narrow is 0.00442. */
static void more_than_chance_and_less_than_matters(void **state)
{
	struct ts_level_row row = tested(narrow, 5, 2.006, 1);

	(void)state;
	row.points = 1;
	assert_int_equal(row.answer, TS_TIER_HOLDS);
	SAYS(tier_of(&row, 1).why, "loss at step 799, the last common step, is 0.305 % above that of the 5 repeats");
	SAYS(tier_of(&row, 1).why, "more than chance, but less than the margin");
}

static void what_cannot_be_said(void **state)
{
	static const double two[] = {1, 1.1}, none[] = {1, -1, 0}, bad[] = {1, NAN, 1};
	struct ts_level_row row = tested(two, 2, 1, 1);
	struct ts_tier tier;

	(void)state;
	assert_false(row.known);
	SAYS(row.why_not, "three repeats");
	row = tested(none, 3, 1, 1);
	assert_false(row.known);
	SAYS(row.why_not, "is 0");
	row = tested(bad, 3, 1, 1);
	assert_false(row.known);
	SAYS(row.why_not, "not finite");
	tier = tier_of(&row, 1);
	assert_int_equal(tier.answer, TS_TIER_UNKNOWN);
	SAYS(tier.why, "loss: it is not finite at the end of some repeats");
	tier = tier_of(NULL, 0);
	assert_int_equal(tier.answer, TS_TIER_UNKNOWN);
	SAYS(tier.why, "no loss and no evaluation");
	assert_true(ts_equivalence_tier(NULL, 0, 2, &arena, &tier));
	assert_int_equal(tier.answer, TS_TIER_UNKNOWN);
	SAYS(tier.why, "tscope diff A B --repeats GLOB");
}

/* One run that blew up does not match runs that did not; where repeats blow up, nothing is known. */
static void blown_up(void **state)
{
	struct ts_level_row row = tested(wide, 3, (double)INFINITY, 1);

	(void)state;
	assert_true(row.known && isnan(row.difference) && isnan(row.p_value));
	assert_int_equal(row.answer, TS_TIER_FAILS);
	SAYS(tier_of(&row, 1).why, "is not finite");
}

static void all_series_must_hold(void **state)
{
	struct ts_level_row rows[3] = {tested(narrow, 5, 2.003, 3), tested(wide, 3, 2.005, 3), tested(narrow, 5, 2.1, 3)};
	struct ts_tier tier;

	(void)state;
	rows[1].name = ts_span_str("scalars.val_loss");
	rows[2].name = ts_span_str("eval.loss");
	tier = tier_of(rows, 1);
	assert_int_equal(tier.answer, TS_TIER_HOLDS);
	SAYS(tier.why,
	     "the mean of loss over its last 80 points (steps 720 to 799) is 0.155 % above that of the 5 repeats: "
	     "the 95 % interval is 0.00874 % to 0.301 %, and the margin is 1 %");
	tier = tier_of(rows, 2);
	assert_int_equal(tier.answer, TS_TIER_UNKNOWN);
	SAYS(tier.why, "of val_loss");
	/* The expected value is scipy's (t.ppf(1 - .005/6, 2) + t.ppf(.9, 2)) * .01 * sqrt(4/3) / 2. */
	SAYS(tier.why, "with 3 repeats a difference of 15.2 % would have been shown");
	tier = tier_of(rows, 3);
	assert_int_equal(tier.answer, TS_TIER_FAILS);
	SAYS(tier.why, "of eval.loss");
	rows[1].known = false;
	rows[2] = rows[0];
	tier = tier_of(rows, 3);
	assert_int_equal(tier.answer, TS_TIER_HOLDS);
	SAYS(tier.why, "1 more series give the same answer");
}

static struct ts_level_row levels_of(size_t points)
{
	struct ts_level_row row = {.name = ts_span_str("loss"), .rank = 3};
	struct ts_level_meter l;

	assert_true(ts_level_begin(&l, 3, points, &arena));
	for (size_t k = 0; k < points; k++) {
		/* Repeat i is 10 + i at the end, whatever it was before; the candidate has its own number. */
		double at = k + points / 10 < points && points >= 10 ? 1e9 : 0, v[] = {10 + at, 11 + at, 12 - at, 11.5};

		if (ts_level_want(&l, k))
			ts_level_add(&l, (int64_t)(2 * k), v);
	}
	assert_true(ts_level_end(&l, 1, &row));
	return row;
}

static void the_last_tenth_is_the_level(void **state)
{
	struct ts_level_row row = levels_of(127);

	(void)state;
	assert_int_equal(row.points, 12);
	assert_int_equal(row.first_step, 230);
	assert_int_equal(row.last_step, 252);
	assert_int_equal(row.rank, 3);
	assert_true(row.known && row.mean == 11 && row.candidate == 11.5);
	near(row.deviation, 1);
	row = levels_of(4);
	assert_int_equal(row.points, 1);
	assert_true(row.known && row.why_not.len == 0 && row.mean == 11 && row.first_step == 6);
	row = levels_of(0);
	assert_false(row.known);
	SAYS(row.why_not, "no common point of this series");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(figures),
		cmocka_unit_test(negative_levels),
		cmocka_unit_test(equal_repeats_have_one_level),
		cmocka_unit_test(more_than_chance_and_less_than_matters),
		cmocka_unit_test(what_cannot_be_said),
		cmocka_unit_test(blown_up),
		cmocka_unit_test(all_series_must_hold),
		cmocka_unit_test(the_last_tenth_is_the_level),
	};

	return cmocka_run_group_tests_name("equivalence", tests, setup, teardown);
}
