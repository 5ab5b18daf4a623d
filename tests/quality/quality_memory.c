/* Growth of memory: leaks found, slopes unbiased, and what only looks like growth left alone. Bytes in MiB where not said. */
#include "quality_parts.h"

#include "analysis/answer/test_words.h"
#include "analysis/rank/memory.h"
#include "analysis/stats/slope.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MIB 1048576.0

enum { MOST = 100000, BASE_MIB = 8192 };

struct trial {
	int64_t keys[MOST];
	double values[4][MOST]; /* alloc, reserved, peak_alloc, peak_reserved */
	struct ts_arena arena;
};

static void plain_keys(struct trial *t)
{
	for (size_t i = 0; i < MOST; i++)
		t->keys[i] = (int64_t)i;
}

static struct ts_slope fit(struct trial *t, size_t n)
{
	struct ts_series s = {.keys = t->keys, .values = t->values[0], .n = n};
	struct ts_slope out;
	struct ts_error err;

	ts_arena_reset(&t->arena);
	if (ts_slope_fit(&s, TS_SLOPE_BLOCKS, &t->arena, &out, &err))
		abort();
	return out;
}

/* --- noise: each fills n values around BASE_MIB --- */

enum shape { WHITE, AR9, AR98, SAWTOOTH, SPIKES, JUMP, JUMP_AR9, RAMP };

/* sd is the deviation of the noise in MiB, or the height of the sawtooth, which has 2 teeth or more. */
static void noise(struct trial *t, size_t n, enum shape shape, double sd, struct ts_random *r)
{
	size_t period = 10 + ts_random_below(r, (uint32_t)(n / 2)), phase = ts_random_below(r, (uint32_t)period);
	size_t at = (size_t)((0.05 + 0.9 * ts_random_unit(r)) * (double)n), end = (size_t)(0.6 * ts_random_unit(r) * (double)n);
	double rho = shape == AR9 || shape == JUMP_AR9 ? 0.9 : shape == AR98 ? 0.98 : 0, state = (double)NAN;

	for (size_t i = 0; i < n; i++) {
		double v = BASE_MIB + quality_ar1(r, rho, shape == SAWTOOTH ? sd / 50 : sd, &state);

		if (shape == SAWTOOTH)
			v += sd * (double)((i + phase) % period) / (double)period;
		else if (shape == SPIKES && ts_random_below(r, 20) == 0)
			v += 100 * sd * ts_random_unit(r);
		else if ((shape == JUMP || shape == JUMP_AR9) && i >= at)
			v += 20 * sd;
		else if (shape == RAMP)
			v -= i < end ? 20 * sd * (double)(end - i) / (double)end : 0;
		t->values[0][i] = v * MIB;
	}
}

static void leak(struct trial *t, size_t n, double per_step)
{
	for (size_t i = 0; i < n; i++)
		t->values[0][i] += per_step * (double)t->keys[i] * MIB;
}

static bool significant(const struct ts_slope *s)
{
	return s->has_p && s->p_value < TS_MEMORY_ALPHA && s->slope > 0;
}

/* The rise must also be at least 1 % of the peak, as the finding requires. */
static bool grows(const struct trial *t, size_t n, const struct ts_slope *s)
{
	double peak = 0;

	for (size_t i = 0; i < n; i++)
		peak = fmax(peak, t->values[0][i]);
	return significant(s) && s->slope * (double)(t->keys[n - 1] - t->keys[0]) >= peak / 100;
}

/* --- cases --- */

static void leaks(struct quality *q, struct trial *t, const char *what, enum shape shape, size_t n, double per_step, double sd,
		  uint64_t trials)
{
	char found[80], within[80], covered[80];
	struct quality_case cases[3];

	(void)snprintf(found, sizeof found, "memory: leak %g MiB/step, S %zu, %s, found", per_step, n, what);
	(void)snprintf(within, sizeof within, "memory: leak %g MiB/step, S %zu, %s, slope in 2 %%", per_step, n, what);
	(void)snprintf(covered, sizeof covered, "memory: leak %g MiB/step, S %zu, %s, in interval", per_step, n, what);
	cases[0] = quality_at_least(found, 0.95);
	cases[1] = quality_at_least(within, 0.95);
	cases[2] = quality_at_least(covered, 0.90); /* the goal is 95 %; with 200 trials it can be checked to 3 % */
	if (!quality_wants(q, &cases[0]) && !quality_wants(q, &cases[1]) && !quality_wants(q, &cases[2]))
		return;
	for (uint64_t i = 0; i < quality_trials(q, trials); i++) {
		struct ts_random r;
		struct ts_slope s;

		quality_random(&cases[0], i, &r);
		noise(t, n, shape, sd, &r);
		leak(t, n, per_step);
		s = fit(t, n);
		quality_count(&cases[0], grows(t, n, &s));
		quality_count(&cases[1], s.known && fabs(s.slope / MIB - per_step) <= 0.02 * per_step);
		quality_count(&cases[2], s.low / MIB <= per_step && per_step <= s.high / MIB);
	}
	for (size_t i = 0; i < 3; i++)
		quality_report(q, &cases[i]);
}

