/* chart_runs.c - Chart: one column of many runs, reduced to what a picture shows of it, or cut into cells (chart_cells.h).
 *
 * One run after another is in memory, whatever their number. If the axis is not the step, its ends are known only when every run's
 * axis was read, so that each axis is read twice.
 */
#include "service/handlers/analyze/chart_cells.h"
#include "service/handlers/analyze/chart_series.h"
#include "service/handlers/analyze/column_atoms.h"
#include "service/handlers/core/cost.h"
#include "service/handlers/core/describe.h"
#include "service/handlers/core/fit.h"
#include "service/handlers/core/methods.h"
#include "service/handlers/core/resolve.h"

#include <math.h>

enum { TOLD_MAX = 8 };

struct charting {
	struct ts_fetch *fetch;
	const struct ts_chart_request *request;
	struct ts_run *runs;
	struct ts_chart_series *series;
	struct ts_chart chart;
	struct ts_arena *arena; /* of the answer */
	struct ts_arena work;	/* of one run */
};

static enum ts_status open_run(struct charting *c, size_t i, const struct ts_call *call, struct ts_error *err)
{
	const struct ts_chart_request *request = c->request;
	struct ts_chart_line *line = &c->chart.lines[i];
	struct ts_run *run = &c->runs[i];
	struct ts_resolved found;

	if (ts_resolve(call->engine, request->runs[i], c->arena, &found, err) ||
	    ts_run_open(c->fetch, &found.id, c->arena, run, err) || ts_run_describe(c->fetch, run, &line->run, err) ||
	    ts_chart_find(run, request, c->arena, line, &c->series[i], err))
		return err->status;
	if (request->by.len) {
		struct ts_facts facts;

		if (ts_run_facts(run, ts_run_rank(run, line->rank), c->arena, &facts, err))
			return err->status;
		line->group = ts_facts_find(&facts, request->by);
	}
	if (line->column.len && c->chart.unit == TS_UNIT_NONE)
		c->chart.unit = ts_chart_unit(line->column);
	return TS_OK;
}

/* No run has the column: the error says which columns of numbers the first run with any has. */
static enum ts_status no_column(const struct charting *c, struct ts_error *err)
{
	size_t told = 0;

	if (c->request->has_rank)
		return ts_error_set(err, TS_NOT_FOUND, "rank %d of no run has a column of numbers named %.*s", c->request->rank,
				    TS_SPAN_ARG(c->request->column));
	ts_error_set(err, TS_NOT_FOUND, "no run has a column of numbers named %.*s", TS_SPAN_ARG(c->request->column));
	for (size_t i = 0; i < c->chart.n && !told; i++) {
		const struct ts_run *run = &c->runs[i];

		for (size_t t = 0; run->head.n_ranks && t < run->indexes[0].n_tables; t++) {
			const struct ts_table *table = &run->indexes[0].tables[t];

			for (size_t k = 0; table->kind == TS_TABLE_STEPS && k < table->n_columns && told < TOLD_MAX; k++) {
				struct ts_error whole = *err;

				if (table->columns[k].type == TS_COLUMN_F64)
					ts_error_set(err, TS_NOT_FOUND, "%s%s %.*s", whole.text, told++ ? "," : "; there are",
						     TS_SPAN_ARG(table->columns[k].name));
			}
		}
	}
	return err->status;
}

static void widen(struct ts_chart *chart, double x)
{
	if (isnan(x))
		return;
	chart->low = x >= chart->low ? chart->low : x; /* the ends are NaN at first */
	chart->high = x <= chart->high ? chart->high : x;
}

/* Widens the axis by the places of one run. A run of which no value has a place is not drawn. */
static enum ts_status add_extent(struct charting *c, size_t i, struct ts_error *err)
{
	struct ts_chart_series *s = &c->series[i];
	struct ts_chart_line *line = &c->chart.lines[i];
	struct ts_chart_places places;
	size_t placed = 0;

	if (c->request->axis == TS_CHART_STEP && !c->request->log_x) {
		widen(&c->chart, (double)s->table->blocks[0].first_key);
		widen(&c->chart, (double)s->table->blocks[s->table->n_blocks - 1].last_key);
		return TS_OK;
	}
	ts_arena_reset(&c->work);
	if (ts_chart_place(c->fetch, s, c->request, &c->work, &places, err))
		return err->status;
	for (size_t k = 0; k < places.n; k++) {
		placed += !isnan(places.x[k]);
		widen(&c->chart, places.x[k]);
	}
	if (placed)
		return TS_OK;
	line->unplaced = line->values;
	line->why_not = ts_span_str("none of its values has a place on the axis");
	s->table = NULL;
	return TS_OK;
}

static enum ts_status draw(struct charting *c, size_t i, struct ts_error *err)
{
	const struct ts_chart_series *s = &c->series[i];
	struct ts_chart_line *line = &c->chart.lines[i];
	struct ts_chart_places p;
	struct ts_chart_pen pen;
	double *values;

