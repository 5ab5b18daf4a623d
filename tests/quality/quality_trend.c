/* quality_trend.c - the trend of a branch: how often it claims a change where nothing changed, and how soon it finds one that is
 * there. What is counted is the answer of trend.c to runs with hosts and start times. */
#include "quality_parts.h"
#include "trend_series.h"

#include <math.h>
#include <stdio.h>

enum { OFF = 2 /* runs from its place at which a change counts as found */ };

static const struct trend_noise
	half = {.what = "0.5 %", .sd = 0.005},
	one = {.what = "1 %", .sd = 0.01}, two = {.what = "2 %", .sd = 0.02}, heavy = {.what = "t3 of 1 %", .sd = 0.01, .heavy = true},
	odd = {.what = "0.5 % and 10 % odd runs", .sd = 0.005, .odd = 0.1},
	bursts = {.what = "0.5 % and bursts of three runs", .sd = 0.005, .bursts = 0.02},
	ar_8 = {.what = "AR(1) 0.8 of 1 %", .sd = 0.01, .rho = 0.8}, walk = {.what = "random walk by 0.5 %", .walk = 0.005},
	days = {.what = "0.5 %, weekdays 4.2 % apart", .sd = 0.005, .weekdays = 0.042},
	wandering_hosts = {.what = "random walk by 0.5 %, 4 hosts by 4 %", .walk = 0.005, .hosts = 0.04, .n_hosts = 4, .stay = 15},
	sticky = {.what = "0.5 %, 4 hosts by 4 %, 15 runs each", .sd = 0.005, .hosts = 0.04, .n_hosts = 4, .stay = 15};

struct bench {
	struct quality *q;
	struct ts_arena arena;
	struct ts_gate_policy policy;
	struct ts_trend_run runs[TREND_SERIES_MOST];
	double held[TREND_SERIES_MOST];
	struct ts_trend trend;
	char name[160];
};

static void judge(struct bench *b, const struct trend_noise *noise, const struct trend_truth *truth, size_t n, double least,
		  struct ts_random *r)
{
	struct ts_error err;

	trend_series(noise, truth, n, r, b->runs, b->held);
	ts_arena_reset(&b->arena);
	b->policy.min_size[TS_METRIC_STEP_TIME] = least;
	b->trend = (struct ts_trend){.branch = ts_span_str("p/main"), .metric = TS_METRIC_STEP_TIME, .runs = b->runs, .n_runs = n};
	if (ts_trend_judge(&b->trend, &b->policy, &b->arena, &err))
		(void)fprintf(stderr, "%s\n", err.text);
}

static size_t claimed(const struct ts_trend *t)
{
	size_t n = 0;

	for (size_t i = 0; i < t->n_changes; i++)
		n += !t->changes[i].with_host;
	return n;
}

static bool found(const struct ts_trend *t, size_t at, size_t off)
{
	for (size_t i = 0; i < t->n_changes; i++)
		if (!t->changes[i].with_host && t->changes[i].at + off >= at && t->changes[i].at <= at + off)
			return true;
	return false;
}

/* Counts any change or drift that is claimed in n runs that have none. */
static void false_change(struct bench *b, const struct trend_noise *noise, size_t n, double least, double goal)
{
	static const struct trend_truth nothing = {.drift = 0};
	struct quality_case c;
	struct ts_random r;

	(void)snprintf(b->name, sizeof b->name, "trend: false in %zu runs, %s, from %g %%", n, noise->what, least * 100);
	c = quality_at_most(b->name, goal);
	for (uint64_t i = 0; quality_wants(b->q, &c) && i < quality_trials(b->q, 600); i++) {
		quality_random(&c, i, &r);
		judge(b, noise, &nothing, n, least, &r);
		quality_count(&c, claimed(&b->trend) > 0 || b->trend.drift);
	}
	quality_report(b->q, &c);
}

/* Counts the changes that are claimed, for each run of series that have none: a longer history has more of them, at the same rate. A
 * series has n runs, and there are as many series as make a quarter of a million runs, or a tenth of that. */
