#include "run/snapshot_columns.h"

#include "base/alloc.h"
#include "base/door.h"
#include "run/file_columns.h"
#include "run/head.h"
#include "run/run_index.h"

enum { BATCH = TS_FILE_COLUMNS_BATCH, FIELDS_MAX = 16 };

/* More rows than that no snapshot has: torch keeps 2^20 events of a device unless it is told otherwise. */
static const uint64_t rows_max = UINT64_C(1) << 25;

enum cell {
	CELL_64,
	CELL_32,
	CELL_16,
	CELL_8,
	CELL_FLAG,
	CELL_TEXT,  /* the number of a text, which is one less than that of its name; none is the empty name */
	CELL_STACK, /* the number of a stack and 1; 0: none */
	CELL_FRAME,
};

struct field {
	const char *name;
	size_t offset;
	enum cell cell;
	bool optional; /* of 64 bits: not written where all rows have UINT64_MAX, which is what a missing one is */
};

/* What stands in no table, and settings, whose texts are not among those of the snapshot. */
struct about {
	uint64_t texts, passed, pickle_bytes, trailing_bytes;
	bool traced;
};

struct setting {
	uint32_t name, value; /* names */
};

struct table {
	enum ts_table_kind kind;
	size_t row; /* bytes */
	struct field fields[FIELDS_MAX];
};

#define F(type, member, cell)                                                                                                          \
	{                                                                                                                              \
#member, offsetof(struct type, member), cell, false                                                                    \
	}
#define PAIR(type, member, i, optional)                                                                                                \
	{                                                                                                                              \
#member "_" #i, offsetof(struct type, member) + (i) * sizeof(uint64_t), CELL_64, optional                              \
	}
static const struct table tables[] = {
	{TS_TABLE_SNAPSHOT_FRAMES,
	 sizeof(struct ts_snapshot_frame),
	 {F(ts_snapshot_frame, file, CELL_TEXT), F(ts_snapshot_frame, function, CELL_TEXT), F(ts_snapshot_frame, line, CELL_32)}},
	{TS_TABLE_SNAPSHOT_STACKS,
	 sizeof(struct ts_snapshot_stack),
	 {F(ts_snapshot_stack, first, CELL_64), F(ts_snapshot_stack, n, CELL_32)}},
	{TS_TABLE_SNAPSHOT_STACK_FRAMES, sizeof(uint32_t), {{"frame", 0, CELL_FRAME, false}}},
	{TS_TABLE_SNAPSHOT_SEGMENTS,
	 sizeof(struct ts_snapshot_segment),
	 {F(ts_snapshot_segment, address, CELL_64), F(ts_snapshot_segment, total, CELL_64), F(ts_snapshot_segment, allocated, CELL_64),
	  F(ts_snapshot_segment, active, CELL_64), F(ts_snapshot_segment, requested, CELL_64), F(ts_snapshot_segment, stream, CELL_64),
	  PAIR(ts_snapshot_segment, pool, 0, false), PAIR(ts_snapshot_segment, pool, 1, false),
	  F(ts_snapshot_segment, first_block, CELL_64), F(ts_snapshot_segment, n_blocks, CELL_32),
	  F(ts_snapshot_segment, stack, CELL_STACK), F(ts_snapshot_segment, device, CELL_16), F(ts_snapshot_segment, small, CELL_FLAG),
	  F(ts_snapshot_segment, expandable, CELL_FLAG)}},
	{TS_TABLE_SNAPSHOT_BLOCKS,
	 sizeof(struct ts_snapshot_block),
	 {F(ts_snapshot_block, address, CELL_64), F(ts_snapshot_block, size, CELL_64), F(ts_snapshot_block, requested, CELL_64),
	  F(ts_snapshot_block, stack, CELL_STACK), F(ts_snapshot_block, state, CELL_8)}},
	{TS_TABLE_SNAPSHOT_EVENTS,
	 sizeof(struct ts_snapshot_event),
	 {F(ts_snapshot_event, address, CELL_64), F(ts_snapshot_event, size, CELL_64), F(ts_snapshot_event, stream, CELL_64),
	  F(ts_snapshot_event, time_us, CELL_64), F(ts_snapshot_event, stack, CELL_STACK), F(ts_snapshot_event, context, CELL_TEXT),
	  F(ts_snapshot_event, metadata, CELL_TEXT), F(ts_snapshot_event, action, CELL_8), PAIR(ts_snapshot_event, pool, 0, true),
	  PAIR(ts_snapshot_event, pool, 1, true)}},
	{TS_TABLE_SNAPSHOT_MARKS,
	 sizeof(struct ts_snapshot_mark),
	 {F(ts_snapshot_mark, time_us, CELL_64), F(ts_snapshot_mark, name, CELL_TEXT), F(ts_snapshot_mark, stage, CELL_TEXT),
	  F(ts_snapshot_mark, device, CELL_16)}},
	{TS_TABLE_SNAPSHOT_SETTINGS, sizeof(struct setting), {F(setting, name, CELL_32), F(setting, value, CELL_32)}},
	{TS_TABLE_SNAPSHOT_UNKNOWN,
	 sizeof(struct ts_snapshot_unknown),
	 {F(ts_snapshot_unknown, key, CELL_TEXT),
	  F(ts_snapshot_unknown, n, CELL_64),
	  {"at", offsetof(struct ts_snapshot_unknown, at), CELL_64, true}}},
	{TS_TABLE_SNAPSHOT_DEVICES,
	 sizeof(struct ts_snapshot_device),
	 {F(ts_snapshot_device, first_event, CELL_64), F(ts_snapshot_device, n_events, CELL_64)}},
	{TS_TABLE_SNAPSHOT_ABOUT,
	 sizeof(struct about),
	 {F(about, texts, CELL_64), F(about, passed, CELL_64), F(about, pickle_bytes, CELL_64), F(about, trailing_bytes, CELL_64),
	  F(about, traced, CELL_FLAG)}},
};
enum { TABLES = sizeof tables / sizeof tables[0] };
_Static_assert(sizeof(size_t) == sizeof(uint64_t), "counts are stored as 64 bits");

