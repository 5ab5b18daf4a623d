#include "service/handlers/runs/extend.h"

#include "base/limits.h"
#include "base/text.h"
#include "service/handlers/runs/executed_again.h"

#include <stdio.h>

struct compared {
	struct ts_fetch *f;
	char *reason;
	bool extends;
};

__attribute__((format(printf, 2, 3))) static void refuse(struct compared *c, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	(void)vsnprintf(c->reason, TS_EXTEND_REASON, format, args);
	va_end(args);
	c->extends = false;
}

/* Text of another origin, escaped and cut for a reason. */
struct shown {
	char text[128];
};

static struct shown show(struct ts_span name)
{
	struct shown out;
	size_t at = 0, len = 0;
	char piece[TS_ESCAPE_TEXT];

	while (at < name.len) {
		size_t n = ts_escape_next(name, &at, piece);

		if (len + n >= sizeof out.text)
			break;
		memcpy(out.text + len, piece, n);
		len += n;
	}
	out.text[len] = '\0';
	return out;
}

/* One side of a column: the block that is open, and the current row. */
struct side {
	const struct ts_table *table;
	const struct ts_column *column;
	struct ts_arena arena; /* for the open block */
	size_t block;
	uint32_t row;
	bool open;
	int64_t *keys;
	uint64_t *words;
	struct ts_span *texts;
};

static bool is_text(const struct side *s)
{
	return s->column->type == TS_COLUMN_TEXT || s->column->type == TS_COLUMN_JSON;
}

static enum ts_status open_block(struct ts_fetch *f, struct side *s, struct ts_error *err)
{
	const struct ts_block *b = &s->table->blocks[s->block];
	const struct ts_id *id = &s->column->blocks[s->block];

	if (s->open)
		return TS_OK;
	ts_arena_reset(&s->arena);
	s->keys = ts_arena_array(&s->arena, b->rows, sizeof *s->keys);
	s->words = ts_arena_array(&s->arena, b->rows, sizeof *s->words);
	s->texts = ts_arena_array(&s->arena, b->rows, sizeof *s->texts);
	if (!s->keys || !s->words || !s->texts)
		return ts_arena_error(&s->arena, err);
	if (ts_fetch_block_keys(f, b, s->keys, err))
		return err->status;
	if (is_text(s) ? ts_fetch_block_text(f, id, b->rows, &s->arena, s->texts, err)
		       : ts_fetch_block_words(f, id, s->column->type, b->rows, s->words, err))
		return err->status;
	s->open = true;
	return TS_OK;
}

static void advance(struct side *s, uint32_t rows)
{
	s->row += rows;
	if (s->row < s->table->blocks[s->block].rows)
		return;
	s->block++;
	s->row = 0;
	s->open = false;
}

static bool same_block(const struct side *a, const struct side *b)
{
	const struct ts_block *x = &a->table->blocks[a->block], *y = &b->table->blocks[b->block];

	return a->row == 0 && b->row == 0 && x->rows == y->rows && ts_id_eq(&x->keys, &y->keys) &&
	       ts_id_eq(&a->column->blocks[a->block], &b->column->blocks[b->block]);
}

static bool same_row(const struct side *a, const struct side *b, uint32_t i)
{
	if (a->keys[a->row + i] != b->keys[b->row + i])
		return false;
	if (is_text(a))
		return ts_span_eq(a->texts[a->row + i], b->texts[b->row + i]);
	return a->words[a->row + i] == b->words[b->row + i];
}

/* Whether the old row is an execution that the new run superseded. */
static bool is_superseded(const struct ts_executed_again *again, const struct side *a)
{
	return ts_was_executed_with(again, a->keys[a->row], is_text(a) ? 0 : a->words[a->row],
				    is_text(a) ? a->texts[a->row] : ts_span_str(""));
}

static const char *key_word(enum ts_table_kind kind)
{
	if (kind == TS_TABLE_PIPELINE || kind == TS_TABLE_EVENTS)
		return "event";
	return kind == TS_TABLE_DIGESTS || kind == TS_TABLE_SKETCHES ? "record" : "step";
}

/* Compares a row of a run with that of the run that executed steps again. A row that was replaced is among those that the new run
 * superseded; one that came is of a step that it executed again, or lies before one that was replaced. */
