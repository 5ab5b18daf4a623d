#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdlib.h>

#include "analysis/answer/test_seen.h"
#include "analysis/rank/memory.h"
#include "analysis/rank/test_expected.h"

enum { CEILING = 64 << 20 };

static const int64_t steps[] = {3, 5, 9};
static const double alloc[] = {100.0, 40.0, 70.0};
static const double peak[] = {150.0, 180.0, 180.0};
static const struct ts_series alloc_series = {.keys = steps, .values = alloc, .n = 3};
static const struct ts_series peak_series = {.keys = steps, .values = peak, .n = 3};

static void summary(const struct ts_series *a, const struct ts_series *pa, int64_t first, struct ts_arena *arena,
		    struct ts_measures *m)
{
	struct ts_plots plots = {.n = 0};
	struct ts_error err;

	m->n = 0;
	assert_int_equal(ts_memory_summary(a, NULL, pa, NULL, first, first, 0, arena, m, &plots, &err), TS_OK);
	assert_true(test_seen(m));
}

static void peaks_and_levels(void **state)
{
	struct ts_measures m = {.n = 0};
	struct ts_arena arena;

	(void)state;
	ts_arena_init(&arena, CEILING);
	summary(&alloc_series, &peak_series, 0, &arena, &m);
	expect_measure(&m, "memory", "peak_alloc", "peak_bytes", 180);
	expect_measure(&m, "memory", "peak_alloc", "at_step", 5); /* the step where the peak is reached first */
	expect_measure(&m, "memory", "alloc", "mean_bytes", 70);
	expect_measure(&m, "memory", "alloc", "last_bytes", 70);
	expect_unknown(&m, "memory", "peak_reserved", "peak_bytes");
	expect_unknown(&m, "memory", "reserved", "mean_bytes");
	summary(&alloc_series, &peak_series, 6, &arena, &m);
	expect_measure(&m, "memory", "peak_alloc", "at_step", 9);
	summary(&alloc_series, &peak_series, 10, &arena, &m);
	expect_unknown(&m, "memory", "peak_alloc", "peak_bytes");
	expect_unknown(&m, "memory", "alloc", "last_bytes");
	ts_arena_finish(&arena);
}

static void falls_back_and_says_so(void **state)
{
	struct ts_measures m = {.n = 0};
	struct ts_arena arena;

	(void)state;
	ts_arena_init(&arena, CEILING);
	summary(&alloc_series, NULL, 0, &arena, &m);
	expect_measure(&m, "memory", "alloc", "peak_bytes", 100);
	expect_measure(&m, "memory", "alloc", "at_step", 3);
	assert_null(test_find(&m, "memory", "peak_alloc", "peak_bytes"));
	summary(NULL, NULL, 0, &arena, &m);
	expect_unknown(&m, "memory", "peak_alloc", "peak_bytes");
	ts_arena_finish(&arena);
}

static void a_nan_is_no_peak(void **state)
{
	static const double holes[] = {(double)NAN, 40.0, (double)NAN},
			    none[] = {(double)NAN, (double)NAN, (double)NAN};
	struct ts_series s = {.keys = steps, .values = holes, .n = 3}, n = {.keys = steps, .values = none, .n = 3};
	struct ts_measures m = {.n = 0};
	struct ts_arena arena;

	(void)state;
	ts_arena_init(&arena, CEILING);
	summary(NULL, &s, 0, &arena, &m);
	expect_measure(&m, "memory", "peak_alloc", "peak_bytes", 40);
	expect_measure(&m, "memory", "peak_alloc", "at_step", 5);
	summary(NULL, &n, 0, &arena, &m);
	expect_unknown(&m, "memory", "peak_alloc", "peak_bytes");
	ts_arena_finish(&arena);
}

/* --- what a whole run says --- */

enum { LONG = 2000 };

#define MIB 1048576.0
#define GIB 1073741824.0

