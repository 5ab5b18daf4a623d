/* test_score.c - scores of columns: what they say of values made by hand, and that the cuts of blocks do not matter beyond rounding. */
#include "run/score.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h>
#include <float.h>
#include <math.h>

static void add(struct ts_scoring *s, const int64_t *keys, int64_t first_key, const double *values, size_t rows)
{
	struct ts_block_score b = ts_block_score_of(ts_span_of(values, rows * sizeof *values));

	ts_scoring_add(s, &b, keys, first_key);
}

static struct ts_score score_of(const int64_t *keys, const double *values, size_t rows)
{
	struct ts_scoring s = {0};

	add(&s, keys, 0, values, rows);
	return ts_scoring_end(&s);
}

static void gives_what_the_values_came_to(void **state)
{
	static const int64_t keys[] = {10, 20, 30, 40, 50};
	static const double values[] = {3, 1, 2, 1, 3};
	struct ts_score s = score_of(keys, values, 5);

	(void)state;
	assert_int_equal(s.count, 5);
	assert_int_equal(s.nonfinite, 0);
	assert_true(s.last == 3 && s.min == 1 && s.max == 3 && s.mean == 2);
	assert_int_equal(s.last_step, 50);
	assert_int_equal(s.min_step, 20); /* of equal values the first */
	assert_int_equal(s.max_step, 10);
}

static void leaves_out_what_is_not_finite(void **state)
{
	static const int64_t keys[] = {1, 2, 3, 4, 5};
	static const double values[] = {NAN, 4, -INFINITY, 2, NAN};
	struct ts_score s = score_of(keys, values, 5);

	(void)state;
	assert_int_equal(s.count, 2);
	assert_int_equal(s.nonfinite, 3);
	assert_true(s.last == 2 && s.min == 2 && s.max == 4 && s.mean == 3);
	assert_int_equal(s.last_step, 4);
	assert_int_equal(s.min_step, 4);
}

/* 1e16 + 1 is 1e16 in doubles: a plain sum of each of the four parts would lose every 1, of which there are eight. */
static void sums_are_compensated(void **state)
{
	double values[16];

	(void)state;
	for (int i = 0; i < 16; i++)
		values[i] = i < 4 ? 1e16 : i < 12 ? 1 : -1e16;
	assert_true(score_of(NULL, values, 16).mean == 0.5);
	values[15] = NAN; /* 1e16 and eight ones are left, in the loop that looks at each value */
	assert_true(score_of(NULL, values, 16).mean == (1e16 + 8) / 15);
}

static void cuts_change_nothing(void **state)
{
	double values[97];
	int64_t keys[97];
	struct ts_score whole;

	(void)state;
	for (int i = 0; i < 97; i++) {
		values[i] = sin(i) * pow(10, i % 13) / 7;
		keys[i] = 3 * i;
	}
	whole = score_of(keys, values, 97);
	for (size_t cut = 1; cut < 97; cut++) {
		struct ts_scoring s = {0};
		struct ts_score parts;

		add(&s, keys, 0, values, cut);
		add(&s, keys + cut, 0, values + cut, 97 - cut);
		parts = ts_scoring_end(&s);
		assert_true(fabs(parts.mean - whole.mean) <= 4 * DBL_EPSILON * fabs(whole.mean));
		parts.mean = whole.mean;
		assert_memory_equal(&parts, &whole, sizeof whole);
	}
}

static void keys_without_gaps_need_not_be_given(void **state)
{
	static const double values[] = {5, 4, 6};
	struct ts_scoring s = {0};

	(void)state;
	add(&s, NULL, 100, values, 3);
	assert_int_equal(s.score.last_step, 102);
	assert_int_equal(s.score.min_step, 101);
	assert_int_equal(s.score.max_step, 102);
}

static void best_needs_a_direction(void **state)
{
	static const int64_t keys[] = {7, 8, 9};
	static const double values[] = {2, 1, 3};
	static const double lost[] = {NAN, INFINITY};
	struct ts_score s = score_of(keys, values, 3), none = score_of(NULL, NULL, 0);
	struct ts_score_value v;

	(void)state;
	assert_true(ts_score_value(&s, TS_DIRECTION_DOWN, TS_STAT_BEST, &v) && !v.is_integer && v.real == 1);
	assert_true(ts_score_value(&s, TS_DIRECTION_UP, TS_STAT_BEST, &v) && v.real == 3);
	assert_true(ts_score_value(&s, TS_DIRECTION_UP, TS_STAT_BEST_STEP, &v) && v.is_integer && v.integer == 9);
	assert_true(ts_score_value(&s, TS_DIRECTION_DOWN, TS_STAT_BEST_STEP, &v) && v.integer == 8);
	assert_false(ts_score_value(&s, TS_DIRECTION_UNKNOWN, TS_STAT_BEST, &v));
	assert_false(ts_score_value(&s, TS_DIRECTION_UNKNOWN, TS_STAT_BEST_STEP, &v));
	assert_true(ts_score_value(&s, TS_DIRECTION_UNKNOWN, TS_STAT_MIN, &v) && v.real == 1);
	assert_false(ts_score_value(&none, TS_DIRECTION_DOWN, TS_STAT_LAST, &v));
	assert_true(ts_score_value(&none, TS_DIRECTION_DOWN, TS_STAT_COUNT, &v) && v.integer == 0);
	assert_true(ts_score_value(&s, TS_DIRECTION_UP, TS_STAT_NONFINITE, &v) && v.is_integer && v.integer == 0);
	none = score_of(NULL, lost, 2);
	assert_false(ts_score_value(&none, TS_DIRECTION_DOWN, TS_STAT_LAST, &v));
	assert_true(ts_score_value(&none, TS_DIRECTION_UNKNOWN, TS_STAT_NONFINITE, &v) && v.integer == 2);
}

