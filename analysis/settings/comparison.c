#include "analysis/settings/comparison.h"

#include "analysis/stats/permutation.h"
#include "analysis/stats/rank_correlation.h"
#include "analysis/stats/stats.h"
#include "analysis/stats/student.h"
#include "base/limits.h"
#include "base/order.h"
#include "base/words.h"

#include <math.h>

/* Of the chances of all settings together, and of an interval or a single test. The former is lower than the 5 % that are promised,
 * since Student's t is but near the distribution of a rank correlation of few runs (tests/quality has the rates). */
static const double TOGETHER = 0.03, ALPHA = 0.05;

TS_WORDS(ts_setting_state_word, enum ts_setting_state, "", [TS_SETTING_GOES_WITH] = "goes_with", [TS_SETTING_NOT_SHOWN] = "not_shown",
	 [TS_SETTING_FEW] = "few_runs", [TS_SETTING_MOVES] = "moves_with_another")
TS_WORDS(ts_group_state_word, enum ts_group_state, "", [TS_GROUP_BEST] = "best", [TS_GROUP_WORSE] = "worse",
	 [TS_GROUP_NO_WORSE] = "not_shown", [TS_GROUP_FEW] = "few_runs")

/* -- settings -- */

struct comparing {
	const double *outcome;
	size_t n;
	const struct ts_setting_values *settings;
	size_t n_settings;
	struct ts_arena scratch; /* of one correlation */
	double *x, *y, *x_ranks, *y_ranks;
	struct ts_error *err;
};

/* The value by which a setting is ranked: its number, or whether it is the word. */
static double coded(const struct ts_setting_values *s, size_t run, size_t word)
{
	if (!s->words || isnan(s->values[run]))
		return s->values[run];
	return s->values[run] == (double)word ? 1 : 0;
}

/* Correlates what c->x and c->y hold. Not known also where too few values are apart from the most frequent one. */
static enum ts_status correlate(struct comparing *c, size_t n, double alpha, struct ts_rank_correlation *ret)
{
	size_t most, most_y;

	*ret = (struct ts_rank_correlation){.n = n};
	if (n < TS_RANK_LEAST)
		return TS_OK;
	ts_arena_reset(&c->scratch);
	most = ts_ranks_of(c->x, n, &c->scratch, c->x_ranks);
	most_y = ts_ranks_of(c->y, n, &c->scratch, c->y_ranks);
	if (!most || !most_y)
		return ts_arena_error(&c->scratch, c->err);
	if (n - most >= TS_RANK_APART && n - most_y >= TS_RANK_APART)
		*ret = ts_rank_correlation(c->x_ranks, c->y_ranks, n, alpha);
	return TS_OK;
}

/* A setting, or one word of it, and the outcome. */
static enum ts_status with_outcome(struct comparing *c, const struct ts_setting_values *s, size_t word, double alpha,
				   struct ts_rank_correlation *ret)
{
	size_t n = 0;

	for (size_t i = 0; i < c->n; i++) {
		double value = coded(s, i, word);

		if (isnan(value))
			continue;
		c->x[n] = value;
		c->y[n++] = c->outcome[i];
	}
	return correlate(c, n, alpha, ret);
}

static size_t codes_of(const struct ts_setting_values *s)
{
	return !s->words ? 1 : s->n_words == 2 ? 1 : s->n_words;
}

/* Of two words the second counts: the first against it says the same. */
static size_t word_of(const struct ts_setting_values *s, size_t code)
{
	return s->n_words == 2 ? 1 : code;
}

/* Two settings, over the runs that have both and the outcome: the strongest correlation of their words. */
static enum ts_status together(struct comparing *c, size_t a, size_t b, struct ts_rank_correlation *ret)
{
	const struct ts_setting_values *s = &c->settings[a], *t = &c->settings[b];

	*ret = (struct ts_rank_correlation){.n = 0};
	for (size_t k = 0; k < codes_of(s); k++)
		for (size_t m = 0; m < codes_of(t); m++) {
			struct ts_rank_correlation found;
			size_t n = 0;

			for (size_t i = 0; i < c->n; i++) {
				double x = coded(s, i, word_of(s, k)), y = coded(t, i, word_of(t, m));

				if (isnan(x) || isnan(y))
					continue;
				c->x[n] = x;
				c->y[n++] = y;
			}
			if (correlate(c, n, ALPHA, &found))
				return c->err->status;
			if (found.known && (!ret->known || fabs(found.rho) > fabs(ret->rho)))
				*ret = found;
		}
	return TS_OK;
}

