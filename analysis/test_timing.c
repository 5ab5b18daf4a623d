#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "analysis/test_expected.h"
#include "analysis/timing.h"

#include <stdio.h>

enum { CEILING = 64 << 20 };

static void must(enum ts_status status, const struct ts_error *err)
{
	if (status)
		fail_msg("%s", err->text);
}

/* All the phases of a run, in display order. */
static void time_run(const struct expected_run *run, size_t warmup, struct ts_arena *arena, struct ts_measures *m,
		     struct ts_timing *t)
{
	const struct ts_series *phases[32];
	struct ts_error err;
	size_t n = 0;

	for (size_t i = 0; i < run->n_columns; i++)
		if (ts_span_starts(run->columns[i].name, ts_span_str("phases.")))
			phases[n++] = &run->columns[i];
	must(ts_timing_begin(t, run->steps, run->n_steps, warmup, arena, &err), &err);
	for (size_t i = 0; i < n; i++)
		must(ts_timing_phase(t, phases[i], &err), &err);
	must(ts_timing_finish(t, expected_column(run, "timestamp"), arena, m, &err), &err);
}

/* Where reference and definition agree, so do the numbers, in full precision. */
static void agrees_with_pytscope(void **state)
{
	static const char *const names[] = {"demo", "cross", "lossnan", "allnan", "10k_a"};
	static const char *const phases[] = {"data", "forward", "backward", "optimizer"};

	(void)state;
	for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
		struct expected_run *run = test_malloc(sizeof *run);
		struct ts_measures m = {.n = 0};
		struct ts_timing t;
		struct ts_arena arena;
		char path[64];

		ts_arena_init(&arena, CEILING);
		if (!expected_load(names[i], &arena, run)) {
			assert_string_equal(names[i], "10k_a"); /* the only one without a copy here */
			test_free(run);
			ts_arena_finish(&arena);
			continue;
		}
		time_run(run, 0, &arena, &m, &t);
		expect_measure(&m, "timing", "step", "count", expected_number(run, "timing.n_steps"));
		expect_measure(&m, "timing", "step", "mean_s", expected_number(run, "timing.mean_step_time"));
		expect_measure(&m, "timing", "step", "median_s", expected_number(run, "timing.p50_step_time"));
		expect_measure(&m, "timing", "step", "p95_s", expected_number(run, "timing.p95_step_time"));
		expect_measure(&m, "timing", "step", "rate_per_s", expected_number(run, "timing.steps_per_sec"));
		expect_measure(&m, "timing", "step", "total_s", expected_number(run, "timing.total_time"));
		expect_measure(&m, "timing", "step", "stddev_s", expected_number(run, "timing.std_step_time"));
		expect_measure(&m, "timing", "step", "cv_ratio", expected_number(run, "timing.cv"));
		expect_measure(&m, "timing", "step", "tail_ratio", expected_number(run, "timing.p95_p50_ratio"));
		for (size_t p = 0; p < 4; p++) {
			snprintf(path, sizeof path, "phases.%s", phases[p]);
			if (!expected_column(run, path))
				continue;
			snprintf(path, sizeof path, "timing.phase_seconds.%s", phases[p]);
			expect_measure(&m, "timing", phases[p], "mean_s", expected_number(run, path));
			snprintf(path, sizeof path, "timing.phase_fractions.%s", phases[p]);
			expect_measure(&m, "timing", phases[p], "share_ratio", expected_number(run, path));
		}
		test_free(run);
		ts_arena_finish(&arena);
	}
}

/* Steps 10 20 30 40 50; forward on all, eval on two of them. Numbers by hand. */
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
	struct ts_error err;

	must(ts_timing_begin(t, steps, 5, warmup, arena, &err), &err);
	must(ts_timing_phase(t, &f, &err), &err);
	must(ts_timing_phase(t, &e, &err), &err);
	must(ts_timing_finish(t, timestamps, arena, m, &err), &err);
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
	/* step times 5 2 9 2 */
	expect_measure(&m, "timing", "step", "count", 4);
	expect_measure(&m, "timing", "step", "total_s", 18);
	expect_measure(&m, "timing", "step", "mean_s", 4.5);
	expect_measure(&m, "timing", "step", "median_s", 3.5);
	expect_measure(&m, "timing", "step", "stddev_s", 2.8722813232690143);
	expect_measure(&m, "timing", "forward", "mean_s", 2);
	expect_measure(&m, "timing", "forward", "count", 4);
	expect_measure(&m, "timing", "eval", "mean_s", 2.5); /* over all steps: absent is 0 here */
	expect_measure(&m, "timing", "eval", "median_s", 5); /* over the steps that have it */
	expect_measure(&m, "timing", "eval", "count", 2);
	expect_measure(&m, "timing", "eval", "share_ratio", 10.0 / 18.0);
	/* 123 - 106, of which steps 30 to 50 claim 13 */
	expect_measure(&m, "timing", "wall", "total_s", 17);
	expect_measure(&m, "timing", "wall", "unattributed_s", 4);
	ts_arena_finish(&arena);
}

