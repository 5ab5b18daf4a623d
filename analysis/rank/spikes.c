#include "analysis/rank/spikes.h"

#include "analysis/stats/stats.h"
#include "base/door.h"
#include "base/grow.h"
#include "base/order.h"

#include <float.h>
#include <limits.h>
#include <math.h>

enum {
	BLOCK = 16,		   /* values in a block of a long series, for ts_sort_16 */
	BLOCK_MAX = 2 * BLOCK - 1, /* the last block takes the remaining values */
	SCALE_REACH = 64,	   /* blocks on each side whose median gives a deviation */
	SHIFT_REACH = 4,	   /* blocks on each side of a level shift */
	SAMPLE = 1 << 16,	   /* distances to which a tail is fitted */
	GAP = 2,		   /* values between the hits of one event */
	BEFORE_LEAST = 4,	   /* values that make a level inside the first and the last block */
	SORTED = 1024,		   /* blocks whose spread is compared with their level */
	FIRST_HITS = 64,
};

/* Where a series follows its trend without noise, its values lie inside the expected range, and so would their
 * quantiles. */
#define LEAST_CUT 2.0
#define TRENDING 0.75 /* of the spread of a block: noise alone moves its neighbours so far apart in one block of a hundred */
#define RARELY 0.01   /* of the false events that are allowed are dips, in a series that falls: there nobody looks for them */
#define NORMAL_IQR 1.3489795003921634 /* the interquartile range of a standard normal */
#define TOLD 2.0 /* the factor between levels from which it can be told how the spread depends on the level */

enum scale { PLAIN, SQUARE_ROOT, FOURTH_ROOT, LOGARITHM, SCALES };

struct block {
	size_t at;		  /* the index of its first value */
	double low, median, high; /* quartiles */
};

/* Quantiles of distances at the knots compared with those of a normal distribution, and the tail beyond the last
 * knot. */
struct tail {
	size_t n;
	double z[6];
	double slope, bend;
};

/* One direction of departures, on the scale on which it is judged. */
struct side {
	enum scale scale;
	double sign;	   /* 1 up, -1 down */
	double *deviation; /* one for each block */
	struct tail tail;
	double cut; /* a value at this distance or further out is a hit */
};

struct finder {
	const struct ts_series *series;
	struct ts_arena *arena;
	struct block *blocks;
	double *level;	       /* the median of each block, on the scale of up */
	size_t n_blocks, size; /* finite values in a block */
	size_t finite;
	double usual; /* the median level where it moves, by too little to tell how noise depends on it; else 0 */
	bool positive;
	bool flat;
	struct side up, down;
	struct ts_spikes *out;
	size_t cap;
};

/* --- scales --- */

static double onto(enum scale scale, double x)
{
	switch (scale) {
	case SQUARE_ROOT:
		return sqrt(fmax(x, 0));
	case FOURTH_ROOT:
		return sqrt(sqrt(fmax(x, 0)));
	case LOGARITHM:
		return x > 0 ? log(x) : -HUGE_VAL;
	case PLAIN:
	case SCALES:
		break;
	}
	return x;
}

static double back(enum scale scale, double y)
{
	switch (scale) {
	case SQUARE_ROOT:
		return y > 0 ? y * y : 0;
	case FOURTH_ROOT:
		return y > 0 ? y * y * y * y : 0;
	case LOGARITHM:
		return exp(y);
	case PLAIN:
	case SCALES:
		break;
	}
	return y;
}

/* --- blocks --- */

static void order(double *a, double *b)
{
	double x = *a, y = *b;

	*a = x < y ? x : y;
	*b = x < y ? y : x;
}

static void sort_few(double *x, size_t n)
{
	for (size_t i = 1; i < n; i++) {
		double v = x[i];
		size_t j = i;

		for (; j > 0 && x[j - 1] > v; j--)
			x[j] = x[j - 1];
		x[j] = v;
	}
}

static inline double at_share(const double *sorted, size_t n, double share)
{
	double pos = share * (double)(n - 1);
	size_t lo = (size_t)pos;
	double f = pos - (double)lo;

	return lo + 1 < n ? sorted[lo] + f * (sorted[lo + 1] - sorted[lo]) : sorted[lo];
}

static double median_few(double *x, size_t n)
{
	sort_few(x, n);
	return n % 2 ? x[n / 2] : x[n / 2 - 1] + (x[n / 2] - x[n / 2 - 1]) / 2;
}

static double median_of_three(double a, double b, double c)
{
	order(&a, &b);
	order(&b, &c);
	order(&a, &b);
	return b;
}

