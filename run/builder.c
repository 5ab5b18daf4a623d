/* How a row is stored: its values are collected as they come, and at row_end a plan says which series each goes to. A row
 * that names the same columns in the same order as the one before uses the same plan; any other row makes a new one,
 * and only then are tables created and split. */
#include "run/builder.h"

#include "base/alloc.h"
#include "base/arena.h"
#include "base/limits.h"
#include "run/builder_table.h"
#include "run/head.h"
#include "run/payload.h"

#include <stdlib.h>

enum call { CALL_F64, CALL_U64, CALL_TEXT };

enum { KINDS = 2 };

struct cell {
	uint64_t tag;	/* column | call << 32 */
	uint64_t value; /* bits, or offset << 32 | length in the row's texts */
};

struct column {
	struct ts_span name;
	enum ts_column_type type;
	enum ts_precision precision;
	uint8_t digits;
	struct ts_series *series[KINDS]; /* by kind - 1; NULL before the first value */
};

struct plan {
	bool valid;
	enum ts_table_kind kind;
	uint64_t *tags;
	struct ts_series **series; /* one a cell; NULL where a later cell replaces it */
	size_t n;
	size_t tags_cap, series_cap;
	struct ts_builder_table **tables;
	size_t n_tables, tables_cap;
};

struct rows_of_kind {
	bool any;
	int64_t first, last;
	uint64_t rows;
	struct ts_builder_table *bare; /* rows without any column */
};

struct file {
	struct ts_span name;
	uint64_t size;
	struct ts_id *chunks;
	size_t n_chunks, cap;
};

struct ts_builder {
	int32_t rank;
	struct ts_builder_out out;
	struct ts_arena arena; /* names, series, the index */
	struct column *columns;
	size_t n_columns, columns_cap;
	uint32_t *slots; /* column + 1 by name and type; twice TS_COLUMNS_MAX, a power of two */
	struct ts_builder_table *tables;

	bool in_row;
	enum ts_table_kind kind;
	int64_t key;
	struct cell *cells;
	size_t n_cells, cells_cap;
	struct ts_buf texts;
	uint64_t serial;
	struct plan plan;
	struct rows_of_kind kinds[KINDS];

	struct file *files;
	size_t n_files, files_cap;
	bool in_file;
	struct ts_buf chunk;

	struct ts_error row_error; /* of the row begun; it is dropped at its end */
	struct ts_error failure;   /* for good */
};

enum { SLOTS = 4 * TS_COLUMNS_MAX };

enum ts_status ts_builder_create(int32_t rank, ts_object_sink *sink, void *ctx, struct ts_builder **ret_builder,
				 struct ts_error *err)
{
	struct ts_builder *b = ts_alloc_array(1, sizeof *b);
	uint32_t *slots = ts_alloc_array(SLOTS, sizeof *slots);

	if (!b || !slots) {
		ts_free(b);
		ts_free(slots);
		return ts_error_set(err, TS_NO_MEMORY, "out of memory for a builder");
	}
	b->rank = rank;
	b->slots = slots;
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
		for (size_t k = 0; k < KINDS; k++)
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
	ts_free(b->slots);
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

/* A failure of memory or of the sink leaves a builder that can only be destroyed: every later call reports it. */
static enum ts_status fail(struct ts_builder *b, const struct ts_error *err)
{
	if (!b->failure.status)
		b->failure = *err;
	return err->status;
}

static enum ts_status check(const struct ts_builder *b, struct ts_error *err)
{
	if (b->failure.status)
		*err = b->failure;
	return b->failure.status;
}

/* --- columns --- */

static size_t hash_name(struct ts_span name, enum ts_column_type type)
{
	uint64_t h = (uint64_t)type;

	for (size_t i = 0; i < name.len; i++)
		h = (h ^ name.data[i]) * UINT64_C(0x100000001b3);
	return (size_t)(h ^ h >> 29) & (SLOTS - 1);
}

static enum ts_status add_column(struct ts_builder *b, struct ts_span name, enum ts_column_type type, size_t slot,
				 struct ts_error *err)
{
	struct ts_span copy;

