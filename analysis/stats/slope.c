#include "analysis/stats/slope.h"

#include "analysis/stats/stats.h"
#include "base/bisect.h"
#include "base/door.h"
#include "base/order.h"

#include <math.h>
#include <string.h>

enum {
	PIECES = 8, /* straight pieces around which residuals are computed */
	PIECE_LEAST = 12,
	LEVELS = 12,
	LEVELS_LEAST = 6,
	PARTS = 3,
};

#define ALPHA 0.01
#define Z95 1.959963984540054
#define ROUNDING 0x1p-40 /* residuals below this part of the values are rounding errors of doubles */

struct points {
	double *t, *y;
	size_t n;
};

struct kendall {
	double s, variance; /* of S, with ties */
};

struct work {
	double *slopes; /* of all pairs */
	double *sorted, *rank, *residuals, *spare; /* one for each point */
};

/* --- points --- */

static double key_offset(const struct ts_series *s, size_t i)
{
	return ts_key_distance(s->keys[0], s->keys[i]);
}

static enum ts_status points_of(const struct ts_series *s, size_t blocks, struct ts_arena *scratch,
				struct points *ret_points, struct ts_error *err)
{
	size_t most = blocks < TS_SLOPE_BLOCKS ? blocks : TS_SLOPE_EXACT;
	size_t n = s->n <= most ? s->n : blocks;
	double *t = ts_arena_array(scratch, n, sizeof *t), *y = ts_arena_array(scratch, n, sizeof *y);
	double *block = ts_arena_array(scratch, s->n / (n ? n : 1) + 1, sizeof *block);

	if (!t || !y || !block)
		return ts_arena_error(scratch, err);
	for (size_t b = 0; b < n; b++) {
		size_t from = ts_block_start(s->n, n, b), to = ts_block_start(s->n, n, b + 1), width = to - from;

		t[b] = (key_offset(s, from + (width - 1) / 2) + key_offset(s, from + width / 2)) / 2;
		memcpy(block, s->values + from, width * sizeof *block);
		y[b] = width == 1 ? block[0] : ts_median(block, width, block);
	}
	*ret_points = (struct points){t, y, n};
	return TS_OK;
}

static struct points part_of(const struct points *p, size_t parts, size_t i)
{
	size_t from = ts_block_start(p->n, parts, i), to = ts_block_start(p->n, parts, i + 1);

	return (struct points){p->t + from, p->y + from, to - from};
}

/* --- Mann and Kendall --- */

/* Computes the variance of S under exchangeability, reduced for each group of equal values. */
static double kendall_variance(const double *y, size_t n, double *sorted)
{
	double m = (double)n, sum = m * (m - 1) * (2 * m + 5);

	memcpy(sorted, y, n * sizeof *y);
	TS_SORT(sorted, n, ts_by_double);
	for (size_t i = 0, j; i < n; i = j) {
		double ties;

		for (j = i + 1; j < n && sorted[j] <= sorted[i]; j++)
			;
		ties = (double)(j - i);
		sum -= ties * (ties - 1) * (2 * ties + 5);
	}
	return sum / 18;
}

/* Fills w->slopes with the n (n-1) / 2 slopes and counts their signs. */
static struct kendall kendall_of(const struct points *p, const struct work *w)
{
	int64_t s = 0;
	size_t at = 0;

	for (size_t j = 1; j < p->n; j++)
		for (size_t i = 0; i < j; i++) {
			double rise = p->y[j] - p->y[i];

			s += (rise > 0) - (rise < 0);
			w->slopes[at++] = rise / (p->t[j] - p->t[i]);
		}
	return (struct kendall){(double)s, kendall_variance(p->y, p->n, w->sorted)};
}

/* The p-value is two-sided, with continuity correction; it is 1 if S has the other sign. */
static double kendall_p(const struct kendall *k, double inflation, double direction)
{
	double s = k->s * direction;

	if (s <= 1 || k->variance <= 0)
		return 1;
	return erfc((s - 1) / sqrt(2 * k->variance * inflation));
}

/* --- autocorrelation --- */

/* Computes the average ranks of y, from 1 to n. */
static void ranks_of(const double *y, size_t n, const struct work *w)
{
	memcpy(w->sorted, y, n * sizeof *y);
	TS_SORT(w->sorted, n, ts_by_double);
	for (size_t i = 0; i < n; i++) {
		size_t first = 0, behind;

		TS_BISECT(first, n, k, w->sorted[k] < y[i]);
		behind = first;
		TS_BISECT(behind, n - behind, k, w->sorted[k] <= y[i]);
		w->rank[i] = ((double)first + (double)behind + 1) / 2;
	}
}

