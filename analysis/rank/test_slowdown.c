/* Slow-downs against what was planted; false alarms and power are measured in tests/quality. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "analysis/rank/slowdown.h"
#include "analysis/stats/random.h"

#include <float.h>
#include <math.h>

enum { N = 6000 };

static struct ts_arena arena;
static int64_t keys[N];
static double values[N];

/* Steps take 1 s and 5 % of noise. */
static void usual(uint64_t seed)
{
	struct ts_random r;

	ts_random_init(&r, seed);
	for (int i = 0; i < N; i++) {
		keys[i] = i;
		values[i] = 1 + 0.05 * ts_random_normal(&r);
	}
}

static void slower(int from, int to, double factor)
{
	for (int i = from; i < to; i++)
		values[i] *= factor;
}

static struct ts_slowdown find(size_t n)
{
	struct ts_series times = {.keys = keys, .values = values, .n = n};
	const struct ts_spikes_fit *fit;
	struct ts_slowdown s;
	struct ts_spikes found;
	struct ts_error err;

	ts_arena_reset(&arena);
	assert_int_equal(ts_spikes_fit(&times, &arena, &fit, &err), TS_OK);
	assert_int_equal(ts_spikes_of(fit, TS_SPIKES_CHANCE, &found, &err), TS_OK);
	assert_int_equal(ts_slowdown_find(fit, &found, &arena, &s, &err), TS_OK);
	return s;
}

static void expect(const struct ts_slowdown *s, enum ts_slowdown_kind kind, double first, double off, double before, double after)
{
	if (s->kind != kind || fabs((double)s->first - first) > off || fabs(s->before - before) > 0.02 ||
	    fabs(s->after - after) > 0.02)
		fail_msg("%s from %zu to %zu: %.3f %.3f", ts_slowdown_word(s->kind), s->first, s->last, s->before, s->after);
}

static void a_step_anywhere(void **state)
{
	struct ts_slowdown s;

	(void)state;
	for (int at = 500; at < N - 500; at += 711) {
		usual((uint64_t)at);
		slower(at, N, 1.1);
		s = find(N);
		expect(&s, TS_SLOWDOWN_STEP, at, 30, 1, 1.1);
		assert_true(fabs(s.cost - 0.1 * (N - at)) < 0.02 * (N - at));
	}
	usual(1);
	slower(3000, N, 0.8); /* faster */
	assert_int_equal(find(N).kind, TS_SLOWDOWN_NONE);
	for (int i = 0; i < N; i++) /* no noise at all */
		values[i] = i < 2017 ? 1 : 1.25;
	s = find(N);
	expect(&s, TS_SLOWDOWN_STEP, 2017, 0, 1, 1.25);
	/* A late one is too short for the whole run's test, and is a level shift. */
	usual(2);
	slower(N - 150, N, 1.5);
	s = find(N);
	expect(&s, TS_SLOWDOWN_STEP, N - 150, 20, 1, 1.5);
}

static void a_ramp(void **state)
{
	struct ts_slowdown s;

	(void)state;
	usual(3);
	for (int i = 2000; i < N; i++)
		values[i] *= i < 4000 ? 1 + 0.3 * (i - 2000) / 2000 : 1.3;
	s = find(N);
	expect(&s, TS_SLOWDOWN_RAMP, 2000, 250, 1, 1.3);
	assert_true(fabs((double)s.last - 4000) < 250);
	assert_true(fabs(s.cost - 0.3 * 3000) < 40);
	usual(4);
	for (int i = 0; i < N; i++)
		values[i] *= 1 + 0.2 * i / N;
	s = find(N);
	assert_int_equal(s.kind, TS_SLOWDOWN_RAMP);
	assert_true(s.after / s.before > 1.17 && s.after / s.before < 1.23);
}

static void a_stretch_ends(void **state)
{
	struct ts_slowdown s;

	(void)state;
	usual(5);
	slower(2000, 3000, 1.3);
	s = find(N);
	expect(&s, TS_SLOWDOWN_STRETCH, 2000, 20, 1, 1.3);
	assert_true(fabs((double)s.last - 2999) < 20);
	assert_true(fabs(s.cost - 300) < 20);
}

