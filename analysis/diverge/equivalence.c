/* equivalence.c - see equivalence.h. */
#include "analysis/diverge/equivalence.h"

#include "analysis/answer/say.h"
#include "analysis/stats/stats.h"
#include "analysis/stats/student.h"
#include "run/role.h"

#include <math.h>

/* --- levels --- */

bool ts_level_begin(struct ts_level_meter *l, size_t n, uint64_t points, struct ts_arena *arena)
{
	uint64_t tenth = points / 10 ? points / 10 : 1;

	*l = (struct ts_level_meter){.n = n, .points = points, .from = points > tenth ? points - tenth : 0, .arena = arena};
	l->sums = ts_arena_array(arena, n + 1, sizeof *l->sums);
	l->carries = ts_arena_array(arena, n + 1, sizeof *l->carries);
	return l->sums && l->carries;
}

bool ts_level_want(const struct ts_level_meter *l, uint64_t at)
{
	return at >= l->from;
}

void ts_level_add(struct ts_level_meter *l, int64_t step, const double *values)
{
	for (size_t i = 0; i <= l->n; i++) {
		double sum = l->sums[i], x = values[i], t = sum + x;

		l->carries[i] += fabs(sum) >= fabs(x) ? (sum - t) + x : (x - t) + sum;
		l->sums[i] = t;
	}
	if (l->added++ == 0)
		l->first_step = step;
	l->last_step = step;
}

bool ts_level_end(struct ts_level_meter *l, size_t series, struct ts_level_row *ret_row)
{
	double *levels = ts_arena_array(l->arena, l->n + 1, sizeof *levels);

	if (!levels)
		return false;
	ret_row->known = false;
	ret_row->points = l->added;
	ret_row->first_step = l->first_step;
	ret_row->last_step = l->last_step;
	if (l->added == 0) {
		ret_row->why_not = ts_span_str("the runs have no common point of this series");
		return true;
	}
	for (size_t i = 0; i <= l->n; i++)
		levels[i] = (l->sums[i] + l->carries[i]) / (double)l->added;
	ts_level_test(levels, l->n, levels[l->n], series, ret_row);
	return true;
}

/* --- the test --- */

/* Deviations are taken from the first level, so that equal levels have their own value as the mean, and no
 * deviation. */
static double mean_of(const double *x, size_t n)
{
	double sum = 0;

	for (size_t i = 1; i < n; i++)
		sum += x[i] - x[0];
	return x[0] + sum / (double)n;
}

static bool all_finite(const double *x, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (!isfinite(x[i]))
			return false;
	return true;
}

static void answer(struct ts_level_row *row, size_t series)
{
	if (row->low > -TS_EQUIVALENCE_MARGIN && row->high < TS_EQUIVALENCE_MARGIN)
		row->answer = TS_TIER_HOLDS;
	else if (row->p_value <= TS_DIFFERENCE_ALPHA / (double)series)
		row->answer = TS_TIER_FAILS;
	else
		row->answer = TS_TIER_UNKNOWN;
}

void ts_level_test(const double *levels, size_t n, double candidate, size_t series, struct ts_level_row *row)
{
	double df = (double)n - 1, error, half;

	row->known = false;
	row->why_not = ts_span_str("");
	row->n = n;
	row->candidate = candidate;
	row->answer = TS_TIER_UNKNOWN;
	row->difference = row->low = row->high = row->seen = row->p_value = (double)NAN;
	if (n < TS_EQUIVALENCE_LEAST || !all_finite(levels, n)) {
		row->why_not = ts_span_str(n < TS_EQUIVALENCE_LEAST ? "at least three repeats are needed"
								    : "it is not finite at the end of some repeats");
		return;
	}
	row->mean = mean_of(levels, n);
	row->deviation = ts_stddev(levels, n, row->mean) * sqrt((double)n / df);
	if (row->mean == 0 || !isfinite(row->mean) || !isfinite(row->deviation)) {
		row->why_not =
			ts_span_str(row->mean == 0 ? "the mean of the repeats is 0, and no difference is relative to 0"
						   : "it is too large at the end of the repeats to compute with");
		return;
	}
	row->known = true;
	if (!isfinite(candidate)) {
		row->answer = TS_TIER_FAILS;
		return;
	}
	error = row->deviation * sqrt(1 + 1 / (double)n) / fabs(row->mean);
	row->difference = (candidate - row->mean) / fabs(row->mean);
	half = ts_student_quantile(1 - TS_EQUIVALENCE_ALPHA, df) * error;
	row->low = row->difference - half;
	row->high = row->difference + half;
	if (error > 0)
		row->p_value = 2 * ts_student_cdf(-fabs(row->difference) / error, df);
	else
		row->p_value = row->difference == 0 ? 1 : 0;
	row->seen = (ts_student_quantile(1 - TS_DIFFERENCE_ALPHA / (double)series / 2, df) +
		     ts_student_quantile(TS_EQUIVALENCE_POWER, df)) *
		    error;
	answer(row, series);
}

/* --- words --- */

/* "1.23 %", "1.23e-05 %". */
static const char *share(double ratio, struct ts_arena *arena)
{
	return ts_arena_printf(arena, "%.3g %%", 100 * ratio);
}

