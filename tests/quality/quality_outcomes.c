/* quality_outcomes.c - how often the table of outcomes of a diff says that two runs of equal steps differ by more than their steps
 * vary (its interval is of 95 %), and how often it sees a difference that is there. Whole reductions: warm-up, spikes and all.
 */
#include "quality_parts.h"

#include "analysis/gate/outcomes.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { RECORDS_MOST = 5000, LOSSES_MOST = 20000, TRIALS = 1000, NAME = 96 };

enum noise { WHITE, AR_5, AR_9, LOGNORMAL, STALLS, SLOW_EVERY_50 };

static int64_t steps[RECORDS_MOST];
static double times[RECORDS_MOST];
static struct ts_arena arenas[2];

static void fill(struct ts_random *r, enum noise noise, size_t n, double slower)
{
	double state = NAN;

	for (size_t i = 0; i < n; i++) {
		double b = 0;

		steps[i] = (int64_t)i;
		switch (noise) {
		case WHITE:
		case STALLS:
		case SLOW_EVERY_50:
			b = 0.03 * ts_random_normal(r);
			break;
		case AR_5:
			b = quality_ar1(r, 0.5, 0.03, &state);
			break;
		case AR_9:
			b = quality_ar1(r, 0.9, 0.03, &state);
			break;
		case LOGNORMAL:
			b = 0.2 * ts_random_normal(r);
			break;
		}
		times[i] = 0.1 * exp(b) * (1 + slower);
		if (noise == STALLS && ts_random_unit(r) < 0.01)
			times[i] *= 5;
		if (noise == SLOW_EVERY_50 && i % 50 == 49)
			times[i] *= 4;
	}
}

static struct ts_reduction reduce(size_t n, struct ts_arena *arena)
{
	static const struct ts_facts nothing;
	const struct ts_reduce_options options = {.has_warmup = false};
	const struct ts_reduce_rows rows = {.steps = steps, .n = n, .times = times};
	const struct ts_reduce_ends ends = {.no_peak = "no column", .no_loss = "no column"};
	struct ts_reduction out;
	struct ts_reducer r;
	struct ts_work work;
	struct ts_error err;

	ts_arena_reset(arena);
	ts_work_of_facts(&nothing, &work);
	if (ts_reducer_begin(&r, &options, &work, arena, &err) || ts_reducer_rows(&r, &rows, &err) ||
	    ts_reducer_finish(&r, &ends, &out, &err))
		abort();
	return out;
}

/* Says whether the difference of that name is known to stand out. */
static bool stands_out(const struct ts_reduction *a, const struct ts_reduction *b, const char *name)
{
	struct ts_outcome_of of_a = {a, 1}, of_b = {b, 1};
	struct ts_outcome *items;
	struct ts_error err;
	size_t n;

	if (ts_outcomes_of(&of_a, &of_b, &arenas[0], &items, &n, &err))
		abort();
	for (size_t i = 0; i < n; i++)
		if (ts_span_is(items[i].name, name))
			return items[i].has_noise && fabs(items[i].change) > items[i].noise;
	abort();
}

static void count_times(struct quality_case *c, uint64_t trial, enum noise noise, size_t n, double slower)
{
	struct ts_reduction runs[2];
	struct ts_random r;

	quality_random(c, trial, &r);
	fill(&r, noise, n, 0);
	runs[0] = reduce(n, &arenas[0]);
	fill(&r, noise, n, slower);
	runs[1] = reduce(n, &arenas[1]);
	quality_count(c, stands_out(&runs[0], &runs[1], "step_time_mean"));
}

static void times_case(struct quality *q, struct quality_case c, enum noise noise, size_t n, double slower)
{
	for (uint64_t i = 0; quality_wants(q, &c) && i < quality_trials(q, TRIALS); i++)
		count_times(&c, i, noise, n, slower);
	if (quality_wants(q, &c))
		quality_report(q, &c);
}

