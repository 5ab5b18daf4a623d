#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "analysis/answer/test_seen.h"
#include "analysis/rank/convergence.h"
#include "analysis/rank/test_expected.h"
#include "analysis/stats/random.h"

#include <math.h>

enum { CEILING = 64 << 20 };

static void summary_of(const struct ts_series *s, int64_t first, struct ts_arena *arena, struct ts_measures *m,
		       struct ts_events *events)
{
	struct ts_plots plots = {.n = 0};
	struct ts_error err;

	m->n = events->n = 0;
	assert_int_equal(ts_convergence_summary(s, first, arena, m, events, &plots, NULL, &err), TS_OK);
	assert_true(test_seen(m));
}

static void summary(const struct ts_series *s, int64_t first, struct ts_arena *arena, struct ts_measures *m)
{
	struct ts_events events = {.n = 0};

	summary_of(s, first, arena, m, &events);
}

static void first_last_best(void **state)
{
	static const int64_t steps[] = {100, 200, 300, 400, 500};
	static const double loss[] = {HUGE_VAL, 2.0, 0.5, 0.5, 0.75};
	struct ts_series s = {.name = ts_span_str("scalars.loss"), .keys = steps, .values = loss, .n = 5};
	struct ts_measures m = {.n = 0};
	struct ts_arena arena;

	(void)state;
	ts_arena_init(&arena, CEILING);
	summary(&s, 0, &arena, &m);
	expect_measure(&m, "convergence", "loss", "count", 5);
	expect_measure(&m, "convergence", "loss", "first", 2);
	expect_measure(&m, "convergence", "loss", "last", 0.75);
	expect_measure(&m, "convergence", "loss", "best", 0.5);
	expect_measure(&m, "convergence", "loss", "best_step", 300); /* the step number, not the position in the list */
	expect_measure(&m, "convergence", "loss", "nonfinite_count", 1);
	expect_measure(&m, "convergence", "loss", "first_nonfinite_step", 100);
	summary(&s, 350, &arena, &m);
	expect_measure(&m, "convergence", "loss", "count", 2);
	expect_measure(&m, "convergence", "loss", "best_step", 400);
	assert_null(test_find(&m, "convergence", "loss", "nonfinite_count"));
	summary(&s, 501, &arena, &m);
	expect_measure(&m, "convergence", "loss", "count", 0);
	expect_unknown(&m, "convergence", "loss", "best");
	ts_arena_finish(&arena);
}

static void agrees_with_pytscope(void **state)
{
	static const char *const names[] = {"cross", "lossnan", "allnan", "10k_a", "10k_b"};

	(void)state;
	for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
		struct expected_run *run = test_malloc(sizeof *run);
		struct ts_measures m = {.n = 0};
		struct ts_arena arena;
		double final, diverged;

		ts_arena_init(&arena, CEILING);
		if (!expected_load(names[i], &arena, run)) {
			assert_true(i >= 3); /* the repository has no copy of those */
		} else {
			summary(expected_column(run, "scalars.loss"), 0, &arena, &m);
			final = expected_number(run, "convergence.final_loss");
			diverged = expected_number(run, "convergence.diverged_at");
			if (isnan(final)) {
				expect_unknown(&m, "convergence", "loss", "last");
				expect_unknown(&m, "convergence", "loss", "best_step");
			} else {
				expect_measure(&m, "convergence", "loss", "last", final);
				expect_measure(&m, "convergence", "loss", "best",
					       expected_number(run, "convergence.best_loss"));
			}
			if (isnan(diverged))
				assert_null(test_find(&m, "convergence", "loss", "first_nonfinite_step"));
			else
				expect_measure(&m, "convergence", "loss", "first_nonfinite_step", diverged);
		}
		test_free(run);
		ts_arena_finish(&arena);
	}
}

static int64_t keys[2000];
static double values[2000];

static struct ts_series series_of(size_t n)
{
	for (size_t i = 0; i < n; i++)
		keys[i] = 10 * (int64_t)i;
	return (struct ts_series){ts_span_str("scalars.loss"), keys, values, n};
}

