/* quality_gate_series.c - the gate and the trend by series that the runs log: false alarms on clean candidates, and a shift of three
 * standard deviations of the spread between runs. Whole verdicts, with the pairs that they ask for.
 *
 * A run's series ends at 0.95 (1 + b), b normal of deviation 0.3 % unless the case says otherwise. Pairs share nothing that moves such
 * a series, so each of their runs has noise of its own. Runs are drawn in the order in which they run.
 */
#include "quality_parts.h"

#include "analysis/gate/trend.h"
#include "base/digest.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { RUNS_MOST = 64, NAME = 96, TREND_RUNS = 100 };

#define LEVEL 0.95
#define SD 0.003
#define SHIFT 3 /* standard deviations */

struct kind {
	const char *name;
	size_t baselines;
	double rho;   /* neighbours in time are alike: AR(1) */
	double drift; /* each run is worse than the one before by so many standard deviations */
	bool heavy;   /* Student's t of 3 degrees, of the same deviation */
};

static struct {
	struct ts_arena arena;
	struct ts_gate_input input;
	struct ts_gate_run runs[RUNS_MOST];
	struct ts_reduced_series series[RUNS_MOST];
	char sessions[RUNS_MOST][16];
	double wave;
	const char *name;
} world;

static double draw(const struct kind *k, struct ts_random *r)
{
	double z = ts_random_normal(r), sum = 0;

	if (k->rho > 0)
		return SD * (world.wave = k->rho * world.wave + sqrt(1 - k->rho * k->rho) * z);
	for (int i = 0; i < 3 && k->heavy; i++) {
		double x = ts_random_normal(r);

		sum += x * x;
	}
	return SD * (k->heavy ? z / sqrt(sum) : z);
}

/* worse: by how much, relative; of a series of which more is better, the value is then smaller. */
static struct ts_gate_run *put(const struct kind *k, enum ts_gate_role role, double worse, struct ts_random *r)
{
	size_t at = world.input.n_runs++;
	struct ts_gate_run *run = &world.runs[at];
	double sign = ts_gate_metric_better(&world.input.policy, (enum ts_metric)TS_METRICS) == TS_BETTER_HIGHER ? -1 : 1;

	if (at >= RUNS_MOST)
		abort();
	*run = (struct ts_gate_run){.role = role, .reduction = {.series = &world.series[at], .n_series = 1}};
	(void)snprintf(world.sessions[at], sizeof world.sessions[at], "%zu", at);
	run->workload.session = ts_span_str(role >= TS_GATE_PAIR_BASE ? "pairs" : world.sessions[at]);
	run->workload.started_ns = (int64_t)(at + 1) * 1000000000;
	run->id.bytes[0] = (uint8_t)at;
	world.series[at] = (struct ts_reduced_series){
		.name = ts_span_str(world.name),
		.value = {.known = true, .value = LEVEL * (1 + sign * (draw(k, r) + worse + SD * k->drift * (double)at))},
		.last_step = 1000,
	};
	return run;
}

static void judge(struct ts_verdict *ret)
{
	struct ts_error err;

	if (ts_gate_judge(&world.input, &world.arena, ret, &err)) {
		(void)fprintf(stderr, "%s\n", err.text);
		abort();
	}
}

static void verdict(const struct kind *k, bool rerun, double worse, struct ts_random *r, struct ts_verdict *ret)
{
	struct ts_gate_orders orders;
	uint32_t pairs = 0;

	ts_arena_reset(&world.arena);
	world.input = (struct ts_gate_input){.runs = world.runs};
	world.wave = ts_random_normal(r);
	ts_gate_policy_default(&world.input.policy);
	(void)ts_gate_policy_only(&world.input.policy, world.name);
	world.input.policy.rerun = rerun;
	for (size_t i = 0; i < k->baselines; i++)
		(void)put(k, TS_GATE_BASELINE, 0, r);
	(void)put(k, TS_GATE_CANDIDATE, worse, r);
	judge(ret);
	while (ret->ask.pairs) {
		orders = ts_gate_orders_of(&world.input);
		for (uint32_t end = pairs + (uint32_t)ret->ask.pairs; pairs < end;) {
			bool base_first = ts_gate_base_first(&orders, ++pairs);

			for (int second = 0; second < 2; second++) {
				bool base = second == 0 ? base_first : !base_first;

				put(k, base ? TS_GATE_PAIR_BASE : TS_GATE_PAIR_CANDIDATE, base ? 0 : worse, r)->group = pairs;
			}
		}
		judge(ret);
	}
}

typedef bool counted(const struct ts_verdict *v);

static bool fails(const struct ts_verdict *v)
{
	return v->state == TS_GATE_REGRESSION;
}

static bool moved(const struct ts_verdict *v)
{
	return v->state == TS_GATE_INCONCLUSIVE;
}

static bool claims_worse(const struct ts_verdict *v)
{
	return v->state == TS_GATE_REGRESSION || v->state == TS_GATE_IMPROVEMENT;
}

static bool paired(const struct ts_verdict *v)
{
	(void)v;
	for (size_t i = 0; i < world.input.n_runs; i++)
		if (world.runs[i].role == TS_GATE_PAIR_BASE)
			return true;
	return false;
}

