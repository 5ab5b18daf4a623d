/* quality_settings.c - which settings an outcome goes with, over many runs: how often is one named that it does not go with, and how
 * often is one found that it does go with?
 *
 * A sweep draws settings of each run by chance: rates on a logarithmic scale, a batch of three sizes, a decay, a switch, an optimizer
 * of three words, and a width. The outcome is noise that has a long tail, since some runs of a sweep fail, and what acts on it.
 *
 *	nothing		no setting acts: any that is named is wrong, over all settings of the sweep together
 *	rate, word	one setting acts, with the variance of the noise of runs that did not fail, or four times that
 *	follows		the width follows the rate loosely (a rank correlation of 0.62) and does not act: it must not be named
 *	near		the same at 0.80, where settings begin to count as moving together
 *	twin		the width follows the rate closely (0.99): neither may be named alone
 *	groups		sweeps of one law, and of one that is off by a deviation and a half
 *
 * Goals. A setting that does not act is named in at most 5 % of sweeps, which is the level of the test; where one follows another, in
 * at most 10 %, since one partial correlation at 5 % decides it besides. Power is stated for 16, 32 and 64 runs.
 */
#include "quality_parts.h"

#include "analysis/settings/comparison.h"
#include "base/limits.h"

#include <math.h>
#include <stdio.h>

enum { MOST = 64, SETTINGS = 6, GROUPS = 4 };
enum setting { RATE, BATCH, DECAY, SWITCH, OPTIMIZER, WIDTH };
enum law { NOTHING, BY_RATE, BY_WORD, FOLLOWS, NEAR, TWIN };

static const char *const names[SETTINGS] = {"rate", "batch", "decay", "switch", "optimizer", "width"};

struct sweep {
	size_t n;
	enum law law;
	double strength; /* the variance of what acts, over that of the noise of runs that did not fail */
	double values[SETTINGS][MOST], outcome[MOST];
};

/* Noise of deviation 1, of which one in fifty is ten times as large: a run that failed. */
static double noise(struct ts_random *r)
{
	return ts_random_normal(r) * (ts_random_unit(r) < 0.02 ? 10 : 1);
}

static void draw(struct sweep *s, struct ts_random *r)
{
	static const double apart[] = {[FOLLOWS] = 1.2, [NEAR] = 0.7, [TWIN] = 0.1};
	double effect = sqrt(s->strength);

	for (size_t i = 0; i < s->n; i++) {
		double rate = ts_random_normal(r);
		double word = floor(3 * ts_random_unit(r));

		s->values[RATE][i] = exp(rate);
		s->values[BATCH][i] = 16 << (int)(3 * ts_random_unit(r));
		s->values[DECAY][i] = ts_random_unit(r);
		s->values[SWITCH][i] = ts_random_unit(r) < 0.5;
		s->values[OPTIMIZER][i] = word;
		s->values[WIDTH][i] = s->law >= FOLLOWS ? rate + apart[s->law] * ts_random_normal(r) : ts_random_normal(r);
		s->outcome[i] = noise(r);
		if (s->law == BY_WORD)
			s->outcome[i] += effect * (word == 1 ? 1 : -0.5) * sqrt(2); /* of variance 1 */
		else if (s->law != NOTHING)
			s->outcome[i] += effect * rate;
	}
}

/* Returns the settings that are named, a bit each. */
static unsigned named(const struct sweep *s)
{
	static const struct ts_span words[] = {{(const uint8_t *)"a", 1}, {(const uint8_t *)"b", 1}, {(const uint8_t *)"c", 1}};
	struct ts_setting_values settings[SETTINGS];
	struct ts_comparison c = {.down = true};
	struct ts_arena arena;
	struct ts_error err;
	unsigned found = 0;

	ts_arena_init(&arena, TS_ANALYSIS_ARENA);
	for (int k = 0; k < SETTINGS; k++)
		settings[k] = (struct ts_setting_values){.path = ts_span_str(names[k]),
							 .values = s->values[k],
							 .words = k == SWITCH || k == OPTIMIZER ? words : NULL,
							 .n_words = k == SWITCH ? 2 : k == OPTIMIZER ? 3 : 0};
	if (!ts_settings_compare(s->outcome, s->n, settings, SETTINGS, &arena, &c, &err))
		for (size_t i = 0; i < c.n_settings; i++)
			for (int k = 0; k < SETTINGS; k++)
				if (c.settings[i].state == TS_SETTING_GOES_WITH && ts_span_is(c.settings[i].path, names[k]))
					found |= 1U << k;
	ts_arena_finish(&arena);
	return found;
}

static void of_law(struct quality *q, struct quality_case c, struct sweep *s, unsigned of, uint64_t trials)
{
	for (uint64_t i = 0; quality_wants(q, &c) && i < quality_trials(q, trials); i++) {
		struct ts_random r;

		quality_random(&c, i, &r);
		draw(s, &r);
		quality_count(&c, (named(s) & of) != 0);
	}
	if (c.at_least && !(c.goal > 0))
		quality_report_only(q, &c, "of so few runs no power is promised");
	else
		quality_report(q, &c);
}

