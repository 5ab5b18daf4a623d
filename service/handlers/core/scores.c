#include "service/handlers/core/scores.h"

#include "base/limits.h"
#include "base/order.h"
#include "run/lost.h"
#include "service/handlers/core/block_scores.h"

void ts_score_key(struct ts_span column, struct ts_extract_key *ret_key)
{
	static const char prefix[5] = "score";
	uint8_t text[sizeof prefix + 1 + TS_PATH_MAX];
	struct ts_id id;

	if (column.len > TS_PATH_MAX) { /* no run has such a column */
		ts_digest(column, &id);
		column = ts_span_of(id.bytes, sizeof id.bytes);
	}
	memcpy(text, prefix, sizeof prefix);
	text[sizeof prefix] = TS_SCORE_VERSION;
	if (column.len)
		memcpy(text + sizeof prefix + 1, column.data, column.len);
	ts_digest(ts_span_of(text, sizeof prefix + 1 + column.len), &id);
	memcpy(ret_key->bytes, id.bytes, sizeof ret_key->bytes);
}

void ts_score_mark(struct ts_extract_key *ret_key)
{
	ts_score_key(ts_span_of(NULL, 0), ret_key); /* no column has an empty name */
}

/* A column of a rank, and its score so far. */
struct entry {
	struct ts_span name;
	int32_t rank;
	const struct ts_table *table;
	const struct ts_column *column;
	struct ts_scoring scoring;
};

TS_ORDER(by_name, struct entry, TS_TEXT(name); TS_UP(rank))

TS_ORDER(by_table, struct entry, TS_UP(table); TS_THEN(by_name(a, b)))

/* Lists the columns of numbers of all ranks, each of the lowest rank that has it. */
static enum ts_status list_columns(const struct ts_run *run, struct ts_arena *arena, struct entry **ret_entries, size_t *ret_n,
				   struct ts_error *err)
{
	struct entry *entries = ts_arena_array(arena, ts_run_count_columns(run), sizeof *entries);
	size_t n = 0, kept = 0;

	if (!entries)
		return ts_arena_error(arena, err);
	for (size_t i = 0; i < run->head.n_ranks; i++)
		for (size_t t = 0; t < run->indexes[i].n_tables; t++) {
			const struct ts_table *table = &run->indexes[i].tables[t];

			for (size_t c = 0; c < table->n_columns && table->kind == TS_TABLE_STEPS; c++)
				if (table->columns[c].type == TS_COLUMN_F64)
					entries[n++] = (struct entry){.name = table->columns[c].name,
								      .rank = run->indexes[i].rank,
								      .table = table,
								      .column = &table->columns[c]};
		}
	TS_SORT(entries, n, by_name);
	for (size_t i = 0; i < n; i++)
		if (kept == 0 || !ts_span_eq(entries[kept - 1].name, entries[i].name))
			entries[kept++] = entries[i];
	*ret_entries = entries;
	*ret_n = kept;
	return TS_OK;
}

/* Room for one block. */
struct room {
	int64_t *keys;
	double *values, *norms;
};

static enum ts_status block_score(struct ts_fetch *f, const struct ts_id *id, size_t rows, double *values,
				  struct ts_block_score *ret_score, struct ts_error *err)
{
	if (ts_block_scores_find(id, ret_score))
		return TS_OK;
	if (ts_fetch_block_words(f, id, TS_COLUMN_F64, rows, (uint64_t *)(void *)values, err))
		return err->status;
	*ret_score = ts_block_score_of(ts_span_of(values, rows * sizeof *values));
	return TS_OK;
}

/* Takes losses of 0 that are none out of the score of a block (lost.h). */
static enum ts_status without_lost(struct ts_fetch *f, size_t b, const struct entry *loss, const struct entry *norm, struct room room,
				   struct ts_block_score *io_score, struct ts_error *err)
{
	size_t rows = loss->table->blocks[b].rows;
	struct ts_block_score norms;

	if (!norm || !ts_is_loss(loss->name) || io_score->count == 0 || io_score->min > 0)
		return TS_OK;
	if (block_score(f, &norm->column->blocks[b], rows, room.norms, &norms, err))
		return err->status;
	if (norms.nonfinite == 0)
		return TS_OK;
	if (ts_fetch_block_words(f, &loss->column->blocks[b], TS_COLUMN_F64, rows, (uint64_t *)(void *)room.values, err) ||
	    ts_fetch_block_words(f, &norm->column->blocks[b], TS_COLUMN_F64, rows, (uint64_t *)(void *)room.norms, err))
		return err->status;
	ts_lost_take(room.values, room.norms, rows);
	*io_score = ts_block_score_of(ts_span_of(room.values, rows * sizeof *room.values));
	return TS_OK;
}