static void count_values(struct comparing *c, const struct ts_setting_values *s, struct ts_compared_setting *out)
{
	for (size_t i = 0; i < c->n; i++)
		if (!isnan(s->values[i]))
			c->x[out->runs++] = s->values[i];
	TS_SORT(c->x, out->runs, ts_by_double);
	for (size_t i = 0; i < out->runs; i++)
		out->values += i == 0 || c->x[i] != c->x[i - 1];
}

static enum ts_status compare_one(struct comparing *c, size_t at, struct ts_compared_setting *out)
{
	const struct ts_setting_values *s = &c->settings[at];
	size_t codes = codes_of(s);

	*out = (struct ts_compared_setting){.path = s->path, .state = TS_SETTING_FEW, .p = 1};
	count_values(c, s, out);
	for (size_t k = 0; k < codes; k++) {
		struct ts_rank_correlation found;

		if (with_outcome(c, s, word_of(s, k), ALPHA / (double)codes, &found))
			return c->err->status;
		if (!found.known || (out->known && found.p * (double)codes >= out->p))
			continue;
		out->known = true;
		out->state = TS_SETTING_NOT_SHOWN;
		out->rho = found.rho;
		out->low = found.low;
		out->high = found.high;
		out->p = fmin(1, found.p * (double)codes);
		out->word = s->words ? s->words[word_of(s, k)] : ts_span_of(NULL, 0);
	}
	return TS_OK;
}

/* Whether what a has in common with b, which goes with the outcome more, explains it. */
static bool is_explained(const struct ts_compared_setting *a, const struct ts_compared_setting *b, const struct ts_rank_correlation *ab)
{
	/* Of words the strongest pair is taken, which may be other words than those that count: in the direction that explains most. */
	bool words = a->word.len || b->word.len;

	if (fabs(b->rho) <= fabs(a->rho))
		return false;
	if (words)
		return ts_rank_partial_p(fabs(a->rho), fabs(ab->rho), fabs(b->rho), ab->n) > ALPHA;
	return ts_rank_partial_p(a->rho, ab->rho, b->rho, ab->n) > ALPHA;
}

/* Whether a would be named for what it has in common with b. */
static bool follows(const struct ts_compared_setting *a, const struct ts_compared_setting *b, const struct ts_rank_correlation *ab)
{
	return a->state == TS_SETTING_GOES_WITH && b->p < TOGETHER && is_explained(a, b, ab);
}

/* The first partner stays. */
static void join(struct ts_compared_setting *a, const struct ts_compared_setting *b, const struct ts_rank_correlation *ab)
{
	if (!a->with.len && ab->known && (fabs(ab->rho) >= TS_SETTINGS_TOGETHER || follows(a, b, ab)))
		a->with = b->path;
}

/* Goes over each pair once. A setting meets those before it first, so that its partner is the first that it could have. */
static enum ts_status tell_apart(struct comparing *c, struct ts_compared_setting *out)
{
	for (size_t i = 0; i < c->n_settings; i++)
		for (size_t k = i + 1; k < c->n_settings && out[i].known; k++) {
			struct ts_rank_correlation ab;

			if (!out[k].known || (out[i].with.len && out[k].with.len))
				continue;
			if (together(c, i, k, &ab))
				return c->err->status;
			join(&out[i], &out[k], &ab);
			join(&out[k], &out[i], &ab);
		}
	for (size_t i = 0; i < c->n_settings; i++)
		if (out[i].with.len)
			out[i].state = TS_SETTING_MOVES;
	return TS_OK;
}

static double strength(const struct ts_compared_setting *s)
{
	return s->state == TS_SETTING_GOES_WITH ? -fabs(s->rho) : 0;
}
TS_ORDER(by_strength, struct ts_compared_setting, TS_UP(state == TS_SETTING_GOES_WITH ? 0 : 1); TS_UP_OF(strength); TS_TEXT(path))

static enum ts_status compare_all(struct comparing *c, struct ts_arena *arena, struct ts_compared_setting *out)
{
	double *p = ts_arena_array(arena, c->n_settings, sizeof *p);
	size_t n = 0;

	if (!p)
		return ts_arena_error(arena, c->err);
	for (size_t i = 0; i < c->n_settings; i++)
		if (compare_one(c, i, &out[i]))
			return c->err->status;
	for (size_t i = 0; i < c->n_settings; i++)
		if (out[i].known)
			p[n++] = out[i].p;
	if (n && ts_holm(p, n, arena, c->err))
		return c->err->status;
	n = 0;
	for (size_t i = 0; i < c->n_settings; i++) {
		if (!out[i].known)
			continue;
		out[i].p = p[n++];
		out[i].state = out[i].p < TOGETHER ? TS_SETTING_GOES_WITH : TS_SETTING_NOT_SHOWN;
	}
	return tell_apart(c, out);
}

