/* burst.h - finds bursts in a series of runs: a few neighbours that lie far from the level before them, which then comes back.
 *
 * Something that disturbs a machine for some minutes disturbs several runs in a row. Such runs are neither a level, nor odd ones that
 * stand alone: a permutation test takes them for a level, and a model of wandering for dependence, which then hides a step.
 */
#ifndef TSCOPE_ANALYSIS_STATS_BURST_H
#define TSCOPE_ANALYSIS_STATS_BURST_H

#include "base/arena.h"

#include <stddef.h>

enum { TS_BURST_MOST = 3 /* values: a level that is held longer is one */ };

struct ts_bursts {
	size_t several; /* how many bursts of three values or more there are */
	size_t longest; /* values of the longest of them; 0: there is none */
};

/* Writes x to out, each burst of up to TS_BURST_MOST values replaced by the level before it: the median of the seven values before,
 * from which a burst is further than four deviations (taken from the median difference of neighbours), and to which at least three of
 * the eight values after it are back within two. So three values at the end of the series stay, since they may be a new level. Where
 * several bursts of three values or more come and go, two that touch are no level either, and up to twice the longest is a burst. x is
 * finite; out has room for n values and is not x. TS_NO_MEMORY is the only error. Time: O(n). */
enum ts_status ts_burst_calm(const double *x, size_t n, struct ts_arena *arena, double *out, struct ts_bursts *ret,
			     struct ts_error *err);

#endif