/* Three levels of a device's clock would be two: 400 steps slow, 600 fast, again and again. */
static void levels_that_come_and_go(void **state)
{
	struct ts_slowdown s;

	(void)state;
	usual(6);
	for (int i = 0; i < N; i++)
		values[i] *= i % 1000 < 600 ? 1 : 1.25;
	s = find(N);
	expect(&s, TS_SLOWDOWN_LEVELS, 0, 0, 1, 1.25);
	assert_int_equal(s.switches, 11);
	assert_true(fabs(s.upper_share - 0.4) < 0.02);
	assert_true(fabs(s.cost - 0.25 * 0.4 * N) < 30);
	/* It begins slow, is fast for a while, and is slow again: the last rise is none. */
	usual(7);
	slower(0, 2000, 1.25);
	slower(3500, N, 1.25);
	s = find(N);
	expect(&s, TS_SLOWDOWN_LEVELS, 0, 0, 1, 1.25);
	assert_int_equal(s.switches, 2);
}

/* A device that is in its slow state now and then, and at the end, under noise that is half as wide as its states are apart. */
static void levels_that_mix(void **state)
{
	size_t rises = 0;

	(void)state;
	for (uint64_t seed = 0; seed < 40; seed++) {
		double wander = 0;
		struct ts_random r;

		ts_random_init(&r, 100 + seed);
		for (int i = 0; i < N; i++) {
			int at = 13 * i / N;

			wander = 0.5 * wander + 0.05 * sqrt(0.75) * ts_random_normal(&r);
			values[i] = (at == 3 || at > 6 ? 1.1 : 1) * exp(wander);
		}
		rises += find(N).kind == TS_SLOWDOWN_STEP;
	}
	assert_true(rises <= 1);
}

/* A step of lognormal noise stands out from its cells; the steps of a random walk do not, though it ends elsewhere. */
static void a_step_is_told_from_a_walk(void **state)
{
	enum { RUNS = 200, SHORT = 500 };
	size_t steps = 0, walks = 0;

	(void)state;
	for (uint64_t seed = 0; seed < RUNS; seed++) {
		double walk = 0;
		struct ts_random r;

		ts_random_init(&r, 300 + seed);
		for (int i = 0; i < SHORT; i++)
			values[i] = exp(0.2 * ts_random_normal(&r)) * (i < SHORT / 2 ? 1 : 1.3);
		steps += find(SHORT).kind == TS_SLOWDOWN_STEP;
		for (int i = 0; i < SHORT; i++)
			values[i] = exp((walk += 0.02 * ts_random_normal(&r)) + 0.02 * ts_random_normal(&r));
		walks += find(SHORT).kind != TS_SLOWDOWN_NONE;
	}
	assert_true(steps >= RUNS * 9 / 10);
	assert_true(walks <= RUNS / 40);
}

/* Bursts of slow steps gather here and there, and one may be the last. */
static void bursts_are_none(void **state)
{
	enum { RUNS = 200, SHORT = 500 };
	size_t found = 0;

	(void)state;
	for (uint64_t seed = 0; seed < RUNS; seed++) {
		struct ts_random r;

		usual(500 + seed);
		ts_random_init(&r, seed);
		for (int i = 0, left = 0; i < SHORT; i++) {
			left = left ? left - 1 : ts_random_unit(&r) < 0.02 ? 1 + (int)ts_random_below(&r, 20) : 0;
			values[i] *= left ? 3 : 1;
		}
		found += find(SHORT).kind != TS_SLOWDOWN_NONE;
	}
	assert_true(found <= RUNS / 40);
}

