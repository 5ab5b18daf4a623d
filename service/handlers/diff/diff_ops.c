#include "service/handlers/diff/diff_ops.h"

#include "base/bisect.h"
#include "base/limits.h"
#include "base/text.h"
#include "run/builder_dictionary.h"

#include <math.h>

/* This is 2^53: the whole numbers that ingest accepts are below it. */
#define WHOLE_MAX 9007199254740992.0

/* The columns that a rank recorded. step, name and out are in one table, that of the records; the others may lack
 * records, or be absent. */
struct recorded {
	const struct ts_table *table;
	const struct ts_column *step, *name, *out;
	const struct ts_table *in_table, *occurrence_table; /* NULL: no record has the column */
	const struct ts_column *in, *occurrence;
};

/* Reads a column, and keeps the block that was opened last. */
struct reader {
	const struct ts_table *table; /* NULL: there is no such column */
	const struct ts_column *column;
	size_t block; /* SIZE_MAX: none is open */
	size_t row;   /* the row of the last key that was found */
	int64_t *keys;
	uint64_t *words;
};

/* Numbers of names, found by where the text of a name is in the block: each text is there once, however many records have it. */
struct memo {
	struct ts_span text;
	uint32_t number;
};

enum { MEMO_LOG2 = 11 };

/* One rank of one run, while it is read. */
struct side {
	struct recorded what;
	struct ts_op_executions executions; /* items[at..n) are not compared yet; the last may continue in the next block of steps */
	size_t at;
	size_t step_block;   /* the next block of steps */
	uint64_t longest;    /* length of the longest execution */
	uint64_t *first_row; /* of each block of records */
	size_t block;	     /* the open block of records */
	int64_t *keys;	     /* the keys of its records */
	uint64_t *out;
	uint32_t *names;
	struct memo *memo; /* 2^MEMO_LOG2 entries, for the open block */
	uint64_t *step_words; /* the words of the block of steps that was read last */
	int64_t *steps;
	struct ts_arena texts;
	struct reader in, occurrence;
	/* The records of the current step, with room for the longest execution. */
	struct ts_op_records records;
	uint32_t *r_names;
	uint64_t *r_occurrences, *r_in, *r_out;
	bool *r_has_in;
};

struct comparing {
	struct ts_fetch *fetch;
	struct ts_arena arena;	 /* for one rank */
	struct ts_arena scratch; /* for one step */
	struct ts_dictionary *names;
	struct side a, b;
	uint64_t equal_rows; /* number of equal records at the beginning */
	bool apart;
};

/* --- the recorded columns --- */

static bool find(const struct ts_index *index, struct recorded *ret_what)
{
	const struct ts_table *of_step, *of_name;
	struct recorded w = {.table = NULL};

	w.step = ts_index_column(index, TS_TABLE_DIGESTS, ts_span_str("step"), TS_COLUMN_F64, &of_step);
	w.name = ts_index_column(index, TS_TABLE_DIGESTS, ts_span_str("name"), TS_COLUMN_TEXT, &of_name);
	w.out = ts_index_column(index, TS_TABLE_DIGESTS, ts_span_str("out"), TS_COLUMN_U64, &w.table);
	if (!w.step || !w.name || !w.out || of_step != w.table || of_name != w.table)
		return false;
	w.in = ts_index_column(index, TS_TABLE_DIGESTS, ts_span_str("in"), TS_COLUMN_U64, &w.in_table);
	w.occurrence = ts_index_column(index, TS_TABLE_DIGESTS, ts_span_str("occurrence"), TS_COLUMN_F64, &w.occurrence_table);
	if (!w.in)
		w.in_table = NULL;
	if (!w.occurrence)
		w.occurrence_table = NULL;
	*ret_what = w;
	return true;
}

static bool same_block(const struct ts_table *a, const struct ts_table *b, size_t i)
{
	return a->blocks[i].rows == b->blocks[i].rows && ts_id_eq(&a->blocks[i].keys, &b->blocks[i].keys);
}

static bool same_values(const struct ts_column *a, const struct ts_column *b, size_t i)
{
	return ts_id_eq(&a->blocks[i], &b->blocks[i]);
}

