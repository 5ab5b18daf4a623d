#include "service/handlers/diff/diff_sketches.h"

#include "base/bisect.h"
#include "base/limits.h"
#include "run/sketch_sums.h"

#include <math.h>

_Static_assert((int)TS_SKETCH_SUMS == (int)TSCOPE_SKETCH_SUMS, "a sketch is stored as it is made");

/* This is 2^53: the whole numbers that ingest accepts are below it. */
#define WHOLE_MAX 9007199254740992.0

/* Of so many ranks the open blocks stay in memory between two steps. */
enum { OPEN_RANKS = 16 };

/* What every record has comes first, then what every sketch has. */
enum { STEP, NAME, KIND, NEEDED, COUNT = NEEDED, SQUARES, SUMS, SKETCHED, DTYPE = SKETCHED, NONFINITE, SHARD, OCCURRENCE, SAME, IDLE,
       COLUMNS };

static const struct {
	const char *name;
	enum ts_column_type type;
} known[COLUMNS] = {
	[STEP] = {"step", TS_COLUMN_F64},	    [NAME] = {"name", TS_COLUMN_TEXT},	  [KIND] = {"kind", TS_COLUMN_TEXT},
	[COUNT] = {"count", TS_COLUMN_F64},	    [SQUARES] = {"squares", TS_COLUMN_F64}, [SUMS] = {"sums", TS_COLUMN_TEXT},
	[DTYPE] = {"dtype", TS_COLUMN_TEXT},	    [NONFINITE] = {"nonfinite", TS_COLUMN_F64},
	[SHARD] = {"shard", TS_COLUMN_JSON},	    [OCCURRENCE] = {"occurrence", TS_COLUMN_F64},
	[SAME] = {"same", TS_COLUMN_TEXT},	    [IDLE] = {"idle", TS_COLUMN_JSON},
};

/* Reads a column, and keeps the block that was opened last. */
struct reader {
	const struct ts_table *table; /* NULL: no record has the column */
	const struct ts_column *column;
	size_t block; /* SIZE_MAX: none is open */
	int64_t *keys;
	uint64_t *words;
	struct ts_span *texts;
	struct ts_arena arena;
};

/* A rank of a run that has sketches. */
struct rank {
	int32_t rank;
	struct reader readers[COLUMNS];
	struct ts_op_executions executions;
	size_t at;
};

struct side {
	struct rank *ranks; /* ascending */
	size_t n;
};

struct comparing {
	struct ts_fetch *fetch;
	struct ts_arena arena;	 /* for the whole comparison */
	struct ts_arena scratch; /* for one step */
	struct side sides[TS_SKETCH_SIDES];
	struct ts_sketch_walk walk;
};

/* --- columns --- */

static enum ts_status damaged(const struct rank *r, int64_t key, const char *what, struct ts_error *err)
{
	return ts_error_set(err, TS_DAMAGED, "rank %" PRId32 ": record %" PRId64 " of the sketches has no %s", r->rank, key, what);
}

static void close_reader(struct reader *r)
{
	ts_arena_reset(&r->arena);
	r->block = SIZE_MAX;
}

static enum ts_status open_block(struct comparing *c, struct reader *r, size_t block, struct ts_error *err)
{
	const struct ts_block *b = &r->table->blocks[block];
	bool words = r->column->type == TS_COLUMN_F64;

	close_reader(r);
	r->keys = ts_arena_array(&r->arena, b->rows, sizeof *r->keys);
	r->words = ts_arena_array(&r->arena, words ? b->rows : 0, sizeof *r->words);
	r->texts = ts_arena_array(&r->arena, words ? 0 : b->rows, sizeof *r->texts);
	if (!r->keys || !r->words || !r->texts)
		return ts_arena_error(&r->arena, err);
	if (ts_fetch_block_keys(c->fetch, b, r->keys, err))
		return err->status;
	if (words ? ts_fetch_block_words(c->fetch, &r->column->blocks[block], TS_COLUMN_F64, b->rows, r->words, err)
		  : ts_fetch_block_text(c->fetch, &r->column->blocks[block], b->rows, &r->arena, r->texts, err))
		return err->status;
	r->block = block;
	return TS_OK;
}

