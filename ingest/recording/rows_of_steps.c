/* rows_of_steps.c - the rows of steps, from STEP frames and from what other frames add to them.
 *
 * Two ways give the same rows. Where each step is above the one before, rows of the same columns go to the builder many at a time, with
 * what is added to them: it is read beside them where it comes by step in one lane, too, else it is sorted by step. Where steps go
 * back, or threads took turns, the rows are sorted, too: first by time, which says where a segment begins, then by step. So are those
 * of several attempts, whose columns and clocks each recording says for itself.
 */
#include "base/alloc.h"
#include "base/grow.h"
#include "ingest/core/executions.h"
#include "ingest/recording/recording_state.h"
#include "ingest/rows/spill.h"

#include <math.h>
#include <stdio.h>

enum {
	MEMORY = 64 << 20,
	BATCH_ROWS = 1024,
	BATCH_COLUMNS = 256, /* rows of more columns go one by one */
	GROUP_MAX = 64 << 20,
};

#define NS 1e9

/* Rows that have the same columns, with room for the time stamp. */
struct batch {
	uint8_t shape[2 * BATCH_COLUMNS]; /* the columns as the frames have them, then those of what is added */
	uint32_t n, n_frame;		  /* of all, of the frames */
	bool usable, any;
	bool is_time[BATCH_COLUMNS];
	uint32_t columns[BATCH_COLUMNS + 1];
	double *values;
	int64_t *steps;
	size_t rows;
};

/* Steps of one attempt that do not go back. */
struct segment {
	int64_t start; /* the time at which it began, by the clock of its attempt */
	size_t attempt;
	uint32_t mark; /* of its execution */
};

struct stepping {
	struct ts_making *m;
	uint32_t timestamp; /* the builder's column + 1 */
	/* The sums of regions, and the values added to a step, by the number of the column. */
	uint64_t *value, *stamp;
	uint16_t *touched;
	size_t n_touched;
	uint64_t row; /* the stamp of the current row */
	struct batch batch;
	/* Of runs that have several segments. */
	struct segment *segments;
	size_t n_segments, cap_segments;
	struct ts_executions executions;
	size_t attempt, first; /* the attempt that is sorted now, and the segments before it */
	bool any;
	int64_t last;
	struct ts_spill *added, *rows;
	/* What is added, where its frames come by step in one lane: they are read beside those of the steps. */
	struct ts_frame_walk beside;
	struct ts_frame ahead; /* the next one */
	bool has_ahead;
	struct ts_buf record;
	/* The next record of what is added. */
	int64_t added_step;
	struct ts_span added_bytes;
	bool more_added;
	struct ts_buf group; /* the rows of one step, or one row, and what is added to it */
	struct ts_buf extra;
	uint64_t orphans;
};

/* A record of what is added: u32 segment, u32 whether late values are in it, u32 n, then n columns and n values. */
enum { ADDED_SEGMENT = 0, ADDED_LATE = 4, ADDED_COUNT = 8, ADDED_COLUMNS = 12 };

static size_t memory_of(const struct ts_making *m)
{
	return m->into->memory ? m->into->memory : MEMORY;
}

static enum ts_status no_memory(struct ts_error *err)
{
	return ts_error_set(err, TS_NO_MEMORY, "out of memory for the rows of a recording");
}

/* --- columns --- */

static size_t own_columns(const struct ts_own_columns *own)
{
	return (size_t)(own->segment != 0) + (own->step != 0) + (own->step_text != 0);
}

/* Finds the builder's column; *ret 0: there is no room for it. */
static enum ts_status number_of(struct ts_making *m, struct ts_declared_column *column, uint32_t *ret, struct ts_error *err)
{
	enum ts_column_type type = column->kind == TSCOPE_DIGEST ? TS_COLUMN_U64 : TS_COLUMN_F64;
	struct ts_builder_stats stats;

	*ret = column->number;
	if (*ret)
		return TS_OK;
	ts_builder_stats(m->builder, &stats);
	if (stats.columns - own_columns(&m->own) >= TS_INGEST_COLUMNS_MAX) {
		m->dropped++;
		return TS_OK;
	}
	if (ts_column_make(m->builder, m->into->facts, column->path, type, &column->number, err))
		return err->status;
	*ret = column->number;
	return TS_OK;
}

/* A column that a row of a step can have. */
static struct ts_declared_column *of_steps(const struct ts_making *m, uint32_t number)
{
	struct ts_declared_column *column = ts_declared_at(&m->r->columns, number);

	return column && column->kind != TSCOPE_EVENT ? column : NULL;
}

static double as_f64(uint64_t bits, bool is_time)
{
	double v;

	if (is_time)
		return (double)(int64_t)bits / NS;
	memcpy(&v, &bits, sizeof v);
	return v;
}

/* --- one row --- */

