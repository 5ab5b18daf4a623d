#include "analysis/rank/slowdown.h"

#include "analysis/stats/series.h"
#include "analysis/stats/stats.h"

#include <math.h>

enum {
	CELLS = 48, /* at most, of four steps at least */
	STEP_LEAST = 2,	    /* cells on each side of a step */
	RAMP_LEAST = 4,	    /* cells that a ramp takes, and cells behind its beginning */
	SAMPLE = 1 << 14,   /* times whose quartiles give the reach */
	BLOCK = 16,	    /* steps whose median is of one of two levels, in a run of BLOCKS or more of them; 4 at least */
	BLOCKS = 32,
	BLOCKS_LEAST = 12,
	ROUNDS = 12,	    /* of two means */
	SWITCHES = 3,
	SIDE_LEAST = 6, /* blocks on a side of a step of which it can be said that they mix */
	OVER = 16, /* more fast steps than slow ones behind a rise that is over */
};

static const double CLIP = 6.0;	    /* quartile distances */
static const double LIMIT = 5000.0; /* of G */
static const double AS_GOOD = 0.3;  /* a step is told from a ramp if its G is at least so much of the ramp's */
static const double CHANGE = 0.05;  /* a smaller shift is none of two levels, or of a stretch */
static const double APART = 4.0;    /* deviations within a level between two levels */
static const double CROSSED = 0.15; /* of the blocks on a side of a step, on the other side of the middle */
static const double SHARE = 0.05;   /* of the blocks in each of two levels */

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

static double finite_median(const double *v, size_t n, double *scratch)
{
	size_t some = 0;

	for (size_t i = 0; i < n; i++)
		if (isfinite(v[i]))
			scratch[some++] = v[i];
	return some ? ts_median(scratch, some, scratch) : (double)NAN;
}

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

