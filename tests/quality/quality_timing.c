/* quality_timing.c - the warm-up that is found in step times. */
#include "quality_parts.h"

#include "analysis/rank/warmup.h"

#include <math.h>
#include <stdlib.h>

enum { STEPS_MAX = 100000 };

enum noise { WHITE_1, WHITE_5, AR_5, LOGNORMAL_30 };

static double *steps;
static struct ts_arena arena;

static void fill(struct ts_random *r, enum noise noise, size_t n)
{
	double state = (double)NAN;

	for (size_t i = 0; i < n; i++)
		switch (noise) {
		case WHITE_1:
			steps[i] = 1 + 0.01 * ts_random_normal(r);
			break;
		case WHITE_5:
			steps[i] = 1 + 0.05 * ts_random_normal(r);
			break;
		case AR_5:
			steps[i] = 1 + quality_ar1(r, 0.9, 0.05, &state);
			break;
		case LOGNORMAL_30:
			steps[i] = quality_lognormal(r, 0.3);
			break;
		}
}

static void slow(size_t from, size_t to, double factor)
{
	for (size_t i = from; i < to; i++)
		steps[i] *= factor;
}

/* The factor is 1 + 3 exp(-i / tau): it falls from 4. */
static void decay(double tau, size_t n)
{
	for (size_t i = 0; i < n; i++)
		steps[i] *= 1 + 3 * exp(-(double)i / tau);
}

static size_t found(size_t n)
{
	struct ts_error err;
	const char *reason;
	size_t cut = 0;

	ts_arena_reset(&arena);
	if (ts_warmup_find(steps, n, &arena, &cut, &reason, &err))
		abort();
	return cut;
}

static bool within(size_t cut, size_t truth, size_t off)
{
	return cut + off >= truth && cut <= truth + off;
}

static void false_cuts(struct quality *q)
{
	static const struct {
		const char *name;
		enum noise noise;
		size_t n;
		uint64_t trials;
	} cases[] = {
		{"warm-up: false cut, white 5 %, 11 steps", WHITE_5, 11, 3000},
		{"warm-up: false cut, AR(1) 0.9 of 5 %, 11 steps", AR_5, 11, 3000},
		{"warm-up: false cut, lognormal 0.3, 11 steps", LOGNORMAL_30, 11, 3000},
		{"warm-up: false cut, white 1 %, 20 steps", WHITE_1, 20, 3000},
		{"warm-up: false cut, white 1 %, 50 steps", WHITE_1, 50, 3000},
		{"warm-up: false cut, white 1 %, 500 steps", WHITE_1, 500, 2000},
		{"warm-up: false cut, white 1 %, 10k steps", WHITE_1, 10000, 1000},
		{"warm-up: false cut, white 5 %, 20 steps", WHITE_5, 20, 3000},
		{"warm-up: false cut, white 5 %, 50 steps", WHITE_5, 50, 3000},
		{"warm-up: false cut, white 5 %, 500 steps", WHITE_5, 500, 2000},
		{"warm-up: false cut, white 5 %, 10k steps", WHITE_5, 10000, 1000},
		{"warm-up: false cut, white 5 %, 100k steps", WHITE_5, 100000, 300},
		{"warm-up: false cut, AR(1) 0.9 of 5 %, 20 steps", AR_5, 20, 3000},
		{"warm-up: false cut, AR(1) 0.9 of 5 %, 50 steps", AR_5, 50, 3000},
		{"warm-up: false cut, AR(1) 0.9 of 5 %, 100 steps", AR_5, 100, 3000},
		{"warm-up: false cut, AR(1) 0.9 of 5 %, 500 steps", AR_5, 500, 2000},
		{"warm-up: false cut, AR(1) 0.9 of 5 %, 10k steps", AR_5, 10000, 1000},
		{"warm-up: false cut, AR(1) 0.9 of 5 %, 100k steps", AR_5, 100000, 300},
		{"warm-up: false cut, lognormal 0.3, 20 steps", LOGNORMAL_30, 20, 3000},
		{"warm-up: false cut, lognormal 0.3, 50 steps", LOGNORMAL_30, 50, 3000},
		{"warm-up: false cut, lognormal 0.3, 500 steps", LOGNORMAL_30, 500, 2000},
		{"warm-up: false cut, lognormal 0.3, 10k steps", LOGNORMAL_30, 10000, 1000},
	};

	for (size_t k = 0; k < sizeof cases / sizeof cases[0]; k++) {
		struct quality_case c = quality_at_most(cases[k].name, 0.01);

		for (uint64_t i = 0; quality_wants(q, &c) && i < quality_trials(q, cases[k].trials); i++) {
			struct ts_random random;

			quality_random(&c, i, &random);
			fill(&random, cases[k].noise, cases[k].n);
			quality_count(&c, found(cases[k].n) > 0);
		}
		quality_report(q, &c);
	}
}

