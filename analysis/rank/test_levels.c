/* Two levels that were planted, and what is like them but for one thing; rates are measured in tests/quality. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "analysis/rank/levels.h"
#include "analysis/stats/random.h"

#include <math.h>

enum { N = 4000, MANY = 120000 };

static struct ts_arena arena;
static int64_t keys[MANY];
static double values[MANY];

/* Steps take 1 s and 3 % of noise. */
static void usual(size_t n, uint64_t seed)
{
	struct ts_random r;

	ts_random_init(&r, seed);
	for (size_t i = 0; i < n; i++) {
		keys[i] = (int64_t)i;
		values[i] = 1 + 0.03 * ts_random_normal(&r);
	}
}

static struct ts_levels find(size_t n, const struct ts_levels_rise *rise)
{
	struct ts_series times = {.keys = keys, .values = values, .n = n};
	const struct ts_spikes_fit *fit;
	struct ts_levels levels;
	struct ts_error err;

	ts_arena_reset(&arena);
	assert_int_equal(ts_spikes_fit(&times, &arena, &fit, &err), TS_OK);
	assert_int_equal(ts_levels_find(fit, rise, &arena, &levels, &err), TS_OK);
	return levels;
}

static void go_to_and_fro(size_t n, size_t period, size_t upper, double more)
{
	for (size_t i = 0; i < n; i++)
		values[i] *= i % period < period - upper ? 1 : 1 + more;
}

static void levels_that_were_planted(void **state)
{
	static const double gaps[] = {0.04, 0.1, 1};

	(void)state;
	for (size_t k = 0; k < 3; k++) {
		struct ts_levels l;

		usual(N, k);
		go_to_and_fro(N, 500, 200, gaps[k]);
		l = find(N, NULL);
		assert_true(l.found && l.switches == 15);
		assert_true(fabs(l.lower - 1) < 0.01 && fabs(l.upper - 1 - gaps[k]) < 0.01 + 0.03 * gaps[k]);
		assert_true(fabs(l.upper_share - 0.4) < 0.02);
	}
	for (size_t i = 0; i < N; i += 7) /* what is not a number is left out */
		values[i] = NAN;
	assert_true(find(N, NULL).found);
}

/* Cells hold 234 steps here, and a visit 150 or 300: single blocks show it. */
static void visits_shorter_than_a_cell(void **state)
{
	struct ts_levels l;

	(void)state;
	usual(MANY, 4);
	go_to_and_fro(MANY, 450, 150, 0.2);
	l = find(MANY, NULL);
	assert_true(l.found && l.switches > 500 && l.switches < 560);
	assert_true(fabs(l.lower - 1) < 0.01 && fabs(l.upper - 1.2) < 0.01 && fabs(l.upper_share - 1 / 3.0) < 0.02);
}

static void one_change_is_none(void **state)
{
	struct ts_levels_rise ramp = {.first = 1000, .last = 3000, .end = N};

	(void)state;
	usual(N, 5);
	assert_false(find(N, NULL).found);
	for (size_t i = N / 2; i < N; i++)
		values[i] *= 1.2;
	assert_false(find(N, NULL).found);
	usual(N, 6);
	for (size_t i = 1000; i < N; i++)
		values[i] *= i < 3000 ? 1 + 0.3 * ((double)i - 1000) / 2000 : 1.3;
	assert_false(find(N, &ramp).found || find(N, &ramp).possible);
}

/* Cells whose steps have no time, or the time 0, have no logarithm: nothing is said of levels then. */
static void cells_without_times_tell_of_no_levels(void **state)
{
	static const double none[] = {(double)NAN, 0, -1};

	(void)state;
	for (size_t k = 0; k < 3; k++)
		for (size_t from = 0; from < N; from += N - 64) {
			usual(N, 1);
			go_to_and_fro(N, 500, 200, 0.1);
			assert_true(find(N, NULL).found);
			for (size_t i = from; i < from + 64; i++)
				values[i] = none[k];
			assert_false(find(N, NULL).found);
		}
}

static void bursts_are_none(void **state)
{
	struct ts_random r;

	(void)state;
	usual(N, 7);
	ts_random_init(&r, 7);
	for (size_t i = 0, left = 0; i < N; i++) {
		left = left ? left - 1 : ts_random_unit(&r) < 0.01 ? 1 + ts_random_below(&r, 20) : 0;
		values[i] *= left ? 3 : 1;
	}
	assert_false(find(N, NULL).found);
}

/* Both jump as levels do. */
static void visits_that_rise_or_are_elsewhere_are_none(void **state)
{
	static const double at[] = {1, 1.3, 1.1, 1.5, 0.9, 1.4, 1.05, 1.25};

	(void)state;
	usual(N, 8);
	for (size_t i = 0; i < N; i++)
		values[i] *= 1 + 0.15 * (double)(i % 500) / 500;
	assert_false(find(N, NULL).found);
	usual(N, 9);
	for (size_t i = 0; i < N; i++)
		values[i] *= at[i / 500];
	assert_false(find(N, NULL).found);
}

static void short_memory_is_told(void **state)
{
	struct ts_series times = {.keys = keys, .values = values, .n = N};
	enum ts_status status = TS_NO_MEMORY;
	const struct ts_spikes_fit *fit;
	struct ts_levels levels;
	struct ts_error err;

	(void)state;
	usual(N, 10);
	go_to_and_fro(N, 500, 200, 0.1);
	ts_arena_reset(&arena);
	assert_int_equal(ts_spikes_fit(&times, &arena, &fit, &err), TS_OK);
	for (size_t ceiling = 1; status == TS_NO_MEMORY && ceiling < 1 << 20; ceiling += ceiling / 8 + 1) {
		struct ts_arena small;

		ts_arena_init(&small, ceiling);
		status = ts_levels_find(fit, NULL, &small, &levels, &err);
		ts_arena_finish(&small);
	}
	assert_int_equal(status, TS_OK);
	assert_true(levels.found);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(levels_that_were_planted),
		cmocka_unit_test(visits_shorter_than_a_cell),
		cmocka_unit_test(one_change_is_none),
		cmocka_unit_test(cells_without_times_tell_of_no_levels),
		cmocka_unit_test(bursts_are_none),
		cmocka_unit_test(visits_that_rise_or_are_elsewhere_are_none),
		cmocka_unit_test(short_memory_is_told),
	};
	int failed;

	ts_arena_init(&arena, 64 << 20);
	failed = cmocka_run_group_tests(tests, NULL, NULL);
	ts_arena_finish(&arena);
	return failed;
}
