#include "service/handlers/analyze/analyze_tags.h"

#include "base/door.h"
#include "base/grow.h"
#include "base/json_reader.h"
#include "base/limits.h"

struct tags {
	struct ts_fetch *fetch;
	struct ts_arena *arena, block;
	struct ts_buf scratch;
	struct ts_timing_tag *items;
	size_t n, caps[TS_TIMING_TAGS];
};

static enum ts_status add(struct tags *t, struct ts_span word, int64_t step, struct ts_error *err)
{
	struct ts_timing_tag *tag = t->items;
	size_t i = 0;

	while (i < t->n && !ts_span_eq(t->items[i].word, word))
		i++;
	if (i == TS_TIMING_TAGS)
		return TS_OK;
	tag += i;
	if (i == t->n) {
		*tag = (struct ts_timing_tag){.word = ts_arena_span(t->arena, word)};
		t->caps[i] = 0;
		t->n++;
		if (word.len && !tag->word.data)
			return ts_arena_error(t->arena, err);
	}
	if (!TS_GROW_IN(t->arena, tag->steps, t->caps[i], tag->n + 1, 64))
		return ts_arena_error(t->arena, err);
	tag->steps[tag->n++] = step;
	return TS_OK;
}

static enum ts_status add_cell(struct tags *t, enum ts_column_type type, struct ts_span cell, int64_t step, struct ts_error *err)
{
	struct ts_json_reader reader;
	struct ts_json_token token;
	struct ts_error ignored;

	if (type == TS_COLUMN_TEXT)
		return add(t, cell, step, err);
	ts_json_reader_init(&reader, cell, &t->scratch);
	while (ts_json_next(&reader, &token, &ignored) == TS_OK && token.type != TS_JSON_EOF)
		if (token.type == TS_JSON_STRING && add(t, token.text, step, err))
			return err->status;
	return TS_OK;
}

static enum ts_status take_block(struct tags *t, const struct ts_table *table, const struct ts_column *column, size_t b,
				 struct ts_error *err)
{
	struct ts_span *cells;
	int64_t *keys;

	ts_arena_reset(&t->block);
	if (ts_fetch_text_rows(t->fetch, table, column, b, &t->block, &keys, &cells, err))
		return err->status;
	for (size_t i = 0; i < table->blocks[b].rows; i++)
		if (add_cell(t, column->type, cells[i], keys[i], err))
			return err->status;
	return TS_OK;
}

static enum ts_status take_column(struct tags *t, const struct ts_table *table, const struct ts_column *column, struct ts_error *err)
{
	if (!ts_span_is(column->name, "tags") || (column->type != TS_COLUMN_JSON && column->type != TS_COLUMN_TEXT))
		return TS_OK;
	for (size_t b = 0; b < table->n_blocks; b++)
		if (take_block(t, table, column, b, err))
			return err->status;
	return TS_OK;
}

enum ts_status ts_analyze_tags(struct ts_fetch *f, const struct ts_index *index, struct ts_arena *arena,
			       struct ts_timing_tag ret_tags[TS_TIMING_TAGS], size_t *ret_n, struct ts_error *err)
{
	struct tags t = {.fetch = f, .arena = arena, .scratch = TS_BUF_INIT(TS_TEXT_MAX + 64), .items = ret_tags};
	enum ts_status status = TS_OK;

	TS_DOOR(ts_index_holds(index));
	ts_arena_init(&t.block, TS_ANALYSIS_ARENA);
	for (size_t k = 0; k < index->n_tables; k++)
		for (size_t c = 0; !status && index->tables[k].kind == TS_TABLE_STEPS && c < index->tables[k].n_columns; c++)
			status = take_column(&t, &index->tables[k], &index->tables[k].columns[c], err);
	ts_arena_finish(&t.block);
	ts_buf_finish(&t.scratch);
	*ret_n = t.n;
	return status;
}
