#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "analysis/rank/warmup.h"
#include "analysis/stats/random.h"

#include <math.h>
#include <string.h>

/* tests/quality/quality_timing.c measures the error rate; this file tests the properties that always hold. */

enum { CEILING = 1 << 20, N = 1000 };

static double times[40000];

static size_t cut_of(size_t n)
{
	struct ts_arena arena;
	struct ts_error err;
	const char *reason;
	size_t cut;

	ts_arena_init(&arena, CEILING);
	assert_int_equal(ts_warmup_find(times, n, &arena, &cut, &reason, &err), TS_OK);
	assert_null(reason);
	ts_arena_finish(&arena);
	return cut;
}

/* Makes level 1 with 2 % of noise, the same every time. */
static void clean(size_t n)
{
	struct ts_random random;

	ts_random_init(&random, 7);
	for (size_t i = 0; i < n; i++)
		times[i] = 1.0 + 0.02 * ts_random_normal(&random);
}

static void slow(size_t from, size_t to, double factor)
{
	for (size_t i = from; i < to; i++)
		times[i] *= factor;
}

static void near(size_t cut, size_t want)
{
	if (cut + 2 < want || cut > want + 2)
		fail_msg("cut %zu, not %zu", cut, want);
}

static void slow_starts_are_cut(void **state)
{
	static const struct {
		size_t n, upto;
		double factor;
	} cases[] = {{20, 1, 100.0}, {50, 3, 5.0},  {60, 20, 2.0},     {N, 1, 1.5},
		     {N, 50, 1.3},   {N, 333, 1.5}, {30000, 5000, 1.2}};

	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		clean(cases[i].n);
		assert_int_equal(cut_of(cases[i].n), 0);
		slow(0, cases[i].upto, cases[i].factor);
		near(cut_of(cases[i].n), cases[i].upto);
	}
}

static void a_start_may_be_ordinary_for_two_steps(void **state)
{
	(void)state;
	clean(N);
	slow(2, 12, 3.0);
	near(cut_of(N), 12);
	clean(N);
	times[0] = times[1] = times[2] = 1.0;
	slow(3, 12, 3.0);
	assert_int_equal(cut_of(N), 0);
}

static void what_is_no_warmup_is_kept(void **state)
{
	(void)state;
	clean(N);
	slow(100, 150, 3.0); /* the slow part comes later */
	assert_int_equal(cut_of(N), 0);
	clean(N);
	slow(0, 340, 2.0); /* it is longer than a third */
	assert_int_equal(cut_of(N), 0);
	clean(N);
	slow(0, N / 2, 2.0);
	assert_int_equal(cut_of(N), 0);
	clean(N);
	slow(20, N, 2.0); /* the start is faster than the rest */
	assert_int_equal(cut_of(N), 0);
	clean(N);
	slow(600, N, 2.0); /* the run slows down late */
	assert_int_equal(cut_of(N), 0);
	clean(30000);
	slow(0, 5100, 2.0); /* it is longer than 5,000 steps */
	assert_int_equal(cut_of(30000), 0);
	clean(N);
	for (size_t i = 0; i < N; i += 50) /* slow steps occur throughout, and the slow first step is one of them */
		times[i] *= 4.0;
	assert_int_equal(cut_of(N), 0);
}

/* Runs that are too short, or too uneven, for the search. */
static void a_plain_startup_is_cut(void **state)
{
	static const double megatron[] = {8.457, 0.132, 0.111, 0.126, 0.131, 0.138, 0.137, 0.468, 0.124, 0.122, 0.126, 0.134, 0.125,
					  0.125, 0.117, 0.156, 0.377, 0.124, 0.114, 0.111, 0.104, 0.104, 0.104, 0.105, 0.103, 0.107};

	(void)state;
	for (size_t n = 11; n < 16; n++) {
		clean(n);
		times[0] = 20;
		assert_int_equal(cut_of(n), 1);
		times[1] = 3.5;
		assert_int_equal(cut_of(n), 2);
		times[7] = 2; /* another step is long, and the second is not twice as long; with 15 the search finds both */
		assert_int_equal(cut_of(n), n < 15 ? 1 : 2);
	}
	memcpy(times, megatron, sizeof megatron);
	assert_int_equal(cut_of(sizeof megatron / sizeof megatron[0]), 1);
	times[0] = (double)NAN;
	times[1] = 8.457;
	assert_int_equal(cut_of(sizeof megatron / sizeof megatron[0]), 2);
	clean(60);
	times[0] = 4.9; /* not 5 times the others, but the search finds it, too */
	assert_int_equal(cut_of(60), 1);
}