static size_t n_fields(const struct table *t)
{
	size_t n = 0;

	while (n < FIELDS_MAX && t->fields[n].name)
		n++;
	return n;
}

/* --- writing --- */

static uint64_t word_of(const uint8_t *cell, enum cell kind)
{
	uint64_t wide;
	uint32_t number;
	uint16_t half;

	switch (kind) {
	case CELL_64:
		memcpy(&wide, cell, sizeof wide);
		return wide;
	case CELL_16:
		memcpy(&half, cell, sizeof half);
		return half;
	case CELL_8:
	case CELL_FLAG:
		return *cell;
	case CELL_32:
	case CELL_FRAME:
	case CELL_TEXT:
	case CELL_STACK:
		break;
	}
	memcpy(&number, cell, sizeof number);
	/* TS_SNAPSHOT_NONE becomes 0. */
	return kind == CELL_TEXT || kind == CELL_STACK ? (uint32_t)(number + 1) : number;
}

struct writing {
	struct ts_builder *b;
	uint64_t *cells; /* a batch, column by column */
	int64_t keys[BATCH];
};

static bool is_said(const struct table *t, const struct field *field, const uint8_t *rows, size_t n)
{
	bool said = !field->optional;

	for (size_t i = 0; !said && i < n; i++)
		said = word_of(rows + i * t->row + field->offset, field->cell) != UINT64_MAX;
	return said;
}

static enum ts_status put_table(struct writing *w, const struct table *t, const void *rows, size_t n, struct ts_error *err)
{
	const struct field *fields[FIELDS_MAX];
	uint32_t columns[FIELDS_MAX];
	struct ts_builder_rows_in in = {.kind = t->kind, .keys = w->keys, .columns = columns, .values = w->cells, .stride = BATCH};