static void touch(struct stepping *s, uint32_t column)
{
	if (s->stamp[column] == s->row)
		return;
	s->stamp[column] = s->row;
	s->value[column] = 0;
	s->touched[s->n_touched++] = (uint16_t)column;
}

static void begin_stamps(struct stepping *s)
{
	s->row++;
	s->n_touched = 0;
}

static enum ts_status put_value(struct stepping *s, uint32_t number, struct ts_declared_column *column, uint64_t bits,
				struct ts_error *err)
{
	uint32_t to;

	if (column->kind == TSCOPE_REGION) {
		touch(s, number);
		s->value[number] += bits;
		return TS_OK;
	}
	if (number_of(s->m, column, &to, err))
		return err->status;
	if (!to)
		return TS_OK;
	if (column->kind == TSCOPE_DIGEST)
		ts_builder_u64(s->m->builder, to - 1, bits);
	else
		ts_builder_f64(s->m->builder, to - 1, as_f64(bits, ts_declared_is_time(column->kind)));
	return TS_OK;
}

static enum ts_status put_cells(struct stepping *s, const struct ts_frame_cells *cells, struct ts_error *err)
{
	for (uint32_t i = 0; i < cells->n; i++) {
		uint32_t number = ts_frame_u16(cells->columns, 2 * (size_t)i);
		struct ts_declared_column *column = of_steps(s->m, number);

		if (!column)
			s->m->unknown++;
		else if (put_value(s, number, column, ts_load_le(cells->values + 8 * (size_t)i, 8), err))
			return err->status;
	}
	return TS_OK;
}

static enum ts_status put_sums(struct stepping *s, struct ts_error *err)
{
	for (size_t i = 0; i < s->n_touched; i++) {
		uint32_t to;

		if (number_of(s->m, &s->m->r->columns.items[s->touched[i]], &to, err))
			return err->status;
		if (to)
			ts_builder_f64(s->m->builder, to - 1, as_f64(s->value[s->touched[i]], true));
	}
	return TS_OK;
}

static enum ts_status make_timestamp(struct stepping *s, struct ts_error *err)
{
	if (s->timestamp || !s->m->r->has_header)
		return TS_OK;
	return ts_column_make(s->m->builder, s->m->into->facts, ts_span_str("timestamp"), TS_COLUMN_F64, &s->timestamp, err);
}

/* Puts a STEP frame into the row that is open. */
static enum ts_status put_frame(struct stepping *s, const uint8_t *frame, struct ts_error *err)
{
	struct ts_frame_cells cells = ts_frame_cells(TS_FRAME_STEP, frame);
	int64_t end = ts_time_add(ts_frame_i64(frame, TS_FRAME_STEP_BEGIN), ts_frame_i64(frame, TS_FRAME_STEP_DURATION));

	if (make_timestamp(s, err))
		return err->status;
	if (s->timestamp && s->m->r->has_header)
		ts_builder_f64(s->m->builder, s->timestamp - 1, ts_recording_seconds(s->m->r, end));
	return put_cells(s, &cells, err);
}

static struct ts_frame_cells added_cells(const uint8_t *record)
{
	uint32_t n = ts_load_u32(record + ADDED_COUNT);

	return (struct ts_frame_cells){record + ADDED_COLUMNS, record + ADDED_COLUMNS + 2 * (size_t)n, n};
}

static enum ts_status put_added(struct stepping *s, const uint8_t *record, struct ts_error *err)
{
	struct ts_frame_cells cells = added_cells(record);

	return put_cells(s, &cells, err);
}

/* --- many rows of the same columns --- */

static enum ts_status flush(struct stepping *s, struct ts_error *err)
{
	struct batch *b = &s->batch;
	struct ts_builder_rows_in in = {
		.kind = TS_TABLE_STEPS,
		.keys = b->steps,
		.n = b->rows,
		.columns = b->columns,
		.values = b->values,
		.n_columns = b->n + (s->timestamp != 0),
		.stride = BATCH_ROWS,
	};

	b->rows = 0;
	return in.n ? ts_builder_number_rows(s->m->builder, &in, err) : TS_OK;
}

static bool has_twice(const uint8_t *shape, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++)
		for (uint32_t k = 0; k < i; k++)
			if (ts_frame_u16(shape, 2 * (size_t)i) == ts_frame_u16(shape, 2 * (size_t)k))
				return true;
	return false;
}

/* The cells of a row: those of its frame, and those that are added. */
struct row_cells {
	struct ts_frame_cells frame, added;
};

/* Finds the builder's column of the i-th of the batch, which is usable if it is a number. */
static enum ts_status learn_column(struct stepping *s, uint32_t i, uint32_t *ret, struct ts_error *err)
{
	struct ts_declared_column *column = of_steps(s->m, ts_frame_u16(s->batch.shape, 2 * (size_t)i));

