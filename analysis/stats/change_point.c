#include "analysis/stats/change_point.h"

#include "analysis/stats/random.h"
#include "analysis/stats/stats.h"
#include "base/order.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>

enum { STRIDE = 6, COARSER = 4 };

struct search {
	const double *values;
	size_t n;
	const struct ts_change_options *options;
	struct ts_change_point *points; /* ascending between scans */
	size_t n_points;
	double *scratch; /* room for n */
	double *coarse;	 /* room for n values: the coarse series that is scanned */
};

/* A piece of the series as it is tested: clipped, and scaled by a distance, which changes no answer. */
struct window {
	size_t n;
	double x[TS_CHANGE_WINDOW];
	double row[TS_CHANGE_WINDOW]; /* the sum of the distances from each value to all others */
	double total;		      /* the sum over all pairs */
};

static double median(const double *x, size_t n)
{
	double scratch[TS_CHANGE_WINDOW];

	return ts_median(x, n, scratch);
}

/* Adds up |x - z[j]| in four sums that do not depend on each other. */
static double distance(const double *z, size_t n, double x)
{
	double s[4] = {0, 0, 0, 0};
	size_t j = 0;

	for (; j + 4 <= n; j += 4) {
		s[0] += fabs(x - z[j]);
		s[1] += fabs(x - z[j + 1]);
		s[2] += fabs(x - z[j + 2]);
		s[3] += fabs(x - z[j + 3]);
	}
	for (; j < n; j++)
		s[0] += fabs(x - z[j]);
	return (s[0] + s[1]) + (s[2] + s[3]);
}

/* Fills the window with quarters of the values, so that the difference of any two finite values is finite. Returns
 * false if all values are the same. */
static bool fill(struct window *w, const double *values, size_t n)
{
	double far[TS_CHANGE_WINDOW], middle = 0.25 * median(values, n), most = 0, reach;

	for (size_t i = 0; i < n; i++) {
		w->x[i] = 0.25 * values[i] - middle;
		far[i] = fabs(w->x[i]);
		most = fmax(most, far[i]);
	}
	reach = TS_CHANGE_CLIP * TS_MAD_TO_SD * median(far, n);
	if (reach == 0 || reach > most) /* 0 means that most values are equal, and the others are all the variation there is */
		reach = most;
	if (reach == 0)
		return false;
	w->n = n;
	for (size_t i = 0; i < n; i++)
		w->x[i] = fmax(-1, fmin(w->x[i] / reach, 1));
	w->total = 0;
	for (size_t i = 0; i < n; i++) {
		w->row[i] = distance(w->x, n, w->x[i]);
		w->total += w->row[i] / 2;
	}
	return true;
}

/* Returns the greatest energy statistic of any split of the values in that order, and the beginning of the second
 * part. Moving a value from the second part to the first moves its distances: those to the first part, from the sum
 * between the parts to the sum within; those to the second part, the other way round. */
static double best_split(const struct window *w, const uint8_t *order, size_t *ret_at)
{
	double z[TS_CHANGE_WINDOW], between = 0, first = 0, second = w->total, best = -1;

	for (size_t i = 0; i + TS_CHANGE_LEAST < w->n; i++) {
		double a = (double)(i + 1), b = (double)(w->n - i - 1), to_first, energy;

		z[i] = w->x[order[i]];
		to_first = distance(z, i, z[i]);
		between += w->row[order[i]] - 2 * to_first;
		first += to_first;
		second -= w->row[order[i]] - to_first;
		if (i + 1 < TS_CHANGE_LEAST)
			continue;
		energy = a * b / (a + b) * (2 * between / (a * b) - 2 * first / (a * a) - 2 * second / (b * b));
		if (energy > best) {
			best = energy;
			*ret_at = i + 1;
		}
	}
	return best;
}

static double best_split_of(const struct window *w, size_t *ret_at)
{
	uint8_t order[TS_CHANGE_WINDOW];

	for (size_t i = 0; i < w->n; i++)
		order[i] = (uint8_t)i;
	return best_split(w, order, ret_at);
}

/* Counts how often a random order splits as well. It stops as soon as that is too often: most windows have no change
 * and need few permutations. Sums in another order differ by rounding, so a difference of that size counts as equal. */
static bool permute(const struct window *w, double found, double max_p, uint64_t seed, double *ret_p)
{
	uint64_t may = (uint64_t)(max_p * (TS_CHANGE_PERMUTATIONS + 1) * (1 + 1e-12)), as_good = 0;
	uint8_t order[TS_CHANGE_WINDOW];
	struct ts_random random;

	ts_random_init(&random, seed);
	for (size_t i = 0; i < w->n; i++)
		order[i] = (uint8_t)i;
	for (size_t k = 0; k < TS_CHANGE_PERMUTATIONS && as_good < may; k++) {
		size_t at;

		for (size_t i = w->n - 1; i > 0; i--) {
			size_t j = ts_random_below(&random, (uint32_t)i + 1);
			uint8_t kept = order[i];

			order[i] = order[j];
			order[j] = kept;
		}
		as_good += best_split(w, order, &at) >= found * (1 - 1e-9);
	}
	*ret_p = (double)(as_good + 1) / (TS_CHANGE_PERMUTATIONS + 1);
	return as_good < may;
}

/* Counts the values that are nearer to their own level than to the other: of two unusual runs and a normal one
 * beside them, two. */
