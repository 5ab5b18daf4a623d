/* quality_gate_days.c - the gate on bad days: one disturbed run among many, a disturbed pair, a machine that gets slower from run to
 * run, heavy tails, machines of two kinds, slow waves. Whole verdicts, with the pairs that they ask for.
 *
 * A run's step time is 0.1 s exp(b), b normal of deviation 1 % unless the case says otherwise; runs are drawn in the order in which
 * they run: history, baselines, the candidate, the pairs as they are asked for (ABBA), or base before candidate in each of the first
 * ones (ABAB): two, or six where the day says so.
 */
#include "quality_parts.h"

#include "analysis/gate/gate.h"
#include "base/digest.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { RUNS_MOST = 128, NAME = 96, BASELINES = 20, HISTORY = 40 };

#define SD 0.01

enum order { ABBA, ABAB };

struct day {
	const char *name;
	double sd;
	size_t history;		/* the number of runs before the baselines */
	size_t baselines;	/* the number of baselines; 0: BASELINES */
	bool one_session;	/* all baselines ran in one session */
	double (*noise)(const struct day *d, struct ts_random *r);
	double odd_baseline;	/* one of the baselines is slower by this share */
	double odd_history;	/* one run of the history is slower by this share */
	double disturbed;	/* the share of all runs that are slower by 10 to 50 % */
	double odd_pair_base, odd_pair_candidate; /* the first run of that side is slower by this share */
	double drift;		/* each run of the pairs is slower than the one before by this share */
	double second;		/* the second run of each pair is slower than the first by this share */
	uint64_t one_order;	/* with ABAB, so many pairs run before the gate asks for others; 0: two */
	double drift_all;	/* each baseline is slower than the one before by this share */
	enum order order;
	bool always_paired;	/* pairs are run whatever the first look says */
	bool watched;		/* runs have the metrics that are watched, each with noise of its own */
	double apart;		/* half of all runs ran on hosts that are slower by this share; pairs share one host */
	bool told;		/* runs record their host */
	double flops;		/* FLOPs of a step of the candidate over those of the others, all of which are known; 0: they are not */
	double least;		/* the floor of MFU, as a share of the true one; 0: none */
	double plant[TS_METRICS]; /* by how much a metric of the candidate is larger */
};

static struct {
	struct ts_arena arena;
	struct ts_gate_input input;
	struct ts_gate_run runs[RUNS_MOST];
	char sessions[RUNS_MOST][16];
	double wave;
	bool slow_host, told;
	size_t weekday; /* of the next run; pairs share the last one */
	enum ts_gate_state first; /* of the first look */
} world;

static double normal(const struct day *d, struct ts_random *r)
{
	return d->sd * ts_random_normal(r);
}

/* Draws Student's t of 3 degrees of freedom, scaled to the same deviation. */
static double heavy(const struct day *d, struct ts_random *r)
{
	double sum = 0, z = ts_random_normal(r);

	for (int i = 0; i < 3; i++) {
		double x = ts_random_normal(r);

		sum += x * x;
	}
	return d->sd * z / sqrt(sum);
}

static double skewed(const struct day *d, struct ts_random *r)
{
	return d->sd * (-log(1 - ts_random_unit(r)) - 1);
}

static double two_machines(const struct day *d, struct ts_random *r)
{
	return d->sd * (ts_random_unit(r) < 0.5 ? -1 : 1) + 0.3 * d->sd * ts_random_normal(r);
}

/* Draws an AR(1) series with the coefficient 0.8, so that neighbours in time resemble each other. */
static double waves(const struct day *d, struct ts_random *r)
{
	world.wave = 0.8 * world.wave + 0.6 * d->sd * ts_random_normal(r);
	return world.wave;
}

/* The levels of weekdays span 4.2 %, in an order that is not that of the days. */
static double weekdays(const struct day *d, struct ts_random *r)
{
	return normal(d, r) + 0.042 * (double)(world.weekday * 3 % 7) / 6;
}

