/* quality_slow.c - slow steps that come back, steps that became slower, and what only looks like either.
 *
 * Runs of one phase go through timing and the rules, as `tscope analyze` takes them, so that false alarms are those that people
 * see. Noise of many kinds; none of it was used to choose a limit except AR(1) and random walks of cells (slowdown.h).
 */
#include "quality_parts.h"

#include "analysis/rank/timing.h"
#include "analysis/rules/rule.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { STEPS = 20000 };

enum noise {
	WHITE,	   /* 5 % */
	LOGNORMAL, /* 0.2 */
	WIDE,	   /* lognormal 0.5 */
	HEAVY,	   /* Pareto, exponent 2.5 */
	AR_8,	   /* AR(1) 0.8 of 5 % */
	AR_9,	   /* AR(1) 0.9 of 10 % */
	AR_98,	   /* AR(1) 0.98 of 5 % */
	WALK,	   /* a random walk that ends 0.3 away, in logarithms, and 2 % of white noise */
	STALLS,	   /* 1 % of the steps take 2 to 10 times as long, at random */
	NEARLY,	   /* a stall of 5 times every 90 to 109 steps */
	BURSTS,	   /* 1 to 20 slow steps in a row, at random */
	CLOCKS,	   /* two levels 20 % apart, of n / 12 steps on average, at random */
	CHECKPOINT, /* each 100th step takes 10 to 30 times as long */
	GATHERED,  /* each 8th takes 3 times as long, for four steps of 8 another level of 10 % */
	WARM,	   /* begins 4 times as slow and falls off within a twentieth of the run, half of which is no warm-up that is cut */
	ODD,	   /* one step takes 10,000 times as long */
	WAVE,	   /* a sine of 10 %, seven times in the run */
};

static double *values;
static int64_t *keys;
static struct ts_arena arena;

struct shape {
	double rise; /* a part of the step time */
	double from, to; /* parts of the run; a step where equal */
	bool ends;   /* it is back at `to` */
};

struct period {
	size_t every;
	double factor; /* of the step time; varies by half of it to both sides */
	double missing; /* share of its places */
};

static void make(enum noise noise, size_t n, struct ts_random *r)
{
	double ar = (double)NAN, walk = 0, level = ts_random_unit(r) < 0.5 ? 1 : 1.2;
	size_t next = 40, burst = 0;

	for (size_t i = 0; i < n; i++) {
		double x = 1 + 0.03 * ts_random_normal(r), u = ts_random_unit(r);

		switch (noise) {
		case WHITE: x = 1 + 0.05 * ts_random_normal(r); break;
		case LOGNORMAL: x = quality_lognormal(r, 0.2); break;
		case WIDE: x = quality_lognormal(r, 0.5); break;
		case HEAVY: x = pow(1 - u, -0.4); break;
		case AR_8: x = 1 + quality_ar1(r, 0.8, 0.05, &ar); break;
		case AR_9: x = exp(quality_ar1(r, 0.9, 0.1, &ar)); break;
		case AR_98: x = 1 + quality_ar1(r, 0.98, 0.05, &ar); break;
		case WALK: x *= exp(walk += 0.3 / sqrt((double)n) * ts_random_normal(r)); break;
		case STALLS: x *= u < 0.01 ? 2 + 800 * u : 1; break;
		case NEARLY:
			x *= i >= next ? 5 : 1;
			next = i >= next ? i + 90 + ts_random_below(r, 20) : next;
			break;
		case BURSTS:
			burst = burst ? burst - 1 : u < 0.01 ? 1 + ts_random_below(r, 20) : 0;
			x *= burst ? 3 : 1;
			break;
		case CLOCKS:
			level = u < 12 / (double)n ? 2.2 - level : level;
			x = level * (1 + 0.02 * ts_random_normal(r));
			break;
		case CHECKPOINT: x *= i % 100 == 99 ? 10 + 20 * u : 1; break;
		case GATHERED: x *= (i % 8 == 5 ? 3 : 1) * (i % 8 < 4 ? 1.1 : 1); break;
		case WARM: x *= 1 + 3 * exp(-40 * (double)i / (double)n); break;
		case ODD: x *= i == n / 3 ? 1e4 : 1; break;
		case WAVE: x += 0.1 * sin(44 * (double)i / (double)n); break;
		}
		keys[i] = (int64_t)i;
		values[i] = x > 0.01 ? x : 0.01;
	}
}

