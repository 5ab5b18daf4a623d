/* quality_gate_steps.c - the gate on runs of steps, through the reduction of runs, beside what others do with the same steps.
 *
 * Record t of a run takes y s(t) exp(e(t)) seconds: y = 0.1 s exp(b_session + b_run) as in quality_gate.c; e an AR(1) of
 * coefficient 0.7 and deviation 3 %, its innovations of Student's t of 3 degrees of freedom; 1 % of the records three times as
 * long; the first 60 decaying from three times. Source of the model: docs/gate.md.
 *
 * Beside it, each on the candidate and the newest baseline: the means more than 5 % apart, warm-up and all; Mann and Whitney's
 * test of their steps at p < 0.05 (1947, by the normal approximation); and the rule of TraceML 0.3.6, means 3 % apart or more.
 */
#include "quality_parts.h"
#include "quality_run.h"

#include "analysis/gate/gate.h"
#include "base/digest.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { RECORDS = 1000, RUNS_MOST = 64, WARMUP = 60, ACCUMULATION = 32, NAME = 96 };

#define RHO 0.7
#define STEP_SD 0.03
#define SPIKES 0.01
#define SYNC 2.5 /* the record that ends an optimizer step, one in 32, takes this many times as long as the others */

struct steps_noise {
	double session, run;
	const char *name;
};

static struct {
	struct ts_arena arena;
	struct ts_gate_input input;
	struct ts_gate_run runs[RUNS_MOST];
	char sessions[RUNS_MOST][16];
	double times[RUNS_MOST][RECORDS];
	double rho;    /* of the noise of steps */
	size_t warmup; /* records */
	size_t length; /* records of the next run */
} world;

/* Draws a normal divided by the root of a chi-square of 3 over 3. Its variance is 3. */
static double student_3(struct ts_random *r)
{
	double sum = 0, z = ts_random_normal(r);

	for (int i = 0; i < 3; i++) {
		double x = ts_random_normal(r);

		sum += x * x;
	}
	return z / sqrt(sum / 3);
}

/* If sync is set, every 32nd record is SYNC times as long, and only that record is slower by `slower`. Otherwise all
 * records are slower. */
static void make_times(double *times, double level, double slower, bool sync, struct ts_random *r)
{
	double e = STEP_SD * ts_random_normal(r), innovation = STEP_SD * sqrt((1 - world.rho * world.rho) / 3);

	for (size_t t = 0; t < RECORDS; t++) {
		bool ends = sync && t % ACCUMULATION == ACCUMULATION - 1;

		e = world.rho * e + innovation * student_3(r);
		times[t] = level * exp(e) * (ends ? SYNC : 1) * (ends || !sync ? 1 + slower : 1);
		if (ts_random_unit(r) < SPIKES)
			times[t] *= 3;
		if (t < world.warmup)
			times[t] *= 1 + 2 * exp(-(double)t / 15);
	}
}

static void must(enum ts_status status, const struct ts_error *err)
{
	if (status) {
		(void)fprintf(stderr, "%s\n", err->text);
		abort();
	}
}

/* --- runs in their roles --- */

static struct ts_gate_run *put(enum ts_gate_role role, uint32_t session)
{
	size_t at = world.input.n_runs++;
	struct ts_gate_run *run = &world.runs[at];

	if (at >= RUNS_MOST)
		abort();
	*run = (struct ts_gate_run){.role = role};
	(void)snprintf(world.sessions[at], sizeof world.sessions[at], "%u", session);
	run->workload.session = ts_span_str(world.sessions[at]);
	run->id.bytes[0] = (uint8_t)at;
	run->reduction.time_source = ts_span_str("timestamps");
	return run;
}

static void put_value(enum ts_gate_role role, uint32_t session, double ln_level)
{
	put(role, session)->reduction.metrics[TS_METRIC_STEP_TIME] = (struct ts_reduced){.known = true, .value = 0.1 * exp(ln_level)};
}

static double normal(double sd, struct ts_random *r)
{
	return sd * ts_random_normal(r);
}

static void begin(void)
{
	ts_arena_reset(&world.arena);
	world.input = (struct ts_gate_input){.runs = world.runs};
	world.rho = RHO;
	world.warmup = WARMUP;
	world.length = RECORDS;
	ts_gate_policy_default(&world.input.policy);
}

static enum ts_gate_state judge(struct ts_verdict *v)
{
	struct ts_error err;