	*ret = 0;
	s->batch.is_time[i] = column && ts_declared_is_time(column->kind);
	return column && column->kind != TSCOPE_DIGEST ? number_of(s->m, column, ret, err) : TS_OK;
}

/* Learns the shape of these cells; it is usable if all of its columns are numbers, each once. */
static enum ts_status learn(struct stepping *s, const struct row_cells *cells, struct ts_error *err)
{
	struct batch *b = &s->batch;
	size_t at = 0;

	if (flush(s, err) || make_timestamp(s, err))
		return err->status;
	b->any = true;
	b->n_frame = cells->frame.n;
	b->n = cells->frame.n + cells->added.n;
	b->usable = cells->frame.n > 0 && b->n <= BATCH_COLUMNS;
	if (b->n > BATCH_COLUMNS)
		return TS_OK;
	if (cells->frame.n)
		memcpy(b->shape, cells->frame.columns, 2 * (size_t)cells->frame.n);
	if (cells->added.n)
		memcpy(b->shape + 2 * (size_t)cells->frame.n, cells->added.columns, 2 * (size_t)cells->added.n);
	b->usable &= !has_twice(b->shape, b->n);
	if (s->timestamp)
		b->columns[at++] = s->timestamp - 1;
	for (uint32_t i = 0; i < b->n && b->usable; i++) {
		uint32_t to;

		if (learn_column(s, i, &to, err))
			return err->status;
		b->usable = to != 0;
		b->columns[at++] = to - 1;
	}
	return TS_OK;
}

static bool has_shape(const struct batch *b, const struct row_cells *cells)
{
	return b->any && cells->frame.n == b->n_frame && cells->frame.n + cells->added.n == b->n && b->n <= BATCH_COLUMNS &&
	       memcmp(b->shape, cells->frame.columns, 2 * (size_t)b->n_frame) == 0 &&
	       (!cells->added.n ||
		memcmp(b->shape + 2 * (size_t)b->n_frame, cells->added.columns, 2 * (size_t)cells->added.n) == 0);
}

static double *add_cells(double *to, const struct ts_frame_cells *cells, const bool *is_time)
{
	for (uint32_t i = 0; i < cells->n; i++, to += BATCH_ROWS)
		*to = as_f64(ts_load_le(cells->values + 8 * (size_t)i, 8), is_time[i]);
	return to;
}

static void add_to_batch(struct stepping *s, const uint8_t *frame, const struct row_cells *cells)
{
	struct batch *b = &s->batch;
	double *to = b->values + b->rows;

	if (s->timestamp) {
		*to = ts_recording_seconds(s->m->r, ts_time_add(ts_frame_i64(frame, TS_FRAME_STEP_BEGIN),
								ts_frame_i64(frame, TS_FRAME_STEP_DURATION)));
		to += BATCH_ROWS;
	}
	to = add_cells(to, &cells->frame, b->is_time);
	(void)add_cells(to, &cells->added, b->is_time + b->n_frame);
	b->steps[b->rows++] = ts_frame_i64(frame, TS_FRAME_STEP_STEP);
}

/* --- what is added --- */

/* The segment of this attempt that had begun at this time. A frame that has no time belongs to the last one. */
static uint32_t segment_at(const struct stepping *s, int64_t time)
{
	size_t n = s->n_segments;

	if (time == TS_TIME_NONE)
		return n ? (uint32_t)(n - 1) : 0;
	while (n > s->first + 1 && s->segments[n - 1].start > time)
		n--;
	return n ? (uint32_t)(n - 1) : 0;
}

/* What one lane adds to one step. */
struct adding {
	bool open, late;
	int64_t step;
	uint32_t segment, lane;
};

/* Makes the record of the values that were touched. */
static enum ts_status make_record(struct stepping *s, uint32_t segment, bool late, struct ts_error *err)
{
	size_t n = s->n_touched;
	uint8_t *to;

	ts_buf_reset(&s->record);
	to = ts_buf_reserve(&s->record, ADDED_COLUMNS + 10 * n);
	if (!to)
		return ts_buf_check(&s->record, err);
	s->record.len = ADDED_COLUMNS + 10 * n;
	ts_store_u32(to + ADDED_SEGMENT, segment);
	ts_store_u32(to + ADDED_LATE, late);
	ts_store_u32(to + ADDED_COUNT, (uint32_t)n);
	for (size_t i = 0; i < n; i++) {
		ts_store_u16(to + ADDED_COLUMNS + 2 * i, s->touched[i]);
		ts_store_u64(to + ADDED_COLUMNS + 2 * n + 8 * i, s->value[s->touched[i]]);
	}
	return TS_OK;
}

