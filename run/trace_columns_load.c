/* trace_columns_load.c - loads the columns of a trace, and trusts nothing of them. */
#include "base/alloc.h"
#include "base/buf.h"
#include "base/limits.h"
#include "base/object.h"
#include "run/block.h"
#include "run/head.h"
#include "run/trace_columns.h"
#include "run/trace_tables.h"

enum { LONGEST_NAME = 256 << 20 };

struct loading {
	ts_object_source *get;
	void *ctx;
	struct ts_index index;
	struct ts_arena work;	/* holds the index */
	struct ts_arena block;	/* one block at a time */
	struct ts_arena *arena; /* what is given back */
	uint64_t *words;	/* of one block */
	struct ts_span *names;
	size_t n_names, n_threads, n_spans;
};

static enum ts_status damaged(enum ts_table_kind kind, const char *what, struct ts_error *err)
{
	return ts_error_set(err, TS_DAMAGED, "%s: %s", ts_table_word(kind), what);
}

static enum ts_status open_index(struct loading *l, struct ts_id id, struct ts_error *err)
{
	bool more = true;

	while (more) {
		struct ts_span object;
		struct ts_id next;

		if (l->get(l->ctx, &id, &l->work, &object, err))
			return err->status;
		if (ts_index_decode(object, &l->work, &l->index, &more, &next, err))
			return ts_object_error(&id, err);
		if (more)
			id = next;
	}
	return l->index.rank == TS_RANK_JOB ? TS_OK : ts_error_set(err, TS_DAMAGED, "the columns of a file have a rank");
}

/* The table of this kind, which has its rows from key 0 on; *ret is NULL if there is none. */
static enum ts_status table_of(const struct loading *l, enum ts_table_kind kind, const struct ts_table **ret, struct ts_error *err)
{
	const struct ts_table *found = NULL;
	int64_t key = 0;

	for (size_t t = 0; t < l->index.n_tables; t++) {
		if (l->index.tables[t].kind != kind)
			continue;
		if (found)
			return damaged(kind, "rows that do not all have the same columns", err);
		found = &l->index.tables[t];
	}
	for (size_t b = 0; found && b < found->n_blocks; b++) {
		if (found->blocks[b].first_key != key || found->blocks[b].last_key != key + (int64_t)found->blocks[b].rows - 1)
			return damaged(kind, "rows are missing", err);
		key += (int64_t)found->blocks[b].rows;
	}
	if (key > (int64_t)TS_TRACE_ROWS_MAX)
		return ts_error_set(err, TS_TOO_LARGE, "%s: %" PRId64 " rows, and the limit is %" PRIu64, ts_table_word(kind), key,
				    TS_TRACE_ROWS_MAX);
	*ret = found;
	return TS_OK;
}

static const struct ts_column *column_of(const struct ts_table *table, const char *name, enum ts_column_type type)
{
	for (size_t i = 0; i < table->n_columns; i++)
		if (table->columns[i].type == type && ts_span_is(table->columns[i].name, name))
			return &table->columns[i];
	return NULL;
}

static enum ts_status get_block(struct loading *l, const struct ts_id *id, struct ts_arena *arena, struct ts_span *ret_object,
				struct ts_error *err)
{
	return l->get(l->ctx, id, arena, ret_object, err);
}

static enum ts_status read_words(struct loading *l, const struct ts_id *id, size_t rows, enum ts_column_type type, struct ts_error *err)
{
	struct ts_span object;
	enum ts_status status;

	ts_arena_reset(&l->block);
	if (get_block(l, id, &l->block, &object, err))
		return err->status;
	/* The bits of a double are read through the same 8 bytes: the code is built with -fno-strict-aliasing. */
	status = type == TS_COLUMN_F64 ? ts_block_f64_decode(object, rows, (double *)(void *)l->words, err)
				       : ts_block_u64_decode(object, rows, l->words, err);
	return status ? ts_object_error(id, err) : TS_OK;
}

/* --- names --- */

/* A text that goes on in further rows is gathered in `begun` until its last. */
static enum ts_status take_names(struct loading *l, const struct ts_span *texts, size_t rows, struct ts_buf *begun,
				 struct ts_error *err)
{
	for (size_t i = 0; i < rows; i++) {
		bool more = l->words[i] != 0, whole = !more && !begun->len;

		if (!whole)
			ts_buf_span(begun, texts[i]);
		if (ts_buf_check(begun, err))
			return err->status;
		if (more)
			continue;
		l->names[l->n_names] = whole ? texts[i] : ts_arena_span(l->arena, ts_buf_view(begun));
		if (!whole && !l->names[l->n_names].data)
			return ts_arena_error(l->arena, err);
		l->n_names++;
		ts_buf_reset(begun);
	}
	return TS_OK;
}

