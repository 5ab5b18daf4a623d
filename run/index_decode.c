/* index_decode.c - reads an index from its canonical bytes, strictly: it refuses whatever the encoder would not have
 * written.
 *
 * It reads a chain object by object. `last` is the type of the record that was read last; docs/format.md says which records
 * may follow it. index->chain carries it from one object to the next, so that the whole chain must be packed in the one
 * canonical way.
 */
#include "base/order.h"
#include "run/index.h"

#include "base/limits.h"
#include "run/fact_codec.h"
#include "run/index_record.h"

#include <stdlib.h>

struct reader {
	struct ts_payload p;
	struct ts_arena *arena;
	struct ts_index *index;
	bool first; /* no record of this object has been read */
};

static struct ts_table *last_table(const struct ts_index *index)
{
	return &index->tables[index->n_tables - 1];
}

static struct ts_column *last_column(const struct ts_index *index)
{
	const struct ts_table *table = last_table(index);

	return &table->columns[table->n_columns - 1];
}

static struct ts_file *last_file(const struct ts_index *index)
{
	return &index->files[index->n_files - 1];
}

static uint64_t chunks_of(uint64_t size)
{
	return size / TS_CHUNK_BYTES + (size % TS_CHUNK_BYTES != 0);
}

/* Asks whether the item that the last record belongs to is complete, so that another item may begin or the chain may
 * end. */
static bool is_complete(const struct ts_index *index)
{
	switch (index->chain.last) {
	case TS_RECORD_TABLE:
	case TS_RECORD_COLUMN:
		return false;
	case TS_RECORD_VALUES:
		return index->chain.ids == last_table(index)->n_blocks;
	case TS_RECORD_FILE:
	case TS_RECORD_CHUNKS:
		return index->chain.ids == chunks_of(last_file(index)->size);
	default:
		return true;
	}
}

static bool may_follow(const struct reader *r, uint8_t record)
{
	uint8_t last = r->index->chain.last;
	bool complete = is_complete(r->index);
	bool on_files = last == TS_RECORD_FILE || last == TS_RECORD_CHUNKS || last == TS_RECORD_FILE_COLUMNS;

	switch (record) {
	case TS_RECORD_FACT:
		return last == 0 || last == TS_RECORD_FACT;
	case TS_RECORD_TABLE:
		return complete && !on_files;
	case TS_RECORD_BLOCKS:
		return last == TS_RECORD_TABLE || (last == TS_RECORD_BLOCKS && r->first);
	case TS_RECORD_COLUMN:
		return complete && (last == TS_RECORD_BLOCKS || last == TS_RECORD_VALUES);
	case TS_RECORD_VALUES:
		return !complete && (last == TS_RECORD_COLUMN || (last == TS_RECORD_VALUES && r->first));
	case TS_RECORD_FILE:
		return complete;
	case TS_RECORD_CHUNKS:
		return !complete && (last == TS_RECORD_FILE || (last == TS_RECORD_CHUNKS && r->first));
	case TS_RECORD_FILE_COLUMNS:
		return complete && (last == TS_RECORD_FILE || last == TS_RECORD_CHUNKS);
	default:
		return false;
	}
}

static enum ts_status too_early(const struct reader *r, const char *what, struct ts_error *err)
{
	return ts_error_set(err, TS_DAMAGED, "byte %zu: a %s that does not fit or is not canonical",
			    ts_payload_at(&r->p), what);
}

static enum ts_status read_fact(struct reader *r, struct ts_error *err)
{
	struct ts_facts *facts = &r->index->facts;
	struct ts_fact fact;

	if (ts_fact_decode(&r->p, true, facts->n ? &facts->items[facts->n - 1] : NULL, &fact, err))
		return err->status;
	return ts_facts_add(facts, &fact, r->arena, err);
}

static enum ts_status read_table(struct reader *r, struct ts_error *err)
{
	struct ts_index *index = r->index;
	struct ts_table *tables;
	uint8_t kind = ts_cursor_u8(&r->p.c);
	uint8_t key_log2 = ts_cursor_u8(&r->p.c);

	if (!r->p.c.failed && kind > TS_TABLE_KINDS)
		return ts_error_set(err, TS_DAMAGED, "byte %zu: a table of kind %d, which this version of tscope does not know",
				    ts_payload_at(&r->p), (int)kind);
	if (r->p.c.failed || kind < TS_TABLE_STEPS || key_log2 < TS_BLOCK_ROWS_LOG2 || key_log2 > 63)
		return too_early(r, "table", err);
	tables = ts_arena_more(r->arena, index->tables, index->n_tables, 1, sizeof *tables);
	if (!tables)
		return ts_arena_error(r->arena, err);
	index->tables = tables;
	tables[index->n_tables++] = (struct ts_table){.kind = (enum ts_table_kind)kind, .key_log2 = key_log2};
	return TS_OK;
}

