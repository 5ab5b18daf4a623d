#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "analysis/rank/spikes.h"
#include "analysis/stats/random.h"

#include <math.h>

enum { CEILING = 64 << 20, MOST = 20000 };

static int64_t keys[MOST];
static double values[MOST];
static struct ts_arena arena;

static int begin(void **state)
{
	(void)state;
	ts_arena_init(&arena, CEILING);
	for (size_t i = 0; i < MOST; i++)
		keys[i] = (int64_t)i;
	return 0;
}

static int end(void **state)
{
	(void)state;
	ts_arena_finish(&arena);
	return 0;
}

static struct ts_spikes find(size_t n)
{
	struct ts_series series = {ts_span_str("x"), keys, values, n};
	const struct ts_spikes_fit *fit;
	struct ts_spikes found;
	struct ts_error err;

	ts_arena_reset(&arena);
	assert_int_equal(ts_spikes_fit(&series, &arena, &fit, &err), TS_OK);
	assert_int_equal(ts_spikes_of(fit, TS_SPIKES_CHANCE, &found, &err), TS_OK);
	assert_true(found.n == found.spikes + found.dips + found.shifts);
	return found;
}

/* Makes normal noise around level from a seed. */
static void noise(size_t n, double level, double sd, uint64_t seed)
{
	struct ts_random r;

	ts_random_init(&r, seed);
	for (size_t i = 0; i < n; i++)
		values[i] = level + sd * ts_random_normal(&r);
}

static void expect_one(const struct ts_spikes *found, enum ts_event_kind kind, size_t first, size_t last, size_t peak)
{
	assert_int_equal(found->n, 1);
	assert_int_equal(found->items[0].kind, kind);
	assert_int_equal(found->items[0].first, first);
	assert_int_equal(found->items[0].last, last);
	assert_int_equal(found->items[0].peak, peak);
}

/* The test tries both signs, all places but the first four, and all block lengths. */
static void one_value_is_found(void **state)
{
	static const size_t lengths[] = {60, 100, 200, 600, 5000};

	(void)state;
	for (size_t k = 0; k < sizeof lengths / sizeof lengths[0]; k++) {
		size_t n = lengths[k], step = n > 300 ? n / 61 : 7;

		for (size_t at = 4; at < n; at += step) {
			struct ts_spikes found;

			noise(n, 10, 0.1, k);
			values[at] = 12;
			found = find(n);
			expect_one(&found, TS_EVENT_SPIKE, at, at, at);
			assert_true(found.items[0].score > 10 && found.items[0].score < 40);
			assert_true(fabs(found.items[0].expected - 10) < 0.2);
			values[at] = 8;
			found = find(n);
			expect_one(&found, TS_EVENT_DIP, at, at, at);
			assert_true(found.items[0].value == 8 && found.items[0].chance < TS_SPIKES_CHANCE / (double)n);
		}
		values[n - 1] = 12;
	}
}

/* A burst is one event with its highest value as its peak. Hits two values apart are one event, three apart are two. */
static void bursts(void **state)
{
	struct ts_spikes found;

	(void)state;
	noise(1000, 1, 0.05, 7);
	for (size_t i = 500; i < 512; i++)
		values[i] = 3;
	values[505] = 4;
	found = find(1000);
	expect_one(&found, TS_EVENT_SPIKE, 500, 511, 505);
	noise(1000, 1, 0.05, 7);
	values[500] = values[503] = 3;
	found = find(1000);
	assert_int_equal(found.n, 1);
	values[503] = 1;
	values[504] = 3;
	found = find(1000);
	assert_int_equal(found.n, 2);
	assert_int_equal(found.items[1].first, 504);
}

/* A change that stays is one shift at its step and not a spike, up and down; one that goes back after 200 values is
 * two shifts. */
static void shifts_are_no_spikes(void **state)
{
	struct ts_spikes found;

	(void)state;
	for (size_t at = 300; at < 340; at += 3)
		for (int up = 0; up < 2; up++) {
			noise(1000, 1, 0.05, at + 1);
			for (size_t i = at; i < 1000; i++)
				values[i] += up ? 1 : -0.5;
			found = find(1000);
			expect_one(&found, TS_EVENT_SHIFT, at, at, at);
			assert_true(fabs(found.items[0].value - (up ? 2 : 0.5)) < 0.1);
			assert_true(fabs(found.items[0].expected - 1) < 0.1);
		}
	noise(1000, 1, 0.05, 5);
	for (size_t i = 400; i < 600; i++)
		values[i] += 1;
	found = find(1000);
	assert_int_equal(found.n, 2);
	assert_int_equal(found.shifts, 2);
	assert_int_equal(found.items[0].first, 400);
	assert_int_equal(found.items[1].first, 600);
}

