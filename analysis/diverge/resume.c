/* resume.c - what a series says about a resume; resume_judge.c puts them together. */
#include "analysis/diverge/resume_internal.h"
#include "base/words.h"

#include "analysis/rank/peaks.h"
#include "analysis/stats/stats.h"
#include "base/door.h"

/* The number of CANDIDATES is bounded: where one batch fills a run, each of its rows would be a place to begin. */
enum { LEVEL_POINTS = 10, LEVEL_LEAST = 5, CANDIDATES = 4096 };

TS_WORDS(ts_resume_word, enum ts_resume_verdict, "undecided", [TS_RESUME_CORRECT] = "correct", [TS_RESUME_WRONG] = "wrong",
	 [TS_RESUME_UNDECIDED] = "undecided")

bool ts_resume_is_digest(enum ts_resume_kind kind)
{
	return kind >= TS_RESUME_BATCH;
}

enum ts_resume_format ts_resume_format_of(struct ts_span dtype)
{
	const char *word = ts_dtype_word(dtype);

	if (!word || strcmp(word, "int8") == 0)
		return TS_FORMAT_UNKNOWN;
	return strcmp(word, "fp32") == 0 || strcmp(word, "fp64") == 0 ? TS_FORMAT_FULL : TS_FORMAT_REDUCED;
}

/* --- batches --- */

/* Counts how many of c are in p at the same distances from its first row; *ret_known is how many of them have a row
 * in p. */
static size_t matches_at(const int64_t *steps_p, const uint64_t *p, size_t n_p, const int64_t *steps_c,
			 const uint64_t *c, size_t n_c, size_t *ret_known)
{
	size_t known = 0, matched = 0, at = 0;

	for (size_t i = 0; i < n_c; i++) {
		/* Steps are compared as distances from the first, which do not overflow where the steps themselves
		 * may. */
		uint64_t want = (uint64_t)steps_c[i] - (uint64_t)steps_c[0];

		while (at < n_p && (uint64_t)steps_p[at] - (uint64_t)steps_p[0] < want)
			at++;
		if (at < n_p && (uint64_t)steps_p[at] - (uint64_t)steps_p[0] == want) {
			known++;
			matched += p[at] == c[i];
		}
	}
	*ret_known = known;
	return matched;
}

static uint64_t size_of(int64_t by)
{
	return by < 0 ? -(uint64_t)by : (uint64_t)by;
}

static size_t count_seen(const uint64_t *p, size_t n_p, const uint64_t *c, size_t n_c)
{
	bool found[TS_RESUME_SHIFT] = {false};
	size_t seen = 0;

	for (size_t i = 0; i < n_p; i++)
		for (size_t k = 0; k < n_c; k++)
			found[k] |= p[i] == c[k];
	for (size_t k = 0; k < n_c; k++)
		seen += found[k];
	return seen;
}

void ts_resume_find_shift(const int64_t *steps_p, const uint64_t *p, size_t n_p, const int64_t *steps_c,
			  const uint64_t *c, size_t n_c, struct ts_resume_shift *ret)
{
	struct ts_resume_shift out = {.answer = TS_SHIFT_ABSENT};
	size_t tried = 0;

	n_c = n_c < TS_RESUME_SHIFT ? n_c : TS_RESUME_SHIFT;
	out.of = n_c;
	for (size_t i = 0; i < n_p && tried < CANDIDATES; i++) {
		int64_t by = (int64_t)((uint64_t)steps_p[i] - (uint64_t)steps_c[0]);
		size_t known, matched;

		if (p[i] != c[0])
			continue;
		tried++;
		matched = matches_at(steps_p + i, p + i, n_p - i, steps_c, c, n_c, &known);
		/* A single batch may recur anywhere by chance after a reshuffle, so it does not count unless it is
		 * the only one to look for. */
		if (matched < known || (matched < 2 && n_c > 1))
			continue;
		if (out.answer == TS_SHIFT_FOUND &&
		    (matched < out.matched || (matched == out.matched && size_of(by) >= size_of(out.by))))
			continue;
		out.answer = TS_SHIFT_FOUND;
		out.by = by;
		out.matched = matched;
	}
	if (out.answer != TS_SHIFT_FOUND) {
		out.seen = count_seen(p, n_p, c, n_c);
		if (out.seen)
			out.answer = TS_SHIFT_SCATTERED;
	}
	*ret = out;
}

/* --- the level of the loss --- */

