/* quality_gate.c - how often a gate fails a clean change, and how often it finds a slower one.
 *
 * Runs: y = mu exp(b_session + b_run), both normal; "0.7+0.7 %" names their deviations, that of sessions first. Every baseline
 * and the candidate are of sessions of their own, pairs are of one. Here a run is its value; quality_gate_steps.c makes runs of
 * steps.
 *
 * A change costs a verdict of one look, and the pairs that a suspect asks for, 2 and at most 6 of two runs each.
 */
#include "quality_parts.h"

#include "analysis/gate/gate.h"
#include "analysis/gate/gate_paired.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { BASES_MOST = 32, PAIRS_MOST = 8, NAME = 96 };

/* The goals are those of docs/gate.md. */
#define FALSE_CLEAN 0.001
#define FALSE_EDGE 0.005
#define POWER 0.95
#define EXTRA_RUNS 0.055
#define EDGE 0.01 /* this is delta */

struct noise {
	double session, run; /* standard deviations of logarithms */
};

struct world {
	struct noise noise;
	size_t bases;
	double history;	   /* the degrees of freedom of the prior; 0: there is none */
	double drift;	   /* by how much all machines have become slower since the baselines */
	double pair_noise; /* the factor of the noise on the machines on which pairs run; 0: 1 */
};

struct outcome {
	bool suspect, fails;
	uint64_t pairs;
	struct ts_gate_look first, last;
};

static struct ts_gate_policy policy;
static struct ts_gate_rule rule;

static double total(struct noise n)
{
	return sqrt(n.session * n.session + n.run * n.run);
}

static double draw(const struct world *w, struct ts_random *r)
{
	return total(w->noise) * ts_random_normal(r);
}

/* Returns the spread that the history gives: the root of a chi-square. */
static struct ts_gate_spread history(const struct world *w, struct ts_random *r)
{
	double sum = 0;

	for (int i = 0; i < (int)w->history; i++) {
		double x = draw(w, r);

		sum += x * x;
	}
	return (struct ts_gate_spread){w->history > 0 ? sqrt(sum / w->history) : 0, w->history};
}

static void first_look(const struct world *w, double shift, struct ts_random *r, struct ts_gate_look *ret_look)
{
	double base[BASES_MOST], candidate = log1p(shift) + log1p(w->drift) + draw(w, r);

	for (size_t i = 0; i < w->bases; i++)
		base[i] = draw(w, r);
	ts_gate_first_look(base, w->bases, &candidate, 1, history(w, r), NULL, &rule, ret_look);
}

static struct ts_gate_difference pair(const struct world *w, double shift, struct ts_random *r)
{
	double sd = w->noise.run * (w->pair_noise > 0 ? w->pair_noise : 1), base = sd * ts_random_normal(r);
	double candidate = log1p(shift) + sd * ts_random_normal(r);

	return (struct ts_gate_difference){.d = candidate - base, .middle = (base + candidate) / 2};
}

/* Sends one change of a given size through both stages. Pairs are run when the gate asks for them. */
static struct outcome change(const struct world *w, double shift, struct ts_random *r)
{
	struct outcome o = {0};
	const struct ts_gate_pairs_plan plan = {(size_t)policy.pairs, (size_t)policy.pairs_most, policy.alpha, policy.alpha / 2,
						log1p(policy.must_catch), &o.first};
	struct ts_gate_difference d[PAIRS_MOST] = {0};
	double scratch[2 * PAIRS_MOST];
	enum ts_gate_pairs_answer answer = TS_GATE_PAIRS_FEW;

	first_look(w, shift, r, &o.first);
	o.suspect = ts_gate_worse(&o.first, &rule, policy.suspect_alpha);
	while (o.suspect && (answer == TS_GATE_PAIRS_FEW || answer == TS_GATE_PAIRS_OPEN)) {
		struct ts_gate_spread within = ts_gate_within((struct ts_gate_spread){0, 0}, &o.first);

		d[o.pairs++] = pair(w, shift, r);
		answer = ts_gate_pairs_judge(d, o.pairs, &plan, within, &rule, scratch, &o.last);
	}
	o.fails = answer == TS_GATE_PAIRS_CONFIRM;
	return o;
}

/* --- the grid of noise --- */