/* A series is lost if it ends in five values that are not finite, or has no others. */
static void the_end_of_a_lost_series(void **state)
{
	static const struct {
		size_t n, bad;
		int64_t lost; /* -1: it is not */
	} cases[] = {{100, 0, -1}, {100, 4, -1}, {100, 5, 950}, {100, 100, 0}, {3, 3, 0}, {2, 2, -1}, {4, 3, -1}};
	struct ts_arena arena;

	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		struct ts_series s = series_of(cases[i].n);
		struct ts_measures m = {.n = 0};

		for (size_t k = 0; k < cases[i].n; k++)
			values[k] = k + cases[i].bad < cases[i].n ? 1.0 + (double)(k % 7) : (double)NAN;
		ts_arena_init(&arena, CEILING);
		summary(&s, 0, &arena, &m);
		if (cases[i].lost < 0)
			assert_null(test_find(&m, "convergence", "loss", "lost_step"));
		else
			expect_measure(&m, "convergence", "loss", "lost_step", (double)cases[i].lost);
		expect_measure(&m, "convergence", "loss", "every_count", 10);
		expect_measure(&m, "convergence", "loss", "end_step", 10.0 * (double)(cases[i].n - 1));
		ts_arena_finish(&arena);
	}
}

/* Whether a low learning rate is better than a high one, nobody knows; and no level of a series that is never below 0 falls by more
 * than all of it. */
static void what_has_no_direction(void **state)
{
	struct ts_measures m = {.n = 0};
	struct ts_series s = series_of(100);
	struct ts_arena arena;
	double low;

	(void)state;
	for (size_t k = 0; k < 100; k++)
		values[k] = k < 50 ? 1.0 + (double)(k % 3) : 0.001 * (double)(k * 37 % 11) * (double)(100 - k);
	s.name = ts_span_str("scalars.lr");
	ts_arena_init(&arena, CEILING);
	summary(&s, 0, &arena, &m);
	assert_null(test_find(&m, "convergence", "lr", "best"));
	assert_true(ts_span_is(test_find(&m, "convergence", "lr", "trend")->text, "falling"));
	assert_true(test_value(&m, "convergence", "lr", "change_low", &low));
	assert_true(low >= -1);
	s.name = ts_span_str("scalars.loss");
	summary(&s, 0, &arena, &m);
	assert_non_null(test_find(&m, "convergence", "loss", "best"));
	assert_true(ts_span_is(test_find(&m, "convergence", "loss", "trend")->text, "improving"));
	ts_arena_finish(&arena);
}

static void expect_word(const struct ts_measures *m, const char *name, const char *want)
{
	const struct ts_measure *row = test_find(m, "convergence", "loss", name);

	assert_non_null(row);
	assert_true(row->known);
	if (!ts_span_is(row->text, want))
		fail_msg("%s is %.*s, expected %s", name, TS_SPAN_ARG(row->text), want);
}

static size_t events_of(const struct ts_events *events, enum ts_event_kind kind)
{
	size_t n = 0;

	for (size_t i = 0; i < events->n; i++)
		n += events->items[i].kind == kind ? 1 : 0;
	return n;
}

static const struct ts_event *event_of(const struct ts_events *events, enum ts_event_kind kind)
{
	for (size_t i = 0; i < events->n; i++)
		if (events->items[i].kind == kind)
			return &events->items[i];
	fail_msg("no %s", ts_event_word(kind));
	return NULL;
}

static void expect_near(const struct ts_measures *m, const char *name, double want)
{
	double have = NAN;

	assert_true(test_value(m, "convergence", "loss", name, &have));
	if (!(fabs(have - want) <= 1e-12 * fabs(want)))
		fail_msg("%s is %.17g, expected %.17g", name, have, want);
}

/* A fall relative to the level in the middle as one relative to that at the beginning. */
static double of_beginning(double fall)
{
	return fall / (1 - fall / 2);
}

