/* Writes traces whose every cell is drawn, and loads them again; then loads what no writer makes. */
#include "base/alloc.h"
#include "base/limits.h"
#include "run/head.h"
#include "run/test_objects.h"
#include "run/trace_columns.h"
#include "run/trace_list.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

enum { NAMES = 40, THREADS = 7, BATCHES = 5, BATCH = 7001, FEW = 90 };

struct made {
	struct ts_trace trace;
	struct ts_trace_record record;
	struct ts_span names[NAMES];
	struct ts_trace_thread threads[THREADS];
	struct ts_trace_device devices[2];
	struct ts_trace_said said[2];
	struct ts_trace_notice notices[2];
	struct test_objects objects;
	struct ts_id id;
	uint64_t random;
	char *text;
};

/* --- what is drawn --- */

static uint64_t below(struct made *m, uint64_t n)
{
	return test_random(&m->random) % n;
}

#define DRAW_int64_t(m) (below(m, 5) ? (int64_t)test_random(&(m)->random) : TS_TRACE_NONE)
#define DRAW_double(m) (below(m, 5) ? (double)below(m, 1000) / 8 : __builtin_nan(""))
#define DRAW_int32_t(m) (below(m, 5) ? (int32_t)below(m, 1 << 20) - (1 << 19) : TS_TRACE_NO_DEVICE)
#define DRAW_uint8_t(m) (uint8_t) below(m, 2)
#define DRAW_ts_trace_name_no(m) (uint32_t) below(m, NAMES)
#define DRAW_ts_trace_thread_no(m) (uint32_t) below(m, THREADS)
#define DRAW_ts_trace_span_no(m) (uint32_t) i
#define DRAW(type, column) t->column[i] = DRAW_##type(m);
#define DRAW_ROWS(table, member, columns)                                                                                              \
	static void draw_##member(struct made *m, struct table *t, size_t n)                                                           \
	{                                                                                                                              \
		for (size_t i = 0; i < n; i++) {                                                                                       \
			columns(DRAW)                                                                                                  \
		}                                                                                                                      \
		t->n = n;                                                                                                              \
	}
TS_TRACE_TABLES(DRAW_ROWS)

static void draw_rows(struct made *m, struct ts_trace_rows *rows, size_t n)
{
	size_t some = n;

	/* Tables of different lengths; details have a row of the first spans. */
#define DRAW_TABLE(table, member, columns)                                                                                             \
	draw_##member(m, &rows->member, some);                                                                                         \
	some -= some / 5;
	TS_TRACE_TABLES(DRAW_TABLE)
	for (size_t i = 0; i < rows->spans.n; i++) {
		rows->spans.start_ns[i] = (int64_t)below(m, UINT64_C(1) << 62) - (INT64_C(1) << 61);
		rows->spans.duration_ns[i] = (int64_t)below(m, 1 << 30);
		rows->spans.kind[i] = (uint8_t)below(m, TS_TRACE_KINDS);
	}
}

/* Names of every length around what one cell holds. */
static void make_names(struct made *m)
{
	static const size_t long_ones[] = {TS_TEXT_MAX - 1, TS_TEXT_MAX, TS_TEXT_MAX + 1, 2 * TS_TEXT_MAX, 5 * TS_TEXT_MAX / 2};
	size_t at = 0;

	m->text = malloc(8 * TS_TEXT_MAX + (size_t)NAMES * 40);
	assert_non_null(m->text);
	m->names[0] = ts_span_str("");
	for (size_t i = 1; i < NAMES; i++) {
		size_t len = i <= 5 ? long_ones[i - 1] : 3 + i;

		memset(m->text + at, (int)('a' + i % 26), len);
		(void)snprintf(m->text + at, 4, "%03zu", i);
		m->text[at + 3] = len > 3 ? '.' : m->text[at + 3];
		m->names[i] = ts_span_of(m->text + at, len);
		at += len;
	}
}

