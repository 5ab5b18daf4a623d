/* builder.h - from rows, one at a time, to blocks and an index; memory is a window, whatever the length.
 *
 *	ts_builder_create(rank, sink, ctx, &b, err)
 *	col = ts_builder_column(&b, name, TS_COLUMN_F64, err)	once a name; keep the number
 *	ts_builder_row(&b, TS_TABLE_STEPS, step)		keys strictly increase within a kind
 *	ts_builder_f64(&b, col, 0.25); ...			each column at most once a row (a second value replaces the first)
 *	ts_builder_row_end(&b, err)
 *	ts_builder_file_begin/add/end				for files kept as they are
 *	ts_builder_finish(&b, &facts, &index_id, err)
 *	ts_builder_destroy(&b)
 *
 * Every block goes to the sink as soon as it is cut. Columns that were seen together so far share a table; a row that has
 * only some of a table's columns splits it (both halves keep the keys so far, so the result does not depend on the
 * order in which we learn it). b (key_log2) comes from the table's first 64 keys: 14 + floor(log2(median difference)),
 * 14 with fewer than two keys.
 * A table is also cut by row after TS_BLOCK_ROWS_MAX rows, or when a text column's dictionary reaches
 * TS_BLOCK_TEXT_MAX bytes. Ownership: names and texts are copied. Threads: one at a time.
 */
#ifndef TSCOPE_RUN_BUILDER_H
#define TSCOPE_RUN_BUILDER_H

#include "run/index.h"

struct ts_builder;

/* The sink gets whole objects and their ids. */
enum ts_status ts_builder_create(int32_t rank, ts_object_sink *sink, void *ctx, struct ts_builder **ret_builder,
				 struct ts_error *err);
void ts_builder_destroy(struct ts_builder *b); /* NULL is allowed */

/* *ret_column numbers a (name, type) pair; the same pair gives the same number. TS_TOO_LARGE over TS_COLUMNS_MAX. */
enum ts_status ts_builder_column(struct ts_builder *b, struct ts_span name, enum ts_column_type type,
				 uint32_t *ret_column, struct ts_error *err);
void ts_builder_precision(struct ts_builder *b, uint32_t column, enum ts_precision precision, uint8_t digits);

void ts_builder_row(struct ts_builder *b, enum ts_table_kind kind, int64_t key);
void ts_builder_f64(struct ts_builder *b, uint32_t column, double value);
void ts_builder_u64(struct ts_builder *b, uint32_t column, uint64_t value);
void ts_builder_text(struct ts_builder *b, uint32_t column, struct ts_span value); /* TEXT and JSON */
enum ts_status ts_builder_row_end(struct ts_builder *b, struct ts_error *err);

/* Files in any order, names unique. */
enum ts_status ts_builder_file_begin(struct ts_builder *b, struct ts_span name, struct ts_error *err);
enum ts_status ts_builder_file_add(struct ts_builder *b, struct ts_span bytes, struct ts_error *err);
enum ts_status ts_builder_file_end(struct ts_builder *b, struct ts_error *err);

struct ts_builder_stats {
	uint64_t rows; /* of TS_TABLE_STEPS, distinct steps */
	uint64_t superseded; /* rows of TS_TABLE_SUPERSEDED */
	uint64_t events; /* rows of TS_TABLE_PIPELINE */
	uint64_t digests; /* rows of TS_TABLE_DIGESTS */
	size_t columns; /* names and types so far, of all kinds */
	int64_t first_step, last_step; /* valid if rows > 0 */
	uint64_t blocks;
	uint64_t canonical_bytes; /* of all objects given to the sink */
};
void ts_builder_stats(const struct ts_builder *b, struct ts_builder_stats *ret_stats);

/* Cuts what is left, writes the index (with these facts, sorted), gives its id. */
enum ts_status ts_builder_finish(struct ts_builder *b, const struct ts_facts *facts, struct ts_id *ret_index,
				 struct ts_error *err);

#endif
