/* builder_finish.c - the files of a run that are stored as they are, and the end of a builder: the index. */
#include "base/limits.h"
#include "base/door.h"
#include "base/order.h"
#include "run/builder_state.h"
#include "run/head.h"

/* --- files --- */

static enum ts_status check_file_name(const struct ts_builder *b, struct ts_span name, struct ts_error *err)
{
	if (!ts_file_name_valid(name))
		return ts_error_set(err, TS_INVALID,
				    "a file name of %zu bytes that is not one path component of 1 to 255", name.len);
	for (size_t i = 0; i < b->n_files; i++)
		if (ts_span_eq(b->files[i].name, name))
			return ts_error_set(err, TS_INVALID, "file '%.*s' is there twice", TS_SPAN_ARG(name));
	return TS_OK;
}

enum ts_status ts_builder_file_begin(struct ts_builder *b, struct ts_span name, struct ts_error *err)
{
	struct ts_span copy;

	if (ts_builder_check(b, err))
		return err->status;
	if (b->in_file)
		return ts_error_set(err, TS_INTERNAL, "a file is begun inside another");
	if (check_file_name(b, name, err))
		return err->status;
	if (ts_builder_grow(&b->files, &b->files_cap, b->n_files + 1, sizeof *b->files, err))
		return ts_builder_fail(b, err);
	copy = ts_arena_span(&b->arena, name);
	if (!copy.data) {
		ts_arena_error(&b->arena, err);
		return ts_builder_fail(b, err);
	}
	b->files[b->n_files++] = (struct ts_builder_file){.name = copy};
	ts_buf_reset(&b->chunk);
	b->in_file = true;
	return TS_OK;
}

static enum ts_status flush_chunk(struct ts_builder *b, struct ts_error *err)
{
	struct ts_builder_file *file = &b->files[b->n_files - 1];

	if (ts_builder_grow(&file->chunks, &file->cap, file->n_chunks + 1, sizeof *file->chunks, err))
		return ts_builder_fail(b, err);
	ts_chunk_encode(ts_buf_view(&b->chunk), &b->out.object);
	if (ts_builder_emit(&b->out, &file->chunks[file->n_chunks], err))
		return ts_builder_fail(b, err);
	file->n_chunks++;
	file->size += b->chunk.len;
	ts_buf_reset(&b->chunk);
	return TS_OK;
}

enum ts_status ts_builder_file_add(struct ts_builder *b, struct ts_span bytes, struct ts_error *err)
{
	if (ts_builder_check(b, err))
		return err->status;
	if (!b->in_file)
		return ts_error_set(err, TS_INTERNAL, "bytes of a file that was not begun");
	while (bytes.len) {
		size_t room = TS_CHUNK_BYTES - b->chunk.len;
		size_t n = bytes.len < room ? bytes.len : room;

		ts_buf_bytes(&b->chunk, bytes.data, n);
		if (ts_buf_check(&b->chunk, err))
			return ts_builder_fail(b, err);
		bytes = ts_span_of(bytes.data + n, bytes.len - n);
		if (b->chunk.len == TS_CHUNK_BYTES && flush_chunk(b, err))
			return err->status;
	}
	return TS_OK;
}

enum ts_status ts_builder_file_end(struct ts_builder *b, struct ts_error *err)
{
	if (ts_builder_check(b, err))
		return err->status;
	if (!b->in_file)
		return ts_error_set(err, TS_INTERNAL, "a file is ended that was not begun");
	if (b->chunk.len && flush_chunk(b, err))
		return err->status;
	b->in_file = false;
	return TS_OK;
}

enum ts_status ts_builder_file_columns(struct ts_builder *b, const struct ts_id *index, struct ts_error *err)
{
	struct ts_builder_file *file;

	if (ts_builder_check(b, err))
		return err->status;
	if (b->in_file || !b->n_files)
		return ts_error_set(err, TS_INTERNAL, "the columns of a file that was not ended");
	file = &b->files[b->n_files - 1];
	file->has_columns = true;
	file->columns = *index;
	return TS_OK;
}

/* --- the end --- */