static void a_sum_beyond_doubles_is_not_known(void **state)
{
	static const double values[] = {DBL_MAX, DBL_MAX};
	struct ts_score s = score_of(NULL, values, 2);
	struct ts_score_value v;

	(void)state;
	assert_false(ts_score_value(&s, TS_DIRECTION_UP, TS_STAT_MEAN, &v));
	assert_true(ts_score_value(&s, TS_DIRECTION_UP, TS_STAT_MAX, &v) && v.real == DBL_MAX);
}

static void bytes_come_back(void **state)
{
	static const int64_t keys[] = {-5, 2, 4};
	static const double values[] = {0.1, NAN, -0.0};
	struct ts_score s = score_of(keys, values, 3), back;
	struct ts_buf bytes = TS_BUF_INIT(256);

	(void)state;
	ts_score_encode(&s, &bytes);
	assert_int_equal(bytes.len, 4 * 8 + 1 + 1 + 1 + 1 + 1); /* small numbers take a byte each */
	assert_true(ts_score_decode(ts_buf_view(&bytes), &back));
	assert_memory_equal(&back, &s, sizeof s);
	for (size_t len = 0; len < bytes.len; len++)
		assert_false(ts_score_decode(ts_span_of(bytes.data, len), &back));
	ts_buf_u8(&bytes, 0);
	assert_false(ts_score_decode(ts_buf_view(&bytes), &back));
	ts_buf_finish(&bytes);
	bytes = TS_BUF_INIT(256);
	s = (struct ts_score){.count = UINT64_MAX, .nonfinite = UINT64_MAX, .last_step = INT64_MIN, .min_step = INT64_MAX};
	ts_score_encode(&s, &bytes);
	assert_in_range(bytes.len, 4 * 8 + 5, TS_SCORE_BYTES);
	assert_true(ts_score_decode(ts_buf_view(&bytes), &back));
	assert_memory_equal(&back, &s, sizeof s);
	ts_buf_finish(&bytes);
}

static void splits_paths(void **state)
{
	static const char *const paths[TS_STATS] = {"x.last",  "x.best",      "x.mean",	     "x.min",	   "x.max",
						    "x.count", "x.last_step", "x.best_step", "x.min_step", "x.max_step",
						    "x.nonfinite"};
	struct ts_span series;
	enum ts_stat stat;

	(void)state;
	assert_true(ts_metric_split(ts_span_str("val.acc.best_step"), &series, &stat));
	assert_true(ts_span_is(series, "val.acc") && stat == TS_STAT_BEST_STEP);
	for (int i = 0; i < TS_STATS; i++)
		assert_true(ts_metric_split(ts_span_str(paths[i]), &series, &stat) && (int)stat == i && ts_span_is(series, "x"));
	assert_true(ts_metric_split(ts_span_str("scalars.config.loss.last"), &series, &stat));
	assert_false(ts_metric_split(ts_span_str("config.loss.last"), &series, &stat)); /* a fact */
	assert_false(ts_metric_split(ts_span_str("loss"), &series, &stat));
	assert_false(ts_metric_split(ts_span_str("last"), &series, &stat));
	assert_false(ts_metric_split(ts_span_str(".last"), &series, &stat));
	assert_false(ts_metric_split(ts_span_str("loss.lastly"), &series, &stat));
	assert_false(ts_metric_split(ts_span_str("loss\\.last"), &series, &stat));
	assert_false(ts_metric_split(ts_span_str(""), &series, &stat));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(gives_what_the_values_came_to),
		cmocka_unit_test(leaves_out_what_is_not_finite),
		cmocka_unit_test(sums_are_compensated),
		cmocka_unit_test(cuts_change_nothing),
		cmocka_unit_test(keys_without_gaps_need_not_be_given),
		cmocka_unit_test(best_needs_a_direction),
		cmocka_unit_test(a_sum_beyond_doubles_is_not_known),
		cmocka_unit_test(bytes_come_back),
		cmocka_unit_test(splits_paths),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