static void make_about(struct made *m)
{
	struct ts_trace_about *about = &m->trace.about;

	m->devices[0] = (struct ts_trace_device){.id = 0, .name = ts_span_str("A"), .memory_bytes = 1, .multiprocessors = 2};
	m->devices[1] = (struct ts_trace_device){.id = 9, .memory_bytes = TS_TRACE_NONE, .multiprocessors = TS_TRACE_NONE};
	m->said[0] = (struct ts_trace_said){.key = ts_span_str("distributedInfo"), .json = ts_span_str("{\"rank\":3}")};
	m->said[1] = (struct ts_trace_said){.key = ts_span_str("long"), .json = m->names[4]};
	*about = (struct ts_trace_about){.schema = 1,
					 .base_ns = 1700000000000000000,
					 .rank = 3,
					 .world_size = TS_TRACE_NONE,
					 .backend = ts_span_str("nccl"),
					 .trace_id = ts_span_str("42"),
					 .devices = m->devices,
					 .n_devices = 2,
					 .said = m->said,
					 .n_said = 2};
	m->notices[0] = (struct ts_trace_notice){.code = "trace_cut", .skipped = true, .count = 1, .detail = ts_span_str("byte 5")};
	m->notices[1] = (struct ts_trace_notice){.code = "trace_rounded", .count = UINT64_C(1) << 40};
	m->record = (struct ts_trace_record){.events = 77, .bytes = 1234567, .cut = true, .notices = m->notices, .n_notices = 2};
}

static void make(struct made *m)
{
	memset(m, 0, sizeof *m);
	m->random = 11;
	make_names(m);
	make_about(m);
	for (size_t i = 0; i < THREADS; i++)
		m->threads[i] = (struct ts_trace_thread){.pid = (int64_t)i - 3, .tid = INT64_MIN + (int64_t)i, .thread = (uint32_t)i};
	m->trace.names = m->names;
	m->trace.n_names = NAMES;
	m->trace.threads = m->threads;
	m->trace.n_threads = THREADS;
}

static void drop(struct made *m)
{
	ts_trace_finish(&m->trace);
	test_objects_finish(&m->objects);
	free(m->text);
}

static enum ts_status write_rows(struct made *m, size_t batches, size_t each, struct ts_error *err)
{
	struct ts_trace_rows rows = {.spans = {.n = 0}};
	struct ts_trace_writer *w = NULL;
	enum ts_status status = ts_trace_rows_reserve(&rows, BATCH, err);

	if (!status)
		status = ts_trace_writer_create(test_objects_sink, &m->objects, &w, err);
	for (size_t i = 0; i < batches && !status; i++) {
		draw_rows(m, &rows, each - i);
		status = ts_trace_writer_take(w, &rows, err);
		if (!status)
			status = ts_trace_append(&m->trace, &rows, err);
	}
	if (!status)
		status = ts_trace_writer_finish(w, &m->trace, &m->record, &m->id, err);
	ts_trace_writer_destroy(w);
	ts_trace_rows_finish(&rows);
	return status;
}

static enum ts_status write_all(struct made *m, size_t batches, struct ts_error *err)
{
	return write_rows(m, batches, BATCH, err);
}

static enum ts_status get(void *ctx, const struct ts_id *id, struct ts_arena *arena, struct ts_span *ret_object, struct ts_error *err)
{
	const struct test_objects *objects = ctx;

	if (!test_objects_has(objects, id))
		return ts_error_set(err, TS_NOT_FOUND, "no such object");
	*ret_object = ts_arena_span(arena, test_objects_find(objects, id));
	return ret_object->data ? TS_OK : ts_arena_error(arena, err);
}

/* --- what comes back --- */

static void same_cells(const char *name, const void *a, const void *b, size_t bytes)
{
	if (bytes && memcmp(a, b, bytes) != 0)
		fail_msg("column %s is another", name);
}

#define SAME_COLUMN(type, column) same_cells(#column, a->column, b->column, a->n * sizeof(type));
#define SAME_TABLE(table, member, columns)                                                                                             \
	static void same_##member(const struct table *a, const struct table *b)                                                        \
	{                                                                                                                              \
		assert_int_equal(a->n, b->n);                                                                                          \
		columns(SAME_COLUMN)                                                                                                   \
	}
TS_TRACE_TABLES(SAME_TABLE)

static void same_text(struct ts_span a, struct ts_span b)
{
	assert_true(ts_span_eq(a, b));
}