static void block_of(struct finder *f, size_t at, double *values, size_t n)
{
	struct block *b = &f->blocks[f->n_blocks++];

	if (n == BLOCK)
		ts_sort_16(values);
	else
		sort_few(values, n);
	b->at = at;
	b->low = n == BLOCK ? at_share(values, BLOCK, 0.25) : at_share(values, n, 0.25); /* the first without arithmetic on n */
	b->median = n == BLOCK ? at_share(values, BLOCK, 0.5) : at_share(values, n, 0.5);
	b->high = n == BLOCK ? at_share(values, BLOCK, 0.75) : at_share(values, n, 0.75);
	f->positive &= values[0] > 0 || (values[n - 1] > 0 && b->low > 0);
}

static size_t finite_of(const struct ts_series *s)
{
	size_t n = 0;

	for (size_t i = 0; i < s->n; i++)
		n += isfinite(s->values[i]) ? 1 : 0;
	return n;
}

static size_t block_size(size_t finite)
{
	return finite >= 512 ? BLOCK : finite >= 96 ? BLOCK / 2 : BLOCK / 4;
}

static size_t block_end(const struct finder *f, size_t b)
{
	return b + 1 < f->n_blocks ? f->blocks[b + 1].at : f->series->n;
}

/* Where the levels around a block differ by much of its own spread, that is what it falls or rises by, and no noise: the quartiles are
 * taken anew, of its values less the trend. */
static void without_trend(struct finder *f, size_t b)
{
	struct block *block = &f->blocks[b];
	size_t before = b ? b - 1 : 0, after = b + 1 < f->n_blocks ? b + 1 : b, n = 0;
	double across = (f->blocks[after].median - f->blocks[before].median) / (double)(after - before), values[BLOCK_MAX];

	if (!(fabs(across) > TRENDING * (block->high - block->low)))
		return;
	for (size_t i = block->at; i < block_end(f, b); i++)
		if (isfinite(f->series->values[i]) && n < BLOCK_MAX)
			values[n++] = f->series->values[i];
	for (size_t i = 0; i < n; i++)
		values[i] -= across * (((double)i + 0.5) / (double)n - 0.5);
	sort_few(values, n);
	block->low = at_share(values, n, 0.25);
	block->high = at_share(values, n, 0.75);
}

static bool cut_blocks(struct finder *f)
{
	const struct ts_series *s = f->series;
	size_t whole = f->finite / f->size, n = 0, at = 0, left = f->finite;
	double values[BLOCK_MAX];

	f->blocks = ts_arena_array(f->arena, whole, sizeof *f->blocks);
	f->up.deviation = ts_arena_array(f->arena, whole, sizeof *f->up.deviation);
	f->level = ts_arena_array(f->arena, whole, sizeof *f->level);
	if (!f->blocks || !f->up.deviation || !f->level)
		return false;
	f->positive = true;
	for (size_t i = 0; i < s->n; i++) {
		if (!isfinite(s->values[i]))
			continue;
		values[n++] = s->values[i];
		if (n < f->size || (left < 2 * f->size && n < left))
			continue;
		block_of(f, at, values, n);
		left -= n;
		n = 0;
		at = i + 1;
	}
	for (size_t b = 0; f->n_blocks > 2 && b < f->n_blocks; b++)
		without_trend(f, b);
	return true;
}

/* Returns the median of the medians of up to three blocks from `from` on, below `to`. */
static double level_of(const struct finder *f, size_t from, size_t to)
{
	double m[3];
	size_t n = 0;

	for (size_t b = from; b < to && n < 3; b++)
		m[n++] = f->blocks[b].median;
	return n == 3 ? median_of_three(m[0], m[1], m[2]) : median_few(m, n);
}

/* Computes the bounds between which a block's values are expected. The first and the last block have neighbours on
 * one side only. */
static void expected_of(const struct finder *f, size_t b, double *ret_lo, double *ret_hi)
{
	double before = NAN, after = NAN;

	if (b > 0)
		before = level_of(f, b >= 3 ? b - 3 : 0, b);
	if (b + 1 < f->n_blocks)
		after = level_of(f, b + 1, f->n_blocks);
	*ret_lo = fmin(before, after);
	*ret_hi = fmax(before, after);
}

/* --- which scale, and the deviations on it --- */

static double skew_of(enum scale scale, const double *q)
{
	double low = onto(scale, q[0]), mid = onto(scale, q[1]), high = onto(scale, q[2]);

	return high > low ? (high + low - 2 * mid) / (high - low) : 0;
}

/* Takes values divided by their level, at most SAMPLE, evenly spread over the series. */
static size_t sample_ratios(const struct finder *f, size_t stride, double *out)
{
	size_t n = 0;

	for (size_t b = 1; b + 1 < f->n_blocks; b += stride) {
		double lo, hi;

		expected_of(f, b, &lo, &hi);
		for (size_t i = f->blocks[b].at; i < f->blocks[b + 1].at; i++)
			if (isfinite(f->series->values[i]) && n < SAMPLE)
				out[n++] = f->series->values[i] / (lo / 2 + hi / 2);
	}
	return n;
}