/* The values are 100, 99, ... 1 at every tenth step: the slope has no error, and the order statistics can be
 * computed by hand. */
static void a_straight_line(void **state)
{
	struct ts_series s = series_of(100);
	struct ts_measures m = {.n = 0};
	struct ts_events events = {.n = 0};
	/* The last ten values are 1 apart; for the first five, 1.96 * sqrt(5) / 2 exceeds the number of values. */
	double reach = hypot(1.959963984540054 * sqrt(10) / 2, 2);
	struct ts_arena arena;

	(void)state;
	ts_arena_init(&arena, CEILING);
	for (size_t i = 0; i < 100; i++)
		values[i] = 100 - (double)i;
	summary_of(&s, 0, &arena, &m, &events);
	expect_near(&m, "initial", 98);
	expect_near(&m, "final", 5.5);
	expect_near(&m, "change_ratio", -92.5 / 98);
	expect_near(&m, "change_low", (-92.5 - reach) / 98);
	expect_near(&m, "change_high", (-92.5 + reach) / 98);
	expect_word(&m, "progress", "fell");
	/* The values run from 50 to 1; the middle two of 32 runs are {27, 26} and {25}. */
	expect_near(&m, "recent", -49 / (25.75 + 24.5));
	expect_near(&m, "recent_low", -49 / (25.75 + 24.5));
	expect_near(&m, "recent_high", -49 / (25.75 + 24.5));
	expect_word(&m, "trend", "improving");
	assert_int_equal(events.n, 0);
	ts_arena_finish(&arena);
}

/* The values are 5 - 0.05 i + 0.3 sin 7i, i < 64. Expected values by numpy: median and percentile of the 496 slopes,
 * lag-1 correlation of the ranks of the residuals 0.7131. */
static void a_trend_with_its_interval(void **state)
{
	struct ts_series s = series_of(64);
	struct ts_measures m = {.n = 0};
	struct ts_arena arena;

	(void)state;
	ts_arena_init(&arena, CEILING);
	for (size_t i = 0; i < 64; i++)
		values[i] = 5 - 0.05 * (double)i + 0.3 * sin(7 * (double)i);
	summary(&s, 0, &arena, &m);
	expect_near(&m, "initial", 5.100996691560816);
	expect_near(&m, "final", 1.886393137079938);
	expect_near(&m, "change", -0.6301912643462753);
	expect_near(&m, "change_low", -0.6625942901042002);
	expect_near(&m, "change_high", -0.5676474908870246);
	expect_near(&m, "recent", of_beginning(-0.5628833994737297));
	expect_near(&m, "recent_low", of_beginning(-0.9075658204618734));
	expect_near(&m, "recent_high", of_beginning(-0.17038683815906971));
	ts_arena_finish(&arena);
}

/* Each row has the planted change, the expected word for the trend, and the result of the whole run. */
static void trends(void **state)
{
	static const struct {
		double fall, rate, rise;
		const char *trend, *progress;
	} cases[] = {
		{0, 1, 0, "plateau", "none"},
		{2, 3, 0, "improving", "fell"},
		{2, 15, 0, "plateau", "fell"}, /* the run has converged */
		{0, 1, 0.5, "worsening", "rose"},
		{2, 15, 0.5, "worsening", "fell"}, /* the loss fell and rises again */
	};
	struct ts_arena arena;
	struct ts_random r;

	(void)state;
	ts_arena_init(&arena, CEILING);
	ts_random_init(&r, 4);
	for (size_t c = 0; c < sizeof cases / sizeof cases[0]; c++)
		for (size_t n = 100; n <= 2000; n += 950) {
			struct ts_series s = series_of(n);
			struct ts_measures m = {.n = 0};
			struct ts_events events = {.n = 0};

			for (size_t i = 0; i < n; i++) {
				double t = (double)i / (double)n;

				values[i] = (1 + cases[c].fall * exp(-cases[c].rate * t) + cases[c].rise * t) *
					    (1 + 0.02 * ts_random_normal(&r));
			}
			summary_of(&s, 0, &arena, &m, &events);
			expect_word(&m, "trend", cases[c].trend);
			expect_word(&m, "progress", cases[c].progress);
			assert_int_equal(events_of(&events, TS_EVENT_BLOW_UP), 0);
			assert_null(test_find(&m, "convergence", "loss", "blow_up"));
		}
	ts_arena_finish(&arena);
}

