#include "ingest/export/run_view.h"

#include "base/file.h"
#include "base/object.h"
#include "base/order.h"
#include "base/text.h"
#include "ingest/facts/run_facts.h"
#include "run/block.h"

enum ts_status ts_view_open(struct ts_view *view, const struct ts_id *head, ts_object_source *get, void *ctx,
			    struct ts_error *err)
{
	struct ts_span object;

	*view = (struct ts_view){.get = get, .ctx = ctx};
	ts_arena_init(&view->arena, 0);
	if (get(ctx, head, &view->arena, &object, err) ||
	    ts_head_decode(object, &view->arena, &view->head, err)) {
		ts_view_close(view);
		return err->status;
	}
	return TS_OK;
}

void ts_view_close(struct ts_view *view)
{
	ts_arena_finish(&view->arena);
}

enum ts_status ts_view_index(const struct ts_view *view, size_t rank, struct ts_arena *arena, struct ts_index *ret_index,
			     struct ts_error *err)
{
	struct ts_index index = {.rank = view->head.ranks[rank].rank};
	struct ts_id next = view->head.ranks[rank].index;
	bool more = true;

	while (more) {
		struct ts_id id = next;
		struct ts_span object;

		if (view->get(view->ctx, &id, arena, &object, err) ||
		    ts_index_decode(object, arena, &index, &more, &next, err))
			return ts_error_prefix(err, "index of rank %d", (int)view->head.ranks[rank].rank);
	}
	*ret_index = index;
	return TS_OK;
}

enum ts_status ts_view_chunk(const struct ts_view *view, const struct ts_id *id, struct ts_arena *arena,
			     struct ts_span *ret_bytes, struct ts_error *err)
{
	struct ts_object object;
	struct ts_span bytes;

	if (view->get(view->ctx, id, arena, &bytes, err) || ts_object_parse(bytes, &object, err))
		return err->status;
	if (object.kind != TS_KIND_CHUNK || object.version != TS_FORMAT_VERSION)
		return ts_error_set(err, TS_DAMAGED, "an object of kind %u where part of a file should be",
				    object.kind);
	*ret_bytes = object.payload;
	return TS_OK;
}

enum ts_status ts_view_write_file(const struct ts_view *view, const struct ts_file *file, int fd, struct ts_error *err)
{
	struct ts_arena arena;
	enum ts_status status = TS_OK;

	ts_arena_init(&arena, 0);
	for (size_t i = 0; i < file->n_chunks && !status; i++) {
		struct ts_span bytes;

		ts_arena_reset(&arena);
		status = ts_view_chunk(view, &file->chunks[i], &arena, &bytes, err);
		if (!status)
			status = ts_write_full(fd, bytes.data, bytes.len, err);
	}
	ts_arena_finish(&arena);
	return status;
}

enum ts_status ts_view_find_file(const struct ts_view *view, int32_t rank, struct ts_span name, struct ts_arena *arena,
				 struct ts_file *ret_file, struct ts_error *err)
{
	struct ts_index index;

	for (size_t i = 0; i < view->head.n_ranks; i++) {
		if (view->head.ranks[i].rank != rank)
			continue;
		if (ts_view_index(view, i, arena, &index, err))
			return err->status;
		for (size_t k = 0; k < index.n_files; k++)
			if (ts_span_eq(index.files[k].name, name)) {
				*ret_file = index.files[k];
				return TS_OK;
			}
	}
	return ts_error_set(err, TS_DAMAGED, "the run lists a file %s and does not have it", ts_show(name).text);
}

enum ts_status ts_view_file(const struct ts_view *view, const struct ts_file *file, struct ts_buf *out, struct ts_error *err)
{
	struct ts_arena work;
	enum ts_status status = TS_OK;

	ts_arena_init(&work, 0);
	for (size_t i = 0; !status && i < file->n_chunks; i++) {
		struct ts_span bytes;

		ts_arena_reset(&work);
		status = ts_view_chunk(view, &file->chunks[i], &work, &bytes, err);
		if (!status)
			ts_buf_span(out, bytes);
	}
	ts_arena_finish(&work);
	return status ? status : ts_buf_check(out, err);
}

/* --- rows --- */

/* pytscope's own sections come first, in the order in which pytscope writes them. */
static int weight(struct ts_span name)
{
	static const char *const sections[] = {"timestamp", "phases", "scalars", "memory"};

	for (int i = 0; i < 4; i++) {
		struct ts_span section = ts_span_str(sections[i]);

		if (ts_span_starts(name, section) &&
		    (name.len == section.len || name.data[section.len] == '.' || name.data[section.len] == '['))
			return i;
	}
	return 4;
}

int ts_column_order(struct ts_span a, struct ts_span b)
{
	int order = weight(a) - weight(b);

	return order ? order : ts_span_cmp(a, b);
}

TS_ORDER(compare_columns, struct ts_rows_column, TS_THEN(ts_column_order(a->column->name, b->column->name)); TS_UP(column->type))

static enum ts_status open_tables(struct ts_rows *rows, const struct ts_index *index, enum ts_table_kind kind,
				  struct ts_error *err)
{
	size_t columns = 0;