static enum ts_status load_name_blocks(struct loading *l, const struct ts_table *table, const struct ts_id *text,
				       const struct ts_id *more, struct ts_buf *begun, struct ts_error *err)
{
	struct ts_span *texts = ts_arena_array(&l->work, TS_BLOCK_ROWS_MAX, sizeof *texts);

	if (!texts)
		return ts_arena_error(&l->work, err);
	for (size_t b = 0; b < table->n_blocks; b++) {
		struct ts_span object;

		if (get_block(l, &text[b], l->arena, &object, err))
			return err->status;
		if (ts_block_text_decode(object, table->blocks[b].rows, l->arena, texts, err))
			return ts_object_error(&text[b], err);
		if (read_words(l, &more[b], table->blocks[b].rows, TS_COLUMN_U64, err) ||
		    take_names(l, texts, table->blocks[b].rows, begun, err))
			return err->status;
	}
	return !l->n_names || l->names[0].len || begun->len
		       ? damaged(TS_TABLE_NAMES, "the first is not empty, or the last has no end", err)
		       : TS_OK;
}

static enum ts_status load_names(struct loading *l, struct ts_error *err)
{
	const struct ts_table *table = NULL;
	const struct ts_column *text, *more;
	struct ts_buf begun = TS_BUF_INIT(LONGEST_NAME);
	enum ts_status status;

	if (table_of(l, TS_TABLE_NAMES, &table, err))
		return err->status;
	text = table ? column_of(table, "text", TS_COLUMN_TEXT) : NULL;
	more = table ? column_of(table, "more", TS_COLUMN_U64) : NULL;
	if (!text || !more)
		return damaged(TS_TABLE_NAMES, "there are none", err);
	l->names = ts_arena_array(l->arena, (size_t)table->rows, sizeof *l->names);
	if (!l->names)
		return ts_arena_error(l->arena, err);
	status = load_name_blocks(l, table, text->blocks, more->blocks, &begun, err);
	ts_buf_finish(&begun);
	return status;
}

/* --- rows --- */

/* What a cell has that its trace did not store, because it is of an older version. */
static void fill_unsaid(enum ts_trace_cell cell, void *cells, size_t n)
{
	for (size_t i = 0; i < n && cell == TS_CELL_int64_t; i++)
		((int64_t *)cells)[i] = TS_TRACE_NONE;
	for (size_t i = 0; i < n && cell == TS_CELL_int32_t; i++)
		((int32_t *)cells)[i] = TS_TRACE_NO_DEVICE;
	for (size_t i = 0; i < n && cell == TS_CELL_double; i++)
		((double *)cells)[i] = __builtin_nan("");
	if (cell != TS_CELL_int64_t && cell != TS_CELL_int32_t && cell != TS_CELL_double)
		memset(cells, 0, n * ts_trace_cell_size(cell));
}

/* Numbers from the words of a block; false: one does not fit. */
static bool take_numbers(const uint64_t *words, size_t n, uint32_t below, uint32_t *out)
{
	bool fits = true;

	for (size_t i = 0; i < n; i++) {
		fits &= words[i] < below;
		out[i] = (uint32_t)words[i];
	}
	return fits;
}

static bool take_i32(const uint64_t *words, size_t n, int32_t *out)
{
	bool fits = true;

	for (size_t i = 0; i < n; i++) {
		out[i] = (int32_t)(uint32_t)words[i];
		fits &= (uint64_t)(int64_t)out[i] == words[i];
	}
	return fits;
}

static bool take_u8(const uint64_t *words, size_t n, uint8_t *out)
{
	bool fits = true;

	for (size_t i = 0; i < n; i++) {
		out[i] = (uint8_t)words[i];
		fits &= words[i] <= UINT8_MAX;
	}
	return fits;
}

static bool take_cells(const struct loading *l, enum ts_trace_cell cell, size_t at, size_t n, void *cells)
{
	switch (cell) {
	case TS_CELL_int32_t:
		return take_i32(l->words, n, (int32_t *)cells + at);
	case TS_CELL_uint8_t:
		return take_u8(l->words, n, (uint8_t *)cells + at);
	case TS_CELL_ts_trace_name_no:
		return take_numbers(l->words, n, (uint32_t)l->n_names, (uint32_t *)cells + at);
	case TS_CELL_ts_trace_thread_no:
		return take_numbers(l->words, n, (uint32_t)l->n_threads, (uint32_t *)cells + at);
	case TS_CELL_ts_trace_span_no:
		return take_numbers(l->words, n, (uint32_t)l->n_spans, (uint32_t *)cells + at);
	case TS_CELL_int64_t:
	case TS_CELL_double:
		break;
	}
	memcpy((uint64_t *)cells + at, l->words, n * sizeof *l->words);
	return true;
}

