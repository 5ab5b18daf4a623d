/* test_rise.c - rises and falls at the end of a series, planted by formulas: where they begin, and what is none. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "analysis/rank/rise.h"
#include "analysis/stats/random.h"
#include "base/test_arena.h"

#include <math.h>

enum { N = 1000 };

static double x[N];

static struct ts_rise find(size_t n)
{
	struct ts_rise rise;
	struct ts_error err;

	ts_arena_reset(&arena);
	assert_int_equal(ts_rise_find(x, n, &arena, &rise, &err), TS_OK);
	return rise;
}

static bool falls(size_t n)
{
	struct ts_error err;
	bool yes;

	ts_arena_reset(&arena);
	assert_int_equal(ts_falls(x, n, &arena, &yes, &err), TS_OK);
	return yes;
}

/* A loss falls to 0.5 and is three times what it would be at the end, without any noise: a straight rise, a bent one, a step. */
static void without_noise(void **state)
{
	(void)state;
	for (int shape = 0; shape < 3; shape++) {
		struct ts_rise rise;

		for (size_t i = 0; i < N; i++) {
			double t = (double)i / N, u = fmax(t - 0.6, 0) / 0.4;

			x[i] = (0.5 + 4 * exp(-20 * t)) * (shape == 0 ? 1 + 2 * u : shape == 1 ? pow(3, u) : u > 0 ? 3 : 1);
		}
		rise = find(N);
		assert_true(rise.found);
		if (shape == 2)
			assert_int_equal(rise.from, 601); /* the first value with u > 0 */
		else
			assert_true(rise.from > 550 && rise.from < 680);
		assert_true(fabs(rise.low - 0.5) < 0.01);
		assert_true(rise.end > 1.3 && rise.end < 1.501);
		assert_false(falls(N));
	}
}

/* The same series with their signs changed, and so far below 0 that there are no logarithms. */
static void below_zero(void **state)
{
	struct ts_rise rise;

	(void)state;
	for (size_t i = 0; i < N; i++)
		x[i] = -100 - fmin((double)i, 700) + 2 * fmax((double)i - 700, 0);
	rise = find(N);
	assert_true(rise.found && rise.from > 690 && rise.from < 710);
	for (size_t i = 0; i < N; i++)
		x[i] = -x[i];
	assert_false(find(N).found);
}

static void what_is_none(void **state)
{
	struct ts_random r;

	(void)state;
	ts_random_init(&r, 5);
	for (size_t i = 0; i < N; i++)
		x[i] = 7;
	assert_false(find(N).found || falls(N));
	for (size_t i = 0; i < N; i++)
		x[i] = 2 + sin((double)i / 40) + 0.01 * ts_random_normal(&r); /* four times it rose as far and came back */
	assert_false(find(N).found || falls(N));
	for (size_t i = 0; i < N; i++)
		x[i] = 1 + 0.1 * ts_random_normal(&r);
	assert_false(find(N).found || falls(N));
	for (size_t i = 0; i < N; i++) /* new data at step 800: harder, and it is being learned */
		x[i] = i < 800 ? 1 + exp(-(double)i / 100) : 1.2 + exp(-((double)i - 800) / 80);
	assert_false(find(N).found);
}

static void a_fall(void **state)
{
	struct ts_random r;

	(void)state;
	ts_random_init(&r, 9);
	for (size_t i = 0; i < N; i++)
		x[i] = pow(1 + (double)i, -0.3);
	assert_true(falls(N) && !find(N).found);
	for (size_t i = 0; i < N; i++)
		x[i] = 2 - (double)i / N + 0.1 * ts_random_normal(&r);
	assert_true(falls(N) && !find(N).found);
}

/* Few values, and values at the ends of the range of doubles. */
static void hostile(void **state)
{
	(void)state;
	for (size_t i = 0; i < N; i++)
		x[i] = i < N / 2 ? 1e308 : -1e308;
	(void)find(N);
	(void)falls(N);
	for (size_t i = 0; i < N; i++)
		x[i] = i % 2 ? 5e-324 : 1e308;
	(void)find(N);
	for (size_t i = 0; i < N; i++)
		x[i] = (double)i;
	for (size_t n = 0; n < TS_RISE_LEAST; n++)
		assert_false(find(n).found || falls(n));
	assert_true(find(TS_RISE_LEAST).found);
}

static void no_memory(void **state)
{
	struct ts_arena none;
	struct ts_rise rise;
	struct ts_error err;

	(void)state;
	ts_arena_init(&none, 16);
	assert_int_equal(ts_rise_find(x, N, &none, &rise, &err), TS_NO_MEMORY);
	ts_arena_finish(&none);
}

/* Memory grows at a steady pace between collections, which come at intervals from 10 to 500 values, and so does its floor from the
 * middle on. One step of the floor is no growth, even within a long cycle that only one more follows; nor is no step. */
static void a_floor_under_cycles(void **state)
{
	static const size_t lengths[2][20] = {
		{60, 10, 80, 40, 30, 120, 20, 20, 110, 10, 20, 20, 20, 20, 180, 20, 20, 20, 20, 180},
		{60, 10, 80, 40, 30, 60, 20, 50, 20, 500, 130},
	};

	(void)state;
	for (int shape = 0; shape < 4; shape++) {
		struct ts_growth growth;
		struct ts_error err;
		struct ts_random r;
		size_t since = 0, cycle = 0;

		ts_random_init(&r, 5);
		for (size_t i = 0; i < N; i++, since++) {
			double t = (double)i / N;

			if (since == lengths[shape / 2][cycle]) {
				since = 0;
				cycle++;
			}
			x[i] = 1000 + 3 * (double)since + 0.2 * ts_random_normal(&r);
			x[i] += shape == 0 ? 200 * fmax(t - 0.5, 0) : shape == 1 ? 0 : 100 * (t > (shape == 2 ? 0.6 : 0.25));
		}
		ts_arena_reset(&arena);
		assert_int_equal(ts_growth_find(x, N, &arena, &growth, &err), TS_OK);
		assert_int_equal(growth.found, shape == 0);
		if (growth.found)
			assert_true(growth.from > 400 && growth.from < 600);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(without_noise), cmocka_unit_test(below_zero), cmocka_unit_test(what_is_none),
		cmocka_unit_test(a_fall),	 cmocka_unit_test(hostile),    cmocka_unit_test(no_memory),
		cmocka_unit_test(a_floor_under_cycles),
	};

	return cmocka_run_group_tests(tests, setup, teardown);
}