/* A rise of 3 standard deviations of the noise over the whole run is what the test can detect. */
static void faint(struct quality *q, struct trial *t)
{
	enum { N = 1000 };
	struct quality_case c = quality_at_least("memory: leak of 3 sd in all, S 1000, white, found", 0.95);

	for (uint64_t i = 0; quality_wants(q, &c) && i < quality_trials(q, 1000); i++) {
		struct ts_random r;
		struct ts_slope s;

		quality_random(&c, i, &r);
		noise(t, N, WHITE, 100, &r);
		leak(t, N, 300.0 / N);
		s = fit(t, N);
		quality_count(&c, significant(&s));
	}
	quality_report(q, &c);
}

/* The sign of the error must be random. */
static void unbiased(struct quality *q, struct trial *t, size_t n, double per_step, double sd)
{
	char above[80], below[80];
	struct quality_case a, b;

	(void)snprintf(above, sizeof above, "memory: slope above the truth, %g MiB/step, S %zu", per_step, n);
	(void)snprintf(below, sizeof below, "memory: slope below the truth, %g MiB/step, S %zu", per_step, n);
	a = quality_at_most(above, 0.53);
	b = quality_at_most(below, 0.53);
	for (uint64_t i = 0; (quality_wants(q, &a) || quality_wants(q, &b)) && i < quality_trials(q, 1000); i++) {
		struct ts_random r;
		struct ts_slope s;

		quality_random(&a, i, &r);
		noise(t, n, WHITE, sd, &r);
		leak(t, n, per_step);
		s = fit(t, n);
		quality_count(&a, s.slope / MIB > per_step);
		quality_count(&b, s.slope / MIB < per_step);
	}
	quality_report(q, &a);
	quality_report(q, &b);
}

static void false_growth(struct quality *q, struct trial *t, const char *what, enum shape shape, size_t n, double sd,
			 uint64_t trials)
{
	char name[80];
	struct quality_case c;

	(void)snprintf(name, sizeof name, "memory: false growth, %s, S %zu", what, n);
	c = quality_at_most(name, 0.01);
	for (uint64_t i = 0; quality_wants(q, &c) && i < quality_trials(q, trials); i++) {
		struct ts_random r;
		struct ts_slope s;

		quality_random(&c, i, &r);
		noise(t, n, shape, sd, &r);
		s = fit(t, n);
		quality_count(&c, significant(&s)); /* this holds for any size, so it is stricter than the finding */
	}
	quality_report(q, &c);
}

static void jump_named(struct quality *q, struct trial *t, size_t n)
{
	char name[80];
	struct quality_case c;

	(void)snprintf(name, sizeof name, "memory: one jump found at its step, S %zu", n);
	c = quality_at_least(name, 0.95);
	for (uint64_t i = 0; quality_wants(q, &c) && i < quality_trials(q, 500); i++) {
		struct ts_random r;
		struct ts_slope s;
		size_t at;

		quality_random(&c, i, &r);
		at = (size_t)((0.05 + 0.9 * ts_random_unit(&r)) * (double)n);
		noise(t, n, WHITE, 50, &r);
		for (size_t k = at; k < n; k++)
			t->values[0][k] += 1000 * MIB;
		s = fit(t, n);
		quality_count(&c, s.has_jump && s.jump_key == (int64_t)at && fabs(s.jump / MIB - 1000) < 100);
	}
	quality_report(q, &c);
}

