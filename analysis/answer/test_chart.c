/* Expected values: arithmetic by hand. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "analysis/answer/chart.h"
#include "analysis/answer/chart_band.h"
#include "base/test_arena.h"

#include <math.h>

static struct ts_error err;

static void near(double got, double want)
{
	if (!(fabs(got - want) <= 1e-12 * fabs(want)))
		fail_msg("%.17g, expected %.17g", got, want);
}

/* Of span 3 each value counts half of the next: 1; (1/2 + 2) / (3/2); (1/4 + 2/2 + 6) / (7/4). */
static void smooths_without_bias(void **state)
{
	struct ts_smoother s = ts_smoother_of(3), none = ts_smoother_of(0), wide = ts_smoother_of(2);

	(void)state;
	near(ts_smooth(&s, 1), 1);
	near(ts_smooth(&s, 2), 5.0 / 3);
	assert_true(isnan(ts_smooth(&s, NAN)));
	assert_true(isinf(ts_smooth(&s, -INFINITY)));
	near(ts_smooth(&s, 6), 29.0 / 7);
	near(ts_smooth(&none, 5), 5);
	near(ts_smooth(&none, 7), 7);
	near(ts_smooth(&wide, 1.7e308), 1.7e308);
	assert_true(isfinite(ts_smooth(&wide, -1.7e308)));
}

static void finds_gaps(void **state)
{
	static const int64_t even[] = {0, 10, 20, 130, 140, 250, 260}, growing[] = {1, 2, 4, 8, 16, 32, 400}, two[] = {0, 900};
	static const int64_t ends[] = {INT64_MIN, INT64_MIN + 1, INT64_MAX - 1, INT64_MAX};

	(void)state;
	assert_false(ts_chart_gap(even, 7, 1));
	assert_true(ts_chart_gap(even, 7, 2)); /* 110 steps beside 10 and 10 */
	assert_true(ts_chart_gap(even, 7, 4));
	assert_false(ts_chart_gap(even, 7, 6)); /* the last value */
	for (size_t i = 0; i < 5; i++)
		assert_false(ts_chart_gap(growing, 7, i));
	assert_true(ts_chart_gap(growing, 7, 5)); /* 368 beside 16 */
	assert_false(ts_chart_gap(two, 2, 0));
	assert_true(ts_chart_gap(ends, 4, 1));
}

static struct ts_chart_line draw(const struct ts_chart *chart, const double *values, size_t n)
{
	struct ts_chart_line line = {.values = n};
	struct ts_chart_pen pen;

	assert_int_equal(ts_chart_pen_begin(&pen, chart, &line, &arena, &err), TS_OK);
	for (size_t i = 0; i < n; i++)
		ts_chart_pen_add(&pen, (double)i, values[i]);
	assert_int_equal(ts_chart_pen_finish(&pen, &arena, &err), TS_OK);
	return line;
}

static void marks_what_it_cannot_draw(void **state)
{
	static const double values[] = {1, NAN, 3, NAN, INFINITY, 0, -1, 8};
	struct ts_chart chart = {.low = 0, .high = 7, .columns = 2, .log_y = true};
	struct ts_chart_line line = draw(&chart, values, 8);

	(void)state;
	assert_int_equal(line.odd, 5);
	assert_int_equal(line.n_marks, 3); /* each kind once in each column */
	assert_true(line.marks[0].x == 1 && line.marks[0].what == TS_CHART_NAN);
	assert_true(line.marks[1].x == 4 && line.marks[1].what == TS_CHART_INF);
	assert_true(line.marks[2].x == 5 && line.marks[2].what == TS_CHART_NOT_ABOVE_ZERO);
	assert_int_equal(line.n, 5); /* 1, break, 3, break, 8 */
	assert_true(isnan(line.y[1]) && isnan(line.y[3]) && line.y[4] == 8);
	near(line.mean[0], 2);
	near(line.mean[1], 8);
}

static void nothing_to_draw(void **state)
{
	static const double values[] = {NAN, NAN};
	struct ts_chart chart = {.low = 0, .high = 1, .columns = 2};
	struct ts_chart_line line = draw(&chart, values, 2);

	(void)state;
	assert_int_equal(line.n, 0);
	assert_int_equal(line.n_mean, 0);
	assert_int_equal(line.n_marks, 2);
}

