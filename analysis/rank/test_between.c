/* Checks between.h by steps whose times were laid out by hand. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "analysis/rank/between.h"

#include <math.h>

enum { N = 400 };

static int64_t steps[N];
static double times[N], stamps[N], recorded[N];
static struct ts_arena arena;

/* Steps of 0.1 s and 0.01 s between them, and `lost` s more before each step at which is(step) holds. */
static struct ts_between lay(bool (*is)(int64_t step), double lost, bool records)
{
	struct ts_series of = {.name = ts_span_str("timestamp"), .keys = steps, .values = stamps, .n = N};
	struct ts_between b;
	struct ts_error err;
	double now = 1.7e9;

	ts_arena_init(&arena, 0);
	for (int i = 0; i < N; i++) {
		double between = 0.01 + (is(i) ? lost : 0);

		steps[i] = i;
		recorded[i] = between;
		times[i] = 0.1 + (records ? between : 0);
		now += 0.1 + between;
		stamps[i] = now;
	}
	assert_int_equal(ts_between_find(steps, times, records ? recorded : NULL, N, &of, &arena, &b, &err), TS_OK);
	return b;
}

static bool never(int64_t step)
{
	(void)step;
	return false;
}

static bool each_50(int64_t step)
{
	return step % 50 == 7;
}

static bool at_some(int64_t step)
{
	return step == 31 || step == 200 || step == 201;
}

static void test_clean(void **unused)
{
	struct ts_between b = lay(never, 0, false);

	(void)unused;
	assert_true(b.known && b.n == 0 && b.every == 0 && b.lost == 0.0);
	ts_arena_finish(&arena);
}

/* Eight times 2 s, also where the recorder has it in a phase. */
static void test_period(void **unused)
{
	(void)unused;
	for (int records = 0; records < 2; records++) {
		struct ts_between b = lay(each_50, 2, records);

		assert_int_equal(b.n, 8);
		assert_int_equal(b.every, 50);
		assert_int_equal(b.steps[1], 57);
		assert_true(fabs(b.lost - 16) < 1e-3 && fabs(b.longest - 2) < 1e-3);
		ts_arena_finish(&arena);
	}
}

static void test_no_period(void **unused)
{
	struct ts_between b = lay(at_some, 0.3, false);

	(void)unused;
	assert_int_equal(b.n, 3);
	assert_int_equal(b.every, 0);
	assert_true(fabs(b.lost - 0.9) < 1e-3 && b.steps[0] == 31 && b.steps[2] == 201);
	ts_arena_finish(&arena);
}

/* Steps of `time` s that come `every` ticks of a clock of whole ticks: nothing is lost, and then 30 ticks, which is found. */
static void on_a_coarse_clock(double time, double every, double per_second)
{
	struct ts_series of = {.name = ts_span_str("timestamp"), .keys = steps, .values = stamps, .n = N};
	struct ts_between b = lay(never, 0, false);
	struct ts_error err;

	for (int lost = 0; lost < 2; lost++) {
		for (int i = 0; i < N; i++) {
			times[i] = time;
			stamps[i] = floor(1.7e9 * per_second + every * i + (lost && i >= 100 ? 30 : 0)) / per_second;
		}
		assert_int_equal(ts_between_find(steps, times, NULL, N, &of, &arena, &b, &err), TS_OK);
		assert_true(b.known && b.n == (size_t)lost);
		assert_true(!lost || (b.steps[0] == 100 && fabs(b.lost - 30 / per_second) <= 1 / per_second));
	}
	ts_arena_finish(&arena);
}

/* Steps of 1.21 s pass one second of the clock or two. */
static void test_whole_seconds(void **unused)
{
	(void)unused;
	on_a_coarse_clock(1.2, 1.21, 1);
}

/* Steps of 2.1 ms pass two milliseconds of the clock or three. */
static void test_milliseconds(void **unused)
{
	(void)unused;
	on_a_coarse_clock(0.0019, 2.1, 1000);
}

/* Without timestamps nothing is known; a clock that goes back, and a step without one, lose nothing. */
static void test_unknown(void **unused)
{
	struct ts_series of = {.name = ts_span_str("timestamp"), .keys = steps, .values = stamps, .n = 0};
	struct ts_between b = lay(never, 0, false);
	struct ts_error err;

	(void)unused;
	assert_int_equal(ts_between_find(steps, times, NULL, N, &of, &arena, &b, &err), TS_OK);
	assert_true(!b.known && b.n == 0);
	of.n = N;
	stamps[100] -= 3600;
	stamps[200] = NAN;
	assert_int_equal(ts_between_find(steps, times, NULL, N, &of, &arena, &b, &err), TS_OK);
	assert_true(b.known && b.n == 1 && b.steps[0] == 101); /* as if an hour had passed */
	ts_arena_finish(&arena);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(test_clean), cmocka_unit_test(test_period),
					   cmocka_unit_test(test_no_period), cmocka_unit_test(test_whole_seconds),
					   cmocka_unit_test(test_milliseconds), cmocka_unit_test(test_unknown)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
