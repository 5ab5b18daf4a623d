/* The table of metrics: names as policies and JSON spell them, found again; and what the test across runs divides by. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "analysis/gate/metric.h"

/* Policies name metrics, so the names must not change. */
static void names_stay(void **state)
{
	static const char *const names[TS_METRICS] = {
		"step_time",	"step_time_mean",      "step_time_p95", "stall_share",		"peak_memory",
		"tokens_per_s", "tokens_per_s_device", "samples_per_s", "samples_per_s_device", "mfu",
		"loss",		"step_time_p10",       "step_time_end", "step_time_floor",	"cpu_time"};

	(void)state;
	for (size_t i = 0; i < TS_METRICS; i++) {
		enum ts_metric found = TS_METRICS;

		assert_string_equal(ts_metrics[i].name, names[i]);
		assert_true(ts_metric_find(ts_span_str(names[i]), &found));
		assert_int_equal(found, i);
	}
}

static void others_are_none(void **state)
{
	enum ts_metric found = TS_METRIC_LOSS;

	(void)state;
	assert_false(ts_metric_find(ts_span_str("step_tim"), &found));
	assert_false(ts_metric_find(ts_span_str("step_time "), &found));
	assert_false(ts_metric_find(ts_span_str(""), &found));
	assert_int_equal(found, TS_METRIC_LOSS);
}

static void rows_are_whole(void **state)
{
	(void)state;
	for (size_t i = 0; i < TS_METRICS; i++) {
		const struct ts_metric_row *row = &ts_metrics[i];
		struct ts_span what = ts_span_str(row->what);

		assert_true(row->floor_sd > 0 && row->floor_sd < row->min_size);
		assert_true(row->min_absolute >= 0);
		assert_true(what.len > 0 && what.data[what.len - 1] != '.');
		/* A loss may be below 0 and a share may be 0: neither has a logarithm. */
		assert_int_equal(row->log_scale, i != TS_METRIC_LOSS && i != TS_METRIC_STALL_SHARE);
		assert_int_equal(row->less_is_better, i < TS_METRIC_TOKENS_PER_S || i >= TS_METRIC_LOSS);
	}
}

static void a_loss_tells_its_column(void **state)
{
	struct ts_span none = ts_span_of(NULL, 0), slash = ts_span_str("scalars.train/loss"), dot = ts_span_str("scalars.train\\.loss");
	struct ts_arena arena;

	(void)state;
	ts_arena_init(&arena, 1 << 16);
	assert_string_equal(ts_metric_title(TS_METRIC_LOSS, none, none, "baselines", &arena), "loss at the end");
	assert_string_equal(ts_metric_title(TS_METRIC_STEP_TIME, slash, none, "baselines", &arena), "step time");
	assert_string_equal(ts_metric_title(TS_METRIC_LOSS, slash, slash, "baselines", &arena), "loss at the end (train/loss)");
	assert_string_equal(ts_metric_title(TS_METRIC_LOSS, dot, none, "baselines", &arena),
			    "loss at the end (train.loss, of baselines loss)");
	assert_string_equal(ts_metric_title(TS_METRIC_LOSS, none, slash, "older runs", &arena),
			    "loss at the end (loss, of older runs train/loss)");
	ts_arena_finish(&arena);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(names_stay),
		cmocka_unit_test(others_are_none),
		cmocka_unit_test(rows_are_whole),
		cmocka_unit_test(a_loss_tells_its_column),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