/* Memory grows every 1000 steps and not in between: 100 steps of a staircase without any noise. */
static void stairs(struct quality *q, struct trial *t)
{
	struct quality_case c = quality_at_least("memory: leak by 100 stairs, S 100000, found, slope in 2 %", 0.95);

	for (uint64_t i = 0; quality_wants(q, &c) && i < quality_trials(q, 200); i++) {
		struct ts_random r;
		struct ts_slope s;
		size_t phase;

		quality_random(&c, i, &r);
		phase = ts_random_below(&r, 1000);
		for (size_t k = 0; k < MOST; k++)
			t->values[0][k] = (BASE_MIB + 64 * (double)((k + phase) / 1000)) * MIB;
		s = fit(t, MOST);
		quality_count(&c, grows(t, MOST, &s) && fabs(s.slope / MIB - 0.064) <= 0.02 * 0.064);
	}
	quality_report(q, &c);
}

/* The run uses 9.8 of 10 GB within its steps and 4 GB between them, with varying shapes. */
static void healthy(struct quality *q, struct trial *t)
{
	enum { N = 2000 };
	struct quality_case c = quality_at_most("memory: fragmentation above 20 % on the healthy run", 0.001);

	for (uint64_t i = 0; quality_wants(q, &c) && i < quality_trials(q, 1000); i++) {
		struct ts_measures m = {.n = 0};
		struct ts_plots plots = {.n = 0};
		struct ts_series s[4];
		struct ts_error err;
		struct ts_random r;
		double ratio = 1;

		quality_random(&c, i, &r);
		for (size_t k = 0; k < N; k++) {
			t->values[0][k] = 4e9 * quality_lognormal(&r, 0.02);
			t->values[2][k] = fmin(9.8e9, 7e9 * quality_lognormal(&r, 0.15));
			t->values[1][k] = t->values[3][k] = 1e10;
		}
		t->values[2][ts_random_below(&r, N)] = 9.8e9;
		for (size_t k = 0; k < 4; k++)
			s[k] = (struct ts_series){.keys = t->keys, .values = t->values[k], .n = N};
		ts_arena_reset(&t->arena);
		if (ts_memory_summary(&s[0], &s[1], &s[2], &s[3], 0, 0, 0, &t->arena, &m, &plots, &err))
			abort();
		quality_count(&c, !test_value(&m, "memory", "fragmentation", "ratio", &ratio) || ratio > 0.2);
	}
	quality_report(q, &c);
}

static void all_false_growth(struct quality *q, struct trial *t)
{
	static const struct {
		const char *name;
		enum shape shape;
		double sd;
	} shapes[] = {
		{"white", WHITE, 200},	     {"AR(1) .9", AR9, 200},	   {"AR(1) .98", AR98, 200},
		{"sawtooth", SAWTOOTH, 2000}, {"spikes", SPIKES, 50},	   {"one jump", JUMP, 50},
		{"one jump in AR(1) .9", JUMP_AR9, 50}, {"ramp that ends", RAMP, 50},
	};
	static const struct {
		size_t n;
		uint64_t trials;
	} lengths[] = {{40, 2000}, {100, 2000}, {1000, 1000}, {10000, 400}, {100000, 200}};

	for (size_t s = 0; s < sizeof shapes / sizeof shapes[0]; s++)
		for (size_t n = 0; n < sizeof lengths / sizeof lengths[0]; n++)
			false_growth(q, t, shapes[s].name, shapes[s].shape, lengths[n].n, shapes[s].sd, lengths[n].trials);
}

/* --- growth as the finding sees it: late, under cycles, and what only looks like it --- */

enum level { STEADY, TEETH, COLLECTED, ONE_STEP, TWO_STEPS, SATURATES, WANDERS_9, WANDERS_98, BLOCKS_2, LEVELS };

static const char *const level_words[] = {"steady",	"sawtooth 2 GiB", "random collection", "one step up", "two steps up",
					  "fills a cache", "AR(1) .9",	 "AR(1) .98",	      "2 MiB blocks"};

/* Memory in MiB around 30 GiB, with what makes its level move. The noise is 20 MiB, or 500 MiB where it wanders. */
static void fill_level(struct trial *t, size_t n, enum level level, struct ts_random *r)
{
	double state = (double)NAN, rho = level == WANDERS_9 ? 0.9 : level == WANDERS_98 ? 0.98 : 0, sd = rho > 0 ? 500 : 20;
	size_t period = 10 + ts_random_below(r, (uint32_t)(n / 8)), phase = ts_random_below(r, (uint32_t)period);
	double mean = (double)n / (10 + 30 * ts_random_unit(r)), grown = 0, tau = (0.02 + 0.2 * ts_random_unit(r)) * (double)n;
	size_t at = (size_t)((0.05 + 0.9 * ts_random_unit(r)) * (double)n);
	size_t again = (size_t)((0.05 + 0.9 * ts_random_unit(r)) * (double)n);

	for (size_t i = 0; i < n; i++) {
		double v = 30 * 1024 + quality_ar1(r, rho, sd, &state);

		grown = ts_random_unit(r) < 1 / mean ? 0 : grown + 2048 / mean;
		if (level == TEETH)
			v += 2048 * (double)((i + phase) % period) / (double)period;
		else if (level == COLLECTED)
			v += grown;
		else if (level == ONE_STEP || level == TWO_STEPS)
			v += (i >= at ? 2048 : 0) + (level == TWO_STEPS && i >= again ? 1500 : 0);
		else if (level == SATURATES)
			v += 4096 * (1 - exp(-(double)i / tau));
		else if (level == BLOCKS_2)
			v = 2 * floor(v / 2);
		t->values[0][i] = v * MIB;
	}
}

