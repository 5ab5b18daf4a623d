/* A run as the few numbers. Expected values of whole reductions were computed with numpy from the definitions in
 * reduction.h (medians of sliding_window_view, a sort for what is cut, np.percentile), over the same generator; others
 * by hand.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "analysis/gate/reduction.h"

#include <float.h>
#include <stdlib.h>
#include <string.h>

enum { MOST = 4096 };

static struct ts_arena arena;
static struct ts_error err;

/* A job is a run in plain arrays. */
struct job {
	int64_t steps[MOST];
	double ends[MOST], times[MOST], tokens[MOST];
	bool starts[MOST], tagged[MOST], phased[MOST];
	struct ts_exclude excludes[2];
	struct ts_reduce_rows rows;
	struct ts_reduce_options options;
	struct ts_work work;
	struct ts_reduce_ends last;
};

static struct job job;

static int set_up(void **state)
{
	static const struct ts_facts nothing;

	(void)state;
	ts_arena_init(&arena, 64 << 20);
	memset(&job, 0, sizeof job);
	ts_work_of_facts(&nothing, &job.work);
	job.rows = (struct ts_reduce_rows){.steps = job.steps};
	job.options = (struct ts_reduce_options){.has_warmup = true, .excludes = job.excludes};
	job.last = (struct ts_reduce_ends){.no_peak = "no column", .no_loss = "no column", .devices = 1};
	return 0;
}

static int tear_down(void **state)
{
	(void)state;
	ts_arena_finish(&arena);
	return 0;
}

/* Returns a value uniform in [0, 1): the same generator was run in Python. */
static double uniform(uint64_t *seed)
{
	*seed = *seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
	return (double)(*seed >> 11) * 0x1p-53;
}

/* Makes n rows of steps 0, stride, 2 stride, ...; their times are around mean with that spread, in job.times and,
 * added up, in job.ends. */
static void rows(size_t n, uint64_t seed, double mean, double spread, int64_t stride)
{
	double end = 1.7e9;

	for (size_t i = 0; i < n; i++) {
		job.steps[i] = (int64_t)i * stride;
		job.times[i] = mean * (1 + spread * (uniform(&seed) - 0.5));
		end += job.times[i];
		job.ends[i] = end;
	}
	job.rows.n = n;
}

/* Adds up the times again after job.times were changed. */
static void add_up(void)
{
	double end = 1.7e9;

	for (size_t i = 0; i < job.rows.n; i++)
		job.ends[i] = end += job.times[i];
}

static struct ts_reduction reduce(void)
{
	struct ts_reduction out;
	struct ts_reducer r;

	assert_int_equal(ts_reducer_begin(&r, &job.options, &job.work, &arena, &err), TS_OK);
	assert_int_equal(ts_reducer_rows(&r, &job.rows, &err), TS_OK);
	assert_int_equal(ts_reducer_finish(&r, &job.last, &out, &err), TS_OK);
	assert_int_equal(out.records, out.warmup + out.excluded + out.counted);
	return out;
}

static void near(double got, double want)
{
	if (!(fabs(got - want) <= 1e-6 * fabs(want)))
		fail_msg("got %.17g, expected %.17g", got, want);
}

/* A clock at 1.7e9 s gives differences of timestamps to within 2.4e-7 s. */
static void metric(const struct ts_reduction *r, enum ts_metric m, double want)
{
	if (!r->metrics[m].known)
		fail_msg("%s is not known: %.*s", ts_metrics[m].name, TS_SPAN_ARG(r->metrics[m].reason));
	if (!(fabs(r->metrics[m].value - want) <= 1e-6 * fabs(want)))
		fail_msg("%s is %.17g, expected %.17g", ts_metrics[m].name, r->metrics[m].value, want);
}

static void unknown(const struct ts_reduction *r, enum ts_metric m, const char *reason)
{
	assert_false(r->metrics[m].known);
	if (!ts_span_is(r->metrics[m].reason, reason))
		fail_msg("%s: %.*s", ts_metrics[m].name, TS_SPAN_ARG(r->metrics[m].reason));
}