static enum ts_status end_adding(struct stepping *s, struct adding *a, struct ts_error *err)
{
	if (!a->open || !s->n_touched)
		return TS_OK;
	a->open = false;
	if (make_record(s, a->segment, a->late, err))
		return err->status;
	return ts_spill_add(s->added, a->step, ts_buf_view(&s->record), err);
}

static void add_late(struct stepping *s, const struct ts_frame *frame)
{
	struct ts_frame_cells cells = ts_frame_cells(TS_FRAME_LATE, frame->bytes);

	for (uint32_t i = 0; i < cells.n; i++) {
		uint32_t number = ts_frame_u16(cells.columns, 2 * (size_t)i);
		const struct ts_declared_column *column = of_steps(s->m, number);
		uint64_t bits = ts_load_le(cells.values + 8 * (size_t)i, 8);

		if (!column) {
			s->m->unknown++;
			continue;
		}
		touch(s, number);
		s->value[number] = column->kind == TSCOPE_REGION ? s->value[number] + bits : bits;
	}
}

/* A region whose column is not known is counted where the rows of events are made. */
static void add_region(struct stepping *s, const struct ts_frame *frame)
{
	uint32_t number = ts_frame_u16(frame->bytes, TS_FRAME_REGION_COLUMN);
	const struct ts_declared_column *column = of_steps(s->m, number);

	if (!column || column->kind != TSCOPE_REGION)
		return;
	touch(s, number);
	s->value[number] += ts_load_le(frame->bytes + TS_FRAME_REGION_DURATION, 8);
}

static enum ts_status add_frame(struct stepping *s, struct adding *a, const struct ts_frame *frame, struct ts_error *err)
{
	bool late = frame->kind == TS_FRAME_LATE;
	int64_t step = ts_recording_step_added(frame);
	uint32_t segment = segment_at(s, frame->time);

	if (!late && step == TS_FRAME_NO_STEP)
		return TS_OK;
	if (!a->open || a->step != step || a->segment != segment || a->lane != frame->lane) {
		if (end_adding(s, a, err))
			return err->status;
		*a = (struct adding){.open = true, .step = step, .segment = segment, .lane = frame->lane};
		begin_stamps(s);
	}
	a->late |= late;
	if (late)
		add_late(s, frame);
	else
		add_region(s, frame);
	return TS_OK;
}

/* Goes on to the next frame that adds something to a step. */
static enum ts_status look_ahead(struct stepping *s, struct ts_error *err)
{
	do {
		if (ts_recording_next(s->m->r, &s->beside, &s->ahead, &s->has_ahead, err))
			return err->status;
	} while (s->has_ahead && ts_recording_step_added(&s->ahead) == TS_FRAME_NO_STEP);
	return TS_OK;
}

/* Makes a record of the frames of one step. One that adds nothing known is passed over. */
static enum ts_status next_beside(struct stepping *s, struct ts_error *err)
{
	bool late = false;

	begin_stamps(s);
	while (s->has_ahead && !s->n_touched) {
		s->added_step = ts_recording_step_added(&s->ahead);
		for (late = false; s->has_ahead && ts_recording_step_added(&s->ahead) == s->added_step;) {
			late |= s->ahead.kind == TS_FRAME_LATE;
			if (s->ahead.kind == TS_FRAME_LATE)
				add_late(s, &s->ahead);
			else
				add_region(s, &s->ahead);
			if (look_ahead(s, err))
				return err->status;
		}
	}
	s->more_added = s->n_touched > 0;
	if (!s->more_added)
		return TS_OK;
	if (make_record(s, 0, late, err))
		return err->status;
	s->added_bytes = ts_buf_view(&s->record);
	return TS_OK;
}

static enum ts_status next_added(struct stepping *s, struct ts_error *err)
{
	if (!s->added)
		return next_beside(s, err);
	return ts_spill_next(s->added, &s->added_step, &s->added_bytes, &s->more_added, err);
}

/* Begins to read what is added beside the steps: both come by step. */
static enum ts_status gather_beside(struct stepping *s, struct ts_error *err)
{
	ts_recording_walk(s->m->r, TS_OF_ADDED, &s->beside);
	return look_ahead(s, err) ? err->status : next_added(s, err);
}

/* Sorts what is added in this attempt by step, if there is any. What an attempt without steps adds has no row. */
static enum ts_status gather_attempt(struct stepping *s, struct ts_error *err)
{
	struct adding a = {.open = false};
	struct ts_frame frame;
	struct ts_frame_walk w;
	enum ts_status status;
	bool more = true;

	if (!s->m->r->added)
		return TS_OK;
	if (s->m->n > 1 && s->n_segments == s->first) {
		s->orphans += s->m->r->added;
		return TS_OK;
	}
	if (!s->added && ts_spill_create(memory_of(s->m), &s->added, err))
		return err->status;
	ts_recording_walk(s->m->r, TS_OF_ADDED, &w);
	while (!(status = ts_recording_next(s->m->r, &w, &frame, &more, err)) && more)
		if ((status = add_frame(s, &a, &frame, err)) != TS_OK)
			break;
	ts_frame_walk_finish(&w);
	return status || end_adding(s, &a, err) ? err->status : TS_OK;
}