TS_ORDER(by_level, struct block, TS_UP(median))

static double median_spread(const struct block *blocks, size_t n, double *scratch)
{
	static const double half[] = {50};
	double out;

	for (size_t b = 0; b < n; b++)
		scratch[b] = blocks[b].high - blocks[b].low;
	ts_percentiles(scratch, n, half, 1, &out);
	return out;
}

/* Returns the power of the level to which the spread is proportional: 0 for constant noise, 1 for noise in
 * proportion, NaN where the level changes too little to tell; f->usual is then the median level. It compares the lower half of the
 * levels with the upper eighth (a quarter if there are few blocks), because a falling loss is high for a short time only. */
static double spread_power(struct finder *f, struct block *sorted, double *scratch)
{
	size_t n = 0, top;
	double low_level, high_level, low_spread, high_spread;

	for (size_t b = 0; b < f->n_blocks; b += f->n_blocks / SORTED + 1) {
		double lo, hi;

		expected_of(f, b, &lo, &hi); /* not its own median, with which its own spread would correlate by chance */
		sorted[n] = f->blocks[b];
		sorted[n++].median = lo / 2 + hi / 2;
	}
	if (n < 8)
		return (double)NAN;
	TS_SORT(sorted, n, by_level);
	top = n >= 64 ? n / 8 : n / 4;
	low_level = sorted[n / 4].median;
	high_level = sorted[n - 1 - top / 2].median;
	low_spread = median_spread(sorted, n / 2, scratch);
	high_spread = median_spread(sorted + (n - top), top, scratch);
	if (!(high_level > TOLD * low_level) || !(low_spread > 0) || !(high_spread > 0)) {
		f->usual = sorted[n / 2].median;
		return (double)NAN;
	}
	return log(high_spread / low_spread) / log(high_level / low_level);
}

/* Chooses the scale for values above: the first, from plain to logarithm, on which the values are not skewed upward;
 * for values below, the other way round. Where the scales cannot be told apart with certainty, the one with the
 * lighter tail on that side is chosen. */
static void scales_by_skew(struct finder *f, double *sample, size_t n)
{
	static const double at[] = {5, 50, 95};
	double q[3], sure = 1 / sqrt((double)n); /* about one standard error of the skewness of normal values */

	ts_percentiles(sample, n, at, 3, q);
	if (!(q[0] > 0))
		return;
	while (f->up.scale < LOGARITHM && skew_of(f->up.scale, q) > -sure)
		f->up.scale++;
	f->down.scale = LOGARITHM;
	while (f->down.scale > PLAIN && skew_of(f->down.scale, q) < sure)
		f->down.scale--;
}

static bool choose_scales(struct finder *f, size_t stride, double *sample)
{
	struct block *sorted;
	double power;

	f->up.scale = f->down.scale = PLAIN;
	if (!f->positive)
		return true;
	sorted = ts_arena_array(f->arena, SORTED, sizeof *sorted);
	if (!sorted)
		return false;
	power = spread_power(f, sorted, sample);
	if (isfinite(power))
		f->up.scale = f->down.scale = power > 0.875 ? LOGARITHM :
					      power > 0.625 ? FOURTH_ROOT :
					      power > 0.25  ? SQUARE_ROOT :
							      PLAIN;
	else
		scales_by_skew(f, sample, sample_ratios(f, stride, sample));
	return true;
}

/* Returns how much larger noise in proportion is on this scale at a level than at the usual one. */
static double growth_on(enum scale scale, double times)
{
	switch (scale) {
	case PLAIN:
		return times;
	case SQUARE_ROOT:
		return sqrt(times);
	case FOURTH_ROOT:
		return sqrt(sqrt(times));
	case LOGARITHM:
	case SCALES:
		break;
	}
	return 1;
}

/* Where the level moves by too little to show how the spread depends on it, a value at a high level is far out only if it is so
 * too if the noise is in proportion: a loss that falls by a third begins with noise that is half as large again. */
static void allow_for_proportion(const struct finder *f, const struct side *side)
{
	for (size_t b = 0; f->usual > 0 && b < f->n_blocks; b++) {
		double lo, hi;

		expected_of(f, b, &lo, &hi);
		side->deviation[b] *= growth_on(side->scale, fmin(fmax((lo / 2 + hi / 2) / f->usual, 1), TOLD));
	}
}

