/* wall.h - the wall time of a run from its timestamps, and how much of it is outside all phases.
 *
 * A timestamp (seconds since 1970) is taken at the end of its step. A timestamp that is not finite or not above 0 is
 * unknown: readers write 0.0 where there is none. The wall time is measured from the first known timestamp to the last,
 * so it does not include the first step. If a timestamp is earlier than that of the previous step, the clock was set
 * back, and the interval counts with the phase times of its steps. Wall time that no phase of these steps covers is
 * unattributed; it can be below 0 by the resolution of a timestamp (0.24 us) or where phases overlap. A gap is
 * unattributed time between two timestamps that is longer than 5 s and than 20 times the median interval: a restart, a
 * checkpoint, an evaluation or a suspended machine, which timestamps alone cannot distinguish. A gap is part of the
 * unattributed time, and never of a step.
 */
#ifndef TSCOPE_ANALYSIS_RANK_WALL_H
#define TSCOPE_ANALYSIS_RANK_WALL_H

#include "analysis/stats/series.h"

#include <math.h>

static inline bool ts_stamp_known(double stamp)
{
	return isfinite(stamp) && stamp > 0;
}

struct ts_wall {
	const char *reason; /* the reason why none of the seconds is known; NULL if they are */
	double total;	    /* s */
	double attributed;  /* s, the phase times of the steps after the first timestamp */
	double gap;	    /* s, in gaps */
	uint64_t gaps;
	uint64_t backwards; /* timestamps that are earlier than the previous one */
	uint64_t unstamped; /* steps without a known timestamp */
};

/* times[i] is the time of steps[i]. Only timestamps from step `first` on count; timestamps is NULL if the run has no such
 * column. scratch has room for one value for each timestamp. */
void ts_wall_measure(const int64_t *steps, const double *times, size_t n, const struct ts_series *timestamps, int64_t first,
		     double *scratch, struct ts_wall *ret_wall);

#endif
