/* builder.h - turns rows, given one at a time, into blocks and an index; its memory does not grow with the length of the
 * run.
 *
 *	ts_builder_create(rank, sink, ctx, &b, err)
 *	col = ts_builder_column(&b, name, TS_COLUMN_F64, err)	once for each name; keep the number
 *	ts_builder_row(&b, TS_TABLE_STEPS, step)		keys strictly increase within a kind
 *	ts_builder_f64(&b, col, 0.25); ...			each column at most once a row (a second value replaces the first)
 *	ts_builder_row_end(&b, err)
 *	ts_builder_file_begin/add/end				for files that are stored as they are
 *	ts_builder_finish(&b, &facts, &index_id, err)
 *	ts_builder_destroy(&b)
 *
 * Every block goes to the sink as soon as it is cut. Columns that were present in the same rows so far share a table. A row
 * that has only some of a table's columns splits the table; both parts keep the keys so far, so the result does not depend
 * on the order in which the builder learns of columns. Blocks are cut at multiples of 2^key_log2 of the key; key_log2 comes
 * from the table's first 64 keys: 14 + floor(log2(median difference)), or 14 with fewer than two keys. A table is also cut
 * after TS_BLOCK_ROWS_MAX rows, or when the dictionary of a text column reaches TS_BLOCK_TEXT_MAX bytes.
 * Ownership: names and texts are copied.
 * Threads: one thread at a time may use a builder.
 */
#ifndef TSCOPE_RUN_BUILDER_H
#define TSCOPE_RUN_BUILDER_H

#include "run/index.h"

struct ts_builder;

/* Makes a builder for one rank. The sink gets whole objects and their ids. */
enum ts_status ts_builder_create(int32_t rank, ts_object_sink *sink, void *ctx, struct ts_builder **ret_builder,
				 struct ts_error *err);
void ts_builder_destroy(struct ts_builder *b); /* NULL is allowed */

/* *ret_column is the number of a (name, type) pair; the same pair always gets the same number. TS_TOO_LARGE for more than
 * TS_COLUMNS_MAX columns or a name longer than TS_PATH_MAX; TS_INVALID for an empty name. */
enum ts_status ts_builder_column(struct ts_builder *b, struct ts_span name, enum ts_column_type type,
				 uint32_t *ret_column, struct ts_error *err);
/* Declares the precision of a column; ignored unless it is of TS_COLUMN_F64. digits count only with TS_PRECISION_DECIMALS. */
void ts_builder_precision(struct ts_builder *b, uint32_t column, enum ts_precision precision, uint8_t digits);

void ts_builder_row(struct ts_builder *b, enum ts_table_kind kind, int64_t key);
void ts_builder_f64(struct ts_builder *b, uint32_t column, double value);
/* The same as ts_builder_f64 for each of n columns. */
void ts_builder_f64_many(struct ts_builder *b, const uint32_t *columns, const double *values, size_t n);
void ts_builder_u64(struct ts_builder *b, uint32_t column, uint64_t value);
void ts_builder_text(struct ts_builder *b, uint32_t column, struct ts_span value); /* for TS_COLUMN_TEXT and TS_COLUMN_JSON */
/* Stores the row. TS_INVALID if its key does not increase, TS_TOO_LARGE if a text is too long; the row is then left out. */
enum ts_status ts_builder_row_end(struct ts_builder *b, struct ts_error *err);

/* Rows that have the same columns of numbers, each once. values[i * stride + row] is the value in columns[i]: a double, or for a column
 * of TS_COLUMN_U64 a uint64_t. */
struct ts_builder_rows_in {
	enum ts_table_kind kind;
	const int64_t *keys; /* n of them, which increase */
	size_t n;
	const uint32_t *columns;
	const void *values;
	size_t n_columns, stride;
};

/* The same as _row, one call for each column and _row_end for each row. A failure leaves out the row that failed and those after it. */
enum ts_status ts_builder_number_rows(struct ts_builder *b, const struct ts_builder_rows_in *in, struct ts_error *err);

/* Files may come in any order, but only once for each name: TS_INVALID otherwise. */
enum ts_status ts_builder_file_begin(struct ts_builder *b, struct ts_span name, struct ts_error *err);
enum ts_status ts_builder_file_add(struct ts_builder *b, struct ts_span bytes, struct ts_error *err);
enum ts_status ts_builder_file_end(struct ts_builder *b, struct ts_error *err);
/* The columns of the file that was ended last: the index in which they stand. */
enum ts_status ts_builder_file_columns(struct ts_builder *b, const struct ts_id *index, struct ts_error *err);

struct ts_builder_stats {
	uint64_t rows; /* rows of TS_TABLE_STEPS: distinct steps */
	uint64_t superseded; /* rows of TS_TABLE_SUPERSEDED */
	uint64_t events; /* rows of TS_TABLE_PIPELINE */
	uint64_t digests; /* rows of TS_TABLE_DIGESTS */
	uint64_t timed; /* rows of TS_TABLE_EVENTS */
	uint64_t sketches; /* rows of TS_TABLE_SKETCHES */
	size_t columns; /* columns (names and types) so far, in tables of all kinds */
	int64_t first_step, last_step; /* valid if rows > 0 */
	uint64_t blocks;
	uint64_t canonical_bytes; /* size of all objects given to the sink */
};
void ts_builder_stats(const struct ts_builder *b, struct ts_builder_stats *ret_stats);

/* Cuts the last blocks and writes the index with these facts, which are sorted. *ret_index is the id of the index. */
enum ts_status ts_builder_finish(struct ts_builder *b, const struct ts_facts *facts, struct ts_id *ret_index,
				 struct ts_error *err);

#endif
