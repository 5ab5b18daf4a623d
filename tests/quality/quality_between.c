/* quality_between.c - the time between steps: how often some is said to be lost where nothing was, whether what was planted is named
 * with its steps, its seconds and its period, and how often pauses at random are said to come back regularly.
 *
 * A run is 2,000 steps with noise, and a short time between them with noise of its own; of half of the runs a recorder wrote the phase
 * `between`, of the others only timestamps tell.
 */
#include "quality_parts.h"

#include "analysis/rank/between.h"

#include <math.h>
#include <stdlib.h>

enum { STEPS = 2000 };

enum noise { WHITE_5, AR_5, LOGNORMAL_30 };

/* What a run is like. */
struct like {
	enum noise noise;
	double step;	   /* s, of work */
	double idle;	   /* s, between steps, as is usual, */
	double idle_noise; /* lognormal */
	double grain;	   /* s: timestamps are cut to multiples of it; 0: they are exact */
	double slew;	   /* by which share of a second the wall clock is wrong */
};

/* What is planted: a pause of so many steps' time. */
struct pause {
	double steps;
	size_t every;	  /* 0: once, at a place at random; else so many steps apart from a place at random */
	size_t at_random; /* so many, at places at random */
};

static int64_t keys[STEPS];
static double times[STEPS], recorded[STEPS], stamps[STEPS], planted[STEPS];
static struct ts_arena arena;

static void plant(const struct pause *p, double step, struct ts_random *r)
{
	for (size_t i = 0; i < STEPS; i++)
		planted[i] = 0;
	if (!p)
		return;
	if (p->every)
		for (size_t i = 1 + ts_random_below(r, p->every); i < STEPS; i += p->every)
			planted[i] = p->steps * step;
	else
		for (size_t k = 0; k < (p->at_random ? p->at_random : 1); k++)
			planted[1 + ts_random_below(r, STEPS - 1)] = p->steps * step;
}

static double work(const struct like *l, struct ts_random *r, double *state)
{
	if (l->noise == LOGNORMAL_30)
		return l->step * quality_lognormal(r, 0.3);
	return l->step * fmax(0.1, 1 + (l->noise == AR_5 ? quality_ar1(r, 0.9, 0.05, state) : 0.05 * ts_random_normal(r)));
}

static struct ts_between found(const struct like *l, const struct pause *p, struct ts_random *r)
{
	bool has_phase = ts_random_below(r, 2);
	double clock = 1.79e9 + ts_random_unit(r), state = (double)NAN;
	struct ts_series series = {.name = ts_span_str("timestamp"), .keys = keys, .values = stamps, .n = STEPS};
	struct ts_between b;
	struct ts_error err;

	plant(p, l->step, r);
	for (size_t i = 0; i < STEPS; i++) {
		double idle = l->idle * quality_lognormal(r, l->idle_noise) + planted[i];

		keys[i] = (int64_t)i;
		times[i] = work(l, r, &state);
		clock += (times[i] + idle) * (1 + l->slew);
		stamps[i] = l->grain > 0 ? floor(clock / l->grain) * l->grain : clock;
		recorded[i] = idle;
		if (has_phase)
			times[i] += idle;
	}
	ts_arena_reset(&arena);
	if (ts_between_find(keys, times, has_phase ? recorded : NULL, STEPS, &series, &arena, &b, &err))
		abort();
	return b;
}

static void false_steps(struct quality *q)
{
	static const struct {
		const char *name;
		struct like like;
	} cases[] = {
		{"between: a step is named, white 5 %", {WHITE_5, 0.2, 0.004, 0.3, 0, 0}},
		{"between: a step is named, AR(1) 0.9 of 5 %", {AR_5, 0.2, 0.004, 0.3, 0, 0}},
		{"between: a step is named, lognormal 0.3", {LOGNORMAL_30, 0.2, 0.004, 0.3, 0, 0}},
		{"between: a step is named, a third of a step between, lognormal 0.3", {WHITE_5, 0.2, 0.06, 0.3, 0, 0}},
		{"between: a step is named, little between, lognormal 0.6", {WHITE_5, 0.2, 0.004, 0.6, 0, 0}},
		{"between: a step is named, steps of 2 ms, timestamps of ms", {WHITE_5, 0.002, 0.00005, 0.3, 0.001, 0}},
		{"between: a step is named, steps of 15 ms, timestamps of 10 ms", {LOGNORMAL_30, 0.015, 0.0005, 0.3, 0.01, 0}},
		{"between: a step is named, steps of 0.2 s, whole seconds", {WHITE_5, 0.2, 0.004, 0.3, 1, 0}},
		{"between: a step is named, steps of 5 s, whole seconds", {LOGNORMAL_30, 5, 0.1, 0.3, 1, 0}},
		{"between: a step is named, a clock that is 0.05 % fast", {WHITE_5, 0.2, 0.004, 0.3, 0, 0.0005}},
	};

	for (size_t k = 0; k < sizeof cases / sizeof cases[0]; k++) {
		struct quality_case c = quality_at_most(cases[k].name, 0.01);

		for (uint64_t i = 0; quality_wants(q, &c) && i < quality_trials(q, 1000); i++) {
			struct ts_random random;

			quality_random(&c, i, &random);
			quality_count(&c, found(&cases[k].like, NULL, &random).n > 0);
		}
		quality_report(q, &c);
	}
}