/* What comes again as high as it was, to the bit, is no warm-up. */
static void a_start_that_comes_again_is_kept(void **state)
{
	(void)state;
	for (size_t i = 0; i < N; i++)
		times[i] = (i % 2 ? 1.0 : 1.02) * (i % 50 ? 1.0 : 4.0);
	assert_int_equal(cut_of(N), 0);
	for (size_t i = 50; i < N; i += 50) /* it does not come again */
		times[i] = 1.02;
	assert_int_equal(cut_of(N), 1);
	/* Nor is what comes again for four times as long and 8 steps, but longer it is another level. */
	for (size_t longer = 0; longer < 2; longer++) {
		for (size_t i = 0; i < N; i++)
			times[i] = (i % 2 ? 1.0 : 1.02) * (i && (i < 400 || i % 40 > 11 + longer) ? 1.0 : 4.0);
		assert_int_equal(cut_of(N), longer);
	}
}

static void a_late_slow_down_does_not_hide_it(void **state)
{
	(void)state;
	clean(N);
	slow(0, 10, 5.0);
	slow(800, N, 1.5);
	near(cut_of(N), 10);
	clean(300);
	slow(0, 5, 3.0);
	slow(250, 300, 2.0); /* it rises higher than the start, but is much longer */
	near(cut_of(300), 5);
}

/* A spike soon after the warm-up, or a second slow stretch after seven usual steps, does not make it longer. */
static void where_it_ends(void **state)
{
	(void)state;
	clean(N);
	slow(0, 3, 5.0);
	times[3] = times[4] = times[5] = 1.0;
	slow(6, 7, 5.0);
	near(cut_of(N), 3);
	clean(N);
	slow(0, 50, 2.0);
	slow(60, 70, 3.0);
	near(cut_of(N), 50);
}

static void times_that_are_no_numbers(void **state)
{
	struct ts_arena arena;
	struct ts_error err;
	const char *reason;
	size_t cut = 1;

	(void)state;
	clean(N);
	slow(0, 10, 5.0);
	times[1] = (double)NAN;
	times[500] = (double)NAN;
	times[600] = HUGE_VAL;
	times[700] = 0.0;
	times[800] = -1.0;
	near(cut_of(N), 10);
	for (size_t i = 0; i < N; i++)
		times[i] = (double)NAN;
	ts_arena_init(&arena, CEILING);
	assert_int_equal(ts_warmup_find(times, N, &arena, &cut, &reason, &err), TS_OK);
	assert_int_equal(cut, 0);
	assert_non_null(reason);
	assert_int_equal(ts_warmup_find(times, 14, &arena, &cut, &reason, &err), TS_OK);
	assert_string_equal(reason, "the run has fewer than 15 steps");
	ts_arena_finish(&arena);
	ts_arena_init(&arena, 100);
	assert_int_equal(ts_warmup_find(times, N, &arena, &cut, &reason, &err), TS_NO_MEMORY);
	ts_arena_finish(&arena);
}

static void constant_times(void **state)
{
	(void)state;
	for (size_t i = 0; i < N; i++)
		times[i] = 0.25;
	assert_int_equal(cut_of(N), 0);
	times[0] = 0.2525; /* 1 % more is not a warm-up */
	assert_int_equal(cut_of(N), 0);
	times[0] = 0.5;
	assert_int_equal(cut_of(N), 1);
	for (size_t i = 0; i < N; i++)
		times[i] = 0.0;
	assert_int_equal(cut_of(N), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(slow_starts_are_cut),
		cmocka_unit_test(a_start_may_be_ordinary_for_two_steps),
		cmocka_unit_test(what_is_no_warmup_is_kept),
		cmocka_unit_test(a_plain_startup_is_cut),
		cmocka_unit_test(a_start_that_comes_again_is_kept),
		cmocka_unit_test(a_late_slow_down_does_not_hide_it),
		cmocka_unit_test(times_that_are_no_numbers),
		cmocka_unit_test(where_it_ends),
		cmocka_unit_test(constant_times),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
