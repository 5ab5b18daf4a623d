#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "analysis/answer/test_seen.h"
#include "analysis/rank/test_expected.h"
#include "analysis/rank/timing.h"
#include "analysis/stats/random.h"

#include <stdio.h>

enum { CEILING = 64 << 20 };

static void must(enum ts_status status, const struct ts_error *err)
{
	if (status)
		fail_msg("%s", err->text);
}

static const bool DECLARED = true;

/* Runs both passes over phases in display order. */
static void time_phases(struct ts_timing *t, const int64_t *steps, size_t n, const struct ts_series *const *phases,
			size_t n_phases, bool has_warmup, uint64_t warmup, struct ts_arena *arena)
{
	struct ts_error err;

	must(ts_timing_begin(t, steps, n, arena, &err), &err);
	for (size_t i = 0; i < n_phases; i++)
		must(ts_timing_total(t, phases[i], &err), &err);
	must(ts_timing_cut(t, has_warmup, warmup, &err), &err);
	for (size_t i = 0; i < n_phases; i++)
		must(ts_timing_phase(t, phases[i], &err), &err);
}

static void time_run(const struct expected_run *run, struct ts_arena *arena, struct ts_measures *m)
{
	const struct ts_series *phases[32];
	struct ts_timing t;
	struct ts_error err;
	size_t n = 0;

	for (size_t i = 0; i < run->n_columns; i++)
		if (ts_span_starts(run->columns[i].name, ts_span_str("phases.")))
			phases[n++] = &run->columns[i];
	time_phases(&t, run->steps, run->n_steps, phases, n, DECLARED, 0, arena);
	must(ts_timing_finish(&t, expected_column(run, "timestamp"), arena, m, NULL, NULL, &err), &err);
	assert_true(test_seen(m));
}

/* Both values are NaN, or they are equal within expect_measure's 4 units in the last place. */
static void expect_parity(const struct ts_measures *m, const char *subject, const char *name, double want)
{
	const struct ts_measure *row = test_find(m, "timing", subject, name);

	if (row && row->known && isnan(want) && isnan(row->value))
		return;
	expect_measure(m, "timing", subject, name, want);
}

/* "timing.phase_seconds.forward" of pytscope is our timing/forward/mean_s. */
static size_t expect_phases(const struct expected_run *run, const struct ts_measures *m, const char *prefix,
			    const char *name)
{
	size_t seen = 0;

	for (size_t i = 0; i < run->n_numbers; i++) {
		struct ts_span path = run->numbers[i].path;
		char phase[64];

		if (!ts_span_starts(path, ts_span_str(prefix)))
			continue;
		snprintf(phase, sizeof phase, "%.*s", (int)(path.len - strlen(prefix)),
			 (const char *)path.data + strlen(prefix));
		expect_parity(m, phase, name, run->numbers[i].value);
		seen++;
	}
	return seen;
}

