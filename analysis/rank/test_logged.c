#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "analysis/answer/test_seen.h"
#include "analysis/rank/logged.h"

#include <string.h>

enum { N = 40, CEILING = 16 << 20 };

struct bench {
	struct ts_arena arena;
	struct ts_measures m;
	struct ts_work work;
	struct ts_logged_use use;
	int64_t keys[N];
	double values[N];
};

static int setup(void **state)
{
	struct bench *b = test_calloc(1, sizeof *b);

	ts_arena_init(&b->arena, CEILING);
	b->work.n_ranks = 1;
	for (int64_t i = 0; i < N; i++)
		b->keys[i] = i;
	*state = b;
	return 0;
}

static int teardown(void **state)
{
	struct bench *b = *state;

	ts_arena_finish(&b->arena);
	test_free(b);
	return 0;
}

/* A column whose first two values are a tenth of the others, as those of steps that compile. */
static void column(struct bench *b, const char *name, double value)
{
	struct ts_series series = {.name = ts_span_str(name), .keys = b->keys, .values = b->values, .n = N};
	struct ts_error err;

	for (size_t i = 0; i < N; i++)
		b->values[i] = i < 2 ? value / 10 : value;
	assert_int_equal(ts_logged_take(&b->use, series.name, &series, 2, &b->arena, &err), TS_OK);
}

/* What efficiency computes. */
static void computed(struct bench *b, double mfu, double peak)
{
	assert_true(ts_measure_add(&b->m, &b->arena, TS_M_MFU, TS_NO_SUBJECT, mfu));
	assert_true(ts_measure_add(&b->m, &b->arena, TS_M_MFU_PEAK, TS_NO_SUBJECT, peak));
}

static void rows(struct bench *b)
{
	struct ts_error err;

	assert_int_equal(ts_logged_rows(&b->use, &b->work, &b->arena, &b->m, &err), TS_OK);
	assert_true(test_seen(&b->m));
}

static double value(const struct bench *b, enum ts_measure_name what)
{
	double v = -1;

	(void)ts_measure_value(&b->m, what, TS_NO_SUBJECT, &v);
	return v;
}

static bool says(const struct bench *b, enum ts_measure_name what, const char *words)
{
	const struct ts_measure *row = ts_measure_find(&b->m, what, TS_NO_SUBJECT);

	return row && row->known && ts_span_contains(row->text, words);
}

static bool is_there(const struct bench *b, enum ts_measure_name what)
{
	return ts_measure_find(&b->m, what, TS_NO_SUBJECT) != NULL;
}

static void test_names(void **state)
{
	static const struct {
		const char *name;
		enum ts_logged_what what;
		double factor;
		bool percent, device;
	} cases[] = {
		{"scalars.mfu", TS_LOGGED_MFU, 0, false, false},
		{"scalars.train/mfu", TS_LOGGED_MFU, 0, false, false},
		{"scalars.MFU (%)", TS_LOGGED_MFU, 0, true, false},
		{"scalars.mfu_pct", TS_LOGGED_MFU, 0, true, false},
		{"scalars.throughput/device/mfu", TS_LOGGED_MFU, 0, false, true},
		{"scalars.perf/mfu/actor", TS_LOGGED_MFU, 0, false, false},
		{"scalars.model_flops_utilization", TS_LOGGED_MFU, 0, false, false},
		{"scalars.hfu", TS_LOGGED_HFU, 0, false, false},
		{"scalars.tflops", TS_LOGGED_RATE, 1e12, false, true},
		{"scalars.tflops_per_gpu", TS_LOGGED_RATE, 1e12, false, true},
		{"scalars.throughput per GPU (TFLOP/s/GPU)", TS_LOGGED_RATE, 1e12, false, true},
		{"scalars.perf.achieved_TFLOPs", TS_LOGGED_RATE, 1e12, false, true},
		{"scalars.throughput/flops_per_sec", TS_LOGGED_RATE, 1, false, false},
		{"scalars.throughput/device/flops_per_sec", TS_LOGGED_RATE, 1, false, true},
		{"scalars.pflops", TS_LOGGED_RATE, 1e15, false, true},
	};
	static const char *const others[] = {
		"scalars.loss",	       "scalars.mfu_std",	  "scalars.peak_tflops", "scalars.total_flos",	   "scalars.flops",
		"scalars.total_flops", "scalars.flops_per_token", "scalars.mfunction",	 "scalars.tflops_per_step"};
	struct ts_logged_name name;

	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		assert_true(ts_logged_name_of(ts_span_str(cases[i].name), &name));
		assert_int_equal(name.what, cases[i].what);
		assert_true(name.factor == cases[i].factor);
		assert_int_equal(name.percent, cases[i].percent);
		assert_int_equal(name.per_device, cases[i].device);
	}
	for (size_t i = 0; i < sizeof others / sizeof others[0]; i++)
		assert_false(ts_logged_name_of(ts_span_str(others[i]), &name));
}