/* A co-tenant takes 8 % of the machine on five days of seven. */
static double tenant(const struct day *d, struct ts_random *r)
{
	return normal(d, r) + (world.weekday % 7 < 5 ? log(1.08) : 0);
}

static double draw(const struct day *d, struct ts_random *r)
{
	double b = d->noise(d, r);

	if (ts_random_unit(r) < d->disturbed)
		b += log(1.1 + 0.4 * ts_random_unit(r));
	world.slow_host = d->apart > 0 && ts_random_unit(r) < 0.5;
	return world.slow_host ? b + log1p(d->apart) : b;
}

static struct ts_gate_run *put(enum ts_gate_role role, uint32_t session, double b)
{
	size_t at = world.input.n_runs++;
	struct ts_gate_run *run = &world.runs[at];

	if (at >= RUNS_MOST)
		abort();
	if (role < TS_GATE_PAIR_BASE)
		world.weekday++;
	*run = (struct ts_gate_run){.role = role};
	(void)snprintf(world.sessions[at], sizeof world.sessions[at], "%u", session);
	run->workload.session = ts_span_str(world.sessions[at]);
	run->workload.started_ns = (int64_t)(at + 1) * 1000000000;
	run->id.bytes[0] = (uint8_t)at;
	run->workload.labels = ts_span_str(!world.told ? "" : world.slow_host ? "session.host=b\n" : "session.host=a\n");
	run->reduction.time_source = ts_span_str("timestamps");
	run->reduction.metrics[TS_METRIC_STEP_TIME] = (struct ts_reduced){.known = true, .value = 0.1 * exp(b)};
	return run;
}

/* Adds the metrics that are watched: times share the run's noise, a peak of memory is nearly the same in each run, and
 * a loss depends on the seed. */
static void watch(const struct day *d, struct ts_gate_run *run, bool candidate, struct ts_random *r)
{
	static const struct {
		enum ts_metric metric;
		double usual, sd;
	} rows[] = {
		{TS_METRIC_STEP_TIME_MEAN, 0, 0.01},
		{TS_METRIC_STEP_TIME_END, 0, 0.015},
		{TS_METRIC_PEAK_MEMORY, 500 << 20, 0.001},
		{TS_METRIC_LOSS, 2, 0.03},
	};
	double step_time = run->reduction.metrics[TS_METRIC_STEP_TIME].value;

	for (size_t i = 0; d->watched && i < sizeof rows / sizeof rows[0]; i++) {
		double x = (rows[i].usual > 0 ? rows[i].usual : step_time) * exp(rows[i].sd * ts_random_normal(r));

		run->reduction.metrics[rows[i].metric] =
			(struct ts_reduced){.known = true, .value = x * (candidate ? 1 + d->plant[rows[i].metric] : 1)};
	}
}

/* An MFU of 40 % at 0.1 s. A run of more FLOPs takes longer at the same MFU. */
static void count_flops(const struct day *d, struct ts_gate_run *run, bool candidate)
{
	struct ts_reduced *m = run->reduction.metrics;

	if (!(d->flops > 0))
		return;
	run->reduction.mfu_basis = ts_span_str("989 TFLOP/s, 6N");
	m[TS_METRIC_MFU] = (struct ts_reduced){.known = true, .value = 0.04 / m[TS_METRIC_STEP_TIME].value};
	if (candidate)
		m[TS_METRIC_STEP_TIME].value *= d->flops;
}

static enum ts_gate_state judge(struct ts_verdict *ret)
{
	struct ts_error err;

	if (ts_gate_judge(&world.input, &world.arena, ret, &err)) {
		(void)fprintf(stderr, "%s\n", err.text);
		abort();
	}
	return ret->state;
}