/* "the mean of loss over its last 80 points (steps 720 to 799)", "loss at step 7, the last common step," */
static const char *say_what(const struct ts_level_row *row, struct ts_arena *arena)
{
	struct ts_span name = ts_column_said(row->name);

	if (row->points == 1)
		return ts_arena_printf(arena, "%.*s at %s, the last common step,", TS_SPAN_ARG(name),
				       ts_say_steps(row->last_step, row->last_step).text);
	return ts_arena_printf(arena, "the mean of %.*s over its last %s (%s)", TS_SPAN_ARG(name),
			       ts_say_plural((double)row->points, "point").text,
			       ts_say_steps(row->first_step, row->last_step).text);
}

/* "... is 0.31 % above that of the 5 repeats" */
static const char *say_level(const struct ts_level_row *row, struct ts_arena *arena)
{
	const char *what = say_what(row, arena), *by = share(fabs(row->difference), arena);

	if (!what || !by)
		return NULL;
	if (!isfinite(row->candidate))
		return ts_arena_printf(arena, "%s is not finite, but it is finite in each of the %zu repeats", what,
				       row->n);
	if (row->difference == 0)
		return ts_arena_printf(arena, "%s is equal to that of the %zu repeats", what, row->n);
	return ts_arena_printf(arena, "%s is %s %s that of the %zu repeats", what, by, row->difference > 0 ? "above" : "below", row->n);
}

/* Repeats that are equal give no interval. */
static const char *say_margin(const struct ts_level_row *row, struct ts_arena *arena)
{
	const char *low = share(row->low, arena), *high = share(row->high, arena);
	const char *level = share(1 - 2 * TS_EQUIVALENCE_ALPHA, arena), *margin = share(TS_EQUIVALENCE_MARGIN, arena);

	if (margin && row->deviation == 0)
		return ts_arena_printf(
			arena, "the margin is %s; the repeats do not vary, so this answer is about these seeds only",
			margin);
	return low && high && level && margin
		       ? ts_arena_printf(arena, "the %s interval is %s to %s, and the margin is %s", level, low, high,
					 margin)
		       : NULL;
}

static const char *say_row(const struct ts_level_row *row, struct ts_arena *arena)
{
	const char *level = say_level(row, arena), *margin, *seen;

	if (!level || !isfinite(row->candidate))
		return level;
	margin = say_margin(row, arena);
	seen = share(row->seen, arena);
	if (!margin || !seen)
		return NULL;
	switch (row->answer) {
	case TS_TIER_HOLDS:
		return ts_arena_printf(arena, "%s: %s%s", level, margin,
				       row->deviation > 0 && row->p_value <= TS_DIFFERENCE_ALPHA
					       ? "; the difference is more than chance, but less than the margin"
					       : "");
	case TS_TIER_FAILS:
		if (row->deviation == 0)
			return ts_arena_printf(arena, "%s: %s", level, margin);
		return ts_arena_printf(arena, "%s (p = %.1g): %s", level, row->p_value, margin);
	case TS_TIER_UNKNOWN:
		break;
	}
	return ts_arena_printf(arena, "%s (p = %.2g): %s; with %zu repeats a difference of %s would have been shown",
			       level, row->p_value, margin, row->n, seen);
}

static const char *say_none(const struct ts_level_row *rows, size_t n, size_t n_repeats, struct ts_arena *arena)
{
	struct ts_span name;

	if (n_repeats < TS_EQUIVALENCE_LEAST)
		return ts_arena_printf(
			arena,
			"at least %d repeats are needed, the first run counted: use tscope diff A B --repeats GLOB",
			TS_EQUIVALENCE_LEAST);
	if (n == 0)
		return "no loss and no evaluation is in all of the runs";
	name = ts_column_said(rows[0].name);
	return ts_arena_printf(arena, "%.*s: %.*s", TS_SPAN_ARG(name), TS_SPAN_ARG(rows[0].why_not));
}

/* Returns the first row with that answer, and how many others share it. */
static const struct ts_level_row *first_with(const struct ts_level_row *rows, size_t n, enum ts_tier_answer wanted,
					     size_t *ret_more)
{
	const struct ts_level_row *first = NULL;

	*ret_more = 0;
	for (size_t i = 0; i < n; i++) {
		if (!rows[i].known || rows[i].answer != wanted)
			continue;
		*ret_more += first != NULL;
		first = first ? first : &rows[i];
	}
	return first;
}

bool ts_equivalence_tier(const struct ts_level_row *rows, size_t n, size_t n_repeats, struct ts_arena *arena,
			 struct ts_tier *ret_tier)
{
	static const enum ts_tier_answer order[] = {TS_TIER_FAILS, TS_TIER_UNKNOWN, TS_TIER_HOLDS};
	const struct ts_level_row *row = NULL;
	const char *why;
	size_t more = 0;

	for (size_t i = 0; !row && i < sizeof order / sizeof order[0]; i++)
		row = first_with(rows, n, order[i], &more);
	why = row ? say_row(row, arena) : say_none(rows, n, n_repeats, arena);
	if (why && more)
		why = ts_arena_printf(arena, "%s; %zu more series give the same answer", why, more);
	if (!why)
		return false;
	*ret_tier = (struct ts_tier){row ? row->answer : TS_TIER_UNKNOWN, ts_span_str(why)};
	return true;
}