static void false_a_run(struct bench *b, const struct trend_noise *noise, size_t n, double goal)
{
	static const struct trend_truth nothing = {.drift = 0};
	struct quality_case c;
	struct ts_random r;

	(void)snprintf(b->name, sizeof b->name, "trend: false a run, %zu runs, %s", n, noise->what);
	c = quality_at_most(b->name, goal);
	for (uint64_t i = 0; quality_wants(b->q, &c) && i < (b->q->some ? 15000 : 150000) / n; i++) {
		quality_random(&c, i, &r);
		judge(b, noise, &nothing, n, 0.02, &r);
		c.n += n;
		c.hits += claimed(&b->trend);
	}
	if (goal > 0)
		quality_report(b->q, &c);
	else
		quality_report_only(b->q, &c, "measured: such a level is one");
}

/* Whether the level of a run is another one than that of the run before, by at least `size`, at most `off` runs from `at`. */
static bool switched_near(const struct bench *b, size_t at, size_t off, double size)
{
	for (size_t i = at > off ? at - off : 1; i < b->trend.n_runs && i <= at + off; i++)
		if (fabs(b->held[i] - b->held[i - 1]) >= size && b->held[i] != b->held[i - 1])
			return true;
	return false;
}

/* A level that is another one each 20 to 200 runs: counts the claims at which it is none, a run, and how many of those are found that
 * move it by more than thrice the noise. */
static void held_levels(struct bench *b, const struct trend_noise *noise, size_t n, double goal, double found_goal)
{
	enum { PLACE = 5 };
	static const struct trend_truth nothing = {.drift = 0};
	char names[2][160];
	struct quality_case wrong, right;
	struct ts_random r;
	bool wanted;

	(void)snprintf(names[0], sizeof names[0], "trend: claims at no switch a run, %zu runs, %s", n, noise->what);
	(void)snprintf(names[1], sizeof names[1], "trend: switches of 3 sd found, %zu runs, %s", n, noise->what);
	wrong = quality_at_most(names[0], goal);
	right = quality_at_least(names[1], found_goal);
	wanted = quality_wants(b->q, &wrong) || quality_wants(b->q, &right);
	for (uint64_t i = 0; wanted && i < (b->q->some ? 15000 : 60000) / n; i++) {
		quality_random(&wrong, i, &r);
		judge(b, noise, &nothing, n, 0.02, &r);
		wrong.n += n;
		for (size_t k = 0; k < b->trend.n_changes; k++)
			wrong.hits += !switched_near(b, b->trend.changes[k].at, PLACE, 0);
		for (size_t k = 1; k < n; k++)
			if (fabs(b->held[k] - b->held[k - 1]) >= 3 * noise->sd)
				quality_count(&right, found(&b->trend, k, PLACE));
	}
	quality_report(b->q, &wrong);
	if (found_goal > 0)
		quality_report(b->q, &right);
	else
		quality_report_only(b->q, &right, "measured: few are so large");
}

/* Histories of 2,000 runs with twelve changes of 2 to 12 %, the first ten in a random direction, the last two back where the two before
 * them came from; noise of two modes, and bursts. Counts how many of the changes are found, at most five runs from their places, and
 * how many of the claims are none of them. */
