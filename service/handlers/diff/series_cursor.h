/* series_cursor.h - a position in one run's column, for code that walks two series side by side. */
#ifndef TSCOPE_SERVICE_HANDLERS_DIFF_SERIES_CURSOR_H
#define TSCOPE_SERVICE_HANDLERS_DIFF_SERIES_CURSOR_H

#include "service/handlers/diff/block_cache.h"
#include "service/handlers/diff/series_diff.h"

/* Row `row` of block `block`. Keys and words are the cache's, of the block that was read last: they are asked for again whenever
 * the other side's are, so that they stay. */
struct ts_series_cursor {
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
	struct ts_series_cursor a, b;
};

void ts_cursor_init(struct ts_series_cursor *c);
void ts_cursor_finish(struct ts_series_cursor *c);
void ts_cursor_start(struct ts_series_cursor *c, struct ts_series_side side);

bool ts_cursor_at_end(const struct ts_series_cursor *c);
bool ts_cursor_is_text(const struct ts_series_cursor *c);
const struct ts_block *ts_cursor_block(const struct ts_series_cursor *c);
const struct ts_id *ts_cursor_values(const struct ts_series_cursor *c);
size_t ts_cursor_rows_left(const struct ts_series_cursor *c);
/* The step of the next row. Past the first row of a block its keys have been read. */
int64_t ts_cursor_step(const struct ts_series_cursor *c);
/* The first row at or after the cursor's whose key lies beyond last; the block has been read. */
size_t ts_cursor_row_behind(const struct ts_series_cursor *c, int64_t last);

void ts_cursor_next_block(struct ts_series_cursor *c);
/* To a row of the block, or to the next block. */
void ts_cursor_advance(struct ts_series_cursor *c, size_t row);
enum ts_status ts_cursor_read(struct ts_series_walk *w, struct ts_series_cursor *c, struct ts_error *err);
/* The value of a row of the block that was read; its text lies in the arena. False when that is full. */
bool ts_cursor_cell(const struct ts_series_cursor *c, size_t row, struct ts_arena *arena, struct ts_value *ret_value);

#endif
