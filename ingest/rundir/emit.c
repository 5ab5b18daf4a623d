#include "ingest/core/sink_count.h"
#include "ingest/rundir/emit.h"

#include <stdio.h>

static void forget(struct ts_key *key)
{
	memset(key->column, 0, sizeof key->column);
	key->row = key->below = 0;
}

void ts_emit_init(struct ts_emit *emit, struct ts_builder *builder, const struct ts_facts *facts,
		  struct ts_record *record)
{
	*emit = (struct ts_emit){.builder = builder, .facts = facts, .keys = &record->keys};
	for (uint32_t i = 0; i < record->keys.n; i++)
		forget(&record->keys.items[i]);
}

static enum ts_status find_column(struct ts_emit *emit, const struct ts_cell *cell, struct ts_error *err)
{
	struct ts_key *key = ts_key_at(emit->keys, cell->key);
	struct ts_buf path = TS_BUF_INIT(2 * TS_PATH_MAX);
	enum ts_status status;

	ts_keys_path(emit->keys, cell->key, &path);
	if (key->parent == TS_KEY_ROOT && ts_span_is(key->text, "segment"))
		ts_buf_str(&path, "[0]");
	status = ts_buf_check(&path, err);
	if (!status)
		status = ts_column_make(emit->builder, emit->facts, ts_buf_view(&path), cell->type, &key->column[cell->type], err);
	ts_buf_finish(&path);
	if (!status)
		emit->n_columns++;
	return status;
}

static void put(struct ts_emit *emit, const struct ts_cell *cell, uint32_t column)
{
	switch ((enum ts_column_type)cell->type) {
	case TS_COLUMN_F64:
		ts_builder_f64(emit->builder, column, cell->real);
		break;
	case TS_COLUMN_U64:
		ts_builder_u64(emit->builder, column, cell->word);
		break;
	case TS_COLUMN_TEXT:
	case TS_COLUMN_JSON:
		ts_builder_text(emit->builder, column, cell->text);
		break;
	}
}

/* Returns whether the row already has a value of another type, or an object, in this place. One record could not hold both. */
static bool conflicts(const struct ts_emit *emit, const struct ts_cell *cell)
{
	const struct ts_key *key = ts_key_at(emit->keys, cell->key);

	if ((key->row == emit->row && key->type != cell->type) || key->below == emit->row)
		return true;
	for (uint32_t up = key->parent; up != TS_KEY_ROOT; up = ts_key_at(emit->keys, up)->parent)
		if (ts_key_at(emit->keys, up)->row == emit->row)
			return true;
	return false;
}

/* Handles a further record of a step. The last value of a column counts; of values that conflict, the first one counts. */
static bool comes_again(struct ts_emit *emit, const struct ts_cell *cell, uint64_t line)
{
	const struct ts_key *key = ts_key_at(emit->keys, cell->key);
	bool conflict = conflicts(emit, cell);

	if ((conflict || key->row == emit->row) && emit->repeated++ == 0)
		emit->repeated_line = line;
	return conflict;
}

static void note(const struct ts_emit *emit, uint32_t at, enum ts_column_type type)
{
	struct ts_key *key = ts_key_at(emit->keys, at);

	key->row = emit->row;
	key->type = (uint8_t)type;
	/* Whoever marked a parent for this row has marked everything above it too. */
	for (uint32_t up = key->parent; up != TS_KEY_ROOT; up = ts_key_at(emit->keys, up)->parent) {
		struct ts_key *parent = ts_key_at(emit->keys, up);

		if (parent->below == emit->row)
			return;
		parent->below = emit->row;
	}
}

static enum ts_status put_cell(struct ts_emit *emit, const struct ts_cell *cell, uint64_t line, struct ts_error *err)
{
	const uint32_t *column = &ts_key_at(emit->keys, cell->key)->column[cell->type];

	if (emit->records > 1 && comes_again(emit, cell, line))
		return TS_OK;
	if (!*column) {
		if (emit->n_columns >= TS_INGEST_COLUMNS_MAX) {
			if (emit->dropped++ == 0)
				emit->dropped_line = line;
			return TS_OK;
		}
		if (find_column(emit, cell, err))
			return err->status;
	}
	note(emit, cell->key, cell->type);
	put(emit, cell, *column - 1);
	return TS_OK;
}

void ts_emit_begin(struct ts_emit *emit, enum ts_table_kind kind, int64_t key)
{
	ts_builder_row(emit->builder, kind, key);
	emit->row++;
	emit->records = 0;
	emit->unnoted = false;
}

/* Most rows are one record with the columns of the row before: puts such a record, and returns false for any other. */
static bool put_usual(struct ts_emit *emit, const struct ts_cell *cells, size_t n)
{
	double values[TS_EMIT_USUAL];

	if (n == 0 || n != emit->n_usual)
		return false;
	for (size_t i = 0; i < n; i++) {
		if (cells[i].key != emit->usual_key[i] || cells[i].type != TS_COLUMN_F64)
			return false;
		values[i] = cells[i].real;
	}
	ts_builder_f64_many(emit->builder, emit->usual_column, values, n);
	emit->unnoted = true;
	return true;
}