static bool block_fits(const struct ts_table *table, const struct ts_block *block)
{
	uint64_t span = (uint64_t)block->last_key - (uint64_t)block->first_key;

	if (block->rows == 0 || block->rows > TS_BLOCK_ROWS_MAX || block->last_key < block->first_key)
		return false;
	if (span < block->rows - 1 || (block->rows == 1 && span > 0))
		return false;
	if (ts_key_cell(block->first_key, table->key_log2) != ts_key_cell(block->last_key, table->key_log2))
		return false;
	return table->n_blocks == 0 || table->blocks[table->n_blocks - 1].last_key < block->first_key;
}

/* Reads the head of a list, which is its count; the bytes and references for that many elements must be there. */
static enum ts_status read_count(struct reader *r, size_t size, uint32_t *ret_n, struct ts_error *err)
{
	uint32_t n = ts_cursor_u32(&r->p.c);
	size_t refs = r->p.frame.nrefs - r->p.refs_used;

	if (r->p.c.failed || n == 0 || n > refs || (size && n > ts_cursor_left(&r->p.c) / size))
		return too_early(r, "list", err);
	*ret_n = n;
	return TS_OK;
}

static enum ts_status read_blocks(struct reader *r, struct ts_error *err)
{
	struct ts_table *table = last_table(r->index);
	struct ts_block *blocks;
	uint32_t n = 0;

	if (read_count(r, TS_RECORD_BLOCK_BYTES, &n, err))
		return err->status;
	blocks = ts_arena_more(r->arena, table->blocks, table->n_blocks, n, sizeof *blocks);
	if (!blocks)
		return ts_arena_error(r->arena, err);
	table->blocks = blocks;
	for (uint32_t i = 0; i < n; i++) {
		struct ts_block block;

		block.first_key = (int64_t)ts_cursor_u64(&r->p.c);
		block.last_key = (int64_t)ts_cursor_u64(&r->p.c);
		block.rows = ts_cursor_u32(&r->p.c);
		if (!ts_payload_ref(&r->p, &block.keys) || !block_fits(table, &block))
			return too_early(r, "block", err);
		blocks[table->n_blocks++] = block;
		table->rows += block.rows;
	}
	return TS_OK;
}

static bool column_fits(const struct ts_table *table, const struct ts_column *column)
{
	if (column->name.len == 0 || column->name.len > TS_PATH_MAX)
		return false;
	if (column->type < TS_COLUMN_F64 || column->type > TS_COLUMN_JSON)
		return false;
	if ((unsigned)column->precision > TS_PRECISION_DECIMALS ||
	    (column->precision != TS_PRECISION_F64 && column->type != TS_COLUMN_F64) ||
	    (column->precision != TS_PRECISION_DECIMALS && column->digits != 0))
		return false;
	return table->n_columns == 0 || ts_column_cmp(&table->columns[table->n_columns - 1], column) < 0;
}

static enum ts_status read_column(struct reader *r, struct ts_error *err)
{
	struct ts_table *table = last_table(r->index);
	struct ts_column column = {0};
	struct ts_column *columns;

	column.type = (enum ts_column_type)ts_cursor_u8(&r->p.c);
	column.precision = (enum ts_precision)ts_cursor_u8(&r->p.c);
	column.digits = ts_cursor_u8(&r->p.c);
	column.name = ts_cursor_bytes(&r->p.c, ts_cursor_u16(&r->p.c));
	if (r->p.c.failed || !column_fits(table, &column))
		return too_early(r, "column", err);
	columns = ts_arena_more(r->arena, table->columns, table->n_columns, 1, sizeof *columns);
	if (!columns)
		return ts_arena_error(r->arena, err);
	table->columns = columns;
	columns[table->n_columns++] = column;
	r->index->chain.ids = 0;
	return TS_OK;
}

/* Appends n references to a list, of which `due` are expected in all. */
static enum ts_status read_ids(struct reader *r, uint64_t due, struct ts_id **list, struct ts_error *err)
{
	size_t have = r->index->chain.ids;
	struct ts_id *ids;
	uint32_t n = 0;

	if (read_count(r, 0, &n, err))
		return err->status;
	if (n > due - have)
		return too_early(r, "list", err);
	ids = ts_arena_more(r->arena, *list, have, n, sizeof *ids);
	if (!ids)
		return ts_arena_error(r->arena, err);
	*list = ids;
	for (uint32_t i = 0; i < n; i++)
		ts_payload_ref(&r->p, &ids[have + i]);
	r->index->chain.ids += n;
	return TS_OK;
}