static enum ts_status gather(struct stepping *s, struct ts_error *err)
{
	if (gather_attempt(s, err))
		return err->status;
	return s->added ? next_added(s, err) : TS_OK;
}

static void put_length(struct ts_buf *to, struct ts_span bytes)
{
	ts_buf_u32(to, (uint32_t)bytes.len);
	ts_buf_span(to, bytes);
}

/* Collects what is added to this step; what belongs to a step before it, which has no row, is counted. */
static enum ts_status collect(struct stepping *s, int64_t step, struct ts_error *err)
{
	ts_buf_reset(&s->extra);
	while (s->more_added && s->added_step <= step) {
		if (s->added_step == step)
			put_length(&s->extra, s->added_bytes);
		else
			s->orphans += ts_load_u32(s->added_bytes.data + ADDED_LATE);
		if (next_added(s, err))
			return err->status;
	}
	return ts_buf_check(&s->extra, err);
}

static enum ts_status rest_of_added(struct stepping *s, struct ts_error *err)
{
	while (s->more_added) {
		s->orphans += ts_load_u32(s->added_bytes.data + ADDED_LATE);
		if (next_added(s, err))
			return err->status;
	}
	return TS_OK;
}

/* --- the rows of one step --- */

static size_t attempt_of(const struct stepping *s, uint32_t segment)
{
	return segment < s->n_segments ? s->segments[segment].attempt : 0;
}

static uint32_t execution_of(const struct stepping *s, int64_t step, uint32_t segment)
{
	return ts_executions_of(&s->executions, segment < s->n_segments ? s->segments[segment].mark : 0, step);
}

/* The rows of a step in s->group: u32 length, u32 segment, then the frame. Those of one execution are one row; what is added belongs to
 * the last row of its attempt whose segment had begun, else to the first. */
struct group_row {
	size_t from, to; /* its frames in s->group */
	uint32_t segment;
	uint32_t next; /* the segment of the next row of its attempt; UINT32_MAX: there is none */
	bool first;    /* of its attempt */
	enum ts_table_kind kind;
	int64_t key;
};

/* Whether what was added while this segment was the last one belongs to the row. */
static bool takes(const struct stepping *s, const struct group_row *row, uint32_t of)
{
	return attempt_of(s, of) == attempt_of(s, row->segment) && (of >= row->segment || row->first) && of < row->next;
}

static enum ts_status put_group_row(struct stepping *s, int64_t step, const struct group_row *row, struct ts_error *err)
{
	const uint8_t *data = s->group.data, *extra = s->extra.data;

	s->m->r = s->m->attempts[attempt_of(s, row->segment)];
	ts_builder_row(s->m->builder, row->kind, row->key);
	begin_stamps(s);
	for (size_t at = row->from; at < row->to; at += 4 + ts_load_u32(data + at))
		if (put_frame(s, data + at + 8, err))
			return err->status;
	for (size_t at = 0; at < s->extra.len; at += 4 + ts_load_u32(extra + at))
		if (takes(s, row, ts_load_u32(extra + at + 4 + ADDED_SEGMENT)) && put_added(s, extra + at + 4, err))
			return err->status;
	if (put_sums(s, err))
		return err->status;
	if (s->executions.n && ts_own_segment(&s->m->own, s->m->builder, s->m->into->facts, execution_of(s, step, row->segment), err))
		return err->status;
	if (row->kind == TS_TABLE_SUPERSEDED && ts_own_step(&s->m->own, s->m->builder, s->m->into->facts, step, err))
		return err->status;
	return ts_builder_row_end(s->m->builder, err);
}

/* The row whose frames begin here, after a row of the segment `before`. */
static struct group_row row_at(const struct stepping *s, int64_t step, size_t from, uint32_t before)
{
	const uint8_t *data = s->group.data;
	struct group_row row = {.from = from, .to = from, .segment = ts_load_u32(data + from + 4), .next = UINT32_MAX};
	uint32_t next;

	while (row.to < s->group.len &&
	       execution_of(s, step, ts_load_u32(data + row.to + 4)) == execution_of(s, step, row.segment))
		row.to += 4 + ts_load_u32(data + row.to);
	row.first = from == 0 || attempt_of(s, before) != attempt_of(s, row.segment);
	if (row.to == s->group.len)
		return row;
	next = ts_load_u32(data + row.to + 4);
	if (attempt_of(s, next) == attempt_of(s, row.segment))
		row.next = next;
	return row;
}

static enum ts_status put_group(struct stepping *s, int64_t step, int64_t *ordinal, struct ts_error *err)
{
	struct group_row row = {.to = 0};