static void plant_shape(const struct shape *s, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		double at = (double)i / (double)n, part;

		part = at < s->from ? 0 : at >= s->to ? 1 : (at - s->from) / (s->to - s->from);
		values[i] *= 1 + s->rise * (s->ends ? at >= s->from && at < s->to : part);
	}
}

/* Returns the phase. */
static size_t plant_period(const struct period *p, size_t n, struct ts_random *r)
{
	size_t phase = ts_random_below(r, (uint32_t)p->every);

	for (size_t i = phase; i < n; i += p->every)
		if (ts_random_unit(r) >= p->missing)
			values[i] *= p->factor * (0.5 + ts_random_unit(r));
	return phase;
}

struct answer {
	struct ts_measures m;
	struct ts_events events;
	struct ts_findings findings;
};

static struct ts_periods_stated stated; /* what the run says of its own */

static struct answer analyze(size_t n)
{
	struct ts_series phase = {.name = ts_span_str("phases.step"), .keys = keys, .values = values, .n = n};
	struct answer a = {.m = {.n = 0}};
	struct ts_timing t;
	struct ts_error err;

	ts_arena_reset(&arena);
	if (ts_timing_begin(&t, keys, n, &arena, &err))
		abort();
	t.accumulation = stated.every;
	t.epochs = stated.epochs;
	t.n_epochs = stated.n_epochs;
	if (ts_timing_total(&t, &phase, &err) || ts_timing_cut(&t, false, 0, &err) || ts_timing_phase(&t, &phase, &err) ||
	    ts_timing_finish(&t, NULL, &arena, &a.m, &a.events, NULL, &err) ||
	    ts_findings_check(&a.m, &a.events, NULL, 0, NULL, &arena, &a.findings, &err))
		abort();
	return a;
}

static int severity(const struct answer *a, const char *code)
{
	for (size_t i = 0; i < a->findings.n; i++)
		if (ts_span_is(a->findings.items[i].code, code))
			return (int)a->findings.items[i].severity;
	return 0;
}

static bool has_period(const struct answer *a, size_t every, size_t phase)
{
	for (int k = 1; k <= TS_PERIODS_MAX; k++) {
		char subject[32];
		double e, at;

		(void)snprintf(subject, sizeof subject, "period %d", k);
		if (ts_measure_value(&a->m, TS_M_PERIOD_EVERY, ts_span_str(subject), &e) && e == (double)every &&
		    ts_measure_value(&a->m, TS_M_PERIOD_AT, ts_span_str(subject), &at) && at == (double)phase)
			return true;
	}
	return false;
}

static const struct {
	const char *name;
	enum noise noise;
	bool period; /* it has one: only a false slow-down counts */
	bool level;  /* it changes its level: only a false period counts */
} noises[] = {
	{"white 5 %", WHITE, false, false},
	{"lognormal 0.2", LOGNORMAL, false, false},
	{"lognormal 0.5", WIDE, false, false},
	{"Pareto 2.5", HEAVY, false, false},
	{"AR(1) 0.8 of 5 %", AR_8, false, false},
	{"AR(1) 0.9 of 10 %", AR_9, false, false},
	{"AR(1) 0.98 of 5 %", AR_98, false, false},
	{"random stalls", STALLS, false, false},
	{"stalls every 90 to 109", NEARLY, false, false},
	{"bursts of slow steps", BURSTS, false, false},
	{"a checkpoint each 100", CHECKPOINT, true, false},
	{"accumulation of 8", GATHERED, true, false},
	{"a slow start", WARM, false, false},
	{"one odd step", ODD, false, false},
	{"a wave of 10 %", WAVE, false, false},
	{"two clock states", CLOCKS, false, true},
};

/* Bursts that gather do make a stretch of the run slow: only a slow-down that lasts is false there. */
static bool is_false(const struct answer *a, enum noise noise)
{
	const struct ts_measure *kind = ts_measure_find(&a->m, TS_M_SLOWDOWN_KIND, TS_NO_SUBJECT);

	return severity(a, "TIMING.SLOWDOWN") && !(noise == BURSTS && ts_span_is(kind->text, "stretch"));
}

