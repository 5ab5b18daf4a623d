/* Comparisons of runs whose laws are written by hand. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "analysis/settings/comparison.h"
#include "base/limits.h"

#include <math.h>

enum { N = 24 };

static struct ts_arena arena;
static struct ts_error err;
static double outcome[N], lr[N], twin[N], other[N], optimizer[N], rare[N], alone[N];
static const struct ts_span words[] = {{(const uint8_t *)"adam", 4}, {(const uint8_t *)"sgd", 3}, {(const uint8_t *)"lion", 4}};

/* The outcome falls with the rate, and lion adds to it. Everything else has an order of its own, by multiples of numbers prime to N. */
static int setup(void **state)
{
	(void)state;
	ts_arena_init(&arena, TS_ANALYSIS_ARENA);
	for (int i = 0; i < N; i++) {
		lr[i] = (i * 7) % N;
		optimizer[i] = (double)((i * 5 + i / 8) % 3);
		other[i] = (i * 11 + 3) % N;
		twin[i] = lr[i] * lr[i] + 5; /* another scale, one order */
		rare[i] = i == 4 || i == 9;
		alone[i] = i < 6 ? i : NAN;
		outcome[i] = 100 - 3 * lr[i] + (optimizer[i] == 2 ? 20 : 0) + 0.1 * other[i];
	}
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	ts_arena_finish(&arena);
	return 0;
}

static const struct ts_compared_setting *found(const struct ts_comparison *c, const char *path)
{
	for (size_t i = 0; i < c->n_settings; i++)
		if (ts_span_is(c->settings[i].path, path))
			return &c->settings[i];
	fail_msg("%s is not there", path);
	return NULL;
}

static void settings(void **state)
{
	const struct ts_setting_values given[] = {
		{.path = ts_span_str("alone"), .values = alone},
		{.path = ts_span_str("lr"), .values = lr},
		{.path = ts_span_str("opt"), .values = optimizer, .words = words, .n_words = 3},
		{.path = ts_span_str("other"), .values = other},
		{.path = ts_span_str("rare"), .values = rare, .words = words, .n_words = 2},
	};
	struct ts_comparison c = {.outcome = ts_span_str("loss.best")};

	(void)state;
	assert_int_equal(ts_settings_compare(outcome, N, given, 5, &arena, &c, &err), TS_OK);
	assert_int_equal(c.n_settings, 5);
	assert_true(ts_span_is(c.settings[0].path, "lr"));
	assert_int_equal(found(&c, "lr")->state, TS_SETTING_GOES_WITH);
	assert_true(found(&c, "lr")->rho < -0.8 && found(&c, "lr")->high < -0.5 && found(&c, "lr")->values == N);
	assert_int_equal(found(&c, "other")->state, TS_SETTING_NOT_SHOWN);
	assert_int_equal(found(&c, "rare")->state, TS_SETTING_FEW); /* two runs of 24 have the other word */
	assert_int_equal(found(&c, "alone")->state, TS_SETTING_FEW);
	assert_int_equal(found(&c, "alone")->runs, 6);
	assert_true(ts_span_is(found(&c, "opt")->word, "lion") && found(&c, "opt")->rho > 0);
	assert_int_equal(ts_comparison_say(&c, &arena, &err), TS_OK);
	assert_true(ts_span_starts(c.sentences[0], ts_span_str("loss.best falls where lr rises: rank correlation -0.")));
	assert_int_equal(c.n_sentences, 2);
}

/* Two settings in one order cannot be told apart, and neither is named. */
static void moves_together(void **state)
{
	const struct ts_setting_values given[] = {{.path = ts_span_str("lr"), .values = lr},
						  {.path = ts_span_str("twin"), .values = twin}};
	struct ts_comparison c = {.outcome = ts_span_str("loss.best")};

	(void)state;
	assert_int_equal(ts_settings_compare(outcome, N, given, 2, &arena, &c, &err), TS_OK);
	for (size_t i = 0; i < 2; i++)
		assert_int_equal(c.settings[i].state, TS_SETTING_MOVES);
	assert_true(ts_span_is(found(&c, "lr")->with, "twin") && ts_span_is(found(&c, "twin")->with, "lr"));
	assert_int_equal(ts_comparison_say(&c, &arena, &err), TS_OK);
	assert_true(ts_span_is(c.sentences[0], "With which settings loss.best goes is not known from these 24 runs"));
}

