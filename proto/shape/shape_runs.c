/* shape_runs.c - the tables of ListRuns and GetRun: which runs there are, and what one holds. */
#include "proto/shape/shape_rows.h"
#include "proto/shape/shape_wire.h"

/* --- list --- */

#define TYPE struct ts_list_request
static const struct ts_shape_field list_request_rows[] = {
	{"project", NULL, TEXT(project, TS_NAME_MAX)},
	{"kind", NULL, ENUM(kind, ts_words_ref_kind)},
	{"filter", NULL, TEXT(filter, TS_WIRE_TEXT_MAX)},
	{"columns", NULL, LIST(TEXT, columns, n_columns, TS_WIRE_COLUMNS_MAX), MAX(TS_PATH_MAX)},
	{"sort", NULL, TEXT(sort, TS_PATH_MAX + 1)},
	{"page_size", NULL, U32(page_size), MAX(TS_PAGE_MAX)},
	{"page_token", NULL, BYTES(page_token, TS_WIRE_TEXT_MAX)},
};
const struct ts_shape ts_shape_list_request = {SHAPE("list_request", list_runs_request, list_request_rows)};
#undef TYPE

/* A fact without a type is an unknown cell. */
#define TYPE struct ts_list_cell
static bool fill_cell(const void *in, void *message, struct ts_arena *arena)
{
	const TYPE *cell = in;

	return !cell->known || ts_shape_fact.own->fill(&cell->value, message, arena);
}

static void read_cell(struct ts_wire_reader *r, const void *message, void *ret)
{
	TYPE *cell = ret;

	cell->known = ((const Tscope__V1__Fact *)message)->type != TSCOPE__V1__FACT_TYPE__FACT_TYPE_UNSPECIFIED;
	if (cell->known)
		ts_shape_read(&ts_shape_fact, r, message, &cell->value);
}

static const struct ts_shape_own cell_own = {.fill = fill_cell, .read = read_cell};
const struct ts_shape ts_shape_list_cell = {OWN_SHAPE("list_cell", fact, cell_own)};
#undef TYPE

#define TYPE struct ts_list_row
static const struct ts_shape_field row_rows[] = {
	{"name", NULL, TEXT(name, TS_NAME_MAX)},
	{"id", NULL, ID(id)},
	{"pushed_ns", NULL, TIME(pushed_ns)},
	{"cells", NULL, MANY(cells, n_cells, ts_shape_list_cell, TS_WIRE_COLUMNS_MAX)},
};
static const struct ts_shape row_shape = {SHAPE("list_row", list_row, row_rows)};
#undef TYPE

#define TYPE struct ts_list_reply
static void check_list(struct ts_wire_reader *r, void *in)
{
	const TYPE *reply = in;

	for (size_t i = 0; i < reply->n; i++)
		if (reply->rows[i].n_cells != reply->rows[0].n_cells)
			ts_wire_fail(r, "rows.cells", "differs in length from row to row");
}

static const struct ts_shape_field list_rows[] = {
	{"rows", NULL, MANY(rows, n, row_shape, TS_PAGE_MAX)},
	{"next_token", NULL, BYTES(next_token, TS_WIRE_TEXT_MAX)},
	{"examined", NULL, U64(examined)},
	{"unrecorded", NULL, LIST(TEXT, unrecorded, n_unrecorded, TS_WIRE_SPEC_MAX), MAX(TS_PATH_MAX)},
	{"unscored", NULL, U64(unscored)},
	{"copy_of", NULL, TEXT(copy.of, TS_WIRE_TEXT_MAX)},
	{"copy_held_ns", NULL, I64(copy.held_ns)},
};
const struct ts_shape ts_shape_list_reply = {SHAPE("list_reply", list_runs_reply, list_rows), .check = check_list};
#undef TYPE

/* --- get --- */

#define TYPE struct ts_get_request
static const struct ts_shape_field get_request_rows[] = {
	{"spec", NULL, TEXT(spec, TS_WIRE_SPEC_MAX)},
	{"metrics", NULL, BOOL(metrics)},
};
const struct ts_shape ts_shape_get_request = {SHAPE("get_request", get_run_request, get_request_rows)};
#undef TYPE

static const struct ts_shape_words precisions = {TS_PRECISION_F64, TS_PRECISION_DECIMALS, TS_PRECISION_F64, .word = NULL};
WORD_OF(table_word, enum ts_table_kind, ts_table_word);
static const struct ts_shape_words tables = {TS_TABLE_STEPS, TS_TABLE_RANK_KINDS, TS_TABLE_STEPS, .word = table_word};