static void false_alarm(struct quality *q, size_t k, size_t n, bool period)
{
	struct quality_case c, levels;
	char name[96], two[96];

	(void)snprintf(name, sizeof name, "slow: false %s, %s, %zu steps", period ? "period" : "slow-down", noises[k].name, n);
	(void)snprintf(two, sizeof two, "slow: false two levels, %s, %zu steps", noises[k].name, n);
	/* A burst at the end of a short run cannot be told from what lasts. */
	c = quality_at_most(name, noises[k].noise == BURSTS && n < 2000 ? 0.03 : 0.01);
	levels = quality_at_most(two, 0.01);
	for (uint64_t i = 0; (quality_wants(q, &c) || (!period && quality_wants(q, &levels))) &&
			     i < quality_trials(q, n > 2000 ? 300 : 1000); i++) {
		struct ts_random r;
		struct answer a;

		quality_random(&c, i, &r);
		make(noises[k].noise, n, &r);
		a = analyze(n);
		quality_count(&c, period ? ts_measure_find(&a.m, TS_M_PERIOD_EVERY, ts_span_str("period 1")) != NULL
					 : is_false(&a, noises[k].noise));
		quality_count(&levels, severity(&a, "TIMING.TWO_LEVELS") != 0);
	}
	quality_report(q, &c);
	if (!period && noises[k].noise == BURSTS)
		quality_report_only(q, &levels, "out of reach: bursts that fill two blocks are levels");
	else if (!period)
		quality_report(q, &levels);
}

static void false_alarms(struct quality *q)
{
	static const size_t sizes[] = {100, 500, 2000, 20000};

	for (size_t k = 0; k < sizeof noises / sizeof noises[0]; k++)
		for (size_t s = 0; s < sizeof sizes / sizeof sizes[0]; s++) {
			if (!noises[k].level)
				false_alarm(q, k, sizes[s], false);
			if (!noises[k].period)
				false_alarm(q, k, sizes[s], true);
		}
}

/* A level that wanders is another at the end than at the beginning: that it is called a slow-down is seldom wrong, but it is what
 * the test is built not to say. Two clock states may change once, which is a slow-down; twelve times they are none. */
static void looks_like_one(struct quality *q)
{
	static const struct {
		const char *name;
		enum noise noise;
		size_t n;
		double goal;
		const char *code;
	} cases[] = {
		{"slow: false slow-down, random walk, 200 steps", WALK, 200, 0.08, "TIMING.SLOWDOWN"},
		{"slow: false slow-down, random walk, 2000 steps", WALK, 2000, 0.08, "TIMING.SLOWDOWN"},
		{"slow: false slow-down, random walk, 20000 steps", WALK, 20000, 0.08, "TIMING.SLOWDOWN"},
		{"slow: false slow-down, two clock states, 2000 steps", CLOCKS, 2000, 0.02, "TIMING.SLOWDOWN"},
		{"slow: false slow-down, two clock states, 20000 steps", CLOCKS, 20000, 0.02, "TIMING.SLOWDOWN"},
		{"slow: false stall, accumulation of 8, 100 steps", GATHERED, 100, 0.01, "TIMING.STALLS"},
		{"slow: false stall, accumulation of 8, 2000 steps", GATHERED, 2000, 0.01, "TIMING.STALLS"},
		{"slow: false stall, a checkpoint each 100, 2000 steps", CHECKPOINT, 2000, 0.01, "TIMING.STALLS"},
	};

	for (size_t k = 0; k < sizeof cases / sizeof cases[0]; k++) {
		struct quality_case c = quality_at_most(cases[k].name, cases[k].goal);

		for (uint64_t i = 0; quality_wants(q, &c) && i < quality_trials(q, cases[k].n > 2000 ? 300 : 1000); i++) {
			struct ts_random r;
			struct answer a;

			quality_random(&c, i, &r);
			make(cases[k].noise, cases[k].n, &r);
			a = analyze(cases[k].n);
			quality_count(&c, severity(&a, cases[k].code) != 0);
		}
		quality_report(q, &c);
	}
}