/* Computes the distances from the least-squares line through the points. */
static void residuals_of(const struct points *p, double *out)
{
	double t_mean = ts_mean(p->t, p->n), y_mean = ts_mean(p->y, p->n), ty = 0, tt = 0, largest = 0, slope;

	for (size_t i = 0; i < p->n; i++) {
		double t = p->t[i] - t_mean;

		ty += t * (p->y[i] - y_mean);
		tt += t * t;
		largest = fmax(largest, fabs(p->y[i]));
	}
	slope = tt > 0 ? ty / tt : 0;
	for (size_t i = 0; i < p->n; i++) {
		double r = p->y[i] - y_mean - slope * (p->t[i] - t_mean);

		out[i] = fabs(r) <= largest * ROUNDING ? 0 : r;
	}
}

/* Returns the factor by which autocorrelation around at most this many straight pieces widens S; see slope.h. */
static double inflation_of(const struct points *p, size_t pieces, const struct work *w)
{
	double product = 0, square = 0, m, r, most;

	pieces = p->n / PIECE_LEAST < pieces ? p->n / PIECE_LEAST : pieces;
	pieces = pieces ? pieces : 1;
	for (size_t i = 0; i < pieces; i++) {
		struct points piece = part_of(p, pieces, i);

		residuals_of(&piece, w->residuals + (piece.t - p->t));
	}
	ranks_of(w->residuals, p->n, w);
	for (size_t i = 0; i < pieces; i++) {
		struct points piece = part_of(p, pieces, i);
		double *x = w->rank + (piece.t - p->t), mean = ts_mean(x, piece.n);

		for (size_t j = 0; j < piece.n; j++) {
			square += (x[j] - mean) * (x[j] - mean);
			if (j > 0)
				product += (x[j - 1] - mean) * (x[j] - mean);
		}
	}
	if (square <= 0)
		return 1;
	m = (double)p->n / (double)pieces;
	most = m / 2;
	r = product / square * m / (m - 1);
	r = (r + 2 / m) / (1 - 4 / m);
	r = fmin(r, (most - 1) / (most + 1));
	return r > 0 ? (1 + r) / (1 - r) : 1;
}

/* --- the slope --- */

static bool slope_and_interval(size_t n, const struct kendall *k, double inflation, const struct work *w, double *ret_slope,
			       double *ret_low, double *ret_high)
{
	double pairs = (double)n * ((double)n - 1) / 2, half = Z95 * sqrt(k->variance * inflation);
	double below = (pairs - half) / 2 - 1, above = (pairs + half) / 2; /* ranks are counted from 0 */
	bool enough = below >= 0 && above <= pairs - 1;
	double q[3] = {50, 50, 50}, out[3];

	/* In a constant series every pair has slope 0, however few pairs there are. */
	if (enough) {
		q[0] = 100 * below / (pairs - 1);
		q[2] = 100 * above / (pairs - 1);
	}
	ts_percentiles(w->slopes, (size_t)pairs, q, 3, out);
	*ret_low = out[0];
	*ret_slope = out[1];
	*ret_high = out[2];
	return enough || k->variance <= 0;
}

/* Returns the p-value of the thirds; ret_worst is the third that supports the trend least. */
static double parts_p(const struct points *p, const struct work *w, double inflation, double direction,
		      struct points *ret_worst)
{
	double worst = -1;

	for (size_t i = 0; i < PARTS; i++) {
		struct points part = part_of(p, PARTS, i);
		struct kendall k = kendall_of(&part, w);
		double value = kendall_p(&k, inflation, direction);

		if (value > worst) {
			worst = value;
			*ret_worst = part;
		}
	}
	return worst;
}

/* Applies Mann and Kendall's test to the medians of some equal parts, which are longer than most correlations. */
static double levels_p(const struct points *p, const struct work *w, double direction)
{
	size_t n = p->n / 3;
	double t[LEVELS], y[LEVELS];
	struct points levels = {t, y, 0};
	struct kendall k;

	n = n < LEVELS_LEAST ? LEVELS_LEAST : n > LEVELS ? LEVELS : n;
	for (size_t i = 0; i < n; i++) {
		struct points part = part_of(p, n, i);

		t[i] = (double)i;
		memcpy(w->sorted, part.y, part.n * sizeof *part.y);
		y[i] = ts_median(w->sorted, part.n, w->sorted);
	}
	levels.n = n;
	k = kendall_of(&levels, w);
	return kendall_p(&k, 1, direction);
}

static void widen(const struct points *third, double inflation, const struct work *w, struct ts_slope *out)
{
	struct kendall k = kendall_of(third, w);
	double slope, low, high;

	if (!slope_and_interval(third->n, &k, inflation, w, &slope, &low, &high))
		return;
	out->low = fmin(out->low, low);
	out->high = fmax(out->high, high);
}

static void test_trend(const struct points *p, const struct work *w, const struct kendall *all, struct ts_slope *out)
{
	double direction = all->s < 0 ? -1 : 1, thirds;
	struct points worst = *p;

	out->p_value = kendall_p(all, out->inflation, direction);
	thirds = parts_p(p, w, out->inflation, direction, &worst);
	out->p_value = fmax(out->p_value, fmax(thirds, levels_p(p, w, direction)));
	out->has_p = true;
	if (thirds >= 0.05 && out->has_interval)
		widen(&worst, out->inflation, w, out);
}

/* --- one jump --- */

