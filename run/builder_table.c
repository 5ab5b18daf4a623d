#include "run/builder_table.h"

#include "base/alloc.h"
#include "base/bisect.h"
#include "base/limits.h"
#include "base/order.h"
#include "run/block.h"

enum { FIRST_ROWS = 64, KEY_LOG2_MAX = 63 };

/* --- objects --- */

enum ts_status ts_builder_emit(struct ts_builder_out *out, struct ts_id *ret_id, struct ts_error *err)
{
	struct ts_span object = ts_buf_view(&out->object);
	struct ts_id id;

	if (ts_buf_check(&out->object, err))
		return err->status;
	ts_digest(object, &id);
	if (out->sink(out->ctx, &id, object, err))
		return err->status;
	out->canonical_bytes += object.len;
	ts_buf_reset(&out->object);
	*ret_id = id;
	return TS_OK;
}

void ts_builder_out_finish(struct ts_builder_out *out)
{
	ts_buf_finish(&out->object);
	ts_free(out->codes);
	ts_free(out->renumber);
	ts_free(out->entries);
}

enum ts_status ts_series_put_text(struct ts_series *series, struct ts_span text, struct ts_error *err)
{
	struct ts_builder_table *table = series->table;
	uint32_t code = 0;

	if (!series->dictionary) {
		series->dictionary = ts_dictionary_create(err);
		if (!series->dictionary)
			return err->status;
	}
	if (ts_dictionary_code(series->dictionary, text, &code, err))
		return err->status;
	series->window[table->n] = code;
	if (series->dictionary->bytes.len >= TS_BLOCK_TEXT_MAX)
		table->full = true;
	return TS_OK;
}

void ts_series_finish(struct ts_series *series)
{
	ts_free(series->window);
	ts_free(series->blocks);
	ts_dictionary_destroy(series->dictionary);
}

/* --- tables --- */

struct ts_builder_table *ts_builder_table_create(enum ts_table_kind kind, struct ts_error *err)
{
	struct ts_builder_table *table = ts_alloc_array(1, sizeof *table);

	if (!table) {
		ts_error_set(err, TS_NO_MEMORY, "out of memory for a table");
		return NULL;
	}
	table->kind = kind;
	table->probing = true;
	return table;
}

void ts_builder_table_destroy(struct ts_builder_table *table)
{
	if (!table)
		return;
	ts_free(table->keys);
	ts_free(table->blocks);
	ts_free(table);
}

static void attach(struct ts_builder_table *table, struct ts_series *series)
{
	series->table = table;
	series->prev = NULL;
	series->next = table->columns;
	if (table->columns)
		table->columns->prev = series;
	table->columns = series;
	table->n_columns++;
}

static void detach(struct ts_series *series)
{
	struct ts_builder_table *table = series->table;

	if (series->prev)
		series->prev->next = series->next;
	else
		table->columns = series->next;
	if (series->next)
		series->next->prev = series->prev;
	table->n_columns--;
}

/* Makes every window of the table `cap` rows long. If memory runs out halfway, some windows are longer than the
 * table says. */
static enum ts_status widen(struct ts_builder_table *table, size_t cap, struct ts_error *err)
{
	int64_t *keys = ts_realloc(table->keys, cap * sizeof *keys);

	if (!keys)
		return ts_error_set(err, TS_NO_MEMORY, "out of memory for a window of %zu keys", cap);
	table->keys = keys;
	for (struct ts_series *s = table->columns; s; s = s->next) {
		uint64_t *window = ts_realloc(s->window, cap * sizeof *window);

		if (!window)
			return ts_error_set(err, TS_NO_MEMORY, "out of memory for a window of %zu values", cap);
		s->window = window;
	}
	table->cap = cap;
	return TS_OK;
}

enum ts_status ts_builder_table_add(struct ts_builder_table *table, struct ts_series *series, struct ts_error *err)
{
	if (table->cap) {
		series->window = ts_alloc(table->cap * sizeof *series->window);
		if (!series->window)
			return ts_error_set(err, TS_NO_MEMORY, "out of memory for a window of %zu values", table->cap);
	}
	attach(table, series);
	return TS_OK;
}

static bool copy_items(void *ret_copy, const void *items, size_t n, size_t cap, size_t size)
{
	void *copy = NULL;

	if (cap) {
		copy = ts_alloc(cap * size);
		if (!copy)
			return false;
		if (n)
			memcpy(copy, items, n * size);
	}
	memcpy(ret_copy, &copy, sizeof copy);
	return true;
}

