#include "analysis/rank/rise.h"

#include "analysis/stats/stats.h"

#include <math.h>
#include <string.h>

enum {
	FINE = 128, /* the finest blocks */
	FAR = 4,    /* distance of second differences, in finest blocks */
	LAST = 3,   /* blocks of the level at the end */
};

static const size_t grids[] = {16, 32, 64};
static const double times_moves = 2.5, times_noise = 3.5;

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

static size_t start_of(size_t n, size_t blocks, size_t b)
{
	return n / blocks * b + n % blocks * b / blocks;
}

static void reduce(const struct series *s, size_t blocks, struct path *ret)
{
	ret->n = s->n < blocks ? s->n : blocks;
	for (size_t i = 0; i < ret->n; i++) {
		size_t from = start_of(s->n, ret->n, i), to = start_of(s->n, ret->n, i + 1);
		double y = ts_median(s->x + from, to - from, s->scratch);

		ret->y[i] = s->sign * (s->logs ? log(y) : y);
	}
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
	double block; /* deviation of one of the finest blocks */
	double level; /* how far the noise alone may carry the level */
};

static double variance(const struct path *p, size_t distance)
{
	double d[FINE], scratch[FINE], deviation;
	size_t n = 0;

	for (size_t i = 2 * distance; i < p->n; i++)
		d[n++] = fabs(p->y[i - 2 * distance] - 2 * p->y[i - distance] + p->y[i]);
	deviation = 1.482602218505602 * ts_median(d, n, scratch);
	return deviation * deviation / 6;
}

static struct noise noise_of(const struct path *p)
{
	double near = variance(p, 1), far = variance(p, FAR), growth = near > 0 ? sqrt(far / near) : 2;

	growth = fmin(fmax(growth, 1), 2);
	far = fmax(near, far);
	return (struct noise){sqrt(far), sqrt(far * pow((double)p->n / (4 * FAR), log2(growth)))};
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

	return rise > times_moves * moves && rise > times_noise * noise->level && rise > 0 &&
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

/* Returns the split between two levels that is best in absolute distances, among the values of two blocks. */
static size_t exact_step(const struct series *s, size_t from, size_t to, double before, double after)
{
	double sum = 0, least = 0;
	size_t best = from;

	for (size_t i = from; i < to; i++) {
		sum += fabs(s->x[i] - before) - fabs(s->x[i] - after);
		if (sum < least) {
			least = sum;
			best = i + 1;
		}
	}
	return best;
}

static size_t begins(const struct series *s, const struct path *fine, double block_noise, double low, double end)
{
	size_t at = lowest(fine), from = at, best = at;
	double near = fine->y[at] + fmax(3 * block_noise, (level_at_end(fine, at) - fine->y[at]) / 20), least = HUGE_VAL;
	bool is_step = false;

	while (from > 0 && fine->y[from - 1] <= near)
		from--;
	for (size_t k = from; k + 1 < fine->n; k++)
		for (int step = 0; step < 2; step++) {
			double d = k > from || !step ? misfit(fine, from, k, step) : HUGE_VAL;

			if (d < least) {
				least = d;
				best = k;
				is_step = step;
			}
		}
	if (is_step)
		return exact_step(s, start_of(s->n, fine->n, best - 1), start_of(s->n, fine->n, best + 1), low, end);
	return (start_of(s->n, fine->n, best) + start_of(s->n, fine->n, best + 1)) / 2;
}

/* --- the whole --- */

/* Sets the levels from the values as they are, whichever look found the rise. */
static void describe(const struct series *s, const struct path *fine, const struct noise *noise, struct ts_rise *out)
{
	struct series plain = *s;
	struct path p;
	size_t low, k = sizeof grids / sizeof grids[0];

	while (k > 1 && s->n < 2 * grids[k - 1])
		k--;
	plain.logs = false;
	reduce(&plain, grids[k - 1], &p);
	low = lowest(&p);
	*out = (struct ts_rise){.found = true, .low = p.y[low], .end = level_at_end(&p, low)};
	out->from = begins(s, fine, noise->block, out->low, out->end);
}

static bool positive(const double *x, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (!(x[i] > 0))
			return false;
	return true;
}

/* Looks at the series as it is and, if it can be, at its logarithms. */
static bool look(struct series *s, struct ts_rise *out)
{
	for (size_t k = 0; k < 2; k++) {
		struct path fine, p;
		struct noise noise;

		s->logs = k > 0;
		if (s->logs && !positive(s->x, s->n))
			break;
		reduce(s, FINE, &fine);
		noise = noise_of(&fine);
		for (size_t i = 0; i < sizeof grids / sizeof grids[0] && s->n >= 2 * grids[i]; i++) {
			reduce(s, grids[i], &p);
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
	*ret = (struct series){.x = x, .n = n, .sign = sign, .scratch = ts_arena_array(arena, n / grids[0] + 1, sizeof *x)};
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
