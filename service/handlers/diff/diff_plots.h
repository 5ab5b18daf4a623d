/* diff_plots.h - curves of two runs that differ: around the first step at which they do, and over the whole run.
 *
 * Of the loss and the gradient norm where they differ, else of the first two series of numbers of the trajectory that do; on the rank
 * that differs first. Both runs have cells of one grid, so that they can be laid over each other. None where points were paired by an
 * axis: the grid is one of steps.
 */
#ifndef TSCOPE_SERVICE_HANDLERS_DIFF_DIFF_PLOTS_H
#define TSCOPE_SERVICE_HANDLERS_DIFF_DIFF_PLOTS_H

#include "proto/wire.h"
#include "service/handlers/core/read.h"

/* Around the split a cell is a point where they lie evenly. */
enum { TS_DIFF_PLOT_SERIES = 2, TS_DIFF_PLOT_BEFORE = 40, TS_DIFF_PLOT_CELLS = 160 };

/* Fills plots of a diff whose rows are there. The cells lie in the arena. */
enum ts_status ts_diff_plots(struct ts_fetch *f, const struct ts_id *a, const struct ts_id *b, enum ts_plots_wanted wanted,
			     struct ts_arena *arena, struct ts_diff *diff, struct ts_error *err);

#endif