static void history(struct bench *b, const struct trend_noise *noise, double goal, double most_false)
{
	enum { CHANGES = 12, RUNS = 2000, PLACE = 5 };
	char names[2][160];
	struct quality_case found_of, false_of;
	struct ts_random r;

	(void)snprintf(names[0], sizeof names[0], "trend: 12 changes in 2000 runs, %s, found", noise->what);
	(void)snprintf(names[1], sizeof names[1], "trend: 12 changes in 2000 runs, %s, claims that are none", noise->what);
	found_of = quality_at_least(names[0], goal);
	false_of = quality_at_most(names[1], most_false);
	for (uint64_t i = 0; (quality_wants(b->q, &found_of) || quality_wants(b->q, &false_of)) && i < quality_trials(b->q, 100); i++) {
		struct trend_truth truth = {.drift = 0};
		size_t right = 0;

		quality_random(&found_of, i, &r);
		for (int k = 0; k < CHANGES; k++) {
			double up = 0.02 + 0.1 * ts_random_unit(&r) * ts_random_unit(&r);

			truth.at[k] = (size_t)k * (RUNS / CHANGES) + 20 + ts_random_below(&r, RUNS / CHANGES - 40);
			truth.steps[k] = k >= 10 ? 1 / (1 + truth.steps[k - 2]) - 1 : ts_random_unit(&r) < 0.5 ? up : 1 / (1 + up) - 1;
		}
		judge(b, noise, &truth, RUNS, 0.02, &r);
		for (int k = 0; k < CHANGES; k++)
			quality_count(&found_of, found(&b->trend, truth.at[k], PLACE));
		for (int k = 0; k < CHANGES; k++)
			right += found(&b->trend, truth.at[k], PLACE);
		false_of.n += claimed(&b->trend);
		false_of.hits += claimed(&b->trend) > right ? claimed(&b->trend) - right : 0;
	}
	quality_report(b->q, &found_of);
	quality_report(b->q, &false_of);
}

/* A step happened `since` runs ago, behind `before` runs at the old level. It must be found at most `off` runs from its
 * place, and must not be called a drift. */
static void step_found(struct bench *b, const struct trend_noise *noise, double size, size_t before, size_t since, size_t off,
		       double goal)
{
	struct trend_truth truth = {.steps = {size, 0}, .at = {before, 0}};
	struct quality_case c;
	struct ts_random r;

	(void)snprintf(b->name, sizeof b->name, "trend: %g %% since %zu runs behind %zu, %s", size * 100, since, before, noise->what);
	c = quality_at_least(b->name, goal);
	for (uint64_t i = 0; quality_wants(b->q, &c) && i < quality_trials(b->q, 300); i++) {
		quality_random(&c, i, &r);
		/* If steps are as large as the least size, every other one is estimated as smaller, so a policy that is
		 * interested in 1 % asks for less. */
		judge(b, noise, &truth, before + since, size < 0.03 ? size / 2 : 0.02, &r);
		quality_count(&c, found(&b->trend, before, off) && !b->trend.drift);
	}
	quality_report(b->q, &c);
}

/* Counts two or more changes, or a drift, in series with one step. */
static void one_only(struct bench *b, const struct trend_noise *noise, double size, size_t before, size_t since, double goal)
{
	struct trend_truth truth = {.steps = {size, 0}, .at = {before, 0}};
	struct quality_case c;
	struct ts_random r;

	(void)snprintf(b->name, sizeof b->name, "trend: %g %% since %zu runs behind %zu is more than one step, %s", size * 100,
		       since, before, noise->what);
	c = quality_at_most(b->name, goal);
	for (uint64_t i = 0; quality_wants(b->q, &c) && i < quality_trials(b->q, 300); i++) {
		quality_random(&c, i, &r);
		judge(b, noise, &truth, before + since, 0.02, &r);
		quality_count(&c, claimed(&b->trend) > 1 || b->trend.drift);
	}
	quality_report(b->q, &c);
}

/* Some runs are slower, and then the level returns. Both ends must be found, each at most one run from its place. */
static void passing(struct bench *b, const struct trend_noise *noise, size_t length, double goal)
{
	struct trend_truth truth = {.steps = {0.03, 1 / 1.03 - 1}};
	struct quality_case c;
	struct ts_random r;

	(void)snprintf(b->name, sizeof b->name, "trend: 3 %% for %zu runs and back, %s", length, noise->what);
	c = quality_at_least(b->name, goal);
	for (uint64_t i = 0; quality_wants(b->q, &c) && i < quality_trials(b->q, 300); i++) {
		quality_random(&c, i, &r);
		truth.at[0] = 40 + ts_random_below(&r, 20);
		truth.at[1] = truth.at[0] + length;
		judge(b, noise, &truth, 120, 0.02, &r);
		quality_count(&c, found(&b->trend, truth.at[0], 1) && found(&b->trend, truth.at[1], 1));
	}
	quality_report(b->q, &c);
}

