#include "analysis/rank/rise.h"

#include "analysis/rank/floor.h"
#include "analysis/stats/series.h"
#include "analysis/stats/stats.h"

#include <math.h>
#include <string.h>

enum {
	FINE = 128,	   /* the finest blocks */
	FAR = 4,	   /* distance of second differences, in finest blocks */
	LAST = 3,	   /* blocks of the level at the end */
	GROWTH_BLOCKS = 6, /* that a growth must last */
	CYCLE_POINTS = 24, /* at least */
	CYCLES_RISEN = 3,  /* cycles behind the beginning of a growth */
	LAST_VALUES = 5,
};

static const size_t grids[] = {16, 32, 64}, growth_grids[] = {12, 24, 48};
static const double times_moves = 2.5, times_noise = 3.5, growth_moves = 2;

/* One series of block medians. */
struct path {
	double y[FINE];
	size_t n;
};

struct series {
	const double *x;
	size_t n;
	double sign; /* -1: the series is looked at upside down */
	bool logs;
	double *scratch;
};

static void blocks_of(const struct series *s, size_t blocks, struct path *ret)
{
	ret->n = s->n < blocks ? s->n : blocks;
	for (size_t i = 0; i < ret->n; i++) {
		size_t from = ts_block_start(s->n, ret->n, i), to = ts_block_start(s->n, ret->n, i + 1);

		ret->y[i] = ts_median(s->x + from, to - from, s->scratch);
	}
}

static void onto_scale(const struct series *s, const struct path *blocks, struct path *ret)
{
	ret->n = blocks->n;
	for (size_t i = 0; i < ret->n; i++)
		ret->y[i] = s->sign * (s->logs ? log(blocks->y[i]) : blocks->y[i]);
}

static void reduce(const struct series *s, size_t blocks, struct path *ret)
{
	struct path plain;

	blocks_of(s, blocks, &plain);
	onto_scale(s, &plain, ret);
}

static size_t lowest(const struct path *p)
{
	size_t at = 0;

	for (size_t i = 1; i < p->n; i++)
		if (p->y[i] < p->y[at])
			at = i;
	return at;
}

/* Returns the largest climb (direction 1) or descent (-1) from any block of from..to - 1 to a later one. */
static double move(const struct path *p, size_t from, size_t to, double direction)
{
	double least = HUGE_VAL, most = 0;

	for (size_t i = from; i < to; i++) {
		least = fmin(least, direction * p->y[i]);
		most = fmax(most, direction * p->y[i] - least);
	}
	return most;
}

static double level_at_end(const struct path *p, size_t low)
{
	double scratch[LAST];

	return low + LAST > p->n ? p->y[p->n - 1] : ts_median(p->y + p->n - LAST, LAST, scratch);
}

/* --- noise --- */

struct noise {
	double block;  /* deviation of one of the finest blocks */
	double level;  /* how far the noise alone may carry the level of such blocks */
	double doubled; /* log2 of the growth of the variance for a doubling of the distance: 0 for white noise, 1 for a random walk */
};

/* Returns the same for blocks that are made of so many of the finest ones: white noise averages out, a random walk does not. */
static double level_noise(const struct noise *noise, double merged)
{
	return noise->level * sqrt(pow(merged, noise->doubled - 1));
}

static double variance(const struct path *p, size_t distance)
{
	double d[FINE], scratch[FINE], deviation;
	size_t n = 0;

	for (size_t i = 2 * distance; i < p->n; i++)
		d[n++] = fabs(p->y[i - 2 * distance] - 2 * p->y[i - distance] + p->y[i]);
	deviation = TS_MAD_TO_SD * ts_median(d, n, scratch);
	return deviation * deviation / 6;
}

/* distance is a power of two, from which the growth for a doubling follows. */
static struct noise noise_of(const struct path *p, size_t distance)
{
	double near = variance(p, 1), far = variance(p, distance);
	double growth = near > 0 ? pow(far / near, 1 / log2((double)distance)) : 2;

	growth = fmin(fmax(growth, 1), 2);
	far = fmax(near, far);
	growth = log2(growth);
	return (struct noise){sqrt(far), sqrt(far * pow((double)p->n / (4 * (double)distance), growth)), growth};
}

/* --- one look --- */

static bool recovers(const struct path *p, size_t low, double rise, double allowed, double part)
{
	return move(p, low, p->n, -1) > fmax(allowed, rise * part);
}

static bool rises(const struct path *p, const struct path *fine, const struct noise *noise)
{
	size_t low = lowest(p);
	double rise = level_at_end(p, low) - p->y[low];
	double moves = fmax(move(p, low / 4, low + 1, 1), move(p, low, p->n, -1));
	double level = level_noise(noise, (double)fine->n / (double)p->n);

	return rise > times_moves * moves && rise > times_noise * level && rise > 0 &&
	       !recovers(p, low, rise, noise->level, 0.2) &&
	       !recovers(fine, lowest(fine), rise, 6 * noise->block, 1.0 / 3);
}