	if (ts_buf_check(&s->group, err) || collect(s, step, err))
		return err->status;
	while (row.to < s->group.len) {
		bool superseded;

		row = row_at(s, step, row.to, row.segment);
		superseded = ts_executions_superseded(&s->executions, execution_of(s, step, row.segment), step);
		row.kind = superseded ? TS_TABLE_SUPERSEDED : TS_TABLE_STEPS;
		row.key = superseded ? (*ordinal)++ : step;
		if (put_group_row(s, step, &row, err))
			return err->status;
	}
	ts_buf_reset(&s->group);
	return TS_OK;
}

/* --- steps that increase --- */

/* Begins and ends a row of its own. */
static enum ts_status put_row(struct stepping *s, const uint8_t *frame, struct ts_error *err)
{
	ts_builder_row(s->m->builder, TS_TABLE_STEPS, ts_frame_i64(frame, TS_FRAME_STEP_STEP));
	begin_stamps(s);
	if (put_frame(s, frame, err))
		return err->status;
	for (size_t at = 0; at < s->extra.len; at += 4 + ts_load_u32(s->extra.data + at))
		if (put_added(s, s->extra.data + at + 4, err))
			return err->status;
	if (put_sums(s, err))
		return err->status;
	return ts_builder_row_end(s->m->builder, err);
}

/* Whether what is added to the row is nothing or one record, whose cells then join those of the frame. */
static bool join_cells(const struct stepping *s, const uint8_t *frame, struct row_cells *ret_cells)
{
	*ret_cells = (struct row_cells){.frame = ts_frame_cells(TS_FRAME_STEP, frame)};
	if (!s->extra.len)
		return true;
	ret_cells->added = added_cells(s->extra.data + 4);
	return s->extra.len == 4 + (size_t)ts_load_u32(s->extra.data);
}

/* Adds a row to the batch, or puts it behind it. */
static enum ts_status take_row(struct stepping *s, const uint8_t *frame, struct ts_error *err)
{
	struct row_cells cells;
	bool joined;

	if (collect(s, ts_frame_i64(frame, TS_FRAME_STEP_STEP), err))
		return err->status;
	joined = join_cells(s, frame, &cells);
	if (joined && !has_shape(&s->batch, &cells) && learn(s, &cells, err))
		return err->status;
	if (!joined || !s->batch.usable)
		return flush(s, err) ? err->status : put_row(s, frame, err);
	add_to_batch(s, frame, &cells);
	return s->batch.rows == BATCH_ROWS ? flush(s, err) : TS_OK;
}

static enum ts_status rows_in_order(struct stepping *s, struct ts_error *err)
{
	struct ts_frame frame;
	struct ts_frame_walk w;
	enum ts_status status;
	bool more = true;

	if (s->m->r->added && !s->m->r->scattered ? gather_beside(s, err) : gather(s, err))
		return err->status;
	ts_recording_walk(s->m->r, TS_OF_STEPS, &w);
	while (!(status = ts_recording_next(s->m->r, &w, &frame, &more, err)) && more)
		if ((status = take_row(s, frame.bytes, err)) != TS_OK)
			break;
	ts_frame_walk_finish(&w);
	if (status || flush(s, err))
		return err->status;
	return rest_of_added(s, err);
}

/* --- steps that go back, and several threads --- */

static enum ts_status begin_segment(struct stepping *s, const uint8_t *frame, struct ts_error *err)
{
	if (s->n_segments == TS_SEGMENTS_MAX)
		return ts_error_set(err, TS_TOO_LARGE, "%.*s: steps go back for the %dth time; split the run",
				    TS_SPAN_ARG(s->m->r->source->path), TS_SEGMENTS_MAX);
	if (!TS_GROW(s->segments, s->cap_segments, s->n_segments + 1, 16))
		return no_memory(err);
	s->segments[s->n_segments++] =
		(struct segment){ts_frame_i64(frame, TS_FRAME_STEP_BEGIN), s->attempt, s->executions.serial};
	return TS_OK;
}

/* An attempt begins an execution; within one the steps say it. */
static enum ts_status ask(struct stepping *s, int64_t step, bool back, struct ts_error *err)
{
	struct ts_executions_row row = {.step = step, .time = NAN, .epoch = NAN, .again = back, .place = s->attempt};

	if ((s->n_segments == s->first && ts_executions_said(&s->executions, step, s->attempt, err)) ||
	    ts_executions_row(&s->executions, &row, err))
		return ts_error_prefix(err, "%.*s", TS_SPAN_ARG(s->m->r->source->path));
	return TS_OK;
}

