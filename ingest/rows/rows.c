#include "ingest/rows/rows.h"

#include "base/alloc.h"
#include "base/cursor.h"
#include "base/grow.h"
#include "ingest/core/executions.h"
#include "ingest/rows/run_columns.h"
#include "ingest/rows/spill.h"
#include "run/builder.h"

#include <math.h>
#include <stdio.h>

enum { CELL_BYTES = 8, ROW_MAX = TS_SPILL_RECORD_MAX };

struct column {
	struct ts_rows_column what; /* the name and the source are copies */
	uint32_t number;	    /* its number in the builder */
	uint64_t row;		    /* the number of the last row in which it has a cell */
	double last;		    /* that cell, of a column of numbers */
	bool tells, time, epoch;    /* its values tell of a restart; what it is */
	bool seen;		    /* it has a value in the execution of this mark, the last one at this step */
	uint32_t mark;
	int64_t at;
};

/* A row has the time of its first record, but of the last one whose values replaced others: both are of one moment. */
struct time_again {
	uint32_t column; /* + 1; 0: the row has no time yet */
	size_t at;	 /* of its value in the cells for the spill */
	bool replaces;	 /* this record replaced a value */
	bool has;	 /* this record has a time, which is not that of the row */
	double value;
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
	int64_t step;	/* the step of the current row, as the log has it */
	int64_t at;	/* and of the run */
	uint64_t row;	/* the number of the current row */
	bool sorting;	/* this is the second pass: all records go through the spill */
	bool feed_again;	/* the first pass met a step that goes back */
	struct ts_spill *spill;
	struct ts_executions executions; /* while sorting */
	struct ts_executions_row now;	 /* what they are asked of the current row */
	bool part;			 /* a further part begins with the next row */
	struct time_again time;		 /* of the current row */
	struct ts_buf cells;	/* the current row for the spill: u32 mark of its execution, then the cells */
	struct ts_buf same;  /* the records of one step while merging */
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
	r->feed_again = true;
	return ts_error_set(err, TS_CANCELLED, "steps are not in order: once more, sorted");
}

/* --- columns --- */

static enum ts_status build_column(struct ts_rows *r, struct column *c, struct ts_error *err)
{
	if (ts_builder_column(r->builder, c->what.name, c->what.type, &c->number, err))
		return err->status;
	if (c->what.precision != TS_PRECISION_F64)
		ts_builder_precision(r->builder, c->number, c->what.precision, c->what.digits);
	c->time = ts_span_is(c->what.name, "timestamp");
	c->epoch = ts_span_is(c->what.name, "epoch");
	c->tells = c->what.type == TS_COLUMN_F64 && !c->what.quiet && !c->what.count && !c->epoch && !c->time;
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
	if (!TS_GROW(r->columns, r->cap_columns, r->n_columns + 1, 32))
		return no_memory(err);
	if (build_column(r, &c, err))
		return err->status;
	*ret_column = (uint32_t)r->n_columns;
	r->columns[r->n_columns++] = c;
	return TS_OK;
}

/* --- rows come --- */

/* Notes that the columns of the row have their last values of its execution at its step. */
static void note_cells(struct ts_rows *r)
{
	const struct ts_buf *b = &r->cells;

	for (size_t at = 4; at < b->len; at += CELL_BYTES + ts_load_u32(b->data + at + 4)) {
		struct column *c = &r->columns[ts_load_u32(b->data + at)];

		if (!c->tells || (c->seen && c->mark == r->executions.serial && c->at > r->at))
			continue;
		c->seen = true;
		c->mark = r->executions.serial;
		c->at = r->at;
	}
}

/* Puts the row into the spill, with the mark of its execution. */
static enum ts_status keep_row(struct ts_rows *r, struct ts_error *err)
{
	if (ts_buf_check(&r->cells, err) || ts_executions_row(&r->executions, &r->now, err))
		return err->status;
	r->at = r->now.step;
	ts_store_u32(r->cells.data, r->executions.serial);
	note_cells(r);
	return ts_spill_add(r->spill, r->at, ts_buf_view(&r->cells), err);
}