/* Returns how many of n sorted values are less than v. */
static size_t below(const double *sorted, size_t n, double v)
{
	size_t at = 0;

	while (n > 1) {
		at += sorted[at + n / 2 - 1] < v ? n / 2 : 0;
		n -= n / 2;
	}
	return at + (n && sorted[at] < v);
}

static void put_in(double *sorted, size_t n, double v)
{
	size_t at = below(sorted, n, v);

	memmove(&sorted[at + 1], &sorted[at], (n - at) * sizeof *sorted);
	sorted[at] = v;
}

/* v is among the n values, unless it is not a number. */
static void take_out(double *sorted, size_t n, double v)
{
	size_t at = below(sorted, n - 1, v);

	memmove(&sorted[at], &sorted[at + 1], (n - 1 - at) * sizeof *sorted);
}

/* Takes v out and puts w in: only what lies between them moves. */
static void replace(double *sorted, size_t n, double v, double w)
{
	size_t from = below(sorted, n - 1, v), to = below(sorted, n, w);

	if (to > from) {
		to--; /* v is no longer below w */
		memmove(&sorted[from], &sorted[from + 1], (to - from) * sizeof *sorted);
	} else {
		memmove(&sorted[to + 1], &sorted[to], (from - to) * sizeof *sorted);
	}
	sorted[to] = w;
}

/* Computes the running median of the spreads in a sorted window. */
static void deviations(struct finder *f, const struct side *side)
{
	double window[2 * SCALE_REACH + 1], *spread = f->level; /* borrowed, because level is filled later */
	size_t n = 0;

	for (size_t b = 0; b < f->n_blocks; b++)
		spread[b] = (onto(side->scale, f->blocks[b].high) - onto(side->scale, f->blocks[b].low)) / NORMAL_IQR;
	for (size_t b = 0; b < f->n_blocks + SCALE_REACH; b++) {
		bool leaves = b > 2 * SCALE_REACH && n, comes = b < f->n_blocks;

		if (leaves && comes) {
			replace(window, n, spread[b - 2 * SCALE_REACH - 1], spread[b]);
		} else {
			if (leaves)
				take_out(window, n--, spread[b - 2 * SCALE_REACH - 1]);
			if (comes)
				put_in(window, n++, spread[b]);
		}
		if (b >= SCALE_REACH)
			side->deviation[b - SCALE_REACH] = at_share(window, n, 0.5);
	}
	allow_for_proportion(f, side);
}

static bool all_deviations(struct finder *f)
{
	deviations(f, &f->up);
	f->down.deviation = f->up.deviation;
	if (f->down.scale != f->up.scale) {
		f->down.deviation = ts_arena_array(f->arena, f->n_blocks, sizeof *f->down.deviation);
		if (!f->down.deviation)
			return false;
		deviations(f, &f->down);
	}
	for (size_t b = 0; b < f->n_blocks; b++)
		f->level[b] = onto(f->up.scale, f->blocks[b].median);
	return true;
}

/* --- the tail --- */

static const double knots[] = {0, 0.6744897501960817, 1.2815515655446004, 1.959963984540054, 2.5758293035489004,
			       3.090232306167813};
static const double knot_shares[] = {50, 75, 90, 97.5, 99.5, 99.9};
enum { KNOTS = sizeof knots / sizeof knots[0], KNOT_VALUES = 4 };

/* Returns the relative error of a slope between quantiles beyond which this many values lie (spacings of an
 * exponential tail). */
static double slope_error(double below, double above)
{
	return sqrt(1 / above - 1 / below) / log(below / above);
}

static void fit_tail(struct tail *t, double *sample, size_t n, double margin)
{
	double previous = 0, error = 0, all = 0;

	ts_percentiles(sample, n, knot_shares, KNOTS, t->z);
	t->n = 1;
	t->slope = t->bend = 0;
	for (size_t k = 1; k < KNOTS; k++) {
		double below = (double)n * (1 - knot_shares[k - 1] / 100), above = (double)n * (1 - knot_shares[k] / 100);
		double slope = (t->z[k] - t->z[k - 1]) / (knots[k] - knots[k - 1]);
		double e = slope_error(below, above);

		if (k > 1 && (above < KNOT_VALUES || slope > previous * (2 + 3 * e)))
			break;
		t->n = k + 1;
		t->slope = fmax(t->slope, slope * (1 - 1 * e));
		t->bend = k > 1 ? fmax(slope - previous - slope * (e + error), 0) / ((knots[k] - knots[k - 2]) / 2) : 0;
		previous = slope;
		error = e;
	}
	for (size_t k = t->n > 3 ? 2 : 1; k < t->n; k++)
		all += (t->z[k] - t->z[0]) / knots[k] / (double)(t->n - (t->n > 3 ? 2 : 1));
	t->slope = fmax(t->slope, all);
	t->slope = fmax(t->slope * (margin + 10 / (double)n), 0.25);
}