	for (size_t i = 0; i < n_fields(t); i++) {
		if (!is_said(t, &t->fields[i], rows, n))
			continue;
		fields[in.n_columns] = &t->fields[i];
		if (ts_builder_column(w->b, ts_span_str(t->fields[i].name), TS_COLUMN_U64, &columns[in.n_columns++], err))
			return err->status;
	}
	if (n > rows_max)
		return ts_error_set(err, TS_TOO_LARGE, "more than %" PRIu64 " %s", rows_max, ts_table_word(t->kind));
	for (size_t from = 0; from < n; from += in.n) {
		in.n = n - from < BATCH ? n - from : BATCH;
		for (size_t i = 0; i < in.n; i++) {
			const uint8_t *row = (const uint8_t *)rows + (from + i) * t->row;

			w->keys[i] = (int64_t)(from + i);
			for (size_t f = 0; f < in.n_columns; f++)
				w->cells[f * BATCH + i] = word_of(row + fields[f]->offset, fields[f]->cell);
		}
		if (ts_builder_number_rows(w->b, &in, err))
			return err->status;
	}
	return TS_OK;
}

static enum ts_status put_tables(struct writing *w, const struct ts_snapshot *s, const struct setting *settings, struct ts_error *err)
{
	const struct about about = {.texts = s->n_texts,
				    .passed = s->n_passed,
				    .pickle_bytes = s->pickle_bytes,
				    .trailing_bytes = s->trailing_bytes,
				    .traced = s->traced};
	/* In the order of `tables`. */
	const struct {
		const void *rows;
		size_t n;
	} of[TABLES] = {{s->frames, s->n_frames},
			{s->stacks, s->n_stacks},
			{s->stack_frames, s->n_stack_frames},
			{s->segments, s->n_segments},
			{s->blocks, s->n_blocks},
			{s->events, s->n_events},
			{s->marks, s->n_marks},
			{settings, s->n_settings},
			{s->unknown, s->n_unknown},
			{s->devices, s->n_devices},
			{&about, 1}};

	for (size_t i = 0; i < TABLES; i++)
		if (put_table(w, &tables[i], of[i].rows, of[i].n, err))
			return err->status;
	return TS_OK;
}

static enum ts_status put_all(struct writing *w, const struct ts_snapshot *s, struct setting *settings, struct ts_error *err)
{
	struct ts_names_out names;

	if (ts_names_begin(&names, w->b, err))
		return err->status;
	ts_names_put(&names, ts_span_str(""));
	for (size_t i = 0; i < s->n_texts && !names.failed; i++)
		ts_names_put(&names, s->texts[i]);
	for (size_t i = 0; i < s->n_settings && !names.failed; i++) {
		settings[i].name = ts_names_number(&names, s->settings[i].name);
		settings[i].value = ts_names_number(&names, s->settings[i].value);
	}
	return names.failed ? err->status : put_tables(w, s, settings, err);
}

enum ts_status ts_snapshot_columns_write(const struct ts_snapshot *snapshot, ts_object_sink *sink, void *ctx, struct ts_id *ret_index,
					 struct ts_error *err)
{
	struct writing *w = ts_alloc_array(1, sizeof *w);
	struct setting *settings = ts_alloc_array(snapshot->n_settings + 1, sizeof *settings);
	enum ts_status status = TS_OK;

	TS_DOOR(ts_snapshot_holds(snapshot));
	if (w)
		w->cells = ts_alloc_array((size_t)BATCH * FIELDS_MAX, sizeof *w->cells);
	if (!w || !w->cells || !settings)
		status = ts_error_set(err, TS_NO_MEMORY, "out of memory for the columns of a snapshot");
	if (!status)
		status = ts_builder_create(TS_RANK_JOB, sink, ctx, &w->b, err);
	if (!status) {
		status = put_all(w, snapshot, settings, err);
		if (!status)
			status = ts_builder_finish(w->b, NULL, ret_index, err);
		ts_builder_destroy(w->b);
	}
	if (w)
		ts_free(w->cells);
	ts_free(w);
	ts_free(settings);
	return status;
}

/* --- loading --- */

struct loading {
	struct ts_columns_in in;
	uint64_t texts, stacks, frames; /* how many there are, for what refers to them */
};