/* A loss that falls as a power of the step, with noise of that AR(1); the second run ends that much higher. */
static struct ts_reduction losses(struct ts_random *r, size_t n, double rho, double higher)
{
	struct ts_reduce_loss loss = ts_reduce_loss_of(n);
	struct ts_reduce_ends ends = {.no_loss = ""};
	struct ts_reduction out = {.n_parts = 0};
	double state = NAN;

	for (size_t i = 0; i < n; i++)
		ts_reduce_loss_add(&loss, (2 + 6 / sqrt((double)i + 10)) * (1 + higher) + quality_ar1(r, rho, 0.05, &state));
	ts_reduce_loss_finish(&loss, &ends);
	out.metrics[TS_METRIC_LOSS] = (struct ts_reduced){
		.known = true, .value = ends.loss, .has_error = isfinite(ends.loss_error), .error = ends.loss_error};
	return out;
}

static void loss_case(struct quality *q, struct quality_case c, size_t n, double rho, double higher)
{
	for (uint64_t i = 0; quality_wants(q, &c) && i < quality_trials(q, TRIALS); i++) {
		struct ts_reduction runs[2];
		struct ts_random r;

		quality_random(&c, i, &r);
		runs[0] = losses(&r, n, rho, 0);
		runs[1] = losses(&r, n, rho, higher);
		quality_count(&c, stands_out(&runs[0], &runs[1], "loss"));
		ts_arena_reset(&arenas[0]);
	}
	if (quality_wants(q, &c))
		quality_report(q, &c);
}

static char *name_of(char *text, const char *what, const char *noise, size_t n)
{
	(void)snprintf(text, NAME, "outcomes, %s, %s, %zu steps", what, noise, n);
	return text;
}

void quality_outcomes(struct quality *q)
{
	static const struct {
		enum noise noise;
		const char *name;
		double clean; /* the goal for equal runs: 5 % where the steps of a batch are independent of the next batch's */
	} kinds[] = {
		{WHITE, "white 3 %", 0.07},
		{AR_5, "AR(1) 0.5", 0.08},
		{AR_9, "AR(1) 0.9", 0.30},
		{LOGNORMAL, "lognormal 0.2", 0.07},
		{STALLS, "1 % of steps 5x", 0.07},
		{SLOW_EVERY_50, "each 50th step 4x", 0.07},
	};
	static const size_t lengths[] = {100, 1000, 5000};
	char text[NAME];

	for (int i = 0; i < 2; i++)
		ts_arena_init(&arenas[i], 64 << 20);
	for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++)
		for (size_t n = 0; n < 3; n++)
			times_case(q, quality_at_most(name_of(text, "equal times", kinds[k].name, lengths[n]), kinds[k].clean),
				   kinds[k].noise, lengths[n], 0);
	times_case(q, quality_at_least(name_of(text, "2 % slower", "white 3 %", 100), 0.9), WHITE, 100, 0.02);
	times_case(q, quality_at_least(name_of(text, "1 % slower", "AR(1) 0.9", 5000), 0.9), AR_9, 5000, 0.01);
	times_case(q, quality_at_least(name_of(text, "5 % slower", "lognormal 0.2", 1000), 0.9), LOGNORMAL, 1000, 0.05);
	loss_case(q, quality_at_most(name_of(text, "equal loss", "white", 1000), 0.06), 1000, 0, 0);
	loss_case(q, quality_at_most(name_of(text, "equal loss", "white", LOSSES_MOST), 0.06), LOSSES_MOST, 0, 0);
	loss_case(q, quality_at_most(name_of(text, "equal loss", "AR(1) 0.5", 1000), 0.10), 1000, 0.5, 0);
	loss_case(q, quality_at_least(name_of(text, "loss 2 % higher", "white", 1000), 0.9), 1000, 0, 0.02);
	for (int i = 0; i < 2; i++)
		ts_arena_finish(&arenas[i]);
}
