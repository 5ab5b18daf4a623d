/* straggler_episode.h - which ranks are slow for a part of the run, by more than chance.
 *
 * A rank that is slow in the last tenth of the steps is in front in a tenth of the blocks only, which no exchange of ranks within
 * blocks can call unlikely (straggler.h). Here each series is cut into windows of 16, 32, 64, ... cells, of which a rank has
 * TS_EPISODE_WINDOWS to about TS_EPISODE_WINDOWS_MOST, so that a slow stretch of a few steps is no episode, from the end and
 * from half a window before it. The mean of a window is compared with
 * the median of the means of that rank, in units of the larger of two scales: the rank's own, and that of all ranks, both 1.4826
 * median distances. Windows of one length vary alike however long the noise stays correlated, so no block length is needed.
 * The tail is Student's with as many degrees of freedom as the rank has windows, times the number of windows of all ranks and
 * lengths (Bonferroni).
 */
#ifndef TSCOPE_ANALYSIS_RANKS_STRAGGLER_EPISODE_H
#define TSCOPE_ANALYSIS_RANKS_STRAGGLER_EPISODE_H

#include "base/arena.h"

#include <stddef.h>

enum { TS_EPISODE_WINDOWS = 6, TS_EPISODE_WINDOWS_MOST = 16 };

/* x is [rank][cell], finite: deviations from the other ranks, relative to the level of the cell. Windows of fewer than `least` cells
 * are not looked at. ret_p[rank] is the adjusted chance of its slowest window, at most 1; 1 if there are too few cells. n_ranks >= 1.
 * TS_NO_MEMORY is the only error. */
enum ts_status ts_straggler_episodes(const double *x, size_t n_ranks, size_t n_cells, size_t least, struct ts_arena *arena,
				     double *ret_p, struct ts_error *err);

#endif