struct grown {
	bool fires;
	bool holds_zero; /* the interval of the slope is known, and 0 lies in it */
	double total;	 /* MiB */
	double since;	 /* NaN where growth has no begin of its own */
};

static struct grown growth_said(struct trial *t, size_t n)
{
	struct ts_series s = {.keys = t->keys, .values = t->values[0], .n = n};
	struct ts_measures m = {.n = 0};
	struct ts_plots plots = {.n = 0};
	struct grown out = {.since = (double)NAN};
	double p = 1, total = 0, peak = 1, low = 1;
	struct ts_error err;
	bool late;

	ts_arena_reset(&t->arena);
	if (ts_memory_summary(&s, NULL, NULL, NULL, 0, 0, 0, &t->arena, &m, &plots, &err))
		abort();
	late = test_value(&m, "memory", "growth", "since", &out.since);
	(void)test_value(&m, "memory", "growth", "p_value", &p);
	(void)test_value(&m, "memory", "growth", "total", &total);
	(void)test_value(&m, "memory", "alloc", "peak", &peak);
	out.fires = (late || p < TS_MEMORY_ALPHA) && total >= peak / 100;
	out.total = total / MIB;
	out.holds_zero = test_value(&m, "memory", "growth", "slope_low", &low) && low <= 0;
	return out;
}

static void false_finding(struct quality *q, struct trial *t, enum level level, size_t n, uint64_t trials, double goal)
{
	char name[80];
	struct quality_case c;

	(void)snprintf(name, sizeof name, "memory: false finding of growth, %s, S %zu", level_words[level], n);
	c = quality_at_most(name, goal);
	for (uint64_t i = 0; quality_wants(q, &c) && i < quality_trials(q, trials); i++) {
		struct ts_random r;

		quality_random(&c, i, &r);
		fill_level(t, n, level, &r);
		quality_count(&c, growth_said(t, n).fires);
	}
	quality_report(q, &c);
}

/* So many GiB leak from a part of the run on; growth must begin at most a sixth of the run from there, if it has a begin. */
static void finding(struct quality *q, struct trial *t, enum level level, size_t n, double from, double gib, uint64_t trials,
		    double goal)
{
	char name[100];
	struct quality_case c;

	(void)snprintf(name, sizeof name, "memory: leak of %g GiB found, from %g %% on, %s, S %zu", gib, 100 * from,
		       level_words[level], n);
	c = quality_at_least(name, goal);
	for (uint64_t i = 0; quality_wants(q, &c) && i < quality_trials(q, trials); i++) {
		double begins = from * (double)n;
		struct grown g;
		struct ts_random r;

		quality_random(&c, i, &r);
		fill_level(t, n, level, &r);
		for (size_t k = 0; k < n; k++)
			t->values[0][k] += fmax((double)k - begins, 0) / ((double)n - begins) * gib * 1024 * MIB;
		g = growth_said(t, n);
		quality_count(&c, g.fires && !g.holds_zero && !(fabs(g.since - begins) > (double)n / 6));
	}
	quality_report(q, &c);
}

/* Under collection at random times, with 10 to 40 of them on average, some runs have too few to show their floor. In 200 steps noise
 * that stays correlated over 50 of them drifts now and then as a leak does. */
