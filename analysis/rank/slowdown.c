#include "analysis/rank/slowdown.h"

#include "analysis/rank/levels.h"
#include "analysis/stats/series.h"
#include "analysis/stats/stats.h"
#include "analysis/stats/wander.h"

#include <math.h>

enum {
	CELLS = 48, /* at most, of four steps at least */
	STEP_LEAST = 2,	    /* cells on each side of a step */
	PARAMETERS = 8,	    /* that explain some of so few cells */
	RAMP_LEAST = 4,	    /* cells that a ramp takes, and cells behind its beginning */
	SAMPLE = 1 << 14,   /* times whose quartiles give the reach */
	SIDE_STEPS = 24,    /* a shorter side of a step, or of the beginning of a ramp, needs a greater G */
	BLOCK = 16,	    /* steps whose median is on a side of a step, at least */
	SIDE_LEAST = 6, /* blocks on a side of a step of which it can be said that they mix */
	OVER = 16, /* more fast steps than slow ones behind a rise that is over */
};

static const double CLIP = 6.0;	    /* quartile distances */
/* The limits of G, and of the evidence. */
static const double STEP_G = 800, STEP_EVIDENCE = 11;
static const double RAMP_G = 3000, RAMP_EVIDENCE = 16.8;
static const double SHORT_G = 5000;
static const double AS_GOOD = 0.3;  /* a step is told from a ramp if its G is at least so much of the ramp's */
static const double CHANGE = 0.05;  /* a smaller shift is none */
static const double CROSSED = 0.15; /* of the blocks on a side of a step, on the other side of the middle */

struct cells {
	size_t n, steps; /* cells, and times */
	double y[CELLS]; /* mean of the clipped times */
	double sum[CELLS]; /* partial sums of y less its mean */
};

/* A rise from 0 to 1 between two boundaries of cells; a step if they are equal, or if only one cell lies between them, in which it then
 * is. */
struct shape {
	size_t from, to;
	double g;
};

/* --- a lasting change --- */

/* Returns the median and the reach of the times from a part of them, or false if they do not vary. */
static bool reach_of(const double *v, size_t n, double *scratch, double *ret_median, double *ret_reach)
{
	static const double q[] = {25, 50, 75};
	size_t stride = n / SAMPLE + 1, some = 0;
	double out[3], most = 0;

	for (size_t i = 0; i < n; i += stride)
		if (isfinite(v[i]))
			scratch[some++] = v[i];
	if (!some)
		return false;
	ts_percentiles(scratch, some, q, 3, out);
	*ret_median = out[1];
	*ret_reach = CLIP * fmax(out[2] - out[1], out[1] - out[0]);
	if (*ret_reach > 0)
		return true;
	for (size_t i = 0; i < n; i++)
		if (isfinite(v[i]))
			most = fmax(most, fabs(v[i] - out[1]));
	*ret_reach = most;
	return most > 0;
}

static bool fill(struct cells *c, const double *v, size_t n, double *scratch)
{
	double median, reach, mean, sum = 0;

	c->steps = n;
	c->n = n / 4 < CELLS ? n / 4 : CELLS;
	if (n < TS_SLOWDOWN_STEPS || !reach_of(v, n, scratch, &median, &reach))
		return false;
	for (size_t k = 0; k < c->n; k++) {
		size_t some = 0;

		c->y[k] = 0;
		for (size_t i = ts_block_start(n, c->n, k); i < ts_block_start(n, c->n, k + 1); i++) {
			double z = (v[i] - median) / reach;

			if (!isfinite(v[i]))
				continue;
			c->y[k] += z > 1 ? 1 : z < -1 ? -1 : z;
			some++;
		}
		if (!some)
			return false;
		c->y[k] /= (double)some;
	}
	mean = ts_mean(c->y, c->n);
	for (size_t k = 0; k < c->n; k++)
		c->sum[k] = sum += c->y[k] - mean;
	return true;
}

static bool is_step(const struct shape *s)
{
	return s->to <= s->from + 1;
}

/* Returns the mean height of the shape in cell k. */
static double height(const struct shape *s, size_t k)
{
	if (k < s->from || s->from == s->to)
		return k < s->from ? 0 : 1;
	return k >= s->to ? 1 : ((double)(k - s->from) + 0.5) / (double)(s->to - s->from);
}

/* Computes G of the shape, 0 if the times do not rise in it. */
static void judge(const struct cells *c, struct shape *s)
{
	double f[CELLS], n = (double)c->n, mean = 0, product = 0, square = 0, left = 0, sum = 0, b;

	for (size_t k = 0; k < c->n; k++)
		mean += (f[k] = height(s, k)) / n;
	for (size_t k = 0; k < c->n; k++) {
		f[k] -= mean;
		product += f[k] * c->y[k];
		square += f[k] * f[k];
	}
	b = product / square;
	s->g = 0;
	if (!(b > 0))
		return;
	for (size_t k = 0; k < c->n; k++) {
		double rest = c->sum[k] - b * (sum += f[k]);

		left += rest * rest;
	}
	/* Where nothing but rounding is left, the shape explains all. */
	s->g = left > 0 ? b * product * n * n / left : HUGE_VAL;
}