static void unknown_is_not_zero(void **state)
{
	struct ts_measures m = {.n = 0};
	struct ts_timing t;
	struct ts_arena arena;
	struct ts_error err;
	static const double zeros[5];
	struct ts_series z = {.name = ts_span_str("phases.x"), .keys = steps, .values = zeros, .n = 5};

	(void)state;
	ts_arena_init(&arena, CEILING);
	time_small(5, NULL, &arena, &m, &t);
	assert_int_equal(t.warmup_cut, 5);
	expect_measure(&m, "timing", "step", "count", 0);
	expect_unknown(&m, "timing", "step", "mean_s");
	expect_unknown(&m, "timing", "step", "rate_per_s");
	expect_unknown(&m, "timing", "forward", "mean_s");
	expect_unknown(&m, "timing", "wall", "total_s");
	m.n = 0;
	must(ts_timing_begin(&t, NULL, 0, 0, &arena, &err), &err);
	must(ts_timing_finish(&t, NULL, &arena, &m, &err), &err);
	expect_unknown(&m, "timing", "step", "median_s");
	m.n = 0;
	must(ts_timing_begin(&t, steps, 5, 0, &arena, &err), &err);
	must(ts_timing_phase(&t, &z, &err), &err);
	must(ts_timing_finish(&t, NULL, &arena, &m, &err), &err);
	expect_measure(&m, "timing", "step", "mean_s", 0);
	expect_unknown(&m, "timing", "step", "cv_ratio");
	expect_unknown(&m, "timing", "step", "tail_ratio");
	expect_unknown(&m, "timing", "step", "rate_per_s");
	expect_unknown(&m, "timing", "x", "share_ratio");
	ts_arena_finish(&arena);
}

static void a_nan_shows_as_nan(void **state)
{
	static const double bad[] = {1.0, (double)NAN, 2.0, 3.0, 4.0};
	struct ts_series s = {.name = ts_span_str("phases.forward"), .keys = steps, .values = bad, .n = 5};
	struct ts_measures m = {.n = 0};
	struct ts_timing t;
	struct ts_arena arena;
	struct ts_error err;

	(void)state;
	ts_arena_init(&arena, CEILING);
	must(ts_timing_begin(&t, steps, 5, 0, &arena, &err), &err);
	must(ts_timing_phase(&t, &s, &err), &err);
	must(ts_timing_finish(&t, NULL, &arena, &m, &err), &err);
	assert_true(isnan(ts_measure_find(&m, "timing", "step", "mean_s")->value));
	assert_true(isnan(ts_measure_find(&m, "timing", "forward", "median_s")->value));
	ts_arena_finish(&arena);
}

static void a_step_it_was_not_told_of_is_refused(void **state)
{
	struct ts_series s = {.name = ts_span_str("phases.eval"), .keys = eval_steps, .values = eval, .n = 2};
	struct ts_timing t;
	struct ts_arena arena;
	struct ts_error err;

	(void)state;
	ts_arena_init(&arena, CEILING);
	must(ts_timing_begin(&t, steps, 3, 0, &arena, &err), &err);
	assert_int_equal(ts_timing_phase(&t, &s, &err), TS_INTERNAL);
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

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(agrees_with_pytscope),
		cmocka_unit_test(warmup_and_absent_phases),
		cmocka_unit_test(unknown_is_not_zero),
		cmocka_unit_test(a_nan_shows_as_nan),
		cmocka_unit_test(a_step_it_was_not_told_of_is_refused),
		cmocka_unit_test(display_order),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