static void as_numpy_says_by_timestamps(void **state)
{
	struct ts_reduction r;

	(void)state;
	rows(400, 1, 0.1, 0.1, 1);
	for (size_t i = 0; i < 400; i++) {
		job.times[i] *= i % 97 == 0 ? 4 : 1;
		job.tokens[i] = 1000.0 + (double)(i % 7);
	}
	add_up();
	job.rows.ends = job.ends;
	job.rows.tokens = job.tokens;
	job.rows.tagged = job.tagged;
	job.rows.phased = job.phased;
	job.tagged[55] = job.phased[77] = true;
	job.options.warmup = 10;
	job.excludes[0] = (struct ts_exclude){.kind = TS_EXCLUDE_EVERY, .every = 100};
	job.options.n_excludes = 1;
	job.last.devices = 4;
	r = reduce();
	assert_true(ts_span_is(r.time_source, "timestamps"));
	assert_int_equal(r.records, 399);
	assert_int_equal(r.warmup, 9);
	assert_int_equal(r.excluded, 6);
	assert_int_equal(r.window, 32);
	assert_int_equal(r.windows, 353);
	metric(&r, TS_METRIC_STEP_TIME, 0.09996379166841507);
	metric(&r, TS_METRIC_STEP_TIME_MEAN, 0.10316903765002887);
	metric(&r, TS_METRIC_STEP_TIME_P95, 0.10453280210494995);
	metric(&r, TS_METRIC_STALL_SHARE, 0.031460888185327378);
	metric(&r, TS_METRIC_TOKENS_PER_S, 10033.321977483509);
	metric(&r, TS_METRIC_TOKENS_PER_S_DEVICE, 10033.321977483509 / 4);
	unknown(&r, TS_METRIC_SAMPLES_PER_S, "the run has no column samples and does not record work.samples_per_step");
}

static void as_numpy_says_by_phases_with_accumulation(void **state)
{
	struct ts_reduction r;

	(void)state;
	rows(200, 2, 0.02, 0.05, 1);
	for (size_t i = 3; i < 200; i += 4)
		job.times[i] *= 1.5;
	job.rows.times = job.times;
	job.work.accumulation = (struct ts_work_number){.known = true, .said = true, .value = 4};
	job.work.tokens_per_step = (struct ts_work_number){.known = true, .said = true, .value = 512};
	r = reduce();
	assert_true(ts_span_is(r.time_source, "phases"));
	assert_int_equal(r.records, 200);
	assert_true(r.accumulation == 4);
	metric(&r, TS_METRIC_STEP_TIME, 0.090109554411990977);
	metric(&r, TS_METRIC_STEP_TIME_MEAN, 0.09007817283212495);
	metric(&r, TS_METRIC_STEP_TIME_P95, 0.030525525659116148);
	/* There are 512 tokens in each record, and 4 records take 0.0901 s. */
	metric(&r, TS_METRIC_TOKENS_PER_S, 2048 / 0.090109554411990977);
}

/* Every tenth step is logged: the time between two rows is that of ten steps. */
static void a_row_of_ten_steps(void **state)
{
	struct ts_reduction r;

	(void)state;
	rows(100, 3, 1.0, 0.1, 10);
	job.rows.ends = job.ends;
	r = reduce();
	metric(&r, TS_METRIC_STEP_TIME, 0.10023982040584087);
	metric(&r, TS_METRIC_STEP_TIME_MEAN, 0.10016219302861377);
	metric(&r, TS_METRIC_STEP_TIME_P95, 0.10416808843612671);
}

/* A clock of seconds at ten steps a second: ten rows are one record, and the median is no 0 s. Where no time passes at all it is not
 * known. */
static void a_coarse_clock(void **state)
{
	struct ts_reduction r;

	(void)state;
	rows(400, 3, 0.1, 0, 1);
	job.rows.ends = job.ends;
	for (size_t i = 0; i < 400; i++)
		job.ends[i] = 1.7e9 + (double)(i / 10);
	r = reduce();
	metric(&r, TS_METRIC_STEP_TIME, 0.1);
	for (size_t i = 0; i < 400; i++)
		job.ends[i] = 1.7e9;
	r = reduce();
	unknown(&r, TS_METRIC_STEP_TIME, "three steps or more have one same timestamp, which is too coarse for their time");
}

