/* quality_bisect.c - how often the search among versions names the first bad one of a simulated history, and with how many runs beside
 * those of a binary search whose judge is never wrong. */
#include "quality_parts.h"

#include "analysis/gate/gate_policy.h"
#include "analysis/gate/gate_test.h"
#include "experiment/bisection.h"

#include <math.h>
#include <stdio.h>

enum { VERSIONS = 64, JUDGED = 200, TRIALS = 3000, ENDS_LEAST = 4, ENDS_MOST = 8 };
#define WRONG_GATE 0.008 /* as tscope bisect takes it */

struct history {
	const char *name;
	double noise;	    /* of a measured number, as a share of it; 0: a judge that says yes or no */
	double change;	    /* of the first bad version */
	double wrong;	    /* how often the judge is, beside noise */
	double broken;	    /* share of versions that do not build */
	double wander;	    /* of the level from version to version, as a share of it: nobody knows of it */
	double stored;	    /* runs of each end that are there before */
	bool gate;	    /* the gate says whether the ends are apart, by 4 to 8 runs of each, from which the scatter is known */
	double right, runs; /* goals: at least so often, at most so many times the runs of a search without noise */
};

static const struct history histories[] = {
	{"64 commits, no noise", 0, 0, 0, 0, 0, 1, false, 1, 1.0},
	{"64 commits, 1 % noise, change of 5 %", 0.01, 0.05, 0, 0, 0, 1, false, 0.98, 1.6},
	{"64 commits, 1 % noise, change of 3 %, 4 runs of each end", 0.01, 0.03, 0, 0, 0, 4, false, 0.95, 2.5},
	{"64 commits, 2 % noise, change of 5 %, 4 runs of each end", 0.02, 0.05, 0, 0, 0, 4, false, 0.95, 3.5},
	{"64 commits, 1 % noise, change of 5 %, a fifth does not build", 0.01, 0.05, 0, 0.2, 0, 1, false, 0.98, 1.8},
	{"64 commits, 1 % noise, change of 5 %, levels wander by 0.2 %", 0.01, 0.05, 0, 0, 0.002, 1, false, 0.95, 1.8},
	{"64 commits, a judge that is wrong in 1 %", 0, 0, 0.01, 0, 0, 1, false, 0.98, 1.6},
	{"64 commits, a judge that is wrong in 10 %", 0, 0, 0.1, 0, 0, 1, false, 0.98, 3},
	{"64 commits by the gate, 1 % noise, change of 5 %", 0.01, 0.05, 0, 0, 0, 0, true, 0.98, 1.6},
	{"64 commits by the gate, 1 % noise, change of 10 %", 0.01, 0.10, 0, 0, 0, 0, true, 0.98, 1.6},
	{"64 commits by the gate, 3 % noise, change of 10 %", 0.03, 0.10, 0, 0, 0, 0, true, 0.80, 3},
	{"64 commits by the gate, 0.3 % noise, change of 3 %", 0.003, 0.03, 0, 0, 0, 0, true, 0.98, 1.6},
};

/* Runs of both ends until the gate calls the bad one a regression, as it does without pairs; false: it does not. */
static bool gate_ends(const double *level, double noise, struct ts_random *r, struct ts_two_levels *ret_ends)
{
	double x[2][ENDS_MOST], logs[2][ENDS_MOST];
	struct ts_gate_policy policy;
	struct ts_gate_rule rule;
	struct ts_gate_look look;

	ts_gate_policy_default(&policy);
	rule = (struct ts_gate_rule){log1p(policy.delta), log1p(policy.min_size[TS_METRIC_STEP_TIME]),
				     ts_metrics[TS_METRIC_STEP_TIME].floor_sd};
	for (size_t n = 0; n < ENDS_MOST;) {
		for (size_t side = 0; side < 2; side++) {
			x[side][n] = level[side] * (1 + noise * ts_random_normal(r));
			logs[side][n] = log(x[side][n]);
		}
		if (++n < ENDS_LEAST)
			continue;
		ts_gate_first_look(logs[0], n, logs[1], n, (struct ts_gate_spread){0, 0}, NULL, &rule, &look);
		if (ts_gate_worse(&look, &rule, policy.alpha)) {
			ts_levels_of(x[0], n, x[1], n, rule.floor_sd, ret_ends);
			return true;
		}
	}
	return false;
}

