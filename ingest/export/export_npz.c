/* export_npz.c - every series as NumPy arrays in a zip: values (float64, or uint64 for digests) and, beside them, the steps.
 *
 * Texts have no array of their own in NumPy that is neither padded nor pickled: they become their bytes one after the
 * other (NAME.text.bytes, uint8) and where each begins, with the end of the last (NAME.text.offset, int64); lists and the
 * like the same as NAME.json.*.
 * Source of the member format: NumPy Enhancement Proposal 1, version 1.0.
 */
#include "ingest/export/export.h"

#include "base/cursor.h"
#include "ingest/export/run_view.h"
#include "ingest/formats/zip.h"
#include "run/block.h"

#include <stdio.h>

struct npz {
	struct ts_view view;
	struct ts_zip zip;
	struct ts_arena arena; /* for one rank */
	struct ts_arena block;
};

/* The part of a column that an array holds. */
enum part { PART_STEPS, PART_VALUES, PART_TEXT, PART_OFFSETS };

static size_t npy_header(const char *type, uint64_t n, uint8_t out[128])
{
	char text[118];
	int len = snprintf(text, sizeof text, "{'descr': '%s', 'fortran_order': False, 'shape': (%" PRIu64 ",), }",
			   type, n);

	memset(out, ' ', 128);
	memcpy(out, "\x93NUMPY\x01\x00\x76\x00", 10);
	memcpy(out + 10, text, (size_t)len);
	out[127] = '\n';
	return 128;
}

/* Writes "rank0/scalars.loss". '/', '%' and characters that should not be in a file name are written as %XX. */
static void put_name(struct ts_buf *name, int32_t rank, const struct ts_column *column, const char *suffix)
{
	static const char *const types[] = {
		[TS_COLUMN_F64] = "", [TS_COLUMN_U64] = "", [TS_COLUMN_TEXT] = ".text", [TS_COLUMN_JSON] = ".json"};

	ts_buf_printf(name, "rank%d/", (int)rank);
	for (size_t i = 0; i < column->name.len; i++) {
		uint8_t c = column->name.data[i];

		if (c < 0x20 || c == 0x7F || c == '/' || c == '%' || c == '\\' || c == ':')
			ts_buf_printf(name, "%%%02X", c);
		else
			ts_buf_u8(name, c);
	}
	ts_buf_printf(name, "%s%s.npy", types[column->type], suffix);
}

static enum ts_status get(struct npz *x, const struct ts_id *id, struct ts_span *ret, struct ts_error *err)
{
	ts_arena_reset(&x->block);
	return x->view.get(x->view.ctx, id, &x->block, ret, err);
}

static enum ts_status put_words(struct npz *x, const uint64_t *words, size_t n, struct ts_error *err)
{
	uint8_t *bytes = ts_arena_alloc(&x->block, n * 8);

	if (!bytes)
		return ts_arena_error(&x->block, err);
	for (size_t i = 0; i < n; i++)
		ts_store_u64(bytes + 8 * i, words[i]);
	return ts_zip_add(&x->zip, ts_span_of(bytes, n * 8), err);
}

/* Writes the keys or the values of one block as words. */
static enum ts_status put_word_block(struct npz *x, const struct ts_column *column, const struct ts_table *table,
				     size_t b, struct ts_error *err)
{
	size_t rows = table->blocks[b].rows;
	struct ts_span object;
	uint64_t *words;

	if (get(x, column ? &column->blocks[b] : &table->blocks[b].keys, &object, err))
		return err->status;
	words = ts_arena_array(&x->block, rows, sizeof *words);
	if (!words)
		return ts_arena_error(&x->block, err);
	if (!column ? ts_block_keys_decode(object, rows, (int64_t *)words, err)
		    : column->type == TS_COLUMN_U64 ? ts_block_u64_decode(object, rows, words, err)
						    : ts_block_f64_decode(object, rows, (double *)words, err))
		return err->status;
	return put_words(x, words, rows, err);
}

static enum ts_status text_block(struct npz *x, const struct ts_column *column, const struct ts_table *table, size_t b,
				 struct ts_span **ret_texts, struct ts_error *err)
{
	size_t rows = table->blocks[b].rows;
	struct ts_span *texts;
	struct ts_span object;

	if (get(x, &column->blocks[b], &object, err))
		return err->status;
	texts = ts_arena_array(&x->block, rows, sizeof *texts);
	if (!texts)
		return ts_arena_error(&x->block, err);
	if (ts_block_text_decode(object, rows, &x->block, texts, err))
		return err->status;
	*ret_texts = texts;
	return TS_OK;
}