static void few_records_are_one_window(void **state)
{
	struct ts_reduction r;
	uint64_t seed = 4;

	(void)state;
	rows(25, 4, 0.5, 0, 1);
	for (size_t i = 0; i < 25; i++)
		job.times[i] = 0.5 * (1 + 0.2 * uniform(&seed));
	job.rows.times = job.times;
	r = reduce();
	assert_int_equal(r.window, 25);
	assert_int_equal(r.windows, 1);
	metric(&r, TS_METRIC_STEP_TIME, 0.55025020687875403);
	metric(&r, TS_METRIC_STEP_TIME_P95, 0.59779840661301298);
	job.rows.n = 19;
	r = reduce();
	unknown(&r, TS_METRIC_STEP_TIME,
		"only 19 of 19 records are left after warm-up (0) and exclusions (0), and at least 20 are needed");
	unknown(&r, TS_METRIC_MFU, "only 19 of 19 records are left after warm-up (0) and exclusions (0), and at least 20 are needed");
}

/* A segment has its own warm-up; the time before a restart is not a step. */
static void segments(void **state)
{
	struct ts_reduction r;

	(void)state;
	rows(200, 5, 0.1, 0.02, 1);
	job.times[100] = 3600;
	add_up();
	job.rows.ends = job.ends;
	job.rows.starts = job.starts;
	job.starts[100] = true;
	job.options.warmup = 20;
	r = reduce();
	/* Rows 0 and 100 have no time, and the first twenty rows of each hundred are left out. */
	assert_int_equal(r.records, 198);
	assert_int_equal(r.warmup, 38);
	assert_int_equal(r.counted, 160);
	assert_true(fabs(r.metrics[TS_METRIC_STEP_TIME_MEAN].value - 0.1) < 0.0005);
	assert_true(r.metrics[TS_METRIC_STEP_TIME_P95].value < 0.102);
}

/* The slow starts of both segments are found. */
static void warmup_is_found_in_each_segment(void **state)
{
	struct ts_reduction r;

	(void)state;
	rows(600, 6, 0.1, 0.02, 1);
	for (size_t i = 0; i < 30; i++) {
		job.times[i] *= 3;
		job.times[300 + i] *= 3;
	}
	job.rows.times = job.times;
	job.rows.starts = job.starts;
	job.starts[300] = true;
	job.options.has_warmup = false;
	r = reduce();
	assert_int_equal(r.warmup, 60);
	assert_int_equal(r.counted, 540);
}

/* A clock that is set back removes only one record; unknown ends are passed over, and the next record stands for
 * more steps. */
static void clocks(void **state)
{
	struct ts_reduction r;

	(void)state;
	rows(200, 7, 0.1, 0, 1);
	for (size_t i = 120; i < 200; i++)
		job.ends[i] -= 3600;
	job.ends[50] = 0;
	job.ends[60] = (double)NAN;
	job.ends[61] = (double)INFINITY;
	job.rows.ends = job.ends;
	r = reduce();
	assert_int_equal(r.records, 199 - 1 - 1 - 2);
	metric(&r, TS_METRIC_STEP_TIME, 0.1);
	metric(&r, TS_METRIC_STEP_TIME_MEAN, 0.1);
	metric(&r, TS_METRIC_STEP_TIME_P95, 0.1);
}

/* Step numbers jump by a million: the time in between cannot be divided into steps. */
static void a_jump_of_step_numbers(void **state)
{
	struct ts_reduction r;

	(void)state;
	rows(200, 7, 0.1, 0, 1);
	for (size_t i = 100; i < 200; i++)
		job.steps[i] += 1000000;
	job.rows.ends = job.ends;
	r = reduce();
	assert_int_equal(r.records, 198);
	metric(&r, TS_METRIC_STEP_TIME_MEAN, 0.1);
}