struct long_run {
	int64_t steps[LONG];
	double values[4][LONG]; /* alloc, reserved, peak_alloc, peak_reserved */
	struct ts_series series[4];
	struct ts_arena arena;
	struct ts_measures m;
	struct ts_plots plots;
};

/* A step uses 9.8 of 10 GiB, and 4 GiB stay between steps: this is a healthy run. */
static int healthy(void **state)
{
	struct long_run *r = test_malloc(sizeof *r);
	const double level[] = {4, 10, 9.8, 10};

	for (size_t c = 0; c < 4; c++)
		for (size_t i = 0; i < LONG; i++) {
			r->steps[i] = (int64_t)(10 * i);
			r->values[c][i] = level[c] * GIB;
		}
	for (size_t c = 0; c < 4; c++)
		r->series[c] = (struct ts_series){.keys = r->steps, .values = r->values[c], .n = LONG};
	ts_arena_init(&r->arena, CEILING);
	*state = r;
	return 0;
}

static int long_done(void **state)
{
	struct long_run *r = *state;

	ts_arena_finish(&r->arena);
	test_free(r);
	return 0;
}

static void summarize(struct long_run *r, unsigned columns, int64_t steady_first, double capacity)
{
	struct ts_error err;

	r->m = (struct ts_measures){.n = 0};
	r->plots = (struct ts_plots){.n = 0};
	ts_arena_reset(&r->arena);
	assert_int_equal(ts_memory_summary(columns & 1 ? &r->series[0] : NULL, columns & 2 ? &r->series[1] : NULL,
					   columns & 4 ? &r->series[2] : NULL, columns & 8 ? &r->series[3] : NULL, 0,
					   steady_first, capacity, &r->arena, &r->m, &r->plots, &err),
			 TS_OK);
	assert_true(test_seen(&r->m));
}

static void expect_text(const struct ts_measures *m, const char *subject, const char *name, const char *want)
{
	const struct ts_measure *row = test_find(m, "memory", subject, name);

	assert_non_null(row);
	assert_true(row->known);
	assert_string_equal((const char *)row->text.data, want);
}

static void expect_reason(const struct ts_measures *m, const char *subject, const char *name, const char *want)
{
	const struct ts_measure *row = test_find(m, "memory", subject, name);

	assert_non_null(row);
	assert_false(row->known);
	assert_string_equal((const char *)row->reason.data, want);
}

static double value_of(const struct ts_measures *m, const char *subject, const char *name)
{
	double value = (double)NAN;

	if (!test_value(m, "memory", subject, name, &value))
		fail_msg("%s/%s is not known", subject, name);
	return value;
}

static void a_healthy_run_trips_nothing(void **state)
{
	struct long_run *r = *state;

	summarize(r, 15, 0, 16 * GIB);
	expect_measure(&r->m, "memory", "fragmentation", "ratio", (10 * GIB - 9.8 * GIB) / (10 * GIB));
	expect_measure(&r->m, "memory", "fragmentation", "reserved_unused", 10 * GIB - 9.8 * GIB);
	expect_measure(&r->m, "memory", "growth", "slope", 0);
	expect_measure(&r->m, "memory", "growth", "total", 0);
	expect_measure(&r->m, "memory", "growth", "p_value", 1);
	assert_null(test_find(&r->m, "memory", "growth", "jump_bytes"));
	expect_measure(&r->m, "memory", "capacity", "pressure", 10.0 / 16);
	expect_unknown(&r->m, "memory", "capacity", "steps_left");
	expect_text(&r->m, "creep", "kind", "none");
	summarize(r, 3, 0, 0); /* MPS logs values between steps, which would give 60 % */
	expect_unknown(&r->m, "memory", "fragmentation", "ratio");
	expect_unknown(&r->m, "memory", "capacity", "device");
	expect_unknown(&r->m, "memory", "capacity", "pressure");
}