/* A drift must be called one, with the true size in its interval, and not a number of steps. */
static void drift(struct bench *b, const struct trend_noise *noise, double size, size_t n, double goal)
{
	struct trend_truth truth = {.drift = size};
	struct quality_case c;
	struct ts_random r;

	(void)snprintf(b->name, sizeof b->name, "trend: drift of %g %% over %zu runs, %s", size * 100, n, noise->what);
	c = quality_at_least(b->name, goal);
	for (uint64_t i = 0; quality_wants(b->q, &c) && i < quality_trials(b->q, 300); i++) {
		quality_random(&c, i, &r);
		judge(b, noise, &truth, n, 0.02, &r);
		quality_count(&c, b->trend.drift && b->trend.drift->low <= size && b->trend.drift->high >= size);
	}
	quality_report(b->q, &c);
}

/* All runs move to new hosts where the level changes: the change is shown, and is not blamed on the commit. */
static void with_host(struct bench *b, const struct trend_noise *noise, double goal)
{
	struct trend_truth truth = {.steps = {0.1, 0}, .at = {100, 0}, .other_host = true};
	struct quality_case c;
	struct ts_random r;

	(void)snprintf(b->name, sizeof b->name, "trend: 10 %% with another host is not told apart, %s", noise->what);
	c = quality_at_least(b->name, goal);
	for (uint64_t i = 0; quality_wants(b->q, &c) && i < quality_trials(b->q, 300); i++) {
		bool shown = false;

		quality_random(&c, i, &r);
		judge(b, noise, &truth, 150, 0.02, &r);
		for (size_t k = 0; k < b->trend.n_changes; k++)
			shown |= b->trend.changes[k].with_host && b->trend.changes[k].at + OFF >= 100 &&
				 b->trend.changes[k].at <= 100 + OFF;
		quality_count(&c, shown && claimed(&b->trend) == 0);
	}
	quality_report(b->q, &c);
}

