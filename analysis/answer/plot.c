#include "analysis/answer/plot.h"

enum { PLOTS_FIRST = 8 };

enum ts_status ts_plot_begin(struct ts_plot *plot, int64_t first_step, int64_t last_step, size_t cells,
			     struct ts_arena *arena, struct ts_error *err)
{
	uint64_t span = (uint64_t)last_step - (uint64_t)first_step; /* this is the number of steps - 1, because the
								     * number of steps in all of int64 does not fit */
	uint64_t width = span / cells + 1;

	*plot = (struct ts_plot){
		.first_step = first_step,
		.width = width,
		.n = (size_t)(span / width) + 1,
	};
	plot->min = ts_arena_array(arena, plot->n, sizeof *plot->min);
	plot->max = ts_arena_array(arena, plot->n, sizeof *plot->max);
	plot->mean = ts_arena_array(arena, plot->n, sizeof *plot->mean);
	plot->count = ts_arena_array(arena, plot->n, sizeof *plot->count);
	plot->finite = ts_arena_array(arena, plot->n, sizeof *plot->finite);
	if (!plot->min || !plot->max || !plot->mean || !plot->count || !plot->finite)
		return ts_arena_error(arena, err);
	for (size_t i = 0; i < plot->n; i++) {
		plot->min[i] = plot->max[i] = NAN;
		plot->mean[i] = 0;
		plot->count[i] = plot->finite[i] = 0;
	}
	return TS_OK;
}

/* Adds the values from `from` on that fall into this cell, up to the first that does not; returns its index. */
static size_t add_to_cell(struct ts_plot *plot, size_t at, const int64_t *steps, const double *values, size_t from, size_t n)
{
	uint64_t first = (uint64_t)plot->first_step + at * plot->width, finite = plot->finite[at];
	double min = plot->min[at], max = plot->max[at], mean = plot->mean[at];
	size_t i = from;

	for (; i < n && (uint64_t)steps[i] - first < plot->width; i++) {
		double v = values[i];

		if (!isfinite(v)) {
			plot->nonfinite++;
			continue;
		}
		finite++;
		mean += v / (double)finite - mean / (double)finite;
		if (!(min <= v))
			min = v;
		if (!(max >= v))
			max = v;
	}
	plot->count[at] += i - from;
	plot->finite[at] = finite;
	plot->min[at] = min;
	plot->max[at] = max;
	plot->mean[at] = mean;
	return i;
}

void ts_plot_add(struct ts_plot *plot, const int64_t *steps, const double *values, size_t n)
{
	for (size_t i = 0; i < n;)
		i = add_to_cell(plot, (size_t)(((uint64_t)steps[i] - (uint64_t)plot->first_step) / plot->width), steps, values, i, n);
}

void ts_plot_finish(struct ts_plot *plot)
{
	for (size_t i = 0; i < plot->n; i++)
		if (plot->finite[i] == 0)
			plot->mean[i] = NAN;
}

bool ts_plot_append(struct ts_plots *plots, struct ts_arena *arena, const struct ts_plot *plot)
{
	if (plots->n == plots->cap) {
		size_t cap = plots->cap ? plots->cap * 2 : PLOTS_FIRST;
		struct ts_plot *items = ts_arena_array(arena, cap, sizeof *items);

		if (!items)
			return false;
		if (plots->n)
			memcpy(items, plots->items, plots->n * sizeof *items);
		plots->items = items;
		plots->cap = cap;
	}
	plots->items[plots->n++] = *plot;
	return true;
}

enum ts_status ts_plot_series(struct ts_plots *plots, enum ts_answer_group group, struct ts_span subject,
			      const char *name, enum ts_unit unit, const struct ts_series *series,
			      struct ts_arena *arena, struct ts_error *err)
{
	struct ts_plot plot;

	if (series->n == 0)
		return TS_OK;
	if (ts_plot_begin(&plot, series->keys[0], series->keys[series->n - 1], TS_PLOT_CELLS, arena, err))
		return err->status;
	plot.group = ts_answer_group_name(group);
	plot.subject = subject;
	plot.name = ts_span_str(name);
	plot.unit = unit;
	ts_plot_add(&plot, series->keys, series->values, series->n);
	ts_plot_finish(&plot);
	return ts_plot_append(plots, arena, &plot) ? TS_OK : ts_arena_error(arena, err);
}