static enum ts_status put_text_block(struct npz *x, const struct ts_column *column, const struct ts_table *table,
				     size_t b, enum part part, uint64_t *offset, struct ts_error *err)
{
	size_t rows = table->blocks[b].rows;
	struct ts_span *texts;
	uint64_t *starts;

	if (text_block(x, column, table, b, &texts, err))
		return err->status;
	starts = ts_arena_array(&x->block, rows, sizeof *starts);
	if (!starts)
		return ts_arena_error(&x->block, err);
	for (size_t i = 0; i < rows; i++) {
		starts[i] = *offset;
		*offset += texts[i].len;
		if (part == PART_TEXT && texts[i].len && ts_zip_add(&x->zip, texts[i], err))
			return err->status;
	}
	return part == PART_OFFSETS ? put_words(x, starts, rows, err) : TS_OK;
}

static enum ts_status text_size(struct npz *x, const struct ts_column *column, const struct ts_table *table,
				uint64_t *ret_size, struct ts_error *err)
{
	uint64_t size = 0;

	for (size_t b = 0; b < table->n_blocks; b++) {
		struct ts_span *texts;

		if (text_block(x, column, table, b, &texts, err))
			return err->status;
		for (size_t i = 0; i < table->blocks[b].rows; i++)
			size += texts[i].len;
	}
	*ret_size = size;
	return TS_OK;
}

static enum ts_status put_blocks(struct npz *x, const struct ts_column *column, const struct ts_table *table,
				 enum part part, struct ts_error *err)
{
	uint64_t offset = 0;

	for (size_t b = 0; b < table->n_blocks; b++)
		if (part == PART_STEPS || part == PART_VALUES
			    ? put_word_block(x, part == PART_STEPS ? NULL : column, table, b, err)
			    : put_text_block(x, column, table, b, part, &offset, err))
			return err->status;
	ts_arena_reset(&x->block);
	return part == PART_OFFSETS ? put_words(x, &offset, 1, err) : TS_OK;
}

static enum ts_status put_array(struct npz *x, int32_t rank, const struct ts_table *table,
				const struct ts_column *column, enum part part, struct ts_error *err)
{
	static const char *const suffixes[] = {".step", "", ".bytes", ".offset"};
	const char *type = part == PART_TEXT ? "|u1" : part == PART_VALUES ? "<f8" : "<i8";
	struct ts_buf name = TS_BUF_INIT(4096);
	uint64_t n = table->rows;
	uint8_t header[128];
	enum ts_status status;

	if (part == PART_VALUES && column->type == TS_COLUMN_U64)
		type = "<u8";
	if (part == PART_TEXT && text_size(x, column, table, &n, err))
		return err->status;
	n += part == PART_OFFSETS;
	put_name(&name, rank, column, suffixes[part]);
	status = ts_buf_check(&name, err);
	if (!status)
		status = ts_zip_begin(&x->zip, ts_buf_view(&name), 128 + n * (part == PART_TEXT ? 1 : 8), err);
	if (!status)
		status = ts_zip_add(&x->zip, ts_span_of(header, npy_header(type, n, header)), err);
	if (!status)
		status = put_blocks(x, column, table, part, err);
	if (!status)
		status = ts_zip_end(&x->zip, err);
	ts_buf_finish(&name);
	return status;
}

static enum ts_status put_column(struct npz *x, int32_t rank, const struct ts_table *table,
				 const struct ts_column *column, struct ts_error *err)
{
	bool text = column->type == TS_COLUMN_TEXT || column->type == TS_COLUMN_JSON;

	if (put_array(x, rank, table, column, text ? PART_TEXT : PART_VALUES, err))
		return err->status;
	if (text && put_array(x, rank, table, column, PART_OFFSETS, err))
		return err->status;
	return put_array(x, rank, table, column, PART_STEPS, err);
}

static enum ts_status put_rank(struct npz *x, size_t i, struct ts_error *err)
{
	struct ts_index index;

	ts_arena_reset(&x->arena);
	if (ts_view_index(&x->view, i, &x->arena, &index, err))
		return err->status;
	for (size_t t = 0; t < index.n_tables; t++) {
		const struct ts_table *table = &index.tables[t];

		for (size_t c = 0; table->kind == TS_TABLE_STEPS && c < table->n_columns; c++)
			if (put_column(x, index.rank, table, &table->columns[c], err))
				return err->status;
	}
	return TS_OK;
}

enum ts_status ts_export_npz(const struct ts_id *head, ts_object_source *get_object, void *ctx, int fd,
			     struct ts_error *err)
{
	enum ts_status status;
	struct npz x;

	if (ts_view_open(&x.view, head, get_object, ctx, err))
		return err->status;
	ts_zip_init(&x.zip, fd);
	ts_arena_init(&x.arena, 0);
	ts_arena_init(&x.block, 0);
	status = TS_OK;
	for (size_t i = 0; i < x.view.head.n_ranks && !status; i++)
		status = put_rank(&x, i, err);
	if (!status)
		status = ts_zip_close(&x.zip, err);
	ts_zip_finish(&x.zip);
	ts_arena_finish(&x.block);
	ts_arena_finish(&x.arena);
	ts_view_close(&x.view);
	return status;
}