/* One history. The ends were measured before, and how much one run scatters is known. */
static bool try_history(const struct history *h, struct ts_random *r, bool *ret_right, double *ret_runs)
{
	const struct ts_bisection search = {.n = VERSIONS, .sure = 0.99, .most = JUDGED};
	size_t bad = 1 + ts_random_below(r, VERSIONS), n = 0;
	struct ts_judged judged[JUDGED];
	double values[JUDGED];
	struct ts_bisection_step step;
	double level[VERSIONS + 1] = {1};
	bool broken[VERSIONS + 1] = {false};
	struct ts_two_levels ends;
	struct ts_arena arena;
	struct ts_error err;
	bool ok = true;

	for (size_t v = 1; v <= VERSIONS; v++) {
		level[v] = level[v - 1] * (1 + (v == bad ? h->change : 0) + h->wander * ts_random_normal(r));
		broken[v] = v < VERSIONS && v != bad && v + 1 != bad && ts_random_unit(r) < h->broken;
	}
	*ret_right = false;
	*ret_runs = 0;
	if (h->gate && !gate_ends((const double[]){level[0], level[VERSIONS]}, h->noise, r, &ends))
		return true;
	if (!h->gate)
		ends = (struct ts_two_levels){level[0] * (1 + h->noise / sqrt(h->stored) * ts_random_normal(r)),
					      level[VERSIONS] * (1 + h->noise / sqrt(h->stored) * ts_random_normal(r)), h->stored,
					      h->stored, h->noise};
	ts_arena_init(&arena, 1 << 20);
	while ((ok = !ts_bisection_next(&search, judged, n, &arena, &step, &err)) && step.end == TS_BISECTION_GOES_ON) {
		size_t v = step.next;
		bool says = v >= bad;

		if (h->wrong > 0 && ts_random_unit(r) < h->wrong)
			says = !says;
		values[n] = level[v] * (1 + h->noise * ts_random_normal(r));
		judged[n] = (struct ts_judged){v, broken[v], ts_judge_evidence(says, fmax(h->wrong, 1e-9))};
		n++;
		if (h->noise > 0 && ts_measured_evidence(&search, &ends, values, h->gate ? WRONG_GATE : 1e-3, judged, n, &arena, &err))
			break;
		ts_arena_reset(&arena);
	}
	ts_arena_finish(&arena);
	*ret_right = ok && step.end == TS_BISECTION_FOUND && step.first == bad;
	*ret_runs = (double)n / log2(VERSIONS);
	return ok;
}

/* How often ends that do not differ are told apart: the false alarms of the gate's looks at 4 to 8 runs of each together. */
static void no_change(struct quality *q)
{
	struct quality_case apart = quality_at_most("bisect: by the gate, 1 % noise, no change: ends told apart", 0.01);

	if (!quality_wants(q, &apart))
		return;
	for (uint64_t i = 0; i < quality_trials(q, TRIALS); i++) {
		struct ts_two_levels ends;
		struct ts_random r;

		quality_random(&apart, i, &r);
		quality_count(&apart, gate_ends((const double[]){1, 1}, 0.01, &r, &ends));
	}
	quality_report(q, &apart);
}

void quality_bisect(struct quality *q)
{
	no_change(q);
	for (size_t k = 0; k < sizeof histories / sizeof histories[0]; k++) {
		const struct history *h = &histories[k];
		struct quality_case right, runs;
		double sum = 0, squares = 0;
		char name[2][128];

		(void)snprintf(name[0], sizeof name[0], "bisect: %s", h->name);
		(void)snprintf(name[1], sizeof name[1], "bisect: %s: runs", h->name);
		right = quality_at_least(name[0], h->right);
		if (!quality_wants(q, &right))
			continue;
		runs = quality_at_most(name[1], h->runs);
		for (uint64_t i = 0; i < quality_trials(q, TRIALS); i++) {
			struct ts_random r;
			double times;
			bool is;

			quality_random(&right, i, &r);
			if (!try_history(h, &r, &is, &times))
				return;
			quality_count(&right, is);
			runs.n++;
			sum += times;
			squares += times * times;
		}
		quality_report(q, &right);
		quality_report_mean(q, &runs, sum, squares);
	}
}