/* What follows the rate loosely goes with the outcome only because the rate does. */
static void explained_by_another(void **state)
{
	double loose[N];
	const struct ts_setting_values given[] = {{.path = ts_span_str("loose"), .values = loose},
						  {.path = ts_span_str("lr"), .values = lr}};
	struct ts_comparison c = {.outcome = ts_span_str("loss.best")};

	(void)state;
	for (int i = 0; i < N; i++)
		loose[i] = lr[i] + 1.1 * other[i];
	assert_int_equal(ts_settings_compare(outcome, N, given, 2, &arena, &c, &err), TS_OK);
	assert_int_equal(found(&c, "lr")->state, TS_SETTING_GOES_WITH);
	assert_int_equal(found(&c, "loose")->state, TS_SETTING_MOVES);
	assert_true(found(&c, "loose")->p < 0.05 && ts_span_is(found(&c, "loose")->with, "lr"));
}

static void few_runs(void **state)
{
	const struct ts_setting_values given = {.path = ts_span_str("lr"), .values = lr};
	struct ts_comparison c = {.outcome = ts_span_str("loss.best")};

	(void)state;
	assert_int_equal(ts_settings_compare(outcome, 7, &given, 1, &arena, &c, &err), TS_OK);
	assert_int_equal(c.settings[0].state, TS_SETTING_FEW);
	assert_int_equal(ts_settings_compare(outcome, 0, &given, 1, &arena, &c, &err), TS_OK);
	assert_int_equal(c.settings[0].runs, 0);
	assert_int_equal(ts_settings_compare(outcome, N, NULL, 0, &arena, &c, &err), TS_OK);
	assert_int_equal(c.n_settings, 0);
}

/* Means 1.02, 1.52 and 1.05; the deviations are 0.02. The difference 0.5 has the error sqrt(2 * 0.0004 / 4) = 0.0141: t = 35. */
static void groups(void **state)
{
	static const double a[] = {1.0, 1.02, 1.04, 1.02}, b[] = {1.5, 1.52, 1.54, 1.52}, near[] = {1.03, 1.05, 1.07, 1.05},
			    two[] = {0.1, 0.2};
	const struct ts_group_values given[] = {
		{ts_span_str("b"), b, 4}, {ts_span_str("two"), two, 2}, {ts_span_str("a"), a, 4}, {ts_span_str("near"), near, 4}};
	struct ts_comparison c = {
		.outcome = ts_span_str("loss.best"), .by = ts_span_str("sweep"), .down = true, .direction_known = true};

	(void)state;
	assert_int_equal(ts_groups_compare(given, 4, &arena, &c, &err), TS_OK);
	assert_true(ts_span_is(c.groups[0].name, "a") && c.groups[0].state == TS_GROUP_BEST);
	assert_true(ts_span_is(c.groups[1].name, "near") && c.groups[1].state == TS_GROUP_NO_WORSE);
	assert_true(ts_span_is(c.groups[2].name, "b") && c.groups[2].state == TS_GROUP_WORSE);
	assert_true(ts_span_is(c.groups[3].name, "two") && c.groups[3].state == TS_GROUP_FEW && !c.groups[3].compared);
	assert_true(fabs(c.groups[2].difference - 0.5) < 1e-12 && c.groups[2].least > 0.4 && c.groups[2].most < 0.6);
	/* The variance is 0.0008 / 3, and t of 3 degrees 3.18245: half is 0.02599. */
	assert_true(fabs(c.groups[0].high - c.groups[0].mean - 3.182446 * sqrt(0.0008 / 3 / 4)) < 1e-6);
	c.down = false;
	assert_int_equal(ts_groups_compare(given, 4, &arena, &c, &err), TS_OK);
	assert_true(ts_span_is(c.groups[0].name, "b") && ts_span_is(c.groups[1].name, "near"));
	assert_int_equal(ts_comparison_say(&c, &arena, &err), TS_OK);
	assert_true(ts_span_is(c.sentences[0],
			       "By sweep, b has the best mean of loss.best, 1.52; 2 of the others are shown to be worse, 0 are not"));
	assert_int_equal(ts_groups_compare(given, 2, &arena, &c, &err), TS_OK); /* one group that can be compared is not called best */
	assert_int_equal(c.groups[0].state, TS_GROUP_NO_WORSE);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(settings),   cmocka_unit_test(moves_together), cmocka_unit_test(explained_by_another),
		cmocka_unit_test(few_runs), cmocka_unit_test(groups),
	};

	return cmocka_run_group_tests(tests, setup, teardown);
}