/* Adds the pairs numbered from `first`, in the order of the day. All ran on one host. */
static void put_pairs(const struct day *day, uint32_t first, uint64_t n, double slower, struct ts_random *r)
{
	struct day one_host = *day;
	const struct day *d = &one_host;

	struct ts_gate_orders orders = ts_gate_orders_of(&world.input);

	one_host.apart = 0;
	for (uint32_t k = first; k < first + n; k++) {
		bool base_first = (d->order == ABAB && first == 1) || ts_gate_base_first(&orders, k);

		for (int second = 0; second < 2; second++) {
			bool base = second == 0 ? base_first : !base_first;
			double b = draw(d, r) + d->drift * (2 * (double)(k - 1) + second) + (base ? 0 : log1p(slower)) +
				   (second ? log1p(d->second) : 0);

			if (k == 1)
				b += log1p(base ? d->odd_pair_base : d->odd_pair_candidate);
			watch(d, put(base ? TS_GATE_PAIR_BASE : TS_GATE_PAIR_CANDIDATE, 1000, b), !base, r);
			count_flops(d, &world.runs[world.input.n_runs - 1], !base);
			world.runs[world.input.n_runs - 1].group = k;
		}
	}
}

static enum ts_gate_state verdict(const struct day *d, double slower, struct ts_random *r, struct ts_verdict *ret)
{
	enum ts_gate_state state;
	size_t bad = (size_t)(ts_random_unit(r) * BASELINES), old = (size_t)(ts_random_unit(r) * (double)(d->history ? d->history : 1));
	uint32_t pairs = 0, session = 0;
	size_t n = d->baselines ? d->baselines : BASELINES;

	ts_arena_reset(&world.arena);
	world.input = (struct ts_gate_input){.runs = world.runs};
	world.wave = d->sd * ts_random_normal(r);
	world.told = d->told;
	world.weekday = ts_random_below(r, 7);
	ts_gate_policy_default(&world.input.policy);
	if (d->least > 0)
		world.input.policy.least[TS_METRIC_MFU] = 0.4 * d->least;
	for (size_t i = 0; i < d->history; i++)
		put(TS_GATE_HISTORY, session++,
		    draw(d, r) + (i == old ? log1p(d->odd_history) : 0) - d->drift_all * (double)(d->history - i))
			->group = 1;
	for (size_t i = 0; i < n; i++)
		watch(d,
		      put(TS_GATE_BASELINE, d->one_session ? session : session++,
			  draw(d, r) + (i == bad ? log1p(d->odd_baseline) : 0) + d->drift_all * (double)i),
		      false, r);
	session += d->one_session;
	watch(d, put(TS_GATE_CANDIDATE, session++, draw(d, r) + log1p(slower) + d->drift_all * BASELINES), true, r);
	for (size_t i = 0; i < world.input.n_runs; i++)
		count_flops(d, &world.runs[i], world.runs[i].role == TS_GATE_CANDIDATE);
	world.first = state = judge(ret);
	while (ret->ask.pairs || (d->always_paired && !pairs)) {
		uint64_t more = ret->ask.pairs ? ret->ask.pairs : world.input.policy.pairs;

		if (!pairs && d->one_order)
			more = d->one_order;
		put_pairs(d, pairs + 1, more, slower, r);
		pairs += (uint32_t)more;
		state = judge(ret);
	}
	return state;
}

/* What is counted of a verdict: whether it fails, whether it passes, whether it cost pairs, whether a baseline was called odd. */
static bool fails(const struct ts_verdict *v)
{
	return v->state == TS_GATE_REGRESSION;
}

static bool green(const struct ts_verdict *v)
{
	return v->exit_code == 0;
}

static bool paired(const struct ts_verdict *v)
{
	bool some = false;

	(void)v;
	for (size_t i = 0; i < world.input.n_runs; i++)
		some = some || world.runs[i].role == TS_GATE_PAIR_BASE;
	return some;
}

static bool suspect(const struct ts_verdict *v)
{
	(void)v;
	return world.first == TS_GATE_SUSPECT;
}

