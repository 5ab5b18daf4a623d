#include "service/handlers/analyze/rank_windows.h"

#include "base/limits.h"
#include "service/handlers/core/run_steps.h"

/* Number of rows in a window, unless the blocks end earlier. */
enum { WINDOW_ROWS = 1 << TS_BLOCK_ROWS_LOG2 };

/* --- aligned steps --- */

size_t ts_steps_intersect(int64_t *a, size_t n_a, const int64_t *b, size_t n_b)
{
	size_t kept = 0, at = 0;

	for (size_t i = 0; i < n_a; i++) {
		while (at < n_b && b[at] < a[i])
			at++;
		if (at < n_b && b[at] == a[i])
			a[kept++] = a[i];
	}
	return kept;
}

typedef bool ts_table_wanted(const struct ts_table *table);

static bool has_wanted(const struct ts_index *index, ts_table_wanted *want)
{
	for (size_t t = 0; t < index->n_tables; t++)
		if (index->tables[t].kind == TS_TABLE_STEPS && want(&index->tables[t]))
			return true;
	return false;
}

static enum ts_status steps_of_rank(struct ts_fetch *f, const struct ts_index *index, ts_table_wanted *want, struct ts_arena *arena,
				    int64_t **ret_steps, size_t *ret_n, struct ts_error *err)
{
	struct ts_step_set set;

	if (ts_steps_of(index, want, arena, &set, err) || ts_steps_fetch(f, &set, arena, ret_steps, ret_n, err))
		return ts_error_prefix(err, "rank %d", index->rank);
	return TS_OK;
}

/* Keeps only the steps that this rank has too. */
static enum ts_status align_rank(struct ts_ranks_in *in, const struct ts_index *index, ts_table_wanted *want, struct ts_error *err)
{
	struct ts_arena work;
	enum ts_status status;
	int64_t *steps;
	size_t n;

	ts_arena_init(&work, TS_ANALYSIS_ARENA);
	status = steps_of_rank(in->fetch, index, want, &work, &steps, &n, err);
	if (!status)
		in->n_steps = ts_steps_intersect(in->steps, in->n_steps, steps, n);
	ts_arena_finish(&work);
	return status;
}

static enum ts_status align(struct ts_ranks_in *in, ts_table_wanted *want, int64_t first, struct ts_arena *arena, struct ts_error *err)
{
	size_t cut = 0;

	if (in->n == 0)
		return TS_OK;
	if (steps_of_rank(in->fetch, in->indexes[0], want, arena, &in->steps, &in->n_steps, err))
		return err->status;
	while (cut < in->n_steps && in->steps[cut] < first)
		cut++;
	in->steps += cut;
	in->n_steps -= cut;
	for (size_t i = 1; i < in->n; i++)
		if (align_rank(in, in->indexes[i], want, err))
			return err->status;
	return TS_OK;
}

enum ts_status ts_rank_steps(struct ts_fetch *f, const struct ts_run *run, ts_table_wanted *want, int64_t first, struct ts_arena *arena,
			     struct ts_ranks_in *ret_in, struct ts_error *err)
{
	struct ts_ranks_in in = {.fetch = f};

	in.indexes = ts_arena_array(arena, run->head.n_ranks, sizeof(const struct ts_index *));
	in.untimed = ts_arena_array(arena, run->head.n_ranks, sizeof *in.untimed);
	if (!in.indexes || !in.untimed)
		return ts_arena_error(arena, err);
	for (size_t i = 0; i < run->head.n_ranks; i++) {
		if (run->head.ranks[i].rank == TS_RANK_JOB)
			continue;
		if (has_wanted(&run->indexes[i], want))
			in.indexes[in.n++] = &run->indexes[i];
		else
			in.untimed[in.n_untimed++] = run->head.ranks[i].rank;
	}
	if (align(&in, want, first, arena, err))
		return err->status;
	*ret_in = in;
	return TS_OK;
}

/* --- windows --- */

struct feeding {
	const struct ts_ranks_in *in;
	const struct ts_rank_slots *slots;
	struct ts_arena arena; /* for the values of the window */
	struct ts_arena block; /* for the open block */
	double **values;       /* [rank * slots + slot], NULL where the rank has none */
	size_t rows;	       /* room of each array */
	const int64_t *steps;  /* the steps of the window */
	size_t n;
};

static int slot_of(const struct feeding *f, const struct ts_table *table, size_t column)
{
	if (table->kind != TS_TABLE_STEPS || table->columns[column].type != TS_COLUMN_F64)
		return -1;
	return f->slots->of(f->slots->ctx, &table->columns[column]);
}

static bool is_used(const struct feeding *f, const struct ts_table *table)
{
	for (size_t i = 0; i < table->n_columns; i++)
		if (slot_of(f, table, i) >= 0)
			return true;
	return false;
}

/* Marks the slots that any table of the rank fills, and returns how many there are. */
static size_t mark_slots(const struct feeding *f, const struct ts_index *index, bool *has)
{
	size_t n = 0;

	for (size_t t = 0; t < index->n_tables; t++)
		for (size_t i = 0; i < index->tables[t].n_columns; i++) {
			int slot = slot_of(f, &index->tables[t], i);

			if (slot >= 0 && !has[slot]) {
				has[slot] = true;
				n++;
			}
		}
	return n;
}

static enum ts_status make_room(struct feeding *f, struct ts_error *err)
{
	const struct ts_ranks_in *in = f->in;
	size_t arrays = 0, most, slots = f->slots->n;
	bool *has = ts_arena_array(&f->arena, in->n, slots * sizeof *has);