static void same_about(const struct ts_trace_about *a, const struct ts_trace_about *b)
{
	assert_true(a->schema == b->schema && a->base_ns == b->base_ns && a->rank == b->rank && a->world_size == b->world_size);
	same_text(a->backend, b->backend);
	same_text(a->trace_name, b->trace_name);
	same_text(a->trace_id, b->trace_id);
	assert_int_equal(a->n_devices, b->n_devices);
	for (size_t i = 0; i < a->n_devices; i++) {
		assert_true(a->devices[i].id == b->devices[i].id && a->devices[i].memory_bytes == b->devices[i].memory_bytes &&
			    a->devices[i].multiprocessors == b->devices[i].multiprocessors);
		same_text(a->devices[i].name, b->devices[i].name);
	}
	assert_int_equal(a->n_said, b->n_said);
	for (size_t i = 0; i < a->n_said; i++) {
		same_text(a->said[i].key, b->said[i].key);
		same_text(a->said[i].json, b->said[i].json);
	}
}

static void same_record(const struct ts_trace_record *a, const struct ts_trace_record *b)
{
	assert_true(a->events == b->events && a->bytes == b->bytes && a->cut == b->cut);
	assert_int_equal(a->n_notices, b->n_notices);
	for (size_t i = 0; i < a->n_notices; i++) {
		assert_string_equal(a->notices[i].code, b->notices[i].code);
		assert_true(a->notices[i].skipped == b->notices[i].skipped && a->notices[i].count == b->notices[i].count);
		same_text(a->notices[i].detail, b->notices[i].detail);
	}
}

static void same_trace(const struct made *m, const struct ts_trace *trace)
{
#define SAME(table, member, columns) same_##member(&m->trace.rows.member, &trace->rows.member);
	TS_TRACE_TABLES(SAME)
	assert_true(trace->n_names >= NAMES);
	for (size_t i = 0; i < NAMES; i++)
		same_text(m->names[i], trace->names[i]);
	assert_int_equal(trace->n_threads, THREADS);
	assert_memory_equal(trace->threads, m->threads, sizeof m->threads);
	same_about(&m->trace.about, &trace->about);
}

static void test_comes_back(void **state)
{
	struct ts_trace_record record;
	struct ts_trace_about about;
	struct ts_trace trace;
	struct ts_arena arena;
	struct ts_error err;
	struct made m;

	(void)state;
	make(&m);
	ts_arena_init(&arena, 0);
	if (write_all(&m, BATCHES, &err) || ts_trace_columns_load(get, &m.objects, &m.id, &arena, &trace, &record, &err))
		fail_msg("%s", err.text);
	same_trace(&m, &trace);
	same_record(&m.record, &record);
	ts_trace_finish(&trace);
	assert_int_equal(ts_trace_columns_about(get, &m.objects, &m.id, &arena, &about, &record, &err), TS_OK);
	same_about(&m.trace.about, &about);
	ts_arena_finish(&arena);
	drop(&m);
}

/* The ids depend on the trace alone, not on how its rows came. */
static void test_same_objects(void **state)
{
	struct ts_trace_writer *w;
	struct ts_error err;
	struct ts_id id;
	struct made m;
	size_t n;

	(void)state;
	make(&m);
	assert_int_equal(write_all(&m, 3, &err), TS_OK);
	n = m.objects.n;
	assert_int_equal(ts_trace_writer_create(test_objects_sink, &m.objects, &w, &err), TS_OK);
	assert_int_equal(ts_trace_writer_take(w, &m.trace.rows, &err), TS_OK);
	assert_int_equal(ts_trace_writer_finish(w, &m.trace, &m.record, &id, &err), TS_OK);
	ts_trace_writer_destroy(w);
	assert_memory_equal(&id, &m.id, sizeof id);
	assert_int_equal(m.objects.n, n);
	drop(&m);
}

static void test_empty(void **state)
{
	struct ts_trace_record record;
	struct ts_trace trace;
	struct ts_arena arena;
	struct ts_error err;
	struct made m;

	(void)state;
	make(&m);
	m.trace.n_names = m.trace.n_threads = 0;
	m.trace.about.n_devices = m.trace.about.n_said = 0;
	m.record.n_notices = 0;
	ts_arena_init(&arena, 0);
	assert_int_equal(write_all(&m, 0, &err), TS_OK);
	assert_int_equal(ts_trace_columns_load(get, &m.objects, &m.id, &arena, &trace, &record, &err), TS_OK);
	assert_true(trace.rows.spans.n == 0 && trace.n_threads == 0 && trace.about.n_said == 0 && record.events == 77);
	ts_trace_finish(&trace);
	ts_arena_finish(&arena);
	drop(&m);
}

