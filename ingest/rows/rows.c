#include "ingest/rows/rows.h"

#include "base/alloc.h"
#include "base/cursor.h"
#include "ingest/rows/run_columns.h"
#include "ingest/rows/spill.h"
#include "run/builder.h"

#include <stdio.h>

enum { CELL_BYTES = 8, ROW_MAX = TS_SPILL_RECORD_MAX };

struct column {
	struct ts_rows_column what; /* the name and the source are copies */
	uint32_t number;	    /* its number in the builder */
	uint64_t row;		    /* the number of the last row in which it has a cell */
	double last;		    /* that cell, of a column of numbers */
};

struct ts_rows {
	const struct ts_rows_source *source;
	struct ts_sink_count *sink;
	struct ts_builder *builder;
	struct ts_arena names;
	struct column *columns;
	size_t n_columns, cap_columns;
	struct ts_rows_stats stats;
	bool in_row, any;
	int64_t step;	/* the step of the current row */
	uint64_t row;	/* the number of the current row */
	bool sorting;	/* this is the second pass: all records go through the spill */
	bool again;	/* the first pass met a step that goes back */
	struct ts_spill *spill;
	struct ts_buf cells;	/* the current row for the spill: u32 segment, then the cells */
	struct ts_buf same;  /* the records of one step while merging */
	int64_t *restarts; /* for each restart, the step at which training began again */
	size_t n_restarts, cap_restarts;
	struct ts_own_columns own;
	int64_t ordinal; /* the ordinal of the next superseded row */
};

static enum ts_status no_memory(struct ts_error *err)
{
	return ts_error_set(err, TS_NO_MEMORY, "out of memory for rows");
}

/* Ends the first pass with a status that callers pass on and that is never shown to people. */
static enum ts_status again(struct ts_rows *r, struct ts_error *err)
{
	r->again = true;
	return ts_error_set(err, TS_CANCELLED, "steps are not in order: once more, sorted");
}

/* --- columns --- */

static enum ts_status grow_columns(struct ts_rows *r, struct ts_error *err)
{
	size_t cap = r->cap_columns ? r->cap_columns * 2 : 32;
	struct column *columns = ts_realloc(r->columns, cap * sizeof *columns);

	if (!columns)
		return no_memory(err);
	r->columns = columns;
	r->cap_columns = cap;
	return TS_OK;
}

static enum ts_status build_column(struct ts_rows *r, struct column *c, struct ts_error *err)
{
	if (ts_builder_column(r->builder, c->what.name, c->what.type, &c->number, err))
		return err->status;
	if (c->what.precision != TS_PRECISION_F64)
		ts_builder_precision(r->builder, c->number, c->what.precision, c->what.digits);
	return TS_OK;
}

static void widen(struct ts_rows *r, struct column *c, const struct ts_rows_column *also)
{
	if (c->what.precision == TS_PRECISION_F64 || (c->what.precision == also->precision && c->what.digits == also->digits))
		return;
	c->what.precision = TS_PRECISION_F64;
	c->what.digits = 0;
	ts_builder_precision(r->builder, c->number, TS_PRECISION_F64, 0);
}

enum ts_status ts_rows_column(struct ts_rows *r, const struct ts_rows_column *column, uint32_t *ret_column, struct ts_error *err)
{
	struct column c = {.what = *column};

	for (size_t i = 0; i < r->n_columns; i++)
		if (r->columns[i].what.type == column->type && ts_span_eq(r->columns[i].what.name, column->name)) {
			widen(r, &r->columns[i], column);
			*ret_column = (uint32_t)i;
			return TS_OK;
		}
	*ret_column = UINT32_MAX;
	if (r->n_columns >= TS_INGEST_COLUMNS_MAX)
		return TS_OK;
	c.what.name = ts_arena_span(&r->names, column->name);
	c.what.source = ts_arena_span(&r->names, column->source);
	if (!c.what.name.data || !c.what.source.data)
		return ts_arena_error(&r->names, err);
	if ((r->n_columns == r->cap_columns && grow_columns(r, err)) || build_column(r, &c, err))
		return err->status;
	*ret_column = (uint32_t)r->n_columns;
	r->columns[r->n_columns++] = c;
	return TS_OK;
}

