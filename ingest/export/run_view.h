/* run_view.h - opens a run for reading: its head, the index of a rank, and rows one at a time.
 *
 *	ts_view_open(&view, id, get, ctx, err)
 *	ts_view_index(&view, i, &arena, &index, err)		the index of view.head.ranks[i]
 *	ts_rows_open(&rows, &view, &index, TS_TABLE_STEPS, err)
 *	while (ts_rows_next(&rows, &more, err) == TS_OK && more)	rows.key
 *		for (i < rows.n_columns) if (ts_rows_has(&rows, i)) ... ts_rows_f64(&rows, i)
 *	ts_rows_close(&rows)
 *	ts_view_close(&view)
 *
 * The tables are read in parallel, in the order of keys; one block per column is in memory. Texts live until the next ts_rows_next.
 * Threads: one at a time.
 */
#ifndef TSCOPE_INGEST_EXPORT_RUN_VIEW_H
#define TSCOPE_INGEST_EXPORT_RUN_VIEW_H

#include "ingest/export/export.h"

struct ts_view {
	ts_object_source *get;
	void *ctx;
	struct ts_arena arena; /* holds the head */
	struct ts_head head;
};

enum ts_status ts_view_open(struct ts_view *view, const struct ts_id *head, ts_object_source *get, void *ctx,
			    struct ts_error *err);
void ts_view_close(struct ts_view *view);
enum ts_status ts_view_index(const struct ts_view *view, size_t rank, struct ts_arena *arena, struct ts_index *ret_index,
			     struct ts_error *err);
/* The bytes of a chunk object. */
enum ts_status ts_view_chunk(const struct ts_view *view, const struct ts_id *id, struct ts_arena *arena,
			     struct ts_span *ret_bytes, struct ts_error *err);

/* Finds a kept file of a rank; its index lies in the arena. TS_DAMAGED: the run has no such file, though somebody listed it. */
enum ts_status ts_view_find_file(const struct ts_view *view, int32_t rank, struct ts_span name, struct ts_arena *arena,
				 struct ts_file *ret_file, struct ts_error *err);
/* Writes the bytes of a kept file to a descriptor. */
enum ts_status ts_view_write_file(const struct ts_view *view, const struct ts_file *file, int fd, struct ts_error *err);
/* Appends the bytes of a kept file. */
enum ts_status ts_view_file(const struct ts_view *view, const struct ts_file *file, struct ts_buf *out, struct ts_error *err);

struct ts_rows_table {
	const struct ts_table *table;
	struct ts_arena arena; /* holds the current block */
	size_t next_block;
	size_t row, rows;
	int64_t *keys;
	void **values; /* one array per column, of double, uint64_t or struct ts_span */
	bool here;     /* the table has a row at the current key */
};

struct ts_rows_column {
	const struct ts_column *column;
	struct ts_rows_table *table;
	size_t at; /* its place among the table's columns */
};

struct ts_rows {
	const struct ts_view *view;
	enum ts_table_kind kind;
	struct ts_arena arena;
	struct ts_arena scratch; /* holds one encoded block */
	struct ts_rows_table *tables;
	size_t n_tables;
	struct ts_rows_column *columns; /* sorted: timestamp, phases, scalars, memory, then by name; then by type */
	size_t n_columns;
	int64_t key;
	bool started;
};

/* index must outlive the rows. */
enum ts_status ts_rows_open(struct ts_rows *rows, const struct ts_view *view, const struct ts_index *index,
			    enum ts_table_kind kind, struct ts_error *err);
void ts_rows_close(struct ts_rows *rows);
enum ts_status ts_rows_next(struct ts_rows *rows, bool *ret_more, struct ts_error *err);
/* The column's place, or SIZE_MAX. */
size_t ts_rows_find(const struct ts_rows *rows, const char *name, enum ts_column_type type);
/* Compares two names in the order of columns above. */
int ts_column_order(struct ts_span a, struct ts_span b);

static inline bool ts_rows_has(const struct ts_rows *rows, size_t i)
{
	return rows->columns[i].table->here;
}

static inline double ts_rows_f64(const struct ts_rows *rows, size_t i)
{
	const struct ts_rows_column *c = &rows->columns[i];

	return ((const double *)c->table->values[c->at])[c->table->row];
}

static inline uint64_t ts_rows_u64(const struct ts_rows *rows, size_t i)
{
	const struct ts_rows_column *c = &rows->columns[i];

	return ((const uint64_t *)c->table->values[c->at])[c->table->row];
}

static inline struct ts_span ts_rows_text(const struct ts_rows *rows, size_t i)
{
	const struct ts_rows_column *c = &rows->columns[i];

	return ((const struct ts_span *)c->table->values[c->at])[c->table->row];
}

#endif