/* Makes a slow stretch that is not a warm-up. No step may be cut. */
static void other_slowness(struct quality *q)
{
	static const struct {
		const char *name;
		size_t from, to; /* the range in 1000 steps */
		double factor;
	} cases[] = {
		{"warm-up: cut of a run that slows down at 60 %", 600, 1000, 1.5},
		{"warm-up: cut of a run that slows down at 2 %", 20, 1000, 1.5},
		{"warm-up: cut of a run that is slow up to 40 %", 0, 400, 1.5},
		{"warm-up: cut of a run that is slow from 10 to 15 %", 100, 150, 3},
	};

	for (size_t k = 0; k < sizeof cases / sizeof cases[0]; k++) {
		struct quality_case c = quality_at_most(cases[k].name, 0.01);

		for (uint64_t i = 0; quality_wants(q, &c) && i < quality_trials(q, 1000); i++) {
			struct ts_random random;

			quality_random(&c, i, &random);
			fill(&random, WHITE_5, 1000);
			slow(cases[k].from, cases[k].to, cases[k].factor);
			quality_count(&c, found(1000) > 0);
		}
		quality_report(q, &c);
	}
}

/* A cut counts as found if it is within `off` steps of the truth. There is only one number, because a cut at a wrong
 * place is no success. */
static void power(struct quality *q)
{
	static const struct {
		const char *name;
		enum noise noise;
		size_t n, truth, off;
		double factor; /* 0: a decay of tau 10, which is over when it equals one deviation of the noise: 10 ln(3 / 0.05) */
	} cases[] = {
		{"warm-up: 1 step of 20x cut exactly, white 5 %, 11 steps", WHITE_5, 11, 1, 0, 20},
		{"warm-up: 1 step of 20x cut exactly, lognormal 0.3, 11 steps", LOGNORMAL_30, 11, 1, 0, 20},
		{"warm-up: 3 steps of 5x cut within 2, white 5 %, 50 steps", WHITE_5, 50, 3, 2, 5},
		{"warm-up: 3 steps of 5x cut within 2, white 5 %, 500 steps", WHITE_5, 500, 3, 2, 5},
		{"warm-up: 3 steps of 5x cut within 2, white 5 %, 10k steps", WHITE_5, 10000, 3, 2, 5},
		{"warm-up: 3 steps of 5x cut within 2, lognormal 0.3, 1000 steps", LOGNORMAL_30, 1000, 3, 2, 5},
		{"warm-up: 1 step of 100x cut within 2, lognormal 0.3, 50 steps", LOGNORMAL_30, 50, 1, 2, 100},
		{"warm-up: 20 steps of 2x cut within 2, white 5 %, 60 steps", WHITE_5, 60, 20, 2, 2},
		{"warm-up: 20 steps of 2x cut within 2, white 5 %, 500 steps", WHITE_5, 500, 20, 2, 2},
		{"warm-up: 20 steps of 2x cut within 10, AR(1) 0.9, 500 steps", AR_5, 500, 20, 10, 2},
		{"warm-up: 50 steps of 1.3x cut within 2, white 5 %, 150 steps", WHITE_5, 150, 50, 2, 1.3},
		{"warm-up: 50 steps of 1.3x cut within 2, white 5 %, 500 steps", WHITE_5, 500, 50, 2, 1.3},
		{"warm-up: 50 steps of 1.3x cut within 2, white 5 %, 10k steps", WHITE_5, 10000, 50, 2, 1.3},
		{"warm-up: decay from 4x, tau 10, cut within 10, 200 steps", WHITE_5, 200, 41, 10, 0},
		{"warm-up: decay from 4x, tau 10, cut within 10, 10k steps", WHITE_5, 10000, 41, 10, 0},
	};

	for (size_t k = 0; k < sizeof cases / sizeof cases[0]; k++) {
		struct quality_case c = quality_at_least(cases[k].name, 0.95);

		for (uint64_t i = 0; quality_wants(q, &c) && i < quality_trials(q, 1000); i++) {
			struct ts_random random;

			quality_random(&c, i, &random);
			fill(&random, cases[k].noise, cases[k].n);
			if (cases[k].factor > 0)
				slow(0, cases[k].truth, cases[k].factor);
			else
				decay(10, cases[k].n);
			quality_count(&c, within(found(cases[k].n), cases[k].truth, cases[k].off));
		}
		quality_report(q, &c);
	}
}

void quality_timing(struct quality *q)
{
	steps = malloc(STEPS_MAX * sizeof *steps);
	if (!steps)
		abort();
	ts_arena_init(&arena, 1 << 20);
	false_cuts(q);
	other_slowness(q);
	power(q);
	ts_arena_finish(&arena);
	free(steps);
}