static void fill(size_t n, uint64_t seed)
{
	struct ts_random r;

	ts_random_init(&r, seed);
	for (size_t i = 0; i < n; i++)
		values[i] = (0.5 + 2 * exp(-(double)i / 50)) * (1 + 0.02 * ts_random_normal(&r));
}

/* A blow-up may be finite: it goes to where the loss began or beyond, in one step or in ten. One that comes back is
 * an event, not a trend. */
static void blow_ups(void **state)
{
	struct ts_series s = series_of(600);
	struct ts_measures m = {.n = 0};
	struct ts_events events = {.n = 0};
	struct ts_arena arena;

	(void)state;
	ts_arena_init(&arena, CEILING);
	for (size_t ramp = 1; ramp <= 10; ramp += 9)
		for (size_t last = 5; last <= 305; last += 100) {
			const struct ts_event *e;

			fill(600, last);
			for (size_t i = 600 - last; i < 600; i++)
				values[i] = 0.5 + 2 * fmin(1, (double)(i - (600 - last) + 1) / (double)ramp) +
					    0.01 * (double)(i % 7);
			summary_of(&s, 0, &arena, &m, &events);
			expect_word(&m, "trend", "diverged");
			e = event_of(&events, TS_EVENT_BLOW_UP);
			assert_true(e->first_step >= keys[600 - last] && e->first_step <= keys[600 - last + ramp / 2]);
			assert_int_equal(e->last_step, 5990);
			assert_true(fabs(e->expected - 0.5) < 0.05 && e->score > 10);
			expect_near(&m, "blow_up", (double)e->first_step);
		}
	fill(600, 1);
	for (size_t i = 300; i < 340; i++)
		values[i] *= 20;
	summary_of(&s, 0, &arena, &m, &events);
	expect_word(&m, "trend", "plateau");
	expect_word(&m, "progress", "fell");
	assert_int_equal(events_of(&events, TS_EVENT_BLOW_UP), 0);
	assert_true(events_of(&events, TS_EVENT_SPIKE) + events_of(&events, TS_EVENT_SHIFT) > 0);
	fill(600, 1); /* two values at the end are a spike */
	values[598] = values[599] = 50;
	summary_of(&s, 0, &arena, &m, &events);
	assert_int_equal(events_of(&events, TS_EVENT_BLOW_UP), 0);
	assert_int_equal(event_of(&events, TS_EVENT_SPIKE)->first_step, 5980);
	values[597] = 40; /* three are a blow-up */
	summary_of(&s, 0, &arena, &m, &events);
	assert_int_equal(event_of(&events, TS_EVENT_BLOW_UP)->first_step, 5970);
	values[596] = 1e6; /* so is one before NaN */
	values[597] = values[598] = values[599] = (double)NAN;
	summary_of(&s, 0, &arena, &m, &events);
	assert_int_equal(event_of(&events, TS_EVENT_BLOW_UP)->first_step, 5960);
	expect_word(&m, "trend", "diverged");
	ts_arena_finish(&arena);
}

/* The same last level is not a blow-up when the noise reaches that far, when earlier values reached it now and then,
 * or when it rose slowly. */
