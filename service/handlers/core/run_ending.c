#include "service/handlers/core/run_ending.h"

#include "base/clock.h"
#include "base/limits.h"
#include "service/handlers/core/each_ref.h"

#include <math.h>

/* This is 2^53: the whole numbers that ingest accepts are below it. */
#define WHOLE_MAX 9007199254740992.0

/* The last events of a rank, in columns that need not be there. */
struct last_events {
	size_t n;
	int64_t first; /* the key of the first */
	struct ts_span *names, *texts;
	double *steps;
};

/* Gives each event of the last block its value of the column that is named; the column has a block of its own. */
static enum ts_status read_texts(struct ts_fetch *f, const struct ts_index *index, const char *name, const struct last_events *e,
				 struct ts_arena *arena, struct ts_span *out, struct ts_error *err)
{
	const struct ts_table *table;
	const struct ts_column *column = ts_index_column(index, TS_TABLE_EVENTS, ts_span_str(name), TS_COLUMN_TEXT, &table);
	const struct ts_block *block = column && table->n_blocks ? &table->blocks[table->n_blocks - 1] : NULL;
	struct ts_span *texts;
	int64_t *keys;

	if (!block || block->last_key < e->first)
		return TS_OK;
	if (ts_fetch_text_rows(f, table, column, table->n_blocks - 1, arena, &keys, &texts, err))
		return err->status;
	for (size_t i = 0; i < block->rows; i++)
		if (keys[i] >= e->first && (uint64_t)(keys[i] - e->first) < e->n)
			out[keys[i] - e->first] = texts[i];
	return TS_OK;
}

static enum ts_status read_steps(struct ts_fetch *f, const struct ts_index *index, const struct last_events *e, struct ts_arena *arena,
				 struct ts_error *err)
{
	const struct ts_table *table;
	const struct ts_column *column = ts_index_column(index, TS_TABLE_EVENTS, ts_span_str("step"), TS_COLUMN_F64, &table);
	const struct ts_block *block = column && table->n_blocks ? &table->blocks[table->n_blocks - 1] : NULL;
	double *values;
	int64_t *keys;

	for (size_t i = 0; i < e->n; i++)
		e->steps[i] = NAN;
	if (!block || block->last_key < e->first)
		return TS_OK;
	values = ts_arena_array(arena, block->rows, sizeof *values);
	keys = ts_arena_array(arena, block->rows, sizeof *keys);
	if (!values || !keys)
		return ts_arena_error(arena, err);
	if (ts_fetch_block_keys(f, block, keys, err) ||
	    ts_fetch_block_words(f, &column->blocks[table->n_blocks - 1], TS_COLUMN_F64, block->rows, (uint64_t *)values, err))
		return err->status;
	for (size_t i = 0; i < block->rows; i++)
		if (keys[i] >= e->first && (uint64_t)(keys[i] - e->first) < e->n)
			e->steps[keys[i] - e->first] = values[i];
	return TS_OK;
}

static enum ts_status see_events(struct ts_fetch *f, const struct ts_index *index, struct ts_arena *scratch, struct ts_arena *arena,
				 struct ts_end_seen *seen, struct ts_error *err)
{
	const struct ts_table *table;
	struct last_events e;

	if (!ts_index_column(index, TS_TABLE_EVENTS, ts_span_str("name"), TS_COLUMN_TEXT, &table) || !table->n_blocks)
		return TS_OK;
	e.first = table->blocks[table->n_blocks - 1].first_key;
	e.n = (size_t)(table->blocks[table->n_blocks - 1].last_key - e.first) + 1;
	if (e.n > TS_BLOCK_ROWS_MAX)
		return TS_OK; /* keys of events are their places: such a block is not one of ours */
	e.names = ts_arena_array(scratch, e.n, sizeof *e.names);
	e.texts = ts_arena_array(scratch, e.n, sizeof *e.texts);
	e.steps = ts_arena_array(scratch, e.n, sizeof *e.steps);
	if (!e.names || !e.texts || !e.steps)
		return ts_arena_error(scratch, err);
	if (read_texts(f, index, "name", &e, scratch, e.names, err) || read_texts(f, index, "text", &e, scratch, e.texts, err) ||
	    read_steps(f, index, &e, scratch, err))
		return err->status;
	for (size_t i = 0; i < e.n; i++) {
		int64_t step = fabs(e.steps[i]) < WHOLE_MAX ? (int64_t)e.steps[i] : 0;

		ts_end_seen_event(seen, e.names[i], e.texts[i], fabs(e.steps[i]) < WHOLE_MAX ? &step : NULL);
	}
	seen->exception = ts_arena_span(arena, seen->exception);
	seen->memory = ts_arena_span(arena, seen->memory);
	return seen->exception.data && seen->memory.data ? TS_OK : ts_arena_error(arena, err);
}