static bool warns(const struct ts_verdict *v, const char *part)
{
	for (size_t i = 0; i < v->n_warnings; i++)
		if (memmem(v->warnings[i].data, v->warnings[i].len, part, strlen(part)))
			return true;
	return false;
}

static bool odd(const struct ts_verdict *v)
{
	return warns(v, "far outside the spread of the baselines");
}

static bool told_two_kinds(const struct ts_verdict *v)
{
	return warns(v, "of two kinds");
}

typedef bool counted(const struct ts_verdict *v);

static void run(struct quality *q, const struct day *d, double slower, const char *what, counted *is, double goal, bool at_least)
{
	char name[NAME];
	struct quality_case c;

	(void)snprintf(name, sizeof name, "gate days: %s, %s", d->name, what);
	c = at_least ? quality_at_least(name, goal) : quality_at_most(name, goal);
	for (uint64_t i = 0; quality_wants(q, &c) && i < quality_trials(q, 4000); i++) {
		struct ts_random random;
		struct ts_verdict v;

		quality_random(&c, i, &random);
		(void)verdict(d, slower, &random, &v);
		quality_count(&c, is(&v));
	}
	quality_report(q, &c);
}

static void at_most(struct quality *q, const struct day *d, double slower, const char *what, counted *is, double goal)
{
	run(q, d, slower, what, is, goal, false);
}

static void at_least(struct quality *q, const struct day *d, double slower, const char *what, counted *is, double goal)
{
	run(q, d, slower, what, is, goal, true);
}

static const struct {
	struct day day;
	double most, found; /* goals: failed although clean; 10 % slower and found; 0: no goal */
	double called_odd;
} days[] = {
	{{"quiet", .sd = SD, .noise = normal}, 0.001, 0.99, 0.015},
	{{"quiet, with history", .sd = SD, .noise = normal, .history = HISTORY}, 0.001, 0.99, 0.015},
	{{"one baseline of 20 +30 %", .sd = SD, .noise = normal, .odd_baseline = 0.3}, 0.001, 0.99, 0},
	{{"one baseline of 20 at a third", .sd = SD, .noise = normal, .odd_baseline = -0.67}, 0.001, 0.99, 0},
	{{"one run of the history 2x", .sd = SD, .noise = normal, .history = HISTORY, .odd_history = 1}, 0.001, 0.99, 0},
	{{"1 run in 20 +10 to 50 %", .sd = SD, .noise = normal, .disturbed = 0.05}, 0.002, 0.9, 0},
	{{"1 run in 20 +10 to 50 %, with history", .sd = SD, .noise = normal, .disturbed = 0.05, .history = HISTORY}, 0.002, 0.9, 0},
	{{"base of the first pair +22 %", .sd = SD, .noise = normal, .odd_pair_base = 0.22}, 0.001, 0.9, 0},
	{{"candidate of the first pair +22 %", .sd = SD, .noise = normal, .odd_pair_candidate = 0.22, .always_paired = true},
	 0.005,
	 0.9,
	 0},
	{{"pairs drift 2 % a run, ABBA", .sd = SD, .noise = normal, .drift = 0.02, .always_paired = true}, 0.005, 0.99, 0},
	{{"pairs drift 3 % a run, ABBA", .sd = SD, .noise = normal, .drift = 0.03, .always_paired = true}, 0.005, 0.99, 0},
	{{"pairs drift 2 % a run, ABAB", .sd = SD, .noise = normal, .drift = 0.02, .order = ABAB, .always_paired = true},
	 0.005,
	 0.9,
	 0},
	{{"pairs drift 3 % a run, ABAB", .sd = SD, .noise = normal, .drift = 0.03, .order = ABAB, .always_paired = true},
	 0.005,
	 0.9,
	 0},
	{{"the second run of a pair 3 % slower, ABBA", .sd = SD, .noise = normal, .second = 0.03, .always_paired = true},
	 0.001,
	 0.99,
	 0},
	{{"the second run of a pair 3 % slower, two base first", .sd = SD, .noise = normal, .second = 0.03, .order = ABAB,
	  .always_paired = true},
	 0.001,
	 0.99,
	 0},
	{{"the second run of a pair 3 % slower, six base first", .sd = SD, .noise = normal, .second = 0.03, .order = ABAB,
	  .one_order = 6, .always_paired = true},
	 0.001,
	 0.99,
	 0},
	{{"pairs without drift, ABAB", .sd = SD, .noise = normal, .order = ABAB, .always_paired = true}, 0.005, 0.99, 0},
	{{"runs of heavy tails", .sd = SD, .noise = heavy}, 0.001, 0.95, 0},
	{{"runs of skewed noise", .sd = SD, .noise = skewed}, 0.001, 0.95, 0},
	/* If 5 or fewer of the 20 runs ran on one of the two machines, they are called odd. */
	{{"two machines 2 % apart", .sd = SD, .noise = two_machines}, 0.001, 0.95, 0.05},
	{{"waves, AR(1) of 0.8", .sd = SD, .noise = waves}, 0.001, 0.95, 0.05},
	{{"baselines drift +12 % over 60 runs", .sd = 0.005, .noise = normal, .drift_all = 0.0019}, 0.001, 0.9, 0},
};