static enum ts_status end_row(struct ts_rows *r, struct ts_error *err)
{
	if (!r->in_row)
		return TS_OK;
	r->in_row = false;
	return r->sorting ? keep_row(r, err) : ts_builder_row_end(r->builder, err);
}

static void begin_row(struct ts_rows *r, int64_t step)
{
	r->in_row = r->any = true;
	r->part = false;
	r->step = step;
	r->time = (struct time_again){.column = 0};
	r->row++;
	if (!r->sorting) {
		ts_builder_row(r->builder, TS_TABLE_STEPS, step);
		return;
	}
	r->at = ts_executions_step(&r->executions, step);
	r->now = (struct ts_executions_row){.step = step, .time = NAN, .epoch = NAN};
	ts_buf_reset(&r->cells);
	ts_buf_u32(&r->cells, 0);
}

enum ts_status ts_rows_step(struct ts_rows *r, int64_t step, struct ts_error *err)
{
	if (r->in_row && step == r->step && !r->part) {
		r->time.replaces = r->time.has = false;
		return TS_OK;
	}
	if (!r->sorting && r->any && (step < r->step || (r->part && step == r->step)))
		return again(r, err);
	if (end_row(r, err))
		return err->status;
	if (r->part && r->sorting)
		ts_executions_part(&r->executions);
	begin_row(r, step);
	return TS_OK;
}

void ts_rows_part(struct ts_rows *r)
{
	r->part = r->any;
}

enum ts_status ts_rows_restart(struct ts_rows *r, int64_t step, struct ts_error *err)
{
	if (!r->any)
		return TS_OK;
	if (!r->sorting)
		return again(r, err);
	return end_row(r, err) ? err->status : ts_executions_said(&r->executions, step, 0, err);
}

/* Returns whether the column already has a cell in this row, and that cell stays. A number that comes again as it was is no other
 * value: the records of a training and of its evaluation have the same epoch. value: NULL for a text. *ret_replaces: it is another. */
static bool comes_again(struct ts_rows *r, struct column *c, const double *value, bool *ret_replaces)
{
	bool again = c->row == r->row, same = again && value && memcmp(value, &c->last, sizeof *value) == 0;

	*ret_replaces = again && !c->what.quiet && !same;
	c->row = r->row;
	r->stats.repeated += *ret_replaces;
	if (value && !(again && c->what.quiet))
		c->last = *value;
	return again && c->what.quiet;
}

/* The row's time becomes that of this record. */
static void take_time(struct ts_rows *r)
{
	struct column *c = r->time.column ? &r->columns[r->time.column - 1] : NULL;

	if (!c || !r->time.replaces || !r->time.has)
		return;
	c->last = r->time.value;
	if (r->sorting)
		memcpy(r->cells.data + r->time.at, &r->time.value, sizeof r->time.value);
	else
		ts_builder_f64(r->builder, c->number, r->time.value);
	r->time.has = false;
}

/* Notes what a number of the current row says of the execution that it is of. */
static void ask(struct ts_rows *r, const struct column *c, double value)
{
	if (c->time && isnan(r->now.time))
		r->now.time = value;
	if (c->epoch)
		r->now.epoch = value;
	if (c->tells && !r->source->unordered && c->seen && c->mark == r->executions.serial)
		r->now.again |= ts_executions_again(&r->executions, c->at, r->at);
}