static const struct entry *norm_of(const struct entry *entries, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (ts_is_loss_norm(entries[i].name))
			return &entries[i];
	return NULL;
}

/* Adds one block of a table to the scores of its columns. norm: that of them which is a gradient norm; may be NULL. */
static enum ts_status add_block(struct ts_fetch *f, size_t b, struct entry *entries, size_t n, const struct entry *norm,
				struct room room, struct ts_error *err)
{
	const struct ts_block *block = &entries[0].table->blocks[b];
	bool dense = block->last_key - block->first_key == (int64_t)block->rows - 1;

	if (!dense && ts_fetch_block_keys(f, block, room.keys, err))
		return err->status;
	for (size_t i = 0; i < n; i++) {
		struct ts_block_score score;

		if (block_score(f, &entries[i].column->blocks[b], block->rows, room.values, &score, err) ||
		    without_lost(f, b, &entries[i], norm, room, &score, err))
			return err->status;
		if ((size_t)score.count + score.nonfinite != block->rows)
			return ts_error_set(err, TS_DAMAGED, "a block has not as many rows as the index says");
		ts_scoring_add(&entries[i].scoring, &score, dense ? NULL : room.keys, block->first_key);
	}
	return TS_OK;
}

/* Entries are those of one table. */
static enum ts_status add_table(struct ts_fetch *f, struct entry *entries, size_t n, struct room room, struct ts_error *err)
{
	const struct entry *norm = norm_of(entries, n);

	for (size_t b = 0; b < entries[0].table->n_blocks; b++)
		if (add_block(f, b, entries, n, norm, room, err))
			return err->status;
	return TS_OK;
}

enum ts_status ts_scores_make(struct ts_fetch *f, const struct ts_run *run, struct ts_arena *arena, struct ts_scores *ret_scores,
			      struct ts_error *err)
{
	struct room room = {ts_arena_array(arena, TS_BLOCK_ROWS_MAX, sizeof *room.keys),
			    ts_arena_array(arena, TS_BLOCK_ROWS_MAX, sizeof *room.values),
			    ts_arena_array(arena, TS_BLOCK_ROWS_MAX, sizeof *room.norms)};
	struct ts_scores scores = {0};
	struct entry *entries;
	size_t n, to;

	if (!room.keys || !room.values || !room.norms)
		return ts_arena_error(arena, err);
	if (list_columns(run, arena, &entries, &n, err))
		return err->status;
	TS_SORT(entries, n, by_table);
	for (size_t from = 0; from < n; from = to) {
		for (to = from + 1; to < n && entries[to].table == entries[from].table;)
			to++;
		if (add_table(f, entries + from, to - from, room, err))
			return err->status;
	}
	TS_SORT(entries, n, by_name);
	scores.items = ts_arena_array(arena, n, sizeof *scores.items);
	if (!scores.items)
		return ts_arena_error(arena, err);
	for (size_t i = 0; i < n; i++)
		scores.items[scores.n++] =
			(struct ts_column_score){entries[i].name, entries[i].rank, ts_scoring_end(&entries[i].scoring)};
	*ret_scores = scores;
	return TS_OK;
}

enum ts_status ts_scores_extracts(const struct ts_scores *scores, struct ts_arena *arena, struct ts_extract **ret_extracts,
				  size_t *ret_n, struct ts_error *err)
{
	struct ts_extract *extracts = ts_arena_array(arena, scores->n + 1, sizeof *extracts);
	enum ts_status status = TS_OK;

	if (!extracts)
		return ts_arena_error(arena, err);
	for (size_t i = 0; i < scores->n && !status; i++) {
		struct ts_buf bytes = TS_BUF_INIT(TS_SCORE_BYTES);

		ts_score_key(scores->items[i].name, &extracts[i].key);
		ts_score_encode(&scores->items[i].score, &bytes);
		status = ts_buf_check(&bytes, err);
		if (!status)
			extracts[i].value = ts_arena_span(arena, ts_buf_view(&bytes));
		if (!status && !extracts[i].value.data)
			status = ts_arena_error(arena, err);
		ts_buf_finish(&bytes);
	}
	if (status)
		return status;
	ts_score_mark(&extracts[scores->n].key);
	extracts[scores->n].value = ts_span_of(NULL, 0);
	*ret_extracts = extracts;
	*ret_n = scores->n + 1;
	return TS_OK;
}