enum ts_status ts_settings_compare(const double *outcome, size_t n, const struct ts_setting_values *settings, size_t n_settings,
				   struct ts_arena *arena, struct ts_comparison *ret, struct ts_error *err)
{
	struct comparing c = {.outcome = outcome, .n = n, .settings = settings, .n_settings = n_settings, .err = err};
	struct ts_compared_setting *out = ts_arena_array(arena, n_settings, sizeof *out);
	enum ts_status status;

	c.x = ts_arena_array(arena, n, sizeof *c.x);
	c.y = ts_arena_array(arena, n, sizeof *c.y);
	c.x_ranks = ts_arena_array(arena, n, sizeof *c.x_ranks);
	c.y_ranks = ts_arena_array(arena, n, sizeof *c.y_ranks);
	if (ts_arena_check(arena, err))
		return err->status;
	ts_arena_init(&c.scratch, TS_ANALYSIS_ARENA);
	status = n_settings ? compare_all(&c, arena, out) : TS_OK;
	ts_arena_finish(&c.scratch);
	if (status)
		return status;
	TS_SORT(out, n_settings, by_strength);
	ret->settings = out;
	ret->n_settings = n_settings;
	ret->runs = n;
	return TS_OK;
}

/* -- groups -- */

static double variance(const struct ts_group_values *g, double mean)
{
	double sd = ts_stddev(g->values, g->n, mean);

	return sd * sd * (double)g->n / ((double)g->n - 1);
}

static void add_interval(const struct ts_group_values *g, struct ts_compared_group *out)
{
	double half;

	out->mean = out->low = out->high = ts_mean(g->values, g->n);
	if (g->n < 2)
		return;
	half = ts_student_quantile(1 - ALPHA / 2, (double)g->n - 1) * sqrt(variance(g, out->mean) / (double)g->n);
	out->low -= half;
	out->high += half;
}

/* Welch (1947), with the degrees of freedom of Welch and Satterthwaite. */
static void compare_pair(const struct ts_group_values *best, const struct ts_group_values *g, double pairs,
			 struct ts_compared_group *out)
{
	double of_best = variance(best, ts_mean(best->values, best->n)) / (double)best->n,
	       mine = variance(g, out->mean) / (double)g->n, both = of_best + mine, df, half;

	out->compared = true;
	out->difference = out->least = out->most = out->mean - ts_mean(best->values, best->n);
	out->p = out->difference == 0;
	out->state = out->difference == 0 ? TS_GROUP_NO_WORSE : TS_GROUP_WORSE;
	if (!(both > 0))
		return;
	df = both * both / (of_best * of_best / ((double)best->n - 1) + mine * mine / ((double)g->n - 1));
	out->p = fmin(1, pairs * 2 * ts_student_cdf(-fabs(out->difference) / sqrt(both), df));
	half = ts_student_quantile(1 - ALPHA / pairs / 2, df) * sqrt(both);
	out->least = out->difference - half;
	out->most = out->difference + half;
	out->state = out->p < ALPHA ? TS_GROUP_WORSE : TS_GROUP_NO_WORSE;
}

struct ranked {
	const struct ts_group_values *values;
	struct ts_compared_group group;
	double badness; /* of the mean */
};
TS_ORDER(by_mean, struct ranked, TS_UP(group.state == TS_GROUP_FEW ? 1 : 0); TS_UP(badness); TS_TEXT(group.name))

enum ts_status ts_groups_compare(const struct ts_group_values *groups, size_t n, struct ts_arena *arena, struct ts_comparison *ret,
				 struct ts_error *err)
{
	struct ranked *ranked = ts_arena_array(arena, n, sizeof *ranked);
	size_t able = 0;

	ret->groups = ts_arena_array(arena, n, sizeof *ret->groups);
	if (!ranked || !ret->groups)
		return ts_arena_error(arena, err);
	for (size_t i = 0; i < n; i++) {
		struct ts_compared_group *g = &ranked[i].group;

		*g = (struct ts_compared_group){.name = groups[i].name,
						.runs = groups[i].n,
						.state = groups[i].n < TS_GROUP_LEAST ? TS_GROUP_FEW : TS_GROUP_NO_WORSE};
		add_interval(&groups[i], g);
		ranked[i].values = &groups[i];
		ranked[i].badness = ret->down ? g->mean : -g->mean;
		able += g->state != TS_GROUP_FEW;
	}
	TS_SORT(ranked, n, by_mean);
	for (size_t i = 1; i < able; i++)
		compare_pair(ranked[0].values, ranked[i].values, (double)able * ((double)able - 1) / 2, &ranked[i].group);
	if (able > 1)
		ranked[0].group.state = TS_GROUP_BEST;
	for (size_t i = 0; i < n; i++)
		ret->groups[i] = ranked[i].group;
	ret->n_groups = n;
	return TS_OK;
}