static const struct {
	struct noise noise;
	const char *name;
} grid[] = {
	{{0, 0.003}, "0+0.3 %"},
	{{0, 0.005}, "0+0.5 %"},
	{{0, 0.01}, "0+1 %"},
	{{0, 0.02}, "0+2 %"},
	/* half of the variance between sessions */
	{{0.0035355, 0.0035355}, "0.35+0.35 %"},
	{{0.0070711, 0.0070711}, "0.7+0.7 %"},
	{{0.005, 0.005}, "0.5+0.5 %"},
	{{0.01, 0.01}, "1+1 %"},
	/* 80 % of the variance */
	{{0.0044721, 0.0022361}, "0.45+0.22 %"},
	{{0.0089443, 0.0044721}, "0.9+0.45 %"},
	{{0.01, 0.005}, "1+0.5 %"},
	{{0.02, 0.01}, "2+1 %"},
	/* nearly all of the variance */
	{{0.02, 0.005}, "2+0.5 %"},
};

enum { GRID = sizeof grid / sizeof grid[0] };

static const struct {
	size_t bases;
	double history;
	const char *name;
} supports[] = {{20, 0, "20 baselines"}, {10, 30, "10 and history"}, {10, 0, "10 baselines"}, {3, 30, "3 and history"}};

enum { SUPPORTS = sizeof supports / sizeof supports[0] };

static struct world world_of(size_t cell, size_t support)
{
	return (struct world){.noise = grid[cell].noise, .bases = supports[support].bases, .history = supports[support].history};
}

static const char *name_of(const char *what, size_t cell, size_t support)
{
	static char name[NAME];

	(void)snprintf(name, sizeof name, "gate: %s, %s, %s", what, grid[cell].name, supports[support].name);
	return name;
}

static void count_fails(struct quality *q, struct quality_case *c, const struct world *w, double shift, uint64_t trials)
{
	for (uint64_t i = 0; quality_wants(q, c) && i < quality_trials(q, trials); i++) {
		struct ts_random random;

		quality_random(c, i, &random);
		quality_count(c, change(w, shift, &random).fails);
	}
}

static void false_alarms(struct quality *q)
{
	for (size_t k = 0; k < SUPPORTS; k++)
		for (size_t i = 0; i < GRID; i++) {
			struct world w = world_of(i, k);
			struct quality_case c = quality_at_most(name_of("false alarm, no change", i, k), FALSE_CLEAN);

			count_fails(q, &c, &w, 0, 50000);
			quality_report(q, &c);
			c = quality_at_most(name_of("false alarm, 1 % slower", i, k), FALSE_EDGE);
			count_fails(q, &c, &w, EDGE, 50000);
			quality_report(q, &c);
		}
}

static void extra_runs(struct quality *q)
{
	for (size_t k = 0; k < SUPPORTS; k++)
		for (size_t i = 0; i < GRID; i++) {
			struct quality_case c = quality_at_most(name_of("extra runs, no change", i, k), EXTRA_RUNS);
			struct world w = world_of(i, k);
			double sum = 0, squares = 0;

			for (uint64_t t = 0; quality_wants(q, &c) && t < quality_trials(q, 200000); t++) {
				struct ts_random random;
				double runs;

				quality_random(&c, t, &random);
				runs = 2 * (double)change(&w, 0, &random).pairs;
				c.n++;
				sum += runs;
				squares += runs * runs;
			}
			quality_report_mean(q, &c, sum, squares);
		}
}

/* Says what is required of a cell: a shift, and the largest noise between runs at which it must be found. With more
 * noise, the chance in a single candidate is too large for the first look. */
static void power(struct quality *q)
{
	static const struct {
		double shift, most, goal;
		const char *what;
	} goals[] = {{0.03, 0.00501, POWER, "3 % found"}, {0.05, 0.01001, POWER, "5 % found"}, {0.10, 0.01001, 1, "10 % found"}};

	for (size_t g = 0; g < sizeof goals / sizeof goals[0]; g++)
		for (size_t k = 0; k < SUPPORTS; k++)
			for (size_t i = 0; i < GRID; i++) {
				struct quality_case c = quality_at_least(name_of(goals[g].what, i, k), goals[g].goal);
				struct world w = world_of(i, k);

				count_fails(q, &c, &w, goals[g].shift, 20000);
				if (total(w.noise) > goals[g].most)
					quality_report_only(q, &c, "beyond: noise of one candidate");
				else if (w.bases < 10 || w.bases + (size_t)w.history < 20)
					quality_report_only(q, &c, "beyond: few baselines, no history");
				else
					quality_report(q, &c);
			}
}

/* --- what a verdict claims of itself --- */

/* Checks how often the 99 % interval contains a true change of 3 %. */
static void intervals(struct quality *q, size_t cell, size_t support)
{
	struct quality_case c = quality_at_least(name_of("99 % interval holds 3 %", cell, support), 0.985);
	struct world w = world_of(cell, support);

	for (uint64_t t = 0; quality_wants(q, &c) && t < quality_trials(q, 20000); t++) {
		struct ts_random random;
		struct ts_gate_look look;

		quality_random(&c, t, &random);
		first_look(&w, 0.03, &random, &look);
		quality_count(&c, fabs(look.difference - log1p(0.03)) <= ts_gate_interval(&look, 0.99));
	}
	quality_report(q, &c);
}