/* The steps of the candidate do other work, so MFU decides; and a floor of MFU, which needs no pairs. */
static const struct day works[] = {
	{"twice the FLOPs a step", .sd = SD, .noise = normal, .flops = 2},
	{"twice the FLOPs a step, heavy tails", .sd = SD, .noise = heavy, .flops = 2},
	{"a third of the FLOPs a step, waves", .sd = SD, .noise = waves, .flops = 1.0 / 3},
	{"twice the FLOPs a step, 3 baselines", .sd = SD, .noise = normal, .flops = 2, .baselines = 3},
};
/* Machines drift, or are of two kinds. Clean candidates must cost few pairs, and a change must still be found. */
static const struct {
	struct day day;
	double slower, paired, found; /* goals: pairs asked for although clean; 0: not counted */
} levels[] = {
	{{"drift +12 % over 60 runs", .sd = 0.005, .noise = normal, .drift_all = 0.0019}, 0.05, 0.02, 0.95},
	{{"drift +12 % over 60 runs, with history", .sd = 0.005, .noise = normal, .drift_all = 0.0019, .history = HISTORY},
	 0.05,
	 0.02,
	 0.95},
	{{"drift +12 % over 60 runs, sd 1 %", .sd = SD, .noise = normal, .drift_all = 0.0019}, 0.1, 0.03, 0.95},
	{{"drift -12 % over 60 runs", .sd = 0.005, .noise = normal, .drift_all = -0.0021}, 0.05, 0.02, 0.95},
	{{"drift +12 % over 60 runs, heavy tails", .sd = 0.005, .noise = heavy, .drift_all = 0.0019}, 0.05, 0.03, 0.9},
	{{"waves, no drift", .sd = SD, .noise = waves}, 0.1, 0.03, 0.95},
	{{"hosts 8 % apart, not told", .sd = SD, .noise = normal, .apart = 0.08}, 0, 0, 0},
	{{"hosts 8 % apart, not told, sd 0.5 %", .sd = 0.005, .noise = normal, .apart = 0.08}, 0.05, 0, 0.9},
	{{"hosts 8 % apart, told", .sd = SD, .noise = normal, .apart = 0.08, .told = true}, 0.1, 0.06, 0.95},
	{{"hosts 8 % apart, told, sd 0.5 %", .sd = 0.005, .noise = normal, .apart = 0.08, .told = true}, 0.05, 0.02, 0.95},
	{{"hosts 8 % apart, told, sd 0.5 %, with history", .sd = 0.005, .noise = normal, .apart = 0.08, .told = true,
	  .history = HISTORY},
	 0.05,
	 0.02,
	 0.95},
};
static const struct {
	struct day day;
	double failed;
	bool at_least;
} floors[] = {
	{{"floor at the true MFU", .sd = SD, .noise = normal, .flops = 1, .least = 1}, 0.01, false},
	{{"floor at the true MFU, heavy tails", .sd = SD, .noise = heavy, .flops = 1, .least = 1}, 0.03, false},
	{{"floor at the true MFU, 3 baselines", .sd = SD, .noise = normal, .flops = 1, .least = 1, .baselines = 3}, 0.01, false},
	{{"floor 5 % above the true MFU", .sd = SD, .noise = normal, .flops = 1, .least = 1.05}, 0.95, true},
	{{"floor 5 % above the true MFU, other work", .sd = SD, .noise = normal, .flops = 2, .least = 1.05}, 0.95, true},
};