/* Compares every number of the timing section of every expected file, in full precision. */
static void agrees_with_pytscope(void **state)
{
	static const char *const names[] = {"demo", "cross", "lossnan", "allnan", "10k_a"};
	static const char *const rows[][2] = {
		{"timing.n_steps", "count"},
		{"timing.mean_step_time", "mean_s"},
		{"timing.std_step_time", "stddev_s"},
		{"timing.p50_step_time", "median_s"},
		{"timing.p95_step_time", "p95_s"},
		{"timing.steps_per_sec", "rate_per_s"},
		{"timing.total_time", "total_s"},
		{"timing.cv", "cv_ratio"},
		{"timing.p95_p50_ratio", "tail_ratio"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
		struct expected_run *run = test_malloc(sizeof *run);
		struct ts_measures m = {.n = 0};
		struct ts_arena arena;
		size_t timing = 0, seen = sizeof rows / sizeof rows[0];

		ts_arena_init(&arena, CEILING);
		if (!expected_load(names[i], &arena, run)) {
			assert_string_equal(names[i], "10k_a"); /* the only run without a copy in the repository */
			test_free(run);
			ts_arena_finish(&arena);
			continue;
		}
		time_run(run, &arena, &m);
		for (size_t k = 0; k < sizeof rows / sizeof rows[0]; k++)
			expect_parity(&m, "step", rows[k][1], expected_number(run, rows[k][0]));
		seen += expect_phases(run, &m, "timing.phase_seconds.", "mean_s");
		seen += expect_phases(run, &m, "timing.phase_fractions.", "share_ratio");
		for (size_t k = 0; k < run->n_numbers; k++)
			timing += ts_span_starts(run->numbers[k].path, ts_span_str("timing."));
		assert_int_equal(seen, timing); /* every number was compared */
		test_free(run);
		ts_arena_finish(&arena);
	}
}

/* The steps are 10 20 30 40 50; forward is on all of them, eval on two. The numbers were computed by hand. */
static const int64_t steps[] = {10, 20, 30, 40, 50};
static const double forward[] = {9.0, 1.0, 2.0, 3.0, 2.0};
static const int64_t eval_steps[] = {20, 40};
static const double eval[] = {4.0, 6.0};
static const double stamps[] = {100.0, 106.0, 109.0, 120.0, 123.0};

static void time_small(size_t warmup, const struct ts_series *timestamps, struct ts_arena *arena, struct ts_measures *m,
		       struct ts_timing *t)
{
	struct ts_series f = {.name = ts_span_str("phases.forward"), .keys = steps, .values = forward, .n = 5};
	struct ts_series e = {.name = ts_span_str("phases.eval"), .keys = eval_steps, .values = eval, .n = 2};
	const struct ts_series *const phases[] = {&f, &e};
	struct ts_error err;

	time_phases(t, steps, 5, phases, 2, DECLARED, warmup, arena);
	must(ts_timing_finish(t, timestamps, arena, m, NULL, NULL, &err), &err);
	assert_true(test_seen(m));
}

/* Analyses one phase on all five steps, without warm-up. */
static void time_one(const double *values, struct ts_arena *arena, struct ts_measures *m, struct ts_plots *plots)
{
	struct ts_series s = {.name = ts_span_str("phases.x"), .keys = steps, .values = values, .n = 5};
	const struct ts_series *const phases[] = {&s};
	struct ts_timing t;
	struct ts_error err;

	time_phases(&t, steps, 5, phases, 1, DECLARED, 0, arena);
	must(ts_timing_finish(&t, NULL, arena, m, NULL, plots, &err), &err);
	assert_true(test_seen(m));
}

static void expect_text(const struct ts_measures *m, const char *subject, const char *name, const char *want)
{
	const struct ts_measure *row = test_find(m, "timing", subject, name);

	assert_non_null(row);
	assert_int_equal(row->unit, TS_UNIT_TEXT);
	assert_true(row->known);
	assert_true(ts_span_is(row->text, want));
}

static void warmup_and_absent_phases(void **state)
{
	struct ts_series ts = {.name = ts_span_str("timestamp"), .keys = steps, .values = stamps, .n = 5};
	struct ts_measures m = {.n = 0};
	struct ts_timing t;
	struct ts_arena arena;

	(void)state;
	ts_arena_init(&arena, CEILING);
	time_small(1, &ts, &arena, &m, &t);
	assert_int_equal(t.warmup_cut, 1);
	assert_int_equal(t.first, 20);
	assert_int_equal(ts_timing_steps(&t).n, 4);
	assert_int_equal(ts_timing_steps(&t).keys[0], 20);
	/* The step times are 5 2 9 2. */
	expect_measure(&m, "timing", "step", "count", 4);
	expect_measure(&m, "timing", "step", "total_s", 18);
	expect_measure(&m, "timing", "step", "mean_s", 4.5);
	expect_measure(&m, "timing", "step", "median_s", 3.5);
	expect_measure(&m, "timing", "step", "stddev_s", 2.8722813232690143);
	expect_measure(&m, "timing", "step", "max_s", 9);
	expect_measure(&m, "timing", "step", "max_step", 40);
	expect_measure(&m, "timing", "step", "stall_ratio", 0); /* 9 is not above 3 * 3.5 */
	expect_measure(&m, "timing", "forward", "mean_s", 2);
	expect_measure(&m, "timing", "forward", "total_s", 8);
	expect_measure(&m, "timing", "forward", "count", 4);
	expect_measure(&m, "timing", "eval", "mean_s", 2.5); /* the mean is over all steps, and an absent value counts as 0 */
	expect_measure(&m, "timing", "eval", "median_s", 5); /* the median is over the steps that have the phase */
	expect_measure(&m, "timing", "eval", "count", 2);
	expect_measure(&m, "timing", "eval", "share_ratio", 10.0 / 18.0);
	/* 123 - 106, of which the phases of steps 30 to 50 account for 13. */
	expect_measure(&m, "timing", "wall", "total_s", 17);
	expect_measure(&m, "timing", "wall", "unattributed_s", 4);
	expect_measure(&m, "timing", "wall", "unattributed_ratio", 4.0 / 17.0);
	expect_measure(&m, "timing", "wall", "gap_count", 0);
	expect_measure(&m, "timing", "wall", "unstamped_count", 0);
	expect_measure(&m, "timing", "warmup", "cut_count", 1);
	expect_text(&m, "warmup", "method", "declared");
	expect_measure(&m, "timing", "warmup", "level_before_s", 9);
	expect_measure(&m, "timing", "warmup", "level_after_s", 3.5);
	ts_arena_finish(&arena);
}

/* Two steps of 10 s by their timestamps, with 4 s of a device and 8 s of the host each: their shares are of the 24 s of both. */
static void phases_that_overlap(void **state)
{
	static const int64_t timed[] = {1, 2}, stamped[] = {0, 1, 2};
	static const double tens[] = {10, 10}, fours[] = {4, 4}, eights[] = {8, 8}, ends[] = {100, 110, 120};
	struct ts_series times = {.name = ts_span_str("step"), .keys = timed, .values = tens, .n = 2};
	struct ts_series device = {.name = ts_span_str("phases.forward"), .keys = timed, .values = fours, .n = 2};
	struct ts_series host = {.name = ts_span_str("phases.between"), .keys = timed, .values = eights, .n = 2};
	struct ts_series known = {.name = ts_span_str("timestamp"), .keys = stamped, .values = ends, .n = 3};
	struct ts_measures m = {.n = 0};
	struct ts_timing t;
	struct ts_arena arena;
	struct ts_error err;

	(void)state;
	ts_arena_init(&arena, CEILING);
	must(ts_timing_begin(&t, timed, 2, &arena, &err), &err);
	t.stamped = t.overlapped = true;
	must(ts_timing_total(&t, &times, &err), &err);
	must(ts_timing_cut(&t, DECLARED, 0, &err), &err);
	must(ts_timing_phase(&t, &device, &err), &err);
	must(ts_timing_phase(&t, &host, &err), &err);
	must(ts_timing_finish(&t, &known, &arena, &m, NULL, NULL, &err), &err);
	expect_text(&m, "step", "source", "timestamps");
	expect_measure(&m, "timing", "step", "mean_s", 10);
	expect_measure(&m, "timing", "forward", "mean_s", 4);
	expect_measure(&m, "timing", "forward", "share_ratio", 8.0 / 24.0);
	expect_measure(&m, "timing", "between", "share_ratio", 16.0 / 24.0);
	expect_measure(&m, "timing", "wall", "total_s", 20);
	expect_measure(&m, "timing", "wall", "unattributed_s", -4);
	expect_unknown(&m, "timing", "wall", "unattributed_ratio");
	ts_arena_finish(&arena);
}

static void unknown_is_not_zero(void **state)
{
	struct ts_measures m = {.n = 0};
	struct ts_plots plots = {.n = 0};
	struct ts_timing t;
	struct ts_arena arena;
	struct ts_error err;
	static const double zeros[5];

	(void)state;
	ts_arena_init(&arena, CEILING);
	time_small(5, NULL, &arena, &m, &t);
	assert_int_equal(t.warmup_cut, 5);
	expect_measure(&m, "timing", "step", "count", 0);
	expect_unknown(&m, "timing", "step", "mean_s");
	expect_unknown(&m, "timing", "step", "rate_per_s");
	expect_unknown(&m, "timing", "step", "max_step");
	expect_unknown(&m, "timing", "step", "stall_ratio");
	expect_unknown(&m, "timing", "forward", "mean_s");
	expect_unknown(&m, "timing", "forward", "total_s");
	expect_unknown(&m, "timing", "wall", "total_s");
	expect_unknown(&m, "timing", "wall", "gap_s");
	expect_measure(&m, "timing", "warmup", "level_before_s", 5); /* the median of 9 5 2 9 2 */
	expect_unknown(&m, "timing", "warmup", "level_after_s");
	m.n = 0;
	time_phases(&t, NULL, 0, NULL, 0, false, 0, &arena);
	must(ts_timing_finish(&t, NULL, &arena, &m, NULL, &plots, &err), &err);
	assert_true(test_seen(&m));
	expect_unknown(&m, "timing", "step", "median_s");
	expect_measure(&m, "timing", "warmup", "cut_count", 0);
	expect_unknown(&m, "timing", "warmup", "method");
	assert_null(test_find(&m, "timing", "warmup", "level_before"));
	assert_int_equal(plots.n, 0);
	m.n = 0;
	time_one(zeros, &arena, &m, NULL);
	expect_measure(&m, "timing", "step", "mean_s", 0);
	expect_measure(&m, "timing", "step", "max_s", 0);
	expect_measure(&m, "timing", "step", "max_step", 10); /* the first of equal values */
	expect_unknown(&m, "timing", "step", "cv_ratio");
	expect_unknown(&m, "timing", "step", "tail_ratio");
	expect_unknown(&m, "timing", "step", "rate_per_s");
	expect_unknown(&m, "timing", "step", "stall_ratio");
	expect_unknown(&m, "timing", "x", "share_ratio");
	ts_arena_finish(&arena);
}

static void a_nan_shows_as_nan(void **state)
{
	static const double nan[] = {1.0, (double)NAN, 2.0, 3.0, 4.0};
	static const double inf[] = {1.0, HUGE_VAL, 2.0, 3.0, 4.0};
	static const double none[] = {(double)NAN, (double)NAN, (double)NAN, (double)NAN, (double)NAN};
	struct ts_measures m = {.n = 0};
	struct ts_arena arena;

	(void)state;
	ts_arena_init(&arena, CEILING);
	time_one(nan, &arena, &m, NULL);
	assert_true(isnan(test_find(&m, "timing", "step", "mean_s")->value));
	assert_true(isnan(test_find(&m, "timing", "x", "median_s")->value));
	expect_measure(&m, "timing", "step", "max_s", 4);
	expect_measure(&m, "timing", "step", "max_step", 50);
	m.n = 0;
	time_one(inf, &arena, &m, NULL);
	assert_true(test_find(&m, "timing", "step", "total_s")->value == HUGE_VAL);
	expect_measure(&m, "timing", "step", "median_s", 3);
	expect_measure(&m, "timing", "step", "max_step", 50);
	m.n = 0;
	time_one(none, &arena, &m, NULL);
	expect_unknown(&m, "timing", "step", "max_s");
	expect_unknown(&m, "timing", "step", "stall_ratio");
	ts_arena_finish(&arena);
}

/* One step takes 40 of 48 s and is at least 5 medians long: 38 s of it are beyond the median of 2. */
static void stalls_and_the_plot(void **state)
{
	static const double values[] = {2.0, 2.0, 40.0, 2.0, 2.0};
	struct ts_measures m = {.n = 0};
	struct ts_plots plots = {.n = 0};
	struct ts_arena arena;

	(void)state;
	ts_arena_init(&arena, CEILING);
	time_one(values, &arena, &m, &plots);
	expect_measure(&m, "timing", "step", "stall_ratio", 38.0 / 48.0);
	assert_int_equal(plots.n, 1);
	assert_true(ts_span_is(plots.items[0].group, "timing"));
	assert_true(ts_span_is(plots.items[0].subject, "step"));
	assert_true(ts_span_is(plots.items[0].name, "value"));
	assert_int_equal(plots.items[0].unit, TS_UNIT_SECONDS);
	assert_int_equal(plots.items[0].first_step, 10);
	assert_true(plots.items[0].max[20] == 40.0); /* steps 10 to 50 are 41 cells */
	ts_arena_finish(&arena);
}

/* There are 3 steps of 5 s and 57 of 1 s; forward is 0.75 and backward 0.25 of each. */
static void the_warmup_that_is_found_is_left_out(void **state)
{
	enum { N = 60 };
	int64_t keys[N];
	double f[N], b[N];
	struct ts_series forward_phase = {.name = ts_span_str("phases.forward"), .keys = keys, .values = f, .n = N};
	struct ts_series backward = {.name = ts_span_str("phases.backward"), .keys = keys, .values = b, .n = N};
	const struct ts_series *const phases[] = {&forward_phase, &backward};
	struct ts_measures m = {.n = 0};
	struct ts_timing t;
	struct ts_arena arena;
	struct ts_error err;

	(void)state;
	for (int i = 0; i < N; i++) {
		keys[i] = 100 + i;
		f[i] = i < 3 ? 3.75 : 0.75;
		b[i] = i < 3 ? 1.25 : 0.25;
	}
	ts_arena_init(&arena, CEILING);
	time_phases(&t, keys, N, phases, 2, false, 0, &arena);
	must(ts_timing_finish(&t, NULL, &arena, &m, NULL, NULL, &err), &err);
	assert_true(test_seen(&m));
	assert_int_equal(t.first, 103);
	expect_measure(&m, "timing", "warmup", "cut_count", 3);
	expect_text(&m, "warmup", "method", "found");
	expect_measure(&m, "timing", "warmup", "level_before_s", 5);
	expect_measure(&m, "timing", "warmup", "level_after_s", 1);
	expect_measure(&m, "timing", "step", "count", 57);
	expect_measure(&m, "timing", "step", "total_s", 57);
	expect_measure(&m, "timing", "backward", "total_s", 14.25);
	m.n = 0;
	time_phases(&t, keys + 3, N - 3, NULL, 0, false, 0, &arena);
	must(ts_timing_finish(&t, NULL, &arena, &m, NULL, NULL, &err), &err);
	assert_true(test_seen(&m));
	expect_text(&m, "warmup", "method", "none found");
	expect_measure(&m, "timing", "warmup", "cut_count", 0);
	ts_arena_finish(&arena);
}

/* Steps take 1 s with 1 % of ripple; step 150 takes 8 s, and steps from 200 on take 2 s. */
static void unusual_steps_are_events(void **state)
{
	enum { N = 400 };
	int64_t keys[N];
	double x[N];
	struct ts_series s = {.name = ts_span_str("phases.x"), .keys = keys, .values = x, .n = N};
	const struct ts_series *const phases[] = {&s};
	struct ts_measures m = {.n = 0};
	struct ts_events events = {.n = 0};
	struct ts_random random;
	struct ts_timing t;
	struct ts_arena arena;
	struct ts_error err;

	(void)state;
	ts_random_init(&random, 1);
	for (int i = 0; i < N; i++) {
		keys[i] = 2 * i;
		x[i] = (i < 200 ? 1.0 : 2.0) * (i == 150 ? 8.0 : 1.0) + 0.01 * ts_random_normal(&random);
	}
	x[100] = 0.2; /* a fast step is not an event */
	ts_arena_init(&arena, CEILING);
	time_phases(&t, keys, N, phases, 1, DECLARED, 0, &arena);
	must(ts_timing_finish(&t, NULL, &arena, &m, &events, NULL, &err), &err);
	assert_true(test_seen(&m));
	expect_measure(&m, "timing", "step", "spikes_count", 1);
	expect_measure(&m, "timing", "step", "shifts_count", 1);
	assert_int_equal(events.n, 2);
	assert_int_equal(events.items[0].kind, TS_EVENT_SPIKE);
	assert_int_equal(events.items[0].first_step, 300);
	assert_true(events.items[0].value == x[150]);
	assert_int_equal(events.items[1].kind, TS_EVENT_SHIFT);
	assert_int_equal(events.items[1].first_step, 400);
	assert_true(fabs(events.items[1].value - 2.0) < 0.01);
	assert_true(fabs(events.items[1].expected - 1.0) < 0.01);
	assert_true(ts_span_is(events.items[0].group, "timing"));
	assert_true(ts_span_is(events.items[0].subject, "step"));
	expect_text(&m, "slowdown", "kind", "step");
	expect_measure(&m, "timing", "slowdown", "first_step", 400);
	assert_true(fabs(test_find(&m, "timing", "slowdown", "rise_ratio")->value - 1) < 0.02);
	assert_true(fabs(test_find(&m, "timing", "slowdown", "cost_ratio")->value - 200.0 / 607) < 0.01);
	/* Levels that come and go: 80 of each 200 steps take 2 s. */
	for (int i = 0; i < N; i++)
		x[i] = 1.0 + (i % 200 < 80) + 0.01 * ts_random_normal(&random);
	m.n = 0;
	time_phases(&t, keys, N, phases, 1, DECLARED, 0, &arena);
	must(ts_timing_finish(&t, NULL, &arena, &m, &events, NULL, &err), &err);
	assert_true(test_seen(&m));
	expect_text(&m, "slowdown", "kind", "two levels");
	expect_measure(&m, "timing", "levels", "switches_count", 3);
	assert_true(fabs(test_find(&m, "timing", "levels", "cost_ratio")->value - 160.0 / 560) < 0.03);
	m.n = 0;
	time_phases(&t, keys, 5, phases, 0, DECLARED, 0, &arena);
	must(ts_timing_finish(&t, NULL, &arena, &m, &events, NULL, &err), &err);
	assert_true(test_seen(&m));
	expect_unknown(&m, "timing", "slowdown", "kind");
	expect_unknown(&m, "timing", "step", "spikes_count");
	expect_unknown(&m, "timing", "step", "shifts_count");
	ts_arena_finish(&arena);
}

/* Of 200 steps six are long, of which five save a checkpoint, as one that is not long does; the other tag is on every second step. */
static void long_steps_have_tags(void **state)
{
	enum { N = 200 };
	static int64_t saved[] = {20, 50, 80, 110, 140, 150}, odd[N / 2];
	static const struct ts_timing_tag tags[] = {{{(const uint8_t *)"odd", 3}, odd, N / 2},
						    {{(const uint8_t *)"checkpoint", 10}, saved, sizeof saved / sizeof saved[0]}};
	int64_t keys[N];
	double x[N];
	struct ts_series s = {.name = ts_span_str("phases.x"), .keys = keys, .values = x, .n = N};
	const struct ts_series *const phases[] = {&s};
	struct ts_measures m = {.n = 0};
	struct ts_events events = {.n = 0};
	struct ts_random random;
	struct ts_timing t;
	struct ts_arena arena;
	struct ts_error err;

	(void)state;
	ts_random_init(&random, 2);
	for (int i = 0; i < N; i++) {
		keys[i] = i;
		x[i] = 1 + 0.01 * ts_random_normal(&random) + (i == 33 || (i % 30 == 20 && i < 150) ? 4 : 0);
		odd[i / 2] = 2 * (i / 2) + 1;
	}
	ts_arena_init(&arena, CEILING);
	for (size_t n = 1; n <= 2; n++) {
		m.n = 0;
		time_phases(&t, keys, N, phases, 1, DECLARED, 0, &arena);
		t.tags = tags;
		t.n_tags = n;
		must(ts_timing_finish(&t, NULL, &arena, &m, &events, NULL, &err), &err);
		assert_true(test_seen(&m));
		if (n == 1)
			assert_null(test_find(&m, "timing", "step", "tagged"));
		else
			/* 5 of 6 take 4 s more: 20 s of 200 + 24. */
			expect_text(&m, "step", "tagged",
				    "5 of 6 spikes are at steps tagged checkpoint, of which there are 6; "
				    "steps with this tag cost 8.9 % of the time");
	}
	ts_arena_finish(&arena);
}

/* Of 100 steps of 1 s four are long. Steps 10 (11 s) and 20 (9 s) waited for a CPU for 9.5 and 4 s, step 30 (8 s) did not, and step 40
 * (5 s) has waits of several steps. By hand, of 96 + 33 = 129 s: without its wait step 10 took 1.5 s and is no stall, step 20 took 5 s,
 * 4 of them beyond the median, and step 30 loses 7: it is the longest. Step 40 reaches for 5 of its 7 s, and none of that is a stall;
 * 4 s of it were lost. */
static void what_waits_for_a_cpu_is_no_stall(void **state)
{
	static const double waited[] = {9.5, 4, 7, 0.25}, nothing[] = {0};
	static const int64_t at[] = {10, 20, 40, 50};
	struct ts_series waits = {.keys = at, .values = waited, .n = 4}, none = {.keys = at, .values = nothing, .n = 1}, phase;
	struct ts_measures m = {.n = 0};
	struct ts_arena arena;
	struct ts_timing t;
	struct ts_error err;
	int64_t keys[100];
	double values[100];

	(void)state;
	ts_arena_init(&arena, CEILING);
	for (int i = 0; i < 100; i++) {
		keys[i] = i;
		values[i] = i == 10 ? 11 : i == 20 ? 9 : i == 30 ? 8 : i == 40 ? 5 : 1;
	}
	phase = (struct ts_series){.name = ts_span_str("phases.step"), .keys = keys, .values = values, .n = 100};
	for (int known = 0; known < 3; known++) {
		const struct ts_series *one[] = {&phase};

		m = (struct ts_measures){.n = 0};
		time_phases(&t, keys, 100, one, 1, DECLARED, 0, &arena);
		if (known)
			must(ts_timing_waits(&t, known == 2 ? &waits : &none, &err), &err);
		must(ts_timing_finish(&t, NULL, &arena, &m, NULL, NULL, &err), &err);
		assert_true(test_seen(&m));
		expect_measure(&m, "timing", "step", "stall_ratio", (known == 2 ? 4 + 7 : 10 + 8 + 7 + 4) / 129.0);
		expect_measure(&m, "timing", "step", "stall_step", known == 2 ? 30 : 10);
		assert_int_equal(test_find(&m, "timing", "cpu_wait", "waited_s") != NULL, known > 0);
	}
	expect_measure(&m, "timing", "cpu_wait", "waited_s", 20.75);
	expect_measure(&m, "timing", "cpu_wait", "waited_ratio", 20.75 / 129);
	expect_measure(&m, "timing", "cpu_wait", "longest_s", 9.5);
	expect_measure(&m, "timing", "cpu_wait", "longest_step", 10);
	expect_measure(&m, "timing", "cpu_wait", "step_s", 11);
	expect_measure(&m, "timing", "cpu_wait", "stall_ratio", (9.5 + 4 + 4) / 129);
	ts_arena_finish(&arena);
}

/* Of 400 steps of 1 s, each 40th saves for 5 s more, one of them does not, and one step of the others stalls for 9 s. By hand: 9
 * slow steps lose 45 s; the total is 400 + 45 + 9. */
static void a_period_is_no_stall(void **state)
{
	enum { N = 400 };
	int64_t keys[N];
	double x[N], save[N];
	struct ts_series s = {.name = ts_span_str("phases.forward"), .keys = keys, .values = x, .n = N};
	struct ts_series saves = {.name = ts_span_str("phases.save"), .keys = keys, .values = save, .n = N};
	const struct ts_series *const phases[] = {&s, &saves};
	struct ts_measures m = {.n = 0};
	struct ts_timing t;
	struct ts_arena arena;
	struct ts_error err;

	(void)state;
	for (int i = 0; i < N; i++) {
		keys[i] = 1003 + i;
		x[i] = i == 210 ? 10.0 : 1.0;
		save[i] = keys[i] % 40 == 7 && i != 204 ? 5.0 : 0.0;
	}
	ts_arena_init(&arena, CEILING);
	time_phases(&t, keys, N, phases, 2, DECLARED, 0, &arena);
	must(ts_timing_finish(&t, NULL, &arena, &m, NULL, NULL, &err), &err);
	assert_true(test_seen(&m));
	expect_measure(&m, "timing", "period 1", "every_count", 40);
	expect_measure(&m, "timing", "period 1", "at_step", 7);
	expect_measure(&m, "timing", "period 1", "slow_count", 9);
	expect_measure(&m, "timing", "period 1", "places_count", 10);
	expect_measure(&m, "timing", "period 1", "usual_s", 6);
	expect_measure(&m, "timing", "period 1", "others_s", 1);
	expect_measure(&m, "timing", "period 1", "longest_s", 6);
	expect_measure(&m, "timing", "period 1", "cost_ratio", 45.0 / 454.0);
	expect_text(&m, "period 1", "phase", "save");
	expect_text(&m, "period 1", "cause", "other"); /* a phase of this name closes no optimizer step */
	assert_null(test_find(&m, "timing", "period 2", "every_count"));
	expect_measure(&m, "timing", "step", "stall_ratio", 9.0 / 454.0);
	expect_measure(&m, "timing", "step", "stall_s", 10);
	expect_measure(&m, "timing", "step", "stall_step", 1213);
	expect_measure(&m, "timing", "step", "calm_tail", 1);
	/* What the run says of itself names the period. */
	for (int said = 0; said < 3; said++) {
		static const char *const causes[] = {"gradient accumulation", "loader workers", "like gradient accumulation"};
		struct ts_series times = {.name = s.name, .keys = keys, .values = x, .n = 90};

		for (int i = 0; i < N; i++)
			x[i] = i % 8 == 3 ? 3.0 : 1.0;
		m.n = 0;
		must(ts_timing_begin(&t, keys, 90, &arena, &err), &err);
		t.accumulation = said == 0 ? 8 : 0;
		t.loader_workers = said == 1 ? 8 : 0;
		must(ts_timing_total(&t, &times, &err), &err);
		must(ts_timing_cut(&t, DECLARED, 0, &err), &err);
		must(ts_timing_phase(&t, &times, &err), &err);
		must(ts_timing_finish(&t, NULL, &arena, &m, NULL, NULL, &err), &err);
		expect_measure(&m, "timing", "period 1", "every_count", 8);
		expect_text(&m, "period 1", "cause", causes[said]);
		expect_measure(&m, "timing", "step", "stall_ratio", 0);
	}
	ts_arena_finish(&arena);
}

/* A tenth from each of ten phases adds up to 1: the carries of the compensated sum are part of the step's time. */
static void phases_add_up_exactly(void **state)
{
	static const double tenth[] = {0.1, 0.1, 0.1, 0.1, 0.1}, parts[] = {1.0, 0x1p54, 2.0};
	struct ts_series s = {.name = ts_span_str("phases.x"), .keys = steps, .values = tenth, .n = 5};
	struct ts_series last = {.name = ts_span_str("phases.y"), .keys = steps + 4, .values = tenth, .n = 1};
	struct ts_timing t;
	struct ts_arena arena;
	struct ts_error err;

	(void)state;
	ts_arena_init(&arena, CEILING);
	must(ts_timing_begin(&t, steps, 5, &arena, &err), &err);
	for (int i = 0; i < 9; i++)
		must(ts_timing_total(&t, &s, &err), &err);
	must(ts_timing_total(&t, &last, &err), &err);
	must(ts_timing_cut(&t, DECLARED, 0, &err), &err);
	assert_true(t.total[0] == 0.9);
	assert_true(t.total[4] == 1.0); /* plain addition gives 0.9999999999999999 */
	/* 2^54 + 3 is nearest to 2^54 + 4; plain addition gives 2^54. The small value comes first. */
	must(ts_timing_begin(&t, steps, 1, &arena, &err), &err);
	for (int i = 0; i < 3; i++)
		must(ts_timing_total(&t, &(struct ts_series){.keys = steps, .values = &parts[i], .n = 1}, &err), &err);
	must(ts_timing_cut(&t, DECLARED, 0, &err), &err);
	assert_true(t.total[0] == 0x1p54 + 4.0);
	ts_arena_finish(&arena);
}

/* The whole analysis runs with arenas of every size: either it reports that memory is short, or it completes. */
static void short_memory_is_told(void **state)
{
	enum { N = 64 };
	int64_t keys[N];
	double x[N], stamp[N];
	struct ts_series s = {.name = ts_span_str("phases.x"), .keys = keys, .values = x, .n = N};
	struct ts_series stamps_of = {.keys = keys, .values = stamp, .n = N};
	enum ts_status status = TS_NO_MEMORY;
	size_t ceiling = 1;

	(void)state;
	for (int i = 0; i < N; i++) {
		keys[i] = i;
		x[i] = i < 3 ? 9.0 : 1.0 + 0.01 * (i % 7) + (i == 40 ? 5.0 : 0.0) + (i % 8 == 1 ? 3.0 : 0.0);
		stamp[i] = 1000.0 + 2 * i;
	}
	for (; status == TS_NO_MEMORY && ceiling < CEILING; ceiling += ceiling / 16 + 1) {
		struct ts_measures m = {.n = 0};
		struct ts_events events = {.n = 0};
		struct ts_plots plots = {.n = 0};
		struct ts_timing t;
		struct ts_arena arena;
		struct ts_error err;

		ts_arena_init(&arena, ceiling);
		status = ts_timing_begin(&t, keys, N, &arena, &err);
		status = status ? status : ts_timing_total(&t, &s, &err);
		status = status ? status : ts_timing_cut(&t, false, 0, &err);
		status = status ? status : ts_timing_phase(&t, &s, &err);
		status = status ? status
				: ts_timing_finish(&t, &stamps_of, &arena, &m, &events, &plots, &err);
		ts_arena_finish(&arena);
	}
	assert_int_equal(status, TS_OK);
	assert_true(ceiling > 10000); /* memory was short at many smaller sizes */
}

static void misuse_is_refused(void **state)
{
	struct ts_series s = {.name = ts_span_str("phases.eval"), .keys = eval_steps, .values = eval, .n = 2};
	struct ts_measures m = {.n = 0};
	struct ts_timing t;
	struct ts_arena arena;
	struct ts_error err;

	(void)state;
	ts_arena_init(&arena, CEILING);
	must(ts_timing_begin(&t, steps, 3, &arena, &err), &err);
	assert_int_equal(ts_timing_total(&t, &s, &err), TS_INTERNAL); /* step 40 is not among 10 20 30 */
	assert_int_equal(ts_timing_phase(&t, &s, &err), TS_INTERNAL);
	assert_int_equal(ts_timing_finish(&t, NULL, &arena, &m, NULL, NULL, &err), TS_INTERNAL);
	must(ts_timing_cut(&t, DECLARED, 2, &err), &err);
	assert_int_equal(ts_timing_phase(&t, &(struct ts_series){.keys = steps, .values = forward, .n = 5}, &err),
			 TS_INTERNAL);
	ts_arena_finish(&arena);
}

static void display_order(void **state)
{
	static const char *const want[] = {"data", "forward", "backward", "optimizer", "compute",
					   "comm", "other",   "Zeta",     "eval",      "\xc3\xa9tude"};

	(void)state;
	for (size_t i = 0; i < 10; i++)
		for (size_t j = 0; j < 10; j++) {
			int c = ts_phase_order(ts_span_str(want[i]), ts_span_str(want[j]));

			assert_int_equal((c > 0) - (c < 0), (i > j) - (i < j));
		}
}

/* Steps of 0.1 s, and 2 s more before every tenth: at 10, 20, 30 and so on, 90 are nine. */
static void what_is_lost_between_steps(void **state)
{
	enum { STEPS = 100 };
	int64_t at[STEPS];
	double takes[STEPS], ended[STEPS], now = 1.7e9;
	struct ts_series phase = {.name = ts_span_str("phases.forward"), .keys = at, .values = takes, .n = STEPS};
	struct ts_series stamped = {.name = ts_span_str("timestamp"), .keys = at, .values = ended, .n = STEPS};
	const struct ts_series *phases[] = {&phase};
	struct ts_measures m = {.n = 0};
	struct ts_arena arena;
	struct ts_timing t;
	struct ts_error err;

	(void)state;
	for (int i = 0; i < STEPS; i++) {
		at[i] = i;
		takes[i] = 0.1;
		now += 0.1 + (i && i % 10 == 0 ? 2 : 0);
		ended[i] = now;
	}
	ts_arena_init(&arena, 0);
	time_phases(&t, at, STEPS, phases, 1, DECLARED, 0, &arena);
	must(ts_timing_finish(&t, &stamped, &arena, &m, NULL, NULL, &err), &err);
	assert_true(test_seen(&m));
	assert_true(test_find(&m, "timing", "between", "long_count")->value == 9);
	assert_true(fabs(test_find(&m, "timing", "between", "lost_s")->value - 18) < 1e-4);
	assert_true(test_find(&m, "timing", "between", "every_count")->value == 10);
	assert_true(test_find(&m, "timing", "between", "longest_step")->value == 10);
	assert_true(ts_span_is(test_find(&m, "timing", "between", "steps")->text, "10, 20, 30, 40, 50 and 4 more"));
	ts_arena_finish(&arena);
}

/* A measure that no scenario produces would be a name in measures.inc and nothing else. */
static void every_measure_is_made(void **state)
{
	static const enum ts_measure_name of_layers[] = {/* test_layers.c has them */
							 TS_M_LAYERS_COUNT, TS_M_LAYER_TIME,  TS_M_LAYER_FORWARD, TS_M_LAYER_BACKWARD,
							 TS_M_LAYER_SHARE,  TS_M_LAYER_STEPS, TS_MEASURE_NAMES};

	(void)state;
	assert_true(test_seen_all(TS_ANSWER_TIMING, of_layers));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(agrees_with_pytscope),
		cmocka_unit_test(warmup_and_absent_phases),
		cmocka_unit_test(phases_that_overlap),
		cmocka_unit_test(unknown_is_not_zero),
		cmocka_unit_test(a_nan_shows_as_nan),
		cmocka_unit_test(stalls_and_the_plot),
		cmocka_unit_test(the_warmup_that_is_found_is_left_out),
		cmocka_unit_test(unusual_steps_are_events),
		cmocka_unit_test(long_steps_have_tags),
		cmocka_unit_test(what_waits_for_a_cpu_is_no_stall),
		cmocka_unit_test(a_period_is_no_stall),
		cmocka_unit_test(phases_add_up_exactly),
		cmocka_unit_test(short_memory_is_told),
		cmocka_unit_test(misuse_is_refused),
		cmocka_unit_test(display_order),
		cmocka_unit_test(what_is_lost_between_steps),
		cmocka_unit_test(every_measure_is_made),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