/* Each step needs a different amount; once a step needs all of it. */
static void varying_shapes_are_no_fragmentation(void **state)
{
	struct long_run *r = *state;

	for (size_t i = 0; i < LONG; i++)
		r->values[2][i] = (3 + 6.8 * (double)(i % 17) / 16) * GIB;
	summarize(r, 15, 0, 0);
	expect_measure(&r->m, "memory", "fragmentation", "ratio", (10 * GIB - 9.8 * GIB) / (10 * GIB));
	for (size_t i = 0; i < LONG; i++)
		r->values[2][i] = 5 * GIB;
	summarize(r, 15, 0, 0);
	expect_measure(&r->m, "memory", "fragmentation", "ratio", 0.5);
	for (size_t i = 0; i < LONG; i++)
		r->values[2][i] = 11 * GIB;
	summarize(r, 15, 0, 0);
	expect_unknown(&r->m, "memory", "fragmentation", "ratio");
}

static void a_leak_and_when_it_is_full(void **state)
{
	struct long_run *r = *state;

	for (size_t c = 0; c < 4; c++)
		for (size_t i = 0; i < LONG; i++)
			r->values[c][i] += (double)i * MIB; /* steps are 10 apart */
	summarize(r, 15, 0, 16 * GIB);
	expect_measure(&r->m, "memory", "growth", "slope", 0.1 * MIB);
	expect_measure(&r->m, "memory", "growth", "total", 1999 * MIB);
	assert_true(value_of(&r->m, "growth", "p_value") < TS_MEMORY_ALPHA);
	/* peak_alloc is at 9.8 GiB + 1999 MiB, so 4349.8 MiB are left at 0.1 MiB a step. */
	assert_true(fabs(value_of(&r->m, "capacity", "steps_left") - (16 * 1024 - 9.8 * 1024 - 1999) * 10) < 2);
	expect_text(&r->m, "creep", "kind", "confirmed");
	expect_text(&r->m, "growth", "column", "memory.alloc");
	expect_measure(&r->m, "memory", "growth", "steps", 2000);
	expect_measure(&r->m, "memory", "growth", "points", 500);
	/* A peak that does not change while memory grows is an old one, so the level is that of alloc: 4 GiB + 1999
	 * MiB. */
	for (size_t i = 0; i < LONG; i++)
		r->values[2][i] = 15 * GIB;
	summarize(r, 15, 0, 16 * GIB);
	assert_true(fabs(value_of(&r->m, "capacity", "steps_left") - (12 * 1024 - 1999) * 10) < 2);
	summarize(r, 15, 0, 5 * GIB); /* the limit is exceeded already */
	expect_measure(&r->m, "memory", "capacity", "steps_left", 0);
	summarize(r, 15, 0, 0);
	expect_unknown(&r->m, "memory", "capacity", "steps_left_low");
}

/* From the middle of the run on, 8 MiB stay every 10 steps; then the same under a sawtooth of 2 GiB. */
static void a_leak_that_begins_late(void **state)
{
	struct long_run *r = *state;
	struct ts_rank_memory rank;
	struct ts_error err;

	for (size_t i = 0; i < LONG; i++)
		r->values[0][i] += fmax((double)i - 1000, 0) * 8 * MIB;
	summarize(r, 15, 0, 16 * GIB);
	assert_true(fabs(value_of(&r->m, "growth", "since") - 10000) <= 500);
	assert_true(fabs(value_of(&r->m, "growth", "slope") - 0.8 * MIB) < 0.02 * MIB);
	assert_true(fabs(value_of(&r->m, "growth", "total") - 7992 * MIB) < 500 * MIB);
	expect_text(&r->m, "growth", "method", "Theil-Sen, lowest values");
	/* alloc is at 4 GiB + 7992 MiB, so 4296 MiB are left at 0.8 MiB a step. */
	assert_true(fabs(value_of(&r->m, "capacity", "steps_left") / (4296 / 0.8) - 1) < 0.03);
	ts_arena_reset(&r->arena);
	assert_int_equal(ts_memory_rank(&r->series[0], NULL, 0, 0, &r->arena, &rank, &err), TS_OK);
	assert_true(rank.late && llabs(rank.since - 10000) <= 500);
	for (size_t i = 0; i < LONG; i++)
		r->values[0][i] += 2 * GIB * (double)(i % 45) / 45;
	summarize(r, 15, 0, 16 * GIB);
	assert_true(fabs(value_of(&r->m, "growth", "since") - 10000) <= 1500);
	assert_true(fabs(value_of(&r->m, "growth", "slope") - 0.8 * MIB) < 0.05 * MIB);
}