	must(ts_gate_judge(&world.input, &world.arena, v, &err), &err);
	return v->state;
}

/* Adds a run of steps. world.times keeps them for the other tests. */
static void put_steps(enum ts_gate_role role, uint32_t session, double ln_level, double slower, bool sync, struct ts_random *r)
{
	struct ts_gate_run *run = put(role, session);
	double *times = world.times[world.input.n_runs - 1];

	make_times(times, 0.1 * exp(ln_level), slower, sync, r);
	quality_run_reduce(times, world.length, sync ? ACCUMULATION : 1, &world.arena, &run->reduction);
}

/* --- what others do --- */

static double mean_ratio(const double *base, const double *candidate)
{
	double a = 0, b = 0;

	for (size_t t = 0; t < RECORDS; t++) {
		a += base[t];
		b += candidate[t];
	}
	return b / a;
}

struct ranked {
	double x;
	bool candidate;
};

static int by_x(const void *left, const void *right)
{
	const struct ranked *a = left, *b = right;

	return (a->x > b->x) - (a->x < b->x);
}

/* Returns whether the candidate is slower at p < 0.05 (two-sided). */
static bool mann_whitney(const double *base, const double *candidate)
{
	static struct ranked all[2 * RECORDS];
	double n = RECORDS, ranks = 0;

	for (size_t t = 0; t < RECORDS; t++) {
		all[2 * t] = (struct ranked){base[t], false};
		all[2 * t + 1] = (struct ranked){candidate[t], true};
	}
	qsort(all, sizeof all / sizeof all[0], sizeof all[0], by_x);
	for (size_t i = 0; i < sizeof all / sizeof all[0]; i++)
		ranks += all[i].candidate ? (double)i + 1 : 0;
	return (ranks - n * (n + 1) / 2 - n * n / 2) / sqrt(n * n * (2 * n + 1) / 12) > 1.959964;
}

/* --- a change, from steps to a verdict --- */

struct change {
	const struct steps_noise *noise;
	double slower;
	bool sync;
};

static void add_pair(const struct change *c, uint32_t number, double session, struct ts_random *r)
{
	double run = c->noise->run;

	put_steps(TS_GATE_PAIR_BASE, UINT32_MAX, session + normal(run, r), 0, c->sync, r);
	world.runs[world.input.n_runs - 1].group = number;
	put_steps(TS_GATE_PAIR_CANDIDATE, UINT32_MAX, session + normal(run, r), c->slower, c->sync, r);
	world.runs[world.input.n_runs - 1].group = number;
}

/* Runs 0 to 19 are the baselines, and run 20 is the candidate. */
static enum ts_gate_state whole_change(const struct change *c, uint64_t *ret_extra, struct ts_random *r)
{
	double between = sqrt(c->noise->session * c->noise->session + c->noise->run * c->noise->run), session;
	enum ts_gate_state state;
	struct ts_verdict v;
	uint32_t pairs = 0;

	begin();
	for (uint32_t i = 0; i < 20; i++)
		put_steps(TS_GATE_BASELINE, i, normal(between, r), 0, c->sync, r);
	put_steps(TS_GATE_CANDIDATE, 20, normal(between, r), c->slower, c->sync, r);
	session = normal(c->noise->session, r);
	while ((state = judge(&v)) == TS_GATE_SUSPECT)
		for (uint64_t i = 0; i < v.ask.pairs; i++)
			add_pair(c, pairs++, session, r);
	*ret_extra = 2 * pairs;
	return state;
}

static const struct steps_noise cells[] = {{0, 0.004, "0+0.4 %"}, {0, 0.009, "0+0.9 %"}, {0.0063, 0.0063, "0.6+0.6 %"}};

/* Writes the rows of the other tests, for which we have no goals. */
static void beside(struct quality *q, const struct quality_case *c)
{
	quality_report_only(q, c, "beside");
}

