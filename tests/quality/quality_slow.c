/* quality_slow.c - slow steps that come back, steps that became slower, and what only looks like either.
 *
 * Runs of one phase go through timing and the rules, as `tscope analyze` takes them, so that false alarms are those that people
 * see. The limits of slowdown.h and levels.h were chosen by the noises to CLOCKS and by FLICKER, SAWTOOTH and JUMPS, with other seeds
 * (--seed) than those of the rates that documents give; the rest were used for none.
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
	FLICKER,   /* 1/f: five AR(1) of 4.5 % each, whose memories are 1 to 256 steps */
	VOLATILE,  /* white, whose deviation of 3 % goes up and down by a factor of 2, with a memory of 100 steps */
	BUCKETS,   /* batches of five lengths, from 0.6 to 1.8, at random */
	SAWTOOTH,  /* grows by 15 % and falls back at once, seven times */
	LATE,	   /* 3 %, and 12 % from half on */
	HEAVY_AR,  /* AR(1) 0.8, whose steps have Student's t of 3 degrees of freedom */
	LONG_BURSTS, /* 1 to 40 slow steps in a row, at random */
	HEAVY_WALK,  /* as WALK, but its steps have Student's t of 3 degrees of freedom */
	JUMPS,	   /* another level every n / 8 steps on average, at random */
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

/* Student's t of 3 degrees of freedom, of deviation 1. */
static double heavy(struct ts_random *r)
{
	double a = ts_random_normal(r), b = ts_random_normal(r), c = ts_random_normal(r);

	return ts_random_normal(r) / sqrt(a * a + b * b + c * c);
}

static double flicker(struct ts_random *r, double state[5])
{
	double sum = 0;

	for (int k = 0; k < 5; k++)
		sum += quality_ar1(r, exp(-pow(4, -k)), 0.045, &state[k]);
	return sum;
}

static void make(enum noise noise, size_t n, struct ts_random *r)
{
	static const double lengths[] = {0.6, 0.8, 1, 1.3, 1.8};
	double ar = (double)NAN, walk = 0, level = ts_random_unit(r) < 0.5 ? 1 : 1.2, state[5] = {NAN, NAN, NAN, NAN, NAN};
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
		case FLICKER: x = exp(flicker(r, state)); break;
		case VOLATILE: x = 1 + (x - 1) * exp(quality_ar1(r, 0.99, 0.7, &ar)); break;
		case BUCKETS: x *= lengths[(int)(5 * u)]; break;
		case SAWTOOTH: x *= 1 + 0.15 * fmod(7 * (double)i / (double)n + 0.5, 1); break;
		case LATE: x = i < n / 2 ? x : 1 + 4 * (x - 1); break;
		case HEAVY_AR:
			walk = 0.8 * walk + 0.03 * heavy(r);
			x = exp(walk);
			break;
		case LONG_BURSTS:
			burst = burst ? burst - 1 : u < 0.005 ? 1 + ts_random_below(r, 40) : 0;
			x *= burst ? 3 : 1;
			break;
		case HEAVY_WALK: x *= exp(walk += 0.3 / sqrt((double)n) * heavy(r)); break;
		case JUMPS:
			walk = i == 0 || u < 8 / (double)n ? 0.1 * ts_random_normal(r) : walk;
			x *= exp(walk);
			break;
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
static struct ts_series waits;		/* for a CPU, as far as they are recorded */

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
	    (waits.n && ts_timing_waits(&t, &waits, &err)) || ts_timing_finish(&t, NULL, &arena, &a.m, &a.events, NULL, &err) ||
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
	{"1/f noise", FLICKER, false, false},
	{"a spread that comes and goes", VOLATILE, false, false},
	{"batches of five lengths", BUCKETS, false, false},
	{"a sawtooth of 15 %", SAWTOOTH, false, false},
	{"a spread of 4 times from half on", LATE, false, false},
	{"AR(1) 0.8 of heavy tails", HEAVY_AR, false, false},
	{"bursts of up to 40 steps", LONG_BURSTS, false, false},
};

/* Bursts that gather do make a stretch of the run slow: only a slow-down that lasts is false there. */
static bool is_false(const struct answer *a, enum noise noise)
{
	const struct ts_measure *kind = ts_measure_find(&a->m, TS_M_SLOWDOWN_KIND, TS_NO_SUBJECT);

	return severity(a, "TIMING.SLOWDOWN") && !((noise == BURSTS || noise == LONG_BURSTS) && ts_span_is(kind->text, "stretch"));
}