static void compare_again(struct compared *c, struct side *a, struct side *b, const struct ts_executed_again *again, int32_t rank)
{
	int64_t old_step = a->keys[a->row], new_step = b->keys[b->row];

	if (same_row(a, b, 0) || (old_step == new_step && is_superseded(again, a))) {
		advance(a, 1);
		advance(b, 1);
	} else if (old_step < new_step && is_superseded(again, a)) {
		advance(a, 1);
	} else if (old_step > new_step && (ts_was_executed_again(again, new_step) || is_superseded(again, a))) {
		advance(b, 1);
	} else {
		refuse(c, "rank %d column %s differs at step %" PRId64, rank, show(a->column->name).text, old_step);
	}
}

/* Compares as many rows as both open blocks have left. */
static enum ts_status compare_rows(struct compared *c, struct side *a, struct side *b, const struct ts_executed_again *again,
				   int32_t rank, struct ts_error *err)
{
	uint32_t left_a, left_b, n;

	if (open_block(c->f, a, err) || open_block(c->f, b, err))
		return err->status;
	if (again->n_all) {
		compare_again(c, a, b, again, rank);
		return TS_OK;
	}
	left_a = a->table->blocks[a->block].rows - a->row;
	left_b = b->table->blocks[b->block].rows - b->row;
	n = left_a < left_b ? left_a : left_b;
	for (uint32_t i = 0; i < n; i++)
		if (!same_row(a, b, i)) {
			refuse(c, "rank %d column %s differs at %s %" PRId64, rank, show(a->column->name).text,
			       key_word(a->table->kind), a->keys[a->row + i]);
			return TS_OK;
		}
	advance(a, n);
	advance(b, n);
	return TS_OK;
}

/* The new run has no further row: those of the old one that are left have to be superseded. */
static enum ts_status compare_rest(struct compared *c, struct side *a, const struct ts_executed_again *again, int32_t rank,
				   struct ts_error *err)
{
	while (c->extends && a->block < a->table->n_blocks) {
		if (open_block(c->f, a, err))
			return err->status;
		if (is_superseded(again, a))
			advance(a, 1);
		else
			refuse(c, "rank %d column %s no longer has step %" PRId64, rank, show(a->column->name).text, a->keys[a->row]);
	}
	return TS_OK;
}

static enum ts_status compare_column(struct compared *c, struct side *a, struct side *b, const struct ts_executed_again *again,
				     int32_t rank, struct ts_error *err)
{
	while (c->extends && a->block < a->table->n_blocks) {
		if (b->block == b->table->n_blocks && again->n_all) {
			return compare_rest(c, a, again, rank, err);
		} else if (b->block == b->table->n_blocks) {
			refuse(c, "rank %d column %s has only %" PRIu64 " of its %" PRIu64 " rows", rank,
			       show(a->column->name).text, b->table->rows, a->table->rows);
		} else if (same_block(a, b)) {
			advance(a, a->table->blocks[a->block].rows);
			advance(b, b->table->blocks[b->block].rows);
		} else if (compare_rows(c, a, b, again, rank, err)) {
			return err->status;
		}
	}
	return TS_OK;
}

static enum ts_status check_column(struct compared *c, const struct ts_table *table, const struct ts_column *column,
				   const struct ts_index *new_index, struct ts_error *err)
{
	struct side a = {.table = table, .column = column}, b = {.table = NULL};
	struct ts_executed_again again = {.n = 0};
	struct ts_arena superseded;
	enum ts_status status;

	b.column = ts_index_column(new_index, table->kind, column->name, column->type, &b.table);
	ts_arena_init(&a.arena, TS_CALL_ARENA);
	ts_arena_init(&b.arena, TS_CALL_ARENA);
	ts_arena_init(&superseded, TS_ANALYSIS_ARENA);
	status = table->kind == TS_TABLE_STEPS ? ts_executed_again(c->f, new_index, column, &superseded, &again, err) : TS_OK;
	if (!status && !b.column && !again.n)
		refuse(c, "rank %d no longer has column %s", new_index->rank, show(column->name).text);
	else if (!status)
		status = b.column ? compare_column(c, &a, &b, &again, new_index->rank, err)
				  : compare_rest(c, &a, &again, new_index->rank, err);
	ts_arena_finish(&superseded);
	ts_arena_finish(&a.arena);
	ts_arena_finish(&b.arena);
	return status;
}

/* Which execution a row is of says tscope and not the run: what seemed to begin one may turn out to be a row out of order. */
static bool is_own(const struct ts_column *column)
{
	return column->type == TS_COLUMN_F64 && ts_span_is(column->name, "segment");
}