/* A run a day on a machine that others use by the weekday, which no run records. */
static const struct day tenants[] = {
	{"weekdays 4.2 % apart", .sd = SD, .noise = weekdays},
	{"weekdays 4.2 % apart, 10 baselines", .sd = SD, .noise = weekdays, .baselines = 10},
	{"a co-tenant of 8 % on five days of seven", .sd = SD, .noise = tenant},
	{"a co-tenant of 8 % on five days of seven, 10 baselines", .sd = SD, .noise = tenant, .baselines = 10},
	{"a co-tenant of 8 % on five days of seven, with history", .sd = SD, .noise = tenant, .history = HISTORY},
};

/* Runs of one kind. */
static const struct day kinds[] = {
	{"quiet", .sd = SD, .noise = normal},	   {"10 baselines", .sd = SD, .noise = normal, .baselines = 10},
	{"heavy tails", .sd = SD, .noise = heavy}, {"skewed noise", .sd = SD, .noise = skewed},
	{"waves", .sd = SD, .noise = waves},	   {"1 run in 20 +10 to 50 %", .sd = SD, .noise = normal, .disturbed = 0.05},
};

/* These faults leave the median of the step times unchanged, so the watched metrics must find them. */
static const struct day faults[] = {
	{"2 % of the steps 5x", .sd = SD, .noise = normal, .watched = true, .plant[TS_METRIC_STEP_TIME_MEAN] = 0.08},
	{"+30 % in the last 40 % of the steps", .sd = SD, .noise = normal, .watched = true, .plant[TS_METRIC_STEP_TIME_END] = 0.3},
	{"memory +10 %", .sd = SD, .noise = normal, .watched = true, .plant[TS_METRIC_PEAK_MEMORY] = 0.1},
	{"loss doubled", .sd = SD, .noise = normal, .watched = true, .plant[TS_METRIC_LOSS] = 1},
	{"loss NaN", .sd = SD, .noise = normal, .watched = true, .plant[TS_METRIC_LOSS] = NAN},
};
static const struct day watched_days[] = {
	{"watched", .sd = SD, .noise = normal, .watched = true},
	{"watched, heavy tails", .sd = SD, .noise = heavy, .watched = true},
	{"watched, 1 run in 20 +10 to 50 %", .sd = SD, .noise = normal, .disturbed = 0.05, .watched = true},
};

/* On these machines, a single run shows nothing, so it must not pass. */
static const struct day noisy[] = {
	{"noise 40 %", .sd = 0.4, .noise = normal},
	{"noise 15 %", .sd = 0.15, .noise = normal},
};