/* Returns the first key at which two columns may differ, or INT64_MAX if they are the same. */
static int64_t differs_from(const struct ts_table *ta, const struct ts_column *a, const struct ts_table *tb,
			    const struct ts_column *b)
{
	size_t n_a = a ? ta->n_blocks : 0, n_b = b ? tb->n_blocks : 0, i = 0;
	int64_t key = INT64_MAX;

	while (i < n_a && i < n_b && same_block(ta, tb, i) && same_values(a, b, i))
		i++;
	if (i < n_a)
		key = ta->blocks[i].first_key;
	if (i < n_b && tb->blocks[i].first_key < key)
		key = tb->blocks[i].first_key;
	return key;
}

/* Returns the number of equal records at the beginning; *ret_whole: all records are equal. */
static uint64_t equal_rows(const struct recorded *a, const struct recorded *b, bool *ret_whole)
{
	int64_t in = differs_from(a->in_table, a->in, b->in_table, b->in);
	int64_t occurrence = differs_from(a->occurrence_table, a->occurrence, b->occurrence_table, b->occurrence);
	int64_t upto = in < occurrence ? in : occurrence;
	uint64_t rows = 0;
	size_t i = 0;

	for (; i < a->table->n_blocks && i < b->table->n_blocks; i++) {
		if (!same_block(a->table, b->table, i) || !same_values(a->step, b->step, i) ||
		    !same_values(a->name, b->name, i) || !same_values(a->out, b->out, i) ||
		    a->table->blocks[i].last_key >= upto)
			break;
		rows += a->table->blocks[i].rows;
	}
	*ret_whole = upto == INT64_MAX && i == a->table->n_blocks && i == b->table->n_blocks;
	return rows;
}

/* --- executions --- */

static bool is_whole(double v, double least)
{
	return v >= least && v < WHOLE_MAX && v == floor(v);
}

static enum ts_status read_steps(struct comparing *c, const struct side *s, size_t block, struct ts_error *err)
{
	const struct ts_block *b = &s->what.table->blocks[block];

	if (ts_fetch_block_words(c->fetch, &s->what.step->blocks[block], TS_COLUMN_F64, b->rows, s->step_words, err))
		return err->status;
	for (size_t i = 0; i < b->rows; i++) {
		double step;

		memcpy(&step, &s->step_words[i], sizeof step);
		if (!is_whole(step, 1 - WHOLE_MAX))
			return ts_error_set(err, TS_DAMAGED, "record %" PRIu64 " of the digests has no step",
					    s->first_row[block] + i);
		s->steps[i] = (int64_t)step;
	}
	return TS_OK;
}

/* Finds whether steps ever go back, and how long the longest execution is. */
static enum ts_status look_over(struct comparing *c, struct side *s, bool *ret_back, struct ts_error *err)
{
	int64_t last = INT64_MIN;
	uint64_t length = 0;

	*ret_back = false;
	for (size_t i = 0; i < s->what.table->n_blocks; i++) {
		if (read_steps(c, s, i, err))
			return err->status;
		for (size_t k = 0; k < s->what.table->blocks[i].rows; k++) {
			*ret_back |= s->steps[k] < last;
			length = s->steps[k] == last ? length + 1 : 1;
			last = s->steps[k];
			if (length > s->longest)
				s->longest = length;
		}
	}
	return TS_OK;
}

/* Drops the executions that were compared, and adds those of one more block. */
static enum ts_status refill(struct comparing *c, struct side *s, struct ts_error *err)
{
	struct ts_op_executions *all = &s->executions;

	all->n -= s->at;
	if (all->n && s->at)
		memmove(all->items, all->items + s->at, all->n * sizeof *all->items);
	s->at = 0;
	if (read_steps(c, s, s->step_block, err))
		return err->status;
	return ts_op_executions_add(all, s->steps, s->what.table->blocks[s->step_block++].rows, &c->arena, err);
}

/* Where steps go back, all executions must be known before it is clear whether the first one counts. */
static enum ts_status start(struct comparing *c, struct side *s, struct ts_error *err)
{
	bool back;

	if (look_over(c, s, &back, err))
		return err->status;
	while (back && s->step_block < s->what.table->n_blocks)
		if (refill(c, s, err))
			return err->status;
	ts_op_executions_settle(&s->executions);
	return TS_OK;
}

/* *ret_next is NULL at the end. The last known execution may continue in the next block. */
static enum ts_status look(struct comparing *c, struct side *s, const struct ts_op_execution **ret_next, struct ts_error *err)
{
	while (s->executions.n - s->at < 2 && s->step_block < s->what.table->n_blocks)
		if (refill(c, s, err))
			return err->status;
	*ret_next = s->at < s->executions.n ? &s->executions.items[s->at] : NULL;
	return TS_OK;
}

