#include "run/builder.h"

#include "base/alloc.h"
#include "base/limits.h"
#include "base/map.h"
#include "run/builder_state.h"

enum ts_status ts_builder_create(int32_t rank, ts_object_sink *sink, void *ctx, struct ts_builder **ret_builder,
				 struct ts_error *err)
{
	struct ts_builder *b = ts_alloc_array(1, sizeof *b);

	if (!b)
		return ts_error_set(err, TS_NO_MEMORY, "out of memory for a builder");
	b->rank = rank;
	b->out.sink = sink;
	b->out.ctx = ctx;
	b->out.object = TS_BUF_INIT(TS_OBJECT_MAX);
	b->texts = TS_BUF_INIT(UINT32_MAX);
	b->chunk = TS_BUF_INIT(TS_CHUNK_BYTES);
	ts_arena_init(&b->arena, 0);
	*ret_builder = b;
	return TS_OK;
}

void ts_builder_destroy(struct ts_builder *b)
{
	if (!b)
		return;
	for (size_t i = 0; i < b->n_columns; i++)
		for (size_t k = 0; k < TS_BUILDER_KINDS; k++)
			if (b->columns[i].series[k])
				ts_series_finish(b->columns[i].series[k]);
	while (b->tables) {
		struct ts_builder_table *next = b->tables->next;

		ts_builder_table_destroy(b->tables);
		b->tables = next;
	}
	for (size_t i = 0; i < b->n_files; i++)
		ts_free(b->files[i].chunks);
	ts_free(b->files);
	ts_free(b->columns);
	ts_map_finish(&b->by_name);
	ts_free(b->cells);
	ts_free(b->plan.tags);
	ts_free(b->plan.series);
	ts_free(b->plan.tables);
	ts_buf_finish(&b->texts);
	ts_buf_finish(&b->chunk);
	ts_builder_out_finish(&b->out);
	ts_arena_finish(&b->arena);
	ts_free(b);
}

enum ts_status ts_builder_check(const struct ts_builder *b, struct ts_error *err)
{
	if (b->failure.status)
		*err = b->failure;
	return b->failure.status;
}

/* --- columns --- */

static enum ts_status add_column(struct ts_builder *b, struct ts_span name, enum ts_column_type type, uint64_t hash,
				 struct ts_error *err)
{
	struct ts_span copy;

	if (b->n_columns == TS_COLUMNS_MAX)
		return ts_error_set(err, TS_TOO_LARGE, "more than %d columns", TS_COLUMNS_MAX);
	if (ts_builder_grow(&b->columns, &b->columns_cap, b->n_columns + 1, sizeof *b->columns, err))
		return ts_builder_fail(b, err);
	copy = ts_arena_span(&b->arena, name);
	if (!copy.data) {
		ts_arena_error(&b->arena, err);
		return ts_builder_fail(b, err);
	}
	if (!ts_map_add(&b->by_name, hash, (uint32_t)b->n_columns)) {
		ts_error_set(err, TS_NO_MEMORY, "out of memory for %zu columns", b->n_columns + 1);
		return ts_builder_fail(b, err);
	}
	b->columns[b->n_columns++] = (struct ts_builder_column){.name = copy, .type = type};
	return TS_OK;
}

enum ts_status ts_builder_column(struct ts_builder *b, struct ts_span name, enum ts_column_type type,
				 uint32_t *ret_column, struct ts_error *err)
{
	uint64_t hash = ts_hash_fold(ts_hash_bytes(ts_hash_open, name), ts_hash_u64(ts_hash_open, (uint64_t)type));
	uint32_t column;

	if (ts_builder_check(b, err))
		return err->status;
	if (name.len == 0 || name.len > TS_PATH_MAX)
		return ts_error_set(err, name.len ? TS_TOO_LARGE : TS_INVALID,
				    "a column name of %zu bytes; 1 to %d are possible", name.len, TS_PATH_MAX);
	TS_MAP_FIND(b->by_name, hash, i, b->columns[i].type == type && ts_span_eq(b->columns[i].name, name), column);
	if (column != TS_MAP_NONE) {
		*ret_column = column;
		return TS_OK;
	}
	if (type < TS_COLUMN_F64 || type > TS_COLUMN_JSON)
		return ts_error_set(err, TS_INTERNAL, "column '%.*s' of type %d", TS_SPAN_ARG(name), (int)type);
	if (add_column(b, name, type, hash, err))
		return err->status;
	*ret_column = (uint32_t)b->n_columns - 1;
	return TS_OK;
}