/* Trends of any shape give no events, without noise and with noise in proportion. */
static void a_trend_is_nothing(void **state)
{
	struct ts_random r;

	(void)state;
	ts_random_init(&r, 3);
	for (int shape = 0; shape < 6; shape++) {
		struct ts_spikes found;

		for (size_t i = 0; i < 3000; i++) {
			double t = (double)i, sd = shape % 2 ? 0.03 : 0;
			double trend = shape / 2 == 0 ? 5 * exp(-t / 40) + 0.1 : shape / 2 == 1 ? 3 * pow(t + 1, -0.3) : 1 + t;

			values[i] = trend * (1 + sd * ts_random_normal(&r));
		}
		found = find(3000);
		assert_int_equal(found.n, 0);
	}
}

/* A power law falls fast at first and then hardly changes, and blocks of noise on it do not overlap; a loss that
 * falls to a tenth has ten times the noise at first. In 40 runs, 0.3 false events are expected in all. */
static void a_steep_beginning(void **state)
{
	size_t shifts = 0, others = 0;

	(void)state;
	for (uint64_t seed = 0; seed < 40; seed++) {
		struct ts_spikes found;

		noise(6000, 1, seed % 2 ? 0.03 : 0.05, 50 + seed);
		for (size_t i = 0; i < 6000; i++)
			values[i] *= seed % 2 ? 5 * pow((double)i + 1, -0.3) : 2 * exp(-(double)i / 300) + 0.2;
		found = find(6000);
		shifts += found.shifts;
		others += found.spikes + found.dips;
	}
	assert_int_equal(shifts, 0);
	assert_true(others <= 2);
}

/* A loss that falls by half shows too little of its level to tell how its noise depends on it. Noise in proportion is twice as large
 * at first, and yet the first fifth has no more than its fifth of the false events that chance allows for. */
static void a_fall_by_half(void **state)
{
	size_t early = 0;

	(void)state;
	for (uint64_t seed = 0; seed < 400; seed++) {
		struct ts_spikes found;

		noise(400, 1, 0.05, 600 + seed);
		for (size_t i = 0; i < 400; i++)
			values[i] *= 1 + 1.2 * exp(-(double)i / 200);
		found = find(400);
		for (size_t i = 0; i < found.n; i++)
			early += found.items[i].first < 80;
	}
	assert_true(early <= 4); /* 0.6 are expected, of 2.8 in all */
}

/* On the steep part of a fall, a spike that stays below the first values is still a spike. */
static void a_spike_on_a_trend(void **state)
{
	struct ts_spikes found;

	(void)state;
	noise(600, 0, 0.01, 11);
	for (size_t i = 0; i < 600; i++)
		values[i] = (values[i] + 1) * (2 * exp(-(double)i / 50) + 0.1);
	values[80] *= 3; /* the value is 1.5, where the first was 2.1 */
	found = find(600);
	expect_one(&found, TS_EVENT_SPIKE, 80, 80, 80);
}

static void a_flat_series(void **state)
{
	struct ts_spikes found;

	(void)state;
	for (size_t i = 0; i < 500; i++)
		values[i] = 8;
	assert_int_equal(find(500).n, 0);
	values[100] = 10;
	values[200] = 8 - 1e-9;
	found = find(500);
	assert_int_equal(found.n, 2);
	assert_true(fabs(found.items[0].score - 0.25) < 1e-12);
	assert_int_equal(found.items[1].kind, TS_EVENT_DIP);
	for (size_t i = 300; i < 500; i++)
		values[i] = 9;
	found = find(500);
	assert_int_equal(found.shifts, 1);
	assert_int_equal(found.n, 3);
	assert_int_equal(found.items[2].first, 300);
	for (size_t i = 0; i < 500; i++) /* steps of a coarse clock: the series is not flat, and has no outlier */
		values[i] = i % 3 ? 8 : 9;
	assert_int_equal(find(500).n, 0);
	for (size_t i = 0; i < 500; i++)
		values[i] = 0;
	values[50] = 1e-300;
	found = find(500);
	expect_one(&found, TS_EVENT_SPIKE, 50, 50, 50);
}

/* A regular jump at every 50th step is found each time: the tail is not fitted to it. */
static void many_spikes(void **state)
{
	struct ts_spikes found;

	(void)state;
	noise(10000, 1, 0.05, 2);
	for (size_t i = 49; i < 10000; i += 50)
		values[i] = 2.5;
	found = find(10000);
	assert_int_equal(found.spikes, 200);
	assert_int_equal(found.n, 200);
}

static void what_is_not_finite_is_skipped(void **state)
{
	struct ts_spikes found;

	(void)state;
	noise(1000, 1, 0.05, 9);
	for (size_t i = 0; i < 1000; i += 3)
		values[i] = i % 2 ? (double)NAN : i % 4 ? HUGE_VAL : -HUGE_VAL;
	values[500] = 3;
	found = find(1000);
	expect_one(&found, TS_EVENT_SPIKE, 500, 500, 500);
	assert_int_equal(found.judged, 1000 - 334 + 0);
	for (size_t i = 0; i < 1000; i++)
		values[i] = (double)NAN;
	found = find(1000);
	assert_false(found.decided);
	assert_int_equal(found.n, 0);
	for (size_t n = 0; n < 100; n++) {
		noise(n, 1, 0.05, n);
		found = find(n);
		assert_int_equal(found.decided, n >= TS_SPIKES_LEAST);
	}
	for (size_t i = 0; i < 1000; i++) /* the differences overflow */
		values[i] = i % 2 ? 1.7e308 : -1.7e308;
	(void)find(1000);
	noise(1000, 1, 0.05, 9);
	values[300] = 1.7e308;
	found = find(1000);
	expect_one(&found, TS_EVENT_SPIKE, 300, 300, 300);
	values[300] = 0; /* a zero among positive values */
	found = find(1000);
	expect_one(&found, TS_EVENT_DIP, 300, 300, 300);
	assert_true(isfinite(found.items[0].score));
}

