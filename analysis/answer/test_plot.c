#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "analysis/answer/plot.h"

enum { CEILING = 16 << 20 };

static void begin(struct ts_plot *plot, int64_t first, int64_t last, size_t cells, struct ts_arena *arena)
{
	struct ts_error err;

	assert_int_equal(ts_plot_begin(plot, first, last, cells, arena, &err), TS_OK);
	assert_true(plot->n <= cells);
	assert_true(plot->width >= 1);
}

/* The last step lies in the last cell, and one cell less would not be enough. */
static void expect_grid(int64_t first, int64_t last, size_t cells, uint64_t width, size_t n, struct ts_arena *arena)
{
	static const double one = 1.0;
	struct ts_plot plot;

	begin(&plot, first, last, cells, arena);
	assert_true(plot.first_step == first);
	assert_true(plot.width == width);
	assert_int_equal(plot.n, n);
	ts_plot_add(&plot, &first, &one, 1);
	ts_plot_add(&plot, &last, &one, 1);
	ts_plot_finish(&plot);
	assert_int_equal(plot.count[0] + (n > 1 ? plot.count[n - 1] : 0), 2);
}

static void grids(void **state)
{
	struct ts_arena arena;

	(void)state;
	ts_arena_init(&arena, CEILING);
	expect_grid(7, 7, 480, 1, 1, &arena);
	expect_grid(0, 479, 480, 1, 480, &arena);
	expect_grid(0, 480, 480, 2, 241, &arena);
	expect_grid(-5, 4, 3, 4, 3, &arena);
	expect_grid(0, 999999, 480, 2084, 480, &arena);
	/* The range is all of int64: the cell width is (2^64 - 1) / 480, and one. */
	expect_grid(INT64_MIN, INT64_MAX, 480, UINT64_C(38430716820228233), 480, &arena);
	expect_grid(INT64_MIN, INT64_MAX, 2, UINT64_C(1) << 63, 2, &arena);
	ts_arena_finish(&arena);
}

/* Steps 10 to 19 in 5 cells of 2; the numbers were computed by hand. */
static void cells_keep_spikes_and_gaps(void **state)
{
	static const int64_t late[] = {18, 19, 14, 14}, early[] = {10, 11, 15};
	static const double late_values[] = {(double)NAN, HUGE_VAL, (double)NAN, -4.0},
			    early_values[] = {1.0, 1000.0, 2.0};
	struct ts_plot plot;
	struct ts_arena arena;

	(void)state;
	ts_arena_init(&arena, CEILING);
	begin(&plot, 10, 19, 5, &arena);
	ts_plot_add(&plot, late, late_values, 4);
	ts_plot_add(&plot, early, early_values, 3);
	ts_plot_finish(&plot);
	assert_true(plot.min[0] == 1.0 && plot.max[0] == 1000.0 && plot.mean[0] == 500.5);
	assert_int_equal(plot.count[0], 2);
	assert_int_equal(plot.count[1], 0); /* steps 12 and 13 are not there */
	assert_true(isnan(plot.min[1]) && isnan(plot.max[1]) && isnan(plot.mean[1]));
	assert_true(plot.min[2] == -4.0 && plot.max[2] == 2.0 && plot.mean[2] == -1.0);
	assert_int_equal(plot.count[4], 2); /* both values are not numbers */
	assert_int_equal(plot.finite[4], 0);
	assert_true(isnan(plot.min[4]) && isnan(plot.max[4]) && isnan(plot.mean[4]));
	assert_int_equal(plot.nonfinite, 3);
	assert_int_equal(plot.count[2], 3);
	assert_int_equal(plot.finite[2], 2);
	ts_arena_finish(&arena);
}

/* 100,000 values of 0.1 to 0.3 lie in one cell; the plain sum of four values of 1e308 would overflow. */
static void means_are_means(void **state)
{
	static const int64_t steps[] = {0, 1, 0, 1};
	static const double huge[] = {1e308, 1e308, 1e308, 1e308}, thirds[] = {0.1, 0.2, 0.3, 0.2};
	struct ts_plot plot;
	struct ts_arena arena;

	(void)state;
	ts_arena_init(&arena, CEILING);
	begin(&plot, 0, 3, 2, &arena);
	for (int i = 0; i < 25000; i++)
		ts_plot_add(&plot, steps, thirds, 4);
	ts_plot_finish(&plot);
	assert_true(fabs(plot.mean[0] - 0.2) < 1e-12);
	assert_int_equal(plot.count[0], 100000);
	begin(&plot, 0, 3, 2, &arena);
	ts_plot_add(&plot, steps, huge, 4);
	ts_plot_finish(&plot);
	assert_true(fabs(plot.mean[0] / 1e308 - 1.0) < 1e-12);
	ts_arena_finish(&arena);
}