/* Memory that takes another GiB at steps 5,000, 10,000 and 15,000, then at half of these distances: the slope is that from rise to
 * rise. */
static void a_leak_in_stairs(void **state)
{
	struct long_run *r = *state;
	struct ts_rank_memory rank;
	struct ts_error err;

	for (size_t i = 0; i < LONG; i++)
		r->values[0][i] = (4 + (double)(i / 500)) * GIB + (double)(i * 7919 % 211) * MIB / 8;
	summarize(r, 15, 0, 16 * GIB);
	expect_measure(&r->m, "memory", "growth", "rises", 3);
	expect_measure(&r->m, "memory", "growth", "since", 5000);
	assert_true(fabs(value_of(&r->m, "growth", "slope") - GIB / 5000) < 0.01 * GIB / 5000);
	assert_true(fabs(value_of(&r->m, "growth", "total") - 3 * GIB) < 0.01 * GIB);
	expect_text(&r->m, "growth", "method", "Theil-Sen, rises");
	expect_reason(&r->m, "growth", "slope_low", "a 95 % confidence interval takes 6 rises");
	expect_reason(&r->m, "capacity", "steps_left_low", "a 95 % confidence interval takes 6 rises");
	/* alloc is at 7 GiB and some noise of 26 MiB, so 9 GiB are left. */
	assert_true(fabs(value_of(&r->m, "capacity", "steps_left") / 45000 - 1) < 0.01);
	ts_arena_reset(&r->arena);
	assert_int_equal(ts_memory_rank(&r->series[0], NULL, 0, 0, &r->arena, &rank, &err), TS_OK);
	assert_true(rank.late && rank.since == 5000);
	for (size_t i = 0; i < LONG; i++)
		r->values[0][i] = (4 + (double)((i + 100) / 250)) * GIB;
	summarize(r, 15, 0, 32 * GIB);
	if (test_find(&r->m, "memory", "growth", "rises"))
		expect_measure(&r->m, "memory", "growth", "rises", 8);
	assert_true(value_of(&r->m, "growth", "slope_low") > 0);
	assert_true(fabs(value_of(&r->m, "growth", "slope") - GIB / 2500) < 0.05 * GIB / 2500);
}

/* A cache that fills up, one step up, and a sawtooth: nothing of it goes on. */
static void growth_that_ends_is_none(void **state)
{
	struct long_run *r = *state;

	for (size_t i = 0; i < LONG; i++)
		r->values[0][i] = 4 * GIB + 4 * GIB * (1 - exp(-(double)i / 300));
	summarize(r, 15, 0, 16 * GIB);
	assert_true(value_of(&r->m, "growth", "total") < 80 * MIB); /* 1 % of the peak; 4 GiB e^(-2000/3/300 * 2) is 48 MiB */
	assert_null(test_find(&r->m, "memory", "growth", "since"));
	for (size_t i = 0; i < LONG; i++)
		r->values[0][i] = 4 * GIB + (i < 1300 ? 0 : 3 * GIB);
	summarize(r, 15, 0, 16 * GIB);
	assert_null(test_find(&r->m, "memory", "growth", "since"));
	for (size_t i = 0; i < LONG; i++)
		r->values[0][i] = 4 * GIB + 3 * GIB * (double)(i % 130) / 130;
	summarize(r, 15, 0, 16 * GIB);
	assert_null(test_find(&r->m, "memory", "growth", "since"));
}

