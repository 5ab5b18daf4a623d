#include "run/file_columns.h"

#include "base/buf.h"
#include "base/limits.h"
#include "base/object.h"
#include "run/block.h"
#include "run/head.h"
#include "run/run_index.h"

enum { LONGEST_NAME = 256 << 20, NAMES_MAX = 1 << 24 };

/* --- writing --- */

void ts_names_put(struct ts_names_out *n, struct ts_span text)
{
	size_t at = 0;

	while (!n->failed) {
		size_t len = text.len - at < TS_TEXT_MAX ? text.len - at : TS_TEXT_MAX;

		ts_builder_row(n->builder, TS_TABLE_NAMES, n->row++);
		ts_builder_text(n->builder, n->text, ts_span_part(text, at, len));
		at += len;
		ts_builder_u64(n->builder, n->more, at < text.len);
		n->failed = ts_builder_row_end(n->builder, n->err) != TS_OK;
		if (at == text.len)
			break;
	}
	n->n++;
}

uint32_t ts_names_number(struct ts_names_out *n, struct ts_span text)
{
	if (!text.len)
		return 0;
	ts_names_put(n, text);
	return n->n - 1;
}

enum ts_status ts_names_begin(struct ts_names_out *n, struct ts_builder *b, struct ts_error *err)
{
	*n = (struct ts_names_out){.builder = b, .err = err};
	if (ts_builder_column(b, ts_span_str("text"), TS_COLUMN_TEXT, &n->text, err) ||
	    ts_builder_column(b, ts_span_str("more"), TS_COLUMN_U64, &n->more, err))
		return err->status;
	return TS_OK;
}

/* --- loading --- */

enum ts_status ts_columns_damaged(enum ts_table_kind kind, const char *what, struct ts_error *err)
{
	return ts_error_set(err, TS_DAMAGED, "%s: %s", ts_table_word(kind), what);
}

static enum ts_status open_index(struct ts_columns_in *l, const struct ts_id *id, struct ts_error *err)
{
	if (ts_run_index(l->get, l->ctx, id, TS_RANK_JOB, &l->work, &l->index, err))
		return err->status;
	return l->index.rank == TS_RANK_JOB ? TS_OK : ts_error_set(err, TS_DAMAGED, "the columns of a file have a rank");
}

enum ts_status ts_columns_table(const struct ts_columns_in *l, enum ts_table_kind kind, uint64_t rows_max, const struct ts_table **ret,
				struct ts_error *err)
{
	const struct ts_table *found = NULL;
	int64_t key = 0;

	for (size_t t = 0; t < l->index.n_tables; t++) {
		if (l->index.tables[t].kind != kind)
			continue;
		if (found)
			return ts_columns_damaged(kind, "rows that do not all have the same columns", err);
		found = &l->index.tables[t];
	}
	for (size_t b = 0; found && b < found->n_blocks; b++) {
		if (found->blocks[b].first_key != key || found->blocks[b].last_key != key + (int64_t)found->blocks[b].rows - 1)
			return ts_columns_damaged(kind, "rows are missing", err);
		key += (int64_t)found->blocks[b].rows;
	}
	if ((uint64_t)key > rows_max)
		return ts_error_set(err, TS_TOO_LARGE, "%s: %" PRId64 " rows, and the limit is %" PRIu64, ts_table_word(kind), key,
				    rows_max);
	*ret = found;
	return TS_OK;
}

const struct ts_column *ts_columns_column(const struct ts_table *table, const char *name, enum ts_column_type type)
{
	for (size_t i = 0; i < table->n_columns; i++)
		if (table->columns[i].type == type && ts_span_is(table->columns[i].name, name))
			return &table->columns[i];
	return NULL;
}

static enum ts_status get_block(struct ts_columns_in *l, const struct ts_id *id, struct ts_arena *arena, struct ts_span *ret_object,
				struct ts_error *err)
{
	return l->get(l->ctx, id, arena, ret_object, err);
}

enum ts_status ts_columns_words(struct ts_columns_in *l, const struct ts_id *id, size_t rows, enum ts_column_type type,
				struct ts_error *err)
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
static enum ts_status take_names(struct ts_columns_in *l, const struct ts_span *texts, size_t rows, struct ts_buf *begun,
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

static enum ts_status load_name_blocks(struct ts_columns_in *l, const struct ts_table *table, const struct ts_id *text,
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
		if (ts_columns_words(l, &more[b], table->blocks[b].rows, TS_COLUMN_U64, err) ||
		    take_names(l, texts, table->blocks[b].rows, begun, err))
			return err->status;
	}
	return !l->n_names || l->names[0].len || begun->len
		       ? ts_columns_damaged(TS_TABLE_NAMES, "the first is not empty, or the last has no end", err)
		       : TS_OK;
}

static enum ts_status load_names(struct ts_columns_in *l, struct ts_error *err)
{
	const struct ts_table *table = NULL;
	const struct ts_column *text, *more;
	struct ts_buf begun = TS_BUF_INIT(LONGEST_NAME);
	enum ts_status status;

	if (ts_columns_table(l, TS_TABLE_NAMES, NAMES_MAX, &table, err))
		return err->status;
	text = table ? ts_columns_column(table, "text", TS_COLUMN_TEXT) : NULL;
	more = table ? ts_columns_column(table, "more", TS_COLUMN_U64) : NULL;
	if (!text || !more)
		return ts_columns_damaged(TS_TABLE_NAMES, "there are none", err);
	l->names = ts_arena_array(l->arena, (size_t)table->rows, sizeof *l->names);
	if (!l->names)
		return ts_arena_error(l->arena, err);
	status = load_name_blocks(l, table, text->blocks, more->blocks, &begun, err);
	ts_buf_finish(&begun);
	return status;
}

enum ts_status ts_columns_open(struct ts_columns_in *l, const struct ts_id *id, struct ts_error *err)
{
	ts_arena_init(&l->work, TS_ANALYSIS_ARENA);
	ts_arena_init(&l->block, 16 * (size_t)TS_OBJECT_MAX);
	l->words = ts_arena_array(&l->work, TS_BLOCK_ROWS_MAX, sizeof *l->words);
	if (!l->words)
		return ts_arena_error(&l->work, err);
	return open_index(l, id, err) ? err->status : load_names(l, err);
}

void ts_columns_close(struct ts_columns_in *l)
{
	ts_arena_finish(&l->block);
	ts_arena_finish(&l->work);
}