static void false_alarm(struct quality *q, size_t k, size_t n, bool period)
{
	struct quality_case c, levels;
	char name[96], two[96];

	(void)snprintf(name, sizeof name, "slow: false %s, %s, %zu steps", period ? "period" : "slow-down", noises[k].name, n);
	(void)snprintf(two, sizeof two, "slow: false two levels, %s, %zu steps", noises[k].name, n);
	/* A burst at the end of a short run cannot be told from what lasts. */
	c = quality_at_most(name, n >= 2000 ? 0.01 : noises[k].noise == LONG_BURSTS ? 0.05 : noises[k].noise == BURSTS ? 0.03 : 0.01);
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
	if (!period)
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
		{"slow: false slow-down, random walk, 100 steps", WALK, 100, 0.035, "TIMING.SLOWDOWN"},
		{"slow: false slow-down, random walk, 200 steps", WALK, 200, 0.035, "TIMING.SLOWDOWN"},
		{"slow: false slow-down, random walk, 2000 steps", WALK, 2000, 0.035, "TIMING.SLOWDOWN"},
		{"slow: false slow-down, random walk, 20000 steps", WALK, 20000, 0.035, "TIMING.SLOWDOWN"},
		{"slow: false slow-down, walk of heavy tails, 200 steps", HEAVY_WALK, 200, 0.05, "TIMING.SLOWDOWN"},
		{"slow: false slow-down, walk of heavy tails, 2000 steps", HEAVY_WALK, 2000, 0.05, "TIMING.SLOWDOWN"},
		{"slow: false slow-down, walk of heavy tails, 20000 steps", HEAVY_WALK, 20000, 0.05, "TIMING.SLOWDOWN"},
		{"slow: false slow-down, two clock states, 2000 steps", CLOCKS, 2000, 0.01, "TIMING.SLOWDOWN"},
		{"slow: false slow-down, two clock states, 20000 steps", CLOCKS, 20000, 0.01, "TIMING.SLOWDOWN"},
		{"slow: false stall, accumulation of 8, 100 steps", GATHERED, 100, 0.01, "TIMING.STALLS"},
		{"slow: false stall, accumulation of 8, 2000 steps", GATHERED, 2000, 0.01, "TIMING.STALLS"},
		{"slow: false stall, a checkpoint each 100, 2000 steps", CHECKPOINT, 2000, 0.01, "TIMING.STALLS"},
	};

	for (size_t k = 0; k < sizeof cases / sizeof cases[0]; k++) {
		struct quality_case c = quality_at_most(cases[k].name, cases[k].goal);

		for (uint64_t i = 0; quality_wants(q, &c) && i < quality_trials(q, 1000); i++) {
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

/* Levels that are drawn anew eight times, each another one: the greatest rise may well be one, or the run may go down. */
static void levels_at_random(struct quality *q)
{
	static const size_t sizes[] = {200, 2000, 20000};

	for (size_t k = 0; k < sizeof sizes / sizeof sizes[0]; k++) {
		struct quality_case slow, two;
		char names[2][96];

		(void)snprintf(names[0], sizeof names[0], "slow: slow-down, eight levels at random, %zu steps", sizes[k]);
		(void)snprintf(names[1], sizeof names[1], "slow: false two levels, eight levels at random, %zu steps", sizes[k]);
		slow = quality_at_most(names[0], 0.3);
		two = quality_at_most(names[1], 0.05);
		for (uint64_t i = 0; (quality_wants(q, &slow) || quality_wants(q, &two)) && i < quality_trials(q, 500); i++) {
			struct ts_random r;
			struct answer a;

			quality_random(&slow, i, &r);
			make(JUMPS, sizes[k], &r);
			a = analyze(sizes[k]);
			quality_count(&slow, severity(&a, "TIMING.SLOWDOWN") != 0);
			quality_count(&two, severity(&a, "TIMING.TWO_LEVELS") != 0);
		}
		quality_report_only(q, &slow, "some of it is right: a rise that lasts is planted in many");
		quality_report_only(q, &two, "not held: some levels come to be alike by chance");
	}
}

/* Two clock states some percent apart that change so many times on average, and three times at least. */
struct states {
	double gap, rate, sd; /* of AR(1) 0.8 */
	double named;	      /* the least share of runs in which two levels are named; 0: out of reach */
};

static void make_states(const struct states *s, size_t n, struct ts_random *r)
{
	for (size_t switches = 0; switches < 3;) {
		double ar = (double)NAN, level = ts_random_unit(r) < 0.5 ? 1 : 1 + s->gap;

		switches = 0;
		for (size_t at = 0; at < n; at++) {
			if (ts_random_unit(r) < s->rate / (double)n) {
				level = 2 + s->gap - level;
				switches++;
			}
			keys[at] = (int64_t)at;
			values[at] = level * (1 + quality_ar1(r, 0.8, s->sd, &ar));
		}
	}
}

static void clock_states(struct quality *q)
{
	static const struct states cases[] = {
		{0.05, 4, 0.02, 0.65}, {0.1, 4, 0.02, 0.8}, {0.2, 4, 0.02, 0.8}, {0.05, 12, 0.02, 0.9}, {0.1, 12, 0.02, 0.95},
		{0.2, 12, 0.02, 0.95}, {0.05, 40, 0.02, 0.9}, {0.1, 40, 0.02, 0.9}, {0.2, 40, 0.02, 0.9}, {0.05, 4, 0.05, 0},
		{0.1, 4, 0.05, 0.65}, {0.2, 4, 0.05, 0.8}, {0.05, 12, 0.05, 0}, {0.1, 12, 0.05, 0.7}, {0.2, 12, 0.05, 0.95},
		{0.05, 40, 0.05, 0}, {0.1, 40, 0.05, 0.6}, {0.2, 40, 0.05, 0.9},
	};
	enum { N = 2000 };

	for (size_t k = 0; k < sizeof cases / sizeof cases[0]; k++) {
		const struct states *s = &cases[k];
		struct quality_case c, named;
		char name[96], two[96];

		(void)snprintf(name, sizeof name, "slow: false slow-down, states %.0f %% apart, %.0f changes, AR(1) 0.8 of %.0f %%",
			       100 * s->gap, s->rate, 100 * s->sd);
		(void)snprintf(two, sizeof two, "slow: two levels named, states %.0f %% apart, %.0f changes, AR(1) 0.8 of %.0f %%",
			       100 * s->gap, s->rate, 100 * s->sd);
		c = quality_at_most(name, 0.02);
		named = quality_at_least(two, s->named > 0 ? s->named : 0.9);
		for (uint64_t i = 0; (quality_wants(q, &c) || quality_wants(q, &named)) && i < quality_trials(q, 300); i++) {
			struct ts_random r;
			struct answer a;

			quality_random(&c, i, &r);
			make_states(s, N, &r);
			a = analyze(N);
			quality_count(&c, severity(&a, "TIMING.SLOWDOWN") != 0);
			quality_count(&named, severity(&a, "TIMING.TWO_LEVELS") != 0);
		}
		if (s->rate < 5)
			quality_report_only(q, &c, "out of reach: three changes may leave one long upper state, at the end or alone");
		else
			quality_report(q, &c);
		if (s->named > 0)
			quality_report(q, &named);
		else
			quality_report_only(q, &named, "out of reach, see the best possible test");
	}
}

/* 2 % of the steps wait for a CPU for 3 to 15 times as long as they take, which is recorded to a tenth; and one in ten of these waits
 * with another step, 1 to 5 steps away. `stalls` of 12 times come besides, at 1 % of the steps. */
static void wait_for_a_cpu(size_t n, bool stalls, struct ts_random *r)
{
	static int64_t at[2000];
	static double waited[2000];

	waits = (struct ts_series){.keys = at, .values = waited};
	for (size_t i = 0; i < n; i++) {
		double u = ts_random_unit(r), wait = 3 + 12 * ts_random_unit(r), said = wait * (0.9 + 0.1 * ts_random_unit(r));
		int64_t step = (int64_t)i + (ts_random_unit(r) < 0.1 ? 1 + (int64_t)ts_random_below(r, 5) : 0);

		if (u < 0.02) {
			values[i] += wait;
			step = waits.n && at[waits.n - 1] >= step ? at[waits.n - 1] + 1 : step;
			at[waits.n] = step;
			waited[waits.n++] = said;
		} else if (stalls && u < 0.03) {
			values[i] *= 12;
		}
	}
}

static void waits_for_a_cpu(struct quality *q)
{
	static const struct {
		const char *name;
		bool stalls, recorded, at_most;
		double goal;
		const char *code;
	} cases[] = {
		{"slow: false stall, waits for a CPU that are recorded, 2000 steps", false, true, true, 0.03, "TIMING.STALLS"},
		{"slow: waits for a CPU that are recorded, 2000 steps", false, true, false, 0.99, "TIMING.CPU_WAIT"},
		{"slow: stalls beside waits for a CPU, 2000 steps", true, true, false, 0.95, "TIMING.STALLS"},
		{"slow: stalls by waits that nobody recorded, 2000 steps", false, false, false, 0.99, "TIMING.STALLS"},
	};

	for (size_t k = 0; k < sizeof cases / sizeof cases[0]; k++) {
		struct quality_case c = cases[k].at_most ? quality_at_most(cases[k].name, cases[k].goal)
							 : quality_at_least(cases[k].name, cases[k].goal);

		for (uint64_t i = 0; quality_wants(q, &c) && i < quality_trials(q, 500); i++) {
			struct ts_random r;
			struct answer a;

			quality_random(&c, i, &r);
			make(LOGNORMAL, 2000, &r);
			wait_for_a_cpu(2000, cases[k].stalls, &r);
			waits.n *= cases[k].recorded;
			a = analyze(2000);
			quality_count(&c, severity(&a, cases[k].code) != 0);
		}
		waits.n = 0;
		quality_report(q, &c);
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
		{"slow: +30 % at half, lognormal 0.2, 500 steps", LOGNORMAL, 500, {0.3, 0.5, 0.5, false}, 0.9},
		{"slow: +30 % at half, lognormal 0.2, 2000 steps", LOGNORMAL, 2000, {0.3, 0.5, 0.5, false}, 0.95},
		{"slow: +30 % at half, lognormal 0.2, 20000 steps", LOGNORMAL, 20000, {0.3, 0.5, 0.5, false}, 0.99},
		{"slow: +10 % at half, AR(1) 0.8 of 5 %, 2000 steps", AR_8, 2000, {0.1, 0.5, 0.5, false}, 0.9},
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

/* A longer run finds more: at each length at least what was found at half of it, up to 98 %, less what chance does to 500 runs. */
static void longer_runs(struct quality *q)
{
	static const struct {
		const char *name;
		enum noise noise;
		struct shape shape;
	} cases[] = {
		{"+30 % at half, lognormal 0.2", LOGNORMAL, {0.3, 0.5, 0.5, false}},
		{"+15 % at half, lognormal 0.2", LOGNORMAL, {0.15, 0.5, 0.5, false}},
		{"+30 % at half, lognormal 0.5", WIDE, {0.3, 0.5, 0.5, false}},
		{"+10 % at half, AR(1) 0.8 of 5 %", AR_8, {0.1, 0.5, 0.5, false}},
		{"+20 % at 75 %, AR(1) 0.9 of 10 %", AR_9, {0.2, 0.75, 0.75, false}},
		{"+20 % as a ramp, AR(1) 0.8 of 5 %", AR_8, {0.2, 0, 1, false}},
		{"+10 % at half, AR(1) 0.8 of heavy tails", HEAVY_AR, {0.1, 0.5, 0.5, false}},
		{"+30 % at half, batches of five lengths", BUCKETS, {0.3, 0.5, 0.5, false}},
	};
	enum { SHORTEST = 125, LONGEST = 16000 };

	for (size_t k = 0; k < sizeof cases / sizeof cases[0]; k++) {
		double least = 0;

		for (size_t n = SHORTEST; n <= LONGEST; n *= 2) {
			struct quality_case c;
			char name[96];

			(void)snprintf(name, sizeof name, "slow: longer runs, %s, %zu steps", cases[k].name, n);
			c = quality_at_least(name, fmax(fmin(least, 0.98) - 0.02, 0));
			for (uint64_t i = 0; quality_wants(q, &c) && i < quality_trials(q, n > 5000 ? 200 : 500); i++) {
				struct ts_random r;
				struct answer a;

				quality_random(&c, i, &r);
				make(cases[k].noise, n, &r);
				plant_shape(&cases[k].shape, n);
				a = analyze(n);
				quality_count(&c, severity(&a, "TIMING.SLOWDOWN") != 0);
			}
			quality_report(q, &c);
			least = c.n ? (double)c.hits / (double)c.n : 0;
		}
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
	waits_for_a_cpu(q);
	levels_at_random(q);
	clock_states(q);
	slow_downs(q);
	longer_runs(q);
	periods(q);
	starts_of_epochs(q);
	ts_arena_finish(&arena);
	free(values);
	free(keys);
}