static void times_that_are_no_numbers(void **state)
{
	struct ts_reduction r;

	(void)state;
	rows(100, 8, 0.1, 0, 1);
	job.times[10] = (double)NAN;
	job.times[20] = (double)INFINITY;
	job.times[30] = -1;
	job.times[40] = DBL_MAX;
	job.rows.times = job.times;
	r = reduce();
	assert_int_equal(r.records, 96);
	metric(&r, TS_METRIC_STEP_TIME_MEAN, 0.1);
	for (size_t i = 0; i < 100; i++)
		job.times[i] = (double)NAN;
	r = reduce();
	unknown(&r, TS_METRIC_STEP_TIME, "no step of the run has a known time");
	for (size_t i = 0; i < 100; i++)
		job.times[i] = 0;
	r = reduce();
	unknown(&r, TS_METRIC_STEP_TIME, "the steps took no time");
	unknown(&r, TS_METRIC_STALL_SHARE, "the steps took no time");
}

static void no_time_at_all(void **state)
{
	struct ts_reduction r;

	(void)state;
	job.last.no_time = "no steps have timestamps or phases";
	job.last.has_peak = job.last.has_loss = true;
	job.last.peak_bytes = 1e9;
	job.last.loss = -2.5;
	r = reduce();
	unknown(&r, TS_METRIC_STEP_TIME, "no steps have timestamps or phases");
	assert_true(ts_span_is(r.time_source, "no steps have timestamps or phases"));
	metric(&r, TS_METRIC_PEAK_MEMORY, 1e9);
	metric(&r, TS_METRIC_LOSS, -2.5);
	job.last.loss = (double)NAN;
	r = reduce();
	assert_true(r.metrics[TS_METRIC_LOSS].known && !isfinite(r.metrics[TS_METRIC_LOSS].value));
	job.last.no_time = NULL;
	rows(1, 1, 0.1, 0, 1);
	job.rows.ends = job.ends;
	r = reduce();
	unknown(&r, TS_METRIC_STEP_TIME, "no step of the run has a known time");
}

/* The value of work.accumulation must be a number; otherwise the result is not known. */
static void accumulation_that_is_no_number(void **state)
{
	struct ts_reduction r;

	(void)state;
	rows(100, 9, 0.1, 0.01, 1);
	job.rows.times = job.times;
	job.work.accumulation = (struct ts_work_number){.said = true, .reason = "work.accumulation is text, not a number"};
	r = reduce();
	unknown(&r, TS_METRIC_STEP_TIME, "work.accumulation is text, not a number");
}

/* Steps are selected by number, also where a row stands for several, and below 0. */
static void every_nth_step(void **state)
{
	struct ts_reduction r;

	(void)state;
	rows(100, 10, 0.1, 0, 10);
	job.rows.ends = job.ends;
	job.excludes[0] = (struct ts_exclude){.kind = TS_EXCLUDE_EVERY, .every = 25};
	job.options.n_excludes = 1;
	/* Of 990 steps from 1 on, 39 numbers are divisible by 25, each in another row. */
	r = reduce();
	assert_int_equal(r.excluded, 39);
	for (size_t i = 0; i < 100; i++)
		job.steps[i] = (int64_t)i - 50;
	job.rows.ends = NULL;
	job.rows.times = job.times;
	job.excludes[0].every = 7;
	r = reduce();
	/* The excluded steps are -49, -42, ..., 49. */
	assert_int_equal(r.excluded, 15);
	for (size_t i = 0; i < 100; i++)
		job.steps[i] = i < 50 ? INT64_MIN + (int64_t)i : INT64_MAX - 99 + (int64_t)i;
	job.excludes[0].every = INT64_MAX;
	r = reduce();
	assert_int_equal(r.excluded, 2); /* INT64_MAX and -INT64_MAX */
}

/* 4.5 % of an optimizer step that lie in one record of 32 count as 4.5 %, whether the period is declared or found;
 * the median record does not show them. */