/* Only a further record of its step asks which values a row already has. */
static void note_usual(struct ts_emit *emit)
{
	for (size_t i = 0; emit->unnoted && i < emit->n_usual; i++)
		note(emit, emit->usual_key[i], TS_COLUMN_F64);
	emit->unnoted = false;
}

static void learn_usual(struct ts_emit *emit, const struct ts_cell *cells, size_t n)
{
	emit->n_usual = 0;
	if (n > TS_EMIT_USUAL)
		return;
	for (size_t i = 0; i < n; i++) {
		uint32_t column = ts_key_at(emit->keys, cells[i].key)->column[TS_COLUMN_F64];

		if (cells[i].type != TS_COLUMN_F64 || !column)
			return;
		emit->usual_key[i] = cells[i].key;
		emit->usual_column[i] = column - 1;
	}
	emit->n_usual = n;
}

enum ts_status ts_emit_record(struct ts_emit *emit, const struct ts_cell *cells, size_t n, uint64_t line, struct ts_error *err)
{
	if (emit->records++ == 0 && put_usual(emit, cells, n))
		return TS_OK;
	note_usual(emit);
	for (size_t i = 0; i < n; i++)
		if (cells[i].type && put_cell(emit, &cells[i], line, err))
			return err->status;
	if (emit->records == 1)
		learn_usual(emit, cells, n);
	return TS_OK;
}

static bool is_time(const struct ts_emit *emit, const struct ts_cell *cell)
{
	const struct ts_key *key = ts_key_at(emit->keys, cell->key);

	return key->parent == TS_KEY_ROOT && ts_span_is(key->text, "timestamp");
}

enum ts_status ts_emit_late(struct ts_emit *emit, struct ts_cell *cells, size_t n, uint64_t line, struct ts_error *err)
{
	struct ts_cell *time = NULL;
	bool replaces = false;

	note_usual(emit);
	for (size_t i = 0; i < n; i++) {
		bool again = cells[i].type && ts_key_at(emit->keys, cells[i].key)->row == emit->row;

		if (again && is_time(emit, &cells[i]))
			time = &cells[i];
		else
			replaces |= again;
	}
	if (time && !replaces)
		time->type = 0;
	return ts_emit_record(emit, cells, n, line, err);
}

enum ts_status ts_emit_end(struct ts_emit *emit, enum ts_table_kind kind, int64_t step, int64_t segment, struct ts_error *err)
{
	if (segment >= 0 && ts_own_segment(&emit->own, emit->builder, emit->facts, (uint64_t)segment, err))
		return err->status;
	if (kind == TS_TABLE_SUPERSEDED && ts_own_step(&emit->own, emit->builder, emit->facts, step, err))
		return err->status;
	return ts_builder_row_end(emit->builder, err);
}

enum ts_status ts_emit_row(struct ts_emit *emit, const struct ts_record *record, enum ts_table_kind kind, int64_t key, uint64_t line,
			   struct ts_error *err)
{
	ts_emit_begin(emit, kind, key);
	return ts_emit_record(emit, record->cells, record->n, line, err) ? err->status : ts_emit_end(emit, kind, record->step, -1, err);
}

enum ts_status ts_emit_rows(struct ts_emit *emit, enum ts_table_kind kind, const struct ts_stretch_rows *rows, size_t n,
			    struct ts_error *err)
{
	struct ts_builder_rows_in in = {
		.kind = kind,
		.keys = rows->steps,
		.n = n,
		.columns = emit->usual_column,
		.values = rows->values,
		.n_columns = emit->n_usual,
		.stride = rows->stride,
	};

	emit->row += n;
	return ts_builder_number_rows(emit->builder, &in, err);
}

static void tell_repeated(const struct ts_emit *emit, struct ts_notices *notices, struct ts_span file)
{
	char detail[160];

	if (!emit->repeated)
		return;
	(void)snprintf(detail, sizeof detail, "%" PRIu64 " values came again in a further record of their step: the last one counts",
		       emit->repeated);
	ts_notice_add(notices, "repeated_value", TS_NOTICE_SKIPPED, file, emit->repeated_line, detail);
}

void ts_emit_tell_dropped(const struct ts_emit *emit, struct ts_notices *notices, struct ts_span file)
{
	char detail[160];

	tell_repeated(emit, notices, file);
	if (!emit->dropped)
		return;
	(void)snprintf(detail, sizeof detail, "%" PRIu64 " values were left out, because a rank has at most %d",
		       emit->dropped, TS_INGEST_COLUMNS_MAX);
	ts_notice_add(notices, "too_many_columns", TS_NOTICE_SKIPPED, file, emit->dropped_line, detail);
}