static void test_a_share_and_a_percentage(void **state)
{
	struct bench *b = *state;

	column(b, "scalars.mfu", 0.394);
	rows(b);
	assert_true(value(b, TS_M_LOGGED_MFU) == 0.394);
	assert_false(is_there(b, TS_M_LOGGED_ERROR));
	b->use = (struct ts_logged_use){.of[0].found = false};
	b->m.n = 0;
	column(b, "scalars.mfu", 39.5);
	rows(b);
	assert_true(value(b, TS_M_LOGGED_MFU) == 0.395);
	assert_true(says(b, TS_M_LOGGED_MFU_UNIT, "percent"));
	b->use = (struct ts_logged_use){.of[0].found = false};
	b->m.n = 0;
	column(b, "scalars.mfu(%)", 0.5);
	rows(b);
	assert_true(value(b, TS_M_LOGGED_MFU) == 0.005);
}

static void test_not_yet_measured_is_percent(void **state)
{
	struct bench *b = *state;
	struct ts_series series = {.keys = b->keys, .values = b->values, .n = N};
	struct ts_error err;

	for (size_t i = 0; i < N; i++)
		b->values[i] = i < 5 ? -100 : 0.83;
	assert_int_equal(ts_logged_take(&b->use, ts_span_str("scalars.mfu"), &series, 0, &b->arena, &err), TS_OK);
	rows(b);
	assert_true(value(b, TS_M_LOGGED_MFU) == 0.83 / 100);
}

/* 1.04 of 312 TFLOP/s are 324 TFLOP/s, which are 32.8 % of 989. */
static void test_a_value_above_one_may_be_either(void **state)
{
	struct bench *b = *state;

	b->work.device.text = ts_span_str("NVIDIA H100 80GB HBM3");
	column(b, "scalars.mfu", 1.04);
	rows(b);
	assert_false(is_there(b, TS_M_LOGGED_MFU));
	assert_true(says(b, TS_M_LOGGED_ERROR, "104 %, which is impossible, and as a percentage 1.04 %"));
	assert_true(says(b, TS_M_LOGGED_ERROR, "312 TFLOP/s"));
	assert_true(says(b, TS_M_LOGGED_ERROR, "32.8 % of the 989 TFLOP/s"));
}

static void test_the_computed_one_says_which(void **state)
{
	struct bench *b = *state;

	computed(b, 0.011, 989e12);
	column(b, "scalars.mfu", 1.04);
	rows(b);
	assert_true(value(b, TS_M_LOGGED_MFU) == 0.0104);
	assert_false(is_there(b, TS_M_LOGGED_ERROR));
	assert_false(is_there(b, TS_M_LOGGED_NOTE));
}

/* 65.3 TFLOP/s are 39.5 % of 165.2 and 6.6 % of 989. */
static void test_the_peak_of_another_device(void **state)
{
	struct bench *b = *state;

	computed(b, 65.3 / 165.2, 165.2e12);
	column(b, "scalars.mfu", 0.066);
	rows(b);
	assert_true(says(b, TS_M_LOGGED_NOTE, "logged MFU is 6.6 %, and 39.5 % is computed here"));
	assert_true(says(b, TS_M_LOGGED_NOTE, "989 TFLOP/s, that of an H100"));
	assert_true(value(b, TS_M_LOGGED_TIMES) > 0.166 && value(b, TS_M_LOGGED_TIMES) < 0.168);
}

static void test_ranks_and_recomputation(void **state)
{
	struct bench *b = *state;

	b->work.n_ranks = 8;
	computed(b, 0.4, 989e12);
	column(b, "scalars.mfu", 3.2);
	column(b, "scalars.hfu", 0.53);
	rows(b);
	assert_true(value(b, TS_M_LOGGED_MFU) == 3.2);
	assert_true(value(b, TS_M_LOGGED_HFU) == 0.53);
	assert_true(says(b, TS_M_LOGGED_NOTE, "all 8 ranks were divided by the peak of one"));
	assert_true(says(b, TS_M_LOGGED_ERROR, "320 %"));
	b->use = (struct ts_logged_use){.of[0].found = false};
	b->m.n = 0;
	computed(b, 0.3, 989e12);
	column(b, "scalars.mfu", 0.4);
	rows(b);
	assert_true(says(b, TS_M_LOGGED_NOTE, "recomputation"));
}

