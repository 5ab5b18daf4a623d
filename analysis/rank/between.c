#include "analysis/rank/between.h"

#include "analysis/rank/wall.h"
#include "analysis/stats/stats.h"
#include "base/door.h"

#include <math.h>

static const double HALF_A_STEP = 0.5, TIMES_USUAL = 3.0;

/* The time between, by step; NaN where it is not known. Returns of how many it is. */
static size_t outside_of(const int64_t *steps, const double *times, const double *recorded, size_t n, const struct ts_series *stamps,
			 double *outside)
{
	double before = NAN;
	size_t at = 0, known = 0;

	for (size_t i = 0; i < n; i++) {
		double stamp = NAN;

		while (at < stamps->n && stamps->keys[at] < steps[i])
			at++;
		if (at < stamps->n && stamps->keys[at] == steps[i] && ts_stamp_known(stamps->values[at]))
			stamp = stamps->values[at];
		outside[i] = stamp >= before ? stamp - before - times[i] + (recorded ? recorded[i] : 0.0) : (double)NAN;
		known += isfinite(outside[i]) != 0;
		before = stamp;
	}
	return known;
}

/* Whether all timestamps are multiples of 1 / per_second s, as far as a double tells. */
static bool multiples_of(const struct ts_series *stamps, double per_second)
{
	static const double OFF = 1e-3; /* a date of today in ms is right to a fifth of that */

	for (size_t i = 0; i < stamps->n; i++) {
		double value = stamps->values[i] * per_second;

		if (ts_stamp_known(stamps->values[i]) && fabs(value - round(value)) > OFF)
			return false;
	}
	return true;
}

/* By how much a time between may be off, in s: timestamps of whole seconds or milliseconds, as many logs have them, pass none or one
 * too many. */
static double coarseness(const struct ts_series *stamps)
{
	for (double per_second = 1; per_second <= 1000; per_second *= 10)
		if (multiples_of(stamps, per_second))
			return 1 / per_second;
	return 0.0;
}

enum ts_status ts_between_find(const int64_t *steps, const double *times, const double *recorded, size_t n,
			       const struct ts_series *stamps, struct ts_arena *arena, struct ts_between *ret, struct ts_error *err)
{
	double *outside = ts_arena_array(arena, n, sizeof *outside), *scratch = ts_arena_array(arena, n, sizeof *scratch);
	int64_t *at = ts_arena_array(arena, n, sizeof *at);
	struct ts_between b = {.known = false};
	struct ts_series series;
	struct ts_periods periods;
	double usual, step, least;

	TS_DOOR(ts_series_holds(stamps));
	if (!outside || !scratch || !at)
		return ts_arena_error(arena, err);
	b.known = outside_of(steps, times, recorded, n, stamps, outside) > 0;
	usual = fmax(0.0, ts_median_finite(outside, n, scratch));
	for (size_t i = 0; i < n; i++)
		scratch[i] = times[i] - (recorded ? recorded[i] : 0.0);
	step = ts_median_finite(scratch, n, scratch);
	least = TIMES_USUAL * usual + HALF_A_STEP * step + coarseness(stamps);
	for (size_t i = 0; i < n; i++) {
		double lost = outside[i] - usual;

		scratch[i] = step;
		if (!(step > 0) || !(outside[i] > least))
			continue;
		scratch[i] += lost;
		at[b.n++] = steps[i];
		b.lost += lost;
		if (lost > b.longest) {
			b.longest = lost;
			b.longest_at = steps[i];
		}
	}
	b.steps = at;
	series = (struct ts_series){.name = ts_span_str("between"), .keys = steps, .values = scratch, .n = n};
	if (b.n && ts_periods_find(&series, NULL, arena, &periods, err))
		return err->status;
	if (b.n && periods.n)
		b.every = periods.items[0].every;
	*ret = b;
	return TS_OK;
}