	for (size_t i = 0; i < index->n_tables; i++)
		if (index->tables[i].kind == kind) {
			rows->n_tables++;
			columns += index->tables[i].n_columns;
		}
	rows->tables = ts_arena_array(&rows->arena, rows->n_tables, sizeof *rows->tables);
	rows->columns = ts_arena_array(&rows->arena, columns, sizeof *rows->columns);
	if (!rows->tables || !rows->columns)
		return ts_arena_error(&rows->arena, err);
	for (size_t i = 0, t = 0; i < index->n_tables; i++) {
		const struct ts_table *table = &index->tables[i];

		if (table->kind != kind)
			continue;
		rows->tables[t].table = table;
		ts_arena_init(&rows->tables[t].arena, 0);
		for (size_t c = 0; c < table->n_columns; c++)
			rows->columns[rows->n_columns++] =
				(struct ts_rows_column){&table->columns[c], &rows->tables[t], c};
		t++;
	}
	TS_SORT(rows->columns, rows->n_columns, compare_columns);
	return TS_OK;
}

enum ts_status ts_rows_open(struct ts_rows *rows, const struct ts_view *view, const struct ts_index *index,
			    enum ts_table_kind kind, struct ts_error *err)
{
	*rows = (struct ts_rows){.view = view, .kind = kind};
	ts_arena_init(&rows->arena, 0);
	ts_arena_init(&rows->scratch, 0);
	if (open_tables(rows, index, kind, err)) {
		ts_rows_close(rows);
		return err->status;
	}
	return TS_OK;
}

void ts_rows_close(struct ts_rows *rows)
{
	for (size_t i = 0; rows->tables && i < rows->n_tables; i++)
		ts_arena_finish(&rows->tables[i].arena);
	ts_arena_finish(&rows->scratch);
	ts_arena_finish(&rows->arena);
	*rows = (struct ts_rows){.n_tables = 0};
}

static enum ts_status decode_column(struct ts_rows *rows, struct ts_rows_table *t, size_t c, struct ts_error *err)
{
	const struct ts_column *column = &t->table->columns[c];
	const struct ts_id *id = &column->blocks[t->next_block];
	bool text = column->type == TS_COLUMN_TEXT || column->type == TS_COLUMN_JSON;
	struct ts_span object;

	ts_arena_reset(&rows->scratch);
	t->values[c] = ts_arena_array(&t->arena, t->rows, text ? sizeof(struct ts_span) : sizeof(uint64_t));
	if (!t->values[c])
		return ts_arena_error(&t->arena, err);
	if (rows->view->get(rows->view->ctx, id, text ? &t->arena : &rows->scratch, &object, err))
		return err->status;
	switch (column->type) {
	case TS_COLUMN_F64:
		return ts_block_f64_decode(object, t->rows, t->values[c], err);
	case TS_COLUMN_U64:
		return ts_block_u64_decode(object, t->rows, t->values[c], err);
	case TS_COLUMN_TEXT:
	case TS_COLUMN_JSON:
		break;
	}
	return ts_block_text_decode(object, t->rows, &t->arena, t->values[c], err);
}

static enum ts_status next_block(struct ts_rows *rows, struct ts_rows_table *t, struct ts_error *err)
{
	const struct ts_block *block = &t->table->blocks[t->next_block];
	struct ts_span object;

	ts_arena_reset(&t->arena);
	ts_arena_reset(&rows->scratch);
	t->row = 0;
	t->rows = block->rows;
	t->keys = ts_arena_array(&t->arena, t->rows, sizeof *t->keys);
	t->values = ts_arena_array(&t->arena, t->table->n_columns, sizeof *t->values);
	if (!t->keys || !t->values)
		return ts_arena_error(&t->arena, err);
	if (rows->view->get(rows->view->ctx, &block->keys, &rows->scratch, &object, err) ||
	    ts_block_keys_decode(object, t->rows, t->keys, err))
		return err->status;
	for (size_t c = 0; c < t->table->n_columns; c++)
		if (decode_column(rows, t, c, err))
			return ts_error_prefix(err, "column %.*s", TS_SPAN_ARG(t->table->columns[c].name));
	t->next_block++;
	return TS_OK;
}

/* Moves a table to the row behind the current key. After its last row, t->keys is NULL. */
static enum ts_status step_table(struct ts_rows *rows, struct ts_rows_table *t, struct ts_error *err)
{
	if (t->here)
		t->row++;
	t->here = false;
	if (rows->started && (!t->keys || t->row < t->rows))
		return TS_OK;
	if (t->next_block < t->table->n_blocks)
		return next_block(rows, t, err);
	t->keys = NULL;
	return TS_OK;
}

enum ts_status ts_rows_next(struct ts_rows *rows, bool *ret_more, struct ts_error *err)
{
	bool more = false;

	for (size_t i = 0; i < rows->n_tables; i++) {
		struct ts_rows_table *t = &rows->tables[i];

		if (step_table(rows, t, err))
			return err->status;
		if (t->keys && (!more || t->keys[t->row] < rows->key)) {
			rows->key = t->keys[t->row];
			more = true;
		}
	}
	rows->started = true;
	for (size_t i = 0; i < rows->n_tables; i++)
		rows->tables[i].here = rows->tables[i].keys && rows->tables[i].keys[rows->tables[i].row] == rows->key;
	*ret_more = more;
	return TS_OK;
}

size_t ts_rows_find(const struct ts_rows *rows, const char *name, enum ts_column_type type)
{
	for (size_t i = 0; i < rows->n_columns; i++)
		if (rows->columns[i].column->type == type && ts_span_is(rows->columns[i].column->name, name))
			return i;
	return SIZE_MAX;
}