/* Two clock states some percent apart that change so many times on average, and three times at least, under AR(1) of 2 or 5 %. */
static void clock_states(struct quality *q)
{
	static const double gaps[] = {0.05, 0.1, 0.2}, rates[] = {4, 12, 40}, sds[] = {0.02, 0.05};
	enum { N = 2000 };

	for (size_t k = 0; k < 18; k++) {
		double gap = gaps[k % 3], rate = rates[k / 3 % 3], sd = sds[k / 9];
		struct quality_case c, named;
		char name[96], two[96];

		(void)snprintf(name, sizeof name, "slow: false slow-down, states %.0f %% apart, %.0f changes, AR(1) 0.8 of %.0f %%",
			       100 * gap, rate, 100 * sd);
		(void)snprintf(two, sizeof two, "slow: two levels named, states %.0f %% apart, %.0f changes, AR(1) 0.8 of %.0f %%",
			       100 * gap, rate, 100 * sd);
		c = quality_at_most(name, 0.02);
		named = quality_at_least(two, 0.9);
		for (uint64_t i = 0; (quality_wants(q, &c) || quality_wants(q, &named)) && i < quality_trials(q, 100); i++) {
			size_t switches = 0;
			struct ts_random r;
			struct answer a;

			quality_random(&c, i, &r);
			while (switches < 3) {
				double ar = (double)NAN, level = ts_random_unit(&r) < 0.5 ? 1 : 1 + gap;

				switches = 0;
				for (size_t at = 0; at < N; at++) {
					if (ts_random_unit(&r) < rate / N) {
						level = 2 + gap - level;
						switches++;
					}
					keys[at] = (int64_t)at;
					values[at] = level * (1 + quality_ar1(&r, 0.8, sd, &ar));
				}
			}
			a = analyze(N);
			quality_count(&c, severity(&a, "TIMING.SLOWDOWN") != 0);
			quality_count(&named, severity(&a, "TIMING.TWO_LEVELS") != 0);
		}
		if (rate < 5)
			quality_report_only(q, &c, "out of reach: three changes may leave one long upper state, at the end or alone");
		else
			quality_report(q, &c);
		quality_report_only(q, &named, "not held: two levels are looked for where a rise or a shift was found");
	}
}

static void slow_downs(struct quality *q)
{
	static const struct {
		const char *name;
		enum noise noise;
		size_t n;
		struct shape shape;
		double goal;
	} cases[] = {
		{"slow: +30 % at half, white 5 %, 200 steps", WHITE, 200, {0.3, 0.5, 0.5, false}, 0.95},
		{"slow: +10 % at half, white 5 %, 2000 steps", WHITE, 2000, {0.1, 0.5, 0.5, false}, 0.95},
		{"slow: +10 % at 80 %, white 5 %, 2000 steps", WHITE, 2000, {0.1, 0.8, 0.8, false}, 0.95},
		{"slow: +25 % as a ramp, white 5 %, 500 steps", WHITE, 500, {0.25, 0, 1, false}, 0.95},
		{"slow: +25 % as a ramp, lognormal 0.2, 5000 steps", LOGNORMAL, 5000, {0.25, 0, 1, false}, 0.9},
		{"slow: +25 % as a ramp, lognormal 0.2, 20000 steps", LOGNORMAL, 20000, {0.25, 0, 1, false}, 0.95},
		{"slow: +25 % as a ramp from 30 to 60 %, lognormal 0.2, 5000 steps", LOGNORMAL, 5000, {0.25, 0.3, 0.6, false}, 0.95},
		{"slow: +30 % at half, lognormal 0.2, 500 steps", LOGNORMAL, 500, {0.3, 0.5, 0.5, false}, 0.4},
		{"slow: +30 % at half, lognormal 0.2, 2000 steps", LOGNORMAL, 2000, {0.3, 0.5, 0.5, false}, 0.95},
		{"slow: +30 % at half, lognormal 0.2, 20000 steps", LOGNORMAL, 20000, {0.3, 0.5, 0.5, false}, 0.99},
		{"slow: +10 % at half, AR(1) 0.8 of 5 %, 2000 steps", AR_8, 2000, {0.1, 0.5, 0.5, false}, 0.3},
		{"slow: +10 % at half, AR(1) 0.8 of 5 %, 10000 steps", AR_8, 10000, {0.1, 0.5, 0.5, false}, 0.95},
		{"slow: +30 % at half, AR(1) 0.9 of 10 %, 10000 steps", AR_9, 10000, {0.3, 0.5, 0.5, false}, 0.95},
		{"slow: +30 % at half, lognormal 0.5, 20000 steps", WIDE, 20000, {0.3, 0.5, 0.5, false}, 0.95},
		{"slow: +10 % at half, random stalls, 2000 steps", STALLS, 2000, {0.1, 0.5, 0.5, false}, 0.95},
		{"slow: +10 % at half, a checkpoint each 100, 2000 steps", CHECKPOINT, 2000, {0.1, 0.5, 0.5, false}, 0.95},
		{"slow: +10 % as a ramp, accumulation of 8, 2000 steps", GATHERED, 2000, {0.1, 0, 1, false}, 0.95},
		{"slow: +30 % from 40 to 60 %, white 5 %, 2000 steps", WHITE, 2000, {0.3, 0.4, 0.6, true}, 0.95},
	};

	for (size_t k = 0; k < sizeof cases / sizeof cases[0]; k++) {
		struct quality_case c = quality_at_least(cases[k].name, cases[k].goal);

		for (uint64_t i = 0; quality_wants(q, &c) && i < quality_trials(q, cases[k].n > 5000 ? 200 : 500); i++) {
			struct ts_random r;
			struct answer a;

			quality_random(&c, i, &r);
			make(cases[k].noise, cases[k].n, &r);
			plant_shape(&cases[k].shape, cases[k].n);
			a = analyze(cases[k].n);
			quality_count(&c, severity(&a, "TIMING.SLOWDOWN") != 0);
		}
		quality_report(q, &c);
	}
}

