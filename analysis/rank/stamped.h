/* stamped.h - the times of steps from the differences of their timestamps, for a run that records no phase.
 *
 * A timestamp is taken at the end of its step (wall.h), so the time of a step is what passed since the timestamp of the row before,
 * divided by the steps between the two. As in analysis/gate/reduction.h there is none for the first row of a segment, for one before
 * which the clock was set back, and for one that comes after a gap of more than TS_STAMPED_FAR usual distances. What passed outside of
 * the training step, an evaluation for instance, is part of it here.
 */
#ifndef TSCOPE_ANALYSIS_RANK_STAMPED_H
#define TSCOPE_ANALYSIS_RANK_STAMPED_H

#include "analysis/stats/series.h"
#include "base/arena.h"

enum { TS_STAMPED_FAR = 64 }; /* usual distances: rows that are farther apart are not one step apart */

/* segments says in which segment a step lies; NULL: all are of one. The result is named "step", in s, and lies in the arena. */
enum ts_status ts_stamped_times(const struct ts_series *stamps, const struct ts_series *segments, struct ts_arena *arena,
				struct ts_series *ret_times, struct ts_error *err);

/* The median distance between neighbours; NaN if there are fewer than two steps. scratch has room for n values. */
double ts_usual_distance(const int64_t *steps, size_t n, double *scratch);

#endif