void ts_builder_stats(const struct ts_builder *b, struct ts_builder_stats *ret_stats)
{
	const struct ts_builder_rows *steps = &b->kinds[TS_TABLE_STEPS - 1];

	*ret_stats = (struct ts_builder_stats){
		.rows = steps->rows,
		.superseded = b->kinds[TS_TABLE_SUPERSEDED - 1].rows,
		.events = b->kinds[TS_TABLE_PIPELINE - 1].rows,
		.digests = b->kinds[TS_TABLE_DIGESTS - 1].rows,
		.timed = b->kinds[TS_TABLE_EVENTS - 1].rows,
		.sketches = b->kinds[TS_TABLE_SKETCHES - 1].rows,
		.columns = b->n_columns,
		.first_step = steps->first,
		.last_step = steps->last,
		.blocks = b->out.blocks,
		.canonical_bytes = b->out.canonical_bytes,
	};
}

TS_ORDER(compare_columns, struct ts_column, TS_THEN(ts_column_cmp(a, b)))

TS_ORDER(compare_tables, struct ts_table, TS_THEN(ts_table_cmp(a, b)))

TS_ORDER(compare_files, struct ts_file, TS_TEXT(name))

static enum ts_status index_table(struct ts_builder *b, const struct ts_builder_table *table, struct ts_table *out,
				  struct ts_error *err)
{
	size_t i = 0;

	*out = (struct ts_table){
		.kind = table->kind,
		.key_log2 = table->key_log2,
		.blocks = table->blocks,
		.n_blocks = table->n_blocks,
		.columns = ts_arena_array(&b->arena, table->n_columns, sizeof *out->columns),
		.n_columns = table->n_columns,
	};
	if (!out->columns)
		return ts_arena_error(&b->arena, err);
	for (const struct ts_series *s = table->columns; s; s = s->next) {
		const struct ts_builder_column *column = &b->columns[s->column];

		out->columns[i++] = (struct ts_column){
			.name = column->name,
			.type = column->type,
			.precision = column->precision,
			.digits = column->digits,
			.blocks = s->blocks,
		};
	}
	TS_SORT(out->columns, i, compare_columns);
	return TS_OK;
}

static enum ts_status index_tables(struct ts_builder *b, struct ts_index *index, struct ts_error *err)
{
	size_t n = 0;

	for (const struct ts_builder_table *t = b->tables; t; t = t->next)
		n++;
	index->tables = ts_arena_array(&b->arena, n, sizeof *index->tables);
	if (!index->tables)
		return ts_arena_error(&b->arena, err);
	for (const struct ts_builder_table *t = b->tables; t; t = t->next)
		if (index_table(b, t, &index->tables[index->n_tables++], err))
			return err->status;
	TS_SORT(index->tables, n, compare_tables);
	return TS_OK;
}

static enum ts_status index_files(struct ts_builder *b, struct ts_index *index, struct ts_error *err)
{
	index->files = ts_arena_array(&b->arena, b->n_files, sizeof *index->files);
	if (!index->files)
		return ts_arena_error(&b->arena, err);
	for (size_t i = 0; i < b->n_files; i++)
		index->files[i] = (struct ts_file){
			.name = b->files[i].name,
			.size = b->files[i].size,
			.chunks = b->files[i].chunks,
			.n_chunks = b->files[i].n_chunks,
			.has_columns = b->files[i].has_columns,
			.columns = b->files[i].columns,
		};
	index->n_files = b->n_files;
	TS_SORT(index->files, b->n_files, compare_files);
	return TS_OK;
}

/* The index's objects pass through here, so that they are counted like all others. */
static enum ts_status count_object(void *ctx, const struct ts_id *id, struct ts_span object, struct ts_error *err)
{
	struct ts_builder_out *out = ctx;

	if (out->sink(out->ctx, id, object, err))
		return err->status;
	out->canonical_bytes += object.len;
	return TS_OK;
}

enum ts_status ts_builder_finish(struct ts_builder *b, const struct ts_facts *facts, struct ts_id *ret_index,
				 struct ts_error *err)
{
	struct ts_index index = {.rank = b->rank};

	TS_DOOR(!facts || ts_facts_hold(facts));
	if (ts_builder_check(b, err))
		return err->status;
	if (b->in_row || b->in_file)
		return ts_error_set(err, TS_INTERNAL, "finished inside a %s", b->in_row ? "row" : "file");
	if (facts)
		index.facts = *facts;
	for (struct ts_builder_table *t = b->tables; t; t = t->next)
		if (ts_builder_table_finish(t, &b->out, err))
			return ts_builder_fail(b, err);
	if (index_tables(b, &index, err) || index_files(b, &index, err))
		return ts_builder_fail(b, err);
	if (ts_index_encode(&index, count_object, &b->out, &b->out.object, ret_index, err))
		return ts_builder_fail(b, err);
	return TS_OK;
}
