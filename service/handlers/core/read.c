#include "service/handlers/core/read.h"

#include "base/bisect.h"
#include "base/door.h"
#include "base/limits.h"
#include "base/object.h"
#include "run/block.h"

void ts_fetch_init(struct ts_fetch *f, const struct ts_call *call)
{
	*f = (struct ts_fetch){.call = call};
	/* The scratch arena holds one sealed block and one unsealed, with the memory that decoding a text block needs. */
	ts_arena_init(&f->scratch, 16 * (size_t)TS_OBJECT_MAX);
}

void ts_fetch_finish(struct ts_fetch *f)
{
	ts_arena_finish(&f->scratch);
}

enum ts_status ts_fetch_object(struct ts_fetch *f, const struct ts_id *id, struct ts_arena *arena,
			       struct ts_span *ret_object, struct ts_error *err)
{
	struct ts_engine *engine = f->call->engine;
	struct ts_sealed sealed;

	if (ts_call_check(f->call, err))
		return err->status;
	if (engine->ops->get(engine, id, arena, &sealed, err))
		return err->status;
	return ts_unseal(&sealed, arena, ret_object, err);
}

/* Fetches one object of a run. A missing object means that the store is damaged. */
enum ts_status ts_fetch_source(void *fetch, const struct ts_id *id, struct ts_arena *arena, struct ts_span *ret_object,
			       struct ts_error *err)
{
	return ts_fetch_object(fetch, id, arena, ret_object, err);
}

static enum ts_status fetch_part(struct ts_fetch *f, const struct ts_id *id, struct ts_arena *arena,
				 struct ts_span *ret_object, struct ts_error *err)
{
	if (ts_fetch_object(f, id, arena, ret_object, err) == TS_OK)
		return TS_OK;
	if (err->status != TS_NOT_FOUND)
		return err->status;
	f->missing = true;
	ts_error_set(err, TS_DAMAGED, "it is part of a run and is missing from the store");
	return ts_object_error(id, err);
}

static enum ts_status decode_index(struct ts_fetch *f, int32_t rank, struct ts_id id, struct ts_arena *arena,
				   struct ts_index *ret_index, struct ts_error *err)
{
	struct ts_index index = {.rank = rank};
	bool more = true;

	while (more) {
		struct ts_span object;
		struct ts_id next;

		if (fetch_part(f, &id, arena, &object, err))
			return err->status;
		if (ts_index_decode(object, arena, &index, &more, &next, err))
			return ts_object_error(&id, err);
		if (index.rank != rank) {
			ts_error_set(err, TS_DAMAGED, "an index of rank %d where the run says rank %d", index.rank, rank);
			return ts_object_error(&id, err);
		}
		if (more)
			id = next;
	}
	*ret_index = index;
	return TS_OK;
}

static enum ts_status wrong_table(const struct ts_table *table, const char *where, const struct ts_id *id, struct ts_error *err)
{
	(void)ts_error_set(err, TS_DAMAGED, "a table of %s in %s", ts_table_word(table->kind), where);
	return ts_object_error(id, err);
}

static enum ts_status open_index(struct ts_fetch *f, const struct ts_rank_ref *ref, struct ts_arena *arena, struct ts_index *ret_index,
				 struct ts_error *err)
{
	if (decode_index(f, ref->rank, ref->index, arena, ret_index, err))
		return err->status;
	for (size_t i = 0; i < ret_index->n_tables; i++)
		if (ret_index->tables[i].kind > TS_TABLE_RANK_KINDS)
			return wrong_table(&ret_index->tables[i], "the index of a rank", &ref->index, err);
	return TS_OK;
}

enum ts_status ts_run_columns(struct ts_fetch *f, const struct ts_file *file, struct ts_arena *arena, struct ts_index *ret_index,
			      struct ts_error *err)
{
	if (decode_index(f, TS_RANK_JOB, file->columns, arena, ret_index, err))
		return err->status;
	for (size_t i = 0; i < ret_index->n_tables; i++)
		if (ret_index->tables[i].kind <= TS_TABLE_RANK_KINDS)
			return wrong_table(&ret_index->tables[i], "the columns of a file", &file->columns, err);
	if (!ret_index->n_files && !ret_index->facts.n)
		return TS_OK;
	(void)ts_error_set(err, TS_DAMAGED, "files or facts in the columns of a file");
	return ts_object_error(&file->columns, err);
}