static enum ts_status read_file(struct reader *r, struct ts_error *err)
{
	struct ts_index *index = r->index;
	struct ts_file file = {0};
	struct ts_file *files;

	file.size = ts_cursor_u64(&r->p.c);
	file.name = ts_cursor_bytes(&r->p.c, ts_cursor_u8(&r->p.c));
	if (r->p.c.failed || !ts_file_name_valid(file.name) ||
	    (index->n_files && ts_span_cmp(last_file(index)->name, file.name) >= 0))
		return too_early(r, "file", err);
	files = ts_arena_more(r->arena, index->files, index->n_files, 1, sizeof *files);
	if (!files)
		return ts_arena_error(r->arena, err);
	index->files = files;
	files[index->n_files++] = file;
	index->chain.ids = 0;
	return TS_OK;
}

static enum ts_status read_chunks(struct reader *r, struct ts_error *err)
{
	struct ts_file *file = last_file(r->index);

	if (read_ids(r, chunks_of(file->size), &file->chunks, err))
		return err->status;
	file->n_chunks = r->index->chain.ids;
	return TS_OK;
}

static enum ts_status read_file_columns(struct reader *r, struct ts_error *err)
{
	struct ts_file *file = last_file(r->index);

	file->has_columns = true;
	return ts_payload_ref(&r->p, &file->columns) ? TS_OK : too_early(r, "file's columns", err);
}

static enum ts_status read_body(struct reader *r, uint8_t record, struct ts_error *err)
{
	switch (record) {
	case TS_RECORD_FACT:
		return read_fact(r, err);
	case TS_RECORD_TABLE:
		return read_table(r, err);
	case TS_RECORD_BLOCKS:
		return read_blocks(r, err);
	case TS_RECORD_COLUMN:
		return read_column(r, err);
	case TS_RECORD_VALUES:
		return read_ids(r, last_table(r->index)->n_blocks, &last_column(r->index)->blocks, err);
	case TS_RECORD_FILE:
		return read_file(r, err);
	case TS_RECORD_FILE_COLUMNS:
		return read_file_columns(r, err);
	default:
		return read_chunks(r, err);
	}
}

/* Returns the bytes and references that a record takes. For a list this is the least it could take: its first
 * element, and its head unless the object before ends in the same list. */
static size_t least_size(const struct reader *r, uint8_t record, uint8_t before, size_t at, uint32_t refs)
{
	size_t size = TS_ID_BYTES + (record == TS_RECORD_BLOCKS ? TS_RECORD_BLOCK_BYTES : 0);

	if (!ts_index_record_is_list(record))
		return r->p.c.at - at + (size_t)(r->p.refs_used - refs) * TS_ID_BYTES;
	return size + (record == before ? 0 : TS_RECORD_LIST_BYTES);
}

static enum ts_status read_record(struct reader *r, struct ts_error *err)
{
	struct ts_index_chain *chain = &r->index->chain;
	uint8_t before = chain->last;
	uint32_t refs = r->p.refs_used;
	size_t at = r->p.c.at;
	uint8_t record = ts_cursor_u8(&r->p.c);

	if (!may_follow(r, record))
		return ts_error_set(err, TS_DAMAGED, "byte %zu: record %u may not follow record %u",
				    ts_payload_at(&r->p) - 1, record, before);
	if (read_body(r, record, err))
		return err->status;
	if (r->first && chain->objects && least_size(r, record, before, at, refs) <= chain->spare)
		return ts_error_set(err, TS_DAMAGED, "byte %zu: this record has room in the object before", at);
	chain->last = record;
	r->first = false;
	return TS_OK;
}

/* --- the whole --- */

struct placed {
	enum ts_table_kind kind;
	const struct ts_column *column;
};

TS_ORDER(compare_placed, struct placed, TS_UP(kind); TS_THEN(ts_column_cmp(a->column, b->column)))

static enum ts_status check_columns(const struct ts_index *index, struct ts_arena *arena, struct ts_error *err)
{
	struct placed *all;
	size_t n = 0;

	for (size_t t = 0; t < index->n_tables; t++)
		n += index->tables[t].n_columns;
	all = ts_arena_array(arena, n, sizeof *all);
	if (!all)
		return ts_arena_error(arena, err);
	n = 0;
	for (size_t t = 0; t < index->n_tables; t++)
		for (size_t i = 0; i < index->tables[t].n_columns; i++)
			all[n++] = (struct placed){index->tables[t].kind, &index->tables[t].columns[i]};
	TS_SORT(all, n, compare_placed);
	for (size_t i = 1; i < n; i++)
		if (compare_placed(&all[i - 1], &all[i]) == 0)
			return ts_error_set(err, TS_DAMAGED, "column %.*s is in two tables",
					    TS_SPAN_ARG(all[i].column->name));
	return TS_OK;
}