static void findings_of_growth(struct quality *q, struct trial *t)
{
	static const struct {
		size_t n;
		uint64_t trials;
	} lengths[] = {{60, 1000}, {200, 1000}, {1000, 400}, {10000, 200}, {100000, 40}};

	for (size_t k = 0; k < sizeof lengths / sizeof lengths[0]; k++) {
		size_t n = lengths[k].n;

		for (enum level level = STEADY; level < LEVELS; level++)
			false_finding(q, t, level, n, lengths[k].trials, level == WANDERS_98 && n <= 200 ? 0.05 : 0.01);
		if (n < 200)
			continue;
		finding(q, t, STEADY, n, 0.5, 15, lengths[k].trials, 0.95);
		finding(q, t, STEADY, n, 0.8, 3, lengths[k].trials, 0.95);
		finding(q, t, TEETH, n, 0, 6, lengths[k].trials, 0.95);
		finding(q, t, TEETH, n, 0.5, 6, lengths[k].trials, 0.9);
		finding(q, t, COLLECTED, n, 0, 6, lengths[k].trials, 0.9);
		finding(q, t, COLLECTED, n, 0.5, 6, lengths[k].trials, 0.9);
		finding(q, t, COLLECTED, n, 0.5, 15, lengths[k].trials, 0.9);
		finding(q, t, BLOCKS_2, n, 0.3, 1, lengths[k].trials, 0.95);
		finding(q, t, WANDERS_9, n, 0.5, 15, lengths[k].trials, 0.95);
	}
}

/* --- stairs --- */

enum under { QUIET, NOISY, TOOTHED, UNDERS };

static const char *const under_words[] = {"white 0.1 %", "white 1 %", "teeth of 2 GiB"};

/* Memory in MiB around 30 GiB that repeats no level. */
static void fill_under(struct trial *t, size_t n, enum under under, struct ts_random *r)
{
	size_t period = 10 + ts_random_below(r, (uint32_t)(n / 30 + 1)), phase = ts_random_below(r, (uint32_t)period);
	double state = (double)NAN;

	for (size_t i = 0; i < n; i++) {
		double v = 30 * 1024 + quality_ar1(r, 0, under == NOISY ? 300 : 30, &state);

		if (under == TOOTHED)
			v += 2048 * (double)((i + phase) % period) / (double)period;
		t->values[0][i] = v * MIB;
	}
}

static void raise_from(struct trial *t, size_t n, double from, double mib)
{
	for (size_t i = (size_t)fmax(ceil(from), 0); i < n; i++)
		t->values[0][i] += mib * MIB;
}

/* One piece stays behind about every k-th part of the run, of sizes that differ by up to 30 %: the first is returned. */
static double climb_stairs(struct trial *t, size_t n, size_t rises, double percent, struct ts_random *r)
{
	double sizes[16], sum = 0, first = 0, phase = 0.2 + 0.6 * ts_random_unit(r);

	for (size_t k = 0; k < rises; k++)
		sum += sizes[k] = 0.7 + 0.6 * ts_random_unit(r);
	for (size_t k = 0; k < rises; k++) {
		double at = ((double)k + phase + 0.3 * (ts_random_unit(r) - 0.5)) / (double)rises * (double)n;

		first = k ? first : at;
		raise_from(t, n, at, sizes[k] / sum * percent / 100 * 30 * 1024);
	}
	return first;
}

static void found_stairs(struct quality *q, struct trial *t, size_t n, size_t rises, double percent, enum under under, uint64_t trials,
			 double goal)
{
	char name[100];
	struct quality_case c;

	(void)snprintf(name, sizeof name, "memory: +%g %% in %zu stairs found, S %zu, %s", percent, rises, n, under_words[under]);
	c = quality_at_least(name, goal);
	for (uint64_t i = 0; quality_wants(q, &c) && i < quality_trials(q, trials); i++) {
		double truth = percent / 100 * 30 * 1024, first;
		struct grown g;
		struct ts_random r;

		quality_random(&c, i, &r);
		fill_under(t, n, under, &r);
		first = climb_stairs(t, n, rises, percent, &r);
		g = growth_said(t, n);
		quality_count(&c, g.fires && !g.holds_zero && !(fabs(g.since - first) > (double)n / 6) &&
					  fabs(g.total - truth) <= 0.4 * truth);
	}
	quality_report(q, &c);
}

/* What changes its level and is no leak. */
enum change { ONE_JUMP, TWO_JUMPS, EVALUATIONS, WARM_STAIRS, COMES_BACK, BY_CHANCE, CHANGES };

static const char *const change_words[] = {"one jump",
					   "two jumps",
					   "evaluations that need more",
					   "stairs in the first fifth",
					   "levels that come back",
					   "levels up or down by chance"};