/* Returns the distance that corresponds to a normal deviate q. */
static double tail_distance(const struct tail *t, double q)
{
	double beyond = q - knots[t->n - 1];

	for (size_t k = 1; k < t->n; k++)
		if (q < knots[k])
			return t->z[k - 1] + (t->z[k] - t->z[k - 1]) * (q - knots[k - 1]) / (knots[k] - knots[k - 1]);
	return t->z[t->n - 1] + t->slope * beyond + t->bend / 2 * beyond * beyond;
}

/* Returns the x for which x + bend x^2 / 2 is rise. */
static double unbend(double rise, double bend)
{
	return bend > 0 ? (sqrt(1 + 2 * bend * rise) - 1) / bend : rise;
}

/* Returns the chance that one value is this far out; it is not defined below the median. */
static double tail_chance(const struct tail *t, double z)
{
	size_t k = t->n - 1;
	double q;

	if (!isfinite(z))
		return 0;
	while (k > 0 && z < t->z[k])
		k--;
	if (z < t->z[0])
		q = 0;
	else if (k + 1 < t->n)
		q = knots[k] + (z - t->z[k]) / (t->z[k + 1] - t->z[k]) * (knots[k + 1] - knots[k]);
	else
		q = knots[k] + unbend((z - t->z[k]) / t->slope, t->bend / t->slope);
	return 0.5 * erfc(q * M_SQRT1_2);
}

static double normal_deviate(double chance)
{
	double lo = 0, hi = 40;

	for (int i = 0; i < 80; i++) {
		double mid = (lo + hi) / 2;

		if (0.5 * erfc(mid * M_SQRT1_2) > chance)
			lo = mid;
		else
			hi = mid;
	}
	return hi;
}

/* Samples how far values lie beyond the expected range, in deviations where there are any; values inside it are
 * below 0. */
static size_t sample_distances(const struct finder *f, const struct side *side, size_t stride, double *out)
{
	size_t n = 0;

	for (size_t b = 1; b + 1 < f->n_blocks; b += stride) {
		double lo, hi, edge;

		expected_of(f, b, &lo, &hi);
		edge = onto(side->scale, side->sign > 0 ? hi : lo);
		for (size_t i = f->blocks[b].at; i < f->blocks[b + 1].at && n < SAMPLE; i++) {
			double v = f->series->values[i];

			if (!isfinite(v))
				continue;
			v = side->sign * (onto(side->scale, v) - edge);
			out[n++] = side->deviation[b] > 0 ? v / side->deviation[b] : v;
		}
	}
	return n;
}

/* Replaces a deviation of 0 between others: departures there are measured by the usual departure. */
static void lift_deviations(const struct finder *f, const struct side *side, double usual)
{
	double least = HUGE_VAL;

	for (size_t b = 0; b < f->n_blocks; b++)
		if (side->deviation[b] > 0 && side->deviation[b] < least)
			least = side->deviation[b];
	for (size_t b = 0; b < f->n_blocks; b++)
		if (!(side->deviation[b] > 0))
			side->deviation[b] = usual > 0 ? usual : least;
}

static size_t still_blocks(const struct finder *f)
{
	size_t still = 0;

	for (size_t b = 0; b < f->n_blocks; b++)
		still += f->up.deviation[b] > 0 ? 0 : 1;
	return still;
}

/* Sets flat where 19 of 20 values do not depart at all. */
static void settle_still(struct finder *f, size_t stride, double *sample)
{
	static const double at[] = {95};
	size_t still = still_blocks(f);
	double up, down;

	if (still == 0)
		return;
	ts_percentiles(sample, sample_distances(f, &f->up, stride, sample), at, 1, &up);
	ts_percentiles(sample, sample_distances(f, &f->down, stride, sample), at, 1, &down);
	f->flat = still > f->n_blocks / 2 && up <= 0 && down <= 0;
	if (f->flat)
		return;
	lift_deviations(f, &f->up, up / knots[2]);
	if (f->down.deviation != f->up.deviation)
		lift_deviations(f, &f->down, down / knots[2]);
}

static bool measure(struct finder *f)
{
	size_t stride = f->finite / SAMPLE + 1;
	double *sample = ts_arena_array(f->arena, f->finite < SAMPLE ? f->finite : SAMPLE, sizeof *sample), margin;

	f->up.sign = 1;
	f->down.sign = -1;
	if (!sample || !choose_scales(f, stride, sample) || !all_deviations(f))
		return false;
	settle_still(f, stride, sample);
	if (f->flat)
		return true;
	/* A running deviation has an error of some 3 %, which matters most far out. */
	margin = f->n_blocks > 2 * SCALE_REACH + 1 ? 1.05 : 1;
	fit_tail(&f->up.tail, sample, sample_distances(f, &f->up, stride, sample), margin);
	fit_tail(&f->down.tail, sample, sample_distances(f, &f->down, stride, sample), margin);
	return true;
}

