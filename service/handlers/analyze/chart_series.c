#include "service/handlers/analyze/chart_series.h"

#include "service/handlers/analyze/analyze_columns.h"
#include "service/handlers/core/typed_column.h"

#include <math.h>

/* --- which column --- */

/* names: how many of those under which a run may store it are looked for. */
static enum ts_status find_named(const struct ts_index *index, struct ts_span typed, size_t names, struct ts_arena *arena,
				 const struct ts_table **ret_table, const struct ts_column **ret_column, struct ts_error *err)
{
	const char *name;

	*ret_column = NULL;
	for (size_t i = 0; i < names && !*ret_column; i++) {
		if (ts_typed_column(typed, i, arena, &name, err))
			return err->status;
		if (!name)
			break;
		*ret_column = ts_columns_find(index, name, ret_table);
		if (*ret_column && (*ret_table)->rows == 0)
			*ret_column = NULL;
	}
	return TS_OK;
}

/* The axis by its exact name, else as a scalar; an epoch as whatever it was recorded. */
static enum ts_status find_axis(const struct ts_index *index, enum ts_chart_axis axis, struct ts_arena *arena,
				struct ts_chart_series *series, struct ts_error *err)
{
	static const size_t names[TS_CHART_AXES] = {[TS_CHART_TIME] = TS_TYPED_EXACT,
						    [TS_CHART_SAMPLES] = TS_TYPED_OR_SCALAR,
						    [TS_CHART_TOKENS] = TS_TYPED_OR_SCALAR,
						    [TS_CHART_EPOCH] = TS_TYPED_ANY_GROUP};

	if (axis == TS_CHART_STEP)
		return TS_OK;
	return find_named(index, ts_span_str(axis == TS_CHART_TIME ? "timestamp" : ts_chart_axis_word(axis)), names[axis], arena,
			  &series->axis_table, &series->axis, err);
}

static const char *why_not(const struct ts_run *run, const struct ts_chart_request *request, const struct ts_chart_series *s,
			   struct ts_arena *arena)
{
	if (!s->column && request->has_rank && !ts_run_rank(run, request->rank))
		return ts_arena_printf(arena, "it has no rank %d", request->rank);
	if (!s->column)
		return ts_arena_printf(arena, "it records no %.*s", TS_SPAN_ARG(request->column));
	if (request->axis != TS_CHART_STEP && !s->axis)
		return request->axis == TS_CHART_TIME ? "it records no time"
						      : ts_arena_printf(arena, "it records no %s", ts_chart_axis_word(request->axis));
	return "";
}

enum ts_status ts_chart_find(const struct ts_run *run, const struct ts_chart_request *request, struct ts_arena *arena,
			     struct ts_chart_line *line, struct ts_chart_series *ret_series, struct ts_error *err)
{
	struct ts_chart_series s = {.table = NULL};
	const char *why;

	for (size_t i = 0; i < run->head.n_ranks && !s.column; i++) {
		const struct ts_index *index = &run->indexes[i];

		if (request->has_rank && index->rank != request->rank)
			continue;
		if (find_named(index, request->column, SIZE_MAX, arena, &s.table, &s.column, err))
			return err->status;
		if (s.column && find_axis(index, request->axis, arena, &s, err))
			return err->status;
		line->rank = index->rank;
	}
	if (s.column) {
		line->column = s.column->name;
		line->values = s.table->rows;
	}
	why = why_not(run, request, &s, arena);
	if (!why)
		return ts_arena_error(arena, err);
	line->why_not = ts_span_str(why);
	if (*why)
		s.table = NULL;
	*ret_series = s;
	return TS_OK;
}

/* --- where its values lie --- */

enum ts_status ts_chart_axis_find_way(struct ts_fetch *f, const struct ts_chart_series *series, struct ts_arena *arena,
				      struct ts_chart_axis_way *ret_way, struct ts_error *err)
{
	const struct ts_table *table = series->axis_table;
	struct ts_span name = series->axis->name;
	double *values = NULL;

	*ret_way = (struct ts_chart_axis_way){.summed = ts_span_is(name, "samples") || ts_span_is(name, "tokens")};
	if (!ts_span_is(name, "timestamp"))
		return TS_OK;
	for (size_t b = 0; b < table->n_blocks; b++) {
		uint32_t rows = table->blocks[b].rows;

		if (!values)
			values = ts_arena_array(arena, TS_BLOCK_ROWS_MAX, sizeof *values);
		if (!values)
			return ts_arena_error(arena, err);
		if (ts_fetch_block_words(f, &series->axis->blocks[b], TS_COLUMN_F64, rows, (uint64_t *)(void *)values, err))
			return err->status;
		for (uint32_t i = 0; i < rows; i++)
			if (isfinite(values[i])) {
				ret_way->first = values[i];
				return TS_OK;
			}
	}
	return TS_OK;
}

/* Keys and values of the axis, and how they become places. */
struct axis {
	int64_t *keys;
	double *values;
	size_t n, at;
	struct ts_chart_axis_way way;
	double now;
};

static enum ts_status load_axis(struct ts_fetch *f, const struct ts_chart_series *s, struct ts_arena *arena, struct axis *ret,
				struct ts_error *err)
{
	struct axis a = {.n = (size_t)s->axis_table->rows};

	if (ts_chart_axis_find_way(f, s, arena, &a.way, err) || ts_fetch_keys(f, s->axis_table, arena, &a.keys, err) ||
	    ts_fetch_f64(f, s->axis_table, s->axis, arena, &a.values, err))
		return err->status;
	*ret = a;
	return TS_OK;
}

/* The place of a step; NaN where the axis has no value. After a total with a part that is not known, nothing has a place. */
static double place_of(struct axis *a, int64_t key)
{
	double place = NAN;

	for (; a->at < a->n && a->keys[a->at] <= key; a->at++) {
		double value = a->values[a->at];

		a->now = a->way.summed ? a->now + value : value - a->way.first;
		place = a->keys[a->at] == key && isfinite(a->now) ? a->now : (double)NAN;
	}
	return place;
}

enum ts_status ts_chart_place(struct ts_fetch *f, const struct ts_chart_series *series, const struct ts_chart_request *request,
			      struct ts_arena *arena, struct ts_chart_places *ret_places, struct ts_error *err)
{
	struct ts_chart_places p = {.n = (size_t)series->table->rows};
	struct axis axis = {.n = 0};
	double before = -INFINITY;

	if (ts_fetch_keys(f, series->table, arena, &p.keys, err))
		return err->status;
	if (series->axis_table && load_axis(f, series, arena, &axis, err))
		return err->status;
	p.x = ts_arena_array(arena, p.n, sizeof *p.x);
	if (!p.x)
		return ts_arena_error(arena, err);
	for (size_t i = 0; i < p.n; i++) {
		double x = series->axis_table ? place_of(&axis, p.keys[i]) : (double)p.keys[i];

		p.back += x < before;
		before = isnan(x) ? before : x;
		p.x[i] = request->log_x && !(x > 0) ? (double)NAN : x;
	}
	*ret_places = p;
	return TS_OK;
}