static void the_interval_orders_the_forecast(void **state)
{
	struct long_run *r = *state;
	double low, mid, high;

	for (size_t i = 0; i < LONG; i++)
		r->values[0][i] += (double)i * MIB + (double)(i * 7919 % 211) * MIB;
	summarize(r, 1, 0, 16 * GIB);
	low = value_of(&r->m, "capacity", "steps_left_low");
	mid = value_of(&r->m, "capacity", "steps_left");
	high = value_of(&r->m, "capacity", "steps_left_high");
	assert_true(low < mid && mid < high);
	assert_true(value_of(&r->m, "growth", "slope_low") < 0.1 * MIB);
	assert_true(value_of(&r->m, "growth", "slope_high") > 0.1 * MIB);
	for (size_t i = 0; i < LONG; i++)
		r->values[0][i] = 9 * GIB - r->values[0][i] / 2;
	summarize(r, 1, 0, 16 * GIB); /* the level falls */
	assert_true(value_of(&r->m, "growth", "p_value") < TS_MEMORY_ALPHA);
	expect_reason(&r->m, "capacity", "steps_left", "memory does not grow, it falls");
}

/* Memory that grows only during warm-up does not count as growth once the warm-up is left out. */
static void growth_starts_when_the_run_is_steady(void **state)
{
	struct long_run *r = *state;

	for (size_t i = 0; i < 1500; i++)
		r->values[0][i] = (double)i * MIB;
	for (size_t i = 1500; i < LONG; i++)
		r->values[0][i] = 1500 * MIB;
	summarize(r, 15, 15000, 0);
	expect_measure(&r->m, "memory", "growth", "slope", 0);
	expect_measure(&r->m, "memory", "alloc", "mean", (1499.0 * 750 + 1500.0 * 500) / 2000 * MIB); /* the mean is over all steps */
	summarize(r, 15, 20001, 0);
	expect_unknown(&r->m, "memory", "growth", "slope");
	expect_unknown(&r->m, "memory", "growth", "method");
}

static void a_jump_is_a_row(void **state)
{
	struct long_run *r = *state;

	for (size_t i = 700; i < LONG; i++)
		r->values[0][i] += 1 * GIB;
	summarize(r, 15, 0, 16 * GIB);
	expect_measure(&r->m, "memory", "growth", "jump_bytes", 1 * GIB);
	expect_measure(&r->m, "memory", "growth", "jump_step", 7000);
	assert_true(value_of(&r->m, "growth", "p_value") > TS_MEMORY_ALPHA);
	expect_reason(&r->m, "capacity", "steps_left", "memory does not grow significantly");
}

static void a_running_maximum_is_no_growth(void **state)
{
	struct long_run *r = *state;

	for (size_t i = 0; i < LONG; i++)
		r->values[2][i] = 9 * GIB + sqrt((double)i) * MIB;
	summarize(r, 12, 0, 0);
	expect_unknown(&r->m, "memory", "growth", "slope");
	for (size_t i = 0; i < LONG; i++)
		r->values[2][i] += (double)(i % 3) * 100 * MIB; /* the counter falls, because it is reset */
	summarize(r, 12, 0, 0);
	assert_true(value_of(&r->m, "growth", "p_value") < TS_MEMORY_ALPHA);
}