/* Finds the first row whose key is not below the key. */
static size_t row_of(const int64_t *keys, size_t n, int64_t key)
{
	size_t at = 0;

	TS_BISECT(at, n, i, keys[i] < key);
	return at;
}

/* *ret_row is where the record has a value in the open block, or SIZE_MAX. */
static enum ts_status look_up(struct comparing *c, struct reader *r, int64_t key, size_t *ret_row, struct ts_error *err)
{
	size_t block, row;

	*ret_row = SIZE_MAX;
	if (!r->table)
		return TS_OK;
	block = ts_table_block_of(r->table, key);
	if (block == r->table->n_blocks || key < r->table->blocks[block].first_key)
		return TS_OK;
	if (block != r->block && open_block(c, r, block, err))
		return err->status;
	row = row_of(r->keys, r->table->blocks[block].rows, key);
	if (r->keys[row] == key)
		*ret_row = row;
	return TS_OK;
}

static double number_at(const struct reader *r, size_t row)
{
	double value;

	memcpy(&value, &r->words[row], sizeof value);
	return value;
}

static bool is_whole(double value, double least)
{
	return value >= least && value < WHOLE_MAX && value == floor(value);
}

/* --- ranks --- */

static bool find(const struct ts_index *index, struct rank *rank)
{
	for (size_t i = 0; i < COLUMNS; i++) {
		struct reader *r = &rank->readers[i];

		r->column = ts_index_column(index, TS_TABLE_SKETCHES, ts_span_str(known[i].name), known[i].type, &r->table);
		if (!r->column)
			r->table = NULL;
		if (i < NEEDED && (!r->table || r->table != rank->readers[0].table))
			return false;
		if (i == SUMS && !r->table)
			return false;
	}
	return true;
}

/* Records are numbered from 0 as they stand in the file, so their number is their key. */
static enum ts_status read_steps(struct comparing *c, struct rank *rank, struct ts_error *err)
{
	struct reader *r = &rank->readers[STEP];

	for (size_t block = 0; block < r->table->n_blocks; block++) {
		size_t rows = r->table->blocks[block].rows;
		int64_t *steps;

		if (open_block(c, r, block, err))
			return err->status;
		steps = ts_arena_array(&r->arena, rows, sizeof *steps);
		if (!steps)
			return ts_arena_error(&r->arena, err);
		for (size_t i = 0; i < rows; i++) {
			double step = number_at(r, i);

			if (!is_whole(step, 1 - WHOLE_MAX) || r->keys[i] < 0 || (uint64_t)r->keys[i] != rank->executions.records + i)
				return damaged(rank, r->keys[i], "step", err);
			steps[i] = (int64_t)step;
		}
		if (ts_op_executions_add(&rank->executions, steps, rows, &c->arena, err))
			return err->status;
	}
	ts_op_executions_settle(&rank->executions);
	close_reader(r);
	return TS_OK;
}

static enum ts_status open_side(struct comparing *c, const struct ts_run *run, struct side *s, struct ts_error *err)
{
	s->ranks = ts_arena_array(&c->arena, run->head.n_ranks, sizeof *s->ranks);
	if (!s->ranks)
		return ts_arena_error(&c->arena, err);
	for (size_t i = 0; i < run->head.n_ranks; i++) {
		struct rank *rank = &s->ranks[s->n];

		if (run->indexes[i].rank == TS_RANK_JOB || !find(&run->indexes[i], rank))
			continue;
		s->n++;
		rank->rank = run->indexes[i].rank;
		for (size_t k = 0; k < COLUMNS; k++) {
			ts_arena_init(&rank->readers[k].arena, 16 * (size_t)TS_OBJECT_MAX);
			rank->readers[k].block = SIZE_MAX;
		}
		if (read_steps(c, rank, err))
			return err->status;
	}
	return TS_OK;
}

static void close_side(struct side *s)
{
	for (size_t i = 0; i < s->n; i++)
		for (size_t k = 0; k < COLUMNS; k++)
			ts_arena_finish(&s->ranks[i].readers[k].arena);
}

/* --- a step --- */