static void keep(const struct cells *c, struct shape *best, size_t from, size_t to)
{
	struct shape s = {.from = from, .to = to};

	judge(c, &s);
	if (s.g > best->g)
		*best = s;
}

/* Computes the evidence for the shape beside wandering; the part that the parameters explain in so few cells is taken off. */
static double evidence_of(const struct cells *c, const struct shape *s)
{
	double z[CELLS], n = (double)c->n;
	struct ts_wander found;

	for (size_t k = 0; k < c->n; k++)
		z[k] = height(s, k);
	ts_wander_test(c->y, z, c->n, &found);
	return found.coefficient > 0 ? found.evidence * (n - PARAMETERS) / n : 0;
}

static bool is_beyond(const struct cells *c, const struct shape *s, double g, double evidence)
{
	bool is_short = (c->n - s->from) * c->steps < SIDE_STEPS * c->n || (is_step(s) && s->from * c->steps < SIDE_STEPS * c->n);

	return s->g >= (is_short ? SHORT_G : g) && evidence_of(c, s) >= evidence;
}

/* Finds the step and the ramp of the greatest G, and of these the one that is beyond its limits; false if none is. */
static bool lasting(const struct cells *c, struct shape *ret)
{
	struct shape step = {.g = 0}, ramp = {.g = 0};
	bool steps, grows;

	for (size_t from = STEP_LEAST; from + STEP_LEAST <= c->n; from++) {
		keep(c, &step, from, from);
		if (from + 1 + STEP_LEAST <= c->n)
			keep(c, &step, from, from + 1);
	}
	for (size_t from = 0; from + RAMP_LEAST <= c->n; from++)
		for (size_t to = from + RAMP_LEAST; to <= c->n; to++)
			keep(c, &ramp, from, to);
	steps = is_beyond(c, &step, STEP_G, STEP_EVIDENCE);
	grows = is_beyond(c, &ramp, RAMP_G, RAMP_EVIDENCE);
	*ret = steps && (!grows || step.g >= AS_GOOD * ramp.g) ? step : ramp;
	return steps || grows;
}

/* Finds the first step of the new level, within a cell of where the cells say. */
static size_t step_at(const struct cells *c, const double *v, const struct shape *s, double before, double after)
{
	size_t from = ts_block_start(c->steps, c->n, s->from - 1), to = ts_block_start(c->steps, c->n, s->to + 1), best = from;
	double sum = 0, least = 0;

	for (size_t i = from; i < to; i++) {
		if (isfinite(v[i]))
			sum += fmin(fabs(v[i] - before), after - before) - fmin(fabs(v[i] - after), after - before);
		if (sum < least) {
			least = sum;
			best = i + 1;
		}
	}
	return best;
}

/* Computes the levels from the cells that the step leaves whole, and again from where it is. */
static void measure_step(const struct cells *c, const double *v, const struct shape *s, double *scratch, struct ts_slowdown *out)
{
	size_t to = ts_block_start(c->steps, c->n, s->to), at;
	double before = ts_median_finite(v, ts_block_start(c->steps, c->n, s->from), scratch);
	double after = ts_median_finite(v + to, c->steps - to, scratch);

	if (!(after > before))
		return;
	at = step_at(c, v, s, before, after);
	*out = (struct ts_slowdown){
		.kind = TS_SLOWDOWN_STEP,
		.first = at,
		.last = at,
		.before = ts_median_finite(v, at, scratch),
		.after = ts_median_finite(v + at, c->steps - at, scratch),
	};
}

/* Fits the shape to the medians of the cells. */
static void measure_ramp(const struct cells *c, const double *v, const struct shape *s, double *scratch, struct ts_slowdown *out)
{
	double n = (double)c->n, mean = 0, level = 0, product = 0, square = 0;

	for (size_t k = 0; k < c->n; k++) {
		size_t from = ts_block_start(c->steps, c->n, k);
		double median = ts_median_finite(v + from, ts_block_start(c->steps, c->n, k + 1) - from, scratch), f = height(s, k);

		mean += f / n;
		level += median / n;
		product += f * median;
		square += f * f;
	}
	product -= n * mean * level;
	square -= n * mean * mean;
	out->kind = TS_SLOWDOWN_RAMP;
	out->before = level - product / square * mean;
	out->after = out->before + product / square;
	out->first = ts_block_start(c->steps, c->n, s->from);
	out->last = ts_block_start(c->steps, c->n, s->to) - 1;
}