static size_t copy_finite(const struct ts_series *s, size_t from, size_t upto, double *out)
{
	size_t n = 0;

	for (size_t i = from; i < upto; i++)
		if (isfinite(s->values[i]))
			out[n++] = s->values[i];
	return n;
}

bool ts_resume_level_of(const struct ts_series *parent, const struct ts_series *child, struct ts_arena *arena,
			struct ts_resume_level *ret)
{
	struct ts_resume_level level = {.known = false};
	size_t from = parent->n > TS_RESUME_TAIL ? parent->n - TS_RESUME_TAIL : 0;
	size_t near = parent->n > LEVEL_POINTS ? parent->n - LEVEL_POINTS : 0;
	double *x = ts_arena_array(arena, TS_RESUME_TAIL, sizeof *x), middle;
	size_t n, m;

	TS_DOOR(ts_series_holds(parent));
	if (!x)
		return false;
	*ret = level;
	if (parent->n == 0)
		return true;
	level.last_step = parent->keys[parent->n - 1];
	n = copy_finite(child, 0, child->n < LEVEL_POINTS ? child->n : LEVEL_POINTS, x);
	level.after = n ? ts_median_few(x, n) : 0;
	m = copy_finite(parent, near, parent->n, x);
	level.before = m ? ts_median_few(x, m) : 0;
	level.known = n >= LEVEL_LEAST && m >= LEVEL_LEAST;
	n = copy_finite(parent, from, parent->n, x);
	middle = n ? ts_median_few(x, n) : 0;
	for (size_t i = 0; i < n; i++)
		x[i] = fabs(x[i] - middle);
	level.spread = n ? TS_MAD_TO_SD * ts_median_few(x, n) : 0;
	*ret = level;
	return true;
}

/* --- numbers --- */

static size_t least_of(size_t a, size_t b)
{
	return a < b ? a : b;
}

/* Computes the absolute quantum at the greatest value: a precision that was not declared is inferred. */
static double seen_quantum(const double *values, size_t n, bool measured)
{
	static const struct ts_resolution doubles = {TS_PRECISION_F64, 0};
	struct ts_writing writing = ts_resolution_infer(doubles, measured, values, n);
	double greatest = 0;

	for (size_t i = 0; i < n; i++)
		greatest = isfinite(values[i]) ? fmax(greatest, fabs(values[i])) : greatest;
	return ts_resolution_quantum(writing.resolution, greatest);
}

/* What rounding may grow by in a step, as measured (hidden_slope of docs/divergence.md). */
#define GROWTH 0.26
/* Gradient norms lie further apart than losses; counts, rates and scales are computed from the number of the step. */
#define NORM_TIMES 20
#define NORM_LEAST 1e-4
#define EXACT 1e-9

struct ts_resume_limits ts_resume_limits_of(enum ts_resume_kind kind, double first)
{
	double later = fmax(first, TS_RESUME_LATER);

	if (kind == TS_RESUME_RATE || kind == TS_RESUME_SCALE || kind == TS_RESUME_COUNT)
		return (struct ts_resume_limits){EXACT, EXACT, true};
	if (kind == TS_RESUME_GRAD_NORM)
		return (struct ts_resume_limits){fmin(fmax(NORM_LEAST, NORM_TIMES * first), 1), fmin(NORM_TIMES * later, 1), false};
	return (struct ts_resume_limits){first, later, false};
}

static double limit_at(struct ts_resume_limits limits, int64_t at, int64_t step)
{
	double distance = step > at ? (double)step - (double)at : 0;

	return fmin(limits.first * exp(GROWTH * fmin(distance, 100)), limits.later);
}

static double grid_of(const struct ts_resume_series *s)
{
	size_t n = least_of(s->n, TS_RESUME_WINDOW);
	bool measured = s->kind != TS_RESUME_RATE;

	return fmax(s->quantum, fmax(seen_quantum(s->a, n, measured), seen_quantum(s->b, n, measured)));
}

double ts_resume_off(const struct ts_resume_look *look, size_t i)
{
	return ts_relative_gap(look->series->a[i], look->series->b[i]);
}

static void look_at_words(const struct ts_resume_series *s, struct ts_resume_look *look)
{
	for (size_t i = 0; i < s->n; i++) {
		bool same = s->word_a[i] == s->word_b[i];

		look->equal += same;
		if (!same)
			look->first_bits = least_of(look->first_bits, i);
	}
	look->first_beyond = look->first_bits;
	look->beyond = s->n - look->equal;
	look->fine = look->equal == s->n;
}