/* --- rows come --- */

static enum ts_status end_row(struct ts_rows *r, struct ts_error *err)
{
	if (!r->in_row)
		return TS_OK;
	r->in_row = false;
	if (!r->sorting)
		return ts_builder_row_end(r->builder, err);
	if (ts_buf_check(&r->cells, err) || ts_spill_add(r->spill, r->step, ts_buf_view(&r->cells), err))
		return err->status;
	return TS_OK;
}

static void begin_row(struct ts_rows *r, int64_t step)
{
	r->in_row = r->any = true;
	r->step = step;
	r->row++;
	if (!r->sorting) {
		ts_builder_row(r->builder, TS_TABLE_STEPS, step);
		return;
	}
	ts_buf_reset(&r->cells);
	ts_buf_u32(&r->cells, (uint32_t)r->n_restarts);
}

static enum ts_status add_restart(struct ts_rows *r, int64_t from, struct ts_error *err)
{
	if (r->n_restarts + 1 >= TS_ROWS_SEGMENTS_MAX)
		return ts_error_set(err, TS_TOO_LARGE, "training was restarted more than %d times", TS_ROWS_SEGMENTS_MAX);
	if (r->n_restarts == r->cap_restarts) {
		size_t cap = r->cap_restarts ? r->cap_restarts * 2 : 16;
		int64_t *restarts = ts_realloc(r->restarts, cap * sizeof *restarts);

		if (!restarts)
			return no_memory(err);
		r->restarts = restarts;
		r->cap_restarts = cap;
	}
	r->restarts[r->n_restarts++] = from;
	return TS_OK;
}

enum ts_status ts_rows_step(struct ts_rows *r, int64_t step, struct ts_error *err)
{
	bool back = r->any && (step < r->step || (r->source->by_row && step == r->step));

	if (r->in_row && step == r->step && !r->source->by_row)
		return TS_OK;
	if (back && !r->sorting)
		return again(r, err);
	if (end_row(r, err))
		return err->status;
	r->stats.resteps += back;
	if (back && r->source->by_row && add_restart(r, step, err))
		return err->status;
	begin_row(r, step);
	return TS_OK;
}

enum ts_status ts_rows_restart(struct ts_rows *r, int64_t step, struct ts_error *err)
{
	if (!r->any)
		return TS_OK;
	if (!r->sorting)
		return again(r, err);
	return end_row(r, err) ? err->status : add_restart(r, step, err);
}

/* Returns whether the column already has a cell in this row, and that cell stays. A number that comes again as it was is no other
 * value: the records of a training and of its evaluation have the same epoch. value: NULL for a text. */
static bool comes_again(struct ts_rows *r, struct column *c, const double *value)
{
	bool again = c->row == r->row, same = again && value && memcmp(value, &c->last, sizeof *value) == 0;

	c->row = r->row;
	if (again && !c->what.quiet && !same)
		r->stats.repeated++;
	if (value && !(again && c->what.quiet))
		c->last = *value;
	return again && c->what.quiet;
}

/* Returns whether the cell may be written, that is, whether its column is one of ours. */
static bool take_cell(struct ts_rows *r, uint32_t column, const double *value)
{
	if (column >= r->n_columns) {
		r->stats.dropped++;
		return false;
	}
	r->stats.cells++;
	return !comes_again(r, &r->columns[column], value);
}

static enum ts_status check_room(struct ts_rows *r, size_t len, struct ts_error *err)
{
	return r->cells.len + len + CELL_BYTES > ROW_MAX ? ts_error_set(err, TS_TOO_LARGE, "a row of more than %d bytes", ROW_MAX)
							 : TS_OK;
}

enum ts_status ts_rows_f64(struct ts_rows *r, uint32_t column, double value, struct ts_error *err)
{
	if (!take_cell(r, column, &value))
		return TS_OK;
	if (!r->sorting) {
		ts_builder_f64(r->builder, r->columns[column].number, value);
		return TS_OK;
	}
	if (check_room(r, sizeof value, err))
		return err->status;
	ts_buf_u32(&r->cells, column);
	ts_buf_u32(&r->cells, sizeof value);
	ts_buf_f64(&r->cells, value);
	return TS_OK;
}

