#include "service/handlers/analyze_ranks.h"

#include "base/limits.h"
#include "service/handlers/run_steps.h"

/* Rows of a window, unless the blocks end before. */
enum { WINDOW_ROWS = 1 << TS_BLOCK_ROWS_LOG2 };

static const char PREFIX[] = "phases.";

bool ts_column_is_phase(const struct ts_column *column)
{
	return column->type == TS_COLUMN_F64 && ts_span_starts(column->name, ts_span_str(PREFIX));
}

struct ts_span ts_phase_name(const struct ts_column *column)
{
	size_t skip = sizeof PREFIX - 1;

	return ts_span_of(column->name.data + skip, column->name.len - skip);
}

bool ts_table_has_phase(const struct ts_table *table)
{
	for (size_t i = 0; i < table->n_columns; i++)
		if (table->kind == TS_TABLE_STEPS && ts_column_is_phase(&table->columns[i]))
			return true;
	return false;
}

static bool has_phases(const struct ts_index *index)
{
	for (size_t t = 0; t < index->n_tables; t++)
		if (ts_table_has_phase(&index->tables[t]))
			return true;
	return false;
}

/* --- aligned steps --- */

static size_t intersect(int64_t *a, size_t n_a, const int64_t *b, size_t n_b)
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

static enum ts_status steps_of_rank(struct ts_fetch *f, const struct ts_index *index, struct ts_arena *arena,
				    int64_t **ret_steps, size_t *ret_n, struct ts_error *err)
{
	struct ts_step_set set;

	if (ts_steps_of(index, ts_table_has_phase, arena, &set, err) ||
	    ts_steps_fetch(f, &set, arena, ret_steps, ret_n, err))
		return ts_error_prefix(err, "rank %d", index->rank);
	return TS_OK;
}

/* Leaves the steps that this rank has too. */
static enum ts_status align_rank(struct ts_ranks_in *in, const struct ts_index *index, struct ts_error *err)
{
	struct ts_arena work;
	enum ts_status status;
	int64_t *steps;
	size_t n;

	ts_arena_init(&work, TS_ANALYSIS_ARENA);
	status = steps_of_rank(in->fetch, index, &work, &steps, &n, err);
	if (!status)
		in->n_steps = intersect(in->steps, in->n_steps, steps, n);
	ts_arena_finish(&work);
	return status;
}

static enum ts_status align(struct ts_ranks_in *in, int64_t first, struct ts_arena *arena, struct ts_error *err)
{
	size_t cut = 0;

	if (in->n == 0)
		return TS_OK;
	if (steps_of_rank(in->fetch, in->indexes[0], arena, &in->steps, &in->n_steps, err))
		return err->status;
	while (cut < in->n_steps && in->steps[cut] < first)
		cut++;
	in->steps += cut;
	in->n_steps -= cut;
	for (size_t i = 1; i < in->n; i++)
		if (align_rank(in, in->indexes[i], err))
			return err->status;
	return TS_OK;
}

enum ts_status ts_ranks_align(struct ts_fetch *f, const struct ts_run *run, int64_t first, struct ts_arena *arena,
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
		if (has_phases(&run->indexes[i]))
			in.indexes[in.n++] = &run->indexes[i];
		else
			in.untimed[in.n_untimed++] = run->head.ranks[i].rank;
	}
	if (align(&in, first, arena, err))
		return err->status;
	*ret_in = in;
	return TS_OK;
}

/* --- windows --- */

struct feeding {
	const struct ts_ranks_in *in;
	struct ts_arena arena;	/* of the windows' values */
	struct ts_arena block;	/* of the block in hand */
	double *(*values)[TS_RANK_PHASES]; /* [rank][phase], NULL where the rank has none */
	size_t rows; /* room of each */
	const int64_t *steps; /* of the window */
	size_t n;
};

static enum ts_rank_phase phase_of(struct ts_span name)
{
	static const struct {
		const char *name;
		enum ts_rank_phase phase;
	} known[] = {
		{"data", TS_RANK_DATA},		  {"forward", TS_RANK_FORWARD}, {"backward", TS_RANK_BACKWARD},
		{"optimizer", TS_RANK_OPTIMIZER}, {"compute", TS_RANK_COMPUTE}, {"comm", TS_RANK_COMM},
	};

	for (size_t i = 0; i < sizeof known / sizeof known[0]; i++)
		if (ts_span_is(name, known[i].name))
			return known[i].phase;
	return TS_RANK_OTHER;
}

/* Which of the phases any table of the rank has. */
static void mark_phases(const struct ts_index *index, bool *has)
{
	for (size_t t = 0; t < index->n_tables; t++) {
		const struct ts_table *table = &index->tables[t];

		for (size_t i = 0; table->kind == TS_TABLE_STEPS && i < table->n_columns; i++)
			if (ts_column_is_phase(&table->columns[i]))
				has[phase_of(ts_phase_name(&table->columns[i]))] = true;
	}
}