/* Puts the word into the cell; false: no cell of this kind can have it. */
static bool put_word(const struct loading *l, uint8_t *cell, enum cell kind, uint64_t word)
{
	uint32_t number = (uint32_t)word;
	uint16_t half = (uint16_t)word;
	bool fits = word <= UINT32_MAX;

	switch (kind) {
	case CELL_64:
		memcpy(cell, &word, sizeof word);
		return true;
	case CELL_16:
		memcpy(cell, &half, sizeof half);
		return word <= UINT16_MAX;
	case CELL_8:
		*cell = (uint8_t)word;
		return word <= UINT8_MAX;
	case CELL_FLAG:
		*cell = word == 1;
		return word <= 1;
	case CELL_TEXT:
		fits = word <= l->texts;
		number--;
		break;
	case CELL_STACK:
		fits = word <= l->stacks;
		number--;
		break;
	case CELL_FRAME:
		fits = word < l->frames;
		break;
	case CELL_32:
		break;
	}
	memcpy(cell, &number, sizeof number);
	return fits;
}

static enum ts_status load_field(struct loading *l, const struct ts_table *from, const struct table *t, const struct field *field,
				 uint8_t *rows, struct ts_error *err)
{
	const struct ts_column *column = ts_columns_column(from, field->name, TS_COLUMN_U64);
	size_t at = 0;
	bool fits = true;

	if (!column && !field->optional)
		return ts_columns_damaged(t->kind, "a column is missing", err);
	for (; !column && at < from->rows; at++)
		(void)put_word(l, rows + at * t->row + field->offset, field->cell, UINT64_MAX);
	if (!column)
		return TS_OK;
	for (size_t b = 0; b < from->n_blocks; b++) {
		if (ts_columns_words(&l->in, &column->blocks[b], from->blocks[b].rows, TS_COLUMN_U64, err))
			return err->status;
		for (size_t i = 0; i < from->blocks[b].rows; i++, at++)
			fits &= put_word(l, rows + at * t->row + field->offset, field->cell, l->in.words[i]);
	}
	return fits ? TS_OK : ts_columns_damaged(t->kind, "a number that is not possible", err);
}

static enum ts_status load_table(struct loading *l, size_t which, void *ret_rows, size_t *ret_n, struct ts_error *err)
{
	const struct table *t = &tables[which];
	const struct ts_table *from = NULL;
	uint8_t *rows;

	if (ts_columns_table(&l->in, t->kind, rows_max, &from, err))
		return err->status;
	*ret_n = from ? (size_t)from->rows : 0;
	rows = ts_arena_array(l->in.arena, *ret_n, t->row);
	if (!rows)
		return ts_arena_error(l->in.arena, err);
	for (size_t i = 0; from && i < n_fields(t); i++)
		if (load_field(l, from, t, &t->fields[i], rows, err))
			return err->status;
	memcpy(ret_rows, &rows, sizeof rows);
	return TS_OK;
}

static enum ts_status load_about(struct loading *l, struct ts_snapshot *s, struct ts_error *err)
{
	struct about *about = NULL;
	size_t n = 0;

	if (load_table(l, TABLES - 1, &about, &n, err))
		return err->status;
	if (n != 1 || about->texts >= l->in.n_names)
		return ts_columns_damaged(TS_TABLE_SNAPSHOT_ABOUT, "not one row, or fewer texts than it says", err);
	s->texts = l->in.names + 1;
	s->n_texts = (size_t)about->texts;
	s->n_passed = about->passed;
	s->pickle_bytes = about->pickle_bytes;
	s->trailing_bytes = about->trailing_bytes;
	s->traced = about->traced;
	l->texts = about->texts;
	return TS_OK;
}

static enum ts_status load_settings(struct loading *l, struct ts_snapshot *s, struct ts_error *err)
{
	struct ts_snapshot_setting *settings;
	struct setting *rows = NULL;

