/* envelope.c - how far repeats are apart, window by window, and whether a candidate is farther: repeats.h has the definitions. */
#include "analysis/diverge/repeats.h"
#include "base/grow.h"

#include "analysis/stats/stats.h"

#include <math.h>

bool ts_pattern_is_chance(enum ts_pattern pattern)
{
	return pattern == TS_PATTERN_ODD || pattern == TS_PATTERN_TOGETHER || pattern == TS_PATTERN_SCATTERED;
}

void ts_envelope_begin(struct ts_envelope *e, size_t n, struct ts_resolution *resolutions, bool chance, struct ts_arena *arena)
{
	*e = (struct ts_envelope){
		.n = n, .resolutions = resolutions, .chance = chance, .arena = arena, .quiet = UINT64_MAX};
}

static double cut(const struct ts_envelope *e, enum ts_cut which)
{
	return e->cuts ? e->cuts->value[which] : ts_cut_rows[which].value;
}

static uint64_t points_of(const struct ts_envelope *e, enum ts_cut which)
{
	return (uint64_t)cut(e, which);
}

/* Among numbers of one sign, the two that are farthest apart are the least and the greatest. */
static bool one_sign(const double *v, size_t n, double *ret_least, double *ret_most)
{
	double least = v[0], most = v[0];

	for (size_t i = 0; i < n; i++) {
		if (!isfinite(v[i]))
			return false;
		least = v[i] < least ? v[i] : least;
		most = v[i] > most ? v[i] : most;
	}
	*ret_least = least;
	*ret_most = most;
	return least > 0 || most < 0;
}

static double spread_of(const double *v, size_t n)
{
	double least, most, spread = 0;

	if (one_sign(v, n, &least, &most))
		return ts_gap_ratio(least, most);
	for (size_t i = 0; i < n; i++)
		for (size_t j = i + 1; j < n; j++) {
			double r = ts_gap_ratio(v[i], v[j]);

			spread = r > spread ? r : spread;
		}
	return spread;
}

static bool add_window(struct ts_envelope *e)
{
	size_t cap = e->cap;

	if (!TS_GROW_IN(e->arena, e->windows, cap, e->n_windows + 1, 64) ||
	    !TS_GROW_IN(e->arena, e->starts, e->cap, e->n_windows + 1, 64))
		return false;
	e->windows[e->n_windows++] = 0;
	return true;
}

bool ts_envelope_learn(struct ts_envelope *e, const double *values)
{
	double spread = spread_of(values, e->n), *window;

	if (e->learnt % points_of(e, TS_CUT_WINDOW) == 0 && !add_window(e))
		return false;
	e->learnt++;
	window = &e->windows[e->n_windows - 1];
	*window = spread > *window ? spread : *window;
	e->row.spread = spread > e->row.spread ? spread : e->row.spread;
	return true;
}

static bool find_level(struct ts_envelope *e)
{
	double *differing = ts_arena_array(e->arena, e->n_windows, sizeof *differing);
	size_t n = 0;

	if (!differing)
		return false;
	for (size_t i = 0; i < e->n_windows; i++)
		if (e->windows[i] > 0)
			differing[n++] = e->windows[i];
	e->row.level = n ? ts_median_few(differing, n) : 0;
	return true;
}

/* Returns the greatest spread of a window and its neighbours. */
static double around(const struct ts_envelope *e, size_t window)
{
	double most = e->windows[window];

	if (window > 0 && e->windows[window - 1] > most)
		most = e->windows[window - 1];
	if (window + 1 < e->n_windows && e->windows[window + 1] > most)
		most = e->windows[window + 1];
	return most;
}

/* Returns the relative quantum of the coarsest source at this point. */
static double coarseness(const struct ts_envelope *e, const double *values, double candidate)
{
	double most = 0;

	for (size_t i = 0; i < e->n; i++) {
		double scale = fabs(values[i]) > fabs(candidate) ? fabs(values[i]) : fabs(candidate);
		double quantum = ts_gap_quantum(e->resolutions[i], e->resolutions[e->n], values[i], candidate);

		if (quantum > 0 && scale > 0 && isfinite(scale) && quantum / scale > most)
			most = quantum / scale;
	}
	return most;
}

/* Computes the spread of the repeats at the points of a window. */
static double spread_at(const struct ts_envelope *e, size_t window)
{
	double spread = around(e, window);

	return e->chance && e->row.level > spread ? e->row.level : spread;
}