static size_t belonging(const double *values, size_t n, double own, double other)
{
	size_t count = 0;

	for (size_t i = 0; i < n; i++)
		count += fabs(values[i] - own) < fabs(values[i] - other);
	return count;
}

static bool is_large(const struct search *s, size_t low, size_t at, size_t high)
{
	const double *values = s->coarse + low;
	size_t first = at - low, second = high - at;
	double before = median(values, first), after = median(values + first, second);

	return fabs(after - before) >= s->options->min_size && belonging(values, first, before, after) >= TS_CHANGE_LEAST &&
	       belonging(values + first, second, after, before) >= TS_CHANGE_LEAST;
}

/* Asks whether there is a change in [low, high). The size is checked first, because that costs less than the test. */
static bool look(const struct search *s, size_t low, size_t high, size_t *ret_at, double *ret_p)
{
	size_t n = high - low, at = 0;
	struct window w;
	double found;

	if (n < 2 * TS_CHANGE_LEAST || !fill(&w, s->coarse + low, n))
		return false;
	found = best_split_of(&w, &at);
	if (!is_large(s, low, low + at, high))
		return false;
	*ret_at = low + at;
	return permute(&w, found, s->options->max_p, s->options->seed ^ (low * UINT64_C(0x9e3779b97f4a7c15) + n), ret_p);
}

/* Tests windows that end at every STRIDE-th value and at the last; no window crosses a change that was already
 * found. With ends so close together, the first of two changes is seen first. Each value stands for `width` values
 * of the series from origin on. */
static void scan(struct search *s, size_t n, size_t origin, size_t width)
{
	size_t low = 0, end = 2 * TS_CHANGE_LEAST;

	while (end <= n) {
		size_t at = 0, first = end - low > TS_CHANGE_WINDOW ? end - TS_CHANGE_WINDOW : low;
		double p = 1;

		if (look(s, first, end, &at, &p)) {
			s->points[s->n_points++] = (struct ts_change_point){.at = origin + at * width, .p = p};
			low = at; /* there may be another change before the end */
		} else if (end == n) {
			break;
		} else {
			end = n - end > STRIDE ? end + STRIDE : n;
		}
	}
}

static size_t from(const struct search *s, size_t i)
{
	return i == 0 ? 0 : s->points[i - 1].at;
}

static size_t to(const struct search *s, size_t i)
{
	return i + 1 == s->n_points ? s->n : s->points[i + 1].at;
}

TS_ORDER(ascending, struct ts_change_point, TS_UP(at))

/* Scans a series of levels, which are medians of `width` values each. A drift that is too small to be seen in a
 * window of runs is larger in a window of such levels. */
static void scan_levels(struct search *s, size_t width)
{
	size_t known = s->n_points, low = 0;

	for (size_t i = 0; i <= known; i++) {
		size_t high = i < known ? s->points[i].at : s->n, n = (high - low) / width, origin = high - n * width;

		for (size_t k = 0; k < n; k++)
			s->coarse[k] = ts_median(s->values + origin + k * width, width, s->scratch);
		scan(s, n, origin, width);
		low = high;
	}
	if (s->n_points > known)
		TS_SORT(s->points, s->n_points, ascending);
}

static double size_of(const struct ts_change_point *p)
{
	return fabs(p->after - p->before);
}

static void measure(struct search *s, size_t i)
{
	struct ts_change_point *p = &s->points[i];

	p->before = ts_median(s->values + from(s, i), p->at - from(s, i), s->scratch);
	p->after = ts_median(s->values + p->at, to(s, i) - p->at, s->scratch);
}

static void drop(struct search *s, size_t i)
{
	s->n_points--;
	memmove(&s->points[i], &s->points[i + 1], (s->n_points - i) * sizeof *s->points);
	if (i > 0)
		measure(s, i - 1);
	if (i < s->n_points)
		measure(s, i);
}

/* Each level is the median of all values between two changes, so some of the changes may now be too small. The
 * smallest is removed first, because its neighbours may become larger without it. */
static void merge(struct search *s)
{
	for (size_t i = 0; i < s->n_points; i++)
		measure(s, i);
	while (s->n_points > 0) {
		size_t smallest = 0;

		for (size_t i = 1; i < s->n_points; i++)
			if (size_of(&s->points[i]) < size_of(&s->points[smallest]))
				smallest = i;
		if (size_of(&s->points[smallest]) >= s->options->min_size)
			return;
		drop(s, smallest);
	}
}

enum ts_status ts_change_points(const double *values, size_t n, const struct ts_change_options *options, struct ts_arena *arena,
				struct ts_change_point **ret_points, size_t *ret_n, struct ts_error *err)
{
	struct search s = {.values = values, .n = n, .options = options};

	for (size_t i = 0; i < n; i++)
		assert(isfinite(values[i]));
	s.points = ts_arena_array(arena, n / TS_CHANGE_LEAST + 1, sizeof *s.points);
	s.scratch = ts_arena_array(arena, n, sizeof *s.scratch);
	s.coarse = ts_arena_array(arena, n, sizeof *s.coarse);
	if (!s.points || !s.scratch || !s.coarse)
		return ts_arena_error(arena, err);
	for (size_t width = 1; n / width >= 2 * TS_CHANGE_LEAST; width *= COARSER)
		scan_levels(&s, width);
	merge(&s);
	*ret_points = s.points;
	*ret_n = s.n_points;
	return TS_OK;
}