static enum ts_status load_view(struct loading *l, const struct ts_table *table, const struct ts_trace_view *view, struct ts_error *err)
{
	enum ts_column_type type = ts_trace_cell_type(view->cell);
	const struct ts_column *column = column_of(table, view->name, type);
	void *cells = ts_alloc_array((size_t)table->rows, ts_trace_cell_size(view->cell));
	size_t at = 0;

	if (!cells)
		return ts_error_set(err, TS_NO_MEMORY, "out of memory for the columns of a trace");
	ts_trace_view_set(view, cells);
	if (!column) {
		fill_unsaid(view->cell, cells, (size_t)table->rows);
		return TS_OK;
	}
	for (size_t b = 0; b < table->n_blocks; at += table->blocks[b++].rows) {
		if (read_words(l, &column->blocks[b], table->blocks[b].rows, type, err))
			return err->status;
		if (!take_cells(l, view->cell, at, table->blocks[b].rows, cells))
			return ts_error_set(err, TS_DAMAGED, "%s, column %s, block %zu: a number that is not possible",
					    ts_table_word(table->kind), view->name, b);
	}
	return TS_OK;
}

static enum ts_status load_part(struct loading *l, const struct ts_trace_part *part, struct ts_error *err)
{
	const struct ts_table *table = NULL;

	if (table_of(l, part->kind, &table, err))
		return err->status;
	if (!table || !table->n_columns)
		return TS_OK;
	for (size_t i = 0; i < part->n_views; i++)
		if (load_view(l, table, &part->views[i], err))
			return err->status;
	*part->n = (size_t)table->rows;
	return TS_OK;
}

static enum ts_status load_rows(struct loading *l, struct ts_trace_rows *rows, struct ts_error *err)
{
	struct ts_trace_part parts[TS_TRACE_PARTS];
	size_t n = ts_trace_row_parts(rows, parts);

	for (size_t i = 0; i < n; i++) {
		if (load_part(l, &parts[i], err))
			return err->status;
		if (parts[i].kind == TS_TABLE_SPANS)
			l->n_spans = *parts[i].n;
	}
#define CAP_IS_N(table, member, columns) rows->member.cap = rows->member.n;
	TS_TRACE_TABLES(CAP_IS_N)
	return TS_OK;
}

/* --- what stands beside the rows --- */

static enum ts_status give_threads(struct loading *l, const struct ts_trace_side_threads *side, struct ts_trace *trace,
				   struct ts_error *err)
{
	struct ts_trace_thread *threads = ts_arena_array(l->arena, side->n, sizeof *threads);

	if (!threads)
		return ts_arena_error(l->arena, err);
	for (size_t i = 0; i < side->n; i++) {
#define TO_THREAD(type, column) threads[i].column = side->column[i];
		TS_TRACE_THREAD_COLUMNS(TO_THREAD)
	}
	trace->threads = threads;
	trace->n_threads = side->n;
	return TS_OK;
}

static void give_devices(const struct loading *l, const struct ts_trace_side_devices *side, struct ts_trace_about *about)
{
	for (size_t i = 0; i < side->n; i++)
		about->devices[about->n_devices++] = (struct ts_trace_device){.id = side->id[i],
									      .name = l->names[side->name[i]],
									      .memory_bytes = side->memory_bytes[i],
									      .multiprocessors = side->multiprocessors[i]};
}

static enum ts_status give_record(struct loading *l, const struct ts_trace_side *side, struct ts_trace_record *record,
				  struct ts_error *err)
{
	record->notices = ts_arena_array(l->arena, side->notices.n, sizeof *record->notices);
	if (!record->notices)
		return ts_arena_error(l->arena, err);
	for (size_t i = 0; i < side->notices.n; i++) {
		struct ts_span code = ts_arena_span(l->arena, l->names[side->notices.code[i]]);

		if (!code.data)
			return ts_arena_error(l->arena, err);
		record->notices[record->n_notices++] = (struct ts_trace_notice){.code = (const char *)code.data,
										.skipped = side->notices.skipped[i],
										.count = (uint64_t)side->notices.count[i],
										.detail = l->names[side->notices.detail[i]]};
	}
	record->events = (uint64_t)side->about.events[0];
	record->bytes = (uint64_t)side->about.bytes[0];
	record->cut = side->about.cut[0];
	return TS_OK;
}

