/* stamped.h - the times of steps from the differences of their timestamps, for a run that records no phase.
 *
 * A timestamp is taken at the end of its step (wall.h), so the time of a step is what passed since the timestamp of the row before,
 * divided by the steps between the two. As in analysis/gate/reduction.h there is none for the first row of a segment, for one before
 * which the clock was set back, and for one that comes after a gap of more than TS_STAMPED_FAR usual distances. What passed outside of
 * the training step, an evaluation for instance, is part of it here. Three rows or more with one same timestamp have a clock that is
 * too coarse: they are one record, so no step of them took 0 s, and what passes until the next timestamp is divided among their steps.
 */
#ifndef TSCOPE_ANALYSIS_RANK_STAMPED_H
#define TSCOPE_ANALYSIS_RANK_STAMPED_H

#include "analysis/stats/series.h"
#include "base/arena.h"

enum { TS_STAMPED_FAR = 64 }; /* usual distances: rows that are farther apart are not one step apart */

/* segments says in which segment a step lies; NULL: all are of one. The result is named "step", in s, and lies in the arena.
 * *ret_coarse: how many rows have the timestamp of two others or more beside them. */
enum ts_status ts_stamped_times(const struct ts_series *stamps, const struct ts_series *segments, struct ts_arena *arena,
				struct ts_series *ret_times, uint64_t *ret_coarse, struct ts_error *err);

/* Whether row i has the timestamp of the row before it, and three rows or more have it. */
static inline bool ts_stamp_stays(const double *stamps, size_t n, size_t i)
{
	return i > 0 && stamps[i] == stamps[i - 1] &&
	       ((i > 1 && stamps[i] == stamps[i - 2]) || (i + 1 < n && stamps[i] == stamps[i + 1]));
}

/* The median distance between neighbours; NaN if there are fewer than two steps. scratch has room for n values. */
double ts_usual_distance(const int64_t *steps, size_t n, double *scratch);

#endif
