/* plot.h - a curve for a report: a series of any length in at most TS_PLOT_CELLS cells, its spikes kept.
 *
 * Cell i covers the steps [first_step + i*width, first_step + (i+1)*width) of a grid by step number, so that gaps show as empty
 * cells and plots of different ranks stand under each other. min and max keep every spike. An empty cell has count 0 and NaN
 * in min, max, mean. Non-finite values are counted and otherwise left out: a cell that has only such is NaN with
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
	struct ts_span name;	/* what is drawn: "value", "slowdown" */
	enum ts_unit unit;
	int64_t first_step;
	uint64_t width;		/* steps a cell, at least 1 */
	size_t n;		/* cells, at most TS_PLOT_CELLS */
	double *min, *max, *mean;
	uint64_t *count;	/* values in the cell, non-finite ones too */
	uint64_t *finite;	/* values that are numbers; NULL in a plot that was read from the wire */
	uint64_t nonfinite;	/* in all of the series */
};

struct ts_plots {
	struct ts_plot *items;
	size_t n;
	size_t cap;
};

/* An empty plot over [first_step, last_step] of at most `cells` cells (2 to TS_PLOT_CELLS). */
enum ts_status ts_plot_begin(struct ts_plot *plot, int64_t first_step, int64_t last_step, size_t cells,
			     struct ts_arena *arena, struct ts_error *err);
/* Values at steps inside the range, in any order, in any number of calls. */
void ts_plot_add(struct ts_plot *plot, const int64_t *steps, const double *values, size_t n);
/* Makes means of sums; after it nothing is added. */
void ts_plot_finish(struct ts_plot *plot);
/* All of it for one series, appended to plots. Does nothing for an empty series. */
enum ts_status ts_plot_series(struct ts_plots *plots, enum ts_answer_group group, struct ts_span subject,
			      const char *name, enum ts_unit unit, const struct ts_series *series,
			      struct ts_arena *arena, struct ts_error *err);
bool ts_plot_append(struct ts_plots *plots, struct ts_arena *arena, const struct ts_plot *plot);

#endif