static void see_steps(const struct ts_index *index, struct ts_end_seen *seen)
{
	for (size_t i = 0; i < index->n_tables; i++) {
		const struct ts_table *t = &index->tables[i];

		if (t->kind != TS_TABLE_STEPS || !t->n_blocks)
			continue;
		if (!seen->has_steps || t->blocks[t->n_blocks - 1].last_key > seen->last_step)
			seen->last_step = t->blocks[t->n_blocks - 1].last_key;
		seen->has_steps = true;
	}
}

static enum ts_status see_rank(struct ts_fetch *f, const struct ts_run *run, const struct ts_index *index, struct ts_arena *scratch,
			       struct ts_arena *arena, struct ts_end_seen *seen, struct ts_error *err)
{
	struct ts_facts facts;

	*seen = (struct ts_end_seen){.rank = index->rank};
	if (ts_run_facts(run, index, scratch, &facts, err))
		return err->status;
	ts_end_seen_facts(seen, &facts);
	see_steps(index, seen);
	return see_events(f, index, scratch, arena, seen, err);
}

/* The texts of facts lie with the run, whose arena outlives the scratch; those of constants everywhere. */
enum ts_status ts_run_ending(struct ts_fetch *f, const struct ts_run *run, struct ts_arena *arena, struct ts_ending *ret_ending,
			     struct ts_error *err)
{
	struct ts_end_seen *seen = ts_arena_array(arena, run->head.n_ranks + 1, sizeof *seen);
	enum ts_status status = TS_OK;
	struct ts_arena scratch;
	size_t n = 0;

	if (!seen)
		return ts_arena_error(arena, err);
	ts_arena_init(&scratch, TS_ANALYSIS_ARENA);
	for (size_t i = 0; i < run->head.n_ranks && !status; i++) {
		ts_arena_reset(&scratch);
		if (run->indexes[i].rank != TS_RANK_JOB)
			status = see_rank(f, run, &run->indexes[i], &scratch, arena, &seen[n++], err);
	}
	ts_arena_finish(&scratch);
	if (!status && !n) {
		seen[n++] = (struct ts_end_seen){.rank = 0};
		ts_end_seen_facts(&seen[0], &run->head.facts);
	}
	return status ? status : ts_ending_judge(seen, n, arena, ret_ending, err);
}

struct heard {
	struct ts_id id;
	int64_t moved_ns; /* INT64_MIN: it has no name */
};

/* A ts_ref_visit, newest first: the first name of the run is the one that moved last. */
static enum ts_status hear(void *ctx, const struct ts_ref *ref, bool *ret_enough, struct ts_error *err)
{
	struct heard *heard = ctx;

	(void)err;
	*ret_enough = ts_id_eq(&ref->id, &heard->id);
	if (*ret_enough)
		heard->moved_ns = ref->moved_ns;
	return TS_OK;
}

enum ts_status ts_run_lose(const struct ts_call *call, const struct ts_run *run, const struct ts_ref *ref, struct ts_arena *arena,
			   struct ts_ending *ending, struct ts_error *err)
{
	struct heard heard = {.id = run->id, .moved_ns = ref ? ref->moved_ns : INT64_MIN};
	int64_t every = ts_pushed_every(&run->head.facts), silent;

	if ((ref && ref->kind != TS_REF_RUN) || !ts_is_lost(ending->state, every, INT64_MAX))
		return TS_OK;
	if (!ref && ts_each_ref(call, call->engine, TS_REF_RUN, ts_span_of(NULL, 0), TS_ORDER_NEWEST, hear, &heard, err))
		return err->status;
	silent = heard.moved_ns == INT64_MIN ? 0 : ts_now_real_ns() - heard.moved_ns;
	return ts_is_lost(ending->state, every, silent) ? ts_ending_lose(ending, every, silent, arena, err) : TS_OK;
}