	f->values = ts_arena_array(&f->arena, in->n, slots * sizeof(double *));
	if (!has || !f->values)
		return ts_arena_error(&f->arena, err);
	for (size_t r = 0; r < in->n; r++)
		arrays += mark_slots(f, in->indexes[r], has + r * slots);
	most = TS_RANK_WINDOW_BYTES / ((arrays ? arrays : 1) * sizeof(double));
	f->rows = most < 1 ? 1 : most < WINDOW_ROWS ? most : WINDOW_ROWS;
	for (size_t i = 0; i < in->n * slots; i++) {
		f->values[i] = has[i] ? ts_arena_array(&f->arena, f->rows, sizeof(double)) : NULL;
		if (has[i] && !f->values[i])
			return ts_arena_error(&f->arena, err);
	}
	return TS_OK;
}

/* Finds the place of each row of a block in the window, or -1 if it is not in it. Returns false if no row is. */
static bool place(const struct feeding *f, const int64_t *keys, size_t n, int32_t *at)
{
	size_t w = 0;
	bool any = false;

	for (size_t i = 0; i < n; i++) {
		while (w < f->n && f->steps[w] < keys[i])
			w++;
		at[i] = w < f->n && f->steps[w] == keys[i] ? (int32_t)w : -1;
		any |= at[i] >= 0;
	}
	return any;
}

static enum ts_status take_block(struct feeding *f, const struct ts_table *table, size_t b, double *const *values,
				 struct ts_error *err)
{
	const struct ts_block *block = &table->blocks[b];
	int64_t *keys;
	int32_t *at;
	double *column;

	ts_arena_reset(&f->block);
	keys = ts_arena_array(&f->block, block->rows, sizeof *keys);
	at = ts_arena_array(&f->block, block->rows, sizeof *at);
	column = ts_arena_array(&f->block, block->rows, sizeof *column);
	if (!keys || !at || !column)
		return ts_arena_error(&f->block, err);
	if (ts_fetch_block_keys(f->in->fetch, block, keys, err))
		return err->status;
	if (!place(f, keys, block->rows, at))
		return TS_OK;
	for (size_t c = 0; c < table->n_columns; c++) {
		int slot = slot_of(f, table, c);
		double *to = slot < 0 ? NULL : values[slot];

		if (!to)
			continue;
		if (ts_fetch_block_words(f->in->fetch, &table->columns[c].blocks[b], TS_COLUMN_F64, block->rows,
					 (uint64_t *)(void *)column, err))
			return err->status;
		for (size_t i = 0; i < block->rows; i++)
			if (at[i] >= 0)
				to[at[i]] += column[i];
	}
	return TS_OK;
}

static enum ts_status take_rank(struct feeding *f, size_t r, struct ts_error *err)
{
	const struct ts_index *index = f->in->indexes[r];
	int64_t first = f->steps[0], last = f->steps[f->n - 1];
	double *const *values = f->values + r * f->slots->n;

	for (size_t s = 0; s < f->slots->n; s++)
		if (values[s])
			memset(values[s], 0, f->n * sizeof(double));
	for (size_t t = 0; t < index->n_tables; t++) {
		const struct ts_table *table = &index->tables[t];

		if (!is_used(f, table))
			continue;
		for (size_t b = 0; b < table->n_blocks; b++) {
			const struct ts_block *block = &table->blocks[b];

			if (block->last_key < first || block->first_key > last)
				continue;
			if (take_block(f, table, b, values, err))
				return ts_error_prefix(err, "rank %d", index->rank);
		}
	}
	return TS_OK;
}

/* The longest table of the first rank determines where blocks end. */
static uint8_t block_log2(const struct feeding *f)
{
	const struct ts_index *index = f->in->indexes[0];
	const struct ts_table *longest = NULL;

	for (size_t t = 0; t < index->n_tables; t++) {
		const struct ts_table *table = &index->tables[t];

		if (is_used(f, table) && (!longest || table->rows > longest->rows))
			longest = table;
	}
	return longest ? longest->key_log2 : 62;
}

/* Returns the end of the window: as many steps from `from` on as fit, and as are in one block. */
static size_t window_end(const struct feeding *f, size_t from, uint8_t log2)
{
	const struct ts_ranks_in *in = f->in;
	size_t end = from + 1;

	while (end < in->n_steps && end - from < f->rows && in->steps[end] >> log2 == in->steps[from] >> log2)
		end++;
	return end;
}

static enum ts_status feed(struct feeding *f, ts_rank_window_sink *sink, void *ctx, struct ts_error *err)
{
	const struct ts_ranks_in *in = f->in;
	uint8_t log2 = block_log2(f);

	if (make_room(f, err))
		return err->status;
	for (size_t from = 0; from < in->n_steps; from += f->n) {
		f->steps = in->steps + from;
		f->n = window_end(f, from, log2 < 63 ? log2 : 62) - from;
		for (size_t k = 0; k < in->n; k++)
			if (take_rank(f, k, err))
				return err->status;
		if (sink(ctx, f->steps, f->n, f->values, err))
			return err->status;
	}
	return TS_OK;
}

enum ts_status ts_rank_windows(const struct ts_ranks_in *in, const struct ts_rank_slots *slots, ts_rank_window_sink *sink, void *ctx,
			       struct ts_error *err)
{
	struct feeding f = {.in = in, .slots = slots};
	enum ts_status status;

	if (in->n == 0 || in->n_steps == 0)
		return TS_OK;
	ts_arena_init(&f.arena, TS_ANALYSIS_ARENA);
	ts_arena_init(&f.block, TS_ANALYSIS_ARENA);
	status = feed(&f, sink, ctx, err);
	ts_arena_finish(&f.arena);
	ts_arena_finish(&f.block);
	return status;
}