static void of_steps(struct quality *q, const struct steps_noise *noise, double slower, double goal)
{
	static const char *const tests[] = {"gate", "means > 5 %", "Mann-Whitney p < 0.05", "TraceML 3 %"};
	bool clean = slower == 0;
	char names[4][NAME];
	struct quality_case c[4];

	for (int k = 0; k < 4; k++) {
		(void)snprintf(names[k], NAME, "gate: steps, %s, %s: %s", noise->name,
			       clean	       ? "no change"
			       : slower < 0.04 ? "3 %"
					       : "5 %",
			       tests[k]);
		c[k] = clean ? quality_at_most(names[k], goal) : quality_at_least(names[k], goal);
	}
	for (uint64_t i = 0; quality_wants(q, &c[0]) && i < quality_trials(q, 600); i++) {
		struct change change = {noise, slower, false};
		struct ts_random random;
		double ratio;
		uint64_t extra;

		quality_random(&c[0], i, &random);
		quality_count(&c[0], whole_change(&change, &extra, &random) == TS_GATE_REGRESSION);
		ratio = mean_ratio(world.times[19], world.times[20]);
		quality_count(&c[1], ratio > 1.05);
		quality_count(&c[2], mann_whitney(world.times[19], world.times[20]));
		quality_count(&c[3], ratio >= 1.03);
	}
	quality_report(q, &c[0]);
	for (int k = 1; k < 4; k++)
		if (quality_wants(q, &c[0]))
			beside(q, &c[k]);
}

/* One record in 32 ends an optimizer step and takes 2.5 times as long. If it becomes 60 % slower, the step takes 1.5 /
 * 33.5 = 4.5 % longer, which the median record does not show. */
static void one_record_in_32(struct quality *q)
{
	static const struct steps_noise noise = {0, 0.005, "0+0.5 %"};
	struct quality_case found = quality_at_least("gate: steps, 4.5 % in one record of 32 found", 0.95);
	struct quality_case clean = quality_at_most("gate: steps, one long record of 32, no change", 0.001);
	uint64_t extra;

	for (uint64_t i = 0; quality_wants(q, &found) && i < quality_trials(q, 300); i++) {
		struct change change = {&noise, 0.6, true};
		struct ts_random random;

		quality_random(&found, i, &random);
		quality_count(&found, whole_change(&change, &extra, &random) == TS_GATE_REGRESSION);
	}
	quality_report(q, &found);
	for (uint64_t i = 0; quality_wants(q, &clean) && i < quality_trials(q, 300); i++) {
		struct change change = {&noise, 0, true};
		struct ts_random random;

		quality_random(&clean, i, &random);
		quality_count(&clean, whole_change(&change, &extra, &random) == TS_GATE_REGRESSION);
	}
	quality_report(q, &clean);
}

/* --- runs that are shorter than their baselines --- */

static const struct shorter {
	const char *name;
	size_t records, warmup;
	double rho;
	double suspect, found; /* goals: suspect without a change; suspect where 15 % slower. 0: not counted */
} lengths[] = {
	{"64 records of 1,000", 64, 0, RHO, 0.025, 0.5},
	{"64 records of 1,000, rho 0.95", 64, 0, 0.95, 0.015, 0},
	{"64 records of 1,000, rho 0", 64, 0, 0, 0.025, 0.5},
	{"128 records of 1,000", 128, 0, RHO, 0.02, 0.95},
	{"128 records of 1,000, rho 0.95", 128, 0, 0.95, 0.015, 0},
	{"64 records, a warm-up of 60", 64, WARMUP, RHO, 0.01, 0},
	{"40 records, a warm-up of 60", 40, WARMUP, RHO, 0.01, 0},
	{"120 records, a warm-up of 60", 120, WARMUP, RHO, 0.015, 0},
	{"250 records, a warm-up of 60", 250, WARMUP, RHO, 0.02, 0.95},
};

static void of_length(struct quality *q, const struct shorter *s, double slower, bool judged)
{
	static const struct steps_noise noise = {0, 0.004, "0+0.4 %"};
	char name[NAME];
	struct quality_case c;

	(void)snprintf(name, sizeof name, "gate: %s, %s", s->name,
		       judged	    ? "not judged"
		       : slower > 0 ? "15 % slower, suspect"
				    : "suspect");
	c = judged || slower > 0 ? quality_at_least(name, judged ? 0.95 : s->found) : quality_at_most(name, s->suspect);
	for (uint64_t i = 0; quality_wants(q, &c) && i < quality_trials(q, 1000); i++) {
		struct ts_random random;
		struct ts_verdict v;

		quality_random(&c, i, &random);
		begin();
		world.rho = s->rho;
		world.warmup = s->warmup;
		for (uint32_t k = 0; k < 20; k++)
			put_steps(TS_GATE_BASELINE, k, normal(noise.run, &random), 0, false, &random);
		world.length = s->records;
		put_steps(TS_GATE_CANDIDATE, 20, normal(noise.run, &random), slower, false, &random);
		(void)judge(&v);
		quality_count(&c, v.rows[TS_METRIC_STEP_TIME].state == (judged ? TS_GATE_INCONCLUSIVE : TS_GATE_SUSPECT));
	}
	quality_report(q, &c);
}

