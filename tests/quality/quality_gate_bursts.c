/* quality_gate_bursts.c - the gate on machines that other work disturbs for parts of a run, and from run to run, through the
 * reduction of runs and whole verdicts with the pairs that they ask for.
 *
 * A run is 300 records of 8 ms, exp(b + e(t)): b of deviation 1 % from run to run, e an AR(1) of coefficient 0.5 and deviation
 * 5 %. On top of it lie
 *	bursts	the machine is busy for 20 records times a Pareto variable of index 1.3 (at most ten runs), then quiet for an
 *		exponential time; a burst makes its records longer by a factor of its own, 1.2 to 2.5. Bursts go on from one run to
 *		the next.
 *	shared	another process takes turns on the same core: in stretches of 5 records on average, records take 1.8 times as long,
 *		and the share of such records is anew between 10 and 85 % in each run. Real runs on a shared machine looked like this.
 *	waves	an AR(1) of coefficient 0.8 from run to run, the same for all records of a run
 *	spells	a run in ten begins a spell of one to four runs that take 1.1 to 1.4 times as long as a whole, as under a lowered clock
 *	heat	the clock falls by a fifth when the machine is hot, for 300 records on average, and comes back for 600: some spells are
 *		part of a run, others span runs
 *	clocks	records alternate between two clocks, 1.3 apart, in stretches of some 20; the share of the slow ones is anew between 30
 *		and 60 % in each run
 *	odd	one run of the first two pairs is longer as a whole
 * They begin with the candidate unless the case says that the baselines had them, so that the spread of the baselines says nothing
 * of the pairs. Pairs run always, in the order ABBA.
 */
#include "quality_parts.h"
#include "quality_run.h"

#include "analysis/gate/gate.h"
#include "base/digest.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { RECORDS = 300, RUNS_MOST = 64, NAME = 96, BASELINES = 16 };

#define STEP 0.008
#define RUN_SD 0.01
#define RHO 0.5
#define STEP_SD 0.05

struct machine {
	const char *name;
	double quiet;			     /* records between bursts, mean; 0: there are no bursts */
	bool shared;			     /* another process takes turns */
	double wave;			     /* deviation of waves */
	double spell;			     /* the chance that a spell begins at a run */
	bool heat, clocks;
	double odd;			     /* by how much one run of the first two pairs is longer */
	bool always;			     /* the baselines were disturbed as well */
	double fails, improves, ten, thirty; /* goals: clean and failed, clean and improved, 10 % and 30 % found; 0: none */
};

static struct {
	struct ts_arena arena;
	struct ts_gate_input input;
	struct ts_gate_run runs[RUNS_MOST];
	char sessions[RUNS_MOST][16];
	double left;   /* records until the burst ends, or until the next one begins */
	double factor; /* of the burst; 1: none */
	double wave;
	double spell_factor;
	unsigned spell_left; /* runs */
	bool hot;
} world;

static double exponential(double mean, struct ts_random *r)
{
	return -mean * log(1 - ts_random_unit(r));
}

/* Returns how many times as long the next record takes. */
static double burst(const struct machine *m, struct ts_random *r)
{
	if (!(m->quiet > 0))
		return 1;
	for (world.left -= 1; world.left < 0;) {
		bool busy = world.factor > 1;
		double pareto = pow(1 - ts_random_unit(r), -1 / 1.3);

		world.left += busy ? exponential(m->quiet, r) : fmin(20 * pareto, 10 * RECORDS);
		world.factor = busy ? 1 : 1.2 + 1.3 * ts_random_unit(r);
	}
	return world.factor;
}

static double heat(const struct machine *m, struct ts_random *r)
{
	if (m->heat && ts_random_unit(r) * (world.hot ? 300 : 600) < 1)
		world.hot = !world.hot;
	return world.hot ? 1.25 : 1;
}

/* Returns how many times as long the next record takes where so large a share of the records has the slow clock. */
static double tick(const struct machine *m, bool *io_slow, double share, struct ts_random *r)
{
	if (m->clocks && ts_random_unit(r) * 20 < 1)
		*io_slow = ts_random_unit(r) < share;
	return *io_slow ? 1.3 : 1;
}

/* Returns how many times as long the next record takes beside a process that has this share of the records. */
static double turn(bool *io_taken, double share, struct ts_random *r)
{
	if (ts_random_unit(r) < 0.2)
		*io_taken = ts_random_unit(r) < share;
	return *io_taken ? 1.8 : 1;
}