struct ts_builder_table *ts_builder_table_fork(const struct ts_builder_table *table, struct ts_error *err)
{
	struct ts_builder_table *fork = ts_builder_table_create(table->kind, err);

	if (!fork)
		return NULL;
	if (!copy_items(&fork->keys, table->keys, table->n, table->cap, sizeof *table->keys) ||
	    !copy_items(&fork->blocks, table->blocks, table->n_blocks, table->blocks_cap, sizeof *table->blocks)) {
		ts_builder_table_destroy(fork);
		ts_error_set(err, TS_NO_MEMORY, "out of memory for a table of %zu rows", table->n);
		return NULL;
	}
	fork->n = table->n;
	fork->cap = table->cap;
	fork->n_blocks = table->n_blocks;
	fork->blocks_cap = table->blocks_cap;
	fork->probing = table->probing;
	fork->key_log2 = table->key_log2;
	fork->cell = table->cell;
	return fork;
}

void ts_builder_table_move(struct ts_series *series, struct ts_builder_table *fork)
{
	detach(series);
	attach(fork, series);
}

/* --- cutting --- */

uint8_t ts_builder_key_log2(const int64_t *keys, size_t n)
{
	uint64_t differences[TS_BUILDER_PROBE];
	size_t m = n < TS_BUILDER_PROBE ? n : TS_BUILDER_PROBE;
	int log2;

	if (m < 2)
		return TS_BLOCK_ROWS_LOG2;
	m--;
	for (size_t i = 0; i < m; i++) /* unsigned, because INT64_MAX - INT64_MIN does not fit an int64 */
		differences[i] = (uint64_t)keys[i + 1] - (uint64_t)keys[i];
	TS_SORT(differences, m, ts_by_u64);
	log2 = TS_BLOCK_ROWS_LOG2 + 63 - __builtin_clzll(differences[(m - 1) / 2]);
	return (uint8_t)(log2 < KEY_LOG2_MAX ? log2 : KEY_LOG2_MAX);
}

/* Numbers the texts in order of their first appearance among these rows; entries that no row uses are left out. */
static enum ts_status encode_text(const struct ts_series *s, size_t rows, struct ts_builder_out *out,
				  struct ts_error *err)
{
	const struct ts_dictionary *d = s->dictionary;
	size_t n = 0;

	if (ts_builder_grow(&out->codes, &out->codes_cap, rows, sizeof *out->codes, err) ||
	    ts_builder_grow(&out->renumber, &out->renumber_cap, d->n, sizeof *out->renumber, err) ||
	    ts_builder_grow(&out->entries, &out->entries_cap, d->n, sizeof *out->entries, err))
		return err->status;
	memset(out->renumber, 0, d->n * sizeof *out->renumber);
	for (size_t i = 0; i < rows; i++) {
		size_t code = (size_t)s->window[i];

		if (!out->renumber[code]) {
			out->entries[n++] = ts_dictionary_entry(d, code);
			out->renumber[code] = (uint32_t)n;
		}
		out->codes[i] = out->renumber[code] - 1;
	}
	ts_block_text_encode(out->entries, n, out->codes, rows, &out->object);
	return TS_OK;
}

static enum ts_status flush_series(struct ts_series *s, struct ts_builder_out *out, struct ts_error *err)
{
	struct ts_builder_table *table = s->table;

	if (ts_builder_grow(&s->blocks, &s->blocks_cap, table->n_blocks + 1, sizeof *s->blocks, err))
		return err->status;
	switch (s->type) {
	case TS_COLUMN_F64:
		ts_block_f64_encode((const double *)(const void *)s->window, table->n, &out->object);
		break;
	case TS_COLUMN_U64:
		ts_block_u64_encode(s->window, table->n, &out->object);
		break;
	case TS_COLUMN_TEXT:
	case TS_COLUMN_JSON:
		if (encode_text(s, table->n, out, err))
			return err->status;
		break;
	}
	if (ts_builder_emit(out, &s->blocks[table->n_blocks], err))
		return err->status;
	out->blocks++;
	if (s->dictionary)
		ts_dictionary_reset(s->dictionary);
	return TS_OK;
}

static enum ts_status flush(struct ts_builder_table *table, struct ts_builder_out *out, struct ts_error *err)
{
	struct ts_block block = {.rows = (uint32_t)table->n};

