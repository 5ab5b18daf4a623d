/* envelope.c - how far repeats are apart, window by window, and whether a candidate is farther: repeats.h has the definitions. */
#include "analysis/repeats.h"

#include "analysis/stats.h"

#include <math.h>

void ts_envelope_begin(struct ts_envelope *e, size_t n, struct ts_resolution *resolutions, bool scattered, struct ts_arena *arena)
{
	*e = (struct ts_envelope){.n = n, .resolutions = resolutions, .scattered = scattered, .arena = arena};
}

/* Of numbers with one sign the farthest two are the least and the greatest. */
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
	if (e->n_windows == e->cap) {
		size_t cap = e->cap ? 2 * e->cap : 64;
		double *windows = ts_arena_array(e->arena, cap, sizeof *windows);
		int64_t *starts = ts_arena_array(e->arena, cap, sizeof *starts);

		if (!windows || !starts)
			return false;
		if (e->n_windows)
			memcpy(windows, e->windows, e->n_windows * sizeof *windows);
		e->windows = windows;
		e->starts = starts;
		e->cap = cap;
	}
	e->windows[e->n_windows++] = 0;
	return true;
}

bool ts_envelope_learn(struct ts_envelope *e, const double *values)
{
	double spread = spread_of(values, e->n), *window;

	if (e->learnt % TS_ENVELOPE_WINDOW == 0 && !add_window(e))
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

/* The greatest spread of a window and those beside it. */
static double around(const struct ts_envelope *e, size_t window)
{
	double most = e->windows[window];

	if (window > 0 && e->windows[window - 1] > most)
		most = e->windows[window - 1];
	if (window + 1 < e->n_windows && e->windows[window + 1] > most)
		most = e->windows[window + 1];
	return most;
}

/* Relative, of the coarsest of the sources at this point. */
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

static double limit_at(const struct ts_envelope *e, size_t window, const double *values, double candidate)
{
	double spread = around(e, window), coarse = coarseness(e, values, candidate);

	if (e->scattered && e->row.level > spread)
		spread = e->row.level;
	/* Decimals are held in doubles that are off by a hair: one unit of them is no more than one quantum. */
	return fmax(TS_ENVELOPE_TIMES * spread, coarse * (1 + 1e-9));
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

static void count_outside(struct ts_envelope *e, int64_t step, double r, double limit)
{
	if (r <= limit) {
		e->streak = 0;
		return;
	}
	e->row.outside++;
	if (e->streak++ == 0) {
		e->streak_step = step;
		e->streak_r = r;
		e->streak_limit = limit;
	}
	if (e->streak == TS_ENVELOPE_RUN && !e->row.real) {
		e->row.real = true;
		e->row.first_step = e->streak_step;
		e->row.first_r = e->streak_r;
		e->row.first_limit = e->streak_limit;
	}
}

bool ts_envelope_judge(struct ts_envelope *e, int64_t step, const double *values, double candidate)
{
	size_t window = (size_t)(e->judged / TS_ENVELOPE_WINDOW);
	double r;

	if (!e->ready && !find_level(e))
		return false;
	e->ready = true;
	if (e->judged++ % TS_ENVELOPE_WINDOW == 0)
		e->starts[window] = step;
	r = nearest(e, values, candidate);
	if (e->judged == 1 || r > e->row.greatest) {
		e->row.greatest = r;
		e->row.greatest_step = step;
	}
	/* Most points of most runs are the same: those need no limit. */
	count_outside(e, step, r, r == 0 ? 0 : limit_at(e, window, values, candidate));
	return true;
}

bool ts_envelope_end(struct ts_envelope *e, bool has_step, int64_t step, struct ts_envelope_row *ret_row)
{
	struct ts_envelope_row row = e->row;
	size_t window = 0;

	row.name = ret_row->name;
	row.rank = ret_row->rank;
	row.points = e->judged;
	row.known = e->judged >= TS_ENVELOPE_RUN;
	row.spread_there = (double)NAN;
	if (!row.known) {
		const char *why = ts_arena_printf(e->arena, "the runs have %llu points of it in common, and %d are needed",
						  (unsigned long long)e->judged, TS_ENVELOPE_RUN);

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
