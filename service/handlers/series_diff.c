#include "service/handlers/series_diff.h"

#include "analysis/compare.h"
#include "base/alloc.h"
#include "base/limits.h"
#include "service/handlers/block_cache.h"

/* A place in one side's column: row `row` of block `block`. Keys and words are the cache's, of the block that was opened last:
 * they are asked for again whenever the other side's are, so that they stay. */
struct cursor {
	struct ts_series_side side;
	size_t block;
	size_t row;
	const int64_t *keys;
	const uint64_t *words;
	bool has_texts;
	struct ts_span *texts; /* TS_BLOCK_ROWS_MAX, once a text column is opened */
	struct ts_arena arena; /* of the texts */
};

struct ts_series_walk {
	struct ts_fetch *fetch;
	struct ts_block_cache *cache;
	struct cursor a, b;
};

static void cursor_finish(struct cursor *c)
{
	ts_free(c->texts);
	ts_arena_finish(&c->arena);
}

enum ts_status ts_series_walk_create(struct ts_fetch *f, struct ts_series_walk **ret_walk, struct ts_error *err)
{
	struct ts_series_walk *walk = ts_alloc_array(1, sizeof *walk);

	if (!walk)
		return ts_error_set(err, TS_NO_MEMORY, "out of memory");
	walk->fetch = f;
	ts_arena_init(&walk->a.arena, 16 * (size_t)TS_OBJECT_MAX);
	ts_arena_init(&walk->b.arena, 16 * (size_t)TS_OBJECT_MAX);
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
	cursor_finish(&walk->a);
	cursor_finish(&walk->b);
	ts_block_cache_destroy(walk->cache);
	ts_free(walk);
}

static void cursor_start(struct cursor *c, struct ts_series_side side)
{
	c->side = side;
	c->block = 0;
	c->row = 0;
	c->has_texts = false;
}

static bool at_end(const struct cursor *c)
{
	return c->block == c->side.table->n_blocks;
}

static const struct ts_block *block_of(const struct cursor *c)
{
	return &c->side.table->blocks[c->block];
}

static const struct ts_id *values_of(const struct cursor *c)
{
	return &c->side.column->blocks[c->block];
}

static size_t rows_left(const struct cursor *c)
{
	return block_of(c)->rows - c->row;
}

/* The step of the next row. Past the first row of a block its keys have been read. */
static int64_t next_step(const struct cursor *c)
{
	return c->row == 0 ? block_of(c)->first_key : c->keys[c->row];
}

static void next_block(struct cursor *c)
{
	c->block++;
	c->row = 0;
	c->has_texts = false;
}

static void advance_to(struct cursor *c, size_t row)
{
	c->row = row;
	if (row == block_of(c)->rows)
		next_block(c);
}

static bool is_text(const struct cursor *c)
{
	return c->side.column->type == TS_COLUMN_TEXT || c->side.column->type == TS_COLUMN_JSON;
}

static enum ts_status read_texts(struct ts_fetch *f, struct cursor *c, struct ts_error *err)
{
	if (c->has_texts)
		return TS_OK;
	if (!c->texts)
		c->texts = ts_alloc_array(TS_BLOCK_ROWS_MAX, sizeof *c->texts);
	if (!c->texts)
		return ts_error_set(err, TS_NO_MEMORY, "out of memory");
	ts_arena_reset(&c->arena);
	if (ts_fetch_block_text(f, values_of(c), block_of(c)->rows, &c->arena, c->texts, err))
		return err->status;
	c->has_texts = true;
	return TS_OK;
}

static enum ts_status read_block(struct ts_series_walk *w, struct cursor *c, struct ts_error *err)
{
	if (ts_block_cache_keys(w->cache, block_of(c), &c->keys, err))
		return err->status;
	if (is_text(c))
		return read_texts(w->fetch, c, err);
	return ts_block_cache_words(w->cache, values_of(c), c->side.column->type, block_of(c)->rows, &c->words, err);
}

/* The first row at or after the cursor's whose key lies beyond last. */
static size_t row_behind(const struct cursor *c, int64_t last)
{
	size_t lo = c->row, hi = block_of(c)->rows;

	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;

		if (c->keys[mid] <= last)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo;
}

static void compare_rows(const struct cursor *a, size_t n_a, const struct cursor *b, size_t n_b, struct ts_compare *io)
{
	if (is_text(a))
		ts_compare_text(a->keys + a->row, a->texts + a->row, n_a, b->keys + b->row, b->texts + b->row, n_b, io);
	else
		ts_compare_words(a->keys + a->row, a->words + a->row, n_a, b->keys + b->row, b->words + b->row, n_b,
				 io);
}

