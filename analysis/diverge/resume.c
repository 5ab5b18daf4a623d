/* resume.c - what a series says about a resume; resume_judge.c puts them together. */
#include "analysis/diverge/resume_internal.h"

#include "analysis/rank/peaks.h"
#include "analysis/stats/stats.h"

/* The number of CANDIDATES is bounded: where one batch fills a run, each of its rows would be a place to begin. */
enum { LEVEL_POINTS = 10, LEVEL_LEAST = 5, CANDIDATES = 4096 };

const char *ts_resume_word(enum ts_resume_verdict verdict)
{
	switch (verdict) {
	case TS_RESUME_CORRECT:
		return "correct";
	case TS_RESUME_WRONG:
		return "wrong";
	case TS_RESUME_UNDECIDED:
		break;
	}
	return "undecided";
}

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

/* Returns how much two written forms of one value may differ, with a small margin for the last digit of a double. */
static bool is_beyond(double a, double b, double r, double tolerance, double quantum)
{
	return r > tolerance && !(fabs(a - b) <= quantum * (1 + 1e-9));
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
	look->first_ok = look->first_bits >= least_of(s->n, TS_RESUME_FIRST);
	look->following_ok = look->first_bits == s->n;
}

static void look_at_numbers(const struct ts_resume_series *s, double tolerance, double *r, struct ts_resume_look *look)
{
	double envelope = tolerance > TS_RESUME_REDUCED ? tolerance : TS_RESUME_REDUCED;
	size_t window = least_of(s->n, TS_RESUME_WINDOW), behind = 0, outside = 0;
	double size = 0;

	for (size_t i = 0; i < s->n; i++) {
		double ri = ts_relative_gap(s->a[i], s->b[i]);

		look->equal += ri == 0;
		size = fmax(size, isfinite(s->a[i]) ? fabs(s->a[i]) : 0);
		if (ri > 0)
			look->first_bits = least_of(look->first_bits, i);
		if (is_beyond(s->a[i], s->b[i], ri, tolerance, look->grid))
			look->first_beyond = least_of(look->first_beyond, i);
		if (ri > look->greatest) {
			look->greatest = ri;
			look->greatest_step = s->steps[i];
		}
		if (i >= TS_RESUME_FIRST && i < window) {
			r[behind++] = ri;
			outside += is_beyond(s->a[i], s->b[i], ri, envelope, look->grid);
		}
	}
	look->coarse = look->grid > size * 0x1p-22;
	look->at_start = s->n ? ts_relative_gap(s->a[0], s->b[0]) : 0;
	look->at_bits = look->first_bits < s->n ? ts_relative_gap(s->a[look->first_bits], s->b[look->first_bits]) : 0;
	look->first_ok = look->first_beyond >= least_of(s->n, TS_RESUME_FIRST);
	look->following = behind ? ts_median_few(r, behind) : (double)NAN;
	look->following_ok = 2 * outside <= behind;
}

bool ts_resume_look_at(const struct ts_resume_series *s, double tolerance, struct ts_arena *scratch,
		       struct ts_resume_look *ret)
{
	struct ts_resume_look look = {
		.series = s,
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
		look_at_numbers(s, tolerance, r, &look);
	}
	*ret = look;
	return true;
}
