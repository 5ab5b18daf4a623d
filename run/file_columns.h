/* file_columns.h - what the columns of a trace and of a snapshot share: tables of numbers from key 0 on, and a table of names to which
 * they refer. Only the files trace_columns*.c and snapshot_columns*.c use this header.
 *
 * Names are numbered from 0, and the first is empty. One that is longer than a cell may be goes on in the next rows: `more`.
 */
#ifndef TSCOPE_RUN_FILE_COLUMNS_H
#define TSCOPE_RUN_FILE_COLUMNS_H

#include "run/builder.h"
#include "run/index.h"

enum { TS_FILE_COLUMNS_BATCH = 4096 };

/* Names as they are written. */
struct ts_names_out {
	struct ts_builder *builder;
	uint32_t text, more; /* columns */
	int64_t row;
	uint32_t n; /* given so far */
	struct ts_error *err;
	bool failed; /* err says why */
};

/* The empty name is not written by it. */
enum ts_status ts_names_begin(struct ts_names_out *names, struct ts_builder *b, struct ts_error *err);
void ts_names_put(struct ts_names_out *names, struct ts_span text);
/* Writes the text, if it is not empty, and returns its number. */
uint32_t ts_names_number(struct ts_names_out *names, struct ts_span text);

/* Columns as they are loaded. */
struct ts_columns_in {
	ts_object_source *get;
	void *ctx;
	struct ts_arena *arena; /* what is given back */
	struct ts_arena work;	/* holds the index */
	struct ts_arena block;	/* one block at a time */
	struct ts_index index;
	uint64_t *words; /* of one block */
	struct ts_span *names;
	size_t n_names;
};

/* Reads the index and the names. get, ctx and arena are set; ts_columns_close is called in any case. */
enum ts_status ts_columns_open(struct ts_columns_in *in, const struct ts_id *id, struct ts_error *err);
void ts_columns_close(struct ts_columns_in *in);
/* The table of this kind, which has its rows from key 0 on, at most rows_max; *ret is NULL if there is none. */
enum ts_status ts_columns_table(const struct ts_columns_in *in, enum ts_table_kind kind, uint64_t rows_max, const struct ts_table **ret,
				struct ts_error *err);
const struct ts_column *ts_columns_column(const struct ts_table *table, const char *name, enum ts_column_type type);
/* Reads a block into in->words. */
enum ts_status ts_columns_words(struct ts_columns_in *in, const struct ts_id *id, size_t rows, enum ts_column_type type,
				struct ts_error *err);
enum ts_status ts_columns_damaged(enum ts_table_kind kind, const char *what, struct ts_error *err);

#endif
