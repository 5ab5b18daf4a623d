/* builder_table.h - the tables of a builder: windows of rows, where they are cut, how they split.
 *
 * A series is a column within one kind of table. Series that were present at exactly the same keys so far share a table.
 * Each series has a window of the rows that are in no block yet; all windows of a table have the same length. Only the files
 * of the builder use this header.
 */
#ifndef TSCOPE_RUN_BUILDER_TABLE_H
#define TSCOPE_RUN_BUILDER_TABLE_H

#include "run/builder.h"
#include "run/builder_dictionary.h"

/* After so many keys a table knows where to cut; until then it keeps its rows in the window. */
enum { TS_BUILDER_PROBE = 64 };

struct ts_builder_table;

struct ts_series {
	uint32_t column;
	enum ts_column_type type;
	struct ts_builder_table *table; /* NULL before the first value */
	struct ts_series *prev, *next; /* in the table */
	uint64_t *window; /* as many rows as the table's cap: bits, or codes of the dictionary */
	struct ts_id *blocks; /* as many as the table's n_blocks */
	size_t blocks_cap;
	struct ts_dictionary *dictionary; /* for texts; NULL before the first value */
	uint64_t stamp; /* number of the last row whose plan uses this series */
};

struct ts_builder_table {
	struct ts_builder_table *next;
	enum ts_table_kind kind;
	struct ts_series *columns;
	size_t n_columns;
	int64_t *keys; /* the window: n of cap rows */
	size_t n, cap;
	bool probing; /* key_log2 is not known yet */
	bool full; /* a dictionary has reached TS_BLOCK_TEXT_MAX */
	uint8_t key_log2;
	int64_t cell; /* key >> key_log2, the same for all rows in the window */
	struct ts_block *blocks;
	size_t n_blocks, blocks_cap;
	uint64_t stamp; /* number of the last row whose plan uses this table; hits counts its columns in that row */
	size_t hits;
};

/* The part of the builder that writing a block needs. */
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

/* Gives out->object to the sink; *ret_id is its id. */
enum ts_status ts_builder_emit(struct ts_builder_out *out, struct ts_id *ret_id, struct ts_error *err);
void ts_builder_out_finish(struct ts_builder_out *out);

struct ts_builder_table *ts_builder_table_create(enum ts_table_kind kind, struct ts_error *err);
void ts_builder_table_destroy(struct ts_builder_table *table); /* the series are not destroyed */
/* Adds a series to an empty table, with a window of the table's capacity. */
enum ts_status ts_builder_table_add(struct ts_builder_table *table, struct ts_series *series, struct ts_error *err);
/* Makes a table with the same keys so far and no columns; NULL with an error set on failure. */
struct ts_builder_table *ts_builder_table_fork(const struct ts_builder_table *table, struct ts_error *err);
/* Moves a series from its table to a fork of it. */
void ts_builder_table_move(struct ts_series *series, struct ts_builder_table *fork);

/* A row takes three steps: _begin cuts a block if the key begins a new one and makes room, one _put for each column stores a
 * value, and _end cuts a block that is full. */
enum ts_status ts_builder_table_begin(struct ts_builder_table *table, int64_t key, struct ts_builder_out *out,
				      struct ts_error *err);
enum ts_status ts_series_put_text(struct ts_series *series, struct ts_span text, struct ts_error *err);
enum ts_status ts_builder_table_end(struct ts_builder_table *table, int64_t key, struct ts_builder_out *out,
				    struct ts_error *err);
/* Returns how many rows with these n keys, which increase, fit into the window without any of that. */
size_t ts_builder_table_room(const struct ts_builder_table *table, const int64_t *keys, size_t n);
/* Writes the rows that are left as the last block. */
enum ts_status ts_builder_table_finish(struct ts_builder_table *table, struct ts_builder_out *out,
				       struct ts_error *err);
void ts_series_finish(struct ts_series *series);

/* The key_log2 of a table with these n keys, which increase; docs/format.md, "Cutting", calls it b. */
uint8_t ts_builder_key_log2(const int64_t *keys, size_t n);

#endif
