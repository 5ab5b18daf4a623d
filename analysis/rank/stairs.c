#include "analysis/rank/stairs.h"

#include "analysis/rank/floor.h"
#include "analysis/stats/stats.h"

#include <math.h>
#include <string.h>

enum { ENDS = 3 }; /* blocks of the first and of the last level */

static const size_t grids[] = {24, 48, 96};

/* A rise of the floor from block `from` to block `to`. */
struct climb {
	size_t from, to;
	double by;
};

static double median_of(const double *y, size_t n)
{
	double scratch[TS_FLOOR_MOST];

	return ts_median(y, n, scratch);
}

static double largest_descent(const struct ts_floor *f)
{
	double high = -HUGE_VAL, most = 0;

	for (size_t i = 0; i < f->n; i++) {
		high = fmax(high, f->y[i]);
		most = fmax(most, high - f->y[i]);
	}
	return most;
}

static double deviation(const struct ts_floor *f)
{
	double d[TS_FLOOR_MOST];

	for (size_t i = 0; i + 1 < f->n; i++)
		d[i] = fabs(f->y[i + 1] - f->y[i]);
	return TS_MAD_TO_SD * median_of(d, f->n - 1);
}

/* Returns how many rises there are; more than TS_STAIRS_MOST are none, because that many are a slope. */
static size_t climbs_of(const struct ts_floor *f, double least, struct climb *ret)
{
	size_t n = 0;

	for (size_t i = 0; i + 1 < f->n;) {
		struct climb c = {i, i, 0};

		while (c.to + 1 < f->n && f->y[c.to + 1] - f->y[c.to] >= least / 4)
			c.to++;
		c.by = f->y[c.to] - f->y[c.from];
		if (c.to > c.from && c.by >= least) {
			if (n == TS_STAIRS_MOST)
				return 0;
			ret[n++] = c;
		}
		i = c.to + 1;
	}
	return n;
}

/* Leaves out the rises that are small beside the largest. Returns 0 if too few are left, or these are not alike. */
static size_t keep_alike(struct climb *c, size_t n, double *ret_largest)
{
	size_t kept = 0;
	double largest = 0, least = HUGE_VAL;

	for (size_t k = 0; k < n; k++)
		largest = fmax(largest, c[k].by);
	for (size_t k = 0; k < n; k++)
		if (c[k].by >= largest / 4) {
			least = fmin(least, c[k].by);
			c[kept++] = c[k];
		}
	*ret_largest = largest;
	return kept < TS_STAIRS_LEAST || (kept == TS_STAIRS_LEAST && least < 0.4 * largest) ? 0 : kept;
}

/* Whether the rises come throughout the run, or from some step on, and have not ended. n is that of the series. */
static bool go_on(const struct ts_floor *f, const struct climb *c, size_t rises, size_t n)
{
	size_t within = 0, first = c[0].from, last = c[rises - 1].to;
	double span = (double)f->at[c[rises - 1].from] - (double)f->at[first], longest = 0;

	for (size_t k = 0; k < rises; k++) {
		within += c[k].to - c[k].from;
		if (k)
			longest = fmax(longest, (double)f->at[c[k].from] - (double)f->at[c[k - 1].from]);
	}
	return 3 * within <= last - first && 4 * span >= (double)n && 3 * longest <= 2 * span &&
	       (double)n - (double)f->at[c[rises - 1].from] <= 1.5 * longest;
}

static void describe(const double *x, const struct ts_floor *f, const struct climb *c, size_t rises, struct ts_stairs *out)
{
	out->n = rises;
	for (size_t k = 0; k <= rises; k++) {
		size_t from = k ? c[k - 1].to : 0, to = k < rises ? c[k].from + 1 : f->n;

		out->level[k] = median_of(f->y + from, to - from);
	}
	for (size_t k = 0; k < rises; k++) {
		double middle = out->level[k] + (out->level[k + 1] - out->level[k]) / 2;
		size_t i = f->at[c[k].to];

		while (i > f->at[c[k].from] && x[i - 1] >= middle)
			i--;
		out->at[k] = i;
	}
}

static void look(const double *x, size_t n, const struct ts_floor *f, struct ts_stairs *out)
{
	struct climb climbs[TS_STAIRS_MOST];
	double rise = median_of(f->y + f->n - ENDS, ENDS) - median_of(f->y, ENDS), sum = 0, largest, least;
	size_t rises;

	if (!(rise > 0) || f->n < grids[0] / 2)
		return;
	least = fmax(rise / 25, fmax(1.5 * largest_descent(f), 6 * deviation(f)));
	rises = keep_alike(climbs, climbs_of(f, least, climbs), &largest);
	if (!rises || !go_on(f, climbs, rises, n))
		return;
	for (size_t k = 0; k < rises; k++)
		sum += climbs[k].by;
	if (sum >= 0.75 * rise && largest <= 0.6 * rise)
		describe(x, f, climbs, rises, out);
}

enum ts_status ts_stairs_find(const double *x, size_t n, struct ts_arena *arena, struct ts_stairs *ret_stairs, struct ts_error *err)
{
	struct ts_stairs out = {.n = 0};
	struct ts_floor floor;
	double *scratch;

	*ret_stairs = out;
	if (n < TS_STAIRS_VALUES)
		return TS_OK;
	scratch = ts_arena_array(arena, n / TS_FLOOR_SAMPLED + 1, sizeof *scratch);
	if (!scratch)
		return ts_arena_error(arena, err);
	if (ts_floor_cycles(x, n, scratch, &floor))
		look(x, n, &floor, &out);
	for (size_t k = 0; k < sizeof grids / sizeof grids[0] && n >= 2 * grids[k]; k++) {
		ts_floor_blocks(x, n, grids[k], &floor);
		look(x, n, &floor, &out); /* the finest that shows them says best where they are */
	}
	*ret_stairs = out;
	return TS_OK;
}
