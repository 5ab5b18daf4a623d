#include "ingest/rundir/steps.h"

#include "base/alloc.h"
#include "base/grow.h"
#include "ingest/rundir/ahead.h"

#include <math.h>
#include <stdio.h>

enum {
	WINDOW = 1 << 20,
	ALIKE = 64, /* records that have the columns of those before, after which a stretch of such records is expected */
};

/* What a key had last, while it is asked where executions begin. */
struct series {
	bool known, tells, time, epoch; /* known: the rest was found out by its name */
	bool seen;			/* it has a value in the execution of this mark, the last one at this step */
	uint32_t mark;
	int64_t at;
};

struct steps {
	const struct ts_steps_input *input;
	struct ts_record record;
	struct ts_range range;
	struct ts_taken now; /* the current record */
	struct ts_emit emit;
	struct ts_builder *builder;
	struct ts_sink_count before;
	struct ts_notice *noticed; /* the notices before this file */
	size_t n_noticed;
	bool any;
	int64_t last;
	bool open; /* the builder has a row that is not ended yet */
	bool back; /* steps go back: the first pass is of no use */
	uint64_t alike; /* records in a row, up to the current one, that are rows with the columns of the row before */
	/* of the second pass */
	struct ts_executions executions;
	struct series *series; /* one for each key */
	size_t cap_series;
	struct ts_segment *segments;
	size_t n, cap;
};

static enum ts_status make_builder(struct steps *s, struct ts_error *err)
{
	ts_builder_destroy(s->builder);
	s->builder = NULL;
	s->input->sink->objects = s->before.objects;
	s->input->sink->bytes = s->before.bytes;
	if (ts_builder_create(s->input->rank, ts_count_sink, s->input->sink, &s->builder, err))
		return err->status;
	ts_emit_init(&s->emit, s->builder, s->input->facts, &s->record);
	return TS_OK;
}

static enum ts_status at_line(const struct steps *s, struct ts_error *err)
{
	return ts_error_prefix(err, "%.*s line %" PRIu64, TS_SPAN_ARG(s->input->source.path), s->now.line);
}

/* Ends the current row. This happens when the first pass goes on to the next step, or ends. */
static enum ts_status close_row(struct steps *s, struct ts_error *err)
{
	bool open = s->open;

	s->open = false;
	if (open && ts_emit_end(&s->emit, TS_TABLE_STEPS, s->last, -1, err))
		return at_line(s, err);
	return TS_OK;
}

/* Records of one step that follow each other form one row, because many loops log the loss and the learning rate of a
 * step in two records. */
static enum ts_status take_record(struct steps *s, struct ts_error *err)
{
	const struct ts_taken *now = &s->now;
	bool next = !s->any || now->step != s->last;

	s->back = s->any && (now->step < s->last || now->restart);
	if (s->back)
		return TS_OK;
	if (next && close_row(s, err))
		return err->status;
	s->any = true;
	s->last = now->step;
	if (next)
		ts_emit_begin(&s->emit, TS_TABLE_STEPS, now->step);
	s->open = true;
	if (ts_emit_record(&s->emit, now->cells, now->n, now->line, err))
		return at_line(s, err);
	s->alike = ts_emit_is_usual(&s->emit) ? s->alike + 1 : 0;
	return TS_OK;
}

/* --- stretches of alike records --- */

/* Gives all rows but the last to the builder at once. A further record of its step may follow the last one. Its place in the file is
 * not asked for, because it begins no segment. */
static enum ts_status take_rows(struct steps *s, const struct ts_stretch_rows *rows, struct ts_error *err)
{
	struct ts_cell cells[TS_LINE_NUMBERS];
	size_t last = rows->n - 1;

	s->now.line = s->range.line;
	if (close_row(s, err))
		return err->status;
	if (ts_emit_rows(&s->emit, TS_TABLE_STEPS, rows, last, err))
		return at_line(s, err);
	for (size_t i = 0; i < s->emit.n_usual; i++)
		cells[i] = (struct ts_cell){
			.key = s->emit.usual_key[i], .type = TS_COLUMN_F64, .real = rows->values[i * rows->stride + last]};
	s->now = (struct ts_taken){
		.step = rows->steps[last],
		.line = s->range.line + last,
		.cells = cells,
		.n = s->emit.n_usual,
	};
	return take_record(s, err);
}

static enum ts_status take_stretch(struct steps *s, struct ts_stretch *stretch, struct ts_error *err)
{
	struct ts_stretch_rows rows;

	while (ts_stretch_next(stretch, &rows))
		if ((rows.n && take_rows(s, &rows, err)) || ts_range_skip(&s->range, rows.end, rows.n, err))
			return err->status;
	return TS_OK;
}

/* Reads on as long as records are like the one before, if such a stretch can be expected here. */
static enum ts_status read_stretch(struct steps *s, struct ts_ahead *ahead, struct ts_error *err)
{
	struct ts_stretch stretch;
	enum ts_status status;
	struct ts_line line;
	uint64_t from;

