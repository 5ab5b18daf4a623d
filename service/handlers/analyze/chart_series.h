/* chart_series.h - one column of a run for a chart: where it lies, and the place of each of its values on the axis.
 *
 * A column is named as it is stored, or without its group ("loss" for "scalars.loss"), or as loggers name the same of a training
 * ("scalars.train/loss"). It is that of one rank. `samples` and `tokens` are of one step (docs/run-directory.md), so a value lies at
 * their sum up to and with its step; scalars of these names are taken as they are, and so is `epoch`. Time counts from the rank's first
 * timestamp.
 */
#ifndef TSCOPE_SERVICE_HANDLERS_ANALYZE_CHART_SERIES_H
#define TSCOPE_SERVICE_HANDLERS_ANALYZE_CHART_SERIES_H

#include "analysis/answer/chart.h"
#include "proto/wire.h"
#include "service/handlers/core/read.h"

struct ts_chart_series {
	const struct ts_table *table; /* NULL: nothing can be drawn, and line->why_not says why */
	const struct ts_column *column;
	const struct ts_table *axis_table; /* NULL for the step */
	const struct ts_column *axis;
};

/* Finds the column and its axis, and fills column, rank, values and why_not of the line. */
enum ts_status ts_chart_find(const struct ts_run *run, const struct ts_chart_request *request, struct ts_arena *arena,
			     struct ts_chart_line *line, struct ts_chart_series *ret_series, struct ts_error *err);

/* How the values of an axis become places: they are added up, or counted from the first finite one, or stand for themselves. */
struct ts_chart_axis_way {
	bool summed;
	double first; /* what is taken from each; 0 if nothing is */
};
/* Reads the first block of the axis that has a finite value, if it counts from there. The series has an axis. */
enum ts_status ts_chart_axis_find_way(struct ts_fetch *f, const struct ts_chart_series *series, struct ts_arena *arena,
				      struct ts_chart_axis_way *ret_way, struct ts_error *err);

/* The place of each value, in order of step. NaN: it has none; on a logarithmic axis, that is not above zero either. */
struct ts_chart_places {
	int64_t *keys;
	double *x;
	size_t n;
	uint64_t back; /* how often time goes back */
};
enum ts_status ts_chart_place(struct ts_fetch *f, const struct ts_chart_series *series, const struct ts_chart_request *request,
			      struct ts_arena *arena, struct ts_chart_places *ret_places, struct ts_error *err);

#endif