static void any_values(void **state)
{
	static const double odd[] = {0, -0.0, -1, DBL_MAX, -DBL_MAX, DBL_MIN, 1, 1};
	struct ts_random r;

	(void)state;
	ts_random_init(&r, 8);
	usual(8);
	for (int k = 0; k < 300; k++) {
		size_t n = ts_random_below(&r, 400);

		for (size_t i = 0; i < n; i++) {
			uint32_t pick = ts_random_below(&r, k % 3 ? 12 : 8);

			values[i] = pick < 8 ? odd[pick] : pick < 10 ? (double)NAN : (double)INFINITY;
		}
		(void)find(n);
	}
	for (size_t i = 0; i < 200; i++)
		values[i] = i < 100 ? 1 : (double)NAN;
	assert_int_equal(find(200).kind, TS_SLOWDOWN_NONE);
	assert_int_equal(find(0).kind, TS_SLOWDOWN_NONE);
}

static void short_memory_is_told(void **state)
{
	struct ts_series times = {.keys = keys, .values = values, .n = N};
	enum ts_status status = TS_NO_MEMORY;
	const struct ts_spikes_fit *fit;
	struct ts_spikes none = {.n = 0};
	struct ts_slowdown s;
	struct ts_error err;

	(void)state;
	usual(9);
	slower(3000, N, 1.3);
	assert_int_equal(ts_spikes_fit(&times, &arena, &fit, &err), TS_OK);
	for (size_t ceiling = 1; status == TS_NO_MEMORY && ceiling < 64 << 20; ceiling += ceiling / 8 + 1) {
		struct ts_arena small;

		ts_arena_init(&small, ceiling);
		status = ts_slowdown_find(fit, &none, &small, &s, &err);
		ts_arena_finish(&small);
	}
	assert_int_equal(status, TS_OK);
	assert_int_equal(s.kind, TS_SLOWDOWN_STEP);
}

static void few_steps_that_only_grow(void **state)
{
	double v[] = {7020, 10200, 13600, 16900, 20300, 23900, 27000, 30300};
	struct ts_slowdown s = ts_slowdown_of_few(v, 8);

	(void)state;
	assert_int_equal(s.kind, TS_SLOWDOWN_RAMP);
	assert_int_equal(s.first, 0);
	assert_int_equal(s.last, 7);
	assert_true(s.before == 7020 && s.after == 30300);
	assert_true(s.cost == 10200 + 13600 + 16900 + 20300 + 23900 + 27000 + 30300 - 7 * 7020);
	assert_int_equal(ts_slowdown_of_few(v, 6).kind, TS_SLOWDOWN_NONE); /* too few */
	assert_int_equal(ts_slowdown_of_few(v, 7).kind, TS_SLOWDOWN_RAMP);
	v[4] = 16900; /* as long as the one before */
	assert_int_equal(ts_slowdown_of_few(v, 8).kind, TS_SLOWDOWN_NONE);
	v[4] = (double)NAN;
	assert_int_equal(ts_slowdown_of_few(v, 8).kind, TS_SLOWDOWN_NONE);
	for (int i = 0; i < 8; i++)
		v[i] = 100 + 3.5 * i; /* 24.5 % */
	assert_int_equal(ts_slowdown_of_few(v, 8).kind, TS_SLOWDOWN_NONE);
	v[7] = 126;
	assert_int_equal(ts_slowdown_of_few(v, 8).kind, TS_SLOWDOWN_RAMP);
	v[7] = 146; /* most of it at once */
	assert_int_equal(ts_slowdown_of_few(v, 8).kind, TS_SLOWDOWN_NONE);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_step_anywhere),
		cmocka_unit_test(a_ramp),
		cmocka_unit_test(a_stretch_ends),
		cmocka_unit_test(levels_that_come_and_go),
		cmocka_unit_test(levels_that_mix),
		cmocka_unit_test(a_step_is_told_from_a_walk),
		cmocka_unit_test(bursts_are_none),
		cmocka_unit_test(few_steps_that_only_grow),
		cmocka_unit_test(any_values),
		cmocka_unit_test(short_memory_is_told),
	};
	int failed;

	ts_arena_init(&arena, 64 << 20);
	failed = cmocka_run_group_tests(tests, NULL, NULL);
	ts_arena_finish(&arena);
	return failed;
}
