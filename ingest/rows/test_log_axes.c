/* The table of names of steps: what is one, which of two is more certain, and fractions. */
#include "ingest/rows/log_axes.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

static size_t rank_of(const char *name)
{
	return ts_log_axis_rank(ts_span_str(name));
}

static void names_of_steps(void **state)
{
	static const char *const less_certain[][2] = {
		{"step", "global_step"},	   {"Global-Step", "iteration"},
		{"train/global_step", "epoch"},	   {"current_steps", "epoch"},
		{"time/total_timesteps", "epoch"}, {"global_step/max_steps", "epoch"},
		{"training_iteration", "episode"}, {"iter", "batch"},
		{"trainer/global_step", "it"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof less_certain / sizeof less_certain[0]; i++)
		if (rank_of(less_certain[i][0]) >= rank_of(less_certain[i][1]) || rank_of(less_certain[i][1]) == TS_LOG_AXIS_NONE)
			fail_msg("%s %s", less_certain[i][0], less_certain[i][1]);
	assert_int_equal(rank_of("loss"), TS_LOG_AXIS_NONE);
	assert_int_equal(rank_of("time/iterations"), TS_LOG_AXIS_NONE);
	assert_int_equal(rank_of(""), TS_LOG_AXIS_NONE);
}

static void what_a_name_tells(void **state)
{
	(void)state;
	assert_true(ts_log_axis_tells(ts_span_str("epoch")));
	assert_false(ts_log_axis_tells(ts_span_str("batch")));
	assert_false(ts_log_axis_tells(ts_span_str("loss")));
	assert_true(ts_log_rank_tells(ts_log_axis_rank(ts_span_str("iter"))));
	assert_false(ts_log_rank_tells(ts_log_axis_rank(ts_span_str("round"))));
	assert_false(ts_log_rank_tells(TS_LOG_AXIS_NONE));
	assert_true(ts_log_axis_is_global(ts_span_str("trainer/global_step")));
	assert_false(ts_log_axis_is_global(ts_span_str("_step")));
	assert_false(ts_log_axis_is_global(ts_span_str("x")));
}

static void fractions(void **state)
{
	static const struct {
		const char *text;
		size_t n;
	} cases[] = {{"601/2161", 3}, {"7 / 60", 1}, {"1/", 0}, {"/2", 0},   {"1/2/3", 0},
		     {"1.5/2", 0},    {"12", 0},     {"", 0},	{"1/2 ", 0}, {"-1/2", 0}};

	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
		if (ts_log_fraction(ts_span_str(cases[i].text)) != cases[i].n)
			fail_msg("%s", cases[i].text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(names_of_steps),
		cmocka_unit_test(what_a_name_tells),
		cmocka_unit_test(fractions),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