/* Reads the numbers of a record: false where they are none that ingest accepts. */
static bool read_sketch(const struct rank *rank, const size_t rows[COLUMNS], struct tscope_sketch *ret)
{
	double count = number_at(&rank->readers[COUNT], rows[COUNT]), nonfinite = 0;

	if (rows[NONFINITE] != SIZE_MAX)
		nonfinite = number_at(&rank->readers[NONFINITE], rows[NONFINITE]);
	if (!is_whole(count, 0) || !is_whole(nonfinite, 0))
		return false;
	ret->count = (uint64_t)count;
	ret->nonfinite = (uint64_t)nonfinite;
	ret->squares = number_at(&rank->readers[SQUARES], rows[SQUARES]);
	return ret->squares >= 0 && ts_sketch_sums_parse(rank->readers[SUMS].texts[rows[SUMS]], ret->sums);
}

/* Looks up the columns of a record; those that its kind must have are there on success. */
static enum ts_status look_up_all(struct comparing *c, struct rank *rank, int64_t key, size_t rows[COLUMNS], struct ts_error *err)
{
	size_t needed = SKETCHED;

	if (look_up(c, &rank->readers[SAME], key, &rows[SAME], err))
		return err->status;
	needed = rows[SAME] == SIZE_MAX ? SKETCHED : NEEDED;
	for (size_t i = 0; i < COLUMNS; i++) {
		if (i != SAME && look_up(c, &rank->readers[i], key, &rows[i], err))
			return err->status;
		if (i < needed && rows[i] == SIZE_MAX)
			return damaged(rank, key, known[i].name, err);
	}
	return TS_OK;
}

static bool is_true(const struct rank *rank, const size_t rows[COLUMNS], size_t column)
{
	return rows[column] != SIZE_MAX && ts_span_is(rank->readers[column].texts[rows[column]], "true");
}

static enum ts_status add_record(struct comparing *c, enum ts_sketch_side side, struct rank *rank, int64_t key, struct ts_error *err)
{
	struct tscope_sketch sketch;
	struct ts_sketch_record record = {.rank = rank->rank, .occurrence = TS_SKETCH_COUNTED, .sketch = &sketch};
	size_t rows[COLUMNS];

	if (look_up_all(c, rank, key, rows, err))
		return err->status;
	if (rows[SAME] != SIZE_MAX)
		record.same = rank->readers[SAME].texts[rows[SAME]];
	if (record.same.len == 0 && (rows[SAME] != SIZE_MAX || !read_sketch(rank, rows, &sketch)))
		return damaged(rank, key, "valid sketch", err);
	record.name = rank->readers[NAME].texts[rows[NAME]];
	record.kind = rank->readers[KIND].texts[rows[KIND]];
	if (record.name.len > TS_PATH_MAX || record.kind.len > TS_PATH_MAX || record.same.len > TS_PATH_MAX)
		return damaged(rank, key, "short name", err);
	if (rows[DTYPE] != SIZE_MAX)
		record.dtype = rank->readers[DTYPE].texts[rows[DTYPE]];
	record.shard = is_true(rank, rows, SHARD);
	record.idle = is_true(rank, rows, IDLE);
	if (rows[OCCURRENCE] != SIZE_MAX) {
		double occurrence = number_at(&rank->readers[OCCURRENCE], rows[OCCURRENCE]);

		if (!is_whole(occurrence, 0))
			return damaged(rank, key, "valid occurrence", err);
		record.occurrence = (uint64_t)occurrence;
	}
	return ts_sketch_walk_add(&c->walk, side, &record, err);
}

/* The next step of a side that is not below the given one; false: it has no more. */
static bool next_step(struct side *s, int64_t least, int64_t *ret_step)
{
	bool any = false;

	for (size_t i = 0; i < s->n; i++) {
		struct rank *r = &s->ranks[i];

		while (r->at < r->executions.n && r->executions.items[r->at].step < least)
			r->at++;
		if (r->at == r->executions.n || (any && r->executions.items[r->at].step >= *ret_step))
			continue;
		*ret_step = r->executions.items[r->at].step;
		any = true;
	}
	return any;
}

static enum ts_status add_side(struct comparing *c, enum ts_sketch_side side, int64_t step, struct ts_error *err)
{
	struct side *s = &c->sides[side];
	int64_t there;