	if (s->input->singly || s->alike < ALIKE || !ts_range_between(&s->range, &from) ||
	    !ts_record_line(&s->record, ts_range_text(&s->range), s->emit.usual_key, s->emit.n_usual, &line) ||
	    !ts_stretch_begin(&stretch, &s->input->source, &line, from, s->last, s->input->piece))
		return TS_OK;
	ts_stretch_help(&stretch, ahead->helper);
	status = take_stretch(s, &stretch, err);
	ts_stretch_end(&stretch);
	ts_ahead_moved(ahead);
	return status;
}

static enum ts_status take_records(struct steps *s, struct ts_ahead *ahead, struct ts_error *err)
{
	bool more;

	do {
		if (ts_ahead_next(ahead, &s->now, &more, err))
			return err->status;
		if (more && take_record(s, err))
			return err->status;
		if (s->back)
			return TS_OK;
		if (more && ts_ahead_rests(ahead) && read_stretch(s, ahead, err))
			return err->status;
	} while (more);
	return close_row(s, err);
}

typedef enum ts_status pass(struct steps *s, struct ts_ahead *ahead, struct ts_error *err);

static enum ts_status read_through(struct steps *s, pass *take, struct ts_error *err)
{
	struct ts_ahead ahead;
	enum ts_status status;

	ts_range_init(&s->range, &s->input->source, 0, s->input->source.size, 1, s->input->window ? s->input->window : WINDOW);
	ts_ahead_init(&ahead, &s->range, &s->record, s->input->notices);
	status = take(s, &ahead, err);
	ts_ahead_finish(&ahead);
	ts_range_finish(&s->range);
	return status;
}

/* --- where executions begin --- */

static enum ts_status too_many(const struct steps *s, struct ts_error *err)
{
	return ts_error_set(err, TS_TOO_LARGE,
			    "%.*s line %" PRIu64
			    ": steps go back for the %dth time; sort the file by step, or split the run",
			    TS_SPAN_ARG(s->input->source.path), s->now.line, TS_SEGMENTS_MAX);
}

/* Begins a stretch of the file at the current record. */
static enum ts_status begin_segment(struct steps *s, struct ts_error *err)
{
	uint64_t offset = s->n ? s->now.offset : 0;

	if (s->n == TS_SEGMENTS_MAX)
		return too_many(s, err);
	if (!TS_GROW(s->segments, s->cap, s->n + 1, 16))
		return ts_error_set(err, TS_NO_MEMORY, "out of memory for segments");
	if (s->n)
		s->segments[s->n - 1].end = offset;
	s->segments[s->n] = (struct ts_segment){.offset = offset,
						.end = s->input->source.size,
						.line = s->n ? s->now.line : 1,
						.first_step = s->now.step,
						.shift = s->executions.offset,
						.mark = s->executions.serial};
	s->n++;
	return TS_OK;
}

/* Finds out by its name whether a key tells of executions: "epoch" may stand anywhere. */
static void know(const struct steps *s, uint32_t key, struct series *series)
{
	const struct ts_key *k = ts_key_at(&s->record.keys, key);

	series->known = true;
	series->time = k->parent == TS_KEY_ROOT && ts_span_is(k->text, "timestamp");
	series->epoch = ts_span_is(k->text, "epoch");
	series->tells = !series->time && !series->epoch;
}

static enum ts_status room_for(struct steps *s, uint32_t key, struct ts_error *err)
{
	if (!TS_GROW(s->series, s->cap_series, (size_t)key + 1, 64))
		return ts_error_set(err, TS_NO_MEMORY, "out of memory for keys");
	return TS_OK;
}

/* Says of the current record what its execution is asked by. */
static enum ts_status ask(struct steps *s, struct ts_executions_row *ret_row, struct ts_error *err)
{
	int64_t step = ts_executions_step(&s->executions, s->now.step);

	*ret_row = (struct ts_executions_row){.step = s->now.step, .time = NAN, .epoch = NAN, .place = s->now.line};
	for (size_t i = 0; i < s->now.n; i++) {
		const struct ts_cell *cell = &s->now.cells[i];
		struct series *series;

		if (room_for(s, cell->key, err))
			return err->status;
		series = &s->series[cell->key];
		if (!series->known)
			know(s, cell->key, series);
		if (series->time && cell->type == TS_COLUMN_F64)
			ret_row->time = cell->real;
		if (series->epoch && cell->type == TS_COLUMN_F64)
			ret_row->epoch = cell->real;
		if (series->tells && series->seen && series->mark == s->executions.serial &&
		    (cell->type == TS_COLUMN_F64 || cell->type == TS_COLUMN_U64))
			ret_row->again |= ts_executions_again(&s->executions, series->at, step);
	}
	return TS_OK;
}