static void no_blow_up(void **state)
{
	struct ts_series s = series_of(600);
	struct ts_measures m = {.n = 0};
	struct ts_events events = {.n = 0};
	struct ts_arena arena;

	(void)state;
	ts_arena_init(&arena, CEILING);
	for (size_t kind = 0; kind < 4; kind++) {
		fill(600, 6);
		for (size_t i = 540; i < 600; i++)
			values[i] = 4 + 0.01 * (double)(i % 7);
		for (size_t i = 400; i < 540; i++) {
			if (kind == 1)
				values[i] = i % 2 ? 0.4 : 1.4; /* 4 is 4.2 deviations from 0.9 */
			if (kind == 2 && i % 25 == 0)
				values[i] = 4.1;
			if (kind == 3)
				values[i] = 0.5 + 3.5 * (double)(i - 400) / 140;
		}
		summary_of(&s, 0, &arena, &m, &events);
		assert_int_equal(events_of(&events, TS_EVENT_BLOW_UP), kind == 0);
	}
	s = series_of(64); /* the values of the rise belong to the blow-up, not to the level before */
	for (size_t i = 0; i < 64; i++)
		values[i] = (i < 32 ? 0.5 : i < 40 ? 0.5 + 0.2 * (double)(i - 31) : 4) + 0.01 * (double)(i % 7);
	summary_of(&s, 0, &arena, &m, &events);
	assert_int_equal(event_of(&events, TS_EVENT_BLOW_UP)->first_step, 400);
	ts_arena_finish(&arena);
}

static void runs_that_are_not_finite(void **state)
{
	struct ts_series s = series_of(600);
	struct ts_measures m = {.n = 0};
	struct ts_events events = {.n = 0};
	struct ts_arena arena;

	(void)state;
	ts_arena_init(&arena, CEILING);
	fill(600, 2);
	values[100] = (double)NAN;
	for (size_t i = 200; i < 210; i++)
		values[i] = i % 2 ? HUGE_VAL : -HUGE_VAL;
	summary_of(&s, 0, &arena, &m, &events);
	expect_word(&m, "trend", "plateau"); /* the loss went on as before */
	assert_int_equal(events.n, 2);
	assert_int_equal(events.items[0].first_step, 1000);
	assert_int_equal(events.items[0].last_step, 1000);
	assert_int_equal(events.items[1].first_step, 2000);
	assert_int_equal(events.items[1].last_step, 2090);
	assert_true(events.items[1].score == 10);
	for (size_t i = 0; i < 600; i++) /* there are many: all are counted, TS_EVENTS_MAX are listed */
		if (i % 2)
			values[i] = (double)NAN;
	summary_of(&s, 0, &arena, &m, &events);
	assert_int_equal(events_of(&events, TS_EVENT_NONFINITE), TS_EVENTS_MAX);
	expect_word(&m, "trend", "diverged");
	ts_arena_finish(&arena);
}

/* Every length is tried with every kind of value that a column may hold. */
static void nothing_crashes(void **state)
{
	static const double odd[] = {0, 1, -1, 1e308, -1e308, 5e-324, HUGE_VAL, -HUGE_VAL, (double)NAN};
	enum { ODD = sizeof odd / sizeof odd[0] };
	struct ts_arena arena;
	struct ts_random r;

	(void)state;
	ts_arena_init(&arena, CEILING);
	ts_random_init(&r, 8);
	for (size_t n = 0; n < 120; n++)
		for (size_t kind = 0; kind < ODD + 3; kind++) {
			struct ts_series s = series_of(n);
			struct ts_measures m = {.n = 0};
			struct ts_events events = {.n = 0};

			for (size_t i = 0; i < n; i++)
				values[i] = odd[kind < ODD ? kind :
						kind > ODD ? ts_random_below(&r, kind == ODD + 1 ? 2 : 6) :
							     ts_random_below(&r, ODD)];
			ts_arena_reset(&arena);
			m.cap = events.cap = 0;
			summary_of(&s, 0, &arena, &m, &events);
			for (size_t i = 0; i < m.n; i++) {
				assert_true(m.items[i].known || m.items[i].reason.len > 0);
				assert_false(m.items[i].known && m.items[i].unit == TS_UNIT_RATIO && isnan(m.items[i].value));
			}
		}
	ts_arena_finish(&arena);
}