static size_t common(size_t a, size_t b)
{
	return b ? common(b, a % b) : a;
}

/* Found is only the right period with the right phase. */
static void periods(struct quality *q)
{
	static const struct {
		const char *name;
		enum noise noise;
		size_t n;
		struct period period, other; /* other.every 0: there is none */
		uint64_t declared;
	} cases[] = {
		{"slow: each 8th of 3 times, white 5 %, 80 steps, declared", WHITE, 80, {8, 4, 0}, {0, 0, 0}, 8},
		{"slow: each 8th of 3 times, white 5 %, 200 steps", WHITE, 200, {8, 4, 0}, {0, 0, 0}, 0},
		{"slow: each 2nd of 3 times, white 5 %, 200 steps", WHITE, 200, {2, 4, 0}, {0, 0, 0}, 0},
		{"slow: each 4th of 3 times, lognormal 0.2, 500 steps", LOGNORMAL, 500, {4, 4, 0}, {0, 0, 0}, 0},
		{"slow: each 16th of 3 times, AR(1) 0.9, 2000 steps", AR_9, 2000, {16, 4, 0}, {0, 0, 0}, 0},
		{"slow: each 100th, white 5 %, 500 steps", WHITE, 500, {100, 10, 0}, {0, 0, 0}, 0},
		{"slow: each 100th, white 5 %, 1000 steps, one in ten missing", WHITE, 1000, {100, 10, 0.1}, {0, 0, 0}, 0},
		{"slow: each 100th, random stalls, 2000 steps, one in ten missing", STALLS, 2000, {100, 10, 0.1}, {0, 0, 0}, 0},
		{"slow: each 500th, lognormal 0.5, 20000 steps, one in ten missing", WIDE, 20000, {500, 10, 0.1}, {0, 0, 0}, 0},
		{"slow: each 50th and each 200th, white 5 %, 2000 steps", WHITE, 2000, {50, 5, 0}, {200, 15, 0}, 0},
		{"slow: each 8th and each 500th, white 5 %, 5000 steps", WHITE, 5000, {8, 3.5, 0}, {500, 20, 0}, 0},
	};

	for (size_t k = 0; k < sizeof cases / sizeof cases[0]; k++) {
		struct quality_case c = quality_at_least(cases[k].name, 0.95);

		for (uint64_t i = 0; quality_wants(q, &c) && i < quality_trials(q, cases[k].n > 5000 ? 200 : 500); i++) {
			const struct period *other = &cases[k].other;
			size_t phase, second = 0;
			struct ts_random r;
			struct answer a;

			quality_random(&c, i, &r);
			make(cases[k].noise, cases[k].n, &r);
			phase = plant_period(&cases[k].period, cases[k].n, &r);
			if (other->every)
				do /* places that both have belong to one of them */
					second = ts_random_below(&r, (uint32_t)other->every);
				while (second % common(other->every, cases[k].period.every) ==
				       phase % common(other->every, cases[k].period.every));
			for (size_t at = second; other->every && at < cases[k].n; at += other->every)
				values[at] *= other->factor;
			stated.every = cases[k].declared;
			a = analyze(cases[k].n);
			stated.every = 0;
			quality_count(&c, has_period(&a, cases[k].period.every, phase) &&
						  (!other->every || has_period(&a, other->every, second)));
		}
		quality_report(q, &c);
	}
}