/* Returns whether the cell may be written, that is, whether its column is one of ours. */
static bool take_cell(struct ts_rows *r, uint32_t column, const double *value)
{
	struct column *c;
	bool stays, replaces;

	if (column >= r->n_columns) {
		r->stats.dropped++;
		return false;
	}
	r->stats.cells++;
	c = &r->columns[column];
	if (r->sorting && value)
		ask(r, c, *value);
	stays = comes_again(r, c, value, &replaces);
	if (c->time && stays) {
		r->time.has = true;
		r->time.value = *value;
	}
	r->time.replaces |= replaces && !r->source->unordered;
	if (replaces || stays)
		take_time(r);
	return !stays;
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
	if (r->columns[column].time) {
		r->time.column = column + 1;
		r->time.at = r->cells.len + CELL_BYTES;
	}
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

static double real_at(const struct column *c, const uint8_t *value)
{
	double real = 0;

	if (c->what.type == TS_COLUMN_F64)
		memcpy(&real, value, sizeof real);
	return real;
}

/* Returns whether a record of the spill has another value for a column that the row has already. */
static bool replaces(const struct ts_rows *r, struct ts_span record)
{
	for (size_t at = 4; at < record.len; at += CELL_BYTES + ts_load_u32(record.data + at + 4)) {
		const struct column *c = &r->columns[ts_load_u32(record.data + at)];
		double real = real_at(c, record.data + at + CELL_BYTES);

		if (c->row == r->row && !c->what.quiet && (c->what.type != TS_COLUMN_F64 || memcmp(&real, &c->last, sizeof real) != 0))
			return true;
	}
	return false;
}

/* Puts the cells of one record of the spill into the builder's row. A second value of a column replaces the first. */
static void put_cells(struct ts_rows *r, struct ts_span record)
{
	bool newer = !r->source->unordered && replaces(r, record), ignored;

	for (size_t at = 4; at < record.len; at += CELL_BYTES + ts_load_u32(record.data + at + 4)) {
		struct column *c = &r->columns[ts_load_u32(record.data + at)];
		const uint8_t *value = record.data + at + CELL_BYTES;
		double real = real_at(c, value);

		if (comes_again(r, c, c->what.type == TS_COLUMN_F64 ? &real : NULL, &ignored) && !(newer && c->time))
			continue;
		if (c->what.type == TS_COLUMN_F64)
			ts_builder_f64(r->builder, c->number, real);
		else
			ts_builder_text(r->builder, c->number, ts_span_of(value, ts_load_u32(record.data + at + 4)));
	}
}

static enum ts_status put_segment(struct ts_rows *r, uint32_t segment, struct ts_error *err)
{
	if (!r->executions.n)
		return TS_OK;
	return ts_own_segment(&r->own, r->builder, NULL, segment, err);
}

/* The records of one execution of a step, which have u32 lengths between them, from there on. */
static uint32_t execution_at(const struct ts_rows *r, struct ts_span records, size_t at)
{
	return ts_executions_of(&r->executions, ts_load_u32(records.data + at + 4), r->at);
}

/* Merges the records of one execution of a step to a row, and moves *at behind them. */
static enum ts_status merge_row(struct ts_rows *r, struct ts_span records, size_t *at, struct ts_error *err)
{
	uint32_t execution = execution_at(r, records, *at);
	bool superseded = ts_executions_superseded(&r->executions, execution, r->at);

	ts_builder_row(r->builder, superseded ? TS_TABLE_SUPERSEDED : TS_TABLE_STEPS, superseded ? r->ordinal++ : r->at);
	r->row++;
	for (; *at < records.len && execution_at(r, records, *at) == execution; *at += 4 + ts_load_u32(records.data + *at))
		put_cells(r, ts_span_of(records.data + *at + 4, ts_load_u32(records.data + *at)));
	if (put_segment(r, execution, err) || (superseded && ts_own_step(&r->own, r->builder, NULL, r->at, err)))
		return err->status;
	return ts_builder_row_end(r->builder, err);
}

/* Merges all records of one step. They lie in the order of the log, so those of one execution follow each other. */
static enum ts_status merge_step(struct ts_rows *r, struct ts_span records, struct ts_error *err)
{
	size_t at = 0;

	while (at < records.len)
		if (merge_row(r, records, &at, err))
			return err->status;
	return TS_OK;
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
		if (open && (!more || step != r->at)) {
			if (ts_buf_check(&r->same, err) || merge_step(r, ts_buf_view(&r->same), err))
				return err->status;
			ts_buf_reset(&r->same);
		}
		if (!more)
			return TS_OK;
		open = true;
		r->at = step;
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
	r->in_row = r->any = r->part = false;
	r->row = 0;
	return ts_builder_create(r->source->rank, ts_count_sink, r->sink, &r->builder, err);
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
	ts_executions_end(&r->executions);
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
	if (r->feed_again) {
		*sink = before;
		status = read_sorted(r, err);
	}
	r->stats.segments = r->any ? r->executions.n + 1 : 0;
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
	ts_executions_finish(&r->executions);
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