/* --- where it begins --- */

/* Returns the sum of squares of the best fit of y = a + b max(0, i - k) to blocks from..n - 1, or of two levels that meet at k. */
static double misfit(const struct path *p, size_t from, size_t k, bool step)
{
	double n = 0, y = 0, u = 0, uy = 0, uu = 0, yy = 0;

	for (size_t i = from; i < p->n; i++) {
		double r = step ? (double)(i >= k) : i > k ? (double)(i - k) : 0, v = p->y[i] - p->y[from];

		n++;
		y += v;
		u += r;
		uy += r * v;
		uu += r * r;
		yy += v * v;
	}
	uu -= u * u / n;
	uy -= u * y / n;
	return yy - y * y / n - (uu > 0 ? uy * uy / uu : 0);
}

/* Where a path turns up, as a block, or the first block of the later level. */
struct turn {
	size_t at;
	bool step;
};

static struct turn turn_of(const struct path *p, double block_noise)
{
	size_t low = lowest(p), from = low;
	double near = p->y[low] + fmax(3 * block_noise, (level_at_end(p, low) - p->y[low]) / 20), least = HUGE_VAL;
	struct turn best = {low, false};

	while (from > 0 && p->y[from - 1] <= near)
		from--;
	for (size_t k = from; k + 1 < p->n; k++)
		for (int step = 0; step < 2; step++) {
			double d = k > from || !step ? misfit(p, from, k, step) : HUGE_VAL;

			if (d < least) {
				least = d;
				best = (struct turn){k, step};
			}
		}
	return best;
}

static size_t middle_of(size_t n, size_t blocks, size_t b)
{
	return (ts_block_start(n, blocks, b) + ts_block_start(n, blocks, b + 1)) / 2;
}

static size_t begins(const struct series *s, const struct path *fine, double block_noise, double low, double end)
{
	struct turn t = turn_of(fine, block_noise);
	size_t from;

	if (!t.step)
		return middle_of(s->n, fine->n, t.at);
	from = ts_block_start(s->n, fine->n, t.at - 1);
	return ts_level_split(s->x, from, from, ts_block_start(s->n, fine->n, t.at + 1), low, end);
}

/* --- growth --- */

/* Whether blocks from..n - 1 rise all the way: no fifth of them has more than this share of the rise, and the last third has its
 * part. */
static bool keeps_on(const struct path *p, size_t from, double most_at_once)
{
	size_t n = p->n - from, fifth = n / 5 + 1;
	double rise = p->y[p->n - 1] - p->y[from], most = 0;

	for (size_t i = from; i + fifth < p->n; i++)
		most = fmax(most, p->y[i + fifth] - p->y[i]);
	return n >= GROWTH_BLOCKS && rise > 0 && most <= most_at_once * rise &&
	       p->y[p->n - 1] - p->y[p->n - 1 - n / 3] >= rise / 6;
}

/* Returns which value the point k of the path through the cycles belongs to: their lengths differ, those between its points do not. */
static double place_of(const struct ts_floor *c, size_t points, size_t k)
{
	double from = (double)c->at[0], to = (double)c->at[c->n - 1];

	return from + (to - from) * (double)k / (double)(points - 1);
}

/* Leads a path of equal distances through the floors of the cycles. */
static void through(const struct ts_floor *c, struct path *ret)
{
	ret->n = c->n < CYCLE_POINTS ? CYCLE_POINTS : c->n;
	for (size_t k = 0, i = 0; k < ret->n; k++) {
		double at = place_of(c, ret->n, k), from, to;

		while (i + 2 < c->n && (double)c->at[i + 1] < at)
			i++;
		from = (double)c->at[i];
		to = (double)c->at[i + 1];
		ret->y[k] = c->y[i] + (c->y[i + 1] - c->y[i]) * (at - from) / (to - from);
	}
}

/* Whether enough cycles lie behind a turn, and neither one of the steps between two of them is most of the rise, nor two are nearly
 * all of it. */
static bool by_many(const struct ts_floor *c, double from)
{
	double most = 0, second = 0, rise;
	size_t first = 0;

	while (first + 1 < c->n && (double)c->at[first] < from)
		first++;
	rise = c->y[c->n - 1] - (first ? fmin(c->y[first - 1], c->y[first]) : c->y[0]);
	for (size_t i = first ? first : 1; i < c->n; i++) {
		double step = c->y[i] - c->y[i - 1];

		second = fmax(second, fmin(step, most));
		most = fmax(most, step);
	}
	return c->n - first >= CYCLES_RISEN && most <= 0.6 * rise && most + second <= 0.85 * rise;
}

static bool grows(const struct path *p, double most_at_once, struct turn *ret_turn)
{
	size_t low = lowest(p);
	struct noise noise = noise_of(p, 2);
	double rise = level_at_end(p, low) - p->y[low];
	double moves = fmax(move(p, 0, low + 1, 1), move(p, low, p->n, -1));

	if (!(rise > growth_moves * moves && rise > times_noise * noise.level && rise > 0))
		return false;
	*ret_turn = turn_of(p, noise.block);
	return !ret_turn->step && keeps_on(p, ret_turn->at, most_at_once);
}