	if (b->n_columns == TS_COLUMNS_MAX)
		return ts_error_set(err, TS_TOO_LARGE, "more than %d columns", TS_COLUMNS_MAX);
	if (ts_builder_grow(&b->columns, &b->columns_cap, b->n_columns + 1, sizeof *b->columns, err))
		return fail(b, err);
	copy = ts_arena_span(&b->arena, name);
	if (!copy.data) {
		ts_arena_error(&b->arena, err);
		return fail(b, err);
	}
	b->columns[b->n_columns++] = (struct column){.name = copy, .type = type};
	b->slots[slot] = (uint32_t)b->n_columns;
	return TS_OK;
}

enum ts_status ts_builder_column(struct ts_builder *b, struct ts_span name, enum ts_column_type type,
				 uint32_t *ret_column, struct ts_error *err)
{
	size_t slot = hash_name(name, type);

	if (check(b, err))
		return err->status;
	if (name.len == 0 || name.len > TS_PATH_MAX)
		return ts_error_set(err, name.len ? TS_TOO_LARGE : TS_INVALID,
				    "a column name of %zu bytes; 1 to %d are possible", name.len, TS_PATH_MAX);
	for (; b->slots[slot]; slot = (slot + 1) & (SLOTS - 1)) {
		const struct column *column = &b->columns[b->slots[slot] - 1];

		if (column->type == type && ts_span_eq(column->name, name)) {
			*ret_column = b->slots[slot] - 1;
			return TS_OK;
		}
	}
	if (type < TS_COLUMN_F64 || type > TS_COLUMN_JSON)
		return ts_error_set(err, TS_INTERNAL, "column '%.*s' of type %d", TS_SPAN_ARG(name), (int)type);
	if (add_column(b, name, type, slot, err))
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

static bool more_cells(struct ts_builder *b)
{
	struct ts_error err;

	if (b->failure.status)
		return false;
	if (ts_builder_grow(&b->cells, &b->cells_cap, b->n_cells + 1, sizeof *b->cells, &err)) {
		fail(b, &err);
		return false;
	}
	return true;
}

static void put(struct ts_builder *b, uint32_t column, enum call call, uint64_t value)
{
	if (b->n_cells == b->cells_cap && !more_cells(b))
		return;
	b->cells[b->n_cells++] = (struct cell){.tag = column | (uint64_t)call << 32, .value = value};
}

void ts_builder_f64(struct ts_builder *b, uint32_t column, double value)
{
	uint64_t bits;

	memcpy(&bits, &value, sizeof bits);
	put(b, column, CALL_F64, bits);
}

void ts_builder_u64(struct ts_builder *b, uint32_t column, uint64_t value)
{
	put(b, column, CALL_U64, value);
}

void ts_builder_text(struct ts_builder *b, uint32_t column, struct ts_span value)
{
	uint64_t at = b->texts.len;
	struct ts_error err;

	if (value.len > TS_TEXT_MAX) {
		ts_error_set(&b->row_error, TS_TOO_LARGE, "a text of %zu bytes; %d are the most", value.len,
			     TS_TEXT_MAX);
		return;
	}
	ts_buf_span(&b->texts, value);
	if (ts_buf_check(&b->texts, &err)) {
		fail(b, &err);
		return;
	}
	put(b, column, CALL_TEXT, at << 32 | value.len);
}

void ts_builder_row_cancel(struct ts_builder *b)
{
	b->in_row = false;
}

/* --- planning --- */

static struct ts_builder_table *add_table(struct ts_builder *b, struct ts_builder_table *table)
{
	if (table) {
		table->next = b->tables;
		b->tables = table;
	}
	return table;
}

static enum ts_status series_of(struct ts_builder *b, uint64_t tag, struct ts_series **ret_series,
				struct ts_error *err)
{
	static const enum call calls[] = {
		[TS_COLUMN_F64] = CALL_F64,
		[TS_COLUMN_U64] = CALL_U64,
		[TS_COLUMN_TEXT] = CALL_TEXT,
		[TS_COLUMN_JSON] = CALL_TEXT,
	};
	uint32_t number = (uint32_t)tag;
	struct column *column;
	struct ts_series **series;

	if (number >= b->n_columns || calls[b->columns[number].type] != (enum call)(tag >> 32))
		return ts_error_set(err, TS_INTERNAL, "column %u is none of this builder, or of another type", number);
	column = &b->columns[number];
	series = &column->series[b->kind - 1];
	if (!*series) {
		struct ts_series *made = ts_arena_array(&b->arena, 1, sizeof *made);

		if (!made) {
			ts_arena_error(&b->arena, err);
			return fail(b, err);
		}
		made->column = number;
		made->type = column->type;
		*series = made;
	}
	*ret_series = *series;
	return TS_OK;
}

static enum ts_status plan_table(struct ts_builder *b, struct ts_builder_table *table, struct ts_error *err)
{
	struct plan *plan = &b->plan;

	if (ts_builder_grow(&plan->tables, &plan->tables_cap, plan->n_tables + 1, sizeof(struct ts_builder_table *),
			    err))
		return fail(b, err);
	plan->tables[plan->n_tables++] = table;
	return TS_OK;
}

/* One series a cell, the last of each column only; counts how many columns of each table the row has. */
static enum ts_status plan_series(struct ts_builder *b, struct ts_error *err)
{
	struct plan *plan = &b->plan;

	for (size_t i = 0; i < b->n_cells; i++) {
		plan->tags[i] = b->cells[i].tag;
		if (series_of(b, plan->tags[i], &plan->series[i], err))
			return err->status;
	}
	for (size_t i = b->n_cells; i-- > 0;) {
		struct ts_series *s = plan->series[i];
		struct ts_builder_table *table = s->table;

		if (s->stamp == b->serial) {
			plan->series[i] = NULL;
			continue;
		}
		s->stamp = b->serial;
		if (!table)
			continue;
		if (table->stamp != b->serial) {
			table->stamp = b->serial;
			table->hits = 0;
			if (plan_table(b, table, err))
				return err->status;
		}
		table->hits++;
	}
	return TS_OK;
}

/* The row has only some columns of this table: those get a table of their own. */
static enum ts_status split(struct ts_builder *b, struct ts_builder_table **at, struct ts_error *err)
{
	struct ts_builder_table *table = *at;
	struct ts_builder_table *fork = add_table(b, ts_builder_table_fork(table, err));

	if (!fork)
		return fail(b, err);
	for (size_t i = 0; i < b->n_cells; i++)
		if (b->plan.series[i] && b->plan.series[i]->table == table)
			ts_builder_table_move(b->plan.series[i], fork);
	*at = fork;
	return TS_OK;
}

/* Columns that are here for the first time share one new table. */
static enum ts_status plan_new(struct ts_builder *b, struct ts_error *err)
{
	struct ts_builder_table *fresh = NULL;

	for (size_t i = 0; i < b->n_cells; i++) {
		struct ts_series *s = b->plan.series[i];

		if (!s || s->table)
			continue;
		if (!fresh) {
			fresh = add_table(b, ts_builder_table_create(b->kind, err));
			if (!fresh)
				return fail(b, err);
			if (plan_table(b, fresh, err))
				return err->status;
		}
		if (ts_builder_table_add(fresh, s, err))
			return fail(b, err);
	}
	return TS_OK;
}

/* A row without any column is kept too: its key lies in a table that has no columns. */
static enum ts_status plan_bare(struct ts_builder *b, struct ts_error *err)
{
	struct ts_builder_table **bare = &b->kinds[b->kind - 1].bare;

	if (!*bare) {
		*bare = add_table(b, ts_builder_table_create(b->kind, err));
		if (!*bare)
			return fail(b, err);
	}
	return plan_table(b, *bare, err);
}

static enum ts_status make_plan(struct ts_builder *b, struct ts_error *err)
{
	struct plan *plan = &b->plan;

	plan->valid = false;
	plan->n_tables = 0;
	b->serial++;
	if (ts_builder_grow(&plan->tags, &plan->tags_cap, b->n_cells, sizeof *plan->tags, err) ||
	    ts_builder_grow(&plan->series, &plan->series_cap, b->n_cells, sizeof(struct ts_series *), err))
		return fail(b, err);
	if (plan_series(b, err))
		return err->status;
	for (size_t i = 0; i < plan->n_tables; i++)
		if (plan->tables[i]->hits < plan->tables[i]->n_columns && split(b, &plan->tables[i], err))
			return err->status;
	if (plan_new(b, err) || (b->n_cells == 0 && plan_bare(b, err)))
		return err->status;
	plan->kind = b->kind;
	plan->n = b->n_cells;
	plan->valid = true;
	return TS_OK;
}

static bool plan_fits(const struct ts_builder *b)
{
	const struct plan *plan = &b->plan;

	if (!plan->valid || plan->n != b->n_cells || plan->kind != b->kind)
		return false;
	for (size_t i = 0; i < plan->n; i++)
		if (plan->tags[i] != b->cells[i].tag)
			return false;
	return true;
}

/* --- storing --- */

static enum ts_status store_cells(struct ts_builder *b, struct ts_error *err)
{
	for (size_t i = 0; i < b->n_cells; i++) {
		struct ts_series *s = b->plan.series[i];
		uint64_t value = b->cells[i].value;

		if (!s)
			continue;
		if (s->type == TS_COLUMN_F64 || s->type == TS_COLUMN_U64) {
			s->window[s->table->n] = value;
			continue;
		}
		if (ts_series_put_text(s, ts_span_of(b->texts.data + (value >> 32), (uint32_t)value), err))
			return err->status;
	}
	return TS_OK;
}

static enum ts_status store_row(struct ts_builder *b, struct ts_error *err)
{
	const struct plan *plan = &b->plan;

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
	const struct rows_of_kind *kind;

	if (!b->in_row)
		return ts_error_set(err, TS_INTERNAL, "a row is ended that was not begun");
	if (b->kind != TS_TABLE_STEPS && b->kind != TS_TABLE_SUPERSEDED)
		return ts_error_set(err, TS_INTERNAL, "a row of table kind %d", (int)b->kind);
	if (b->row_error.status) {
		*err = b->row_error;
		return err->status;
	}
	kind = &b->kinds[b->kind - 1];
	if (kind->any && b->key <= kind->last)
		return ts_error_set(err, TS_INVALID, "step %lld follows step %lld: steps must increase",
				    (long long)b->key, (long long)kind->last);
	return TS_OK;
}

enum ts_status ts_builder_row_end(struct ts_builder *b, struct ts_error *err)
{
	struct rows_of_kind *kind;
	enum ts_status status = check(b, err);

	if (!status)
		status = check_row(b, err);
	b->in_row = false;
	if (status || (!plan_fits(b) && make_plan(b, err)))
		return err->status;
	if (store_row(b, err))
		return fail(b, err);
	kind = &b->kinds[b->kind - 1];
	if (!kind->any)
		kind->first = b->key;
	kind->any = true;
	kind->last = b->key;
	kind->rows++;
	return TS_OK;
}

/* --- files --- */

static enum ts_status check_file_name(const struct ts_builder *b, struct ts_span name, struct ts_error *err)
{
	if (!ts_file_name_valid(name))
		return ts_error_set(err, TS_INVALID, "a file name of %zu bytes that is not one path component of 1 to 255",
				    name.len);
	for (size_t i = 0; i < b->n_files; i++)
		if (ts_span_eq(b->files[i].name, name))
			return ts_error_set(err, TS_INVALID, "file '%.*s' is there twice", TS_SPAN_ARG(name));
	return TS_OK;
}

enum ts_status ts_builder_file_begin(struct ts_builder *b, struct ts_span name, struct ts_error *err)
{
	struct ts_span copy;

	if (check(b, err))
		return err->status;
	if (b->in_file)
		return ts_error_set(err, TS_INTERNAL, "a file is begun inside another");
	if (check_file_name(b, name, err))
		return err->status;
	if (ts_builder_grow(&b->files, &b->files_cap, b->n_files + 1, sizeof *b->files, err))
		return fail(b, err);
	copy = ts_arena_span(&b->arena, name);
	if (!copy.data) {
		ts_arena_error(&b->arena, err);
		return fail(b, err);
	}
	b->files[b->n_files++] = (struct file){.name = copy};
	ts_buf_reset(&b->chunk);
	b->in_file = true;
	return TS_OK;
}

static enum ts_status flush_chunk(struct ts_builder *b, struct ts_error *err)
{
	struct file *file = &b->files[b->n_files - 1];

	if (ts_builder_grow(&file->chunks, &file->cap, file->n_chunks + 1, sizeof *file->chunks, err))
		return fail(b, err);
	ts_chunk_encode(ts_buf_view(&b->chunk), &b->out.object);
	if (ts_builder_emit(&b->out, &file->chunks[file->n_chunks], err))
		return fail(b, err);
	file->n_chunks++;
	file->size += b->chunk.len;
	ts_buf_reset(&b->chunk);
	return TS_OK;
}

enum ts_status ts_builder_file_add(struct ts_builder *b, struct ts_span bytes, struct ts_error *err)
{
	if (check(b, err))
		return err->status;
	if (!b->in_file)
		return ts_error_set(err, TS_INTERNAL, "bytes of a file that was not begun");
	while (bytes.len) {
		size_t room = TS_CHUNK_BYTES - b->chunk.len;
		size_t n = bytes.len < room ? bytes.len : room;

		ts_buf_bytes(&b->chunk, bytes.data, n);
		if (ts_buf_check(&b->chunk, err))
			return fail(b, err);
		bytes = ts_span_of(bytes.data + n, bytes.len - n);
		if (b->chunk.len == TS_CHUNK_BYTES && flush_chunk(b, err))
			return err->status;
	}
	return TS_OK;
}

enum ts_status ts_builder_file_end(struct ts_builder *b, struct ts_error *err)
{
	if (check(b, err))
		return err->status;
	if (!b->in_file)
		return ts_error_set(err, TS_INTERNAL, "a file is ended that was not begun");
	if (b->chunk.len && flush_chunk(b, err))
		return err->status;
	b->in_file = false;
	return TS_OK;
}

/* --- the end --- */

void ts_builder_stats(const struct ts_builder *b, struct ts_builder_stats *ret_stats)
{
	const struct rows_of_kind *steps = &b->kinds[TS_TABLE_STEPS - 1];

	*ret_stats = (struct ts_builder_stats){
		.rows = steps->rows,
		.superseded = b->kinds[TS_TABLE_SUPERSEDED - 1].rows,
		.first_step = steps->first,
		.last_step = steps->last,
		.blocks = b->out.blocks,
		.canonical_bytes = b->out.canonical_bytes,
	};
}

static int compare_columns(const void *a, const void *b)
{
	return ts_column_cmp(a, b);
}

static int compare_tables(const void *a, const void *b)
{
	return ts_table_cmp(a, b);
}

static int compare_files(const void *a, const void *b)
{
	const struct ts_file *x = a;
	const struct ts_file *y = b;

	return ts_span_cmp(x->name, y->name);
}

static enum ts_status index_table(struct ts_builder *b, const struct ts_builder_table *table, struct ts_table *out,
				  struct ts_error *err)
{
	size_t i = 0;

	*out = (struct ts_table){
		.kind = table->kind,
		.key_log2 = table->key_log2,
		.blocks = table->blocks,
		.n_blocks = table->n_blocks,
		.columns = ts_arena_array(&b->arena, table->n_columns, sizeof *out->columns),
		.n_columns = table->n_columns,
	};
	if (!out->columns)
		return ts_arena_error(&b->arena, err);
	for (const struct ts_series *s = table->columns; s; s = s->next) {
		const struct column *column = &b->columns[s->column];

		out->columns[i++] = (struct ts_column){
			.name = column->name,
			.type = column->type,
			.precision = column->precision,
			.digits = column->digits,
			.blocks = s->blocks,
		};
	}
	if (i > 1)
		qsort(out->columns, i, sizeof *out->columns, compare_columns);
	return TS_OK;
}

static enum ts_status index_tables(struct ts_builder *b, struct ts_index *index, struct ts_error *err)
{
	size_t n = 0;

	for (const struct ts_builder_table *t = b->tables; t; t = t->next)
		n++;
	index->tables = ts_arena_array(&b->arena, n, sizeof *index->tables);
	if (!index->tables)
		return ts_arena_error(&b->arena, err);
	for (const struct ts_builder_table *t = b->tables; t; t = t->next)
		if (index_table(b, t, &index->tables[index->n_tables++], err))
			return err->status;
	if (n > 1)
		qsort(index->tables, n, sizeof *index->tables, compare_tables);
	return TS_OK;
}

static enum ts_status index_files(struct ts_builder *b, struct ts_index *index, struct ts_error *err)
{
	index->files = ts_arena_array(&b->arena, b->n_files, sizeof *index->files);
	if (!index->files)
		return ts_arena_error(&b->arena, err);
	for (size_t i = 0; i < b->n_files; i++)
		index->files[i] = (struct ts_file){
			.name = b->files[i].name,
			.size = b->files[i].size,
			.chunks = b->files[i].chunks,
			.n_chunks = b->files[i].n_chunks,
		};
	index->n_files = b->n_files;
	if (b->n_files > 1)
		qsort(index->files, b->n_files, sizeof *index->files, compare_files);
	return TS_OK;
}

/* The index's objects pass by here, so that they are counted like all others. */
static enum ts_status count_object(void *ctx, struct ts_span object, struct ts_error *err)
{
	struct ts_builder_out *out = ctx;

	if (out->sink(out->ctx, object, err))
		return err->status;
	out->canonical_bytes += object.len;
	return TS_OK;
}

enum ts_status ts_builder_finish(struct ts_builder *b, const struct ts_facts *facts, struct ts_id *ret_index,
				 struct ts_error *err)
{
	struct ts_index index = {.rank = b->rank};

	if (check(b, err))
		return err->status;
	if (b->in_row || b->in_file)
		return ts_error_set(err, TS_INTERNAL, "finished inside a %s", b->in_row ? "row" : "file");
	if (facts)
		index.facts = *facts;
	for (struct ts_builder_table *t = b->tables; t; t = t->next)
		if (ts_builder_table_finish(t, &b->out, err))
			return fail(b, err);
	if (index_tables(b, &index, err) || index_files(b, &index, err))
		return fail(b, err);
	if (ts_index_encode(&index, count_object, &b->out, &b->out.object, ret_index, err))
		return fail(b, err);
	return TS_OK;
}