	if (!next_step(s, step, &there) || there != step)
		return TS_OK;
	for (size_t i = 0; i < s->n; i++) {
		struct rank *r = &s->ranks[i];
		const struct ts_op_execution *e = &r->executions.items[r->at];

		if (r->at == r->executions.n || e->step != step)
			continue;
		for (uint64_t k = 0; k < e->n; k++)
			if (add_record(c, side, r, (int64_t)(e->first + k), err))
				return err->status;
		for (size_t k = 0; s->n > OPEN_RANKS && k < COLUMNS; k++)
			close_reader(&r->readers[k]);
	}
	return TS_OK;
}

static enum ts_status walk_steps(struct comparing *c, struct ts_error *err)
{
	int64_t least = INT64_MIN, a, b;

	while (!c->walk.diff.has_first && next_step(&c->sides[TS_SKETCH_A], least, &a) &&
	       next_step(&c->sides[TS_SKETCH_B], least, &b)) {
		least = a > b ? a : b;
		if (a != b)
			continue;
		ts_sketch_walk_begin(&c->walk, a);
		for (int side = 0; side < TS_SKETCH_SIDES; side++)
			if (add_side(c, (enum ts_sketch_side)side, a, err))
				return err->status;
		if (ts_sketch_walk_end(&c->walk, err))
			return err->status;
		least = a + 1;
	}
	return ts_sketch_walk_finish(&c->walk, err);
}

/* --- all --- */

/* 0 where it was not recorded, or is no share. */
static double perturbation_of(const struct ts_run *run)
{
	const struct ts_fact *fact = run ? ts_facts_find(&run->head.facts, ts_span_str("work.perturbation")) : NULL;

	return fact && fact->type == TS_FACT_FLOAT && fact->real > 0 && fact->real < 1 ? fact->real : 0;
}

/* Why nothing was compared although rounding was asked for. */
static struct ts_span why_nothing(const struct comparing *c)
{
	static const char *const sides[] = {
		[TS_SKETCH_A] = "the first run has no sketches of tensors, so --rounding shows nothing; the package records them by "
				"run.sketch(model, optimizer)",
		[TS_SKETCH_B] = "the second run has no sketches of tensors, so --rounding shows nothing; the package records them by "
				"run.sketch(model, optimizer)"};

	for (int side = TS_SKETCH_A; side <= TS_SKETCH_B; side++)
		if (c->sides[side].n == 0)
			return ts_span_str(sides[side]);
	return ts_span_str("the two runs have no sketches of one tensor in one step, so --rounding shows nothing");
}

static enum ts_status compare(struct comparing *c, const struct ts_run *const runs[TS_SKETCH_SIDES], struct ts_arena *arena,
			      struct ts_sketch_diff *ret_sketches, struct ts_error *err)
{
	const struct ts_run *r = runs[TS_SKETCH_R];
	enum ts_status status;

	for (int side = 0; side < TS_SKETCH_SIDES; side++)
		if (runs[side] && open_side(c, runs[side], &c->sides[side], err))
			return ts_error_prefix(err, side == TS_SKETCH_A ? "the first run" :
						    side == TS_SKETCH_B ? "the second run" : "the run that shows rounding");
	if (ts_sketch_walk_init(&c->walk, r != NULL, perturbation_of(r), arena, &c->scratch, err))
		return err->status;
	status = walk_steps(c, err);
	ts_sketch_walk_drop(&c->walk);
	if (!status && r && !c->walk.diff.recorded)
		c->walk.diff.sentence = why_nothing(c);
	if (!status)
		*ret_sketches = c->walk.diff;
	return status;
}

enum ts_status ts_diff_sketches(struct ts_fetch *f, const struct ts_run *a, const struct ts_run *b, const struct ts_run *r,
				struct ts_arena *arena, struct ts_sketch_diff *ret_sketches, struct ts_error *err)
{
	const struct ts_run *const runs[TS_SKETCH_SIDES] = {[TS_SKETCH_A] = a, [TS_SKETCH_B] = b, [TS_SKETCH_R] = r};
	struct comparing c = {.fetch = f};
	enum ts_status status;

	ts_arena_init(&c.arena, TS_ANALYSIS_ARENA);
	ts_arena_init(&c.scratch, TS_ANALYSIS_ARENA);
	status = compare(&c, runs, arena, ret_sketches, err);
	for (int side = 0; side < TS_SKETCH_SIDES; side++)
		close_side(&c.sides[side]);
	ts_arena_finish(&c.scratch);
	ts_arena_finish(&c.arena);
	return status;
}