	ts_arena_reset(&c->work);
	if (ts_chart_place(c->fetch, s, c->request, &c->work, &p, err) ||
	    ts_fetch_f64(c->fetch, s->table, s->column, &c->work, &values, err) ||
	    ts_chart_pen_begin(&pen, &c->chart, line, c->arena, err))
		return err->status;
	line->back = p.back;
	for (size_t k = 0; k < p.n; k++) {
		if (isnan(p.x[k])) {
			line->unplaced++;
			continue;
		}
		ts_chart_pen_add(&pen, p.x[k], values[k]);
		if (ts_chart_gap(p.keys, p.n, k) && !isnan(p.x[k + 1]))
			ts_chart_pen_lift(&pen, p.x[k] / 2 + p.x[k + 1] / 2);
	}
	if (line->odd == line->values - line->unplaced)
		line->why_not = ts_span_str("none of its values can be drawn");
	return ts_chart_pen_finish(&pen, c->arena, err);
}

static enum ts_status cut(struct charting *c, size_t i, struct ts_error *err)
{
	const struct ts_chart_series *s = &c->series[i];
	double low, high;

	if (ts_cost_check("draw", s->table->rows / TS_ATOM_ROWS, sizeof(struct ts_cell) / sizeof(double), err) ||
	    ts_chart_cells_make(c->fetch, s, c->request, c->chart.cells, &c->work, c->arena, &c->chart.lines[i], &low, &high, err))
		return err->status;
	widen(&c->chart, low);
	widen(&c->chart, high);
	return TS_OK;
}

static enum ts_status make(struct charting *c, const struct ts_call *call, struct ts_error *err)
{
	size_t with = 0;

	for (size_t i = 0; i < c->chart.n; i++) {
		if (open_run(c, i, call, err))
			return ts_error_prefix(err, "run %zu", i + 1);
		with += c->chart.lines[i].column.len > 0;
	}
	if (with == 0)
		return no_column(c, err);
	for (size_t i = 0; i < c->chart.n && c->chart.cells; i++)
		if (c->series[i].table && cut(c, i, err))
			return ts_error_prefix(err, "run %zu", i + 1);
	if (c->chart.cells)
		return TS_OK;
	/* Keys, places and values of one run lie in memory at once. */
	for (size_t i = 0; i < c->chart.n; i++)
		if (c->series[i].table && ts_cost_check("draw", c->series[i].table->rows, 3, err))
			return ts_error_prefix(err, "run %zu", i + 1);
	for (size_t i = 0; i < c->chart.n; i++)
		if (c->series[i].table && add_extent(c, i, err))
			return ts_error_prefix(err, "run %zu", i + 1);
	for (size_t i = 0; i < c->chart.n; i++)
		if (c->series[i].table && draw(c, i, err))
			return ts_error_prefix(err, "run %zu", i + 1);
	return TS_OK;
}

static size_t columns_of(const struct ts_chart_request *request)
{
	size_t columns = request->columns ? request->columns : TS_CHART_COLUMNS, most = TS_CHART_COLUMNS_ALL / request->n;

	return columns < most ? columns : most;
}

static size_t cells_of(const struct ts_chart_request *request)
{
	size_t most = TS_CHART_CELLS_ALL / request->n;

	return request->cells < most ? request->cells : most;
}

TS_REPLIER(chart_reply, ts_chart);

enum ts_status ts_handle_chart(struct ts_call *call, void *state, struct ts_span request, struct ts_error *err)
{
	struct ts_chart_request asked;
	struct charting c = {.request = &asked};
	struct ts_arena arena;
	struct ts_fetch fetch;
	enum ts_status status;

	(void)state;
	if (ts_wire_unpack_chart_request(request, call->arena, &asked, err))
		return err->status;
	/* The indexes of 256 runs may take more memory than an ordinary call is allowed. */
	ts_arena_init(&arena, TS_ANALYSIS_ARENA);
	ts_arena_init(&c.work, TS_ANALYSIS_ARENA);
	ts_fetch_init(&fetch, call);
	c.fetch = &fetch;
	c.arena = &arena;
	c.runs = ts_arena_array(&arena, asked.n, sizeof *c.runs);
	c.series = ts_arena_array(&arena, asked.n, sizeof *c.series);
	c.chart = (struct ts_chart){.column = asked.column, .axis = asked.axis, .log_x = asked.log_x, .log_y = asked.log_y,
				    .smooth = asked.smooth, .low = NAN, .high = NAN, .columns = columns_of(&asked),
				    .cells = cells_of(&asked), .n = asked.n};
	c.chart.lines = ts_arena_array(&arena, asked.n, sizeof *c.chart.lines);
	status = c.runs && c.series && c.chart.lines ? make(&c, call, err) : ts_arena_error(&arena, err);
	status = status ? ts_blame(call, asked.runs, asked.n, err) : reply_chart_reply(call, &c.chart, err);
	ts_fetch_finish(&fetch);
	ts_arena_finish(&c.work);
	ts_arena_finish(&arena);
	return status;
}