/* A value and its written form differ by half a unit at most, and two written forms of nearly equal values by a whole one, with a
 * small margin for the last digit of a double. */
static bool is_half(const struct ts_resume_look *look, size_t i)
{
	return fabs(look->series->a[i] - look->series->b[i]) <= look->grid / 2 * (1 + 1e-9);
}

static bool is_unit(const struct ts_resume_look *look, size_t i)
{
	return !is_half(look, i) && fabs(look->series->a[i] - look->series->b[i]) <= look->grid * (1 + 1e-9);
}

static void count_units(struct ts_resume_look *look)
{
	look->by_units = true;
	for (size_t i = 0; i < look->series->n; i++) {
		bool unit = is_unit(look, i);

		look->units += unit;
		look->by_units &= unit || is_half(look, i) || ts_relative_gap(look->series->a[i], look->series->b[i]) == 0;
	}
}

/* Values that are nearly equal before they are written seldom differ afterwards; where they often do, a unit is a difference. */
static bool are_units_rounding(const struct ts_resume_look *look)
{
	return 4 * look->units <= look->series->n || look->grid <= look->size * 0x1p-22;
}

static void look_at_numbers(const struct ts_resume_series *s, int64_t at, double *r, struct ts_resume_look *look)
{
	size_t window = least_of(s->n, TS_RESUME_WINDOW), behind = 0, outside = 0;
	bool excused, first_ok = true;

	for (size_t i = 0; i < s->n; i++)
		look->size = fmax(look->size, isfinite(s->a[i]) ? fabs(s->a[i]) : 0);
	count_units(look);
	excused = are_units_rounding(look);
	for (size_t i = 0; i < s->n; i++) {
		double ri = ts_relative_gap(s->a[i], s->b[i]);
		bool written = is_half(look, i) || (excused && is_unit(look, i));
		bool beyond = ri > limit_at(look->limits, at, s->steps[i]) && !written;

		look->equal += ri == 0;
		look->beyond += beyond;
		if (ri > 0)
			look->first_bits = least_of(look->first_bits, i);
		if (beyond)
			look->first_beyond = least_of(look->first_beyond, i);
		if (ri > look->greatest) {
			look->greatest = ri;
			look->greatest_step = s->steps[i];
		}
		first_ok &= !beyond || i >= TS_RESUME_FIRST;
		if (i >= TS_RESUME_FIRST && i < window) {
			r[behind++] = ri;
			outside += beyond;
		}
	}
	look->coarse = look->grid > look->size * 0x1p-22;
	look->at_start = s->n ? ts_relative_gap(s->a[0], s->b[0]) : 0;
	look->at_bits = look->first_bits < s->n ? ts_relative_gap(s->a[look->first_bits], s->b[look->first_bits]) : 0;
	look->following = behind ? ts_median_few(r, behind) : (double)NAN;
	look->fine = first_ok && (look->limits.every ? look->beyond == 0 : 4 * outside <= behind);
}

bool ts_resume_look_holds(const struct ts_resume_look *look)
{
	const struct ts_resume_series *s = look->series;

	if (look->equal > s->n || look->units > s->n || look->beyond > s->n || look->first_bits > s->n || look->first_beyond > s->n)
		return false;
	for (size_t i = 1; i < s->n; i++)
		if (s->steps[i - 1] >= s->steps[i])
			return false;
	return (!look->beyond || look->first_beyond < s->n) && !(look->grid < 0) && (!look->digest || ts_resume_is_digest(s->kind));
}

bool ts_resume_judge_holds(const struct ts_resume_judge *j)
{
	for (size_t i = 0; i < j->n; i++)
		if (!ts_resume_look_holds(&j->looks[i]))
			return false;
	for (int p = 0; p < TS_PARTS; p++)
		if (j->parts[p].state > TS_PART_LOST || (j->parts[p].state == TS_PART_UNKNOWN) != !j->parts[p].by)
			return false;
	return j->n <= j->e->n_series && j->out->n_for <= TS_RESUME_SENTENCES && j->out->n_against <= TS_RESUME_SENTENCES &&
	       j->out->cause < TS_CAUSES;
}

bool ts_resume_look_at(const struct ts_resume_series *s, int64_t at, struct ts_resume_limits limits, struct ts_arena *scratch,
		       struct ts_resume_look *ret)
{
	struct ts_resume_look look = {
		.series = s,
		.limits = limits,
		.first_bits = s->n,
		.first_beyond = s->n,
		.following = (double)NAN,
		.grid = s->quantum,
		.digest = ts_resume_is_digest(s->kind),
	};

