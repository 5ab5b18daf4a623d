#include "analysis/answer/plot.h"

#include "base/door.h"
#include "base/grow.h"

enum { PLOTS_FIRST = 8 };

static bool plot_holds(const struct ts_plot *p)
{
	for (size_t i = 0; i < p->n; i++)
		if ((p->finite && p->finite[i] > p->count[i]) || p->min[i] > p->max[i])
			return false;
	return p->n > 0 && p->n <= TS_PLOT_CELLS && p->width > 0 && p->group.len > 0;
}

bool ts_plots_hold(const struct ts_plots *plots)
{
	for (size_t i = 0; i < plots->n; i++)
		if (!plot_holds(&plots->items[i]))
			return false;
	return plots->n <= plots->cap || !plots->cap;
}

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

/* A cell that is being filled, and the values that it still gets. */
struct filling {
	const double *values;
	size_t n, at;
	uint64_t finite;
	double min, max, mean;
};

/* Takes the cell of the first of n steps, and the steps up to the first that does not fall into it. */
static struct filling take_cell(const struct ts_plot *plot, const int64_t *steps, const double *values, size_t n)
{
	size_t at = (size_t)(((uint64_t)steps[0] - (uint64_t)plot->first_step) / plot->width), some = 1;
	uint64_t first = (uint64_t)plot->first_step + at * plot->width;

	while (some < n && (uint64_t)steps[some] - first < plot->width)
		some++;
	return (struct filling){values, some, at, plot->finite[at], plot->min[at], plot->max[at], plot->mean[at]};
}

static inline void add_value(struct filling *c, double v)
{
	if (!isfinite(v))
		return;
	c->finite++;
	c->mean += v / (double)c->finite - c->mean / (double)c->finite;
	if (!(c->min <= v))
		c->min = v;
	if (!(c->max >= v))
		c->max = v;
}

static void give_cell(struct ts_plot *plot, const struct filling *c)
{
	plot->nonfinite += c->n - (c->finite - plot->finite[c->at]);
	plot->count[c->at] += c->n;
	plot->finite[c->at] = c->finite;
	plot->min[c->at] = c->min;
	plot->max[c->at] = c->max;
	plot->mean[c->at] = c->mean;
}

/* Each value of a mean waits for two divisions; four cells at a time wait together. */
static void fill_four(struct filling *cells)
{
	struct filling a = cells[0], b = cells[1], c = cells[2], d = cells[3];
	size_t n = a.n < b.n ? a.n : b.n, i;

	n = c.n < n ? c.n : n;
	n = d.n < n ? d.n : n;
	for (i = 0; i < n; i++) {
		add_value(&a, a.values[i]);
		add_value(&b, b.values[i]);
		add_value(&c, c.values[i]);
		add_value(&d, d.values[i]);
	}
	cells[0] = a;
	cells[1] = b;
	cells[2] = c;
	cells[3] = d;
	for (size_t k = 0; k < 4; k++)
		for (i = n; i < cells[k].n; i++)
			add_value(&cells[k], cells[k].values[i]);
}

void ts_plot_add(struct ts_plot *plot, const int64_t *steps, const double *values, size_t n)
{
	for (size_t i = 0; i < n;) {
		struct filling cells[4] = {{.n = 0}};
		size_t some = 0;

		while (some < 4 && i < n) {
			struct filling next = take_cell(plot, steps + i, values + i, n - i);

			if (some > 0 && next.at <= cells[some - 1].at)
				break; /* steps went back, perhaps to one of these cells */
			cells[some++] = next;
			i += next.n;
		}
		fill_four(cells);
		while (some > 0)
			give_cell(plot, &cells[--some]);
	}
}

void ts_plot_finish(struct ts_plot *plot)
{
	for (size_t i = 0; i < plot->n; i++)
		if (plot->finite[i] == 0)
			plot->mean[i] = NAN;
}

bool ts_plot_append(struct ts_plots *plots, struct ts_arena *arena, const struct ts_plot *plot)
{
	if (!TS_GROW_IN(arena, plots->items, plots->cap, plots->n + 1, PLOTS_FIRST))
		return false;
	plots->items[plots->n++] = *plot;
	return true;
}

enum ts_status ts_plot_series(struct ts_plots *plots, enum ts_answer_group group, struct ts_span subject,
			      const char *name, enum ts_unit unit, const struct ts_series *series,
			      struct ts_arena *arena, struct ts_error *err)
{
	struct ts_plot plot;

	TS_DOOR(ts_series_holds(series));
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