static void what_is_no_number_of_bytes(void **state)
{
	struct long_run *r = *state;
	static const double odd[] = {(double)NAN, HUGE_VAL, -HUGE_VAL, -1};

	for (size_t i = 0; i < LONG; i++)
		for (size_t c = 0; c < 4; c++)
			if (i % 5 == 0)
				r->values[c][i] = odd[(i / 5 + c) % 4];
	summarize(r, 15, 0, 16 * GIB);
	expect_measure(&r->m, "memory", "alloc", "invalid", LONG / 5);
	expect_measure(&r->m, "memory", "peak_alloc", "peak", 9.8 * GIB);
	expect_measure(&r->m, "memory", "peak_alloc", "at_step", 10);
	expect_measure(&r->m, "memory", "alloc", "mean", 4 * GIB);
	expect_measure(&r->m, "memory", "growth", "slope", 0);
	assert_true(r->plots.n == 2 && r->plots.items[0].nonfinite == 300);
	for (size_t i = 0; i < LONG; i++)
		for (size_t c = 0; c < 4; c++)
			r->values[c][i] = odd[i % 4];
	summarize(r, 15, 0, (double)NAN);
	expect_unknown(&r->m, "memory", "peak_alloc", "peak");
	expect_unknown(&r->m, "memory", "alloc", "mean");
	expect_unknown(&r->m, "memory", "growth", "slope");
	expect_unknown(&r->m, "memory", "capacity", "device");
	expect_unknown(&r->m, "memory", "creep", "kind");
}

static void few_steps(void **state)
{
	struct long_run *r = *state;

	summarize(r, 0, 0, 16 * GIB); /* 2,000 steps without memory are not too few */
	expect_reason(&r->m, "creep", "kind", "the run has no column memory.peak_alloc or memory.alloc");
	for (size_t n = 0; n < 60; n++) {
		for (size_t c = 0; c < 4; c++)
			r->series[c].n = n;
		summarize(r, 15, 0, 16 * GIB);
		assert_int_equal(test_find(&r->m, "memory", "growth", "slope")->known, n >= 3);
		assert_int_equal(test_find(&r->m, "memory", "growth", "p_value")->known, n >= 18);
		assert_int_equal(test_find(&r->m, "memory", "creep", "kind")->known, n >= 50);
		assert_int_equal(test_find(&r->m, "memory", "peak_alloc", "peak")->known, n >= 1);
		assert_int_equal(r->plots.n, n ? 2 : 0);
		for (size_t i = 0; i < r->m.n; i++)
			assert_true(r->m.items[i].known || r->m.items[i].reason.len > 0);
	}
}

static void plots_are_of_what_is_there(void **state)
{
	struct long_run *r = *state;

	summarize(r, 15, 0, 0);
	assert_int_equal(r->plots.n, 2);
	assert_true(ts_span_is(r->plots.items[0].subject, "alloc") && ts_span_is(r->plots.items[0].name, "value"));
	assert_true(ts_span_is(r->plots.items[1].subject, "reserved"));
	assert_int_equal(r->plots.items[0].unit, TS_UNIT_BYTES);
	summarize(r, 8, 0, 0);
	assert_int_equal(r->plots.n, 1);
	assert_true(ts_span_is(r->plots.items[0].subject, "peak_reserved"));
}

static void one_rank_cheaply(void **state)
{
	struct long_run *r = *state;
	struct ts_rank_memory rank;
	struct ts_error err;

	for (size_t i = 0; i < LONG; i++)
		r->values[0][i] += (double)i * MIB;
	ts_arena_reset(&r->arena);
	assert_int_equal(ts_memory_rank(&r->series[0], &r->series[2], 0, 0, &r->arena, &rank, &err), TS_OK);
	assert_true(rank.has_peak && rank.has_growth);
	assert_true(fabs(rank.peak - 9.8 * GIB) < 1);
	assert_true(fabs(rank.growth - 0.1 * MIB) < 1e-6 * MIB);
	assert_true(rank.p_value < TS_MEMORY_ALPHA);
	assert_int_equal(ts_memory_rank(&r->series[0], NULL, 19000, 19990, &r->arena, &rank, &err), TS_OK);
	assert_true(fabs(rank.peak - 4 * GIB - 1999 * MIB) < 1);
	assert_false(rank.has_growth);
	assert_string_equal(rank.no_growth, "fewer than 3 steps have a memory value");
	assert_int_equal(ts_memory_rank(NULL, NULL, 0, 0, &r->arena, &rank, &err), TS_OK);
	assert_false(rank.has_peak || rank.has_growth);
	assert_non_null(rank.no_peak);
	assert_true(isnan(rank.p_value));
}