static void note_cells(struct steps *s, int64_t step)
{
	for (size_t i = 0; i < s->now.n; i++) {
		struct series *series = &s->series[s->now.cells[i].key];

		if (series->seen && series->mark == s->executions.serial && series->at > step)
			continue;
		series->seen = true;
		series->mark = s->executions.serial;
		series->at = step;
	}
}

static enum ts_status place_record(struct steps *s, struct ts_error *err)
{
	int64_t before = s->last, shift = s->executions.offset;
	uint32_t mark = s->executions.serial;
	bool began = s->any;
	struct ts_executions_row row;

	if (s->now.restart && ts_executions_said(&s->executions, ts_executions_step(&s->executions, s->now.step), s->now.line, err))
		return at_line(s, err);
	if (ask(s, &row, err) || ts_executions_row(&s->executions, &row, err))
		return at_line(s, err);
	s->any = true;
	s->last = row.step;
	note_cells(s, row.step);
	if (!began || row.step < before || mark != s->executions.serial || shift != s->executions.offset)
		return begin_segment(s, err);
	return TS_OK;
}

static enum ts_status place_records(struct steps *s, struct ts_ahead *ahead, struct ts_error *err)
{
	bool more;

	do {
		if (ts_ahead_next(ahead, &s->now, &more, err) || (more && place_record(s, err)))
			return err->status;
	} while (more);
	return TS_OK;
}

static void tell_restarts(struct steps *s)
{
	char detail[120];

	for (size_t i = 0; i < s->executions.n; i++) {
		const struct ts_execution *e = &s->executions.items[i];

		(void)snprintf(detail, sizeof detail, "step %" PRId64 " comes after step %" PRId64, e->from, e->after);
		ts_notice_add(s->input->notices, "restart", TS_NOTICE_INFO, s->input->source.name, e->place, detail);
	}
}

/* What the first pass noticed is noticed again. */
static void forget_notices(struct steps *s)
{
	struct ts_notices *notices = s->input->notices;

	if (notices)
		notices->n = s->n_noticed;
	if (s->n_noticed)
		memcpy(notices->items, s->noticed, s->n_noticed * sizeof *s->noticed);
}

static enum ts_status read_again(struct steps *s, struct ts_error *err)
{
	if (s->input->source.progress)
		s->input->source.progress->total += s->input->source.size + s->now.offset;
	forget_notices(s);
	s->any = false;
	if (read_through(s, place_records, err))
		return err->status;
	ts_executions_end(&s->executions);
	tell_restarts(s);
	if (make_builder(s, err))
		return err->status;
	return ts_segments_merge(s->input, s->segments, s->n, &s->executions, &s->record, &s->emit, err);
}

/* Many loops write {"step": 1, "loss": 2.5}. Such a loss is a column of its own, which no analysis takes for the loss. */
static void tell_flat(struct steps *s)
{
	static const char *const names[] = {"loss", "train_loss", "grad_norm", "lr", "learning_rate"};
	struct ts_keys *keys = &s->record.keys;
	char detail[160];

	for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
		uint32_t key = ts_keys_get(keys, TS_KEY_ROOT, ts_span_str(names[i]));

		if (key == TS_KEY_NONE || !ts_key_at(keys, key)->stamp)
			continue;
		(void)snprintf(detail, sizeof detail, "%s is a key of the record; analyses know it as {\"scalars\": {\"%s\": ...}}",
			       names[i], names[i]);
		ts_notice_add(s->input->notices, "flat_scalar", TS_NOTICE_INFO, s->input->source.name, 0, detail);
	}
}

static enum ts_status read_steps(struct steps *s, struct ts_error *err)
{
	if (make_builder(s, err) || read_through(s, take_records, err))
		return err->status;
	if (s->back && read_again(s, err))
		return err->status;
	tell_flat(s);
	ts_emit_tell_dropped(&s->emit, s->input->notices, s->input->source.name);
	return TS_OK;
}

enum ts_status ts_steps_read(const struct ts_steps_input *input, struct ts_builder **ret_builder,
			     uint64_t *ret_segments, struct ts_error *err)
{
	const struct ts_notices *notices = input->notices;
	struct steps s = {.input = input, .before = *input->sink, .n_noticed = notices ? notices->n : 0};
	enum ts_status status;

	if (s.n_noticed && !(s.noticed = ts_arena_dup(notices->arena, notices->items, s.n_noticed * sizeof *s.noticed)))
		return ts_arena_error(notices->arena, err);
	if (ts_record_init(&s.record, TS_RECORD_STEP, err))
		return err->status;
	status = read_steps(&s, err);
	if (status) {
		ts_builder_destroy(s.builder);
	} else {
		*ret_builder = s.builder;
		*ret_segments = s.any ? s.executions.n + 1 : 0;
	}
	ts_executions_finish(&s.executions);
	ts_free(s.series);
	ts_free(s.segments);
	ts_record_finish(&s.record);
	return status;
}