	if (look.digest) {
		look_at_words(s, &look);
	} else {
		double *r = ts_arena_array(scratch, TS_RESUME_WINDOW, sizeof *r);

		if (!r)
			return false;
		look.grid = grid_of(s);
		look_at_numbers(s, at, r, &look);
	}
	*ret = look;
	return true;
}

/* --- ups and downs --- */

/* Points without which a correlation says nothing, and what it must be more or less than. */
enum { ALIKE_LEAST = 12 };
#define ALIKE 0.5

/* Fisher's z of a correlation, and its deviation. Changes from point to point of independent noise are correlated with the next
 * ones by -0.5, which makes the estimate wider by a half. */
static enum ts_resume_alike alike_by(double rho, size_t n)
{
	double z = atanh(fmin(fmax(rho, -0.999999), 0.999999)), sd = sqrt(1.5 / (double)(n - 3)), cut = atanh(ALIKE);

	if (z - 2 * sd > cut)
		return TS_ALIKE_SAME;
	return z + 2 * sd < cut ? TS_ALIKE_OTHER : TS_ALIKE_UNKNOWN;
}

/* Changes of noise turn back: each is correlated with the next one by less than 0. Those of a smooth curve are not, and two smooth
 * curves rise and fall alike whatever they are of. */
static bool is_noisy(const double *x, size_t n, double mean)
{
	double next = 0;

	for (size_t i = 0; i + 2 < n; i++)
		next += (x[i + 1] - x[i] - mean) * (x[i + 2] - x[i + 1] - mean);
	return next < 0;
}

enum ts_resume_alike ts_resume_alike_of(const struct ts_resume_look *look, double *ret_rho)
{
	const struct ts_resume_series *s = look->series;
	double sum_a = 0, sum_b = 0, aa = 0, bb = 0, ab = 0;
	size_t n = s->n - 1;

	TS_DOOR(ts_resume_look_holds(look));
	*ret_rho = 0;
	if (look->digest || s->n < ALIKE_LEAST)
		return TS_ALIKE_UNKNOWN;
	for (size_t i = 0; i < n; i++) {
		sum_a += s->a[i + 1] - s->a[i];
		sum_b += s->b[i + 1] - s->b[i];
	}
	for (size_t i = 0; i < n; i++) {
		double da = s->a[i + 1] - s->a[i] - sum_a / (double)n, db = s->b[i + 1] - s->b[i] - sum_b / (double)n;

		aa += da * da;
		bb += db * db;
		ab += da * db;
	}
	if (!(aa > 0 && bb > 0) || !isfinite(aa) || !isfinite(bb) || sqrt(aa / (double)n) < 4 * look->grid ||
	    !is_noisy(s->a, s->n, sum_a / (double)n) || !is_noisy(s->b, s->n, sum_b / (double)n))
		return TS_ALIKE_UNKNOWN;
	*ret_rho = ab / sqrt(aa * bb);
	return alike_by(*ret_rho, n);
}

/* --- the worst series of a kind --- */

int64_t ts_resume_step(const struct ts_resume_look *look, size_t i)
{
	return look->series->steps[i];
}

bool ts_resume_equal(const struct ts_resume_look *look)
{
	return look && look->equal == look->series->n;
}

bool ts_resume_fine(const struct ts_resume_look *look)
{
	return look->fine;
}

static bool is_worse(const struct ts_resume_look *x, const struct ts_resume_look *y)
{
	bool beyond_x = x->first_beyond < x->series->n, beyond_y = y->first_beyond < y->series->n;

	if (beyond_x != beyond_y)
		return beyond_x;
	if (beyond_x && ts_resume_step(x, x->first_beyond) != ts_resume_step(y, y->first_beyond))
		return ts_resume_step(x, x->first_beyond) < ts_resume_step(y, y->first_beyond);
	return x->greatest > y->greatest;
}

/* Returns NULL where the runs have no such series with a common step. Of several ranks, it is the one that differs
 * first. */
const struct ts_resume_look *ts_resume_worst(const struct ts_resume_judge *j, enum ts_resume_kind kind)
{
	const struct ts_resume_look *found = NULL;

	TS_DOOR(ts_resume_judge_holds(j));
	for (size_t i = 0; i < j->n; i++) {
		const struct ts_resume_look *look = &j->looks[i];

		if (look->series->kind == kind && look->series->n > 0 && (!found || is_worse(look, found)))
			found = look;
	}
	return found;
}
