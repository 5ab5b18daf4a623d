/* Gaps in series, by hand. */
#include "analysis/rank/step_gaps.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static int64_t steps[200];

/* Steps from `from` on, every `every`, without those from a to b. */
static size_t fill(int64_t from, int64_t every, size_t n, int64_t a, int64_t b)
{
	size_t out = 0;

	for (size_t i = 0; i < n; i++) {
		int64_t step = from + (int64_t)i * every;

		if (step < a || step > b)
			steps[out++] = step;
	}
	return out;
}

static void dropped_steps(void **state)
{
	struct ts_step_gaps g;

	(void)state;
	ts_step_gaps_find(steps, fill(0, 1, 130, 80, 98), &g);
	assert_int_equal(g.gaps, 1);
	assert_int_equal(g.missing, 19);
	assert_int_equal(g.from, 80);
	assert_int_equal(g.to, 98);
	assert_int_equal(g.every, 1);
	ts_step_gaps_find(steps, fill(10, 10, 60, 200, 245), &g);
	assert_int_equal(g.gaps, 1);
	assert_int_equal(g.missing, 5);
	assert_int_equal(g.from, 200);
	assert_int_equal(g.to, 240);
	assert_int_equal(g.every, 10);
}

static void no_gaps(void **state)
{
	struct ts_step_gaps g;
	size_t n;

	(void)state;
	ts_step_gaps_find(steps, fill(0, 1, 130, 500, 500), &g);
	assert_int_equal(g.gaps, 0);
	ts_step_gaps_find(steps, fill(0, 1, 19, 9, 9), &g); /* too few */
	assert_int_equal(g.gaps, 0);
	/* Dense at first, then seldom; and the other way round. */
	n = fill(0, 1, 60, 500, 500);
	for (int i = 0; i < 4; i++)
		steps[n++] = 100 + 50 * i;
	ts_step_gaps_find(steps, n, &g);
	assert_int_equal(g.gaps, 0);
	for (int i = 0; i < 60; i++)
		steps[i] = (int64_t)i * i; /* no usual distance */
	ts_step_gaps_find(steps, 60, &g);
	assert_int_equal(g.gaps, 0);
	n = fill(0, 1, 100, 97, 98); /* near the end: the last value stands alone */
	ts_step_gaps_find(steps, n, &g);
	assert_int_equal(g.gaps, 0);
}

static void the_ends_of_the_numbers(void **state)
{
	struct ts_step_gaps g;
	size_t n = fill(INT64_MIN, 1, 60, 0, 0);

	(void)state;
	for (int i = 0; i < 60; i++)
		steps[n + (size_t)i] = INT64_MAX - 59 + i;
	ts_step_gaps_find(steps, 120, &g);
	assert_int_equal(g.gaps, 1);
	assert_int_equal(g.from, INT64_MIN + 60);
	assert_int_equal(g.to, INT64_MAX - 60);
	ts_step_gaps_find(steps, 0, &g);
	assert_int_equal(g.gaps, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(dropped_steps),
		cmocka_unit_test(no_gaps),
		cmocka_unit_test(the_ends_of_the_numbers),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
