/* wall.h - the wall time of a run by its timestamps, and how much of it no phase accounts for.
 *
 * A timestamp (seconds since 1970) is taken at the end of its step. One that is not finite or not above 0 is unknown:
 * readers write 0.0 for none. Wall time goes from the first known timestamp to the last, so the first step's own time is
 * not in it. Where a timestamp lies before the one of the step before, the clock was set: that interval counts as the
 * time that its steps claim. What the phases of those steps do not claim is unattributed; it may fall below 0 by the
 * resolution of a timestamp (0.24 us) or where phases overlap. A gap is unattributed time between two timestamps above 5
 * s and above 20 times the median interval: a restart, a checkpoint, an evaluation, a suspended machine; timestamps alone
 * do not tell which. It is part of the unattributed time, and never of a step.
 */
#ifndef TSCOPE_ANALYSIS_RANK_WALL_H
#define TSCOPE_ANALYSIS_RANK_WALL_H

#include "analysis/stats/series.h"
#include "base/arena.h"

struct ts_wall {
	const char *reason; /* not NULL: why none of the seconds is known */
	double total;	    /* s */
	double attributed;  /* s, by the phases of the steps after the first timestamp */
	double gap;	    /* s, in gaps */
	uint64_t gaps;
	uint64_t backwards; /* timestamps that lie before the one before */
	uint64_t unstamped; /* steps without a known timestamp */
};

/* times[i] is the time of steps[i]; timestamps from step `first` on count; NULL if there is no such column. */
enum ts_status ts_wall_measure(const int64_t *steps, const double *times, size_t n, const struct ts_series *timestamps,
			       int64_t first, struct ts_arena *arena, struct ts_wall *ret_wall, struct ts_error *err);

#endif
