#include "analysis/diverge/one_sided.h"

#include "analysis/answer/say.h"
#include "analysis/stats/tally.h"
#include "run/role.h"

#include <math.h>

/* Shares of the first tenth: how far both may lie apart there, what stands still, what moves; by how many errors it must, and by how
 * many times what the other wanders. */
static const double alike = 0.25, still = 0.15, moves_by = 0.5, errors = 5, wanders = 2;

enum { TENTH_LEAST = 3, TENTHS = 10 };

/* The mean, and the square of its standard error. */
static double mean_of(const double *values, size_t n, double *ret_square)
{
	struct ts_tally sum = {0, 0}, squares = {0, 0};
	double mean;

	for (size_t i = 0; i < n; i++)
		ts_tally_add(&sum, values[i]);
	mean = ts_tally_value(&sum) / (double)n;
	for (size_t i = 0; i < n; i++)
		ts_tally_add(&squares, (values[i] - mean) * (values[i] - mean));
	*ret_square = n < TENTH_LEAST ? (double)NAN : ts_tally_value(&squares) / (double)(n - 1) / (double)n;
	return mean;
}

/* NaN where there are less values than tenths, or one is no number. */
static double range_of(const double *values, size_t n)
{
	double least = (double)INFINITY, most = -(double)INFINITY, square;

	for (size_t i = 0; i < TENTHS; i++) {
		size_t from = n * i / TENTHS, to = n * (i + 1) / TENTHS;
		double mean = to > from ? mean_of(values + from, to - from, &square) : (double)NAN;

		if (isnan(mean))
			return mean;
		least = mean < least ? mean : least;
		most = mean > most ? mean : most;
	}
	return most - least;
}

struct ts_sided ts_sided_of(const double *values, size_t n)
{
	size_t tenth = (n + 9) / 10;
	double at_first, at_last;
	struct ts_sided s = {.first = mean_of(values, tenth, &at_first), .last = mean_of(values + (n - tenth), tenth, &at_last)};

	s.error = sqrt(at_first + at_last);
	s.range = range_of(values, n);
	return s;
}

static double growth_of(const struct ts_sided *s)
{
	return s->last / s->first - 1;
}

static bool stands(const struct ts_sided *s)
{
	return fabs(growth_of(s)) <= still;
}

static bool moves(const struct ts_sided *s, const struct ts_sided *other)
{
	double by = fabs(s->last - s->first);

	return (growth_of(s) >= moves_by || growth_of(s) <= 1 / (1 + moves_by) - 1) && by >= errors * s->error &&
	       by >= wanders * other->range;
}

bool ts_is_one_sided(const struct ts_sided *a, const struct ts_sided *b)
{
	if (!(a->first > 0) || !(b->first > 0) || fabs(a->first - b->first) > alike * fmax(a->first, b->first))
		return false;
	return (stands(a) && moves(b, a)) || (stands(b) && moves(a, b));
}

static const char *percent(double growth, struct ts_arena *arena)
{
	return ts_arena_printf(arena, "%.*f %%", fabs(growth) < 0.1 ? 1 : 0, 100 * growth);
}

enum ts_status ts_diagnose_one_sided(struct ts_span name, const struct ts_sided *a, const struct ts_sided *b, struct ts_arena *arena,
				     struct ts_diagnosis *io, struct ts_error *err)
{
	bool second = stands(a);
	double growth = growth_of(second ? b : a);
	const char *moved = percent(fabs(growth), arena), *stood = percent(growth_of(second ? a : b), arena), *sentence;
	enum ts_cause *remaining;

	if ((io->cause != TS_CAUSE_INIT_OR_DATA && io->cause != TS_CAUSE_KERNEL_RNG_OR_DATA) || io->confidence != TS_CONFIDENCE_LOW)
		return TS_OK;
	remaining = ts_arena_array(arena, io->n_remaining + 1, sizeof *remaining);
	if (!moved || !stood || !remaining)
		return ts_arena_error(arena, err);
	sentence = ts_arena_printf(
		arena,
		"%.*s begins alike in both runs, and %s by %s in the %s run alone (in the %s by %s); other values differ from "
		"the first common step on, as with other data or random draws, which do not explain that",
		TS_SPAN_ARG(ts_column_said(name)), growth > 0 ? "grows" : "falls", moved, second ? "second" : "first",
		second ? "first" : "second", stood);
	if (!sentence)
		return ts_arena_error(arena, err);
	remaining[0] = io->cause;
	for (size_t i = 0; i < io->n_remaining; i++)
		remaining[i + 1] = io->remaining[i];
	io->remaining = remaining;
	io->n_remaining++;
	io->cause = TS_CAUSE_UNKNOWN;
	io->sentence = ts_span_str(sentence);
	return TS_OK;
}