enum ts_status ts_rows_text(struct ts_rows *r, uint32_t column, struct ts_span value, struct ts_error *err)
{
	if (!take_cell(r, column, NULL))
		return TS_OK;
	if (!r->sorting) {
		ts_builder_text(r->builder, r->columns[column].number, value);
		return TS_OK;
	}
	if (check_room(r, value.len, err))
		return err->status;
	ts_buf_u32(&r->cells, column);
	ts_buf_u32(&r->cells, (uint32_t)value.len);
	ts_buf_span(&r->cells, value);
	return TS_OK;
}

/* --- and go, sorted --- */

/* Puts the cells of one record of the spill into the builder's row. A second value of a column replaces the first. */
static void put_cells(struct ts_rows *r, struct ts_span record)
{
	size_t at = 4;

	while (at < record.len) {
		struct column *c = &r->columns[ts_load_u32(record.data + at)];
		uint32_t len = ts_load_u32(record.data + at + 4);
		const uint8_t *value = record.data + at + CELL_BYTES;
		double real = 0;

		if (c->what.type == TS_COLUMN_F64)
			memcpy(&real, value, sizeof real);
		if (comes_again(r, c, c->what.type == TS_COLUMN_F64 ? &real : NULL)) {
			at += CELL_BYTES + len;
			continue;
		}
		if (c->what.type == TS_COLUMN_F64) {
			ts_builder_f64(r->builder, c->number, real);
		} else {
			ts_builder_text(r->builder, c->number, ts_span_of(value, len));
		}
		at += CELL_BYTES + len;
	}
}

static enum ts_status put_segment(struct ts_rows *r, uint32_t segment, struct ts_error *err)
{
	if (!r->n_restarts)
		return TS_OK;
	return ts_own_segment(&r->own, r->builder, NULL, segment, err);
}

static enum ts_status superseded_row(struct ts_rows *r, struct ts_span record, struct ts_error *err)
{
	ts_builder_row(r->builder, TS_TABLE_SUPERSEDED, r->ordinal++);
	r->row++;
	put_cells(r, record);
	if (put_segment(r, ts_load_u32(record.data), err) || ts_own_step(&r->own, r->builder, NULL, r->step, err))
		return err->status;
	return ts_builder_row_end(r->builder, err);
}

/* Returns whether a later restart began at this step or before it. Such a row is superseded, even if the step was not
 * written again. */
static bool purged(const struct ts_rows *r, uint32_t segment, int64_t step)
{
	for (size_t i = segment; !r->source->by_row && i < r->n_restarts; i++)
		if (step >= r->restarts[i])
			return true;
	return false;
}

/* Returns whether a record of the current step is superseded. `last` is the segment of the last execution. */
static bool is_replaced(const struct ts_rows *r, uint32_t segment, uint32_t last)
{
	return purged(r, segment, r->step) || (r->source->by_row && segment < last);
}

/* Merges all records of one step, which have u32 lengths between them. The superseded records come first, in their
 * order, then the row. */
static enum ts_status merge_step(struct ts_rows *r, struct ts_span records, struct ts_error *err)
{
	uint32_t last = 0;
	bool any = false;

	for (size_t at = 0; at < records.len; at += 4 + ts_load_u32(records.data + at))
		last = ts_load_u32(records.data + at + 4);
	for (size_t at = 0; at < records.len; at += 4 + ts_load_u32(records.data + at)) {
		struct ts_span record = ts_span_of(records.data + at + 4, ts_load_u32(records.data + at));
		uint32_t segment = ts_load_u32(record.data);

		if (is_replaced(r, segment, last) && superseded_row(r, record, err))
			return err->status;
	}
	r->row++;
	for (size_t at = 0; at < records.len; at += 4 + ts_load_u32(records.data + at)) {
		struct ts_span record = ts_span_of(records.data + at + 4, ts_load_u32(records.data + at));
		uint32_t segment = ts_load_u32(record.data);

		if (is_replaced(r, segment, last))
			continue;
		if (!any)
			ts_builder_row(r->builder, TS_TABLE_STEPS, r->step);
		any = true;
		put_cells(r, record);
	}
	if (!any)
		return TS_OK;
	return put_segment(r, last, err) ? err->status : ts_builder_row_end(r->builder, err);
}