/* --- what no writer makes --- */

static enum ts_status load_index(struct made *m, const struct ts_index *index, struct ts_error *err)
{
	struct ts_buf scratch = TS_BUF_INIT(TS_OBJECT_MAX);
	struct ts_trace_record record;
	struct ts_trace trace;
	struct ts_arena arena;
	enum ts_status status;
	struct ts_id id;

	ts_arena_init(&arena, 0);
	assert_int_equal(ts_index_encode(index, test_objects_sink, &m->objects, &scratch, &id, err), TS_OK);
	status = ts_trace_columns_load(get, &m->objects, &id, &arena, &trace, &record, err);
	if (!status)
		ts_trace_finish(&trace);
	ts_arena_finish(&arena);
	ts_buf_finish(&scratch);
	return status;
}

static struct ts_table *table_of(struct ts_index *index, enum ts_table_kind kind)
{
	for (size_t i = 0; i < index->n_tables; i++)
		if (index->tables[i].kind == kind)
			return &index->tables[i];
	fail_msg("no table of kind %d", (int)kind);
	return NULL;
}

static struct ts_column *column_of(struct ts_table *table, const char *name)
{
	for (size_t i = 0; i < table->n_columns; i++)
		if (ts_span_is(table->columns[i].name, name))
			return &table->columns[i];
	fail_msg("no column %s", name);
	return NULL;
}

/* Gives the cells of one column to another. */
static void refuse_swap(enum ts_table_kind kind, const char *to, const char *from)
{
	struct ts_index index = {0};
	struct ts_arena arena;
	struct ts_error err;
	struct made m;

	make(&m);
	ts_arena_init(&arena, 0);
	assert_int_equal(write_all(&m, 1, &err), TS_OK);
	(void)test_objects_index(&m.objects, &m.id, &arena, &index);
	column_of(table_of(&index, kind), to)->blocks = column_of(table_of(&index, kind), from)->blocks;
	if (load_index(&m, &index, &err) != TS_DAMAGED)
		fail_msg("%s with the cells of %s is taken", to, from);
	ts_arena_finish(&arena);
	drop(&m);
}

static void test_cells(void **state)
{
	(void)state;
	refuse_swap(TS_TABLE_SPANS, "name", "start_ns");
	refuse_swap(TS_TABLE_SPANS, "thread", "name");
	refuse_swap(TS_TABLE_SPANS, "stream", "start_ns");
	refuse_swap(TS_TABLE_SPANS, "kind", "start_ns"); /* not 8 bits */
	refuse_swap(TS_TABLE_SPANS, "kind", "name");	 /* 8 bits, and no kind */
	refuse_swap(TS_TABLE_SPANS, "duration_ns", "start_ns");
	refuse_swap(TS_TABLE_FLOWS, "thread", "id");
	refuse_swap(TS_TABLE_KERNELS, "span", "grid"); /* does not increase */
	refuse_swap(TS_TABLE_OPERATORS, "span", "sequence");
}

enum harm { TWO_TABLES, NO_NAMES, NO_ABOUT, ROWS_MISSING, OTHER_RANK, ROWS_TOO_FEW, HARMS };

