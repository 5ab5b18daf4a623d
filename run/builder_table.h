/* builder_table.h - the tables of a builder: windows of rows, where they are cut, how they split.
 *
 * A series is a column within one kind of table. Series that were present at exactly the same keys so far share a table;
 * each has a window of the rows that no block holds yet, all windows of a table being of one length. Only builder.c uses this.
 */
#ifndef TSCOPE_RUN_BUILDER_TABLE_H
#define TSCOPE_RUN_BUILDER_TABLE_H

#include "run/builder.h"
#include "run/builder_dictionary.h"

/* Keys after which a table knows where to cut; until then it holds its rows back. */
enum { TS_BUILDER_PROBE = 64 };

struct ts_builder_table;

struct ts_series {
	uint32_t column;
	enum ts_column_type type;
	struct ts_builder_table *table; /* NULL before the first value */
	struct ts_series *prev, *next; /* in the table */
	uint64_t *window; /* the table's cap rows: bits, or codes of the dictionary */
	struct ts_id *blocks; /* the table's n_blocks */
	size_t blocks_cap;
	struct ts_dictionary *dictionary; /* of text; NULL before the first value */
	uint64_t stamp; /* of the last row planned with it */
};

struct ts_builder_table {
	struct ts_builder_table *next;
	enum ts_table_kind kind;
	struct ts_series *columns;
	size_t n_columns;
	int64_t *keys; /* window: n of cap rows */
	size_t n, cap;
	bool probing; /* key_log2 is not known yet */
	bool full; /* a dictionary has reached TS_BLOCK_TEXT_MAX */
	uint8_t key_log2;
	int64_t cell; /* key >> key_log2 of the rows in the window */
	struct ts_block *blocks;
	size_t n_blocks, blocks_cap;
	uint64_t stamp; /* of the last row planned with it; hits counts its columns in that row */
	size_t hits;
};

/* What a flush needs of the builder. */
struct ts_builder_out {
	ts_object_sink *sink;
	void *ctx;
	struct ts_buf object;
	uint32_t *codes, *renumber; /* scratch of text blocks */
	size_t codes_cap, renumber_cap;
	struct ts_span *entries;
	size_t entries_cap;
	uint64_t blocks;
	uint64_t canonical_bytes;
};

/* Gives out->object to the sink; its id. */
enum ts_status ts_builder_emit(struct ts_builder_out *out, struct ts_id *ret_id, struct ts_error *err);
void ts_builder_out_finish(struct ts_builder_out *out);

struct ts_builder_table *ts_builder_table_create(enum ts_table_kind kind, struct ts_error *err);
void ts_builder_table_destroy(struct ts_builder_table *table); /* not its series */
/* An empty table's: makes the window that the table's capacity asks for. */
enum ts_status ts_builder_table_add(struct ts_builder_table *table, struct ts_series *series, struct ts_error *err);
/* A table with the same keys so far and no columns yet. */
struct ts_builder_table *ts_builder_table_fork(const struct ts_builder_table *table, struct ts_error *err);
/* Moves a series from its table to a fork of it. */
void ts_builder_table_move(struct ts_series *series, struct ts_builder_table *fork);

/* A row is _begin (cuts a block that key ends, makes room), one _put a column, _end (cuts a block that is full). */
enum ts_status ts_builder_table_begin(struct ts_builder_table *table, int64_t key, struct ts_builder_out *out,
				      struct ts_error *err);
enum ts_status ts_series_put_text(struct ts_series *series, struct ts_span text, struct ts_error *err);
enum ts_status ts_builder_table_end(struct ts_builder_table *table, int64_t key, struct ts_builder_out *out,
				    struct ts_error *err);
/* Cuts what is left. */
enum ts_status ts_builder_table_finish(struct ts_builder_table *table, struct ts_builder_out *out,
				       struct ts_error *err);
void ts_series_finish(struct ts_series *series);

/* The b of a table with these keys (n of them, increasing): docs/format.md, "Cutting". */
uint8_t ts_builder_key_log2(const int64_t *keys, size_t n);

#endif
