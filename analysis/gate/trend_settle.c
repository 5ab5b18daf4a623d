/* trend_settle.c - which of the changes that were found are claimed: not those that a wandering level explains, and of those that
 * come with another host only such as hosts do not explain. */
#include "analysis/gate/trend_internal.h"

#include "analysis/stats/correlation.h"
#include "analysis/stats/stats.h"
#include "analysis/stats/student.h"
#include "analysis/stats/wander.h"

#include <math.h>
#include <string.h>

/* The evidence that a step needs: EVIDENCE + 2 log n, since it may stand at any of n places, and no more than EVIDENCE_MOST (of 245
 * runs), however long the history is: a longer one has more changes, false ones as well, and what is held is their rate a run. Both
 * were set by series without a change. */
#define EVIDENCE 8.0
#define EVIDENCE_MOST 19.0
/* A line has no place to choose. */
#define EVIDENCE_OF_LINE 18.0
/* The confidence of the interval of a drift, and the least of it that a change of hosts must have. */
#define SURE_DRIFT 0.995
#define SURE_HOSTS 0.001

enum {
	AROUND = 150,	  /* runs on either side of a change within which it is weighed */
	LOOKS = 60,	  /* how often, about, the whole series is asked on the way from all changes to none */
	DRIFT_LEAST = 20, /* runs */
	ALIKE_LEAST = 3,  /* runs of one host on either side of a change */
	PLACE_OFF = 5,	  /* runs by which the place of a change may be off */
	NEAR = 12,	  /* runs on either side of a change among which its place is looked for again */
};

static size_t from(const struct ts_trend_claims *c, size_t i)
{
	return i == 0 ? 0 : c->points[i - 1].at;
}

static size_t to(const struct ts_trend_series *s, const struct ts_trend_claims *c, size_t i)
{
	return i + 1 == c->n ? s->n : c->points[i + 1].at;
}

static double needed(size_t n)
{
	return fmin(EVIDENCE + 2 * log((double)n), EVIDENCE_MOST);
}

/* --- wandering --- */

/* Returns the evidence for a change between the changes beside it, by the correlation and strength that the whole series has. */
static double evidence(const struct ts_trend_series *s, const struct ts_trend_claims *c, const double *tamed, size_t i, size_t model)
{
	size_t at = c->points[i].at, low = from(c, i), high = to(s, c, i);

	low = at - low > AROUND ? at - AROUND : low;
	high = high - at > AROUND ? at + AROUND : high;
	return ts_wander_step_in(tamed + low, high - low, at - low, model);
}

static void drop(struct ts_trend_claims *c, double *spare, size_t i)
{
	c->n--;
	memmove(&c->points[i], &c->points[i + 1], (c->n - i) * sizeof *c->points);
	memmove(&spare[i], &spare[i + 1], (c->n - i) * sizeof *spare);
}

static void measure(const struct ts_trend_series *s, struct ts_trend_claims *c, double *scratch)
{
	for (size_t i = 0; i < c->n; i++) {
		struct ts_change_point *p = &c->points[i];

		p->before = ts_median(s->values + from(c, i), p->at - from(c, i), scratch);
		p->after = ts_median(s->values + p->at, to(s, c, i) - p->at, scratch);
	}
}

/* The likelihood of the series about its levels, less what each change costs; rest is memory for s->n values. */
static double score(const struct ts_trend_series *s, const struct ts_trend_claims *c, const double *tamed, double *rest,
		    size_t *ret_model)
{
	for (size_t i = 0; i <= c->n; i++) {
		size_t low = i ? c->points[i - 1].at : 0, high = i < c->n ? c->points[i].at : s->n;
		double mean = ts_mean(tamed + low, high - low);

		for (size_t k = low; k < high; k++)
			rest[k] = tamed[k] - mean;
	}
	return ts_wander_likelihood(rest, s->n, ret_model) - needed(s->n) * (double)c->n;
}

static size_t weakest(const struct ts_trend_claims *c, const double *spare)
{
	size_t found = 0;

	for (size_t i = 1; i < c->n; i++)
		if (spare[i] < spare[found])
			found = i;
	return found;
}