/* --- records --- */

static enum ts_status number_of(struct comparing *c, struct side *s, struct ts_span text, uint32_t *ret_number,
				struct ts_error *err)
{
	struct memo *m = &s->memo[(uint64_t)(uintptr_t)text.data * UINT64_C(0x9e3779b97f4a7c15) >> (64 - MEMO_LOG2)];

	if (m->text.data != text.data || m->text.len != text.len) {
		if (ts_dictionary_code(c->names, text, &m->number, err))
			return err->status;
		m->text = text;
	}
	*ret_number = m->number;
	return TS_OK;
}

static enum ts_status open_block(struct comparing *c, struct side *s, size_t block, struct ts_error *err)
{
	const struct ts_block *b = &s->what.table->blocks[block];
	struct ts_span *texts;

	s->block = SIZE_MAX;
	ts_arena_reset(&s->texts);
	texts = ts_arena_array(&s->texts, b->rows, sizeof *texts);
	if (!texts)
		return ts_arena_error(&s->texts, err);
	if (ts_fetch_block_keys(c->fetch, b, s->keys, err) ||
	    ts_fetch_block_words(c->fetch, &s->what.out->blocks[block], TS_COLUMN_U64, b->rows, s->out, err) ||
	    ts_fetch_block_text(c->fetch, &s->what.name->blocks[block], b->rows, &s->texts, texts, err))
		return err->status;
	memset(s->memo, 0, sizeof *s->memo << MEMO_LOG2);
	for (size_t i = 0; i < b->rows; i++)
		if (number_of(c, s, texts[i], &s->names[i], err))
			return err->status;
	s->block = block;
	return TS_OK;
}

/* Finds the block that holds a row. */
static size_t block_of_row(const struct side *s, uint64_t row)
{
	size_t at = 0;

	TS_BISECT(at, s->what.table->n_blocks, i, s->first_row[i] <= row);
	return at ? at - 1 : 0;
}

static enum ts_status open_reader(struct comparing *c, struct reader *r, size_t block, struct ts_error *err)
{
	const struct ts_block *b = &r->table->blocks[block];

	r->block = SIZE_MAX;
	if (ts_fetch_block_keys(c->fetch, b, r->keys, err) ||
	    ts_fetch_block_words(c->fetch, &r->column->blocks[block], r->column->type, b->rows, r->words, err))
		return err->status;
	r->block = block;
	r->row = 0;
	return TS_OK;
}

/* Reads the value that a record has, if any. Within a step, callers ask for keys in ascending order. */
static enum ts_status value_at(struct comparing *c, struct reader *r, int64_t key, bool *ret_has, uint64_t *ret_word,
			       struct ts_error *err)
{
	const struct ts_block *open = r->block == SIZE_MAX ? NULL : &r->table->blocks[r->block];

	*ret_has = false;
	if (!open || key < open->first_key || key > open->last_key) {
		size_t block = ts_table_block_of(r->table, key);

		if (block == r->table->n_blocks || key < r->table->blocks[block].first_key)
			return TS_OK;
		if (open_reader(c, r, block, err))
			return err->status;
	}
	if (r->keys[r->row] > key)
		r->row = 0;
	while (r->keys[r->row] < key)
		r->row++;
	*ret_has = r->keys[r->row] == key;
	*ret_word = *ret_has ? r->words[r->row] : 0;
	return TS_OK;
}

static enum ts_status take_record(struct comparing *c, struct side *s, size_t row, size_t at, struct ts_error *err)
{
	int64_t key = s->keys[row];
	uint64_t word;
	bool has;

	s->r_names[at] = s->names[row];
	s->r_out[at] = s->out[row];
	s->r_occurrences[at] = TS_OP_COUNTED;
	s->r_has_in[at] = false;
	if (s->in.table && value_at(c, &s->in, key, &s->r_has_in[at], &s->r_in[at], err))
		return err->status;
	if (!s->occurrence.table)
		return TS_OK;
	if (value_at(c, &s->occurrence, key, &has, &word, err))
		return err->status;
	if (has) {
		double said;

		memcpy(&said, &word, sizeof said);
		if (!is_whole(said, 0))
			return ts_error_set(err, TS_DAMAGED, "record %" PRId64 " of the digests has no occurrence",
					    key);
		s->r_occurrences[at] = (uint64_t)said;
	}
	return TS_OK;
}

static enum ts_status load(struct comparing *c, struct side *s, const struct ts_op_execution *e, struct ts_error *err)
{
	size_t block = block_of_row(s, e->first), at = 0;