static void do_harm(struct ts_index *index, enum harm harm, struct ts_arena *arena)
{
	struct ts_table *table = table_of(index, TS_TABLE_SPANS);

	switch (harm) {
	case TWO_TABLES:
		index->tables = ts_arena_dup(arena, index->tables, (index->n_tables + 1) * sizeof *index->tables);
		memmove(&index->tables[2], &index->tables[1], (index->n_tables - 1) * sizeof *index->tables);
		index->n_tables++;
		index->tables[1] = index->tables[0];
		index->tables[0].n_columns = 1;
		index->tables[1].n_columns--;
		index->tables[1].columns++;
		index->tables[1].blocks = ts_arena_dup(arena, index->tables[0].blocks, sizeof(struct ts_block));
		index->tables[1].blocks[0].keys.bytes[0] ^= 1; /* two tables do not have the same keys */
		index->tables[1].n_blocks = 1;
		break;
	case NO_NAMES:
	case NO_ABOUT:
		table = table_of(index, harm == NO_NAMES ? TS_TABLE_NAMES : TS_TABLE_ABOUT);
		memmove(table, table + 1, (size_t)(index->tables + index->n_tables - table - 1) * sizeof *table);
		index->n_tables--;
		break;
	case ROWS_MISSING:
		for (size_t i = 0; i < table->n_blocks; i++) {
			table->blocks[i].first_key++;
			table->blocks[i].last_key++;
		}
		break;
	case OTHER_RANK:
		index->rank = 0;
		break;
	case ROWS_TOO_FEW:
	case HARMS:
		table->blocks[0].rows--;
		table->blocks[0].last_key--;
		break;
	}
}

static void test_harm(void **state)
{
	(void)state;
	for (int harm = 0; harm < HARMS; harm++) {
		struct ts_index index = {0};
		struct ts_arena arena;
		struct ts_error err;
		struct made m;

		make(&m);
		ts_arena_init(&arena, 0);
		assert_int_equal(write_all(&m, 1, &err), TS_OK);
		(void)test_objects_index(&m.objects, &m.id, &arena, &index);
		do_harm(&index, (enum harm)harm, &arena);
		if (load_index(&m, &index, &err) != TS_DAMAGED)
			fail_msg("harm %d is taken", harm);
		ts_arena_finish(&arena);
		drop(&m);
	}
}

/* A column that this version has and the stored trace does not is not said, and is not 0. */
static void test_older(void **state)
{
	struct ts_index index = {0};
	struct ts_trace_record record;
	struct ts_buf scratch = TS_BUF_INIT(TS_OBJECT_MAX);
	struct ts_trace trace;
	struct ts_table *table;
	struct ts_arena arena;
	struct ts_error err;
	struct made m;

	(void)state;
	make(&m);
	ts_arena_init(&arena, 0);
	assert_int_equal(write_all(&m, 1, &err), TS_OK);
	(void)test_objects_index(&m.objects, &m.id, &arena, &index);
	table = table_of(&index, TS_TABLE_SPANS);
	for (size_t i = 0; i < table->n_columns;) {
		struct ts_span name = table->columns[i].name;

		if (!ts_span_is(name, "bytes") && !ts_span_is(name, "stream") && !ts_span_is(name, "shapes")) {
			i++;
			continue;
		}
		memmove(&table->columns[i], &table->columns[i + 1], (table->n_columns - i - 1) * sizeof *table->columns);
		table->n_columns--;
	}
	assert_int_equal(ts_index_encode(&index, test_objects_sink, &m.objects, &scratch, &m.id, &err), TS_OK);
	assert_int_equal(ts_trace_columns_load(get, &m.objects, &m.id, &arena, &trace, &record, &err), TS_OK);
	for (size_t i = 0; i < trace.rows.spans.n; i++)
		assert_true(trace.rows.spans.bytes[i] == TS_TRACE_NONE && trace.rows.spans.stream[i] == TS_TRACE_NO_DEVICE &&
			    trace.rows.spans.shapes[i] == 0);
	ts_trace_finish(&trace);
	ts_buf_finish(&scratch);
	ts_arena_finish(&arena);
	drop(&m);
}

/* --- memory, and objects that are not there --- */

struct some {
	struct test_objects *objects;
	size_t left; /* this many are given */
};

static enum ts_status get_some(void *ctx, const struct ts_id *id, struct ts_arena *arena, struct ts_span *ret_object,
			       struct ts_error *err)
{
	struct some *some = ctx;

	if (some->left-- == 0)
		return ts_error_set(err, TS_NOT_FOUND, "no such object");
	return get(some->objects, id, arena, ret_object, err);
}