/* --- the whole --- */

/* Sets the levels from the values as they are, whichever look found the rise. The end is that of the last 128th, five values or
 * more. */
static void describe(const struct series *s, const struct path *fine, const struct noise *noise, struct ts_rise *out)
{
	struct series plain = *s;
	struct path p = {.n = 0};
	size_t low, last, k = sizeof grids / sizeof grids[0];

	while (k > 1 && s->n < 2 * grids[k - 1])
		k--;
	plain.logs = false;
	reduce(&plain, grids[k - 1], &p);
	low = lowest(&p);
	last = s->n / FINE < LAST_VALUES ? LAST_VALUES : s->n / FINE;
	*out = (struct ts_rise){.found = true, .low = p.y[low], .end = ts_median(s->x + s->n - last, last, s->scratch)};
	out->from = begins(s, fine, noise->block, out->low, out->end);
}

static bool positive(const double *x, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (!(x[i] > 0))
			return false;
	return true;
}

/* Looks at the series as it is and, if it can be, at its logarithms, which have the same blocks. */
static bool look(struct series *s, struct ts_rise *out)
{
	struct path fine_blocks, blocks[sizeof grids / sizeof grids[0]] = {{.n = 0}};

	blocks_of(s, s->n < 3 * grids[0] ? grids[0] : s->n < 3 * FINE ? s->n / 3 : FINE, &fine_blocks);
	for (size_t k = 0; k < 2; k++) {
		struct path fine, p = {.n = 0};
		struct noise noise;

		s->logs = k > 0;
		if (s->logs && !positive(s->x, s->n))
			break;
		onto_scale(s, &fine_blocks, &fine);
		noise = noise_of(&fine, FAR);
		for (size_t i = 0; i < sizeof grids / sizeof grids[0] && s->n >= 2 * grids[i]; i++) {
			if (blocks[i].n == 0)
				blocks_of(s, grids[i], &blocks[i]);
			onto_scale(s, &blocks[i], &p);
			if (!rises(&p, &fine, &noise))
				continue;
			if (out)
				describe(s, &fine, &noise, out);
			return true;
		}
	}
	return false;
}

static enum ts_status prepare(const double *x, size_t n, double sign, struct ts_arena *arena, struct series *ret,
			      struct ts_error *err)
{
	double *scratch = ts_arena_array(arena, n / growth_grids[0] + LAST_VALUES, sizeof *scratch);

	*ret = (struct series){.x = x, .n = n, .sign = sign, .scratch = scratch};
	return ret->scratch ? TS_OK : ts_arena_error(arena, err);
}

enum ts_status ts_rise_find(const double *x, size_t n, struct ts_arena *arena, struct ts_rise *ret_rise, struct ts_error *err)
{
	struct series s;

	*ret_rise = (struct ts_rise){.found = false};
	if (n < TS_RISE_LEAST)
		return TS_OK;
	if (prepare(x, n, 1, arena, &s, err))
		return err->status;
	(void)look(&s, ret_rise);
	return TS_OK;
}

enum ts_status ts_falls(const double *x, size_t n, struct ts_arena *arena, bool *ret_falls, struct ts_error *err)
{
	struct series s;

	*ret_falls = false;
	if (n < TS_RISE_LEAST)
		return TS_OK;
	if (prepare(x, n, -1, arena, &s, err))
		return err->status;
	*ret_falls = look(&s, NULL);
	return TS_OK;
}

enum ts_status ts_growth_find(const double *x, size_t n, struct ts_arena *arena, struct ts_growth *ret_growth, struct ts_error *err)
{
	struct ts_floor floor;
	struct series s;
	struct path p;
	struct turn turn;

	*ret_growth = (struct ts_growth){.found = false};
	if (n < TS_RISE_LEAST)
		return TS_OK;
	if (prepare(x, n, 1, arena, &s, err))
		return err->status;
	if (ts_floor_cycles(x, n, s.scratch, &floor)) {
		through(&floor, &p);
		if (grows(&p, 0.6, &turn) && by_many(&floor, place_of(&floor, p.n, turn.at)))
			*ret_growth = (struct ts_growth){true, (size_t)place_of(&floor, p.n, turn.at), true};
		return TS_OK;
	}
	for (size_t i = 0; i < sizeof growth_grids / sizeof growth_grids[0] && n >= 2 * growth_grids[i]; i++) {
		ts_floor_blocks(x, n, growth_grids[i], &floor);
		p.n = floor.n;
		memcpy(p.y, floor.y, p.n * sizeof *p.y);
		if (grows(&p, 0.5, &turn)) /* the finest that shows it says best where it begins */
			*ret_growth = (struct ts_growth){true, middle_of(n, p.n, turn.at), false};
	}
	return TS_OK;
}
