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
	assert_string_equal(ts_metric_title("loss at the end", "loss", none, none, "baselines", &arena), "loss at the end");
	assert_string_equal(ts_metric_title("loss at the end", "loss", slash, slash, "baselines", &arena),
			    "loss at the end (train/loss)");
	assert_string_equal(ts_metric_title("loss at the end", "loss", dot, none, "baselines", &arena),
			    "loss at the end (train.loss, of baselines loss)");
	assert_string_equal(ts_metric_title("loss at the end", "loss", none, slash, "older runs", &arena),
			    "loss at the end (loss, of older runs train/loss)");
	assert_string_equal(ts_metric_title("acc", "acc", none, slash, "baselines", &arena), "acc (acc, of baselines train/loss)");
	ts_arena_finish(&arena);
}

/* A least size and a floor that a change of a series of unknown meaning is not lost in; the same at each place. */
static void series_share_a_row(void **state)
{
	(void)state;
	assert_int_equal(TS_METRICS_ALL - TS_METRICS, 8);
	for (size_t i = TS_METRICS; i < TS_METRICS_ALL; i++) {
		assert_string_equal(ts_metrics[i].name, "series");
		assert_true(ts_metrics[i].floor_sd > 0 && ts_metrics[i].min_size == 0 && !ts_metrics[i].log_scale);
		assert_true(ts_metrics[i].unit == TS_UNIT_NONE && ts_metrics[i].watch == 0);
	}
}

static void names_tell_the_better_run(void **state)
{
	static const char *const lower[] = {"val_bpb",	    "loss",	     "val/loss",	 "eval/perplexity",	"kl",
					    "actor/ppo_kl", "kl_divergence", "rollout_mismatch", "rollout/mismatch_kl", "wer",
					    "eval_time",    "latency"};
	static const char *const higher[] = {"reward", "eval/accuracy", "acc",	       "f1",	     "auc",
					     "bleu",   "score",		"judge/score", "throughput", "train/tokens_per_second"};
	static const char *const unknown[] = {"lr",	    "grad_norm", "target_kl", "kl_target",   "kl_coef", "beta",
					      "reward_std", "entropy",	 "times",     "score_count", ""};

	(void)state;
	for (size_t i = 0; i < sizeof lower / sizeof lower[0]; i++)
		assert_int_equal(ts_better_of(ts_span_str(lower[i])), TS_BETTER_LOWER);
	for (size_t i = 0; i < sizeof higher / sizeof higher[0]; i++)
		assert_int_equal(ts_better_of(ts_span_str(higher[i])), TS_BETTER_HIGHER);
	for (size_t i = 0; i < sizeof unknown / sizeof unknown[0]; i++)
		assert_int_equal(ts_better_of(ts_span_str(unknown[i])), TS_BETTER_UNKNOWN);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(series_share_a_row), cmocka_unit_test(names_tell_the_better_run),
		cmocka_unit_test(names_stay),	      cmocka_unit_test(others_are_none),
		cmocka_unit_test(rows_are_whole),     cmocka_unit_test(a_loss_tells_its_column),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