static struct ts_gate_run *put(const struct machine *m, enum ts_gate_role role, uint32_t session, double slower, struct ts_random *r)
{
	static const struct machine quiet;
	size_t at = world.input.n_runs++;
	struct ts_gate_run *run = &world.runs[at];
	double times[RECORDS], e = STEP_SD * ts_random_normal(r), b = RUN_SD * ts_random_normal(r), share, slow_share;
	bool taken = false, slow = false;

	if (at >= RUNS_MOST)
		abort();
	if (role == TS_GATE_BASELINE && !m->always)
		m = &quiet;
	world.wave = 0.8 * world.wave + 0.6 * m->wave * ts_random_normal(r);
	if (m->spell > 0 && world.spell_left == 0 && ts_random_unit(r) < m->spell) {
		world.spell_left = 1 + ts_random_below(r, 4);
		world.spell_factor = 1.1 + 0.3 * ts_random_unit(r);
	}
	if (world.spell_left) {
		world.spell_left--;
		slower = (1 + slower) * world.spell_factor - 1;
	}
	share = m->shared ? 0.1 + 0.75 * ts_random_unit(r) : 0;
	slow_share = m->clocks ? 0.3 + 0.3 * ts_random_unit(r) : 0;
	world.hot = world.hot && m->heat;
	for (size_t t = 0; t < RECORDS; t++) {
		e = RHO * e + STEP_SD * sqrt(1 - RHO * RHO) * ts_random_normal(r);
		times[t] = STEP * exp(b + e + world.wave) * (1 + slower) * burst(m, r) * turn(&taken, share, r) * heat(m, r) *
			   tick(m, &slow, slow_share, r);
	}
	*run = (struct ts_gate_run){.role = role};
	(void)snprintf(world.sessions[at], sizeof world.sessions[at], "%u", session);
	run->workload.session = ts_span_str(world.sessions[at]);
	run->workload.started_ns = (int64_t)(at + 1) * 1000000000;
	run->id.bytes[0] = (uint8_t)at;
	quality_run_reduce(times, RECORDS, 1, &world.arena, &run->reduction);
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

static void put_pairs(const struct machine *m, uint32_t first, uint64_t n, double slower, struct ts_random *r)
{
	size_t odd = (size_t)(4 * ts_random_unit(r));

	for (uint32_t k = first; k < first + n; k++)
		for (size_t second = 0; second < 2; second++) {
			bool base = k % 2 == 1 ? second == 0 : second == 1;
			double more = first == 1 && 2 * (k - 1) + second == odd ? 1 + m->odd : 1;

			put(m, base ? TS_GATE_PAIR_BASE : TS_GATE_PAIR_CANDIDATE, 1000, (base ? 1 : 1 + slower) * more - 1, r)->group =
				k;
		}
}

static void verdict(const struct machine *m, enum ts_metric metric, double slower, struct ts_random *r, struct ts_verdict *ret)
{
	uint32_t pairs = 0;

	ts_arena_reset(&world.arena);
	world.input = (struct ts_gate_input){.runs = world.runs};
	world.wave = m->always ? m->wave * ts_random_normal(r) : 0;
	world.factor = 1;
	world.spell_left = 0;
	world.hot = false;
	world.left = exponential(m->quiet, r);
	ts_gate_policy_default(&world.input.policy);
	for (size_t i = 0; i < TS_METRICS; i++) {
		world.input.policy.gates[i] = i == (size_t)metric;
		world.input.policy.watch[i] = false;
	}
	for (uint32_t i = 0; i < BASELINES; i++)
		put(m, TS_GATE_BASELINE, i, 0, r);
	put(m, TS_GATE_CANDIDATE, BASELINES, slower, r);
	judge(ret);
	for (uint64_t more = ret->ask.pairs; pairs == 0 || more; more = ret->ask.pairs) {
		more = more ? more : world.input.policy.pairs;
		put_pairs(m, pairs + 1, more, slower, r);
		pairs += (uint32_t)more;
		judge(ret);
	}
}

static struct quality_case asked(const struct machine *m, enum ts_metric metric, bool clean, const char *what, double goal, char *name)
{
	(void)snprintf(name, NAME, "gate bursts: %s, %s, %s", ts_metrics[metric].name, m->name, what);
	return clean ? quality_at_most(name, goal) : quality_at_least(name, goal);
}

static void report(struct quality *q, const struct quality_case *c)
{
	if (c->goal > 0)
		quality_report(q, c);
	else
		quality_report_only(q, c, "measured");
}

/* A clean candidate may neither fail nor be praised: one case counts both, on the same runs. */
static void clean(struct quality *q, const struct machine *m, enum ts_metric metric)
{
	char names[2][NAME];
	struct quality_case failed = asked(m, metric, true, "clean, failed", m->fails, names[0]);
	struct quality_case improved = asked(m, metric, true, "clean, improved", m->improves, names[1]);

	for (uint64_t i = 0; (quality_wants(q, &failed) || quality_wants(q, &improved)) && i < quality_trials(q, 1000); i++) {
		struct ts_random random;
		struct ts_verdict v;

		quality_random(&failed, i, &random);
		verdict(m, metric, 0, &random, &v);
		quality_count(&failed, v.state == TS_GATE_REGRESSION);
		quality_count(&improved, v.state == TS_GATE_IMPROVEMENT);
	}
	report(q, &failed);
	report(q, &improved);
}

static void slower(struct quality *q, const struct machine *m, enum ts_metric metric, double by, const char *what, double goal)
{
	char name[NAME];
	struct quality_case c = asked(m, metric, false, what, goal, name);

	for (uint64_t i = 0; quality_wants(q, &c) && i < quality_trials(q, 200); i++) {
		struct ts_random random;
		struct ts_verdict v;

		quality_random(&c, i, &random);
		verdict(m, metric, by, &random, &v);
		quality_count(&c, v.state == TS_GATE_REGRESSION);
	}
	report(q, &c);
}

/* A candidate that is 10 % slower and green. */
static void green(struct quality *q, const struct machine *m, enum ts_metric metric)
{
	char name[NAME];
	struct quality_case c = asked(m, metric, true, "10 % slower, green", 0.005, name);

	for (uint64_t i = 0; quality_wants(q, &c) && i < quality_trials(q, 1000); i++) {
		struct ts_random random;
		struct ts_verdict v;

		quality_random(&c, i, &random);
		verdict(m, metric, 0.1, &random, &v);
		quality_count(&c, v.exit_code == 0);
	}
	if (m->wave < 0.2)
		quality_report(q, &c);
	else
		quality_report_only(q, &c, "runs differ by twice the change");
}

static const struct machine machines[] = {
	{"quiet", .fails = 0.005, .improves = 0.005, .ten = 0.95, .thirty = 0.99},
	{"bursts since", .quiet = 60, .fails = 0.01, .improves = 0.01},
	{"rare bursts since", .quiet = 600, .fails = 0.01, .improves = 0.01},
	{"bursts always", .quiet = 60, .always = true, .fails = 0.01, .improves = 0.01},
	{"a shared core since", .shared = true, .fails = 0.01, .improves = 0.01},
	{"a shared core always", .shared = true, .always = true, .fails = 0.01, .improves = 0.01},
	{"waves of 5 % since", .wave = 0.05, .fails = 0.01, .improves = 0.01},
	{"waves of 20 % since", .wave = 0.2, .fails = 0.01, .improves = 0.01},
	{"waves of 5 % always", .wave = 0.05, .always = true, .fails = 0.01, .improves = 0.01},
	{"spells of runs since", .spell = 0.1, .fails = 0.01, .improves = 0.01},
	{"spells of runs always", .spell = 0.1, .always = true, .fails = 0.01, .improves = 0.01},
	{"throttling since", .heat = true, .fails = 0.01, .improves = 0.01},
	{"throttling always", .heat = true, .always = true, .fails = 0.01, .improves = 0.01},
	{"two clocks since", .clocks = true, .fails = 0.01, .improves = 0.01},
	{"two clocks always", .clocks = true, .always = true, .fails = 0.01, .improves = 0.01},
	{"one odd run", .odd = 0.3, .fails = 0.01, .improves = 0.01},
};

/* The metric that decides unless a policy names another, and the one that resists bursts. */
static const enum ts_metric metrics[] = {TS_METRIC_STEP_TIME, TS_METRIC_STEP_TIME_FLOOR};

void quality_gate_bursts(struct quality *q)
{
	struct ts_error err;

	if (ts_digest_init(&err))
		abort();
	ts_arena_init(&world.arena, (size_t)256 << 20);
	for (size_t i = 0; i < sizeof machines / sizeof machines[0]; i++)
		for (size_t k = 0; k < sizeof metrics / sizeof metrics[0]; k++) {
			const struct machine *m = &machines[i];

			clean(q, m, metrics[k]);
			if (k == 0)
				green(q, m, metrics[k]);
			/* A part of what is only measured shows nothing. */
			if (m->ten > 0 || !q->some)
				slower(q, m, metrics[k], 0.1, "10 % slower, found", m->ten);
			if (m->thirty > 0 || !q->some)
				slower(q, m, metrics[k], 0.3, "30 % slower, found", m->thirty);
		}
	ts_arena_finish(&world.arena);
}