/* Cells are filled side by side, which must not show: each gets its values in their order, also where steps go back. */
static void cells_do_not_mix(void **state)
{
	enum { N = 5000 };
	static int64_t steps[N];
	static double values[N];
	uint64_t random = 5;

	(void)state;
	for (int round = 0; round < 60; round++) {
		struct ts_plot all, one_by_one;
		struct ts_arena arena;
		int64_t step = 0;

		for (int i = 0; i < N; i++) {
			random = random * UINT64_C(6364136223846793005) + 1442695040888963407;
			step += 1 + (random >> 60 == 0 ? (int64_t)(random >> 54 & 63) * 20 : 0);
			if (round % 2 && (random >> 30 & 127) == 7)
				step -= step < 1100 ? 0 : (int64_t)(random >> 40 & 1023);
			steps[i] = step;
			values[i] = random >> 50 == 3 ? (double)NAN : (double)(random >> 11) * 1e-9;
		}
		ts_arena_init(&arena, CEILING);
		begin(&all, 0, 2 * step + 100, (size_t)(2 + round * 8), &arena);
		begin(&one_by_one, 0, 2 * step + 100, (size_t)(2 + round * 8), &arena);
		ts_plot_add(&all, steps, values, N);
		for (int i = 0; i < N; i++)
			ts_plot_add(&one_by_one, &steps[i], &values[i], 1);
		assert_int_equal(all.nonfinite, one_by_one.nonfinite);
		assert_memory_equal(all.min, one_by_one.min, all.n * sizeof *all.min);
		assert_memory_equal(all.max, one_by_one.max, all.n * sizeof *all.max);
		assert_memory_equal(all.mean, one_by_one.mean, all.n * sizeof *all.mean);
		assert_memory_equal(all.count, one_by_one.count, all.n * sizeof *all.count);
		assert_memory_equal(all.finite, one_by_one.finite, all.n * sizeof *all.finite);
		ts_arena_finish(&arena);
	}
}

static void a_series_is_appended(void **state)
{
	static const int64_t steps[] = {5, 6, 9};
	static const double values[] = {1.0, 2.0, 3.0};
	struct ts_series s = {.keys = steps, .values = values, .n = 3}, none = {.n = 0};
	struct ts_plots plots = {.n = 0};
	struct ts_arena arena;
	struct ts_error err;

	(void)state;
	ts_arena_init(&arena, CEILING);
	assert_int_equal(ts_plot_series(&plots, TS_ANSWER_TIMING, ts_span_str("step"), "value", TS_UNIT_SECONDS, &none,
					&arena, &err),
			 TS_OK);
	assert_int_equal(plots.n, 0);
	for (int i = 0; i < 20; i++) /* more cells than the list first has room for */
		assert_int_equal(ts_plot_series(&plots, TS_ANSWER_TIMING, ts_span_str("step"), "value", TS_UNIT_SECONDS,
						&s, &arena, &err),
				 TS_OK);
	assert_int_equal(plots.n, 20);
	for (size_t i = 0; i < plots.n; i++) {
		const struct ts_plot *plot = &plots.items[i];

		assert_true(ts_span_is(plot->group, "timing") && ts_span_is(plot->subject, "step"));
		assert_true(ts_span_is(plot->name, "value"));
		assert_int_equal(plot->unit, TS_UNIT_SECONDS);
		assert_int_equal(plot->n, 5);
		assert_true(plot->mean[4] == 3.0 && isnan(plot->mean[2]));
	}
	ts_arena_finish(&arena);
	ts_arena_init(&arena, 64);
	plots = (struct ts_plots){.n = 0};
	assert_int_equal(ts_plot_series(&plots, TS_ANSWER_TIMING, ts_span_str("step"), "value", TS_UNIT_SECONDS, &s,
					&arena, &err),
			 TS_NO_MEMORY);
	assert_int_equal(plots.n, 0);
	ts_arena_finish(&arena);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(grids),
		cmocka_unit_test(cells_keep_spikes_and_gaps),
		cmocka_unit_test(means_are_means),
		cmocka_unit_test(cells_do_not_mix),
		cmocka_unit_test(a_series_is_appended),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