void ts_builder_precision(struct ts_builder *b, uint32_t column, enum ts_precision precision, uint8_t digits)
{
	if (column >= b->n_columns || b->columns[column].type != TS_COLUMN_F64)
		return;
	b->columns[column].precision = precision;
	b->columns[column].digits = precision == TS_PRECISION_DECIMALS ? digits : 0;
}

/* --- a row --- */

void ts_builder_row(struct ts_builder *b, enum ts_table_kind kind, int64_t key)
{
	b->in_row = true;
	b->kind = kind;
	b->key = key;
	b->n_cells = 0;
	b->row_error.status = TS_OK;
	if (b->texts.len)
		ts_buf_reset(&b->texts);
}

static bool more_cells(struct ts_builder *b, size_t n)
{
	struct ts_error err;

	if (b->failure.status)
		return false;
	if (ts_builder_grow(&b->cells, &b->cells_cap, b->n_cells + n, sizeof *b->cells, &err)) {
		ts_builder_fail(b, &err);
		return false;
	}
	return true;
}

static void put(struct ts_builder *b, uint32_t column, enum ts_builder_call call, uint64_t value)
{
	if (b->n_cells == b->cells_cap && !more_cells(b, 1))
		return;
	b->cells[b->n_cells++] = (struct ts_builder_cell){.tag = column | (uint64_t)call << 32, .value = value};
}

void ts_builder_f64(struct ts_builder *b, uint32_t column, double value)
{
	uint64_t bits;

	memcpy(&bits, &value, sizeof bits);
	put(b, column, TS_CALL_F64, bits);
}

void ts_builder_f64_many(struct ts_builder *b, const uint32_t *columns, const double *values, size_t n)
{
	struct ts_builder_cell *cells;

	if (b->cells_cap - b->n_cells < n && !more_cells(b, n))
		return;
	cells = b->cells + b->n_cells;
	for (size_t i = 0; i < n; i++) {
		cells[i].tag = columns[i] | (uint64_t)TS_CALL_F64 << 32;
		memcpy(&cells[i].value, &values[i], sizeof cells[i].value);
	}
	b->n_cells += n;
}

void ts_builder_u64(struct ts_builder *b, uint32_t column, uint64_t value)
{
	put(b, column, TS_CALL_U64, value);
}

void ts_builder_text(struct ts_builder *b, uint32_t column, struct ts_span value)
{
	uint64_t at = b->texts.len;
	struct ts_error err;

	if (value.len > TS_TEXT_MAX) {
		ts_error_set(&b->row_error, TS_TOO_LARGE, "a text has %zu bytes, and the limit is %d", value.len,
			     TS_TEXT_MAX);
		return;
	}
	ts_buf_span(&b->texts, value);
	if (ts_buf_check(&b->texts, &err)) {
		ts_builder_fail(b, &err);
		return;
	}
	put(b, column, TS_CALL_TEXT, at << 32 | value.len);
}

/* --- storing --- */

static void store_numbers(struct ts_builder *b)
{
	struct ts_series *const *series = b->plan.series;
	const struct ts_builder_cell *cells = b->cells;
	size_t row = b->plan.tables[0]->n;

	for (size_t i = 0; i < b->n_cells; i++)
		series[i]->window[row] = cells[i].value;
}

static enum ts_status store_cells(struct ts_builder *b, struct ts_error *err)
{
	if (b->plan.plain) {
		store_numbers(b);
		return TS_OK;
	}
	for (size_t i = 0; i < b->n_cells; i++) {
		struct ts_series *s = b->plan.series[i];
		uint64_t value = b->cells[i].value;

		if (!s)
			continue;
		if (s->type == TS_COLUMN_F64 || s->type == TS_COLUMN_U64) {
			s->window[s->table->n] = value;
			continue;
		}
		if (ts_series_put_text(s, ts_span_part(ts_buf_view(&b->texts), value >> 32, (uint32_t)value), err))
			return err->status;
	}
	return TS_OK;
}