/* The events that were planted in the corpus are found, and no others at those places. */
static void planted_in_the_corpus(void **state)
{
	static const char *const columns[] = {"scalars.loss", "scalars.grad_norm"};
	struct expected_run *run = test_malloc(sizeof *run);
	struct ts_measures m = {.n = 0};
	struct ts_events events = {.n = 0};
	struct ts_arena arena;

	(void)state;
	ts_arena_init(&arena, CEILING);
	assert_true(expected_load("cross", &arena, run));
	for (size_t i = 0; i < 2; i++) {
		summary_of(expected_column(run, columns[i]), 0, &arena, &m, &events);
		assert_int_equal(events.n, 1);
		assert_int_equal(events.items[0].kind, TS_EVENT_SPIKE);
		assert_int_equal(events.items[0].first_step, 70);
		assert_int_equal(events.items[0].last_step, 72);
	}
	assert_true(expected_load("lossnan", &arena, run));
	summary_of(expected_column(run, "scalars.loss"), 0, &arena, &m, &events);
	expect_word(&m, "trend", "diverged");
	assert_int_equal(event_of(&events, TS_EVENT_NONFINITE)->first_step, 20);
	test_free(run);
	ts_arena_finish(&arena);
}

/* A loss that rises slowly has diverged where it doubles, and gets worse where it does not. Another series never diverges so, and
 * a rise of a few thousandths of what was gained is none. */
static void a_slow_rise(void **state)
{
	struct ts_series s = series_of(1000);
	struct ts_measures m = {.n = 0};
	double from, by;
	struct ts_arena arena;

	(void)state;
	ts_arena_init(&arena, CEILING);
	for (size_t i = 0; i < 1000; i++)
		values[i] = (1 + 4 * exp(-(double)i / 50)) * pow(3, fmax((double)i - 600, 0) / 400);
	summary(&s, 0, &arena, &m);
	expect_word(&m, "trend", "diverged");
	assert_true(test_value(&m, "convergence", "loss", "rise_step", &from) && from > 5500 && from < 6800);
	assert_true(test_value(&m, "convergence", "loss", "rise_ratio", &by) && by > 1.7 && by <= 2);
	for (size_t i = 0; i < 1000; i++)
		values[i] = 1 + 4 * exp(-(double)i / 50) + 0.3 * fmax((double)i - 600, 0) / 400;
	summary(&s, 0, &arena, &m);
	expect_word(&m, "trend", "worsening");
	for (size_t i = 0; i < 1000; i++)
		values[i] = 1 + 4 * exp(-(double)i / 50) + 0.015 * fmax((double)i - 600, 0) / 400;
	summary(&s, 0, &arena, &m);
	expect_word(&m, "trend", "plateau");
	assert_null(test_find(&m, "convergence", "loss", "rise_step"));
	for (size_t i = 0; i < 1000; i++)
		values[i] = 1 + 4 * exp(-(double)i / 50) + fmax((double)i - 600, 0) / 100;
	s.name = ts_span_str("scalars.grad_norm");
	summary(&s, 0, &arena, &m);
	assert_true(ts_span_is(test_find(&m, "convergence", "grad_norm", "trend")->text, "rising"));
	ts_arena_finish(&arena);
}

static void no_memory(void **state)
{
	struct ts_series s = series_of(600);
	size_t refused = 0;

	(void)state;
	fill(600, 3);
	values[300] = 50;
	for (size_t i = 590; i < 600; i++)
		values[i] = 100;
	for (size_t ceiling = 64;; ceiling += 256) {
		struct ts_measures m = {.n = 0};
		struct ts_events events = {.n = 0};
		struct ts_plots plots = {.n = 0};
		struct ts_error err = {.status = TS_OK};
		struct ts_arena small;
		enum ts_status status;

		ts_arena_init(&small, ceiling);
		status = ts_convergence_summary(&s, 0, &small, &m, &events, &plots, NULL, &err);
		ts_arena_finish(&small);
		if (!status)
			break;
		refused++;
		assert_int_equal(status, TS_NO_MEMORY);
	}
	assert_true(refused > 10);
}

