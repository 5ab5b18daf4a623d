#include "service/handlers/diff/series_diff.h"

#include "analysis/diverge/compare.h"
#include "base/alloc.h"
#include "service/handlers/diff/series_cursor.h"

enum ts_status ts_series_walk_create(struct ts_fetch *f, struct ts_series_walk **ret_walk, struct ts_error *err)
{
	struct ts_series_walk *walk = ts_alloc_array(1, sizeof *walk);

	if (!walk)
		return ts_error_set(err, TS_NO_MEMORY, "out of memory");
	walk->fetch = f;
	ts_cursor_init(&walk->a);
	ts_cursor_init(&walk->b);
	if (ts_block_cache_create(f, &walk->cache, err)) {
		ts_series_walk_destroy(walk);
		return err->status;
	}
	*ret_walk = walk;
	return TS_OK;
}

void ts_series_walk_keep(struct ts_series_walk *walk, size_t bytes)
{
	ts_block_cache_grow(walk->cache, bytes);
}

void ts_series_walk_destroy(struct ts_series_walk *walk)
{
	if (!walk)
		return;
	ts_cursor_finish(&walk->a);
	ts_cursor_finish(&walk->b);
	ts_block_cache_destroy(walk->cache);
	ts_free(walk);
}

static void compare_rows(const struct ts_series_cursor *a, size_t n_a, const struct ts_series_cursor *b, size_t n_b,
			 struct ts_compare *io)
{
	if (ts_cursor_is_text(a))
		ts_compare_text(a->keys + a->row, a->texts + a->row, n_a, b->keys + b->row, b->texts + b->row, n_b, io);
	else
		ts_compare_words(a->keys + a->row, a->words + a->row, n_a, b->keys + b->row, b->words + b->row, n_b,
				 io);
}

/* Finds the last step that both have among the first rows of the cursors, if any. */
static bool last_common(const struct ts_series_cursor *a, size_t n_a, const struct ts_series_cursor *b, size_t n_b,
			int64_t *ret_step)
{
	while (n_a && n_b) {
		int64_t x = a->keys[a->row + n_a - 1], y = b->keys[b->row + n_b - 1];

		if (x == y) {
			*ret_step = x;
			return true;
		}
		n_a -= x > y;
		n_b -= y > x;
	}
	return false;
}

/* Notes the agreement over the rows that were compared. */
static void note_agreement(struct ts_series_row *row, int64_t step)
{
	row->after_known = true;
	row->after_step = step;
}

static enum ts_status parts_at(struct ts_series_walk *w, const struct ts_compare *found, struct ts_arena *arena,
			       struct ts_series_row *row, struct ts_error *err)
{
	int64_t step;

	row->common += found->common - 1;
	row->only_a += found->only_a;
	row->only_b += found->only_b;
	if (last_common(&w->a, found->at_a, &w->b, found->at_b, &step))
		note_agreement(row, step);
	row->state = TS_SERIES_PARTS;
	row->first_step = found->first_key;
	if (!ts_cursor_cell(&w->a, w->a.row + found->at_a, arena, &row->a) ||
	    !ts_cursor_cell(&w->b, w->b.row + found->at_b, arena, &row->b))
		return ts_arena_error(arena, err);
	w->a.row += found->at_a;
	w->b.row += found->at_b;
	return TS_OK;
}

/* Both cursors are in blocks that may share steps: compares up to the end of the block that ends first. */
static enum ts_status compare_open(struct ts_series_walk *w, struct ts_arena *arena, struct ts_series_row *row,
				   struct ts_error *err)
{
	struct ts_compare found = {.stops = true};
	int64_t last, step;
	size_t upto_a, upto_b;

	if (ts_cursor_read(w, &w->a, err) || ts_cursor_read(w, &w->b, err))
		return err->status;
	last = ts_cursor_block(&w->a)->last_key < ts_cursor_block(&w->b)->last_key ? ts_cursor_block(&w->a)->last_key
										   : ts_cursor_block(&w->b)->last_key;
	upto_a = ts_cursor_row_behind(&w->a, last);
	upto_b = ts_cursor_row_behind(&w->b, last);
	compare_rows(&w->a, upto_a - w->a.row, &w->b, upto_b - w->b.row, &found);
	if (found.parts)
		return parts_at(w, &found, arena, row, err);
	row->common += found.common;
	row->only_a += found.only_a;
	row->only_b += found.only_b;
	if (last_common(&w->a, upto_a - w->a.row, &w->b, upto_b - w->b.row, &step))
		note_agreement(row, step);
	ts_cursor_advance(&w->a, upto_a);
	ts_cursor_advance(&w->b, upto_b);
	return TS_OK;
}

static bool same_pair(const struct ts_series_cursor *a, const struct ts_series_cursor *b)
{
	return a->row == 0 && b->row == 0 && ts_id_eq(&ts_cursor_block(a)->keys, &ts_cursor_block(b)->keys) &&
	       ts_id_eq(ts_cursor_values(a), ts_cursor_values(b));
}

static enum ts_status step_on(struct ts_series_walk *w, struct ts_arena *arena, struct ts_series_row *row,
			      struct ts_error *err)
{
	struct ts_series_cursor *a = &w->a, *b = &w->b;

	if (same_pair(a, b)) {
		row->common += ts_cursor_block(a)->rows;
		note_agreement(row, ts_cursor_block(a)->last_key);
		ts_cursor_next_block(a);
		ts_cursor_next_block(b);
	} else if (ts_cursor_block(a)->last_key < ts_cursor_step(b)) {
		row->only_a += ts_cursor_rows_left(a);
		ts_cursor_next_block(a);
	} else if (ts_cursor_block(b)->last_key < ts_cursor_step(a)) {
		row->only_b += ts_cursor_rows_left(b);
		ts_cursor_next_block(b);
	} else {
		return compare_open(w, arena, row, err);
	}
	return TS_OK;
}

enum ts_status ts_series_compare(struct ts_series_walk *w, struct ts_series_side a, struct ts_series_side b,
				 struct ts_arena *arena, struct ts_series_row *row, struct ts_error *err)
{
	if (ts_series_compare_upto(w, a, b, INT64_MAX, arena, row, err))
		return err->status;
	if (row->state == TS_SERIES_PARTS)
		return TS_OK;
	for (; !ts_cursor_at_end(&w->a); ts_cursor_next_block(&w->a))
		row->only_a += ts_cursor_rows_left(&w->a);
	for (; !ts_cursor_at_end(&w->b); ts_cursor_next_block(&w->b))
		row->only_b += ts_cursor_rows_left(&w->b);
	row->counted = true;
	if (row->common == 0)
		row->state = TS_SERIES_DISJOINT;
	else if (row->only_a || row->only_b)
		row->state = TS_SERIES_EXTENT;
	return TS_OK;
}

enum ts_status ts_series_compare_upto(struct ts_series_walk *w, struct ts_series_side a, struct ts_series_side b,
				      int64_t last, struct ts_arena *arena, struct ts_series_row *row,
				      struct ts_error *err)
{
	ts_cursor_start(&w->a, a);
	ts_cursor_start(&w->b, b);
	row->steps_a = a.table->rows;
	row->steps_b = b.table->rows;
	row->state = TS_SERIES_SAME;
	while (row->state != TS_SERIES_PARTS && !ts_cursor_at_end(&w->a) && !ts_cursor_at_end(&w->b) &&
	       (ts_cursor_step(&w->a) <= last || ts_cursor_step(&w->b) <= last))
		if (step_on(w, arena, row, err))
			return ts_error_prefix(err, "column %.*s", TS_SPAN_ARG(a.column->name));
	return TS_OK;
}