static enum ts_status check_tables(struct compared *c, const struct ts_index *old_index,
				   const struct ts_index *new_index, struct ts_error *err)
{
	for (size_t t = 0; t < old_index->n_tables; t++) {
		const struct ts_table *table = &old_index->tables[t];

		if (table->kind == TS_TABLE_SUPERSEDED)
			continue;
		for (size_t i = 0; c->extends && i < table->n_columns; i++)
			if (!is_own(&table->columns[i]) && check_column(c, table, &table->columns[i], new_index, err))
				return err->status;
	}
	return TS_OK;
}

static bool is_files_alone(const struct ts_run *run)
{
	for (size_t i = 0; i < run->head.n_ranks; i++)
		if (run->indexes[i].n_tables)
			return false;
	return true;
}

/* Files whose columns are kept: traces and snapshots. */
static void check_files(struct compared *c, const struct ts_index *old_index, const struct ts_index *new_index)
{
	for (size_t i = 0; c->extends && i < old_index->n_files; i++) {
		const struct ts_file *file = &old_index->files[i], *now = NULL;

		for (size_t k = 0; k < new_index->n_files && !now; k++)
			now = ts_span_eq(new_index->files[k].name, file->name) ? &new_index->files[k] : NULL;
		if (file->has_columns && (!now || !now->has_columns || !ts_id_eq(&now->columns, &file->columns)))
			refuse(c, "rank %d %s file %s", old_index->rank, now ? "has another" : "no longer has", show(file->name).text);
	}
}

/* Facts below these are counted or summed up as the run goes on. */
static const char *const counted[] = {"work.modes.", "determinism.changed.", "other.summary."};

/* Returns whether a fact may change while a run continues: where and for how long it runs, how many of its ranks are
 * here, the number format of its log, as more rows show it, and what is counted as it goes on. */
static bool may_change(struct ts_span path)
{
	enum ts_group group;

	for (size_t i = 0; i < sizeof counted / sizeof *counted; i++)
		if (ts_span_starts(path, ts_span_str(counted[i])))
			return true;
	return ts_group_of(path, &group) &&
	       (group == TS_GROUP_SESSION || group == TS_GROUP_PARALLELISM || group == TS_GROUP_COLUMNS);
}

static void check_facts(struct compared *c, int32_t rank, const struct ts_facts *old_facts,
			const struct ts_facts *new_facts)
{
	for (size_t i = 0; c->extends && i < old_facts->n; i++) {
		const struct ts_fact *fact = &old_facts->items[i];
		const struct ts_fact *now = ts_facts_find(new_facts, fact->path);

		if (may_change(fact->path) || (now && ts_fact_same(fact, now)))
			continue;
		refuse(c, "rank %d fact %s %s", rank, show(fact->path).text, now ? "has changed" : "is missing");
	}
}

static enum ts_status check_rank(struct compared *c, const struct ts_run *old_run, const struct ts_index *old_index,
				 const struct ts_run *new_run, struct ts_error *err)
{
	const struct ts_index *new_index = ts_run_rank(new_run, old_index->rank);
	struct ts_facts old_facts, new_facts;
	struct ts_arena arena;
	enum ts_status status;

	if (!new_index) {
		refuse(c, "it does not have rank %d", old_index->rank);
		return TS_OK;
	}
	ts_arena_init(&arena, TS_CALL_ARENA);
	status = ts_run_facts(old_run, old_index, &arena, &old_facts, err);
	if (!status)
		status = ts_run_facts(new_run, new_index, &arena, &new_facts, err);
	if (!status && old_index->rank != TS_RANK_JOB)
		check_facts(c, old_index->rank, &old_facts, &new_facts);
	ts_arena_finish(&arena);
	if (!status && c->extends && is_files_alone(old_run))
		check_files(c, old_index, new_index);
	return status ? status : check_tables(c, old_index, new_index, err);
}

enum ts_status ts_run_extends(struct ts_fetch *f, const struct ts_run *old_run, const struct ts_run *new_run,
			      bool *ret_extends, char reason[TS_EXTEND_REASON], struct ts_error *err)
{
	struct compared c = {.f = f, .reason = reason, .extends = true};

	for (size_t i = 0; c.extends && i < old_run->head.n_ranks; i++)
		if (check_rank(&c, old_run, &old_run->indexes[i], new_run, err))
			return err->status;
	*ret_extends = c.extends;
	return TS_OK;
}