static double distance(const double *y, size_t n, double level)
{
	double sum = 0;

	for (size_t i = 0; i < n; i++)
		sum += fabs(y[i] - level);
	return sum;
}

static double median_kept(const double *y, size_t n, const struct work *w)
{
	memcpy(w->sorted, y, n * sizeof *y);
	return ts_median(w->sorted, n, w->sorted);
}

/* Returns the first value of the new level: the sum of distances from the level before and the level after is least
 * there. */
static size_t jump_at(const struct ts_series *s, double before, double after)
{
	size_t best = 0;
	double sum = 0, least = HUGE_VAL;

	for (size_t i = 0; i < s->n; i++) {
		if (i > 0 && sum < least) {
			least = sum;
			best = i;
		}
		sum += fabs(s->values[i] - before) - fabs(s->values[i] - after);
	}
	return best;
}

/* Returns the split at which Mann and Whitney's statistic, of the ranks before it against those after, is greatest. */
static size_t best_split(const struct points *p, const struct work *w, double *ret_z)
{
	double n = (double)p->n, sum = 0;
	size_t best = 0;

	*ret_z = 0;
	ranks_of(p->y, p->n, w);
	for (size_t i = 1; i < p->n; i++) {
		double k = (double)i, z;

		sum += w->rank[i - 1] - (n + 1) / 2;
		z = fabs(sum) / sqrt(k * (n - k) * (n + 1) / 12);
		if (z > *ret_z) {
			*ret_z = z;
			best = i;
		}
	}
	return best;
}

static void find_jump(const struct ts_series *s, const struct points *p, const struct work *w, struct ts_slope *out)
{
	struct points around = {p->t, w->spare, p->n};
	double z, before, after, line, step;
	size_t cut = best_split(p, w, &z);

	if (cut == 0)
		return;
	before = median_kept(p->y, cut, w);
	after = median_kept(p->y + cut, p->n - cut, w);
	for (size_t i = 0; i < p->n; i++)
		around.y[i] = p->y[i] - out->slope * p->t[i];
	line = distance(around.y, p->n, median_kept(around.y, p->n, w));
	for (size_t i = 0; i < p->n; i++)
		around.y[i] = p->y[i] - (i < cut ? before : after);
	step = distance(around.y, p->n, 0);
	if (step >= line || (double)p->n * erfc(z / sqrt(2 * inflation_of(&around, PIECES, w))) >= ALPHA)
		return;
	out->has_jump = true;
	out->jump = after - before;
	out->jump_key = s->keys[jump_at(s, before, after)];
}

/* --- the whole --- */

static enum ts_status work_of(size_t n, struct ts_arena *scratch, struct work *w, struct ts_error *err)
{
	w->slopes = ts_arena_alloc(scratch, n * (n - (n > 0)) / 2 * sizeof *w->slopes);
	w->sorted = ts_arena_array(scratch, n, sizeof *w->sorted);
	w->rank = ts_arena_array(scratch, n, sizeof *w->rank);
	w->residuals = ts_arena_array(scratch, n, sizeof *w->residuals);
	w->spare = ts_arena_array(scratch, n, sizeof *w->spare);
	return w->slopes && w->sorted && w->rank && w->residuals && w->spare ? TS_OK : ts_arena_error(scratch, err);
}

enum ts_status ts_slope_fit(const struct ts_series *s, size_t blocks, struct ts_arena *scratch, struct ts_slope *ret_slope,
			    struct ts_error *err)
{
	struct ts_slope out = {.n = s->n};
	struct points p = {.n = 0}, last;
	struct kendall all;
	struct work w;
	double around;

	TS_DOOR(ts_series_holds(s));
	blocks = blocks > TS_SLOPE_BLOCKS ? TS_SLOPE_BLOCKS : blocks < TS_SLOPE_LEAST ? TS_SLOPE_LEAST : blocks;
	if (points_of(s, blocks, scratch, &p, err) || work_of(p.n, scratch, &w, err))
		return err->status;
	out.points = p.n;
	if (p.n > 0) {
		last = part_of(&p, p.n < LEVELS ? 1 : LEVELS, (p.n < LEVELS ? 1 : LEVELS) - 1);
		out.last_level = median_kept(last.y, last.n, &w);
	}
	if (p.n >= 3) {
		all = kendall_of(&p, &w);
		out.inflation = inflation_of(&p, PIECES, &w);
		around = fmax(out.inflation, inflation_of(&p, 1, &w));
		out.has_interval = slope_and_interval(p.n, &all, around, &w, &out.slope, &out.low, &out.high);
		out.known = isfinite(out.slope) && isfinite(out.low) && isfinite(out.high);
		if (out.known && p.n >= TS_SLOPE_LEAST)
			test_trend(&p, &w, &all, &out);
		if (out.has_p && out.p_value >= ALPHA)
			find_jump(s, &p, &w, &out);
	}
	if (!out.known)
		out.has_interval = out.has_p = out.has_jump = false;
	*ret_slope = out;
	return TS_OK;
}