static void count(struct quality *q, const struct kind *k, const char *series, bool rerun, double shift, const char *what, counted *is,
		  double goal, bool at_least)
{
	char name[NAME];
	struct quality_case c;

	world.name = series;
	(void)snprintf(name, sizeof name, "gate series: %s, %s, %s", series, k->name, what);
	c = at_least ? quality_at_least(name, goal) : quality_at_most(name, goal);
	for (uint64_t i = 0; quality_wants(q, &c) && i < quality_trials(q, 4000); i++) {
		struct ts_random random;
		struct ts_verdict v;

		quality_random(&c, i, &random);
		verdict(k, rerun, shift * SD, &random, &v);
		quality_count(&c, is(&v));
	}
	quality_report(q, &c);
}

static const struct {
	struct kind kind;
	double asked, found, moved, at_once; /* goals: pairs asked for although clean; a shift found; a clean one failed by one look */
} kinds[] = {
	{{"20 baselines", .baselines = 20}, 0.01, 0.5, 0.4, 0.01},
	{{"10 baselines", .baselines = 10}, 0.01, 0.35, 0.25, 0.01},
	{{"5 baselines", .baselines = 5}, 0.01, 0.15, 0.07, 0.01},
	{{"3 baselines", .baselines = 3}, 0.05, 0.04, 0.01, 0.01}, /* some are blind */
	{{"heavy tails", .baselines = 20, .heavy = true}, 0.04, 0.65, 0.6, 0.025},
	{{"AR(1) of 0.5", .baselines = 20, .rho = 0.5}, 0.02, 0.55, 0.45, 0.015},
	{{"AR(1) of 0.8", .baselines = 20, .rho = 0.8}, 0.03, 0.7, 0.65, 0.025},
	{{"a drift by a third of sd a run", .baselines = 20, .drift = 1.0 / 3}, 0.02, 0.4, 0.3, 0.01},
};

static const struct kind twenty = {"20 baselines", .baselines = 20};

/* --- the trend --- */

static struct ts_trend trend_of(double rho, double step, struct ts_gate_policy *policy, struct ts_random *r)
{
	static struct ts_trend_run runs[TREND_RUNS];
	struct ts_trend trend = {.branch = ts_span_str("p/main"), .runs = runs, .n_runs = TREND_RUNS};
	double state = (double)NAN;
	struct ts_error err;

	ts_gate_policy_default(policy);
	trend.metric = ts_gate_policy_only(policy, "val_bpb");
	for (size_t i = 0; i < TREND_RUNS; i++)
		runs[i] = (struct ts_trend_run){
			.known = true, .value = LEVEL * (1 + quality_ar1(r, rho, SD, &state) + (i >= TREND_RUNS / 2 ? step * SD : 0))};
	ts_arena_reset(&world.arena);
	if (ts_trend_judge(&trend, policy, &world.arena, &err)) {
		(void)fprintf(stderr, "%s\n", err.text);
		abort();
	}
	return trend;
}

static void trends(struct quality *q, double rho, double step, const char *what, double goal, bool at_least)
{
	struct quality_case c;
	char name[NAME];

	(void)snprintf(name, sizeof name, "gate series: trend of 100 runs, %s", what);
	c = at_least ? quality_at_least(name, goal) : quality_at_most(name, goal);
	for (uint64_t i = 0; quality_wants(q, &c) && i < quality_trials(q, 600); i++) {
		struct ts_gate_policy policy;
		struct ts_random random;
		struct ts_trend t;

		quality_random(&c, i, &random);
		t = trend_of(rho, step, &policy, &random);
		quality_count(&c, t.n_changes > 0 || t.drift);
	}
	quality_report(q, &c);
}

void quality_gate_series(struct quality *q)
{
	struct ts_error err;

	if (ts_digest_init(&err))
		abort();
	ts_arena_init(&world.arena, 0);
	for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++) {
		const struct kind *k = &kinds[i].kind;

		count(q, k, "val_bpb", true, 0, "clean: failed", fails, 0.005, false);
		count(q, k, "val_bpb", true, 0, "clean: pairs asked for", paired, kinds[i].asked, false);
		count(q, k, "val_bpb", true, SHIFT, "3 sd: found", fails, kinds[i].found, true);
		count(q, k, "kl_coef", true, 0, "clean: called moved", moved, 0.005, false);
		count(q, k, "kl_coef", true, 0, "clean: pairs asked for", paired, kinds[i].asked, false);
		count(q, k, "kl_coef", true, SHIFT, "3 sd: called moved", moved, kinds[i].moved, true);
		count(q, k, "kl_coef", true, -SHIFT, "3 sd the other way: called moved", moved, kinds[i].moved, true);
		count(q, k, "val_bpb", false, 0, "one look, clean: failed", fails, kinds[i].at_once, false);
	}
	count(q, &twenty, "reward", true, 0, "clean: failed", fails, 0.005, false);
	count(q, &twenty, "reward", true, SHIFT, "3 sd: found", fails, 0.5, true);
	count(q, &twenty, "val_bpb", true, 5, "5 sd: found", fails, 0.95, true);
	count(q, &twenty, "kl_coef", true, 5, "5 sd: called moved", moved, 0.9, true);
	count(q, &twenty, "kl_coef", true, 10, "10 sd: called worse or better", claims_worse, 0, false);
	count(q, &twenty, "val_bpb", false, SHIFT, "one look, 3 sd: found", fails, 0.5, true);
	trends(q, 0, 0, "white noise: claimed", 0.01, false);
	trends(q, 0.5, 0, "AR(1) of 0.5: claimed", 0.01, false);
	trends(q, 0.8, 0, "AR(1) of 0.8: claimed", 0.03, false);
	trends(q, 0, SHIFT, "white noise, 3 sd: claimed", 0.95, true);
	ts_arena_finish(&world.arena);
}