	if (table->n == 0)
		return TS_OK;
	if (ts_builder_grow(&table->blocks, &table->blocks_cap, table->n_blocks + 1, sizeof *table->blocks, err))
		return err->status;
	block.first_key = table->keys[0];
	block.last_key = table->keys[table->n - 1];
	ts_block_keys_encode(table->keys, table->n, &out->object);
	if (ts_builder_emit(out, &block.keys, err))
		return err->status;
	out->blocks++;
	for (struct ts_series *s = table->columns; s; s = s->next)
		if (flush_series(s, out, err))
			return err->status;
	table->blocks[table->n_blocks++] = block;
	table->n = 0;
	table->full = false;
	return TS_OK;
}

enum ts_status ts_builder_table_begin(struct ts_builder_table *table, int64_t key, struct ts_builder_out *out,
				      struct ts_error *err)
{
	size_t cap;

	if (!table->probing) {
		int64_t cell = ts_key_cell(key, table->key_log2);

		if (cell != table->cell && flush(table, out, err))
			return err->status;
		table->cell = cell;
	}
	if (table->n < table->cap)
		return TS_OK;
	cap = table->cap ? table->cap * 2 : FIRST_ROWS;
	return widen(table, cap < TS_BLOCK_ROWS_MAX ? cap : TS_BLOCK_ROWS_MAX, err);
}

static enum ts_status end_row(struct ts_builder_table *table, int64_t key, struct ts_builder_out *out,
			      struct ts_error *err)
{
	table->keys[table->n++] = key;
	if (table->n == TS_BLOCK_ROWS_MAX || (table->full && !table->probing))
		return flush(table, out, err);
	return TS_OK;
}

/* Adds the held-back rows again, after the place of the cut is known. Rows only move down, so numbers are moved in
 * place; texts move from the old dictionaries to new ones. */
static enum ts_status replay_row(struct ts_builder_table *table, size_t row, struct ts_dictionary **old,
				 struct ts_builder_out *out, struct ts_error *err)
{
	int64_t key = table->keys[row];
	size_t i = 0;

	if (ts_builder_table_begin(table, key, out, err))
		return err->status;
	for (struct ts_series *s = table->columns; s; s = s->next, i++) {
		if (!old[i])
			s->window[table->n] = s->window[row];
		else if (ts_series_put_text(s, ts_dictionary_entry(old[i], (size_t)s->window[row]), err))
			return err->status;
	}
	return end_row(table, key, out, err);
}

static enum ts_status replay(struct ts_builder_table *table, struct ts_builder_out *out, struct ts_error *err)
{
	size_t rows = table->n;
	size_t i = 0;
	struct ts_dictionary **old = ts_alloc_array(table->n_columns + 1, sizeof(struct ts_dictionary *));
	enum ts_status status = TS_OK;

	if (!old)
		return ts_error_set(err, TS_NO_MEMORY, "out of memory for %zu columns", table->n_columns);
	for (struct ts_series *s = table->columns; s; s = s->next) {
		old[i++] = s->dictionary;
		s->dictionary = NULL;
	}
	table->key_log2 = ts_builder_key_log2(table->keys, rows);
	table->probing = false;
	table->full = false;
	table->n = 0;
	for (size_t row = 0; !status && row < rows; row++)
		status = replay_row(table, row, old, out, err);
	while (i > 0)
		ts_dictionary_destroy(old[--i]);
	ts_free(old);
	return status;
}

enum ts_status ts_builder_table_end(struct ts_builder_table *table, int64_t key, struct ts_builder_out *out,
				    struct ts_error *err)
{
	if (end_row(table, key, out, err))
		return err->status;
	if (table->probing && table->n == TS_BUILDER_PROBE)
		return replay(table, out, err);
	return TS_OK;
}

size_t ts_builder_table_room(const struct ts_builder_table *table, const int64_t *keys, size_t n)
{
	size_t room = table->cap - table->n, at = 0;

	/* The row that fills the window may also fill the block. */
	if (table->probing || table->full || room < 2)
		return 0;
	if (n > room - 1)
		n = room - 1;
	TS_BISECT(at, n, i, ts_key_cell(keys[i], table->key_log2) == table->cell);
	return at;
}

enum ts_status ts_builder_table_finish(struct ts_builder_table *table, struct ts_builder_out *out, struct ts_error *err)
{
	if (table->probing && replay(table, out, err))
		return err->status;
	return flush(table, out, err);
}