/* --- level shifts --- */

static bool is_rise(const struct ts_spike *s)
{
	return s->value >= s->expected * (1 + CHANGE);
}

/* Returns the shift behind item i that leads to less than half of a rise, or NULL. */
static const struct ts_spike *back_from(const struct ts_spikes *found, size_t first, double before, double after)
{
	for (size_t i = 0; i < found->n; i++) {
		const struct ts_spike *s = &found->items[i];

		if (s->kind == TS_EVENT_SHIFT && s->first > first && s->value < before + (after - before) / 2)
			return s;
	}
	return NULL;
}

/* Returns whether the run was at the level of a rise before: it fell from there, and came back. */
static bool was_there(const struct ts_spikes *found, const struct ts_slowdown *rise)
{
	for (size_t i = 0; i < found->n; i++) {
		const struct ts_spike *s = &found->items[i];

		if (s->kind == TS_EVENT_SHIFT && s->first < rise->first &&
		    s->expected > rise->before + (rise->after - rise->before) / 2)
			return true;
	}
	return false;
}

/* Returns whether more than a few of the blocks from `from` to before `to` have their median on the other side of the middle. */
static bool crosses(const double *v, size_t from, size_t to, size_t size, double middle, bool above, double *scratch)
{
	size_t blocks = 0, wrong = 0;

	for (size_t i = from; i + size <= to; i += size) {
		double x = ts_median_finite(v + i, size, scratch);

		blocks++;
		wrong += above ? x < middle : x > middle;
	}
	return blocks >= SIDE_LEAST && (double)wrong > CROSSED * (double)blocks;
}

/* Returns whether the run went to and fro between the levels of a step, on either side of it. */
static bool is_mixed(const double *v, size_t n, const struct ts_slowdown *rise, double *scratch)
{
	double middle = rise->before + (rise->after - rise->before) / 2;
	size_t size = n / CELLS > BLOCK ? n / CELLS : BLOCK;

	return rise->kind == TS_SLOWDOWN_STEP && (crosses(v, 0, rise->first, size, middle, false, scratch) ||
						  crosses(v, rise->first, n, size, middle, true, scratch));
}

/* Returns whether as many blocks outside of a rise as in it are above its middle: what comes and goes came again. */
static bool is_above_elsewhere(const struct ts_spikes_fit *fit, const struct ts_slowdown *rise)
{
	double middle = rise->before + (rise->after - rise->before) / 2;
	size_t in = 0, out = 0, at;

	for (size_t b = 0; b < ts_spikes_blocks(fit); b++)
		if (ts_spikes_block(fit, b, &at) > middle)
			at < rise->first || (rise->kind == TS_SLOWDOWN_STRETCH && at > rise->last) ? out++ : in++;
	return out >= in;
}

static void by_shifts(const struct ts_spikes *found, struct ts_slowdown *out)
{
	const struct ts_spike *most = NULL;

	for (size_t i = 0; i < found->n; i++) {
		const struct ts_spike *s = &found->items[i];

		if (s->kind == TS_EVENT_SHIFT && is_rise(s) && (!most || s->value / s->expected > most->value / most->expected))
			most = s;
	}
	if (!most)
		return;
	out->kind = TS_SLOWDOWN_STEP;
	out->first = out->last = most->first;
	out->before = most->expected;
	out->after = most->value;
}

/* Returns where a rise that a level shift shows is over, by the split that leaves the fewest steps on the wrong side; n if too few
 * are left behind it to say so. */
static size_t end_of(const double *v, size_t n, const struct ts_slowdown *rise)
{
	double middle = rise->before + (rise->after - rise->before) / 2;
	size_t end = rise->first;
	long score = 0, most = 0;

	for (size_t i = rise->first; i < n; i++) {
		if (!isfinite(v[i]))
			continue;
		score += v[i] > middle ? 1 : -1;
		if (score > most) {
			most = score;
			end = i + 1;
		}
	}
	return most - score >= OVER ? end : n;
}

/* A rise that ended is a stretch: a shift says so, or the steps behind one that is known by its shift alone. */
static void end_stretch(const double *v, size_t n, const struct ts_spikes *found, bool by_shift, struct ts_slowdown *out)
{
	const struct ts_spike *back = back_from(found, out->first, out->before, out->after);
	size_t end = back ? back->first : by_shift ? end_of(v, n, out) : n;

	if (out->kind != TS_SLOWDOWN_STEP || end == n || end <= out->first)
		return;
	out->kind = TS_SLOWDOWN_STRETCH;
	out->last = end - 1;
}

/* --- the whole --- */