/* Measures the evidence again on either side of a change that was dropped from place i. */
static void weigh_beside(const struct ts_trend_series *s, const struct ts_trend_claims *c, const double *tamed, double *spare, size_t i,
			 size_t model)
{
	if (i > 0)
		spare[i - 1] = evidence(s, c, tamed, i - 1, model);
	if (i < c->n)
		spare[i] = evidence(s, c, tamed, i, model);
}

static void weigh(const struct ts_trend_series *s, const struct ts_trend_claims *c, const double *tamed, double *spare, size_t model)
{
	for (size_t i = 0; i < c->n; i++)
		spare[i] = evidence(s, c, tamed, i, model);
}

/* Drops changes, the weakest first, until each has by the runs around it the evidence that it needs: noise that grows has more where
 * it is great. */
static void drop_weak(const struct ts_trend_series *s, struct ts_trend_claims *c, const double *tamed, double *spare, size_t model)
{
	weigh(s, c, tamed, spare, model);
	while (c->n > 0) {
		size_t i = weakest(c, spare);

		if (spare[i] >= needed(s->n))
			return;
		drop(c, spare, i);
		weigh_beside(s, c, tamed, spare, i, model);
	}
}

/* One walk from all changes to none: the weakest is dropped each time, since its neighbours are then weighed over more runs. How much
 * the series wanders is asked of the whole of it, anew on the way: about many levels that are true it is white, and about few of a
 * walk it wanders. Those changes stay with which the series is most likely. */
static void drop_wandering(const struct ts_trend_series *s, struct ts_trend_claims *c, const double *tamed, double *spare, double *rest,
			   struct ts_change_point *points)
{
	size_t found = c->n, every = found / LOOKS + 1, best_n = 0, model = 0;
	double best = -INFINITY;

	if (found == 0)
		return;
	for (;;) {
		if ((found - c->n) % every == 0 || c->n == 0) {
			double now = score(s, c, tamed, rest, &model);

			if (now > best) {
				best = now;
				best_n = c->n;
				memcpy(points, c->points, c->n * sizeof *points);
			}
			weigh(s, c, tamed, spare, model);
		}
		if (c->n == 0)
			break;
		size_t i = weakest(c, spare);

		drop(c, spare, i);
		weigh_beside(s, c, tamed, spare, i, model);
	}
	c->n = best_n;
	memcpy(c->points, points, best_n * sizeof *points);
	(void)score(s, c, tamed, rest, &model);
	drop_weak(s, c, tamed, spare, model);
}

/* Where levels as short have come and gone more than once, one more at the end shows nothing yet. */
static void drop_burst(const struct ts_trend_series *s, struct ts_trend_claims *c)
{
	if (c->n && s->bursts.several > 1 && s->n - c->points[c->n - 1].at <= s->bursts.longest)
		c->n--;
}

/* Levels are longer without the changes that were dropped, so some of the others may now be too small. */
static void drop_small(const struct ts_trend_series *s, struct ts_trend_claims *c, double *spare, double *scratch)
{
	measure(s, c, scratch);
	while (c->n > 0) {
		size_t smallest = 0;

		for (size_t i = 1; i < c->n; i++)
			if (fabs(c->points[i].after - c->points[i].before) <
			    fabs(c->points[smallest].after - c->points[smallest].before))
				smallest = i;
		if (fabs(c->points[smallest].after - c->points[smallest].before) >= s->min)
			return;
		drop(c, spare, smallest);
		measure(s, c, scratch);
	}
}

/* --- places --- */

/* Runs next to a change that were taken for a burst hide where it is. Returns the place, at most NEAR runs from point i of n and
 * between those beside it, from which the distances of all runs to the medians of their levels are least. */