enum ts_status ts_run_open(struct ts_fetch *f, const struct ts_id *id, struct ts_arena *arena, struct ts_run *ret_run,
			   struct ts_error *err)
{
	struct ts_run run = {.id = *id};
	struct ts_span object;

	if (ts_fetch_object(f, id, arena, &object, err))
		return err->status;
	if (ts_head_decode(object, arena, &run.head, err))
		return ts_object_error(id, err);
	run.indexes = ts_arena_array(arena, run.head.n_ranks, sizeof *run.indexes);
	if (!run.indexes)
		return ts_arena_error(arena, err);
	for (size_t i = 0; i < run.head.n_ranks; i++)
		if (open_index(f, &run.head.ranks[i], arena, &run.indexes[i], err))
			return err->status;
	*ret_run = run;
	return TS_OK;
}

const struct ts_index *ts_run_rank(const struct ts_run *run, int32_t rank)
{
	size_t at = 0;

	TS_BISECT(at, run->head.n_ranks, i, run->head.ranks[i].rank < rank);
	return at < run->head.n_ranks && run->head.ranks[at].rank == rank ? &run->indexes[at] : NULL;
}

size_t ts_run_count_columns(const struct ts_run *run)
{
	size_t n = 0;

	for (size_t i = 0; i < run->head.n_ranks; i++)
		for (size_t t = 0; t < run->indexes[i].n_tables; t++)
			n += run->indexes[i].tables[t].n_columns;
	return n;
}

uint64_t ts_run_count_rows(const struct ts_run *run)
{
	uint64_t n = 0;

	for (size_t i = 0; i < run->head.n_ranks; i++)
		for (size_t t = 0; t < run->indexes[i].n_tables; t++)
			n += run->indexes[i].tables[t].rows;
	return n;
}

/* When several sources have a fact with the same path, the last one is effective. */
static size_t next_effective(const struct ts_facts *facts, size_t at)
{
	while (at + 1 < facts->n && ts_span_eq(facts->items[at].path, facts->items[at + 1].path))
		at++;
	return at;
}

enum ts_status ts_run_facts(const struct ts_run *run, const struct ts_index *index, struct ts_arena *arena,
			    struct ts_facts *ret_facts, struct ts_error *err)
{
	const struct ts_facts *head = &run->head.facts, *rank = index ? &index->facts : &(struct ts_facts){.n = 0};
	struct ts_facts out = {.n = 0};
	size_t a = 0, b = 0;

	TS_DOOR(!index || ts_index_holds(index));
	out.items = ts_arena_array(arena, head->n + rank->n, sizeof *out.items);
	if (!out.items)
		return ts_arena_error(arena, err);
	while (a < head->n || b < rank->n) {
		int c = a == head->n ? 1 : (b == rank->n ? -1 : ts_span_cmp(head->items[a].path, rank->items[b].path));

		if (c <= 0)
			a = next_effective(head, a) + 1;
		if (c >= 0)
			b = next_effective(rank, b) + 1;
		if (c < 0)
			out.items[out.n++] = head->items[a - 1];
		else if (rank->items[b - 1].type != TS_FACT_ABSENT)
			out.items[out.n++] = rank->items[b - 1];
	}
	*ret_facts = out;
	return TS_OK;
}

enum ts_status ts_fetch_block_keys(struct ts_fetch *f, const struct ts_block *block, int64_t *out, struct ts_error *err)
{
	struct ts_span object;

	ts_arena_reset(&f->scratch);
	if (fetch_part(f, &block->keys, &f->scratch, &object, err))
		return err->status;
	if (ts_block_keys_decode(object, block->rows, out, err))
		return ts_object_error(&block->keys, err);
	if (out[0] != block->first_key || out[block->rows - 1] != block->last_key) {
		ts_error_set(err, TS_DAMAGED,
			     "has keys %" PRId64 " to %" PRId64 ", the index says %" PRId64 " to %" PRId64, out[0],
			     out[block->rows - 1], block->first_key, block->last_key);
		return ts_object_error(&block->keys, err);
	}
	return TS_OK;
}

static enum ts_status read_f64(struct ts_fetch *f, const struct ts_id *id, size_t rows, double *out,
			       struct ts_error *err)
{
	struct ts_span object;

	ts_arena_reset(&f->scratch);
	if (fetch_part(f, id, &f->scratch, &object, err))
		return err->status;
	return ts_block_f64_decode(object, rows, out, err) ? ts_object_error(id, err) : TS_OK;
}