/* Whether the steps that are named are those that were planted, and what was lost is right to 5 %, and a second of coarse clocks. */
static bool named(const struct ts_between *b, double grain)
{
	double lost = 0;
	size_t at = 0;

	for (size_t i = 0; i < STEPS; i++) {
		if (!(planted[i] > 0))
			continue;
		if (at == b->n || b->steps[at] != (int64_t)i)
			return false;
		at++;
		lost += planted[i];
	}
	return at == b->n && fabs(b->lost - lost) <= 0.05 * lost + grain * (double)at;
}

static void power(struct quality *q)
{
	static const struct {
		const char *name;
		struct like like;
		struct pause pause;
	} cases[] = {
		{"between: 1 step's time every 50 named, white 5 %", {WHITE_5, 0.2, 0.004, 0.3, 0, 0}, {1, 50, 0}},
		{"between: 2 steps' time every 100 named, AR(1) 0.9", {AR_5, 0.2, 0.004, 0.3, 0, 0}, {2, 100, 0}},
		{"between: 2 steps' time every 100 named, lognormal 0.3", {LOGNORMAL_30, 0.2, 0.004, 0.3, 0, 0}, {2, 100, 0}},
		{"between: 20 steps' time every 500 named, lognormal 0.3", {LOGNORMAL_30, 0.2, 0.004, 0.3, 0, 0}, {20, 500, 0}},
		{"between: 300 steps' time every 300 named, whole seconds", {WHITE_5, 0.2, 0.004, 0.3, 1, 0}, {300, 300, 0}},
		{"between: 5 steps' time once named, white 5 %", {WHITE_5, 0.2, 0.004, 0.3, 0, 0}, {5, 0, 0}},
		{"between: 5 steps' time once named, lognormal 0.3", {LOGNORMAL_30, 0.2, 0.004, 0.3, 0, 0}, {5, 0, 0}},
		{"between: 10 steps' time at 12 places at random named", {WHITE_5, 0.2, 0.004, 0.3, 0, 0}, {10, 0, 12}},
	};

	for (size_t k = 0; k < sizeof cases / sizeof cases[0]; k++) {
		struct quality_case c = quality_at_least(cases[k].name, 0.95);

		for (uint64_t i = 0; quality_wants(q, &c) && i < quality_trials(q, 1000); i++) {
			struct ts_random random;
			struct ts_between b;

			quality_random(&c, i, &random);
			b = found(&cases[k].like, &cases[k].pause, &random);
			quality_count(&c, named(&b, cases[k].like.grain) && (!cases[k].pause.every || b.every == cases[k].pause.every));
		}
		quality_report(q, &c);
	}
}

/* Pauses that come at random come back every so many steps for nobody. */
static void false_periods(struct quality *q)
{
	static const struct {
		const char *name;
		size_t n;
	} cases[] = {
		{"between: 1 pause at random said to come back", 1},
		{"between: 5 pauses at random said to come back", 5},
		{"between: 20 pauses at random said to come back", 20},
		{"between: 100 pauses at random said to come back", 100},
	};
	static const struct like like = {WHITE_5, 0.2, 0.004, 0.3, 0, 0};

	for (size_t k = 0; k < sizeof cases / sizeof cases[0]; k++) {
		struct quality_case c = quality_at_most(cases[k].name, 0.01);
		struct pause pause = {5, 0, cases[k].n};

		for (uint64_t i = 0; quality_wants(q, &c) && i < quality_trials(q, 2000); i++) {
			struct ts_random random;

			quality_random(&c, i, &random);
			quality_count(&c, found(&like, &pause, &random).every > 0);
		}
		quality_report(q, &c);
	}
}

void quality_between(struct quality *q)
{
	ts_arena_init(&arena, 1 << 22);
	false_steps(q);
	power(q);
	false_periods(q);
	ts_arena_finish(&arena);
}