enum ts_status ts_scores_kept(struct ts_fetch *f, const struct ts_id *run, bool *ret_kept, struct ts_error *err)
{
	struct ts_engine *engine = f->call->engine;
	struct ts_extract_key mark;
	struct ts_arena arena;
	struct ts_error mine;
	struct ts_span value;
	enum ts_status status;

	ts_score_mark(&mark);
	ts_arena_init(&arena, TS_CALL_ARENA);
	status = engine->ops->extract_get(engine, &mark, run, &arena, &value, &mine);
	ts_arena_finish(&arena);
	if (status && status != TS_NOT_FOUND) {
		*err = mine;
		return status;
	}
	*ret_kept = !status;
	return TS_OK;
}

enum ts_status ts_scores_verify(struct ts_fetch *f, const struct ts_run *run, struct ts_arena *arena, struct ts_error *err)
{
	struct ts_engine *engine = f->call->engine;
	struct ts_extract *extracts;
	struct ts_scores scores;
	bool kept;
	size_t n;

	if (ts_scores_kept(f, &run->id, &kept, err))
		return err->status;
	if (!kept)
		return TS_OK;
	if (ts_scores_make(f, run, arena, &scores, err) || ts_scores_extracts(&scores, arena, &extracts, &n, err))
		return err->status;
	for (size_t i = 0; i < scores.n; i++) {
		struct ts_span value = ts_span_of(NULL, 0);
		enum ts_status status = engine->ops->extract_get(engine, &extracts[i].key, &run->id, arena, &value, err);

		if (status && status != TS_NOT_FOUND)
			return status;
		if (status || !ts_span_eq(value, extracts[i].value))
			return ts_error_set(err, TS_DAMAGED,
					    "what a list shows of %.*s is not what its steps say; pushing it again mends that",
					    TS_SPAN_ARG(scores.items[i].name));
	}
	return TS_OK;
}

/* Keeps scores where that can be done; elsewhere they are computed again when they are asked for. */
static void keep(struct ts_fetch *f, const struct ts_id *run, const struct ts_scores *scores, struct ts_arena *arena)
{
	struct ts_engine *engine = f->call->engine;
	struct ts_extract *extracts;
	struct ts_error ignored;
	size_t n;

	if (!ts_scores_extracts(scores, arena, &extracts, &n, &ignored))
		(void)engine->ops->extracts_put(engine, &(struct ts_extracts){*run, extracts, n}, 1, &ignored);
}

/* Reads what is kept of a run that has the mark. *ret_all is false if something is missing, because it was damaged. */
static enum ts_status read_kept(struct ts_fetch *f, const struct ts_run *run, struct ts_arena *arena, struct ts_scores *ret_scores,
				bool *ret_all, struct ts_error *err)
{
	struct ts_engine *engine = f->call->engine;
	struct ts_scores scores = {0};
	struct entry *entries;
	size_t n;

	if (list_columns(run, arena, &entries, &n, err))
		return err->status;
	scores.items = ts_arena_array(arena, n, sizeof *scores.items);
	if (!scores.items)
		return ts_arena_error(arena, err);
	for (; scores.n < n; scores.n++) {
		struct ts_column_score *item = &scores.items[scores.n];
		struct ts_extract_key key;
		struct ts_span value;
		struct ts_error mine;

		*item = (struct ts_column_score){.name = entries[scores.n].name, .rank = entries[scores.n].rank};
		ts_score_key(item->name, &key);
		if (engine->ops->extract_get(engine, &key, &run->id, arena, &value, &mine) || !ts_score_decode(value, &item->score))
			break;
	}
	*ret_all = scores.n == n;
	*ret_scores = scores;
	return TS_OK;
}

enum ts_status ts_scores_of(struct ts_fetch *f, const struct ts_run *run, struct ts_arena *arena, struct ts_scores *ret_scores,
			    struct ts_error *err)
{
	struct ts_scores scores;
	bool has, all = false;

	if (ts_scores_kept(f, &run->id, &has, err) || (has && read_kept(f, run, arena, &scores, &all, err)))
		return err->status;
	if (!all) {
		if (ts_scores_make(f, run, arena, &scores, err))
			return err->status;
		keep(f, &run->id, &scores, arena);
	}
	*ret_scores = scores;
	return TS_OK;
}