static enum ts_status store_row(struct ts_builder *b, struct ts_error *err)
{
	const struct ts_builder_plan *plan = &b->plan;

	for (size_t i = 0; i < plan->n_tables; i++)
		if (ts_builder_table_begin(plan->tables[i], b->key, &b->out, err))
			return err->status;
	if (store_cells(b, err))
		return err->status;
	for (size_t i = 0; i < plan->n_tables; i++)
		if (ts_builder_table_end(plan->tables[i], b->key, &b->out, err))
			return err->status;
	return TS_OK;
}

static enum ts_status check_row(const struct ts_builder *b, struct ts_error *err)
{
	const struct ts_builder_rows *kind;

	if (!b->in_row)
		return ts_error_set(err, TS_INTERNAL, "a row is ended that was not begun");
	if (b->kind < TS_TABLE_STEPS || b->kind > TS_TABLE_KINDS)
		return ts_error_set(err, TS_INTERNAL, "a row of table kind %d", (int)b->kind);
	if (b->row_error.status) {
		*err = b->row_error;
		return err->status;
	}
	kind = &b->kinds[b->kind - 1];
	if (kind->any && b->key <= kind->last)
		return ts_error_set(err, TS_INVALID, "step %" PRId64 " follows step %" PRId64 ": steps must increase",
				    b->key, kind->last);
	return TS_OK;
}

enum ts_status ts_builder_row_end(struct ts_builder *b, struct ts_error *err)
{
	struct ts_builder_rows *kind;
	enum ts_status status = ts_builder_check(b, err);

	if (!status)
		status = check_row(b, err);
	b->in_row = false;
	if (status || (!ts_builder_plan_fits(b) && ts_builder_plan(b, err)))
		return err->status;
	if (store_row(b, err))
		return ts_builder_fail(b, err);
	kind = &b->kinds[b->kind - 1];
	if (!kind->any)
		kind->first = b->key;
	kind->any = true;
	kind->last = b->key;
	kind->rows++;
	return TS_OK;
}

/* --- many rows --- */

static enum ts_status one_row(struct ts_builder *b, const struct ts_builder_rows_in *in, size_t row, struct ts_error *err)
{
	const uint64_t *values = in->values;

	ts_builder_row(b, in->kind, in->keys[row]);
	for (size_t i = 0; i < in->n_columns; i++) {
		bool u64 = in->columns[i] < b->n_columns && b->columns[in->columns[i]].type == TS_COLUMN_U64;

		put(b, in->columns[i], u64 ? TS_CALL_U64 : TS_CALL_F64, values[i * in->stride + row]);
	}
	return ts_builder_row_end(b, err);
}

/* Copies the rows from `row` on which the window of the table has room for, and returns their number. */
static size_t copy_rows(struct ts_builder *b, const struct ts_builder_rows_in *in, size_t row)
{
	struct ts_builder_table *table = b->plan.tables[0];
	const uint64_t *values = in->values;
	size_t n = ts_builder_table_room(table, in->keys + row, in->n - row);

	if (n == 0)
		return 0;
	memcpy(table->keys + table->n, in->keys + row, n * sizeof *table->keys);
	for (size_t i = 0; i < in->n_columns; i++)
		memcpy(b->plan.series[i]->window + table->n, values + i * in->stride + row, n * sizeof(uint64_t));
	table->n += n;
	b->kinds[in->kind - 1].last = in->keys[row + n - 1];
	b->kinds[in->kind - 1].rows += n;
	return n;
}

/* Every row that cuts a block, widens a window or needs a plan goes the way of single rows. Those after it have its plan. */
enum ts_status ts_builder_number_rows(struct ts_builder *b, const struct ts_builder_rows_in *in, struct ts_error *err)
{
	for (size_t row = 0; row < in->n;) {
		if (one_row(b, in, row++, err))
			return err->status;
		if (b->plan.plain)
			row += copy_rows(b, in, row);
	}
	return TS_OK;
}
