/* trace_columns_load.c - loads the columns of a trace, and trusts nothing of them. */
#include "base/alloc.h"
#include "base/limits.h"
#include "run/file_columns.h"
#include "run/trace_columns.h"
#include "run/trace_tables.h"

struct loading {
	struct ts_columns_in in;
	size_t n_threads, n_spans;
	uint64_t bytes; /* of the rows so far */
};

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
		return take_i32(l->in.words, n, (int32_t *)cells + at);
	case TS_CELL_uint8_t:
		return take_u8(l->in.words, n, (uint8_t *)cells + at);
	case TS_CELL_ts_trace_name_no:
		return take_numbers(l->in.words, n, (uint32_t)l->in.n_names, (uint32_t *)cells + at);
	case TS_CELL_ts_trace_thread_no:
		return take_numbers(l->in.words, n, (uint32_t)l->n_threads, (uint32_t *)cells + at);
	case TS_CELL_ts_trace_span_no:
		return take_numbers(l->in.words, n, (uint32_t)l->n_spans, (uint32_t *)cells + at);
	case TS_CELL_int64_t:
	case TS_CELL_double:
		break;
	}
	memcpy((uint64_t *)cells + at, l->in.words, n * sizeof *l->in.words);
	return true;
}

static enum ts_status load_view(struct loading *l, const struct ts_table *table, const struct ts_trace_view *view, struct ts_error *err)
{
	enum ts_column_type type = ts_trace_cell_type(view->cell);
	const struct ts_column *column = ts_columns_column(table, view->name, type);
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
		if (ts_columns_words(&l->in, &column->blocks[b], table->blocks[b].rows, type, err))
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

	if (ts_columns_table(&l->in, part->kind, TS_TRACE_ROWS_MAX, &table, err))
		return err->status;
	if (!table || !table->n_columns)
		return TS_OK;
	l->bytes += table->rows * ts_trace_part_row(part);
	if (l->bytes > TS_TRACE_BYTES_MAX)
		return ts_error_set(err, TS_TOO_LARGE, "more than %" PRIu64 " GiB of columns", TS_TRACE_BYTES_MAX >> 30);
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
	struct ts_trace_thread *threads = ts_arena_array(l->in.arena, side->n, sizeof *threads);

	if (!threads)
		return ts_arena_error(l->in.arena, err);
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
									      .name = l->in.names[side->name[i]],
									      .memory_bytes = side->memory_bytes[i],
									      .multiprocessors = side->multiprocessors[i]};
}

static enum ts_status give_record(struct loading *l, const struct ts_trace_side *side, struct ts_trace_record *record,
				  struct ts_error *err)
{
	record->notices = ts_arena_array(l->in.arena, side->notices.n, sizeof *record->notices);
	if (!record->notices)
		return ts_arena_error(l->in.arena, err);
	for (size_t i = 0; i < side->notices.n; i++) {
		struct ts_span code = ts_arena_span(l->in.arena, l->in.names[side->notices.code[i]]);

		if (!code.data)
			return ts_arena_error(l->in.arena, err);
		record->notices[record->n_notices++] = (struct ts_trace_notice){.code = (const char *)code.data,
										.skipped = side->notices.skipped[i],
										.count = (uint64_t)side->notices.count[i],
										.detail = l->in.names[side->notices.detail[i]]};
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
		.backend = l->in.names[row->backend[0]],
		.trace_name = l->in.names[row->trace_name[0]],
		.trace_id = l->in.names[row->trace_id[0]],
		.devices = ts_arena_array(l->in.arena, side->devices.n, sizeof *about->devices),
		.said = ts_arena_array(l->in.arena, side->said.n, sizeof *about->said),
	};
	if (!about->devices || !about->said)
		return ts_arena_error(l->in.arena, err);
	give_devices(l, &side->devices, about);
	for (size_t i = 0; i < side->said.n; i++)
		about->said[about->n_said++] =
			(struct ts_trace_said){.key = l->in.names[side->said.key[i]], .json = l->in.names[side->said.json[i]]};
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
		status = ts_columns_damaged(TS_TABLE_ABOUT, "there is not one row", err);
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
	if (ts_columns_open(&l->in, id, err) || load_side(l, trace, record, err))
		return err->status;
	trace->names = l->in.names;
	trace->n_names = l->in.n_names;
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
	enum ts_status status = load(l, id, rows, &trace, &record, err);

	ts_columns_close(&l->in);
	if (status) {
		ts_trace_finish(&trace);
		return ts_error_prefix(err, "columns of a trace");
	}
	trace.cut = record.cut;
	*ret_trace = trace;
	*ret_record = record;
	return TS_OK;
}

enum ts_status ts_trace_columns_load(ts_object_source *get, void *ctx, const struct ts_id *index, struct ts_arena *arena,
				     struct ts_trace *ret_trace, struct ts_trace_record *ret_record, struct ts_error *err)
{
	struct loading l = {.in = {.get = get, .ctx = ctx, .arena = arena}};

	return load_with(&l, index, true, ret_trace, ret_record, err);
}

enum ts_status ts_trace_columns_about(ts_object_source *get, void *ctx, const struct ts_id *index, struct ts_arena *arena,
				      struct ts_trace_about *ret_about, struct ts_trace_record *ret_record, struct ts_error *err)
{
	struct loading l = {.in = {.get = get, .ctx = ctx, .arena = arena}};
	struct ts_trace trace;

	if (load_with(&l, index, false, &trace, ret_record, err))
		return err->status;
	*ret_about = trace.about;
	return TS_OK;
}