static enum ts_status give_about(struct loading *l, const struct ts_trace_side *side, struct ts_trace_about *about,
				 struct ts_error *err)
{
	const struct ts_trace_side_about *row = &side->about;

	*about = (struct ts_trace_about){
		.schema = row->schema[0],
		.base_ns = row->base_ns[0],
		.rank = row->rank[0],
		.world_size = row->world_size[0],
		.backend = l->names[row->backend[0]],
		.trace_name = l->names[row->trace_name[0]],
		.trace_id = l->names[row->trace_id[0]],
		.devices = ts_arena_array(l->arena, side->devices.n, sizeof *about->devices),
		.said = ts_arena_array(l->arena, side->said.n, sizeof *about->said),
	};
	if (!about->devices || !about->said)
		return ts_arena_error(l->arena, err);
	give_devices(l, &side->devices, about);
	for (size_t i = 0; i < side->said.n; i++)
		about->said[about->n_said++] =
			(struct ts_trace_said){.key = l->names[side->said.key[i]], .json = l->names[side->said.json[i]]};
	return TS_OK;
}

static enum ts_status load_side(struct loading *l, struct ts_trace *trace, struct ts_trace_record *record, struct ts_error *err)
{
	struct ts_trace_side side = {.threads = {.n = 0}};
	struct ts_trace_part parts[TS_TRACE_PARTS];
	size_t n = ts_trace_side_parts(&side, parts);
	enum ts_status status = TS_OK;

	for (size_t i = 0; i < n && !status; i++)
		status = load_part(l, &parts[i], err);
	if (!status && side.about.n != 1)
		status = damaged(TS_TABLE_ABOUT, "there is not one row", err);
	if (!status)
		status = give_threads(l, &side.threads, trace, err);
	if (!status)
		status = give_about(l, &side, &trace->about, err);
	if (!status)
		status = give_record(l, &side, record, err);
	ts_trace_side_finish(&side);
	return status;
}

static enum ts_status load(struct loading *l, const struct ts_id *id, bool rows, struct ts_trace *trace, struct ts_trace_record *record,
			   struct ts_error *err)
{
	l->words = ts_arena_array(&l->work, TS_BLOCK_ROWS_MAX, sizeof *l->words);
	if (!l->words)
		return ts_arena_error(&l->work, err);
	if (open_index(l, *id, err) || load_names(l, err) || load_side(l, trace, record, err))
		return err->status;
	trace->names = l->names;
	trace->n_names = l->n_names;
	l->n_threads = trace->n_threads;
	if (!rows)
		return TS_OK;
	return load_rows(l, &trace->rows, err) ? err->status : ts_trace_check(trace, err);
}

static enum ts_status load_with(struct loading *l, const struct ts_id *id, bool rows, struct ts_trace *ret_trace,
				struct ts_trace_record *ret_record, struct ts_error *err)
{
	struct ts_trace trace = {.names = NULL};
	struct ts_trace_record record = {.events = 0};
	enum ts_status status;

	ts_arena_init(&l->work, TS_ANALYSIS_ARENA);
	ts_arena_init(&l->block, 16 * (size_t)TS_OBJECT_MAX);
	status = load(l, id, rows, &trace, &record, err);
	ts_arena_finish(&l->block);
	ts_arena_finish(&l->work);
	if (status) {
		ts_trace_finish(&trace);
		return ts_error_prefix(err, "columns of a trace");
	}
	*ret_trace = trace;
	*ret_record = record;
	return TS_OK;
}

enum ts_status ts_trace_columns_load(ts_object_source *get, void *ctx, const struct ts_id *index, struct ts_arena *arena,
				     struct ts_trace *ret_trace, struct ts_trace_record *ret_record, struct ts_error *err)
{
	struct loading l = {.get = get, .ctx = ctx, .arena = arena};

	return load_with(&l, index, true, ret_trace, ret_record, err);
}

enum ts_status ts_trace_columns_about(ts_object_source *get, void *ctx, const struct ts_id *index, struct ts_arena *arena,
				      struct ts_trace_about *ret_about, struct ts_trace_record *ret_record, struct ts_error *err)
{
	struct loading l = {.get = get, .ctx = ctx, .arena = arena};
	struct ts_trace trace;

	if (load_with(&l, index, false, &trace, ret_record, err))
		return err->status;
	*ret_about = trace.about;
	return TS_OK;
}