static void one_record_in_32(void **state)
{
	static const size_t lengths[] = {72, 90, 96, 120, 128, 200, 500, 2000};

	(void)state;
	for (size_t k = 0; k < sizeof lengths / sizeof lengths[0]; k++)
		for (int said = 0; said < 2; said++) {
			double before, after;

			job.work.accumulation.known = said;
			job.work.accumulation.value = 32;
			rows(lengths[k], 11 + k, 0.1, 0.06, 1);
			job.rows.times = job.times;
			before = reduce().metrics[TS_METRIC_STEP_TIME].value;
			for (size_t i = 31; i < lengths[k]; i += 32)
				job.times[i] += 0.1 * 0.045 * 32;
			after = reduce().metrics[TS_METRIC_STEP_TIME].value;
			if (!(fabs(after / before - 1.045) < 0.002))
				fail_msg("%zu records, said %d: %.5f", lengths[k], said, after / before);
			assert_true(fabs(reduce().metrics[TS_METRIC_STEP_TIME].value - after) == 0);
		}
}

/* A period that does not divide 32 is found, and the window has whole periods. */
static void other_periods(void **state)
{
	static const size_t periods[] = {3, 10, 12, 20, 48, 50, 100};

	(void)state;
	for (size_t k = 0; k < sizeof periods / sizeof periods[0]; k++) {
		struct ts_reduction r;
		double before;

		rows(2000, 20 + k, 0.1, 0.06, 1);
		job.rows.times = job.times;
		before = reduce().metrics[TS_METRIC_STEP_TIME].value;
		for (size_t i = periods[k] - 1; i < 2000; i += periods[k])
			job.times[i] += 0.1 * 0.1 * (double)periods[k];
		r = reduce();
		assert_int_equal(r.window % periods[k], 0);
		if (!(fabs(r.metrics[TS_METRIC_STEP_TIME].value / before - 1.1) < 0.002))
			fail_msg("period %zu: %.5f", periods[k], r.metrics[TS_METRIC_STEP_TIME].value / before);
	}
}

/* 1 % of spikes change the median of windows by some 1 %, but hardly change the reduction. */
static void spikes_hardly_count(void **state)
{
	double before, after;

	(void)state;
	rows(500, 30, 0.1, 0.06, 1);
	job.rows.times = job.times;
	before = reduce().metrics[TS_METRIC_STEP_TIME].value;
	for (size_t i = 0; i < 5; i++)
		job.times[37 + i * i * 25 + i * 7] *= 3;
	after = reduce().metrics[TS_METRIC_STEP_TIME].value;
	assert_true(fabs(after / before - 1) < 0.001);
	assert_true(reduce().metrics[TS_METRIC_STEP_TIME_MEAN].value / before > 1.018);
}

static void mfu_is_step_time_through_a_constant(void **state)
{
	struct ts_reduction r;

	(void)state;
	rows(100, 12, 0.1, 0, 1);
	job.rows.times = job.times;
	job.work.flops_per_step = (struct ts_work_number){.known = true, .said = true, .value = 4e12, .source = "run.json"};
	job.work.peak_flops = (struct ts_work_number){.known = true, .said = true, .value = 1e14, .source = "run.json"};
	r = reduce();
	metric(&r, TS_METRIC_MFU, 4e12 / 0.1 / 1e14);
	assert_true(ts_span_is(r.mfu_basis, "100 TFLOP/s (work.peak_flops, run.json), convention not said"));
	job.work.convention.text = ts_span_str("6N");
	job.work.flops_ranks = (struct ts_work_number){.known = true, .said = true, .value = 8};
	r = reduce();
	metric(&r, TS_METRIC_MFU, 4e12 / 8 / 0.1 / 1e14);
	assert_true(ts_span_is(r.mfu_basis, "100 TFLOP/s (work.peak_flops, run.json), 6N"));
	job.work.flops_per_step = (struct ts_work_number){.reason = "the run does not record work.flops_per_step"};
	r = reduce();
	unknown(&r, TS_METRIC_MFU, "the run does not record work.flops_per_step");
	assert_int_equal(r.mfu_basis.len, 0);
}