/* Three runs of 0 to 3: one lacks the value of column 1 and joins over it, one breaks off there, one ends early. */
static void bands_of_three(void **state)
{
	static const double full[] = {1, 2, 3, 4}, broken[] = {5, NAN, 9, 10}, early[] = {3, 8};
	struct ts_chart chart = {.low = 0, .high = 4, .columns = 4};
	struct ts_chart_line lines[] = {draw(&chart, full, 4), draw(&chart, broken, 4), draw(&chart, early, 2)};
	static const size_t all[] = {0, 1, 2}, one[] = {2};
	struct ts_chart_band band;

	(void)state;
	chart.lines = lines;
	chart.n = 3;
	assert_int_equal(ts_chart_band_of(&chart, all, 3, &arena, &band, &err), TS_OK);
	assert_int_equal(band.runs, 3);
	assert_false(band.deciles);
	near(band.low[0], 1);
	near(band.middle[0], 3);
	near(band.high[0], 5);
	assert_true(band.most == 3 && band.least == 2);
	near(band.middle[1], 5); /* 2 and 8: the run with NaN does not count */
	near(band.low[2], 3);
	near(band.high[2], 9);
	assert_int_equal(ts_chart_band_of(&chart, one, 1, &arena, &band, &err), TS_OK);
	near(band.middle[1], 8);
	assert_true(isnan(band.low[1]) && isnan(band.middle[2]));
}

static void joins_columns_without_values(void **state)
{
	struct ts_chart chart = {.low = 0, .high = 4, .columns = 5};
	struct ts_chart_line line = {.values = 2};
	struct ts_chart_band band;
	struct ts_chart_pen pen;
	static const size_t one[] = {0};

	(void)state;
	assert_int_equal(ts_chart_pen_begin(&pen, &chart, &line, &arena, &err), TS_OK);
	ts_chart_pen_add(&pen, 0, 10);
	ts_chart_pen_add(&pen, 4, 30);
	assert_int_equal(ts_chart_pen_finish(&pen, &arena, &err), TS_OK);
	chart.lines = &line;
	chart.n = 1;
	assert_int_equal(ts_chart_band_of(&chart, one, 1, &arena, &band, &err), TS_OK);
	near(band.middle[1], 15);
	near(band.middle[3], 25);
}

/* Eleven runs at 0 to 10: the deciles of type 7 are 1 and 9. */
static void deciles_of_many(void **state)
{
	struct ts_chart chart = {.low = 0, .high = 1, .columns = 1, .n = 11};
	struct ts_chart_line lines[11];
	struct ts_chart_band band;
	size_t all[11];

	(void)state;
	for (size_t i = 0; i < 11; i++) {
		double value = (double)((i * 7) % 11);

		lines[i] = draw(&chart, &value, 1);
		all[i] = i;
	}
	chart.lines = lines;
	assert_int_equal(ts_chart_band_of(&chart, all, 11, &arena, &band, &err), TS_OK);
	assert_true(band.deciles);
	near(band.low[0], 1);
	near(band.middle[0], 5);
	near(band.high[0], 9);
}

static void units_are_those_of_the_names(void **state)
{
	static const struct {
		const char *column;
		enum ts_unit unit;
	} cases[] = {{"phases.step", TS_UNIT_SECONDS}, {"regions.save", TS_UNIT_SECONDS}, {"memory.rss", TS_UNIT_BYTES},
		     {"cpu_time", TS_UNIT_SECONDS},    {"cpu_time_mean", TS_UNIT_SECONDS}, {"scalars.loss", TS_UNIT_NONE},
		     {"scalars.cpu_time", TS_UNIT_NONE}};

	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
		assert_int_equal(ts_chart_unit(ts_span_str(cases[i].column)), cases[i].unit);
}

int main(void)
{
#define T(f) cmocka_unit_test_setup_teardown(f, setup, teardown)
	const struct CMUnitTest tests[] = {
		T(smooths_without_bias), T(finds_gaps),	  T(marks_what_it_cannot_draw),	   T(nothing_to_draw),
		T(bands_of_three),	 T(deciles_of_many),
		T(units_are_those_of_the_names), T(joins_columns_without_values),
	};

	return cmocka_run_group_tests_name("chart", tests, NULL, NULL);
}