	for (; at < e->n; block++) {
		size_t row = (size_t)(e->first + at - s->first_row[block]);

		if (s->block != block && open_block(c, s, block, err))
			return err->status;
		for (; at < e->n && row < s->what.table->blocks[block].rows; row++)
			if (take_record(c, s, row, at++, err))
				return err->status;
	}
	s->records.n = at;
	return TS_OK;
}

/* --- one rank --- */

static bool make_reader(struct reader *r, const struct ts_table *table, const struct ts_column *column, struct ts_arena *arena)
{
	*r = (struct reader){.table = table, .column = column, .block = SIZE_MAX};
	if (!table)
		return true;
	r->keys = ts_arena_alloc(arena, TS_BLOCK_ROWS_MAX * sizeof *r->keys);
	r->words = ts_arena_alloc(arena, TS_BLOCK_ROWS_MAX * sizeof *r->words);
	return r->keys && r->words;
}

static bool make_side(struct side *s, const struct recorded *what, struct ts_arena *arena)
{
	uint64_t row = 0;

	s->what = *what;
	s->block = SIZE_MAX;
	s->first_row = ts_arena_array(arena, what->table->n_blocks, sizeof *s->first_row);
	s->keys = ts_arena_alloc(arena, TS_BLOCK_ROWS_MAX * sizeof *s->keys);
	s->out = ts_arena_alloc(arena, TS_BLOCK_ROWS_MAX * sizeof *s->out);
	s->names = ts_arena_alloc(arena, TS_BLOCK_ROWS_MAX * sizeof *s->names);
	s->memo = ts_arena_alloc(arena, sizeof *s->memo << MEMO_LOG2);
	s->step_words = ts_arena_alloc(arena, TS_BLOCK_ROWS_MAX * sizeof *s->step_words);
	s->steps = ts_arena_alloc(arena, TS_BLOCK_ROWS_MAX * sizeof *s->steps);
	if (!s->first_row || !s->keys || !s->out || !s->names || !s->memo || !s->step_words || !s->steps ||
	    !make_reader(&s->in, what->in_table, what->in, arena) ||
	    !make_reader(&s->occurrence, what->occurrence_table, what->occurrence, arena))
		return false;
	for (size_t i = 0; i < what->table->n_blocks; i++) {
		s->first_row[i] = row;
		row += what->table->blocks[i].rows;
	}
	return true;
}

static bool make_records(struct side *s, struct ts_arena *arena)
{
	s->r_names = ts_arena_array(arena, s->longest, sizeof *s->r_names);
	s->r_occurrences = ts_arena_array(arena, s->longest, sizeof *s->r_occurrences);
	s->r_has_in = ts_arena_array(arena, s->longest, sizeof *s->r_has_in);
	s->r_in = ts_arena_array(arena, s->longest, sizeof *s->r_in);
	s->r_out = ts_arena_array(arena, s->longest, sizeof *s->r_out);
	s->records = (struct ts_op_records){.names = s->r_names,
					    .occurrences = s->r_occurrences,
					    .has_in = s->r_has_in,
					    .in = s->r_in,
					    .out = s->r_out};
	return s->r_names && s->r_occurrences && s->r_has_in && s->r_in && s->r_out;
}

/* Compares a step that both runs recorded. */
static enum ts_status compare_step(struct comparing *c, struct ts_op_walk *walk, struct ts_error *err)
{
	const struct ts_op_execution a = c->a.executions.items[c->a.at], b = c->b.executions.items[c->b.at];

	c->a.at++;
	c->b.at++;
	if (a.first == b.first && a.n == b.n && a.first + a.n <= c->equal_rows) {
		walk->compared += a.n;
		return TS_OK;
	}
	if (load(c, &c->a, &a, err) || load(c, &c->b, &b, err))
		return err->status;
	return ts_op_walk_step(walk, a.step, &c->a.records, &c->b.records, err);
}

static enum ts_status walk_steps(struct comparing *c, struct ts_op_walk *walk, struct ts_error *err)
{
	for (;;) {
		const struct ts_op_execution *a, *b;

		if (look(c, &c->a, &a, err) || look(c, &c->b, &b, err))
			return err->status;
		if (!a && !b)
			return TS_OK;
		if (a && b && a->step == b->step) {
			if (compare_step(c, walk, err))
				return err->status;
			continue;
		}
		c->apart = true;
		if (a && (!b || a->step < b->step))
			c->a.at++;
		else
			c->b.at++;
	}
}

