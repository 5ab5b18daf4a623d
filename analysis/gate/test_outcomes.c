/* What two runs came to, side by side. Expected values by hand; the quantile of Student's t is scipy's. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "analysis/gate/outcomes.h"

#include <string.h>

static struct ts_arena arena;
static struct ts_error err;
static struct ts_reduction a, b;
static struct ts_outcome *items;
static size_t n;

static int set_up(void **state)
{
	(void)state;
	ts_arena_init(&arena, 1 << 20);
	memset(&a, 0, sizeof a);
	for (int i = 0; i < TS_METRICS; i++)
		a.metrics[i].reason = ts_span_str("not recorded");
	a.best_loss.reason = a.wall_time.reason = ts_span_str("not recorded");
	a.time_source = ts_span_str("timestamps");
	b = a;
	return 0;
}

static int tear_down(void **state)
{
	(void)state;
	ts_arena_finish(&arena);
	return 0;
}

static void give(struct ts_reduced *to, double value)
{
	*to = (struct ts_reduced){.known = true, .value = value};
}

static void give_with_error(struct ts_reduced *to, double value, double error)
{
	*to = (struct ts_reduced){.known = true, .value = value, .has_error = true, .error = error};
}

static void compare(void)
{
	struct ts_outcome_of of_a = {&a, 200}, of_b = {&b, 220};

	assert_int_equal(ts_outcomes_of(&of_a, &of_b, &arena, &items, &n, &err), TS_OK);
}

static const struct ts_outcome *row(const char *name)
{
	for (size_t i = 0; i < n; i++)
		if (ts_span_is(items[i].name, name))
			return &items[i];
	return NULL;
}

static void near(double got, double want)
{
	if (!(fabs(got - want) <= 1e-12 * fabs(want)))
		fail_msg("%.17g, expected %.17g", got, want);
}

static void what_neither_has_is_left_out(void **state)
{
	(void)state;
	compare();
	assert_int_equal(n, 1);
	assert_true(ts_span_is(items[0].name, "steps"));
	near(items[0].change, 20);
	assert_false(items[0].has_noise);
}

/* Standard errors 1 and 2 of 8 degrees of freedom each: 11.76 by Welch, and t(0.975) * sqrt(5) = 4.8828. */
static void a_change_has_the_noise_of_both(void **state)
{
	(void)state;
	give_with_error(&a.metrics[TS_METRIC_LOSS], 100, 1);
	give_with_error(&b.metrics[TS_METRIC_LOSS], 90, 2);
	compare();
	assert_true(row("loss")->compared && row("loss")->has_noise);
	near(row("loss")->change, -10);
	near(row("loss")->noise, 4.882802508976711);
}

static void without_one_error_the_noise_is_not_known(void **state)
{
	(void)state;
	give_with_error(&a.metrics[TS_METRIC_LOSS], 100, 1);
	give(&b.metrics[TS_METRIC_LOSS], 90);
	compare();
	assert_true(row("loss")->compared);
	assert_false(row("loss")->has_noise);
}

/* 1 / 0.5 s and 1 / 0.4 s; an error of 1 % of the time is one of 1 % of the rate. */
static void steps_per_second_follow_the_mean(void **state)
{
	double noise;

	(void)state;
	give_with_error(&a.metrics[TS_METRIC_STEP_TIME_MEAN], 0.5, 0.005);
	give_with_error(&b.metrics[TS_METRIC_STEP_TIME_MEAN], 0.4, 0.004);
	compare();
	near(row("steps_per_s")->a.value, 2);
	near(row("steps_per_s")->change, 0.5);
	noise = row("steps_per_s")->noise;
	assert_true(noise > 2.1 * sqrt(0.02 * 0.02 + 0.025 * 0.025) && noise < 2.3 * sqrt(0.02 * 0.02 + 0.025 * 0.025));
}

static void times_of_two_sources_are_not_compared(void **state)
{
	(void)state;
	give(&a.metrics[TS_METRIC_STEP_TIME], 1);
	give(&b.metrics[TS_METRIC_STEP_TIME], 2);
	b.time_source = ts_span_str("phases");
	compare();
	assert_false(row("step_time")->compared);
	assert_true(ts_span_is(row("step_time")->reason, "the steps of a are timed by timestamps, those of b by phases"));
	near(row("step_time")->b.value, 2);
}

static void mfu_of_two_peaks_is_not_compared(void **state)
{
	(void)state;
	give(&a.metrics[TS_METRIC_MFU], 0.4);
	give(&b.metrics[TS_METRIC_MFU], 0.5);
	a.mfu_basis = b.mfu_basis = ts_span_str("989 TFLOP/s, 6N");
	compare();
	near(row("mfu")->change, 0.1);
	b.mfu_basis = ts_span_str("312 TFLOP/s, 6N");
	compare();
	assert_false(row("mfu")->compared);
	assert_true(ts_span_is(row("mfu")->reason, "the MFU of a is of 989 TFLOP/s, 6N, that of b of 312 TFLOP/s, 6N"));
}

static void a_loss_that_is_not_finite_has_no_change(void **state)
{
	(void)state;
	give(&a.metrics[TS_METRIC_LOSS], 2);
	give(&b.metrics[TS_METRIC_LOSS], (double)NAN);
	compare();
	assert_true(row("loss")->b.known && !row("loss")->compared && row("loss")->reason.len);
}

static void an_unknown_side_says_why(void **state)
{
	(void)state;
	give(&a.metrics[TS_METRIC_PEAK_MEMORY], 1 << 30);
	compare();
	assert_false(row("peak_memory")->b.known || row("peak_memory")->compared);
	assert_true(ts_span_is(row("peak_memory")->b.reason, "not recorded"));
}

static void no_memory_is_an_error(void **state)
{
	struct ts_outcome_of of = {&a, 1};

	(void)state;
	ts_arena_finish(&arena);
	ts_arena_init(&arena, 16);
	assert_int_equal(ts_outcomes_of(&of, &of, &arena, &items, &n, &err), TS_NO_MEMORY);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(what_neither_has_is_left_out, set_up, tear_down),
		cmocka_unit_test_setup_teardown(a_change_has_the_noise_of_both, set_up, tear_down),
		cmocka_unit_test_setup_teardown(without_one_error_the_noise_is_not_known, set_up, tear_down),
		cmocka_unit_test_setup_teardown(steps_per_second_follow_the_mean, set_up, tear_down),
		cmocka_unit_test_setup_teardown(times_of_two_sources_are_not_compared, set_up, tear_down),
		cmocka_unit_test_setup_teardown(mfu_of_two_peaks_is_not_compared, set_up, tear_down),
		cmocka_unit_test_setup_teardown(a_loss_that_is_not_finite_has_no_change, set_up, tear_down),
		cmocka_unit_test_setup_teardown(an_unknown_side_says_why, set_up, tear_down),
		cmocka_unit_test_setup_teardown(no_memory_is_an_error, set_up, tear_down),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