static double limit_of(const struct ts_envelope *e, double spread, double coarse)
{
	double times = 1 + (cut(e, TS_CUT_SPREAD) - 1) * (TS_REPEATS_LEAST - 1) / ((double)e->n - 1);

	/* Decimals stored as doubles have rounding errors: a difference of one unit counts as at most one quantum. */
	return fmax(times * spread, coarse * (1 + 1e-9));
}

static double nearest(const struct ts_envelope *e, const double *values, double candidate)
{
	double least = ts_gap_ratio(values[0], candidate);

	for (size_t i = 1; i < e->n; i++) {
		double r = ts_gap_ratio(values[i], candidate);

		least = r < least ? r : least;
	}
	return least;
}

/* Asks whether the consecutive points outside amount to a real difference. */
static bool is_real(const struct ts_envelope *e, double spread)
{
	if (e->streak < points_of(e, TS_CUT_RUN))
		return false;
	if (!e->chance || spread >= cut(e, TS_CUT_AMPLIFIED) || e->streak_least > cut(e, TS_CUT_CHANCE))
		return true;
	return e->streak >= points_of(e, TS_CUT_AT_ONCE) && e->streak_is_first && e->streak_least > e->streak_rounding;
}

static void begin_streak(struct ts_envelope *e, int64_t step, double r, double limit)
{
	e->streak_is_first = e->quiet >= points_of(e, TS_CUT_WINDOW);
	e->streak_step = step;
	e->streak_r = e->streak_least = r;
	e->streak_limit = limit;
	e->streak_rounding = cut(e, TS_CUT_NUMERIC);
}

static void add_outside(struct ts_envelope *e, int64_t step, double r, double spread, double coarse)
{
	bool real;

	e->row.outside++;
	if (e->streak++ == 0)
		begin_streak(e, step, r, limit_of(e, spread, coarse));
	e->quiet = 0;
	e->streak_least = fmin(e->streak_least, r);
	e->streak_rounding = fmax(e->streak_rounding, TS_ENVELOPE_QUANTA * coarse);
	real = is_real(e, spread);
	if (e->row.real || !(real || (e->streak == points_of(e, TS_CUT_RUN) && !e->row.grown)))
		return;
	e->row.stays_outside = true;
	e->row.real = real;
	e->row.grown = !real;
	e->row.first_step = e->streak_step;
	e->row.first_r = e->streak_r;
	e->row.first_limit = e->streak_limit;
}

static void add_inside(struct ts_envelope *e)
{
	e->streak = 0;
	e->quiet += e->quiet < UINT64_MAX;
}

bool ts_envelope_judge(struct ts_envelope *e, int64_t step, const double *values, double candidate)
{
	size_t window = (size_t)(e->judged / points_of(e, TS_CUT_WINDOW));
	double r, spread = 0, coarse = 0;

	if (!e->ready && !find_level(e))
		return false;
	e->ready = true;
	if (e->judged++ % points_of(e, TS_CUT_WINDOW) == 0)
		e->starts[window] = step;
	r = nearest(e, values, candidate);
	if (e->judged == 1 || r > e->row.greatest) {
		e->row.greatest = r;
		e->row.greatest_step = step;
	}
	/* Most points of most runs are equal: those need no limit. */
	if (r > 0) {
		spread = spread_at(e, window);
		coarse = coarseness(e, values, candidate);
	}
	if (r > limit_of(e, spread, coarse))
		add_outside(e, step, r, spread, coarse);
	else
		add_inside(e);
	return true;
}

bool ts_envelope_end(struct ts_envelope *e, bool has_step, int64_t step, struct ts_envelope_row *ret_row)
{
	struct ts_envelope_row row = e->row;
	size_t window = 0;

	row.name = ret_row->name;
	row.rank = ret_row->rank;
	row.points = e->judged;
	row.known = e->judged >= points_of(e, TS_CUT_RUN);
	row.spread_there = (double)NAN;
	if (!row.known) {
		const char *why = ts_arena_printf(e->arena,
						  "the runs have %" PRIu64
						  " common points of this series, and at least %" PRIu64 " are needed",
						  e->judged, points_of(e, TS_CUT_RUN));

		if (!why)
			return false;
		row.why_not = ts_span_str(why);
	} else if (has_step && step >= e->starts[0]) {
		while (window + 1 < e->n_windows && e->starts[window + 1] <= step)
			window++;
		row.spread_there = around(e, window);
	}
	*ret_row = row;
	return true;
}