/* Checks that a change of the size that a verdict could have missed is found in 95 % of cases. The draws are the same,
 * and the candidate is slower by the size that its verdict named, which does not depend on the candidate. */
static void sizes_missed(struct quality *q, size_t cell, size_t support)
{
	struct quality_case c = quality_at_least(name_of("found at could_miss", cell, support), 0.94);
	struct world w = world_of(cell, support);

	for (uint64_t t = 0; quality_wants(q, &c) && t < quality_trials(q, 20000); t++) {
		struct ts_random random;
		struct ts_gate_look look;
		double from;

		quality_random(&c, t, &random);
		first_look(&w, 0, &random, &look);
		from = ts_gate_found_from(&look, &rule, policy.suspect_alpha);
		quality_random(&c, t, &random);
		first_look(&w, expm1(from), &random, &look);
		quality_count(&c, ts_gate_worse(&look, &rule, policy.suspect_alpha));
	}
	quality_report(q, &c);
}

static void claims(struct quality *q)
{
	for (size_t k = 0; k < SUPPORTS; k++)
		for (size_t i = 0; i < GRID; i += 2) {
			intervals(q, i, k);
			sizes_missed(q, i, k);
		}
}

/* Checks the size that pairs say they could have missed: pairs that are run again with a change of that size confirm it. */
static void claims_of_pairs(struct quality *q)
{
	const struct ts_gate_pairs_plan plan = {(size_t)policy.pairs, (size_t)policy.pairs_most, policy.alpha, policy.alpha / 2,
						log1p(policy.must_catch), NULL};

	for (size_t i = 0; i < GRID; i += 2) {
		struct quality_case c = quality_at_least(name_of("confirmed at could_miss", i, 0), 0.94);
		struct world w = world_of(i, 0);

		for (uint64_t t = 0; quality_wants(q, &c) && t < quality_trials(q, 20000); t++) {
			struct ts_gate_difference d[PAIRS_MOST] = {0};
			double scratch[2 * PAIRS_MOST], sd = sqrt(2.0) * w.noise.run, from;
			struct ts_gate_look first, look;
			struct ts_gate_spread within;
			struct ts_random random;

			quality_random(&c, t, &random);
			first_look(&w, 0, &random, &first);
			within = ts_gate_within((struct ts_gate_spread){0, 0}, &first);
			for (size_t k = 0; k < plan.first; k++)
				d[k].d = sd * ts_random_normal(&random);
			ts_gate_pairs_look(d, plan.first, within, &rule, scratch, &look);
			from = ts_gate_pairs_found_from(&look, &plan, within, &rule);
			for (size_t k = 0; k < plan.most; k++)
				d[k].d = from + sd * ts_random_normal(&random);
			quality_count(&c, ts_gate_pairs_judge(d, plan.most, &plan, within, &rule, scratch, &look) ==
						  TS_GATE_PAIRS_CONFIRM);
		}
		quality_report(q, &c);
	}
}

/* --- where the model of the first look is wrong --- */

/* All machines have become 5 % slower, so every change is suspect, and only pairs prevent a failure. Then pairs run on
 * machines on which runs scatter three times as much as the baselines. */
static void broken_assumptions(struct quality *q)
{
	for (size_t i = 0; i < GRID; i++) {
		struct world w = world_of(i, 0);
		struct quality_case c = quality_at_most(name_of("false alarm, machines 5 % off", i, 0), FALSE_CLEAN);

		w.drift = 0.05;
		count_fails(q, &c, &w, 0, 20000);
		quality_report(q, &c);
		c = quality_at_most(name_of("the same, 1 % slower", i, 0), FALSE_EDGE);
		count_fails(q, &c, &w, EDGE, 20000);
		quality_report(q, &c);
		w.drift = 0;
		w.pair_noise = 3;
		c = quality_at_most(name_of("false alarm 1 %, pairs 3x noise", i, 0), 2 * FALSE_EDGE);
		count_fails(q, &c, &w, EDGE, 50000);
		quality_report(q, &c);
	}
}

void quality_gate(struct quality *q)
{
	ts_gate_policy_default(&policy);
	rule = (struct ts_gate_rule){log1p(policy.delta), log1p(policy.min_size[TS_METRIC_STEP_TIME]),
				     ts_metrics[TS_METRIC_STEP_TIME].floor_sd};
	if (policy.pairs_most > PAIRS_MOST)
		abort();
	false_alarms(q);
	extra_runs(q);
	power(q);
	claims(q);
	claims_of_pairs(q);
	broken_assumptions(q);
}