	if (load_table(l, 7, &rows, &s->n_settings, err))
		return err->status;
	settings = ts_arena_array(l->in.arena, s->n_settings, sizeof *settings);
	if (!settings)
		return ts_arena_error(l->in.arena, err);
	for (size_t i = 0; i < s->n_settings; i++) {
		if (rows[i].name >= l->in.n_names || rows[i].value >= l->in.n_names)
			return ts_columns_damaged(TS_TABLE_SNAPSHOT_SETTINGS, "a text that is not there", err);
		settings[i] = (struct ts_snapshot_setting){.name = l->in.names[rows[i].name], .value = l->in.names[rows[i].value]};
	}
	s->settings = settings;
	return TS_OK;
}

static bool within(uint64_t first, uint64_t n, uint64_t all)
{
	return first <= all && n <= all - first;
}

/* What the tables say of each other. */
static enum ts_status check(const struct ts_snapshot *s, struct ts_error *err)
{
	bool holds = true;

	for (size_t i = 0; i < s->n_stacks; i++)
		holds &= s->stacks[i].n > 0 && within(s->stacks[i].first, s->stacks[i].n, s->n_stack_frames);
	for (size_t i = 0; i < s->n_segments; i++)
		holds &= within(s->segments[i].first_block, s->segments[i].n_blocks, s->n_blocks) &&
			 s->segments[i].device < s->n_devices;
	for (size_t i = 0; i < s->n_blocks; i++)
		holds &= s->blocks[i].state <= TS_BLOCK_OTHER;
	for (size_t i = 0; i < s->n_events; i++)
		holds &= s->events[i].action < TS_ACTIONS;
	for (size_t i = 0; i < s->n_devices; i++)
		holds &= within(s->devices[i].first_event, s->devices[i].n_events, s->n_events);
	for (size_t i = 0; i < s->n_unknown; i++)
		holds &= s->unknown[i].key != TS_SNAPSHOT_NONE;
	return holds ? TS_OK : ts_error_set(err, TS_DAMAGED, "rows of a snapshot that do not fit together");
}

static enum ts_status load(struct loading *l, const struct ts_id *id, struct ts_snapshot *s, struct ts_error *err)
{
	if (ts_columns_open(&l->in, id, err) || load_about(l, s, err) || load_table(l, 0, &s->frames, &s->n_frames, err) ||
	    load_table(l, 1, &s->stacks, &s->n_stacks, err))
		return err->status;
	l->frames = s->n_frames;
	l->stacks = s->n_stacks;
	if (load_table(l, 2, &s->stack_frames, &s->n_stack_frames, err) || load_table(l, 3, &s->segments, &s->n_segments, err) ||
	    load_table(l, 4, &s->blocks, &s->n_blocks, err) || load_table(l, 5, &s->events, &s->n_events, err) ||
	    load_table(l, 6, &s->marks, &s->n_marks, err) || load_settings(l, s, err) ||
	    load_table(l, 8, &s->unknown, &s->n_unknown, err) || load_table(l, 9, &s->devices, &s->n_devices, err))
		return err->status;
	return check(s, err);
}

enum ts_status ts_snapshot_columns_load(ts_object_source *get, void *ctx, const struct ts_id *index, struct ts_arena *arena,
					struct ts_snapshot *ret_snapshot, struct ts_error *err)
{
	struct loading l = {.in = {.get = get, .ctx = ctx, .arena = arena}};
	struct ts_snapshot snapshot = {.texts = NULL};
	enum ts_status status = load(&l, index, &snapshot, err);

	ts_columns_close(&l.in);
	if (status)
		return ts_error_prefix(err, "columns of a snapshot");
	*ret_snapshot = snapshot;
	return TS_OK;
}

enum ts_status ts_snapshot_columns_rows(ts_object_source *get, void *ctx, const struct ts_id *index, struct ts_arena *arena,
					uint64_t *ret_rows, struct ts_error *err)
{
	struct ts_index found;
	uint64_t rows = 0;

	if (ts_run_index(get, ctx, index, TS_RANK_JOB, arena, &found, err))
		return err->status;
	for (size_t i = 0; i < found.n_tables; i++)
		if (found.tables[i].kind == TS_TABLE_SNAPSHOT_EVENTS || found.tables[i].kind == TS_TABLE_SNAPSHOT_BLOCKS)
			rows += found.tables[i].rows;
	*ret_rows = rows;
	return TS_OK;
}
