/* quality_levels.c - how often two clock states could be named at best.
 *
 * The best test of one hypothesis against another is the ratio of their likelihoods (Neyman and Pearson 1933). Here the
 * one is two states in AR(1) noise that change three times at least, as quality_slow.c plants them; the other a level that
 * wanders as an AR(1) process of the same variance and the same memory, in the same noise. All parameters are known, which
 * no detector knows. So no detector that calls one in a hundred of the second two levels names more of the first than
 * this.
 */
#include "quality_parts.h"

#include "analysis/stats/stats.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { STEPS = 2000, CHANGES = 3, NOISES = 1000 };

static const double RHO = 0.8;
static const double TWO_PI = 6.283185307179586;

struct states {
	double gap, rate, sd;
};

static double values[STEPS];

static void make_states(const struct states *s, struct ts_random *r)
{
	for (size_t changes = 0; changes < CHANGES;) {
		double ar = (double)NAN, level = ts_random_unit(r) < 0.5 ? 0 : s->gap;

		changes = 0;
		for (size_t t = 0; t < STEPS; t++) {
			if (ts_random_unit(r) < s->rate / STEPS) {
				level = s->gap - level;
				changes++;
			}
			values[t] = level + quality_ar1(r, RHO, s->sd, &ar);
		}
	}
}

static double memory_of(const struct states *s)
{
	return 1 - 2 * s->rate / STEPS;
}

static void make_wandering(const struct states *s, struct ts_random *r)
{
	double ar = (double)NAN, level = (double)NAN;

	for (size_t t = 0; t < STEPS; t++)
		values[t] = s->gap / 2 + quality_ar1(r, memory_of(s), s->gap / 2, &level) + quality_ar1(r, RHO, s->sd, &ar);
}

/* The chance that one series of so many changes at random has CHANGES of them or more. */
static double chance_of_changes(double p)
{
	double none = pow(1 - p, STEPS), one = none * STEPS * p / (1 - p), two = one * (STEPS - 1) / 2 * p / (1 - p);

	return 1 - none - one - two;
}

/* The logarithm of the likelihood of two states, over all paths of CHANGES changes or more. */
static double of_states(const struct states *s)
{
	double p = s->rate / STEPS, variance = s->sd * s->sd * (1 - RHO * RHO), sum = 0;
	double now[2][CHANGES + 1] = {{0}};

	for (int side = 0; side < 2; side++) {
		double off = values[0] - side * s->gap, density = exp(-off * off / (2 * s->sd * s->sd)) / sqrt(TWO_PI) / s->sd;

		now[side][0] = density / 2 * (1 - p);
		now[side][1] = density / 2 * p;
	}
	for (size_t t = 1; t < STEPS; t++) {
		double next[2][CHANGES + 1] = {{0}}, all = 0;

		for (int k = 0; k < 4; k++) {
			int from = k / 2, to = k % 2;
			double off = values[t] - to * s->gap - RHO * (values[t - 1] - from * s->gap);
			double density = exp(-off * off / (2 * variance)) / sqrt(TWO_PI * variance) * (from == to ? 1 - p : p);

			for (int c = 0; c <= CHANGES; c++)
				next[to][from == to || c == CHANGES ? c : c + 1] += now[from][c] * density;
		}
		for (int k = 0; k < 2 * (CHANGES + 1); k++)
			all += next[k % 2][k / 2];
		for (int k = 0; k < 2 * (CHANGES + 1); k++)
			now[k % 2][k / 2] = next[k % 2][k / 2] / all;
		sum += log(all);
	}
	return sum + log(now[0][CHANGES] + now[1][CHANGES]) - log(chance_of_changes(p));
}

/* The logarithm of the likelihood of a level that wanders, by a Kalman filter: [0] is the noise, [1] the level. */
static double of_wandering(const struct states *s)
{
	double keep[2] = {RHO, memory_of(s)}, whole[2] = {s->sd * s->sd, s->gap * s->gap / 4}, at[2] = {0, 0}, sum = 0;
	double p[2][2] = {{whole[0], 0}, {0, whole[1]}};

	for (size_t t = 0; t < STEPS; t++) {
		double f = p[0][0] + 2 * p[0][1] + p[1][1], off = values[t] - s->gap / 2 - at[0] - at[1], gain[2];

		sum -= (log(TWO_PI * f) + off * off / f) / 2;
		for (int i = 0; i < 2; i++)
			gain[i] = (p[i][0] + p[i][1]) / f;
		for (int i = 0; i < 2; i++) {
			at[i] = keep[i] * (at[i] + gain[i] * off);
			for (int j = 0; j < 2; j++)
				p[i][j] = keep[i] * keep[j] * (p[i][j] - gain[i] * gain[j] * f) +
					  (i == j ? whole[i] * (1 - keep[i] * keep[i]) : 0);
		}
	}
	return sum;
}

/* Returns what one in a hundred of wandering series exceed. */
static double limit_of(const struct states *s, const struct quality_case *c, size_t noises)
{
	static const double q = 99;
	static double ratios[NOISES];
	double limit;

	for (size_t i = 0; i < noises; i++) {
		struct ts_random r;

		quality_random(c, UINT64_C(1) << 32 | i, &r);
		make_wandering(s, &r);
		ratios[i] = of_states(s) - of_wandering(s);
	}
	ts_percentiles(ratios, noises, &q, 1, &limit);
	return limit;
}

void quality_levels(struct quality *q)
{
	static const struct states cases[] = {
		{0.05, 4, 0.05}, {0.05, 12, 0.05}, {0.05, 40, 0.05}, {0.1, 4, 0.05}, {0.1, 12, 0.05}, {0.1, 40, 0.05},
	};

	for (size_t k = 0; k < sizeof cases / sizeof cases[0]; k++) {
		const struct states *s = &cases[k];
		struct quality_case c;
		char name[96];
		double limit;

		(void)snprintf(name, sizeof name, "levels: best possible, states %.0f %% apart, %.0f changes, AR(1) 0.8 of %.0f %%",
			       100 * s->gap, s->rate, 100 * s->sd);
		c = quality_at_least(name, 0.9);
		if (!quality_wants(q, &c))
			continue;
		limit = limit_of(s, &c, quality_trials(q, NOISES));
		for (uint64_t i = 0; i < quality_trials(q, 500); i++) {
			struct ts_random r;

			quality_random(&c, i, &r);
			make_states(s, &r);
			quality_count(&c, of_states(s) - of_wandering(s) > limit);
		}
		quality_report_only(q, &c, "a bound for any test that calls one in a hundred levels that wander two levels");
	}
}