static void test_objects_missing(void **state)
{
	struct ts_trace_record record;
	enum ts_status status = TS_NOT_FOUND;
	struct ts_trace trace;
	struct ts_error err;
	struct made m;
	size_t n = 0;

	(void)state;
	make(&m);
	assert_int_equal(write_all(&m, 1, &err), TS_OK);
	for (; status; n++) {
		struct some some = {&m.objects, n};
		struct ts_arena arena;

		ts_arena_init(&arena, 0);
		status = ts_trace_columns_load(get_some, &some, &m.id, &arena, &trace, &record, &err);
		assert_true(!status || status == TS_NOT_FOUND);
		ts_arena_finish(&arena);
	}
	assert_true(n > 40);
	ts_trace_finish(&trace);
	drop(&m);
}

static void test_alloc(void **state)
{
	enum ts_status status = TS_NO_MEMORY;

	(void)state;
	for (size_t n = 1; status; n++) {
		struct ts_trace_record record;
		struct ts_trace trace;
		struct ts_arena arena;
		struct ts_error err;
		struct made m;

		make(&m);
		ts_arena_init(&arena, 0);
		(void)ts_alloc_fail_at(n);
		status = write_rows(&m, 1, FEW, &err);
		if (!status)
			status = ts_trace_columns_load(get, &m.objects, &m.id, &arena, &trace, &record, &err);
		(void)ts_alloc_fail_at(0);
		assert_true(!status || status == TS_NO_MEMORY);
		if (!status)
			ts_trace_finish(&trace);
		ts_arena_finish(&arena);
		drop(&m);
	}
}

/* --- the traces of a run --- */

static void test_list(void **state)
{
	struct ts_buf scratch = TS_BUF_INIT(TS_OBJECT_MAX);
	struct ts_file files[2][2] = {{{.name = ts_span_str("a.json")}, {.name = ts_span_str("b.json")}},
				      {{.name = ts_span_str("b.json")}, {.name = ts_span_str("c.json")}}};
	struct ts_rank_ref ranks[2] = {{.rank = TS_RANK_JOB}, {.rank = 4}};
	struct ts_head head = {.ranks = ranks, .n_ranks = 2};
	struct ts_run_trace *traces = NULL;
	struct ts_arena arena;
	struct ts_error err;
	struct made m;
	struct ts_id id;
	size_t n = 0;

	(void)state;
	make(&m);
	ts_arena_init(&arena, 0);
	assert_int_equal(write_all(&m, 0, &err), TS_OK);
	files[0][1].has_columns = files[1][0].has_columns = files[1][1].has_columns = true;
	files[0][1].columns = files[1][1].columns = m.id;
	for (size_t i = 0; i < 2; i++) {
		struct ts_index index = {.rank = ranks[i].rank, .files = files[i], .n_files = 2};

		if (i == 1) { /* columns of another kind of file */
			struct ts_index other = {.rank = TS_RANK_JOB};

			assert_int_equal(ts_index_encode(&other, test_objects_sink, &m.objects, &scratch, &files[1][0].columns, &err),
					 TS_OK);
		}
		assert_int_equal(ts_index_encode(&index, test_objects_sink, &m.objects, &scratch, &ranks[i].index, &err), TS_OK);
	}
	ts_buf_reset(&scratch);
	assert_int_equal(ts_head_encode(&head, &scratch, &err), TS_OK);
	ts_digest(ts_buf_view(&scratch), &id);
	assert_int_equal(test_objects_sink(&m.objects, &id, ts_buf_view(&scratch), &err), TS_OK);
	assert_int_equal(ts_run_traces(get, &m.objects, &id, &arena, &traces, &n, &err), TS_OK);
	assert_int_equal(n, 2);
	assert_true(traces[0].rank == TS_RANK_JOB && ts_span_is(traces[0].name, "b.json"));
	assert_true(traces[1].rank == 4 && ts_span_is(traces[1].name, "c.json") && ts_id_eq(&traces[1].columns, &m.id));
	ts_buf_finish(&scratch);
	ts_arena_finish(&arena);
	drop(&m);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_comes_back), cmocka_unit_test(test_same_objects),
		cmocka_unit_test(test_empty),	   cmocka_unit_test(test_cells),
		cmocka_unit_test(test_harm),	   cmocka_unit_test(test_older),
		cmocka_unit_test(test_alloc),	   cmocka_unit_test(test_objects_missing),
		cmocka_unit_test(test_list),
	};
	struct ts_error err;

	if (ts_digest_init(&err))
		return 1;
	return cmocka_run_group_tests(tests, NULL, NULL);
}