/* Finds the shape of the greatest G; false if it is below the limit. */
static bool lasting(const struct cells *c, struct shape *ret)
{
	struct shape step = {.g = 0}, ramp = {.g = 0};

	for (size_t from = STEP_LEAST; from + STEP_LEAST <= c->n; from++) {
		keep(c, &step, from, from);
		if (from + 1 + STEP_LEAST <= c->n)
			keep(c, &step, from, from + 1);
	}
	for (size_t from = 0; from + RAMP_LEAST <= c->n; from++)
		for (size_t to = from + RAMP_LEAST; to <= c->n; to++)
			keep(c, &ramp, from, to);
	*ret = step.g >= AS_GOOD * ramp.g ? step : ramp;
	return fmax(step.g, ramp.g) >= LIMIT;
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

static bool is_step(const struct shape *s)
{
	return s->to <= s->from + 1;
}

/* Computes the levels from the cells that the step leaves whole, and again from where it is. */
static void measure_step(const struct cells *c, const double *v, const struct shape *s, double *scratch, struct ts_slowdown *out)
{
	size_t to = ts_block_start(c->steps, c->n, s->to), at;
	double before = finite_median(v, ts_block_start(c->steps, c->n, s->from), scratch);
	double after = finite_median(v + to, c->steps - to, scratch);

	if (!(after > before))
		return;
	at = step_at(c, v, s, before, after);
	*out = (struct ts_slowdown){
		.kind = TS_SLOWDOWN_STEP,
		.first = at,
		.last = at,
		.before = finite_median(v, at, scratch),
		.after = finite_median(v + at, c->steps - at, scratch),
	};
}

/* Fits the shape to the medians of the cells. */
static void measure_ramp(const struct cells *c, const double *v, const struct shape *s, double *scratch, struct ts_slowdown *out)
{
	double n = (double)c->n, mean = 0, level = 0, product = 0, square = 0;

	for (size_t k = 0; k < c->n; k++) {
		size_t from = ts_block_start(c->steps, c->n, k);
		double median = finite_median(v + from, ts_block_start(c->steps, c->n, k + 1) - from, scratch), f = height(s, k);

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
		double x = finite_median(v + i, size, scratch);

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

/* --- two levels --- */

/* Splits the blocks at the middle of the medians of the two sides, until it stays; returns the middle. */
static double split(const double *x, size_t n, double *scratch, double level[2])
{
	double middle;

	level[0] = level[1] = x[0];
	for (size_t i = 0; i < n; i++) {
		level[0] = fmin(level[0], x[i]);
		level[1] = fmax(level[1], x[i]);
	}
	for (int round = 0; round < ROUNDS; round++) {
		size_t low = 0, high = n;

		middle = level[0] / 2 + level[1] / 2;
		for (size_t i = 0; i < n; i++)
			*(x[i] < middle ? &scratch[low++] : &scratch[--high]) = x[i];
		if (low == 0 || low == n)
			break;
		level[0] = ts_median(scratch, low, scratch);
		level[1] = ts_median(scratch + low, n - low, scratch + low);
	}
	return middle;
}

struct levels {
	double level[2], middle;
	size_t count[2], switches;
	size_t wrong; /* blocks that are on the wrong side of the best single split, in time, of lower before upper blocks */
};

/* Counts a change of sides where two blocks in a row are clearly on the other side: one that holds both levels is between them. */
static void count_sides(const double *blocks, size_t n, struct levels *l)
{
	double clear = (l->level[1] - l->level[0]) / 6;
	int side = -1, before = -1;
	size_t upper = 0;

	for (size_t i = 0; i < n; i++)
		l->count[blocks[i] >= l->middle]++;
	l->wrong = l->count[0];
	for (size_t i = 0, lower = 0; i < n; i++) {
		int now = blocks[i] >= l->middle;
		size_t wrong;

		upper += now == 1;
		lower += now == 0;
		wrong = upper + (l->count[0] - lower);
		l->wrong = wrong < l->wrong ? wrong : l->wrong;
		if (fabs(blocks[i] - l->middle) < clear)
			continue;
		l->switches += side >= 0 && now != side && now == before;
		side = side < 0 || now == before ? now : side;
		before = now;
	}
}

/* Returns the largest robust deviation of the blocks of a side from its level. */
static double within(const double *blocks, size_t n, const struct levels *l, double *scratch)
{
	double most = 0;

	for (int k = 0; k < 2; k++) {
		size_t some = 0;

		for (size_t i = 0; i < n; i++)
			if ((blocks[i] >= l->middle) == k)
				scratch[some++] = fabs(blocks[i] - l->level[k]);
		most = fmax(most, some ? TS_MAD_TO_SD * ts_median(scratch, some, scratch) : 0);
	}
	return most;
}

/* Sets *out if the medians of blocks gather about two levels and go from one to the other at least so often. */
static bool two_levels(const double *v, size_t n, size_t switches, double *blocks, double *scratch, struct ts_slowdown *out)
{
	size_t m = 0, size = n / BLOCKS;
	struct levels l = {.switches = 0};
	double least;

	size = size < BLOCK / 4 ? BLOCK / 4 : size > BLOCK ? BLOCK : size;
	for (size_t i = 0; i + size <= n; i += size) {
		double x = finite_median(v + i, size, scratch);

		if (isfinite(x))
			blocks[m++] = x;
	}
	if (m < BLOCKS_LEAST)
		return false;
	l.middle = split(blocks, m, scratch, l.level);
	count_sides(blocks, m, &l);
	least = SHARE * (double)m;
	if (l.switches < switches || (double)l.count[0] < least || (double)l.count[1] < least || (double)l.wrong < least ||
	    !(l.level[1] > l.level[0] * (1 + CHANGE)) || !(l.level[1] - l.level[0] > APART * within(blocks, m, &l, scratch)))
		return false;
	*out = (struct ts_slowdown){
		.kind = TS_SLOWDOWN_LEVELS,
		.last = n - 1,
		.before = l.level[0],
		.after = l.level[1],
		.upper_share = (double)l.count[1] / (double)m,
		.switches = l.switches,
	};
	return true;
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

const char *ts_slowdown_word(enum ts_slowdown_kind kind)
{
	static const char *const words[] = {"none found", "step", "ramp", "stretch", "two levels"};

	return words[kind];
}

enum ts_status ts_slowdown_find(const struct ts_series *times, const struct ts_spikes *found, struct ts_arena *arena,
				struct ts_slowdown *ret_slowdown, struct ts_error *err)
{
	struct ts_slowdown out = {.kind = TS_SLOWDOWN_NONE};
	const double *v = times->values;
	size_t n = times->n;
	double *scratch = ts_arena_array(arena, n, sizeof *scratch);
	double *blocks = ts_arena_array(arena, n / (BLOCK / 4), sizeof *blocks);
	struct shape shape;
	struct cells cells;
	bool came_back, by_shift;

	if (!scratch || !blocks)
		return ts_arena_error(arena, err);
	if (fill(&cells, v, n, scratch) && lasting(&cells, &shape))
		(is_step(&shape) ? measure_step : measure_ramp)(&cells, v, &shape, scratch, &out);
	if (!(out.before > 0 && out.after > out.before))
		out = (struct ts_slowdown){.kind = TS_SLOWDOWN_NONE};
	by_shift = out.kind == TS_SLOWDOWN_NONE;
	if (by_shift)
		by_shifts(found, &out);
	end_stretch(v, n, found, by_shift, &out);
	came_back = out.kind != TS_SLOWDOWN_NONE && (was_there(found, &out) || is_mixed(v, n, &out, scratch));
	/* Whatever rises may be one of two levels; a rise to where the run was before is no slow-down. */
	if ((out.kind != TS_SLOWDOWN_NONE || found->shifts) &&
	    !two_levels(v, n, came_back ? SWITCHES - 1 : SWITCHES, blocks, scratch, &out) && came_back)
		out = (struct ts_slowdown){.kind = TS_SLOWDOWN_NONE};
	out.cost = cost_of(&out, n);
	*ret_slowdown = out;
	return TS_OK;
}