/* While baselines are being collected, only large changes must be found, and clean ones must not fail, whatever the noise. */
static const struct {
	struct day day;
	double slower, found;
	const char *what;
} weeks[] = {
	{{"1 baseline", .sd = SD, .noise = normal, .baselines = 1}, 2, 0.99, "3x slower, found"},
	{{"2 baselines", .sd = SD, .noise = normal, .baselines = 2}, 2, 0.99, "3x slower, found"},
	{{"2 baselines, noise 10 %", .sd = 0.1, .noise = normal, .baselines = 2}, 2, 0.9, "3x slower, found"},
	{{"2 baselines, noise 20 %", .sd = 0.2, .noise = normal, .baselines = 2}, 0, 0, ""},
	{{"20 baselines of one session", .sd = SD, .noise = normal, .one_session = true}, 2, 0.99, "3x slower, found"},
	{{"1 baseline after accept", .sd = SD, .noise = normal, .baselines = 1, .history = HISTORY}, 0.1, 0.99, "10 % slower, found"},
};

void quality_gate_days(struct quality *q)
{
	struct ts_error err;

	if (ts_digest_init(&err))
		abort();
	ts_arena_init(&world.arena, 0);
	for (size_t i = 0; i < sizeof days / sizeof days[0]; i++) {
		at_most(q, &days[i].day, 0, "clean, failed", fails, days[i].most);
		at_least(q, &days[i].day, 0.1, "10 % slower, found", fails, days[i].found);
		if (days[i].called_odd > 0)
			at_most(q, &days[i].day, 0, "a baseline called odd", odd, days[i].called_odd);
	}
	for (size_t i = 0; i < sizeof watched_days / sizeof watched_days[0]; i++) {
		at_most(q, &watched_days[i], 0, "clean, failed", fails, 0.002);
		at_most(q, &watched_days[i], 0, "clean, pairs asked for", paired, i < 2 ? 0.025 : 0.08);
	}
	for (size_t i = 0; i < sizeof faults / sizeof faults[0]; i++)
		at_least(q, &faults[i], 0, "found", fails, i == 0 ? 0.9 : 0.95);
	for (size_t i = 0; i < sizeof works / sizeof works[0]; i++) {
		at_most(q, &works[i], 0, "clean, failed", fails, 0.001);
		if (!works[i].baselines)
			at_most(q, &works[i], 0, "clean, pairs asked for", paired, 0.02);
		at_least(q, &works[i], 0.1, "MFU 9 % lower, found", fails, 0.95);
	}
	for (size_t i = 0; i < sizeof levels / sizeof levels[0]; i++) {
		at_most(q, &levels[i].day, 0, "clean, failed", fails, 0.001);
		if (levels[i].paired > 0)
			at_most(q, &levels[i].day, 0, "clean, pairs asked for", paired, levels[i].paired);
		if (levels[i].slower > 0)
			at_least(q, &levels[i].day, levels[i].slower,
				 levels[i].slower > 0.05 ? "10 % slower, found" : "5 % slower, found", fails, levels[i].found);
	}
	for (size_t i = 0; i < sizeof tenants / sizeof tenants[0]; i++) {
		at_most(q, &tenants[i], 0, "clean, failed", fails, 0.001);
		at_most(q, &tenants[i], 0, "clean, suspect", suspect, 0.05);
		at_most(q, &tenants[i], 0.1, "10 % slower, green", green, 0.005);
	}
	for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++)
		at_most(q, &kinds[i], 0, "called two kinds", told_two_kinds, 0.01);
	for (size_t i = 0; i < sizeof floors / sizeof floors[0]; i++)
		run(q, &floors[i].day, 0, "failed", fails, floors[i].failed, floors[i].at_least);
	at_most(q, &floors[0].day, 0, "green", green, 0.02);
	for (size_t i = 0; i < sizeof noisy / sizeof noisy[0]; i++)
		at_most(q, &noisy[i], 0.3, "30 % slower, green", green, 0.01);
	for (size_t i = 0; i < sizeof weeks / sizeof weeks[0]; i++) {
		at_most(q, &weeks[i].day, 0, "clean, failed", fails, 0.001);
		if (weeks[i].slower > 0)
			at_least(q, &weeks[i].day, weeks[i].slower, weeks[i].what, fails, weeks[i].found);
	}
	ts_arena_finish(&world.arena);
}