static enum ts_status merge_all(struct ts_rows *r, struct ts_error *err)
{
	struct ts_span record;
	int64_t step;
	bool more, open = false;

	ts_buf_reset(&r->same);
	for (;;) {
		if (ts_spill_next(r->spill, &step, &record, &more, err))
			return err->status;
		if (open && (!more || step != r->step)) {
			if (ts_buf_check(&r->same, err) || merge_step(r, ts_buf_view(&r->same), err))
				return err->status;
			ts_buf_reset(&r->same);
		}
		if (!more)
			return TS_OK;
		open = true;
		r->step = step;
		ts_buf_u32(&r->same, (uint32_t)record.len);
		ts_buf_span(&r->same, record);
	}
}

/* --- the two passes --- */

static enum ts_status begin_pass(struct ts_rows *r, struct ts_error *err)
{
	ts_builder_destroy(r->builder);
	r->builder = NULL;
	ts_arena_reset(&r->names);
	r->n_columns = 0;
	r->stats = (struct ts_rows_stats){0};
	r->in_row = r->any = false;
	r->row = 0;
	return ts_builder_create(0, ts_count_sink, r->sink, &r->builder, err);
}

static enum ts_status feed(struct ts_rows *r, struct ts_error *err)
{
	if (begin_pass(r, err) || r->source->feed(r->source->ctx, r, err))
		return err->status;
	return end_row(r, err);
}

static enum ts_status read_sorted(struct ts_rows *r, struct ts_error *err)
{
	size_t memory = r->source->memory ? r->source->memory : TS_ROWS_MEMORY;

	r->sorting = true;
	if (ts_spill_create(memory, &r->spill, err) || feed(r, err))
		return err->status;
	for (size_t i = 0; i < r->n_columns; i++)
		r->columns[i].row = 0;
	r->row = 0;
	r->stats.repeated = 0;
	return merge_all(r, err);
}

enum ts_status ts_rows_read(const struct ts_rows_source *source, struct ts_sink_count *sink, struct ts_rows **ret_rows,
			    struct ts_error *err)
{
	struct ts_sink_count before = *sink;
	struct ts_rows *r = ts_alloc_array(1, sizeof *r);
	enum ts_status status;

	*ret_rows = NULL;
	if (!r)
		return no_memory(err);
	r->source = source;
	r->sink = sink;
	r->cells = TS_BUF_INIT(ROW_MAX + CELL_BYTES);
	r->same = TS_BUF_INIT((size_t)4 * ROW_MAX);
	ts_arena_init(&r->names, 0);
	status = feed(r, err);
	if (r->again) {
		*sink = before;
		status = read_sorted(r, err);
	}
	r->stats.segments = r->any ? r->n_restarts + 1 : 0;
	if (status)
		ts_rows_finish(r);
	else
		*ret_rows = r;
	return status;
}

void ts_rows_finish(struct ts_rows *r)
{
	if (!r)
		return;
	ts_builder_destroy(r->builder);
	ts_spill_destroy(r->spill);
	ts_buf_finish(&r->cells);
	ts_buf_finish(&r->same);
	ts_arena_finish(&r->names);
	ts_free(r->columns);
	ts_free(r->restarts);
	ts_free(r);
}

struct ts_builder *ts_rows_builder(struct ts_rows *r)
{
	return r->builder;
}

bool ts_rows_column_at(const struct ts_rows *r, size_t i, struct ts_rows_column *ret_column)
{
	if (i >= r->n_columns)
		return false;
	*ret_column = r->columns[i].what;
	return true;
}

void ts_rows_stats(const struct ts_rows *r, struct ts_rows_stats *ret_stats)
{
	*ret_stats = r->stats;
}