static size_t place_again(const struct ts_trend_series *s, const struct ts_change_point *points, size_t n, size_t i, double *scratch)
{
	size_t at = points[i].at, low = i ? points[i - 1].at : 0, high = i + 1 < n ? points[i + 1].at : s->n;
	size_t first = at - low > NEAR + TS_CHANGE_LEAST ? at - NEAR : low + TS_CHANGE_LEAST;
	size_t last = high - at > NEAR + TS_CHANGE_LEAST ? at + NEAR : high - TS_CHANGE_LEAST;
	double before = ts_median(s->values + low, at - low, scratch), after = ts_median(s->values + at, high - at, scratch);

	return ts_level_split(s->values, first, at, last, before, after);
}

/* Those of found that are claimed keep the same place as in points. */
static void place_all(const struct ts_trend_series *s, struct ts_trend_claims *c, double *scratch)
{
	for (size_t i = 0, claimed = 0; i < c->n_found; i++) {
		bool is = claimed < c->n && c->points[claimed].at == c->found[i].at;

		c->found[i].at = place_again(s, c->found, c->n_found, i, scratch);
		if (is)
			c->points[claimed++].at = c->found[i].at;
	}
}

/* --- drift --- */

/* A drift is claimed if a line explains the series better than the changes that were found, and better than the best single step,
 * however small that is. */
static void find_drift(const struct ts_trend_series *s, struct ts_trend_claims *c, const double *tamed, double *scratch)
{
	struct ts_wander line;
	double before, after, reach;

	if (s->n < DRIFT_LEAST)
		return;
	for (size_t i = 0; i < s->n; i++)
		scratch[i] = (double)i / (double)(s->n - 1);
	ts_wander_test(tamed, scratch, s->n, &line);
	reach = ts_student_quantile(SURE_DRIFT, (double)(s->n - 2)) * line.error;
	if (!(line.evidence >= EVIDENCE_OF_LINE) || !(fabs(line.coefficient) >= s->min) || !(fabs(line.coefficient) > reach))
		return;
	if (line.evidence <= ts_wander_step(tamed, s->n, ts_level_change(tamed, s->n, &before, &after)))
		return;
	if (c->n && line.evidence - EVIDENCE_OF_LINE <= score(s, c, tamed, scratch, NULL) - ts_wander_likelihood(tamed, s->n, NULL))
		return;
	c->drifts = true;
	c->n = 0;
	c->n_found = 0;
	c->size = line.coefficient;
	c->low = line.coefficient - reach;
	c->high = line.coefficient + reach;
}

/* --- hosts --- */

/* Sums of the runs that are alike, on either side of a change. */
struct side {
	double sum[2];
	double n[2];
};

/* Do runs of the same host (or of hosts whose difference is known) show at least half of the change? */
static bool seen_within(const struct side *sides, const size_t *kinds, size_t n, double size)
{
	double sum = 0, weight = 0;

	for (size_t k = 0; k < n; k++) {
		const struct side *s = &sides[kinds[k]];
		double w = s->n[0] * s->n[1] / (s->n[0] + s->n[1]);

		if (!(w > 0))
			continue;
		sum += w * (s->sum[1] / s->n[1] - s->sum[0] / s->n[0]);
		weight += w;
	}
	/* as much weight as ALIKE_LEAST runs on either side have */
	return weight >= ALIKE_LEAST / 2.0 && sum / weight / size >= 0.5;
}

/* Do many hosts on either side differ by more than hosts differ? This is Student's t of the means of hosts. */
static bool seen_between(const struct side *sides, const size_t *kinds, size_t n)
{
	double mean[2] = {0, 0}, count[2] = {0, 0}, squares = 0, df, t;

	for (size_t k = 0; k < n; k++)
		for (int h = 0; h < 2; h++)
			if (sides[kinds[k]].n[h] > 0) {
				mean[h] += sides[kinds[k]].sum[h] / sides[kinds[k]].n[h];
				count[h]++;
			}
	df = count[0] + count[1] - 2;
	if (df < 1)
		return false;
	for (size_t k = 0; k < n; k++)
		for (int h = 0; h < 2; h++)
			if (sides[kinds[k]].n[h] > 0) {
				double far = sides[kinds[k]].sum[h] / sides[kinds[k]].n[h] - mean[h] / count[h];

				squares += far * far;
			}
	t = fabs(mean[1] / count[1] - mean[0] / count[0]) / sqrt(squares / df * (1 / count[0] + 1 / count[1]));
	return 2 * ts_student_cdf(-t, df) <= SURE_HOSTS;
}