static void no_memory_is_an_error(void **state)
{
	struct long_run *r = *state;
	bool failed = false, worked = false;

	r->values[0][5] = (double)NAN;
	for (size_t ceiling = 1 << 10; ceiling <= 16 << 20; ceiling += ceiling / 2) {
		struct ts_measures m = {.n = 0};
		struct ts_plots plots = {.n = 0};
		struct ts_arena arena;
		struct ts_error err;
		enum ts_status status;

		ts_arena_init(&arena, ceiling);
		status = ts_memory_summary(&r->series[0], &r->series[1], &r->series[2], &r->series[3], 0, 0, 0, &arena, &m,
					   &plots, &err);
		assert_true(status == TS_OK || status == err.status);
		failed |= status != TS_OK;
		worked |= status == TS_OK;
		ts_arena_finish(&arena);
	}
	assert_true(failed && worked);
}

static void agrees_with_pytscope(void **state)
{
	struct expected_run *run = test_malloc(sizeof *run);
	struct ts_measures m = {.n = 0};
	struct ts_plots plots = {.n = 0};
	struct ts_arena arena;
	struct ts_error err;

	(void)state;
	ts_arena_init(&arena, CEILING);
	if (!expected_load("10k_a", &arena, run)) {
		test_free(run);
		ts_arena_finish(&arena);
		skip();
	}
	assert_int_equal(ts_memory_summary(expected_column(run, "memory.alloc"),
					   expected_column(run, "memory.reserved"),
					   expected_column(run, "memory.peak_alloc"),
					   expected_column(run, "memory.peak_reserved"), 0, 0, 0, &arena, &m,
					   &plots, &err),
			 TS_OK);
	expect_measure(&m, "memory", "peak_alloc", "peak_bytes", expected_number(run, "memory.peak_alloc_bytes"));
	expect_measure(&m, "memory", "peak_reserved", "peak_bytes", expected_number(run, "memory.peak_reserved_bytes"));
	expect_measure(&m, "memory", "alloc", "mean_bytes", expected_number(run, "memory.mean_alloc_bytes"));
	test_free(run);
	ts_arena_finish(&arena);
}

#define CASE(test) cmocka_unit_test_setup_teardown(test, healthy, long_done)

/* A measure that no scenario produces would be a name in measures.inc and nothing else. */
static void every_measure_is_made(void **state)
{
	(void)state;
	assert_true(test_seen_all(TS_ANSWER_MEMORY, NULL));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(peaks_and_levels),
		cmocka_unit_test(falls_back_and_says_so),
		cmocka_unit_test(a_nan_is_no_peak),
		cmocka_unit_test(agrees_with_pytscope),
		CASE(a_healthy_run_trips_nothing),
		CASE(varying_shapes_are_no_fragmentation),
		CASE(a_leak_and_when_it_is_full),
		CASE(a_leak_that_begins_late),
		CASE(a_leak_in_stairs),
		CASE(growth_that_ends_is_none),
		CASE(the_interval_orders_the_forecast),
		CASE(growth_starts_when_the_run_is_steady),
		CASE(a_jump_is_a_row),
		CASE(a_running_maximum_is_no_growth),
		CASE(what_is_no_number_of_bytes),
		CASE(few_steps),
		CASE(plots_are_of_what_is_there),
		CASE(one_rank_cheaply),
		CASE(no_memory_is_an_error),
		cmocka_unit_test(every_measure_is_made),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