/* A measure that no scenario produces would be a name in measures.inc and nothing else. */
static void every_measure_is_made(void **state)
{
	/* test_analyze_run makes these. */
	static const enum ts_measure_name elsewhere[] = {
		TS_M_SERIES_MOVE,	 TS_M_SERIES_MOVE_AT,  TS_M_SERIES_MOVE_BEFORE, TS_M_SERIES_MOVE_AFTER, TS_M_SERIES_MOVE_WORSE,
		TS_M_SERIES_MOVE_FROZEN, TS_M_SERIES_LOST,  TS_M_MOVES_ASKED,	TS_M_BATCHES_RECORDED,	TS_M_BATCHES_PERIOD,
		TS_M_BATCHES_REPEATED,	 TS_M_BATCHES_REPEATED_AT, TS_M_BATCHES_SHARED, TS_M_BATCHES_DOUBLED,
		TS_M_PARAMS_STILL, TS_M_PARAMS_STILL_AT, TS_M_PARAMS_RECORDED, TS_M_PARAMS_STILL_RATE,
		TS_M_SKIPS, TS_M_SKIPS_AMONG, TS_M_SKIPS_FIRST, TS_M_SKIPS_LAST, TS_M_SKIPS_OVERFLOWED, TS_M_SKIPS_BEFORE,
		TS_M_SKIPS_AFTER, TS_M_MODES_OBSERVED, TS_M_MODES_WHOLE, TS_M_MODES_WHOLE_AT, TS_M_MODES_PART,
		TS_M_MODES_PART_AT, TS_M_MODES_MODULES, TS_M_MODES_IN_EVAL, TS_M_MODES_NORMS, TS_M_MODES_DROPOUTS,
		TS_M_MODES_PARAMETERS, TS_M_MODES_UPDATED, TS_M_MODES_CLASSES,
		TS_M_GRADS_RECORDED, TS_M_GRADS_STALE, TS_M_GRADS_STALE_AT, TS_M_LOSS_SAME, TS_M_LOSS_SAME_OF,
		TS_M_LOSS_SAME_AT, TS_M_LOSS_SAME_BATCHES, TS_M_LOSS_SAME_VALUE, TS_M_UNTRAINED, TS_M_UNTRAINED_OF,
		TS_M_UNTRAINED_NAMES, TS_M_UNTRAINED_FROM, TS_M_UNTRAINED_TO, TS_M_KEPT, TS_M_KEPT_OF, TS_M_KEPT_NAME, TS_M_KEPT_AT,
		TS_M_BATCHES_NEXT, TS_M_BATCHES_NEXT_OF, TS_M_BATCHES_NEXT_AT, TS_M_INPUT_SAME, TS_M_INPUT_SAME_NAMES,
		TS_M_INPUT_SAME_AT, TS_M_INPUT_SAME_TIMES, TS_M_EVALUATION_WRITES, TS_M_EVALUATIONS, TS_M_EVALUATION_STATISTICS,
		TS_M_EVALUATION_OTHERS, TS_M_EVALUATION_NAMES, TS_M_EVALUATION_AT, TS_M_EVALUATION_EVERY, TS_MEASURE_NAMES};

	(void)state;
	assert_true(test_seen_all(TS_ANSWER_CONVERGENCE, elsewhere));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(first_last_best), cmocka_unit_test(the_end_of_a_lost_series),
		cmocka_unit_test(what_has_no_direction),
		cmocka_unit_test(agrees_with_pytscope),
		cmocka_unit_test(a_straight_line), cmocka_unit_test(a_trend_with_its_interval),
		cmocka_unit_test(trends),	   cmocka_unit_test(blow_ups),
		cmocka_unit_test(no_blow_up),	   cmocka_unit_test(runs_that_are_not_finite),
		cmocka_unit_test(nothing_crashes), cmocka_unit_test(planted_in_the_corpus),
		cmocka_unit_test(a_slow_rise),
		cmocka_unit_test(no_memory),	   cmocka_unit_test(every_measure_is_made),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