/* Compares one rank; all ranks use the same memory in turn. Blocks that are the same are not opened. */
static enum ts_status compare_rank(struct comparing *c, struct ts_op_walk *walk, const struct recorded *a,
				   const struct recorded *b, struct ts_error *err)
{
	bool whole;

	c->equal_rows = equal_rows(a, b, &whole);
	if (whole) {
		walk->compared = c->equal_rows;
		return TS_OK;
	}
	ts_dictionary_reset(c->names);
	ts_arena_reset(&c->arena);
	c->a = (struct side){.texts = c->a.texts};
	c->b = (struct side){.texts = c->b.texts};
	if (!make_side(&c->a, a, &c->arena) || !make_side(&c->b, b, &c->arena))
		return ts_arena_error(&c->arena, err);
	if (start(c, &c->a, err) || start(c, &c->b, err))
		return err->status;
	if (!make_records(&c->a, &c->arena) || !make_records(&c->b, &c->arena))
		return ts_arena_error(&c->arena, err);
	return walk_steps(c, walk, err);
}

/* A name longer than ingest accepts is cut between characters. */
static struct ts_span name_of(const struct comparing *c, uint32_t number)
{
	return ts_utf8_cut(ts_dictionary_entry(c->names, number), TS_PATH_MAX);
}

static enum ts_status diff_rank(struct comparing *c, const struct ts_index *a, const struct ts_index *b,
				struct ts_op_diff *ops, struct ts_arena *arena, struct ts_error *err)
{
	struct recorded of_a, of_b;
	bool has_a = find(a, &of_a), has_b = find(b, &of_b);
	struct ts_op_walk walk;

	c->apart |= has_a != has_b;
	if (!has_a || !has_b)
		return TS_OK;
	ts_op_walk_init(&walk, a->rank, &c->scratch);
	if (compare_rank(c, &walk, &of_a, &of_b, err))
		return ts_error_prefix(err, "rank %d", a->rank);
	if (walk.parts)
		walk.row.name = name_of(c, walk.row_name);
	if (walk.has_apart)
		walk.apart.name = name_of(c, walk.apart_name);
	if (walk.has_apart && walk.has_after)
		walk.apart.after = name_of(c, walk.after_name);
	return ts_op_diff_add(ops, &walk, arena, err);
}

static enum ts_status diff_ranks(struct comparing *c, const struct ts_run *a, const struct ts_run *b,
				 struct ts_op_diff *ops, struct ts_arena *arena, struct ts_error *err)
{
	static const struct ts_index nothing = {.rank = TS_RANK_JOB};
	const struct ts_index *job_a = ts_run_rank(a, TS_RANK_JOB), *job_b = ts_run_rank(b, TS_RANK_JOB);

	for (size_t i = 0; i < a->head.n_ranks; i++) {
		const struct ts_index *of_b = ts_run_rank(b, a->head.ranks[i].rank);

		if (of_b && of_b->rank != TS_RANK_JOB && diff_rank(c, &a->indexes[i], of_b, ops, arena, err))
			return err->status;
	}
	return diff_rank(c, job_a ? job_a : &nothing, job_b ? job_b : &nothing, ops, arena, err);
}

enum ts_status ts_diff_ops(struct ts_fetch *f, const struct ts_run *a, const struct ts_run *b, struct ts_arena *arena,
			   struct ts_op_diff *ret_ops, bool *ret_apart, struct ts_error *err)
{
	struct ts_op_diff ops = {.n = 0};
	struct comparing c = {.fetch = f, .names = ts_dictionary_create(err)};
	enum ts_status status;

	if (!c.names)
		return err->status;
	ts_arena_init(&c.arena, TS_ANALYSIS_ARENA);
	ts_arena_init(&c.scratch, TS_ANALYSIS_ARENA);
	ts_arena_init(&c.a.texts, 16 * (size_t)TS_OBJECT_MAX);
	ts_arena_init(&c.b.texts, 16 * (size_t)TS_OBJECT_MAX);
	status = diff_ranks(&c, a, b, &ops, arena, err);
	ts_arena_finish(&c.a.texts);
	ts_arena_finish(&c.b.texts);
	ts_arena_finish(&c.scratch);
	ts_arena_finish(&c.arena);
	ts_dictionary_destroy(c.names);
	if (!status) {
		*ret_ops = ops;
		*ret_apart = c.apart || ops.only_a || ops.only_b;
	}
	return status;
}
