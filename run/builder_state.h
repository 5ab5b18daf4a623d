/* builder_state.h - the struct behind a builder, shared by builder.c, builder_plan.c and builder_finish.c only.
 *
 * How a row is stored: its values are collected as they come, and at the end of the row a plan says to which series each of
 * them goes. A row that names the same columns in the same order as the row before uses the same plan. Any other row makes a
 * new plan, and only then are tables created and split.
 */
#ifndef TSCOPE_RUN_BUILDER_STATE_H
#define TSCOPE_RUN_BUILDER_STATE_H

#include "base/arena.h"
#include "base/map.h"
#include "run/builder_table.h"

enum ts_builder_call { TS_CALL_F64, TS_CALL_U64, TS_CALL_TEXT };

enum { TS_BUILDER_KINDS = TS_TABLE_KINDS };

struct ts_builder_cell {
	uint64_t tag; /* column | call << 32 */
	uint64_t value; /* the bits, or offset << 32 | length in the texts of the row */
};

struct ts_builder_column {
	struct ts_span name;
	enum ts_column_type type;
	enum ts_precision precision;
	uint8_t digits;
	struct ts_series *series[TS_BUILDER_KINDS]; /* by kind - 1; NULL before the first value */
};

struct ts_builder_plan {
	bool valid;
	bool plain; /* every cell is a number that is kept, in one table */
	enum ts_table_kind kind;
	uint64_t *tags;
	struct ts_series **series; /* one for each cell; NULL if a later cell replaces it */
	size_t n;
	size_t tags_cap, series_cap;
	struct ts_builder_table **tables;
	size_t n_tables, tables_cap;
};

struct ts_builder_rows {
	bool any;
	int64_t first, last;
	uint64_t rows;
	struct ts_builder_table *bare; /* rows without any column */
};

struct ts_builder_file {
	struct ts_span name;
	uint64_t size;
	struct ts_id *chunks;
	size_t n_chunks, cap;
	bool has_columns;
	struct ts_id columns;
};

struct ts_builder {
	int32_t rank;
	struct ts_builder_out out;
	struct ts_arena arena; /* names, series, the index */
	struct ts_builder_column *columns;
	size_t n_columns, columns_cap;
	struct ts_map by_name; /* of columns, by name and type */
	struct ts_builder_table *tables;

	bool in_row;
	enum ts_table_kind kind;
	int64_t key;
	struct ts_builder_cell *cells;
	size_t n_cells, cells_cap;
	struct ts_buf texts;
	uint64_t serial;
	struct ts_builder_plan plan;
	struct ts_builder_rows kinds[TS_BUILDER_KINDS];

	struct ts_builder_file *files;
	size_t n_files, files_cap;
	bool in_file;
	struct ts_buf chunk;

	struct ts_error row_error; /* of the current row, which is then left out at its end */
	struct ts_error failure; /* set once and kept: see ts_builder_fail */
};

/* Records a failure of memory or of the sink. The builder can then only be destroyed: every later call reports the failure. */
static inline enum ts_status ts_builder_fail(struct ts_builder *b, const struct ts_error *err)
{
	if (!b->failure.status)
		b->failure = *err;
	return err->status;
}

enum ts_status ts_builder_check(const struct ts_builder *b, struct ts_error *err);

/* True if the present plan fits the current row. */
bool ts_builder_plan_fits(const struct ts_builder *b);
/* Makes a plan that fits the current row, for which it creates and splits tables. */
enum ts_status ts_builder_plan(struct ts_builder *b, struct ts_error *err);

#endif