/* --- ranks --- */

enum { RANKS = 3, STEPS = 64 };

static double seconds[RANKS][4][STEPS];

/* The names are backward, comm, forward, io. The times of each rank are invented; comm ends every step at the same
 * time. */
static struct ts_reduction reduce_ranks(const struct ts_span *names, size_t n_names, bool const *has, size_t pieces)
{
	static const int32_t numbers[RANKS] = {0, 2, 5};
	const double *at[RANKS * 4];
	struct ts_reduction out;
	struct ts_reducer r;

	assert_int_equal(ts_reducer_begin(&r, &job.options, &job.work, &arena, &err), TS_OK);
	assert_int_equal(ts_reducer_rows(&r, &job.rows, &err), TS_OK);
	assert_int_equal(ts_reducer_ranks(&r, numbers, RANKS, names, n_names, STEPS, &arena, &err), TS_OK);
	for (size_t from = 0; from < STEPS; from += STEPS / pieces) {
		struct ts_reduce_window w = {.steps = job.steps + from, .n = STEPS / pieces, .seconds = at};

		for (size_t i = 0; i < RANKS * n_names; i++)
			at[i] = has[i % n_names] ? seconds[i / n_names][i % n_names] + from : NULL;
		assert_int_equal(ts_reducer_window(&r, &w, &err), TS_OK);
	}
	assert_int_equal(ts_reducer_finish(&r, &job.last, &out, &err), TS_OK);
	return out;
}

/* Rank 2 computes 0.02 s longer; the others wait for it in comm, whose transfer takes 0.01 s. */
static void parts_and_waits(void **state)
{
	const struct ts_span names[] = {ts_span_str("forward"), ts_span_str("comm"), ts_span_str("io")};
	const bool has[] = {true, true, true};
	struct ts_reduction r, again;

	(void)state;
	rows(STEPS, 1, 0.1, 0, 1);
	for (size_t i = 0; i < STEPS; i++) {
		for (size_t a = 0; a < RANKS; a++) {
			seconds[a][0][i] = a == 1 ? 0.06 : 0.04;
			seconds[a][1][i] = a == 1 ? 0.01 : 0.03;
			seconds[a][2][i] = 0.005;
		}
		job.times[i] = 0.08;
	}
	add_up();
	job.rows.ends = job.ends;
	r = reduce_ranks(names, 3, has, 1);
	assert_int_equal(r.n_parts, 4);
	assert_true(ts_span_is(r.parts[0].name, "forward"));
	near(r.parts[0].seconds, 0.06);
	near(r.parts[1].seconds, 0.01);
	near(r.parts[2].seconds, 0.005);
	assert_true(ts_span_is(r.parts[3].name, "unattributed"));
	assert_true(fabs(r.parts[3].seconds - 0.005) < 1e-6);
	assert_int_equal(r.n_ranks, 3);
	assert_int_equal(r.ranks[1].rank, 2);
	near(r.ranks[0].work, 0.055);
	near(r.ranks[0].wait, 0.02);
	near(r.ranks[1].work, 0.075);
	assert_true(fabs(r.ranks[1].wait) < 1e-12);
	again = reduce_ranks(names, 3, has, 8);
	assert_memory_equal(again.parts[0].name.data, r.parts[0].name.data, 7);
	assert_true(again.parts[0].seconds == r.parts[0].seconds && again.ranks[0].work == r.ranks[0].work);
}

/* A step with an invalid time counts for no part; without comm it is not known which rank waits. */
static void parts_without_numbers(void **state)
{
	const struct ts_span names[] = {ts_span_str("forward"), ts_span_str("comm")};
	const bool has[] = {true, false};
	struct ts_reduction r;

	(void)state;
	rows(STEPS, 1, 0.1, 0, 1);
	for (size_t i = 0; i < STEPS; i++)
		for (size_t a = 0; a < RANKS; a++)
			seconds[a][0][i] = i == 7 && a == 0 ? (double)NAN : i == 9 && a == 1 ? (double)INFINITY : 0.1;
	job.rows.times = job.times;
	r = reduce_ranks(names, 2, has, 1);
	assert_int_equal(r.n_parts, 2);
	near(r.parts[0].seconds, 0.1);
	assert_true(r.parts[1].seconds == 0);
	near(r.ranks[2].work, 0.1);
	assert_true(isnan(r.ranks[2].wait));
}