/* Whether the series ends lower than it began, by more than its values vary. */
static bool falls(const struct finder *f)
{
	double first = level_of(f, 0, f->n_blocks), last = level_of(f, f->n_blocks - (f->n_blocks < 3 ? f->n_blocks : 3), f->n_blocks);

	return onto(f->down.scale, first) - onto(f->down.scale, last) > f->down.deviation[f->n_blocks / 2];
}

static void cut_at(struct finder *f, double chance)
{
	double each = chance / (double)f->finite, q = normal_deviate(fmin(each, 0.05));

	f->up.cut = fmax(tail_distance(&f->up.tail, q), LEAST_CUT);
	q = falls(f) ? normal_deviate(fmin(RARELY * each, 0.05)) : q;
	f->down.cut = fmax(tail_distance(&f->down.tail, q), LEAST_CUT);
}

/* --- hits --- */

/* Computes what is expected of value i of the first or the last block, where one side of it is short; returns false
 * if nothing can be expected. */
static bool expected_at_end(const struct finder *f, size_t b, size_t i, double *ret_lo, double *ret_hi)
{
	size_t from = b ? i + 1 : 0, to = b ? f->series->n : i, n = 0;
	double lo, hi, near[BLOCK_MAX], inside;

	for (size_t k = from; k < to; k++)
		if (isfinite(f->series->values[k]))
			near[n++] = f->series->values[k];
	expected_of(f, b, &lo, &hi);
	if (n >= BEFORE_LEAST)
		inside = median_few(near, n);
	else if (b == 0)
		return false;
	else
		inside = f->blocks[b].median;
	*ret_lo = fmin(lo, inside);
	*ret_hi = fmax(hi, inside);
	if (b >= 6 && n < BEFORE_LEAST) { /* no block follows it, so a trend may go on */
		double near_level = level_of(f, b - 3, b);
		double ahead = near_level + (near_level - level_of(f, b - 6, b - 3)) * 4 / 3; /* up to the end of a double block */

		*ret_lo = fmin(*ret_lo, ahead);
		*ret_hi = fmax(*ret_hi, ahead);
	}
	return true;
}

static struct ts_spike *spike_next(struct finder *f)
{
	struct ts_spikes *s = f->out;

	if (!TS_GROW_IN(f->arena, s->items, f->cap, s->n + 1, FIRST_HITS))
		return NULL;
	return &s->items[s->n++];
}

static struct ts_spike score_of(const struct finder *f, const struct side *side, size_t b, size_t i, double expected)
{
	double v = f->series->values[i], z;
	struct ts_spike spike = {
		.kind = side->sign > 0 ? TS_EVENT_SPIKE : TS_EVENT_DIP,
		.first = i,
		.last = i,
		.peak = i,
		.value = v,
		.expected = expected,
	};

	if (f->flat) {
		spike.score = expected != 0 ? fabs(v / expected - 1) : HUGE_VAL;
		return spike;
	}
	z = side->sign * (onto(side->scale, v) - onto(side->scale, expected)) / side->deviation[b];
	spike.chance = tail_chance(&side->tail, z);
	/* A zero among values that are never zero is infinitely far on the logarithmic scale. */
	spike.score = isfinite(z) ? z : fabs(v - expected) * NORMAL_IQR / fmax(f->blocks[b].high - f->blocks[b].low, DBL_MIN);
	return spike;
}

/* Adds the hit to the current event or begins the next. *gap counts the values since the last hit. */
static bool hit(struct finder *f, const struct ts_spike *now, size_t *gap)
{
	struct ts_spikes *s = f->out;
	struct ts_spike *open = s->n && *gap <= GAP && s->items[s->n - 1].kind == now->kind ? &s->items[s->n - 1] : NULL;

	*gap = 0;
	if (!open) {
		open = spike_next(f);
		if (!open)
			return false;
		*open = *now;
		return true;
	}
	open->last = now->last;
	if (now->kind == TS_EVENT_SPIKE ? now->value > open->value : now->value < open->value) {
		open->peak = now->peak;
		open->value = now->value;
		open->expected = now->expected;
	}
	open->score = fmax(open->score, now->score);
	open->chance = fmin(open->chance, now->chance);
	return true;
}

/* Returns the value from which on a value of a block is a hit, given the bounds that are expected. */
static double bound_of(const struct finder *f, const struct side *side, size_t b, double expected)
{
	if (f->flat)
		return expected;
	return back(side->scale, onto(side->scale, expected) + side->sign * side->cut * side->deviation[b]);
}

