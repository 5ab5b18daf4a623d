/* trend_others.c - asks of each change whether another workload of the branch moved the other way by as much: then the cost moved. */
#include "analysis/gate/trend_internal.h"

#include "analysis/stats/stats.h"

#include <math.h>

enum { NEAR = 20 /* runs of the other workload on either side */, LEAST = 3 };

/* How many standard errors the other workload must have moved by. */
#define SURE 4.0
/* The part of the change that it must have moved by. */
#define AS_MUCH 0.5

struct side {
	double x[NEAR], scratch[NEAR];
	size_t n;
	double median, deviation;
};

static double scaled(const struct ts_trend_series *s, double value)
{
	return s->logs ? log(value) : value / (s->middle > 0 ? s->middle : 1);
}

static void measure(struct side *side)
{
	side->median = ts_median(side->x, side->n, side->scratch);
	for (size_t i = 0; i < side->n; i++)
		side->scratch[i] = fabs(side->x[i] - side->median);
	side->deviation = 1.4826 * ts_median_few(side->scratch, side->n);
}

/* Takes the runs of the workload from `at` on in that direction, up to `end`, which counts no more. */
static bool take(const struct ts_trend *trend, const struct ts_trend_series *s, size_t other, size_t at, size_t end, int way,
		 struct side *ret)
{
	ret->n = 0;
	for (size_t i = at; i != end && ret->n<NEAR; i = way> 0 ? i + 1 : i - 1) {
		const struct ts_trend_run *run = &trend->runs[i];

		if (run->other == other && isfinite(run->value) && (!s->logs || run->value > 0))
			ret->x[ret->n++] = scaled(s, run->value);
		if (way < 0 && i == 0)
			break;
	}
	if (ret->n >= LEAST)
		measure(ret);
	return ret->n >= LEAST;
}

/* Runs between the last one of the old level and the first one of the new level are of neither side. */
static void ask(const struct ts_trend *trend, const struct ts_trend_series *s, size_t i, size_t other)
{
	struct ts_trend_change *c = &trend->changes[i];
	size_t begin = i ? trend->changes[i - 1].at : 0, end = i + 1 < trend->n_changes ? trend->changes[i + 1].at : trend->n_runs;
	double size = scaled(s, c->after) - scaled(s, c->before), moved, error;
	struct side before, after;

	if (!take(trend, s, other, c->last_before, begin ? begin - 1 : SIZE_MAX, -1, &before) ||
	    !take(trend, s, other, c->at, end, 1, &after))
		return;
	moved = after.median - before.median;
	error = fmax(before.deviation, after.deviation) * sqrt(1 / (double)before.n + 1 / (double)after.n);
	if (moved * size >= 0 || fabs(moved) < AS_MUCH * fabs(size) || fabs(moved) < s->min || fabs(moved) <= SURE * error)
		return;
	if (c->other.len && fabs(c->other_size) >= fabs(moved))
		return;
	c->other = trend->others[other - 1];
	c->other_size = s->logs ? expm1(moved) : moved;
}

void ts_trend_ask_others(const struct ts_trend *trend, const struct ts_trend_series *s)
{
	for (size_t i = 0; i < trend->n_changes; i++)
		for (size_t k = 1; k <= trend->n_others; k++)
			if (!trend->changes[i].with_host && isfinite(trend->changes[i].size))
				ask(trend, s, i, k);
}
