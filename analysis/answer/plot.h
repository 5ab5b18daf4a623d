/* plot.h - a curve for a report: a series of any length in at most TS_PLOT_CELLS cells, which keep its spikes.
 *
 * Cell i covers the steps [first_step + i*width, first_step + (i+1)*width). Cells are a grid of step numbers, so that gaps
 * show as empty cells, and plots of different ranks line up. min and max keep every spike. An empty cell has count 0 and NaN
 * in min, max and mean. Non-finite values are counted and otherwise left out: a cell that has only such values has NaN and
 * count > 0. Cells lie in the arena given.
 */
#ifndef TSCOPE_ANALYSIS_ANSWER_PLOT_H
#define TSCOPE_ANALYSIS_ANSWER_PLOT_H

#include "analysis/answer/measure.h"
#include "analysis/stats/series.h"

enum { TS_PLOT_CELLS = 480 };

struct ts_plot {
	struct ts_span group;	/* "timing", "memory", "convergence", "ranks" */
	struct ts_span subject; /* "step", "alloc", "loss", "rank 3" */
	struct ts_span name;	/* what the curve shows: "value", "slowdown" */
	enum ts_unit unit;
	int64_t first_step;
	uint64_t width;		/* steps of one cell, at least 1 */
	size_t n;		/* cells, at most TS_PLOT_CELLS */
	double *min, *max, *mean;
	uint64_t *count;	/* values in the cell, with non-finite ones */
	uint64_t *finite;	/* finite values in the cell; NULL in a plot that was read from the wire */
	uint64_t nonfinite;	/* non-finite values in the whole series */
};

struct ts_plots {
	struct ts_plot *items;
	size_t n;
	size_t cap;
};

/* Each has cells that fit, of at least a step each, and counts no more finite values than values. */
bool ts_plots_hold(const struct ts_plots *plots);
/* Makes an empty plot over [first_step, last_step] with at most `cells` cells (2 to TS_PLOT_CELLS). */
enum ts_status ts_plot_begin(struct ts_plot *plot, int64_t first_step, int64_t last_step, size_t cells,
			     struct ts_arena *arena, struct ts_error *err);
/* Adds values at steps inside the range, in any order and in any number of calls. */
void ts_plot_add(struct ts_plot *plot, const int64_t *steps, const double *values, size_t n);
/* Turns the sums into means; no values can be added after it. */
void ts_plot_finish(struct ts_plot *plot);
/* Makes the whole plot of one series and appends it to plots. Does nothing if the series is empty. */
enum ts_status ts_plot_series(struct ts_plots *plots, enum ts_answer_group group, struct ts_span subject,
			      const char *name, enum ts_unit unit, const struct ts_series *series,
			      struct ts_arena *arena, struct ts_error *err);
/* Appends a plot; false when the arena is full. */
bool ts_plot_append(struct ts_plots *plots, struct ts_arena *arena, const struct ts_plot *plot);

#endif
