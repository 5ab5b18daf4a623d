/* Edits the stored columns of a trace and loads them: nothing may crash, and what loads is a trace that holds what is promised.
 *
 * The input is edits of four bytes: what to do, to which table, to which column, and a value. Then numbers that replace cells. */
#include "base/limits.h"
#include "run/block.h"
#include "run/head.h"
#include "run/test_objects.h"
#include "run/trace_columns.h"
#include "tests/fuzz/fuzz_hold.h"

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { ROWS = 3, EDITS_MAX = 64 };

enum edit { SWAP, KIND, LENGTH, CELLS, DROP, RANK, EDITS };

static enum ts_status get(void *ctx, const struct ts_id *id, struct ts_arena *arena, struct ts_span *ret_object, struct ts_error *err)
{
	const struct test_objects *objects = ctx;

	if (!test_objects_has(objects, id))
		return ts_error_set(err, TS_NOT_FOUND, "no such object");
	*ret_object = ts_arena_span(arena, test_objects_find(objects, id));
	return ret_object->data ? TS_OK : ts_arena_error(arena, err);
}

#define ROW_int64_t(i) (int64_t)(i)
#define ROW_double(i) (double)(i)
#define ROW_int32_t(i) (int32_t)(i)
#define ROW_uint8_t(i) (uint8_t)(i)
#define ROW_ts_trace_name_no(i) (uint32_t)(i)
#define ROW_ts_trace_thread_no(i) 0
#define ROW_ts_trace_span_no(i) (uint32_t)(i)
#define PUT(type, column) t->column[i] = ROW_##type(i);
#define PUT_ROWS(table, member, columns)                                                                                               \
	{                                                                                                                              \
		struct table *t = &rows.member;                                                                                        \
                                                                                                                                       \
		for (size_t i = 0; i < ROWS; i++) {                                                                                    \
			columns(PUT)                                                                                                   \
		}                                                                                                                      \
		t->n = ROWS;                                                                                                           \
	}

/* A trace with some rows in each table. */
static struct ts_id store(struct test_objects *objects)
{
	struct ts_span names[ROWS] = {ts_span_str(""), ts_span_str("a"), ts_span_str("b")};
	struct ts_trace_thread thread = {.pid = 1};
	struct ts_trace_device device = {.name = ts_span_str("d")};
	struct ts_trace_said said = {.key = ts_span_str("k"), .json = ts_span_str("{}")};
	struct ts_trace_notice notice = {.code = "c", .count = 1};
	struct ts_trace trace = {.names = names, .n_names = ROWS, .threads = &thread, .n_threads = 1};
	struct ts_trace_record record = {.events = 1, .notices = &notice, .n_notices = 1};
	struct ts_trace_rows rows = {.spans = {.n = 0}};
	struct ts_trace_writer *w = NULL;
	struct ts_error err;
	struct ts_id id;

	trace.about.devices = &device;
	trace.about.n_devices = 1;
	trace.about.said = &said;
	trace.about.n_said = 1;
	hold(ts_trace_rows_reserve(&rows, ROWS, &err) == TS_OK);
	TS_TRACE_TABLES(PUT_ROWS)
	hold(ts_trace_writer_create(test_objects_sink, objects, &w, &err) == TS_OK);
	hold(ts_trace_writer_take(w, &rows, &err) == TS_OK && ts_trace_writer_finish(w, &trace, &record, &id, &err) == TS_OK);
	ts_trace_writer_destroy(w);
	ts_trace_rows_finish(&rows);
	return id;
}

/* New cells for a column: numbers of the input, each of eight bytes. */
static void new_cells(struct test_objects *objects, struct ts_column *column, const struct ts_table *table, struct ts_span *rest)
{
	uint64_t words[ROWS * 8] = {0};
	struct ts_buf buf = TS_BUF_INIT(1 << 16);
	size_t rows = table->n_blocks ? table->blocks[0].rows : 0, bytes;
	struct ts_error err;

	if (!rows || rows > sizeof words / sizeof words[0] || column->type != TS_COLUMN_U64)
		return;
	bytes = rest->len < rows * 8 ? rest->len : rows * 8;
	if (bytes)
		memcpy(words, rest->data, bytes);
	*rest = ts_span_from(*rest, bytes);
	ts_block_u64_encode(words, rows, &buf);
	ts_digest(ts_buf_view(&buf), &column->blocks[0]);
	hold(test_objects_sink(objects, &column->blocks[0], ts_buf_view(&buf), &err) == TS_OK);
	ts_buf_finish(&buf);
}

static void edit(struct test_objects *objects, struct ts_index *index, const uint8_t *e, struct ts_span *rest)
{
	struct ts_table *table = &index->tables[e[1] % index->n_tables];
	struct ts_column *column;

	if (!table->n_columns)
		return;
	column = &table->columns[e[2] % table->n_columns];
	switch ((enum edit)(e[0] % EDITS)) {
	case SWAP:
		column->blocks = table->columns[e[3] % table->n_columns].blocks;
		break;
	case KIND:
		table->kind = (enum ts_table_kind)(1 + e[3] % TS_TABLE_KINDS);
		break;
	case LENGTH:
		table->blocks[0].rows += (uint32_t)(int8_t)e[3];
		table->blocks[0].last_key += (int8_t)e[3];
		break;
	case CELLS:
		new_cells(objects, column, table, rest);
		break;
	case DROP:
		memmove(column, column + 1, (size_t)(table->columns + table->n_columns - column - 1) * sizeof *column);
		table->n_columns--;
		break;
	case RANK:
		index->rank = e[3];
		break;
	case EDITS:
		break;
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	size_t n = size ? data[0] % EDITS_MAX : 0, at = 1;
	struct ts_buf scratch = TS_BUF_INIT(TS_OBJECT_MAX);
	struct test_objects objects = {0};
	struct ts_index index = {0};
	struct ts_trace_record record;
	struct ts_trace trace;
	struct ts_arena arena;
	struct ts_error err;
	struct ts_span rest;
	struct ts_id id;

	hold(ts_digest_init(&err) == TS_OK);
	ts_arena_init(&arena, 64 << 20);
	id = store(&objects);
	(void)test_objects_index(&objects, &id, &arena, &index);
	rest = at + 4 * n < size ? ts_span_of(data + at + 4 * n, size - at - 4 * n) : ts_span_of(NULL, 0);
	for (; n > 0 && at + 4 <= size; n--, at += 4)
		edit(&objects, &index, data + at, &rest);
	hold(ts_index_encode(&index, test_objects_sink, &objects, &scratch, &id, &err) == TS_OK);
	if (!ts_trace_columns_load(get, &objects, &id, &arena, &trace, &record, &err)) {
		hold(ts_trace_check(&trace, &err) == TS_OK);
		ts_trace_finish(&trace);
	}
	ts_buf_finish(&scratch);
	ts_arena_finish(&arena);
	test_objects_finish(&objects);
	return 0;
}