#define TYPE struct ts_column_metric
static const struct ts_shape_field metric_rows[] = {
	{"count", "value_count", U64(count), ABOUT("finite values; the others are left out of everything else")},
	{"nonfinite", "nonfinite_count", U64(nonfinite)},
	{"last", "last", F64(last), HAS(has_values)},
	{"last_step", "last_step", I64(last_step), HAS(has_values)},
	{"best", "best", F64(best), HAS(has_best), ABOUT("null where the name does not say which value is the best")},
	{"best_step", "best_step", I64(best_step), HAS(has_best)},
	{"mean", "mean", F64(mean), HAS(has_mean)},
	{"min", "min", F64(min), HAS(has_values)},
	{"min_step", "min_step", I64(min_step), HAS(has_values)},
	{"max", "max", F64(max), HAS(has_values)},
	{"max_step", "max_step", I64(max_step), HAS(has_values)},
};
static const struct ts_shape metric_shape = {SHAPE("column_metric", column_metric, metric_rows)};
#undef TYPE

#define TYPE struct ts_column_info
static const struct ts_shape_field column_rows[] = {
	{"name", "name", BYTES(name, TS_PATH_MAX)},
	{"table", "table", ENUM(table, tables)},
	{"type", "type", ENUM(type, ts_words_column_type)},
	{"role", "role", ENUM(role, ts_words_role)},
	{"precision", NULL, ENUM(precision, precisions)},
	{"digits", NULL, U32(digits), MAX(UINT8_MAX)},
	{"rank", "lowest_rank", I32(rank)},
	{"ranks", "rank_count", U32(ranks)},
	{"rows", NULL, U64(rows)},
	{"rows_all", "row_count", U64(rows_all)},
	{"first_key", "first_key", I64(first_key)},
	{"last_key", "last_key", I64(last_key)},
	{"metric", "metric", ONE(metric, metric_shape), HAS(has_metric)},
};
const struct ts_shape ts_shape_column = {SHAPE("column", column_info, column_rows)};
#undef TYPE

#define TYPE struct ts_file_info
static const struct ts_shape_field file_rows[] = {
	{"name", "name", BYTES(name, TS_PATH_MAX)},
	{"rank", "rank", I32(rank), OR_NULL},
	{"size", "size_bytes", U64(size)},
	{"columns", NULL, ID(columns), HAS(has_columns)},
};
const struct ts_shape ts_shape_file = {SHAPE("file", file_info, file_rows)};
#undef TYPE

#define TYPE struct ts_get_reply
/* A lineage without a parent carries no information. */
static void check_get(struct ts_wire_reader *r, void *in)
{
	TYPE *reply = in;

	(void)r;
	reply->lineage.named = reply->lineage.parent.len > 0;
}

static const struct ts_shape_field get_rows[] = {
	{"run", NULL, ONE(run, ts_shape_run)},
	{"ref", NULL, ONE(ref, ts_shape_ref), HAS(by_ref)},
	{"head", NULL, BYTES(head, TS_HEAD_MAX)},
	{"notes", NULL, MANY(notes, n_notes, ts_shape_note, ENTRIES(2))},
	{"columns", NULL, MANY(columns, n_columns, ts_shape_column, ENTRIES(6))}, /* the least entry has a type and a table */
	{"files", NULL, MANY(files, n_files, ts_shape_file, ENTRIES(2))},
	{"missing_ranks", NULL, LIST(I32, missing_ranks, n_missing, TS_WORLD_MAX)},
	{"names", NULL, MANY(names, n_names, ts_shape_ref, TS_WIRE_REPORTED_MAX)},
	{"lineage", NULL, ONE(lineage, ts_shape_lineage), HAS(lineage.named)},
	{"ending", NULL, ONE(ending, ts_shape_ending), HAS(ending.told)},
	{"happenings", NULL, ONE(happenings, ts_shape_happenings), HAS(has_happenings)},
	{"copy_of", NULL, TEXT(copy.of, TS_WIRE_TEXT_MAX)},
	{"copy_held_ns", NULL, I64(copy.held_ns)},
};
const struct ts_shape ts_shape_get_reply = {SHAPE("get_reply", get_run_reply, get_rows), .check = check_get};
#undef TYPE

WIRE_SHAPE(list_request, ts_list_request, ts_shape_list_request);
WIRE_SHAPE(list_reply, ts_list_reply, ts_shape_list_reply);
WIRE_SHAPE(get_request, ts_get_request, ts_shape_get_request);
WIRE_SHAPE(get_reply, ts_get_reply, ts_shape_get_reply);