static enum ts_status read_u64(struct ts_fetch *f, const struct ts_id *id, size_t rows, uint64_t *out,
			       struct ts_error *err)
{
	struct ts_span object;

	ts_arena_reset(&f->scratch);
	if (fetch_part(f, id, &f->scratch, &object, err))
		return err->status;
	return ts_block_u64_decode(object, rows, out, err) ? ts_object_error(id, err) : TS_OK;
}

enum ts_status ts_fetch_block_words(struct ts_fetch *f, const struct ts_id *id, enum ts_column_type type, size_t rows,
				    uint64_t *out, struct ts_error *err)
{
	/* The bits of a double are read through the same 8 bytes: the code is built with -fno-strict-aliasing. */
	return type == TS_COLUMN_F64 ? read_f64(f, id, rows, (double *)(void *)out, err)
				     : read_u64(f, id, rows, out, err);
}

enum ts_status ts_fetch_block_text(struct ts_fetch *f, const struct ts_id *id, size_t rows, struct ts_arena *arena,
				   struct ts_span *out, struct ts_error *err)
{
	struct ts_span object;

	if (fetch_part(f, id, arena, &object, err))
		return err->status;
	return ts_block_text_decode(object, rows, arena, out, err) ? ts_object_error(id, err) : TS_OK;
}

enum ts_status ts_fetch_text_rows(struct ts_fetch *f, const struct ts_table *table, const struct ts_column *column, size_t b,
				  struct ts_arena *arena, int64_t **ret_keys, struct ts_span **ret_texts, struct ts_error *err)
{
	const struct ts_block *block = &table->blocks[b];
	int64_t *keys = ts_arena_array(arena, block->rows, sizeof *keys);
	struct ts_span *texts = ts_arena_array(arena, block->rows, sizeof *texts);

	TS_DOOR(ts_table_holds(table));
	if (!keys || !texts)
		return ts_arena_error(arena, err);
	if (ts_fetch_block_keys(f, block, keys, err) || ts_fetch_block_text(f, &column->blocks[b], block->rows, arena, texts, err))
		return err->status;
	*ret_keys = keys;
	*ret_texts = texts;
	return TS_OK;
}

/* Allocates room for one cell of `size` bytes for each row. It is not zeroed, because the caller fills it. */
static void *column_room(const struct ts_table *table, size_t size, struct ts_arena *arena)
{
	if (table->rows > SIZE_MAX / size)
		return NULL;
	return ts_arena_alloc(arena, (size_t)table->rows * size);
}

enum ts_status ts_fetch_keys(struct ts_fetch *f, const struct ts_table *table, struct ts_arena *arena,
			     int64_t **ret_keys, struct ts_error *err)
{
	int64_t *keys = column_room(table, sizeof *keys, arena), *at = keys;

	TS_DOOR(ts_table_holds(table));
	if (!keys)
		return ts_arena_error(arena, err);
	for (size_t i = 0; i < table->n_blocks; at += table->blocks[i++].rows)
		if (ts_fetch_block_keys(f, &table->blocks[i], at, err))
			return err->status;
	*ret_keys = keys;
	return TS_OK;
}

enum ts_status ts_fetch_f64(struct ts_fetch *f, const struct ts_table *table, const struct ts_column *column,
			    struct ts_arena *arena, double **ret_values, struct ts_error *err)
{
	double *values = column_room(table, sizeof *values, arena), *at = values;

	TS_DOOR(ts_table_holds(table));
	if (!values)
		return ts_arena_error(arena, err);
	for (size_t i = 0; i < table->n_blocks; at += table->blocks[i++].rows)
		if (read_f64(f, &column->blocks[i], table->blocks[i].rows, at, err))
			return err->status;
	*ret_values = values;
	return TS_OK;
}

enum ts_status ts_fetch_u64(struct ts_fetch *f, const struct ts_table *table, const struct ts_column *column,
			    struct ts_arena *arena, uint64_t **ret_values, struct ts_error *err)
{
	uint64_t *values = column_room(table, sizeof *values, arena), *at = values;

	TS_DOOR(ts_table_holds(table));
	if (!values)
		return ts_arena_error(arena, err);
	for (size_t i = 0; i < table->n_blocks; at += table->blocks[i++].rows)
		if (read_u64(f, &column->blocks[i], table->blocks[i].rows, at, err))
			return err->status;
	*ret_values = values;
	return TS_OK;
}