/* GROUPS groups of n runs, one of them off by `off`: whether one that is not off is called worse, or the one that is. */
static void of_groups(struct quality *q, struct quality_case c, size_t n, double off)
{
	static const char *const group_names[GROUPS] = {"a", "b", "c", "off"};
	double values[GROUPS][MOST];

	for (uint64_t i = 0; quality_wants(q, &c) && i < quality_trials(q, 12000); i++) {
		struct ts_group_values groups[GROUPS];
		struct ts_comparison answer = {.down = true};
		struct ts_arena arena;
		struct ts_error err;
		struct ts_random r;
		bool is_off = false, other = false;

		quality_random(&c, i, &r);
		for (int g = 0; g < GROUPS; g++) {
			for (size_t k = 0; k < n; k++)
				values[g][k] = ts_random_normal(&r) + (g == GROUPS - 1 ? off : 0);
			groups[g] = (struct ts_group_values){ts_span_str(group_names[g]), values[g], n};
		}
		ts_arena_init(&arena, TS_ANALYSIS_ARENA);
		if (!ts_groups_compare(groups, GROUPS, &arena, &answer, &err))
			for (size_t k = 0; k < answer.n_groups; k++) {
				bool worse = answer.groups[k].state == TS_GROUP_WORSE;

				is_off |= worse && ts_span_is(answer.groups[k].name, "off");
				other |= worse && !ts_span_is(answer.groups[k].name, "off");
			}
		ts_arena_finish(&arena);
		quality_count(&c, off != 0 ? is_off : other || is_off);
	}
	quality_report(q, &c);
}

void quality_settings(struct quality *q)
{
	static const size_t counts[] = {8, 16, 32, 64};
	static const double rate_1[] = {0.1, 0.4, 0.9, 0.99}, rate_4[] = {0.3, 0.8, 0.99, 0.99}, word_1[] = {0, 0.2, 0.7, 0.95};

	for (size_t k = 0; k < 4; k++) {
		struct sweep s = {.n = counts[k], .law = NOTHING};
		char name[96];

		(void)snprintf(name, sizeof name, "settings: %zu runs, nothing acts: one is named", s.n);
		of_law(q, quality_at_most(name, 0.05), &s, ~0U, 4000);
		s.law = BY_RATE;
		s.strength = 1;
		(void)snprintf(name, sizeof name, "settings: %zu runs, the rate acts as much as noise: another is named", s.n);
		of_law(q, quality_at_most(name, 0.05), &s, ~(1U << RATE), 4000);
		(void)snprintf(name, sizeof name, "settings: %zu runs, the rate acts as much as noise: it is named", s.n);
		of_law(q, quality_at_least(name, rate_1[k]), &s, 1U << RATE, 2000);
		s.strength = 4;
		(void)snprintf(name, sizeof name, "settings: %zu runs, the rate acts twice as much: it is named", s.n);
		of_law(q, quality_at_least(name, rate_4[k]), &s, 1U << RATE, 2000);
		s.law = BY_WORD;
		s.strength = 1;
		(void)snprintf(name, sizeof name, "settings: %zu runs, a word acts as much as noise: another setting is named", s.n);
		of_law(q, quality_at_most(name, 0.05), &s, ~(1U << OPTIMIZER), 4000);
		(void)snprintf(name, sizeof name, "settings: %zu runs, a word acts as much as noise: it is named", s.n);
		of_law(q, quality_at_least(name, word_1[k]), &s, 1U << OPTIMIZER, 2000);
		s.law = FOLLOWS;
		s.strength = 4;
		(void)snprintf(name, sizeof name, "settings: %zu runs, the width follows the rate: it is named", s.n);
		of_law(q, quality_at_most(name, 0.10), &s, 1U << WIDTH, 4000);
		s.law = NEAR;
		(void)snprintf(name, sizeof name, "settings: %zu runs, the width follows the rate closely: it is named", s.n);
		of_law(q, quality_at_most(name, 0.10), &s, 1U << WIDTH, 4000);
		s.law = TWIN;
		(void)snprintf(name, sizeof name, "settings: %zu runs, the width is the rate but for 10 %%: one of both is named", s.n);
		of_law(q, quality_at_most(name, 0.05), &s, 1U << RATE | 1U << WIDTH, 2000);
		(void)snprintf(name, sizeof name, "settings: 4 groups of %zu runs of one law: one is called worse", s.n);
		of_groups(q, quality_at_most(name, 0.05), s.n, 0);
		(void)snprintf(name, sizeof name, "settings: 4 groups of %zu runs, one off by 1.5 deviations: it is called worse", s.n);
		of_groups(q, quality_at_least(name, k == 0 ? 0.5 : 0.9), s.n, 1.5);
	}
}
