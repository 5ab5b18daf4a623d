/* straggler_burst.h - the stretches of cells in which a rank is far from its usual deviation.
 *
 * A cell is far if its value lies further from the median than TS_BURST_FAR median distances, which is 6 standard deviations of
 * white noise, or if it lies between such values of a window of 4, 16 or 64 cells whose mean does, of values that are clipped
 * there, in median distances of such means. A single pause therefore does not make its neighbours far, and a long stretch is
 * found that shows in no cell alone. Stretches whose gap is at most a quarter of both are one, if it is no longer
 * than three cells or its mean is still far by a quarter of that distance; else one has ended and another begins. Where most
 * values are equal nothing is far.
 */
#ifndef TSCOPE_ANALYSIS_RANKS_STRAGGLER_BURST_H
#define TSCOPE_ANALYSIS_RANKS_STRAGGLER_BURST_H

#include "base/arena.h"

#include <stdbool.h>
#include <stddef.h>

#define TS_BURST_FAR 8.9

/* Room for one series; the same is used for one after another. */
struct ts_burst_room {
	size_t n;
	double *clipped, *means, *distances, *scratch; /* [n] */
	double mid, reach; /* of the last series: the median, and how far a value may lie from it; 0: any */
};

struct ts_burst {
	size_t from, to; /* cells [from, to) */
};

/* TS_NO_MEMORY is the only error. */
enum ts_status ts_burst_room(size_t n, struct ts_arena *arena, struct ts_burst_room *ret, struct ts_error *err);
/* Sets ret_far[c] where x[c] is far; n of the room. */
void ts_burst_mark(const double *x, struct ts_burst_room *room, bool *ret_far);
/* Finds the next stretch of far cells from `at` on; false if there is none. */
bool ts_burst_next(const bool *far, size_t n, size_t at, struct ts_burst *ret);

#endif