static void tell_restarts(const struct stepping *s)
{
	char detail[120];

	for (size_t i = 0; i < s->executions.n; i++) {
		const struct ts_execution *e = &s->executions.items[i];

		(void)snprintf(detail, sizeof detail, "step %" PRId64 " comes after step %" PRId64, e->from, e->after);
		ts_notice_add(s->m->into->notices, "restart", TS_NOTICE_INFO, s->m->attempts[e->place]->source->name, 0, detail);
	}
}

/* Takes the frames in the order of time. */
static enum ts_status sort_frame(struct stepping *s, struct ts_span frame, struct ts_error *err)
{
	int64_t step = ts_frame_i64(frame.data, TS_FRAME_STEP_STEP);
	bool back = s->any && step < s->last, begins = back || s->n_segments == s->first;

	if (ask(s, step, back, err) || (begins && begin_segment(s, frame.data, err)))
		return err->status;
	s->any = true;
	s->last = step;
	ts_buf_reset(&s->group);
	ts_buf_u32(&s->group, (uint32_t)(s->n_segments - 1));
	ts_buf_span(&s->group, frame);
	return ts_buf_check(&s->group, err) ? err->status : ts_spill_add(s->rows, step, ts_buf_view(&s->group), err);
}

/* Walks through the STEP frames: into the spill by time, if there is one, else to sort_frame. */
static enum ts_status walk_steps(struct stepping *s, struct ts_spill *by_time, struct ts_error *err)
{
	struct ts_frame frame;
	struct ts_frame_walk w;
	enum ts_status status;
	bool more = true;

	ts_recording_walk(s->m->r, TS_OF_STEPS, &w);
	while (!(status = ts_recording_next(s->m->r, &w, &frame, &more, err)) && more) {
		struct ts_span bytes = ts_span_of(frame.bytes, frame.len);

		status = by_time ? ts_spill_add(by_time, frame.time, bytes, err) : sort_frame(s, bytes, err);
		if (status)
			break;
	}
	ts_frame_walk_finish(&w);
	return status;
}

static enum ts_status sort_by_time(struct stepping *s, struct ts_error *err)
{
	struct ts_spill *by_time;
	struct ts_span frame;
	enum ts_status status;
	bool more = true;
	int64_t time;

	if (ts_spill_create(memory_of(s->m), &by_time, err))
		return err->status;
	status = walk_steps(s, by_time, err);
	while (!status && !(status = ts_spill_next(by_time, &time, &frame, &more, err)) && more)
		status = sort_frame(s, frame, err);
	ts_spill_destroy(by_time);
	return status;
}

/* Each attempt that has steps begins a segment, also where its steps go on behind those of the attempt before. */
static enum ts_status sort_attempts(struct stepping *s, struct ts_error *err)
{
	for (s->attempt = 0; s->attempt < s->m->n; s->attempt++) {
		s->m->r = s->m->attempts[s->attempt];
		s->first = s->n_segments;
		s->any = false;
		if ((s->m->r->steps.mixed ? sort_by_time(s, err) : walk_steps(s, NULL, err)) || gather_attempt(s, err))
			return err->status;
	}
	return s->added ? next_added(s, err) : TS_OK;
}

static enum ts_status rows_sorted(struct stepping *s, struct ts_error *err)
{
	struct ts_span record;
	int64_t step, current = 0, ordinal = 0;
	bool more = true;

	if (ts_spill_create(memory_of(s->m), &s->rows, err) || sort_attempts(s, err))
		return err->status;
	ts_executions_end(&s->executions);
	tell_restarts(s);
	ts_buf_reset(&s->group);
	while (more) {
		if (ts_spill_next(s->rows, &step, &record, &more, err))
			return err->status;
		if (s->group.len && (!more || step != current) && put_group(s, current, &ordinal, err))
			return err->status;
		if (more)
			put_length(&s->group, record);
		current = step;
	}
	return rest_of_added(s, err);
}

/* --- attempts without any step --- */

static enum ts_status put_first(struct stepping *s, const struct ts_frame *frame, struct ts_error *err)
{
	uint32_t number = ts_frame_u16(frame->bytes, TS_FRAME_FIRST_COLUMN);
	struct ts_declared_column *column = of_steps(s->m, number);

	if (!column) {
		s->m->unknown++;
		return TS_OK;
	}
	return put_value(s, number, column, ts_load_le(frame->bytes + TS_FRAME_FIRST_VALUE, 8), err);
}

static enum ts_status put_all_first(struct stepping *s, int64_t *ret_last, struct ts_error *err)
{
	enum ts_status status;
	struct ts_frame frame;
	struct ts_frame_walk w;
	bool more = true;

	*ret_last = TS_TIME_NONE;
	ts_recording_walk(s->m->r, TS_OF_FIRST, &w);
	while (!(status = ts_recording_next(s->m->r, &w, &frame, &more, err)) && more) {
		if (ts_frame_i64(frame.bytes, TS_FRAME_FIRST_STEP) != s->m->r->waiting_step)
			continue;
		*ret_last = frame.time > *ret_last ? frame.time : *ret_last;
		if ((status = put_first(s, &frame, err)) != TS_OK)
			break;
	}
	ts_frame_walk_finish(&w);
	return status;
}