static void test_rates(void **state)
{
	struct bench *b = *state;

	b->work.n_ranks = 8;
	b->work.device.text = ts_span_str("NVIDIA A100-SXM4-80GB");
	column(b, "scalars.tflops", 156);
	assert_true(ts_measure_add(&b->m, &b->arena, TS_M_MFU_PEAK, TS_NO_SUBJECT, 312e12));
	rows(b);
	assert_true(value(b, TS_M_LOGGED_RATE) == 156e12);
	assert_true(value(b, TS_M_LOGGED_RATE_SHARE) == 0.5);
	assert_true(says(b, TS_M_LOGGED_RATE_OF, "one device"));
	b->use = (struct ts_logged_use){.of[0].found = false};
	b->m.n = 0;
	column(b, "scalars.mfu", 0.5);
	column(b, "scalars.flops_per_sec", 8 * 156e12);
	rows(b);
	assert_true(says(b, TS_M_LOGGED_RATE_OF, "8 devices"));
	assert_true(value(b, TS_M_LOGGED_PEAK) == 312e12);
	b->use = (struct ts_logged_use){.of[0].found = false};
	b->m.n = 0;
	column(b, "scalars.tflops", 700);
	rows(b);
	assert_true(says(b, TS_M_LOGGED_ERROR, "700 TFLOP/s"));
}

static void test_speeds_and_first_steps(void **state)
{
	static const char *const speeds[] = {"scalars.tokens_per_second", "scalars.Tokens/sec", "scalars.throughput(tps)",
					     "scalars.it/s", "scalars.train_samples_per_second"};
	static const char *const others[] = {"scalars.tokens", "scalars.step", "scalars.tokens_per_sample",
					     "scalars.val_tokens_per_second", "scalars.flops_per_sec"};
	struct bench *b = *state;
	struct ts_series series = {.name = ts_span_str("scalars.tokens_per_second"), .keys = b->keys, .values = b->values, .n = N};
	struct ts_logged_name name;
	struct ts_error err;

	for (size_t i = 0; i < sizeof speeds / sizeof speeds[0]; i++)
		if (!ts_logged_speed_of(ts_span_str(speeds[i]), &name))
			fail_msg("%s", speeds[i]);
	for (size_t i = 0; i < sizeof others / sizeof others[0]; i++)
		if (ts_logged_speed_of(ts_span_str(others[i]), &name))
			fail_msg("%s", others[i]);
	/* Three slow steps at the beginning; a slow one later is none of them. */
	for (size_t i = 0; i < N; i++)
		b->values[i] = i < 3 ? 50 + (double)i : i == 20 ? 10 : 1000;
	assert_int_equal(ts_logged_take(&b->use, series.name, &series, 0, &b->arena, &err), TS_OK);
	rows(b);
	assert_true(value(b, TS_M_LOGGED_SPEED) == 1000);
	assert_true(says(b, TS_M_LOGGED_SPEED_COLUMN, "tokens_per_second"));
	assert_true(says(b, TS_M_LOGGED_WARMUP, "steps 0 to 2 have at least 5 % of the usual tokens_per_second"));
	/* Too many for a warm-up. */
	b->use = (struct ts_logged_use){.of[0].found = false};
	b->m = (struct ts_measures){.n = 0};
	for (size_t i = 0; i < N; i++)
		b->values[i] = i < 8 ? 50 : 1000;
	assert_int_equal(ts_logged_take(&b->use, series.name, &series, 0, &b->arena, &err), TS_OK);
	rows(b);
	assert_false(is_there(b, TS_M_LOGGED_WARMUP));
}

static void test_nothing_logged(void **state)
{
	struct bench *b = *state;

	column(b, "scalars.loss", 2);
	rows(b);
	assert_true(b->m.n == 0);
}

static void test_every_row_was_made(void **state)
{
	(void)state;
	for (int what = TS_M_LOGGED_MFU; what <= TS_M_LOGGED_NOTE; what++)
		assert_true(test_seen_names[what]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_names),
		cmocka_unit_test_setup_teardown(test_a_share_and_a_percentage, setup, teardown),
		cmocka_unit_test_setup_teardown(test_not_yet_measured_is_percent, setup, teardown),
		cmocka_unit_test_setup_teardown(test_a_value_above_one_may_be_either, setup, teardown),
		cmocka_unit_test_setup_teardown(test_the_computed_one_says_which, setup, teardown),
		cmocka_unit_test_setup_teardown(test_the_peak_of_another_device, setup, teardown),
		cmocka_unit_test_setup_teardown(test_ranks_and_recomputation, setup, teardown),
		cmocka_unit_test_setup_teardown(test_rates, setup, teardown),
		cmocka_unit_test_setup_teardown(test_speeds_and_first_steps, setup, teardown),
		cmocka_unit_test_setup_teardown(test_nothing_logged, setup, teardown),
		cmocka_unit_test(test_every_row_was_made),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