TS_ORDER_OF_POINTERS(compare_keys, struct ts_table, TS_UP(kind); TS_UP(n_blocks);
		     for (size_t i = 0; i < a->n_blocks; i++) TS_THEN(ts_id_cmp(&a->blocks[i].keys, &b->blocks[i].keys)))

/* Columns with the same keys stand in one table, so an index with two tables of the same keys is refused. */
static enum ts_status check_keys(const struct ts_index *index, struct ts_arena *arena, struct ts_error *err)
{
	const struct ts_table **all = ts_arena_array(arena, index->n_tables, sizeof(const struct ts_table *));
	size_t n = 0;

	if (!all)
		return ts_arena_error(arena, err);
	for (size_t t = 0; t < index->n_tables; t++)
		if (index->tables[t].n_columns)
			all[n++] = &index->tables[t];
	TS_SORT(all, n, compare_keys);
	for (size_t i = 1; i < n; i++)
		if (compare_keys(&all[i - 1], &all[i]) == 0)
			return ts_error_set(err, TS_DAMAGED, "two tables have the same keys");
	return TS_OK;
}

static enum ts_status check_whole(const struct ts_index *index, struct ts_arena *arena, struct ts_error *err)
{
	if (!is_complete(index))
		return ts_error_set(err, TS_DAMAGED, "the index ends inside a table or a file");
	for (size_t t = 1; t < index->n_tables; t++)
		if (ts_table_cmp(&index->tables[t - 1], &index->tables[t]) >= 0)
			return ts_error_set(err, TS_DAMAGED, "table %zu is not in order", t);
	if (index->n_tables < 2)
		return TS_OK;
	if (check_columns(index, arena, err))
		return err->status;
	return check_keys(index, arena, err);
}

static enum ts_status read_fixed(struct reader *r, bool *ret_more, struct ts_error *err)
{
	int32_t rank = (int32_t)ts_cursor_u32(&r->p.c);
	uint8_t more = ts_cursor_u8(&r->p.c);

	if (r->p.c.failed || more > 1 || rank < -1)
		return too_early(r, "rank", err);
	if (more && r->p.frame.nrefs == 0)
		return ts_error_set(err, TS_DAMAGED, "byte 8: no reference to the next object");
	if (r->index->chain.objects && rank != r->index->rank)
		return ts_error_set(err, TS_DAMAGED, "byte %zu: rank %d in the index of rank %d", ts_payload_at(&r->p),
				    rank, r->index->rank);
	r->index->rank = rank;
	*ret_more = more;
	return TS_OK;
}

/* Reads what follows the last record: the bytes used, the next object's id, and nothing else. */
static enum ts_status read_end(struct reader *r, bool more, struct ts_id *ret_next, struct ts_error *err)
{
	struct ts_index_chain *chain = &r->index->chain;
	size_t used = r->p.c.at - TS_INDEX_FIXED_BYTES + (size_t)r->p.refs_used * TS_ID_BYTES;

	if (used > TS_INDEX_ROOM)
		return ts_error_set(err, TS_DAMAGED, "byte 0: an index object of more than %d bytes", TS_INDEX_MAX);
	if (r->first && chain->objects)
		return ts_error_set(err, TS_DAMAGED, "byte 0: an object of a chain that adds nothing");
	if (more)
		ts_payload_ref(&r->p, ret_next);
	chain->spare = TS_INDEX_ROOM - used;
	chain->objects++;
	return ts_payload_end(&r->p, err);
}

enum ts_status ts_index_decode(struct ts_span object, struct ts_arena *arena, struct ts_index *index, bool *ret_more,
			       struct ts_id *ret_next, struct ts_error *err)
{
	struct reader r = {.arena = arena, .index = index, .first = true};
	struct ts_object frame;
	struct ts_id next_id = {{0}};
	bool more = false;

	if (ts_payload_open(object, TS_KIND_INDEX, TS_LAYOUT_BYTES, &frame, err))
		return err->status;
	r.p = ts_payload_of(&frame);
	if (read_fixed(&r, &more, err))
		return err->status;
	while (ts_cursor_left(&r.p.c))
		if (read_record(&r, err))
			return err->status;
	if (read_end(&r, more, &next_id, err) || (!more && check_whole(index, arena, err)))
		return err->status;
	*ret_more = more;
	if (more)
		*ret_next = next_id;
	return TS_OK;
}