/* The place of a change is not exact. If another host takes over near it, that is where a change by hosts would be. */
static size_t place_of(const struct ts_trend_series *s, const struct ts_trend_claims *c, size_t i)
{
	const size_t *alike = s->effects.alike;
	size_t at = c->points[i].at;

	for (size_t off = 0; off <= PLACE_OFF; off++) {
		if (at >= from(c, i) + off + 1 && alike[at - off] != alike[at - off - 1])
			return at - off;
		if (at + off < to(s, c, i) && alike[at + off] != alike[at + off - 1])
			return at + off;
	}
	return at;
}

/* sides has an entry for each number of effects.alike, all 0, and is left so. */
static bool is_with_host(const struct ts_trend_series *s, const struct ts_trend_claims *c, size_t i, const double *tamed,
			 struct side *sides, size_t *kinds)
{
	size_t n = 0, place = place_of(s, c, i);
	bool seen;

	for (size_t k = from(c, i); k < to(s, c, i); k++) {
		struct side *side = &sides[s->effects.alike[k]];
		int after = k >= place;

		if (side->n[0] + side->n[1] == 0)
			kinds[n++] = s->effects.alike[k];
		side->sum[after] += tamed[k];
		side->n[after]++;
	}
	seen = n == 1 || seen_within(sides, kinds, n, c->points[i].after - c->points[i].before) || seen_between(sides, kinds, n);
	for (size_t k = 0; k < n; k++)
		sides[kinds[k]] = (struct side){.n = {0, 0}};
	return !seen;
}

static enum ts_status find_hosts(const struct ts_trend_series *s, struct ts_trend_claims *c, const double *tamed,
				 struct ts_arena *arena, struct ts_error *err)
{
	struct side *sides = ts_arena_array(arena, 2 * s->n, sizeof *sides);
	size_t *kinds = ts_arena_array(arena, s->n, sizeof *kinds);

	c->with_host = ts_arena_array(arena, c->n, sizeof *c->with_host);
	if (!sides || !kinds || !c->with_host)
		return ts_arena_error(arena, err);
	for (size_t i = 0; i < 2 * s->n; i++)
		sides[i] = (struct side){.n = {0, 0}};
	for (size_t i = 0; i < c->n; i++)
		c->with_host[i] = is_with_host(s, c, i, tamed, sides, kinds);
	return TS_OK;
}

enum ts_status ts_trend_settle(const struct ts_trend_series *s, struct ts_arena *arena, struct ts_trend_claims *io,
			       struct ts_error *err)
{
	double *tamed = ts_arena_array(arena, s->n, sizeof *tamed), *scratch = ts_arena_array(arena, s->n, sizeof *scratch);
	double *spare = ts_arena_array(arena, io->n, sizeof *spare);
	struct ts_change_point *points = ts_arena_array(arena, io->n, sizeof *points);

	io->found = ts_arena_array(arena, io->n, sizeof *io->found);
	if (!tamed || !scratch || !spare || !points || !io->found)
		return ts_arena_error(arena, err);
	if (ts_wander_tame(s->calm, s->n, arena, tamed, err))
		return err->status;
	if (io->n)
		memcpy(io->found, io->points, io->n * sizeof *io->found);
	io->n_found = io->n;
	drop_wandering(s, io, tamed, spare, scratch, points);
	drop_burst(s, io);
	drop_small(s, io, spare, scratch);
	place_all(s, io, scratch);
	find_drift(s, io, tamed, scratch);
	/* Runs of a host that was there for a short time are no burst where hosts are compared. */
	if (ts_wander_tame(s->values, s->n, arena, tamed, err))
		return err->status;
	return find_hosts(s, io, tamed, arena, err);
}