static bool hits_of_block(struct finder *f, size_t b, size_t *gap)
{
	bool end = b == 0 || b + 1 == f->n_blocks;
	double lo, hi, below, above;

	expected_of(f, b, &lo, &hi);
	below = bound_of(f, &f->down, b, lo);
	above = bound_of(f, &f->up, b, hi);
	for (size_t i = f->blocks[b].at; i < block_end(f, b); i++) {
		double v = f->series->values[i], low = lo, high = hi;

		if (!isfinite(v))
			continue;
		if ((v > above || v < below) && (!end || expected_at_end(f, b, i, &low, &high))) {
			const struct side *side = v > above ? &f->up : &f->down;
			struct ts_spike now = score_of(f, side, b, i, v > above ? high : low);

			/* What is expected at an end is wider than what decided above. */
			if ((v > high || v < low) && (f->flat || now.score > side->cut)) {
				if (!hit(f, &now, gap))
					return false;
				continue;
			}
		}
		++*gap;
	}
	return true;
}

static bool find_hits(struct finder *f)
{
	size_t gap = 0;

	for (size_t b = 0; b < f->n_blocks; b++)
		if (!hits_of_block(f, b, &gap))
			return false;
	for (size_t i = 0; i < f->out->n; i++)
		*(f->out->items[i].kind == TS_EVENT_SPIKE ? &f->out->spikes : &f->out->dips) += 1;
	return true;
}

/* --- level shifts --- */

struct jump {
	double before, after; /* levels, on the scale */
	double gap;	      /* the distance between the two sides where they do not overlap, otherwise negative */
	double spread;	      /* how much either side varies */
	bool edge;	      /* there are fewer than SHIFT_REACH blocks on a side */
};

static double side_of(const double *level, size_t n, double *ret_min, double *ret_max)
{
	double x[SHIFT_REACH];

	for (size_t i = 0; i < n; i++)
		x[i] = level[i];
	if (n == 4) /* which is SHIFT_REACH, as on most sides */
		ts_sort_4(x);
	else
		sort_few(x, n);
	*ret_min = x[0];
	*ret_max = x[n - 1];
	return at_share(x, n, 0.5);
}

static struct jump jump_at(const struct finder *f, size_t b)
{
	size_t n_before = b < SHIFT_REACH ? b : SHIFT_REACH;
	size_t n_after = f->n_blocks - 1 - b < SHIFT_REACH ? f->n_blocks - 1 - b : SHIFT_REACH;
	double least_before, most_before, least_after, most_after;
	struct jump j;

	j.before = side_of(&f->level[b - n_before], n_before, &least_before, &most_before);
	j.after = side_of(&f->level[b + 1], n_after, &least_after, &most_after);
	j.gap = fmax(least_after - most_before, least_before - most_after);
	j.spread = fmax(most_before - least_before, most_after - least_after);
	j.edge = n_before < SHIFT_REACH || n_after < SHIFT_REACH;
	return j;
}

/* Computes the usual jump of the series: a series that wanders jumps all the time. The median is used, because one
 * shift changes nine jumps. */
static bool usual_jump(const struct finder *f, double *ret_usual)
{
	static const double at[] = {50};
	double *jumps = ts_arena_array(f->arena, f->n_blocks, sizeof *jumps);
	size_t n = 0;

	if (!jumps)
		return false;
	for (size_t b = 2; b + 2 < f->n_blocks; b++) {
		struct jump j = jump_at(f, b);

		jumps[n++] = fabs(j.after - j.before);
	}
	*ret_usual = 0;
	if (n) {
		ts_percentiles(jumps, n, at, 1, ret_usual);
		*ret_usual /= knots[1]; /* knots[1] is the median of |normal| */
	}
	return true;
}

/* Returns how far the levels move in the same direction just before and just after, as in a trend. */
static double trend_around(const struct finder *f, size_t b, bool up)
{
	size_t away = SHIFT_REACH + 1;
	double most = 0;
	struct jump j;

	if (b >= away + 2) {
		j = jump_at(f, b - away);
		most = up ? j.after - j.before : j.before - j.after;
	}
	if (b + away + 2 < f->n_blocks) {
		j = jump_at(f, b + away);
		most = fmax(most, up ? j.after - j.before : j.before - j.after);
	}
	return fmax(most, 0);
}

static bool is_shift(const struct finder *f, const struct jump *j, size_t b, double usual)
{
	double far = j->edge ? 8 : 6, size = fabs(j->after - j->before);
	double noise = 1.25 / sqrt((double)f->size) * fmax(f->up.deviation[b - 1], f->up.deviation[b + 1]);

	if (!(j->gap > 0) || !(j->gap > j->spread * (j->edge ? 2 : 1)))
		return false;
	size -= trend_around(f, b, j->after > j->before);
	return size > far * usual && size > far * noise;
}