/* Under DDP, backward of the fast ranks contains the delay of the slow rank. The slow rank's parts count, and its
 * backward is the work. */
static void waits_hidden_in_backward(void **state)
{
	const struct ts_span names[] = {ts_span_str("forward"), ts_span_str("backward")};
	const bool has[] = {true, true};
	struct ts_reduction r;
	uint64_t seed = 3;

	(void)state;
	rows(STEPS, 1, 0.1, 0, 1);
	for (size_t i = 0; i < STEPS; i++)
		for (size_t a = 0; a < RANKS; a++) {
			seconds[a][0][i] = (a == 2 ? 0.05 : 0.03) + 0.002 * uniform(&seed);
			seconds[a][1][i] = 0.1 - seconds[a][0][i];
		}
	job.rows.times = job.times;
	r = reduce_ranks(names, 2, has, 1);
	assert_true(r.parts[0].seconds > 0.05 && r.parts[0].seconds < 0.052);
	assert_true(r.ranks[0].wait > 0.017 && r.ranks[0].wait < 0.023);
	assert_true(r.ranks[2].wait < 0.001);
}

static void periods_by_chance(void **state)
{
	static const uint64_t seeds = 300;
	uint64_t positions[500];
	size_t found = 0;

	(void)state;
	for (size_t i = 0; i < 500; i++)
		positions[i] = i;
	for (uint64_t s = 0; s < seeds; s++) {
		size_t period;

		rows(500, 1000 + s, 0.1, 0.06, 1);
		assert_int_equal(ts_reduce_period(job.times, positions, 500, &arena, &period, &err), TS_OK);
		found += period != 0;
	}
	assert_int_equal(found, 0);
}

/* Ten batches of 100 records, of one clock or of another, 1.3 apart. A tenth of all is a fifth of the records of the fast clock, which
 * lie within 1 % of each other: the floor is known to that, though the batches have 0.1 or 0.13 s. */
static void the_floor_of_two_clocks_is_known(void **state)
{
	struct ts_reduction r;

	(void)state;
	rows(1000, 3, 0.1, 0.01, 1);
	for (size_t i = 0; i < 1000; i++)
		job.times[i] *= i / 100 % 2 ? 1.3 : 1;
	job.rows.times = job.times;
	r = reduce();
	assert_true(fabs(r.metrics[TS_METRIC_STEP_TIME_FLOOR].value - 0.0997) < 0.0002);
	assert_true(r.metrics[TS_METRIC_STEP_TIME_FLOOR].has_error && r.metrics[TS_METRIC_STEP_TIME_FLOOR].error > 0);
	assert_true(r.metrics[TS_METRIC_STEP_TIME_FLOOR].error < 0.0005);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
	const struct CMUnitTest tests[] = {
		TEST(as_numpy_says_by_timestamps),
		TEST(as_numpy_says_by_phases_with_accumulation),
		TEST(a_row_of_ten_steps),
		TEST(a_coarse_clock),
		TEST(few_records_are_one_window),
		TEST(segments),
		TEST(warmup_is_found_in_each_segment),
		TEST(clocks),
		TEST(a_jump_of_step_numbers),
		TEST(times_that_are_no_numbers),
		TEST(no_time_at_all),
		TEST(accumulation_that_is_no_number),
		TEST(every_nth_step),
		TEST(one_record_in_32),
		TEST(other_periods),
		TEST(the_floor_of_two_clocks_is_known),
		TEST(spikes_hardly_count),
		TEST(mfu_is_step_time_through_a_constant),
		TEST(parts_and_waits),
		TEST(parts_without_numbers),
		TEST(waits_hidden_in_backward),
		TEST(periods_by_chance),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
