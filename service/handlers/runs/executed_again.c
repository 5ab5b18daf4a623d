#include "service/handlers/runs/executed_again.h"

#include "base/door.h"

#include <math.h>

/* The superseded rows of a column: their ordinals, and what they have. */
struct rows {
	const struct ts_table *table;
	const struct ts_column *column;
	int64_t *keys;
	uint64_t *words;
	struct ts_span *texts;
};

static enum ts_status load_values(struct ts_fetch *f, struct rows *r, struct ts_arena *arena, struct ts_error *err)
{
	bool text = r->column->type == TS_COLUMN_TEXT || r->column->type == TS_COLUMN_JSON;
	size_t at = 0;

	r->words = text ? NULL : ts_arena_array(arena, r->table->rows, sizeof *r->words);
	r->texts = text ? ts_arena_array(arena, r->table->rows, sizeof *r->texts) : NULL;
	if (!r->words && !r->texts)
		return ts_arena_error(arena, err);
	for (size_t i = 0; i < r->table->n_blocks; i++) {
		const struct ts_id *id = &r->column->blocks[i];
		uint32_t n = r->table->blocks[i].rows;

		if (text ? ts_fetch_block_text(f, id, n, arena, r->texts + at, err)
			 : ts_fetch_block_words(f, id, r->column->type, n, r->words + at, err))
			return err->status;
		at += n;
	}
	return TS_OK;
}

/* *ret_any is false if the run has no superseded row with this column. */
static enum ts_status load(struct ts_fetch *f, const struct ts_index *index, struct ts_span name, enum ts_column_type type,
			   struct ts_arena *arena, struct rows *r, bool *ret_any, struct ts_error *err)
{
	r->column = ts_index_column(index, TS_TABLE_SUPERSEDED, name, type, &r->table);
	*ret_any = r->column && r->table->rows > 0;
	if (!*ret_any)
		return TS_OK;
	return ts_fetch_keys(f, r->table, arena, &r->keys, err) || load_values(f, r, arena, err) ? err->status : TS_OK;
}

/* The step of each ordinal is a number; those beyond 2^53, which are texts, count as not executed again. */
static enum ts_status load_steps(struct ts_fetch *f, const struct ts_index *index, struct ts_arena *arena, int64_t **ret_ordinals,
				 struct ts_executed_again *again, struct ts_error *err)
{
	struct rows r;
	bool any;

	if (load(f, index, ts_span_str("step"), TS_COLUMN_F64, arena, &r, &any, err) || !any)
		return any ? err->status : TS_OK;
	again->all = ts_arena_array(arena, r.table->rows, sizeof *again->all);
	*ret_ordinals = ts_arena_array(arena, r.table->rows, sizeof **ret_ordinals);
	if (!again->all || !*ret_ordinals)
		return ts_arena_error(arena, err);
	for (uint64_t i = 0; i < r.table->rows; i++) {
		double step;

		memcpy(&step, &r.words[i], sizeof step);
		if (!(fabs(step) <= 0x1p53) || step != floor(step))
			continue;
		(*ret_ordinals)[again->n_all] = r.keys[i];
		again->all[again->n_all++] = (int64_t)step;
	}
	return TS_OK;
}

enum ts_status ts_executed_again(struct ts_fetch *f, const struct ts_index *index, const struct ts_column *column,
				 struct ts_arena *arena, struct ts_executed_again *ret, struct ts_error *err)
{
	struct ts_executed_again again = {.n = 0};
	int64_t *ordinals = NULL;
	struct rows r;
	bool any = false;

	TS_DOOR(ts_index_holds(index));
	*ret = again;
	if (load_steps(f, index, arena, &ordinals, &again, err))
		return err->status;
	if (again.n_all && load(f, index, column->name, column->type, arena, &r, &any, err))
		return err->status;
	if (any) {
		again.steps = ts_arena_array(arena, again.n_all, sizeof *again.steps);
		again.words = r.words;
		again.texts = r.texts;
		if (!again.steps)
			return ts_arena_error(arena, err);
		for (size_t i = 0, k = 0; i < r.table->rows; i++) {
			while (k < again.n_all && ordinals[k] < r.keys[i])
				k++;
			if (k == again.n_all || ordinals[k] != r.keys[i])
				continue;
			if (again.words)
				again.words[again.n] = r.words[i];
			else
				again.texts[again.n] = r.texts[i];
			again.steps[again.n++] = again.all[k];
		}
	}
	*ret = again;
	return TS_OK;
}

/* The first of ascending steps that is not below this one. */
static size_t first_from(const int64_t *steps, size_t n, int64_t step)
{
	size_t low = 0;

	while (n > 0) {
		size_t half = n / 2;

		if (steps[low + half] < step) {
			low += half + 1;
			n -= half + 1;
		} else {
			n = half;
		}
	}
	return low;
}

bool ts_was_executed_again(const struct ts_executed_again *again, int64_t step)
{
	size_t i = first_from(again->all, again->n_all, step);

	return i < again->n_all && again->all[i] == step;
}

bool ts_was_executed_with(const struct ts_executed_again *again, int64_t step, uint64_t word, struct ts_span text)
{
	for (size_t i = first_from(again->steps, again->n, step); i < again->n && again->steps[i] == step; i++)
		if (again->texts ? ts_span_eq(again->texts[i], text) : again->words[i] == word)
			return true;
	return false;
}