/* Is there a step that both have among the first rows of the cursors? The last such one. */
static bool last_common(const struct cursor *a, size_t n_a, const struct cursor *b, size_t n_b, int64_t *ret_step)
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

/* A copy; data == NULL when the arena is full. Cut between characters. */
static struct ts_span shortened(struct ts_span text, struct ts_arena *arena)
{
	static const char ellipsis[] = "\xe2\x80\xa6";
	size_t len = TS_CELL_TEXT;
	uint8_t *copy;

	if (text.len <= TS_CELL_TEXT)
		return ts_arena_span(arena, text);
	while (len > 0 && (text.data[len] & 0xc0) == 0x80)
		len--;
	copy = ts_arena_alloc(arena, len + sizeof ellipsis);
	if (!copy)
		return ts_span_of(NULL, 0);
	memcpy(copy, text.data, len);
	memcpy(copy + len, ellipsis, sizeof ellipsis);
	return ts_span_of(copy, len + sizeof ellipsis - 1);
}

static bool cell_of(const struct cursor *c, size_t row, struct ts_arena *arena, struct ts_value *ret)
{
	struct ts_value v = {.type = c->side.column->type};

	if (is_text(c)) {
		v.text = shortened(c->texts[row], arena);
		*ret = v;
		return v.text.data != NULL;
	}
	v.word = c->words[row];
	if (v.type == TS_COLUMN_F64)
		memcpy(&v.real, &v.word, sizeof v.real);
	*ret = v;
	return true;
}

/* What was found over the rows gone by. */
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
	if (!cell_of(&w->a, w->a.row + found->at_a, arena, &row->a) ||
	    !cell_of(&w->b, w->b.row + found->at_b, arena, &row->b))
		return ts_arena_error(arena, err);
	return TS_OK;
}

/* Both cursors stand in blocks that may share steps: compares up to the end of the one that ends first. */
static enum ts_status compare_open(struct ts_series_walk *w, struct ts_arena *arena, struct ts_series_row *row,
				   struct ts_error *err)
{
	struct ts_compare found = {.stops = true};
	int64_t last, step;
	size_t upto_a, upto_b;

	if (read_block(w, &w->a, err) || read_block(w, &w->b, err))
		return err->status;
	last = block_of(&w->a)->last_key < block_of(&w->b)->last_key ? block_of(&w->a)->last_key
								     : block_of(&w->b)->last_key;
	upto_a = row_behind(&w->a, last);
	upto_b = row_behind(&w->b, last);
	compare_rows(&w->a, upto_a - w->a.row, &w->b, upto_b - w->b.row, &found);
	if (found.parts)
		return parts_at(w, &found, arena, row, err);
	row->common += found.common;
	row->only_a += found.only_a;
	row->only_b += found.only_b;
	if (last_common(&w->a, upto_a - w->a.row, &w->b, upto_b - w->b.row, &step))
		note_agreement(row, step);
	advance_to(&w->a, upto_a);
	advance_to(&w->b, upto_b);
	return TS_OK;
}

static bool same_pair(const struct cursor *a, const struct cursor *b)
{
	return a->row == 0 && b->row == 0 && ts_id_eq(&block_of(a)->keys, &block_of(b)->keys) &&
	       ts_id_eq(values_of(a), values_of(b));
}

static enum ts_status step_on(struct ts_series_walk *w, struct ts_arena *arena, struct ts_series_row *row,
			      struct ts_error *err)
{
	struct cursor *a = &w->a, *b = &w->b;

	if (same_pair(a, b)) {
		row->common += block_of(a)->rows;
		note_agreement(row, block_of(a)->last_key);
		next_block(a);
		next_block(b);
	} else if (block_of(a)->last_key < next_step(b)) {
		row->only_a += rows_left(a);
		next_block(a);
	} else if (block_of(b)->last_key < next_step(a)) {
		row->only_b += rows_left(b);
		next_block(b);
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
	for (; !at_end(&w->a); next_block(&w->a))
		row->only_a += rows_left(&w->a);
	for (; !at_end(&w->b); next_block(&w->b))
		row->only_b += rows_left(&w->b);
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
	cursor_start(&w->a, a);
	cursor_start(&w->b, b);
	row->steps_a = a.table->rows;
	row->steps_b = b.table->rows;
	row->state = TS_SERIES_SAME;
	while (row->state != TS_SERIES_PARTS && !at_end(&w->a) && !at_end(&w->b) &&
	       (next_step(&w->a) <= last || next_step(&w->b) <= last))
		if (step_on(w, arena, row, err))
			return ts_error_prefix(err, "column %.*s", TS_SPAN_ARG(a.column->name));
	return TS_OK;
}
