/* quality_reduction.c - what of step_time is the records' own noise, and which periods are seen where there are none. Records: AR(1) of
 * deviation 3 % with Student t3 innovations, 1 % of spikes of 3 times; no noise between runs, so that all of it comes from reducing.
 */
#include "quality_parts.h"

#include "analysis/gate/reduction.h"
#include "analysis/stats/stats.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { RECORDS_MAX = 2000, RUNS = 2000, SLOW_EVERY = 32 };

static int64_t steps[RECORDS_MAX];
static uint64_t positions[RECORDS_MAX];
static double times[RECORDS_MAX], values[RUNS];
static struct ts_arena arena;

/* Its variance is 1. */
static double student3(struct ts_random *r)
{
	double sum = 0;

	for (int i = 0; i < 3; i++) {
		double z = ts_random_normal(r);

		sum += z * z;
	}
	return ts_random_normal(r) / sqrt(sum);
}

/* slow is the extra time of each 32nd record, as a share of one record. The warm-up takes 3 times as long and decays
 * over the first 60. */
static void fill(struct ts_random *r, size_t n, double rho, double slow, bool warmup)
{
	double state = 0;

	for (size_t i = 0; i < 50; i++)
		state = rho * state + 0.03 * sqrt(1 - rho * rho) * student3(r);
	for (size_t i = 0; i < n; i++) {
		state = rho * state + 0.03 * sqrt(1 - rho * rho) * student3(r);
		times[i] = 0.1 * exp(state) * (ts_random_unit(r) < 0.01 ? 3 : 1);
		times[i] *= i % SLOW_EVERY == SLOW_EVERY - 1 ? 1 + slow : 1;
		times[i] *= warmup && i < 60 ? 1 + 2 * exp(-(double)i / 20) : 1;
		steps[i] = (int64_t)i;
		positions[i] = i;
	}
}

static double step_time(size_t n, bool declared)
{
	static const struct ts_facts nothing;
	const struct ts_reduce_options options = {.has_warmup = declared};
	const struct ts_reduce_rows rows = {.steps = steps, .n = n, .times = times};
	const struct ts_reduce_ends ends = {.no_peak = "", .no_loss = ""};
	struct ts_reduction out;
	struct ts_reducer r;
	struct ts_work work;
	struct ts_error err;

	ts_arena_reset(&arena);
	ts_work_of_facts(&nothing, &work);
	if (ts_reducer_begin(&r, &options, &work, &arena, &err) || ts_reducer_rows(&r, &rows, &err) ||
	    ts_reducer_finish(&r, &ends, &out, &err) || !out.metrics[TS_METRIC_STEP_TIME].known)
		abort();
	return out.metrics[TS_METRIC_STEP_TIME].value;
}

/* Computes the same without cutting spikes: the median over windows of 32, and the median record. */
static double plain_median(size_t n, size_t window)
{
	double scratch[RECORDS_MAX], sum = 0;

	for (size_t i = 0; i < n; i++) {
		sum += times[i] - (i >= window ? times[i - window] : 0);
		if (i + 1 >= window)
			scratch[i + 1 - window] = sum / (double)window;
	}
	return ts_median(scratch, n - window + 1, scratch);
}

static double deviation(double *x, size_t n)
{
	return ts_stddev(x, n, ts_mean(x, n));
}

/* Counts how often step_time is more than twice the goal of its deviation from the middle of all, and measures that
 * deviation. */
static void noise(struct quality *q, const char *name, size_t n, double rho, double slow, bool warmup, double goal_sd)
{
	struct quality_case c = quality_at_most(name, 0.05);
	uint64_t runs = quality_trials(q, RUNS);
	struct ts_random random;
	double middle, scratch[RUNS], windows[RUNS], records[RUNS];

	if (!quality_wants(q, &c))
		return;
	for (uint64_t i = 0; i < runs; i++) {
		quality_random(&c, i, &random);
		fill(&random, n, rho, slow, warmup);
		values[i] = log(step_time(n, !warmup));
		windows[i] = log(plain_median(n, 32));
		records[i] = log(plain_median(n, 1));
	}
	middle = ts_median(values, runs, scratch);
	for (uint64_t i = 0; i < runs; i++)
		quality_count(&c, fabs(values[i] - middle) > 2 * goal_sd);
	quality_report(q, &c);
	(void)printf("%-62s deviation of log step_time %.2f %%, of the median window %.2f %%, of the median record %.2f %%\n", "",
		     100 * deviation(values, runs), 100 * deviation(windows, runs), 100 * deviation(records, runs));
}

/* Compares the same records with and without a slowdown of 4.5 % of an optimizer step in one record of 32. */
static void slow_record(struct quality *q, const char *name, size_t n)
{
	struct quality_case c = quality_at_least(name, 0.95);
	struct ts_random random;

	for (uint64_t i = 0; quality_wants(q, &c) && i < quality_trials(q, RUNS); i++) {
		double before, after;

		quality_random(&c, i, &random);
		fill(&random, n, 0.5, 0, false);
		before = step_time(n, true);
		quality_random(&c, i, &random);
		fill(&random, n, 0.5, 0.045 * SLOW_EVERY, false);
		after = step_time(n, true);
		quality_count(&c, after / before > 1.04 && after / before < 1.05);
	}
	quality_report(q, &c);
}

static void false_period(struct quality *q, const char *name, size_t n, double rho, double goal)
{
	struct quality_case c = quality_at_most(name, goal);
	struct ts_random random;
	struct ts_error err;

	for (uint64_t i = 0; quality_wants(q, &c) && i < quality_trials(q, 2 * RUNS); i++) {
		size_t period;

		quality_random(&c, i, &random);
		fill(&random, n, rho, 0, false);
		ts_arena_reset(&arena);
		if (ts_reduce_period(times, positions, n, &arena, &period, &err))
			abort();
		quality_count(&c, period != 0);
	}
	quality_report(q, &c);
}

void quality_reduction(struct quality *q)
{
	ts_arena_init(&arena, 0);
	noise(q, "reduction, step_time off by 0.6 %, 500 records, rho 0.3", 500, 0.3, 0, false, 0.003);
	noise(q, "reduction, step_time off by 0.6 %, 500 records, rho 0.5", 500, 0.5, 0, false, 0.003);
	noise(q, "reduction, off by 0.6 %, 500 records, each 32nd slow", 500, 0.5, 1.44, false, 0.003);
	noise(q, "reduction, off by 0.7 %, 500 records, warm-up found", 500, 0.5, 0, true, 0.0035);
	noise(q, "reduction, step_time off by 0.3 %, 2000 records, rho 0.5", 2000, 0.5, 0, false, 0.0015);
	slow_record(q, "reduction, 4.5 % in one record of 32 is that, 500 records", 500);
	slow_record(q, "reduction, 4.5 % in one record of 32 is that, 2000 records", 2000);
	false_period(q, "reduction, a period where there is none, 500, rho 0", 500, 0, 0.002);
	false_period(q, "reduction, a period where there is none, 500, rho 0.9", 500, 0.9, 0.002);
	false_period(q, "reduction, a period where there is none, 2000, rho 0.5", 2000, 0.5, 0.002);
	ts_arena_finish(&arena);
}