/* --- runs as values --- */

/* 20 runs at the old level are the history. A slowdown of 5 % was accepted. Since then, `after` runs are baselines, and
 * the candidate is like them. */
static void accepted(struct quality *q, uint32_t after, bool reset)
{
	static const double sds[] = {0.005, 0.01};
	char name[NAME];

	for (size_t k = 0; k < 2; k++) {
		struct quality_case c;

		(void)snprintf(name, sizeof name, "gate: %u since accepted +5 %%, 0+%s, %s", after, k ? "1 %" : "0.5 %",
			       reset ? "failed or suspect" : "not reset: suspect");
		c = quality_at_most(name, 0.01);
		for (uint64_t i = 0; quality_wants(q, &c) && i < quality_trials(q, 10000); i++) {
			struct ts_random random;
			struct ts_verdict v;

			quality_random(&c, i, &random);
			begin();
			for (uint32_t n = 0; n < 20; n++)
				put_value(reset ? TS_GATE_HISTORY : TS_GATE_BASELINE, n, normal(sds[k], &random));
			for (uint32_t n = 0; n < after; n++)
				put_value(TS_GATE_BASELINE, 20 + n, log(1.05) + normal(sds[k], &random));
			put_value(TS_GATE_CANDIDATE, 40, log(1.05) + normal(sds[k], &random));
			(void)judge(&v);
			quality_count(&c, v.state == TS_GATE_SUSPECT || v.state == TS_GATE_REGRESSION);
		}
		if (reset)
			quality_report(q, &c);
		else
			beside(q, &c);
	}
}

/* There are `sessions` sessions of `each` baselines, and a candidate of three runs in one other session. If `alike` is
 * set, each run is given a session of its own, as if sessions did not exist. */
static void sessions(struct quality *q, const char *name, uint32_t n_sessions, uint32_t each, bool alike)
{
	struct quality_case c = quality_at_most(name, 0.01);

	for (uint64_t i = 0; quality_wants(q, &c) && i < quality_trials(q, 10000); i++) {
		struct ts_random random;
		struct ts_verdict v;
		uint32_t own = 100;
		double luck;

		quality_random(&c, i, &random);
		begin();
		for (uint32_t s = 0; s < n_sessions; s++) {
			luck = normal(0.02, &random);
			for (uint32_t k = 0; k < each; k++)
				put_value(TS_GATE_BASELINE, alike ? own++ : s, luck + normal(0.005, &random));
		}
		luck = normal(0.02, &random);
		for (uint32_t k = 0; k < 3; k++)
			put_value(TS_GATE_CANDIDATE, alike ? own++ : n_sessions, luck + normal(0.005, &random));
		(void)judge(&v);
		quality_count(&c, v.state == TS_GATE_SUSPECT || v.state == TS_GATE_REGRESSION);
	}
	if (alike)
		beside(q, &c);
	else
		quality_report(q, &c);
}

void quality_gate_steps(struct quality *q)
{
	struct ts_error err;

	must(ts_digest_init(&err), &err);
	ts_arena_init(&world.arena, (size_t)256 << 20);
	for (size_t i = 0; i < sizeof cells / sizeof cells[0]; i++) {
		of_steps(q, &cells[i], 0, 0.001);
		of_steps(q, &cells[i], i == 0 ? 0.03 : 0.05, 0.95);
	}
	one_record_in_32(q);
	for (size_t i = 0; i < sizeof lengths / sizeof lengths[0]; i++) {
		of_length(q, &lengths[i], 0, false);
		if (lengths[i].found > 0)
			of_length(q, &lengths[i], 0.15, false);
		if (lengths[i].warmup > lengths[i].records / 2)
			of_length(q, &lengths[i], 0, true);
	}
	accepted(q, 3, true);
	accepted(q, 10, true);
	accepted(q, 1, false);
	accepted(q, 3, false);
	sessions(q, "gate: 8 runs of one session, candidate of another: suspect", 1, 8, false);
	sessions(q, "gate: the same, as if of 8 sessions: suspect", 1, 8, true);
	sessions(q, "gate: 5 sessions of 4 runs, candidate of another: suspect", 5, 4, false);
	sessions(q, "gate: the same, as if of 20 sessions: suspect", 5, 4, true);
	ts_arena_finish(&world.arena);
}