/* --- epochs --- */

static int64_t epochs[STEPS];

/* Cuts the run into so many epochs, of lengths from half of the mean to one and a half of it. */
static void cut_epochs(size_t n, size_t n_epochs, struct ts_random *r)
{
	double mean = (double)n / (double)n_epochs, at = 0;

	stated.n_epochs = 0;
	stated.epochs = epochs;
	for (;;) {
		at += mean * (0.5 + ts_random_unit(r));
		if (at >= (double)n - 1)
			return;
		epochs[stated.n_epochs++] = (int64_t)at;
	}
}

static bool at_epoch_starts(const struct answer *a)
{
	for (int k = 1; k <= TS_PERIODS_MAX; k++) {
		char subject[32];
		const struct ts_measure *cause;

		(void)snprintf(subject, sizeof subject, "period %d", k);
		cause = ts_measure_find(&a->m, TS_M_PERIOD_CAUSE, ts_span_str(subject));
		if (cause && cause->known && ts_span_is(cause->text, "epoch starts"))
			return true;
	}
	return false;
}

/* Counts how often starts of epochs are named, where they take `factor` times as long; 1 where they do not. */
static void epoch_case(struct quality *q, struct quality_case c, enum noise noise, size_t n, size_t n_epochs, double factor)
{
	for (uint64_t i = 0; quality_wants(q, &c) && i < quality_trials(q, n > 2000 ? 300 : 1000); i++) {
		struct ts_random r;
		struct answer a;

		quality_random(&c, i, &r);
		make(noise, n, &r);
		do
			cut_epochs(n, n_epochs, &r);
		while (stated.n_epochs < 2);
		for (size_t e = 0; e < stated.n_epochs; e++)
			values[epochs[e]] *= factor * (factor > 1 ? 0.75 + ts_random_unit(&r) / 2 : 1);
		a = analyze(n);
		quality_count(&c, at_epoch_starts(&a));
		stated = (struct ts_periods_stated){.every = 0};
	}
	quality_report(q, &c);
}

static void starts_of_epochs(struct quality *q)
{
	static const size_t some_epochs[] = {3, 10, 50};
	static const size_t sizes[] = {200, 2000, 20000};
	char name[96];

	for (size_t k = 0; k < sizeof noises / sizeof noises[0]; k++)
		for (size_t s = 0; s < sizeof sizes / sizeof sizes[0]; s++) {
			(void)snprintf(name, sizeof name, "slow: false epoch starts, %s, %zu steps", noises[k].name, sizes[s]);
			epoch_case(q, quality_at_most(name, 0.01), noises[k].noise, sizes[s], some_epochs[s], 1);
		}
	epoch_case(q, quality_at_least("slow: 3 epochs that start with 5 times, white 5 %, 200 steps", 0.95), WHITE, 200, 3, 5);
	epoch_case(q, quality_at_least("slow: 3 epochs that start with 5 times, lognormal 0.2, 2000 steps", 0.95), LOGNORMAL,
		   2000, 3, 5);
	epoch_case(q, quality_at_least("slow: 10 epochs that start with 3 times, AR(1) 0.9, 2000 steps", 0.95), AR_9, 2000, 10, 3);
	epoch_case(q, quality_at_least("slow: 10 epochs that start with 20 times, random stalls, 2000 steps", 0.95), STALLS,
		   2000, 10, 20);
	epoch_case(q, quality_at_least("slow: 50 epochs that start with 5 times, a checkpoint each 100, 20000 steps", 0.95), CHECKPOINT,
		   20000, 50, 5);
}

void quality_slow(struct quality *q)
{
	values = malloc(STEPS * sizeof *values);
	keys = malloc(STEPS * sizeof *keys);
	if (!values || !keys)
		abort();
	ts_arena_init(&arena, 64 << 20);
	false_alarms(q);
	looks_like_one(q);
	clock_states(q);
	slow_downs(q);
	periods(q);
	starts_of_epochs(q);
	ts_arena_finish(&arena);
	free(values);
	free(keys);
}