/* Returns the index from which on the new level holds: the split of the three blocks that leaves the fewest values
 * on the wrong side. */
static size_t split_of(const struct finder *f, size_t b, const struct jump *j)
{
	double middle = back(f->up.scale, j->before / 2 + j->after / 2);
	bool up = j->after > j->before;
	size_t best = f->blocks[b].at;
	long score = 0, most = LONG_MIN;

	for (size_t i = f->blocks[b - 1].at; i < block_end(f, b + 1); i++) {
		double v = f->series->values[i];

		if (!isfinite(v))
			continue;
		if (score > most) {
			most = score;
			best = i;
		}
		score += (v > middle) == up ? -1 : 1;
	}
	return best;
}

static bool add_shift(struct finder *f, size_t b, const struct jump *j)
{
	struct ts_spike *spike = spike_next(f);
	size_t at = split_of(f, b, j);

	if (!spike)
		return false;
	*spike = (struct ts_spike){
		.kind = TS_EVENT_SHIFT,
		.first = at,
		.last = at,
		.peak = at,
		.value = back(f->up.scale, j->after),
		.expected = back(f->up.scale, j->before),
		.score = f->flat ? fabs(j->after / j->before - 1) : fabs(j->after - j->before) / f->up.deviation[b],
	};
	f->out->shifts++;
	return true;
}

/* Of neighbouring blocks that all look like a shift, takes the one with the widest gap. */
static bool find_shifts(struct finder *f)
{
	double usual;
	struct jump best = {.gap = 0};
	size_t best_at = 0;

	if (!usual_jump(f, &usual))
		return false;
	for (size_t b = 2; b + 2 < f->n_blocks; b++) {
		struct jump j = jump_at(f, b);

		if (is_shift(f, &j, b, usual)) {
			if (j.gap > best.gap) {
				best = j;
				best_at = b;
			}
		} else if (best.gap > 0) {
			if (!add_shift(f, best_at, &best))
				return false;
			best.gap = 0;
		}
	}
	return !(best.gap > 0) || add_shift(f, best_at, &best);
}

struct ts_spikes_fit {
	struct ts_series series;
	struct finder finder; /* without hits, and without the cuts that depend on the chance */
};

enum ts_status ts_spikes_fit(const struct ts_series *series, struct ts_arena *arena, const struct ts_spikes_fit **ret_fit,
			     struct ts_error *err)
{
	struct ts_spikes_fit *fit = ts_arena_array(arena, 1, sizeof *fit);
	struct finder *f;

	TS_DOOR(ts_series_holds(series));
	if (!fit)
		return ts_arena_error(arena, err);
	fit->series = *series;
	f = &fit->finder;
	*f = (struct finder){.series = &fit->series, .arena = arena, .finite = finite_of(series)};
	f->size = block_size(f->finite);
	if (f->finite >= TS_SPIKES_LEAST && (!cut_blocks(f) || !measure(f)))
		return ts_arena_error(arena, err);
	*ret_fit = fit;
	return TS_OK;
}

const struct ts_series *ts_spikes_series(const struct ts_spikes_fit *fit)
{
	return &fit->series;
}

size_t ts_spikes_blocks(const struct ts_spikes_fit *fit)
{
	return fit->finder.n_blocks;
}

double ts_spikes_block(const struct ts_spikes_fit *fit, size_t b, size_t *ret_at)
{
	*ret_at = fit->finder.blocks[b].at;
	return fit->finder.blocks[b].median;
}

static enum ts_status find(const struct ts_spikes_fit *fit, double chance, bool shifts, struct ts_spikes *ret_spikes,
			   struct ts_error *err)
{
	struct finder f = fit->finder;
	struct ts_spikes out = {.judged = f.finite, .decided = f.finite >= TS_SPIKES_LEAST};

	f.out = &out;
	if (out.decided) {
		if (!f.flat)
			cut_at(&f, chance);
		if (!find_hits(&f) || (shifts && !find_shifts(&f)))
			return ts_arena_error(f.arena, err);
	}
	*ret_spikes = out;
	return TS_OK;
}

enum ts_status ts_spikes_of(const struct ts_spikes_fit *fit, double chance, struct ts_spikes *ret_spikes, struct ts_error *err)
{
	return find(fit, chance, true, ret_spikes, err);
}

enum ts_status ts_spikes_hits(const struct ts_spikes_fit *fit, double chance, struct ts_spikes *ret_spikes, struct ts_error *err)
{
	return find(fit, chance, false, ret_spikes, err);
}