static void add_change(struct trial *t, size_t n, enum change change, struct ts_random *r)
{
	size_t times = change == ONE_JUMP ? 1 : change == TWO_JUMPS ? 2 : 3 + ts_random_below(r, change == WARM_STAIRS ? 4 : 6);
	double length = (0.01 + 0.08 * ts_random_unit(r)) * (double)n, phase = ts_random_unit(r), level = 0;

	for (size_t k = 0; k < times; k++) {
		double by = (0.02 + 0.2 * ts_random_unit(r)) * 30 * 1024, at = ts_random_unit(r) * (double)n;

		if (change == EVALUATIONS) {
			at = ((double)k + phase) / (double)times * (double)n;
			raise_from(t, n, at, by);
			raise_from(t, n, at + length, -by);
		} else if (change == WARM_STAIRS) {
			raise_from(t, n, at / 5, by);
		} else if (change == COMES_BACK) { /* a walk that is drawn to its level */
			by *= (ts_random_unit(r) < 0.5 ? -1 : 1);
			at = ((double)k + ts_random_unit(r)) / (double)times * (double)n;
			raise_from(t, n, at, by - level);
			level = by;
		} else {
			raise_from(t, n, at, change == BY_CHANCE && ts_random_unit(r) < 0.5 ? -by : by);
		}
	}
}

static void false_stairs(struct quality *q, struct trial *t, size_t n, enum change change, enum under under, uint64_t trials)
{
	char name[100];
	struct quality_case c;

	(void)snprintf(name, sizeof name, "memory: false finding of growth, %s, S %zu, %s", change_words[change], n,
		       under_words[under]);
	c = quality_at_most(name, change == BY_CHANCE ? 0.06 : 0.01);
	for (uint64_t i = 0; quality_wants(q, &c) && i < quality_trials(q, trials); i++) {
		struct ts_random r;

		quality_random(&c, i, &r);
		fill_under(t, n, under, &r);
		add_change(t, n, change, &r);
		quality_count(&c, growth_said(t, n).fires);
	}
	quality_report(q, &c);
}

/* Of jobs whose level changes by chance 3 to 8 times one in 24 has no change that is down: these are stairs, and nothing tells them
 * from a leak. Of 200 steps a block has two to eight, in which the floor under teeth is not seen, and that under noise not well. */
static void all_stairs(struct quality *q, struct trial *t)
{
	static const size_t some_rises[] = {3, 4, 6, 8};
	static const double some_percents[] = {10, 40, 60};
	static const struct {
		size_t n;
		uint64_t trials;
	} lengths[] = {{200, 400}, {600, 400}, {5000, 200}};

	for (size_t k = 0; k < sizeof lengths / sizeof lengths[0]; k++)
		for (enum under under = QUIET; under < UNDERS; under++) {
			for (size_t a = 0; (under != TOOTHED || lengths[k].n > 200) && a < sizeof some_rises / sizeof some_rises[0];
			     a++)
				for (size_t b = 0; b < sizeof some_percents / sizeof some_percents[0]; b++)
					found_stairs(q, t, lengths[k].n, some_rises[a], some_percents[b], under, lengths[k].trials,
						     lengths[k].n == 200 ? 0.8
						     : under == TOOTHED	 ? 0.85
									 : 0.9);
			for (enum change change = ONE_JUMP; change < CHANGES; change++)
				false_stairs(q, t, lengths[k].n, change, under, 5 * lengths[k].trials);
		}
}

void quality_memory(struct quality *q)
{
	struct trial *t = malloc(sizeof *t);

	if (!t)
		abort();
	plain_keys(t);
	ts_arena_init(&t->arena, 256 << 20);
	leaks(q, t, "white", WHITE, 100000, 0.5, 50, 200);
	leaks(q, t, "AR(1) .9", AR9, 100000, 0.5, 50, 200);
	leaks(q, t, "sawtooth", SAWTOOTH, 100000, 0.5, 50, 200);
	leaks(q, t, "5 % spikes", SPIKES, 100000, 0.5, 50, 200);
	leaks(q, t, "white sd 3", WHITE, 40, 5, 3, 1000);
	leaks(q, t, "white sd 50", WHITE, 1000, 5, 50, 1000);
	faint(q, t);
	unbiased(q, t, 40, 5, 3);
	unbiased(q, t, 1000, 5, 50);
	all_false_growth(q, t);
	stairs(q, t);
	jump_named(q, t, 1000);
	jump_named(q, t, 20000);
	healthy(q, t);
	findings_of_growth(q, t);
	all_stairs(q, t);
	ts_arena_finish(&t->arena);
	free(t);
}