/* Returns by how much the levels say that the steps were slower, in all. */
static double cost_of(const struct ts_slowdown *s, size_t n)
{
	double more = s->after - s->before;

	switch (s->kind) {
	case TS_SLOWDOWN_STEP:
		return more * (double)(n - s->first);
	case TS_SLOWDOWN_RAMP:
		return more * ((double)(n - 1 - s->last) + (double)(s->last + 1 - s->first) / 2);
	case TS_SLOWDOWN_STRETCH:
		return more * (double)(s->last + 1 - s->first);
	case TS_SLOWDOWN_LEVELS:
		return more * s->upper_share * (double)n;
	case TS_SLOWDOWN_NONE:
		break;
	}
	return 0;
}

/* Returns the rise to be compared with two levels. */
static struct ts_levels_rise rise_of(const struct ts_slowdown *s, size_t n)
{
	return s->kind == TS_SLOWDOWN_STRETCH ? (struct ts_levels_rise){.first = s->first, .last = s->first, .end = s->last + 1}
					      : (struct ts_levels_rise){.first = s->first, .last = s->last, .end = n};
}

static struct ts_slowdown of_levels(const struct ts_levels *l, size_t n)
{
	return (struct ts_slowdown){
		.kind = TS_SLOWDOWN_LEVELS,
		.last = n - 1,
		.before = l->lower,
		.after = l->upper,
		.upper_share = l->upper_share,
		.switches = l->switches,
	};
}

/* Finds what rises, whether or not the run is at two levels. */
static void find_rise(const struct ts_spikes_fit *fit, const struct ts_spikes *found, double *scratch, struct ts_slowdown *out)
{
	const double *v = ts_spikes_series(fit)->values;
	size_t n = ts_spikes_series(fit)->n;
	struct shape shape;
	struct cells cells;
	bool by_shift;

	if (fill(&cells, v, n, scratch) && lasting(&cells, &shape))
		(is_step(&shape) ? measure_step : measure_ramp)(&cells, v, &shape, scratch, out);
	if (!(out->before > 0 && out->after > out->before))
		*out = (struct ts_slowdown){.kind = TS_SLOWDOWN_NONE};
	by_shift = out->kind == TS_SLOWDOWN_NONE;
	if (by_shift)
		by_shifts(found, out);
	end_stretch(v, n, found, by_shift, out);
	if (by_shift && out->kind != TS_SLOWDOWN_NONE && is_above_elsewhere(fit, out))
		*out = (struct ts_slowdown){.kind = TS_SLOWDOWN_NONE};
}

enum { FEW = 7 };

static const double FEW_RISE = 0.25, FEW_AT_ONCE = 0.5;

struct ts_slowdown ts_slowdown_of_few(const double *v, size_t n)
{
	struct ts_slowdown out = {.kind = TS_SLOWDOWN_NONE};
	double most = 0;

	if (n < FEW || !(v[0] > 0) || !isfinite(v[n - 1]))
		return out;
	for (size_t i = 1; i < n; i++) {
		if (!(v[i] > v[i - 1]))
			return out;
		most = fmax(most, v[i] - v[i - 1]);
	}
	if (v[n - 1] < (1 + FEW_RISE) * v[0] || most > FEW_AT_ONCE * (v[n - 1] - v[0]))
		return out;
	out = (struct ts_slowdown){.kind = TS_SLOWDOWN_RAMP, .last = n - 1, .before = v[0], .after = v[n - 1]};
	for (size_t i = 1; i < n; i++)
		out.cost += v[i] - v[0];
	return out;
}

enum ts_status ts_slowdown_find(const struct ts_spikes_fit *fit, const struct ts_spikes *found, struct ts_arena *arena,
				struct ts_slowdown *ret_slowdown, struct ts_error *err)
{
	const struct ts_series *times = ts_spikes_series(fit);
	struct ts_slowdown out = {.kind = TS_SLOWDOWN_NONE};
	const double *v = times->values;
	size_t n = times->n;
	double *scratch = ts_arena_array(arena, n, sizeof *scratch);
	struct ts_levels_rise rise;
	struct ts_levels levels;

	if (!scratch)
		return ts_arena_error(arena, err);
	find_rise(fit, found, scratch, &out);
	rise = rise_of(&out, n);
	if (ts_levels_find(fit, out.kind == TS_SLOWDOWN_NONE ? NULL : &rise, arena, &levels, err))
		return err->status;
	if (levels.found)
		out = of_levels(&levels, n);
	/* A rise to where the run was before is no slow-down. */
	else if (levels.possible || (out.kind != TS_SLOWDOWN_NONE && (was_there(found, &out) || is_mixed(v, n, &out, scratch))))
		out = (struct ts_slowdown){.kind = TS_SLOWDOWN_NONE};
	out.cost = cost_of(&out, n);
	*ret_slowdown = out;
	return TS_OK;
}