/* The chances are correct: in plain noise the hits at 20 a side are about 40, and their chances are uniform below 20
 * / n. */
static void chances_are_chances(void **state)
{
	size_t hits = 0, below = 0;

	(void)state;
	for (uint64_t seed = 0; seed < 20; seed++) {
		struct ts_series series = {ts_span_str("x"), keys, values, MOST};
		const struct ts_spikes_fit *fit;
		struct ts_spikes found;
		struct ts_error err;

		noise(MOST, 5, 1, 100 + seed);
		ts_arena_reset(&arena);
		assert_int_equal(ts_spikes_fit(&series, &arena, &fit, &err), TS_OK);
		assert_int_equal(ts_spikes_of(fit, 20, &found, &err), TS_OK);
		for (size_t i = 0; i < found.n; i++) {
			assert_true(found.items[i].chance <= 20.0 / MOST * 1.000001);
			below += found.items[i].chance < 10.0 / MOST ? 1 : 0;
		}
		hits += found.n;
	}
	/* 800 and 400 are expected, with sampling errors of 28 and 20, and the fit of the tail errs on the safe
	 * side. */
	assert_in_range(hits, 600, 900);
	assert_in_range(below, 280, 470);
}

static void no_memory(void **state)
{
	struct ts_series series = {ts_span_str("x"), keys, values, 2000};
	size_t refused = 0;

	(void)state;
	noise(2000, 1, 0.05, 1);
	for (size_t i = 100; i < 2000; i += 20)
		values[i] = 3;
	for (size_t ceiling = 64;; ceiling += 64) {
		struct ts_spikes found = {.n = 77};
		const struct ts_spikes_fit *fit;
		struct ts_arena small;
		struct ts_error err = {.status = TS_OK};
		enum ts_status status;

		ts_arena_init(&small, ceiling);
		status = ts_spikes_fit(&series, &small, &fit, &err);
		if (!status)
			status = ts_spikes_of(fit, TS_SPIKES_CHANCE, &found, &err);
		ts_arena_finish(&small);
		if (!status)
			break;
		refused++;
		assert_int_equal(status, TS_NO_MEMORY);
		assert_int_equal(found.n, 77);
		assert_true(ceiling < 1 << 20);
	}
	assert_true(refused > 10);
}

/* What one chance finds does not depend on what was found by another one in the same fit. */
static void a_fit_has_many_chances(void **state)
{
	struct ts_series series = {ts_span_str("x"), keys, values, 2000};
	struct ts_spikes first, many, again;
	const struct ts_spikes_fit *fit;
	struct ts_error err;

	(void)state;
	noise(2000, 5, 1, 3);
	values[700] = 50;
	ts_arena_reset(&arena);
	assert_int_equal(ts_spikes_fit(&series, &arena, &fit, &err), TS_OK);
	assert_int_equal(ts_spikes_of(fit, TS_SPIKES_CHANCE, &first, &err), TS_OK);
	assert_int_equal(ts_spikes_of(fit, 20, &many, &err), TS_OK);
	assert_int_equal(ts_spikes_of(fit, TS_SPIKES_CHANCE, &again, &err), TS_OK);
	assert_true(first.n >= 1 && many.n > first.n);
	assert_int_equal(again.n, first.n);
	assert_memory_equal(again.items, first.items, first.n * sizeof *first.items);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(one_value_is_found, begin, end),
		cmocka_unit_test_setup_teardown(bursts, begin, end),
		cmocka_unit_test_setup_teardown(shifts_are_no_spikes, begin, end),
		cmocka_unit_test_setup_teardown(a_trend_is_nothing, begin, end),
		cmocka_unit_test_setup_teardown(a_steep_beginning, begin, end),
		cmocka_unit_test_setup_teardown(a_fall_by_half, begin, end),
		cmocka_unit_test_setup_teardown(a_spike_on_a_trend, begin, end),
		cmocka_unit_test_setup_teardown(a_flat_series, begin, end),
		cmocka_unit_test_setup_teardown(many_spikes, begin, end),
		cmocka_unit_test_setup_teardown(what_is_not_finite_is_skipped, begin, end),
		cmocka_unit_test_setup_teardown(chances_are_chances, begin, end),
		cmocka_unit_test_setup_teardown(a_fit_has_many_chances, begin, end),
		cmocka_unit_test_setup_teardown(no_memory, begin, end),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