static enum ts_status make_room(struct feeding *f, struct ts_error *err)
{
	const struct ts_ranks_in *in = f->in;
	bool(*has)[TS_RANK_PHASES] = ts_arena_array(&f->arena, in->n, sizeof *has);
	size_t columns = 0, most;

	f->values = ts_arena_array(&f->arena, in->n, sizeof *f->values);
	if (!has || !f->values)
		return ts_arena_error(&f->arena, err);
	memset(has, 0, in->n * sizeof *has);
	for (size_t r = 0; r < in->n; r++) {
		mark_phases(in->indexes[r], has[r]);
		for (size_t p = 0; p < TS_RANK_PHASES; p++)
			columns += has[r][p];
	}
	most = TS_RANK_WINDOW_BYTES / (columns * sizeof(double));
	f->rows = most < 1 ? 1 : most < WINDOW_ROWS ? most : WINDOW_ROWS;
	for (size_t r = 0; r < in->n; r++) {
		for (size_t p = 0; p < TS_RANK_PHASES; p++) {
			f->values[r][p] = has[r][p] ? ts_arena_array(&f->arena, f->rows, sizeof(double)) : NULL;
			if (has[r][p] && !f->values[r][p])
				return ts_arena_error(&f->arena, err);
		}
	}
	return TS_OK;
}

/* Where each row of a block stands in the window; -1: not in it. False: none does. */
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

/* Adds: several columns are one phase if their names are none of ours. */
static enum ts_status take_block(struct feeding *f, const struct ts_table *table, size_t b, double **values,
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
		double *to;

		if (!ts_column_is_phase(&table->columns[c]))
			continue;
		to = values[phase_of(ts_phase_name(&table->columns[c]))];
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

	for (size_t p = 0; p < TS_RANK_PHASES; p++)
		if (f->values[r][p])
			memset(f->values[r][p], 0, f->n * sizeof(double));
	for (size_t t = 0; t < index->n_tables; t++) {
		const struct ts_table *table = &index->tables[t];

		for (size_t b = 0; ts_table_has_phase(table) && b < table->n_blocks; b++) {
			const struct ts_block *block = &table->blocks[b];

			if (block->last_key < first || block->first_key > last)
				continue;
			if (take_block(f, table, b, f->values[r], err))
				return ts_error_prefix(err, "rank %d", index->rank);
		}
	}
	return TS_OK;
}

/* The longest table of phases of the first rank says where blocks end. */
static uint8_t block_log2(const struct ts_index *index)
{
	const struct ts_table *longest = NULL;

	for (size_t t = 0; t < index->n_tables; t++) {
		const struct ts_table *table = &index->tables[t];

		if (ts_table_has_phase(table) && (!longest || table->rows > longest->rows))
			longest = table;
	}
	return longest ? longest->key_log2 : 0;
}

/* As many of the steps from `from` on as there is room for, and as lie in one block. */
static size_t window_end(const struct feeding *f, size_t from, uint8_t log2)
{
	const struct ts_ranks_in *in = f->in;
	size_t end = from + 1;

	while (end < in->n_steps && end - from < f->rows && in->steps[end] >> log2 == in->steps[from] >> log2)
		end++;
	return end;
}

static enum ts_status feed(struct feeding *f, struct ts_ranks *r, struct ts_error *err)
{
	const struct ts_ranks_in *in = f->in;
	uint8_t log2 = block_log2(in->indexes[0]);

	if (make_room(f, err))
		return err->status;
	for (size_t from = 0; from < in->n_steps; from += f->n) {
		struct ts_rank_window window;

		f->steps = in->steps + from;
		f->n = window_end(f, from, log2 < 63 ? log2 : 62) - from;
		for (size_t k = 0; k < in->n; k++)
			if (take_rank(f, k, err))
				return err->status;
		window = (struct ts_rank_window){
			.steps = f->steps,
			.n = f->n,
			.phases = (const double *const(*)[TS_RANK_PHASES])f->values,
		};
		if (ts_ranks_window(r, &window, err))
			return err->status;
	}
	return TS_OK;
}

enum ts_status ts_ranks_feed(const struct ts_ranks_in *in, struct ts_ranks *r, struct ts_error *err)
{
	struct feeding f = {.in = in};
	enum ts_status status;

	if (in->n == 0 || in->n_steps == 0)
		return TS_OK;
	ts_arena_init(&f.arena, TS_ANALYSIS_ARENA);
	ts_arena_init(&f.block, TS_ANALYSIS_ARENA);
	status = feed(&f, r, err);
	ts_arena_finish(&f.arena);
	ts_arena_finish(&f.block);
	return status;
}