/* What waited for the first step, which did not come, is a row. */
static enum ts_status row_of_first(struct stepping *s, struct ts_error *err)
{
	int64_t last;

	if (make_timestamp(s, err))
		return err->status;
	ts_builder_row(s->m->builder, TS_TABLE_STEPS, s->m->r->waiting_step);
	begin_stamps(s);
	if (put_all_first(s, &last, err))
		return err->status;
	if (s->timestamp && s->m->r->has_header)
		ts_builder_f64(s->m->builder, s->timestamp - 1, ts_recording_seconds(s->m->r, last));
	return put_sums(s, err) ? err->status : ts_builder_row_end(s->m->builder, err);
}

/* Whether this attempt is such a row: it has ended, and its number is below all that came behind it. */
static bool is_row(const struct stepping *s, size_t attempt)
{
	const struct ts_recording *r = s->m->attempts[attempt];

	if (r->steps.n || !r->waiting || r->running)
		return false;
	for (size_t i = 0; i < s->m->n; i++) {
		const struct ts_recording *other = s->m->attempts[i];

		if (other->steps.n ? other->least_step <= r->waiting_step
				   : i > attempt && other->waiting && other->waiting_step <= r->waiting_step)
			return false;
	}
	return true;
}

static enum ts_status rows_of_first(struct stepping *s, uint64_t *io_rows, struct ts_error *err)
{
	struct ts_recording *now = s->m->r;

	for (size_t i = 0; i < s->m->n; i++) {
		if (!is_row(s, i))
			continue;
		s->m->r = s->m->attempts[i];
		++*io_rows;
		if (row_of_first(s, err))
			return err->status;
	}
	s->m->r = now;
	return TS_OK;
}

/* --- all --- */

/* While the run goes on, the step of a late value may not be here yet. */
static void tell_orphans(const struct stepping *s)
{
	const struct ts_recording *last = s->m->attempts[s->m->n - 1];
	char detail[160];

	if (!s->orphans || last->running)
		return;
	(void)snprintf(detail, sizeof detail, "values of %" PRIu64 " steps came late, and the steps themselves are not here",
		       s->orphans);
	ts_notice_add(s->m->into->notices, "late_value", TS_NOTICE_SKIPPED, last->source->name, 0, detail);
}

static enum ts_status make_rows(struct stepping *s, uint64_t *ret_segments, struct ts_error *err)
{
	struct ts_recording *r = s->m->r;
	uint64_t steps = 0;
	size_t n = 0;

	for (size_t i = 0; i < s->m->n; i++) {
		n = s->m->attempts[i]->columns.n > n ? s->m->attempts[i]->columns.n : n;
		steps += s->m->attempts[i]->steps.n;
	}
	n++;
	s->value = ts_alloc_array(n, sizeof *s->value);
	s->stamp = ts_alloc_array(n, sizeof *s->stamp);
	s->touched = ts_alloc_array(n, sizeof *s->touched);
	s->batch.values = ts_alloc_array((size_t)BATCH_ROWS * (BATCH_COLUMNS + 1), sizeof *s->batch.values);
	s->batch.steps = ts_alloc_array(BATCH_ROWS, sizeof *s->batch.steps);
	if (!s->value || !s->stamp || !s->touched || !s->batch.values || !s->batch.steps)
		return no_memory(err);
	if (rows_of_first(s, &steps, err))
		return err->status;
	if (s->m->n > 1 || !r->increase || r->steps.mixed ? rows_sorted(s, err) : rows_in_order(s, err))
		return err->status;
	tell_orphans(s);
	*ret_segments = steps > 0 ? s->executions.n + 1 : 0;
	return TS_OK;
}

enum ts_status ts_making_steps(struct ts_making *m, uint64_t *ret_segments, struct ts_error *err)
{
	struct stepping s = {
		.m = m, .group = TS_BUF_INIT(GROUP_MAX), .extra = TS_BUF_INIT(GROUP_MAX), .record = TS_BUF_INIT(GROUP_MAX)};
	enum ts_status status = make_rows(&s, ret_segments, err);

	ts_spill_destroy(s.added);
	ts_spill_destroy(s.rows);
	ts_buf_finish(&s.group);
	ts_buf_finish(&s.extra);
	ts_buf_finish(&s.record);
	ts_frame_walk_finish(&s.beside);
	ts_free(s.value);
	ts_free(s.stamp);
	ts_free(s.touched);
	ts_free(s.batch.values);
	ts_free(s.batch.steps);
	ts_free(s.segments);
	ts_executions_finish(&s.executions);
	return status;
}