static void false_changes(struct bench *b)
{
	static const struct trend_noise *const white[] = {&half, &one, &two, &heavy, &odd};
	static const struct trend_noise others[] = {
		{.what = "1 % and 10 % odd runs", .sd = 0.01, .odd = 0.1},
		{.what = "1 %, one odd run", .sd = 0.01, .odd_runs = 1},
		{.what = "1 %, two odd runs", .sd = 0.01, .odd_runs = 2},
		{.what = "0.5 % growing to 2.5 %", .sd = 0.005, .grow = 5},
		{.what = "1 % in quanta of 1 %", .sd = 0.01, .quantum = 0.01},
		{.what = "0.3 % in quanta of 3 %", .sd = 0.003, .quantum = 0.03},
		{.what = "1 %, a third missing", .sd = 0.01, .missing = 0.33},
		{.what = "1 %, each run on one of 8 hosts", .sd = 0.01, .hosts = 0.03, .n_hosts = 8, .stay = 1},
	};
	static const struct trend_noise alike[] = {
		{.what = "AR(1) 0.3 of 1 %", .sd = 0.01, .rho = 0.3},
		{.what = "AR(1) 0.5 of 1 %", .sd = 0.01, .rho = 0.5},
		{.what = "AR(1) 0.8 of 1 %", .sd = 0.01, .rho = 0.8},
		{.what = "AR(1) 0.8 of 2 %", .sd = 0.02, .rho = 0.8},
		{.what = "AR(1) 0.95 of 2 %", .sd = 0.02, .rho = 0.95},
		{.what = "random walk by 0.5 %", .walk = 0.005},
		{.what = "random walk by 1 %", .walk = 0.01},
		{.what = "1 % and random walk by 0.3 %", .sd = 0.01, .walk = 0.003},
		{.what = "0.5 %, weekdays 4.2 % apart", .sd = 0.005, .weekdays = 0.042},
		{.what = "1 %, weekdays 4.2 % apart", .sd = 0.01, .weekdays = 0.042},
		{.what = "1 %, weekdays 4.2 % apart, 1 run a day", .sd = 0.01, .weekdays = 0.042, .a_day = 1},
		{.what = "0.5 %, weekdays 4.2 % apart, untold", .sd = 0.005, .weekdays = 0.042, .untold = true},
		{.what = "0.5 %, 4 hosts by 4 %, 15 runs each", .sd = 0.005, .hosts = 0.04, .n_hosts = 4, .stay = 15},
		{.what = "1 %, 4 hosts by 4 %, 30 runs each", .sd = 0.01, .hosts = 0.04, .n_hosts = 4, .stay = 30},
		{.what = "1 %, 8 hosts by 4 %, 40 runs each", .sd = 0.01, .hosts = 0.04, .n_hosts = 8, .stay = 40},
		{.what = "1 %, 2 hosts by 4 %, 8 runs each", .sd = 0.01, .hosts = 0.04, .n_hosts = 2, .stay = 8},
		{.what = "AR(1) 0.8 of 1 %, weekdays 4.2 % apart", .sd = 0.01, .rho = 0.8, .weekdays = 0.042},
		{.what = "0.5 %, hosts and weekdays", .sd = 0.005, .hosts = 0.04, .n_hosts = 4, .stay = 15, .weekdays = 0.042},
	};

	for (size_t i = 0; i < sizeof white / sizeof white[0]; i++) {
		false_change(b, white[i], 100, 0.02, 0.01);
		false_change(b, white[i], 300, 0.02, 0.01);
	}
	for (size_t i = 0; i < sizeof others / sizeof others[0]; i++)
		false_change(b, &others[i], 300, 0.02, 0.01);
	for (size_t i = 0; i < sizeof alike / sizeof alike[0]; i++)
		false_change(b, &alike[i], 300, 0.02, 0.05);
	/* Without a least size, only chance decides: there are about 30 looks at p 0.001, most of them at the same runs. */
	false_change(b, &two, 100, 0, 0.02);
	false_change(b, &one, 9, 0.02, 0.01);
	false_change(b, &one, 30, 0.02, 0.01);
	false_change(b, &one, 1000, 0.02, 0.01);
	false_change(b, &walk, 50, 0.02, 0.05);
	false_change(b, &walk, 1000, 0.02, 0.05);
	/* Under a random walk the effects of hosts are known as exactly as it lets them be. This row shows the cost. */
	false_change(b, &wandering_hosts, 300, 0.02, 0.15);
}

/* The false rate is one a run. */
static void rates_a_run(struct bench *b)
{
	static const struct trend_noise kinds[] = {
		{.what = "1 %", .sd = 0.01},
		{.what = "t3 of 1 %", .sd = 0.01, .heavy = true},
		{.what = "AR(1) 0.8 of 2 %", .sd = 0.02, .rho = 0.8},
		{.what = "AR(1) 0.95 of 2 %", .sd = 0.02, .rho = 0.95},
		{.what = "random walk by 0.5 %", .walk = 0.005},
		{.what = "1 % and random walk by 0.3 %", .sd = 0.01, .walk = 0.003},
		{.what = "0.5 % and bursts of three runs", .sd = 0.005, .bursts = 0.02},
		{.what = "1 %, another level of 1 % each 20 to 200 runs", .sd = 0.01, .switches = 0.01},
	};
	static const struct trend_noise small = {.what = "1 %, levels by 1 %", .sd = 0.01, .switches = 0.01};
	static const struct trend_noise large = {.what = "1 %, levels by 4 %", .sd = 0.01, .switches = 0.04};
	static const size_t lengths[] = {300, 1500, 10000};

	for (size_t k = 0; k < sizeof kinds / sizeof kinds[0]; k++)
		for (size_t i = 0; i < sizeof lengths / sizeof lengths[0]; i++)
			false_a_run(b, &kinds[k], lengths[i], kinds[k].switches > 0 ? 0 : kinds[k].bursts > 0 ? 0.0005 : 0.0001);
	for (size_t i = 0; i < sizeof lengths / sizeof lengths[0]; i++) {
		held_levels(b, &small, lengths[i], 0.0001, 0);
		held_levels(b, &large, lengths[i], 0.0001, 0.9);
	}
}

