#include "service/handlers/diff/series_cursor.h"

#include "base/alloc.h"
#include "base/bisect.h"
#include "base/limits.h"
#include "base/text.h"

void ts_cursor_init(struct ts_series_cursor *c)
{
	*c = (struct ts_series_cursor){.block = 0};
	ts_arena_init(&c->arena, 16 * (size_t)TS_OBJECT_MAX);
}

void ts_cursor_finish(struct ts_series_cursor *c)
{
	ts_free(c->texts);
	ts_arena_finish(&c->arena);
}

void ts_cursor_start(struct ts_series_cursor *c, struct ts_series_side side)
{
	c->side = side;
	c->block = 0;
	c->row = 0;
	c->has_texts = false;
}

bool ts_cursor_at_end(const struct ts_series_cursor *c)
{
	return c->block == c->side.table->n_blocks;
}

const struct ts_block *ts_cursor_block(const struct ts_series_cursor *c)
{
	return &c->side.table->blocks[c->block];
}

const struct ts_id *ts_cursor_values(const struct ts_series_cursor *c)
{
	return &c->side.column->blocks[c->block];
}

size_t ts_cursor_rows_left(const struct ts_series_cursor *c)
{
	return ts_cursor_block(c)->rows - c->row;
}

int64_t ts_cursor_step(const struct ts_series_cursor *c)
{
	return c->row == 0 ? ts_cursor_block(c)->first_key : c->keys[c->row];
}

void ts_cursor_next_block(struct ts_series_cursor *c)
{
	c->block++;
	c->row = 0;
	c->has_texts = false;
}

void ts_cursor_advance(struct ts_series_cursor *c, size_t row)
{
	c->row = row;
	if (row == ts_cursor_block(c)->rows)
		ts_cursor_next_block(c);
}

bool ts_cursor_is_text(const struct ts_series_cursor *c)
{
	return c->side.column->type == TS_COLUMN_TEXT || c->side.column->type == TS_COLUMN_JSON;
}

static enum ts_status read_texts(struct ts_fetch *f, struct ts_series_cursor *c, struct ts_error *err)
{
	if (c->has_texts)
		return TS_OK;
	if (!c->texts)
		c->texts = ts_alloc_array(TS_BLOCK_ROWS_MAX, sizeof *c->texts);
	if (!c->texts)
		return ts_error_set(err, TS_NO_MEMORY, "out of memory");
	ts_arena_reset(&c->arena);
	if (ts_fetch_block_text(f, ts_cursor_values(c), ts_cursor_block(c)->rows, &c->arena, c->texts, err))
		return err->status;
	c->has_texts = true;
	return TS_OK;
}

enum ts_status ts_cursor_read(struct ts_series_walk *w, struct ts_series_cursor *c, struct ts_error *err)
{
	if (ts_block_cache_keys(w->cache, ts_cursor_block(c), &c->keys, err))
		return err->status;
	if (ts_cursor_is_text(c))
		return read_texts(w->fetch, c, err);
	return ts_block_cache_words(w->cache, ts_cursor_values(c), c->side.column->type, ts_cursor_block(c)->rows,
				    &c->words, err);
}

size_t ts_cursor_row_behind(const struct ts_series_cursor *c, int64_t last)
{
	size_t at = c->row;

	TS_BISECT(at, ts_cursor_block(c)->rows - at, i, c->keys[i] <= last);
	return at;
}

/* Copies the text, cut between characters; data == NULL when the arena is full. */
static struct ts_span shortened(struct ts_span text, struct ts_arena *arena)
{
	static const char ellipsis[] = "\xe2\x80\xa6";
	size_t len = ts_utf8_cut(text, TS_CELL_TEXT).len;
	uint8_t *copy;

	if (text.len <= TS_CELL_TEXT)
		return ts_arena_span(arena, text);
	copy = ts_arena_alloc(arena, len + sizeof ellipsis);
	if (!copy)
		return ts_span_of(NULL, 0);
	memcpy(copy, text.data, len);
	memcpy(copy + len, ellipsis, sizeof ellipsis);
	return ts_span_of(copy, len + sizeof ellipsis - 1);
}

bool ts_cursor_cell(const struct ts_series_cursor *c, size_t row, struct ts_arena *arena, struct ts_value *ret)
{
	struct ts_value v = {.type = c->side.column->type};

	if (ts_cursor_is_text(c)) {
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