static void steps(struct bench *b)
{
	static const size_t lengths[] = {30, 100, 300, 1000};

	step_found(b, &half, 0.03, 97, 3, OFF, 0.95);
	step_found(b, &half, 0.03, 47, 3, OFF, 0.95);
	step_found(b, &half, 0.03, 30, 3, OFF, 0.75);
	step_found(b, &half, 0.03, 30, 4, OFF, 0.95);
	step_found(b, &half, 0.03, 20, 5, OFF, 0.95);
	step_found(b, &half, 0.03, 10, 7, OFF, 0.95);
	step_found(b, &half, 0.01, 97, 10, 5, 0.7);
	step_found(b, &half, 0.01, 97, 25, 5, 0.9);
	step_found(b, &half, 0.02, 97, 3, OFF, 0.8);
	step_found(b, &half, 0.02, 97, 5, OFF, 0.95);
	step_found(b, &half, 0.05, 97, 3, OFF, 0.95);
	step_found(b, &one, 0.05, 97, 5, OFF, 0.95);
	step_found(b, &odd, 0.03, 97, 5, OFF, 0.55);
	step_found(b, &odd, 0.03, 97, 10, OFF, 0.85);
	for (size_t i = 0; i < sizeof lengths / sizeof lengths[0]; i++)
		for (size_t tenth = 1; tenth <= 9; tenth += 4) {
			size_t n = lengths[i], at = n * tenth / 10;

			step_found(b, &one, 0.05, at, n - at, OFF, n < 100 && tenth != 5 ? 0.6 : 0.95);
			step_found(b, &one, 0.1, at, n - at, OFF, n < 100 && tenth != 5 ? 0.6 : 0.95);
		}
	step_found(b, &bursts, 0.05, 97, 5, OFF, 0.5);
	step_found(b, &bursts, 0.05, 97, 10, OFF, 0.5);
	step_found(b, &bursts, 0.05, 270, 30, OFF, 0.5);
	step_found(b, &ar_8, 0.1, 150, 150, OFF, 0.9);
	step_found(b, &walk, 0.1, 150, 150, OFF, 0.9);
	step_found(b, &days, 0.05, 150, 150, OFF, 0.9);
	step_found(b, &days, 0.05, 270, 30, OFF, 0.9);
	step_found(b, &sticky, 0.05, 150, 150, OFF, 0.9);
	step_found(b, &sticky, 0.05, 270, 30, OFF, 0.7);
	one_only(b, &one, 0.05, 150, 150, 0.02);
	one_only(b, &half, 0.1, 100, 200, 0.02);
	one_only(b, &two, 0.05, 150, 150, 0.05);
	passing(b, &half, 6, 0.95);
	passing(b, &half, 12, 0.95);
}

void quality_trend(struct quality *q)
{
	static struct bench b;

	b.q = q;
	ts_arena_init(&b.arena, (size_t)1 << 26);
	ts_gate_policy_default(&b.policy);
	false_changes(&b);
	rates_a_run(&b);
	steps(&b);
	history(&b, &(struct trend_noise){.what = "1 %", .sd = 0.01}, 0.7, 0.05);
	history(&b, &(struct trend_noise){.what = "1 %, two modes, bursts", .sd = 0.01, .modes = 0.02, .bursts = 0.01}, 0.5, 0.2);
	drift(&b, &half, 0.03, 300, 0.95);
	drift(&b, &one, 0.03, 300, 0.9);
	drift(&b, &half, 0.04, 200, 0.95);
	drift(&b, &one, 0.1, 300, 0.95);
	drift(&b, &one, 0.1, 1000, 0.95);
	drift(&b, &days, 0.05, 300, 0.9);
	with_host(&b, &(struct trend_noise){.what = "1 host", .sd = 0.01, .n_hosts = 1, .stay = 1000}, 0.95);
	with_host(&b, &(struct trend_noise){.what = "2 hosts by 2 %", .sd = 0.01, .hosts = 0.02, .n_hosts = 2, .stay = 8}, 0.7);
	ts_arena_finish(&b.arena);
}
