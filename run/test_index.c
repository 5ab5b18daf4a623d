#include "base/alloc.h"
#include "base/limits.h"
#include "base/object.h"
#include "run/test_objects.h"
#include "run/test_roundtrip.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

/* The sample has two tables of steps, one without columns, one superseded, facts and files: all that an index can
 * hold. */
struct sample {
	struct ts_fact facts[3];
	struct ts_block blocks[4][2];
	struct ts_id ids[6][2];
	struct ts_column columns[6];
	struct ts_table tables[4];
	struct ts_id chunks[2];
	struct ts_file files[2];
	struct ts_index index;
};

static struct ts_id id_of(uint8_t fill)
{
	struct ts_id id;

	memset(id.bytes, fill, sizeof id.bytes);
	return id;
}

static struct ts_column column_of(struct sample *s, size_t i, const char *name, enum ts_column_type type)
{
	s->ids[i][0] = id_of((uint8_t)(10 + i));
	s->ids[i][1] = id_of((uint8_t)(20 + i));
	return (struct ts_column){.name = ts_span_str(name), .type = type, .blocks = s->ids[i]};
}

static struct ts_table table_of(struct sample *s, size_t t, enum ts_table_kind kind, size_t from, size_t n)
{
	s->blocks[t][0] = (struct ts_block){-5, -1, 5, id_of((uint8_t)(30 + t))};
	s->blocks[t][1] = (struct ts_block){0, 16383, 100, id_of((uint8_t)(40 + t))};
	return (struct ts_table){.kind = kind,
				 .key_log2 = 14,
				 .rows = 105,
				 .blocks = s->blocks[t],
				 .n_blocks = 2,
				 .columns = s->columns + from,
				 .n_columns = n};
}

static void make_sample(struct sample *s)
{
	memset(s, 0, sizeof *s);
	s->facts[0] = (struct ts_fact){.path = ts_span_str("code.patch"),
				       .type = TS_FACT_LONG,
				       .source = TS_SOURCE_HOST,
				       .text_len = 5000,
				       .text_id = id_of(1)};
	s->facts[1] =
		(struct ts_fact){.path = ts_span_str("seeds.x"), .type = TS_FACT_ABSENT, .source = TS_SOURCE_RUN_JSON};
	s->facts[2] = (struct ts_fact){.path = ts_span_str("session.host"),
				       .type = TS_FACT_TEXT,
				       .source = TS_SOURCE_RUN_JSON,
				       .text = ts_span_str("node-7")};
	s->columns[0] = column_of(s, 0, "memory.alloc", TS_COLUMN_F64);
	s->columns[1] = column_of(s, 1, "scalars.loss", TS_COLUMN_F64);
	s->columns[1].precision = TS_PRECISION_DECIMALS;
	s->columns[1].digits = 4;
	s->columns[2] = column_of(s, 2, "scalars.loss", TS_COLUMN_TEXT);
	s->columns[3] = column_of(s, 3, "tags.a", TS_COLUMN_JSON);
	s->columns[4] = column_of(s, 4, "digests.w", TS_COLUMN_U64);
	s->tables[0] = table_of(s, 0, TS_TABLE_STEPS, 0, 0);
	s->tables[1] = table_of(s, 1, TS_TABLE_STEPS, 0, 2);
	s->tables[2] = table_of(s, 2, TS_TABLE_STEPS, 2, 2);
	s->tables[3] = table_of(s, 3, TS_TABLE_SUPERSEDED, 4, 1);
	s->chunks[0] = id_of(50);
	s->chunks[1] = id_of(51);
	s->files[0] = (struct ts_file){.name = ts_span_str("a.txt"), .has_columns = true, .columns = id_of(77)};
	s->files[1] = (struct ts_file){
		.name = ts_span_str("b.txt"), .size = TS_CHUNK_BYTES + 1, .chunks = s->chunks, .n_chunks = 2};
	s->index = (struct ts_index){.rank = 3,
				     .facts = {.items = s->facts, .n = 3},
				     .tables = s->tables,
				     .n_tables = 4,
				     .files = s->files,
				     .n_files = 2};
}

static struct ts_id encode(const struct ts_index *index, struct test_objects *objects)
{
	struct ts_buf scratch = TS_BUF_INIT(TS_OBJECT_MAX);
	struct ts_error err;
	struct ts_id id;

	if (ts_index_encode(index, test_objects_sink, objects, &scratch, &id, &err))
		fail_msg("%s", err.text);
	ts_buf_finish(&scratch);
	return id;
}

static void assert_same_column(const struct ts_column *a, const struct ts_column *b, size_t n_blocks)
{
	assert_true(ts_span_eq(a->name, b->name) && a->type == b->type && a->precision == b->precision &&
		    a->digits == b->digits);
	assert_memory_equal(a->blocks, b->blocks, n_blocks * sizeof *a->blocks);
}

static void test_round_trip(void **unused)
{
	struct test_objects objects = {0};
	struct ts_arena arena;
	struct ts_index back;
	struct sample s;
	struct ts_id id;

	(void)unused;
	ts_arena_init(&arena, 0);
	make_sample(&s);
	id = encode(&s.index, &objects);
	assert_int_equal(test_objects_index(&objects, &id, &arena, &back), 1);
	assert_true(back.rank == 3 && back.n_tables == 4 && back.n_files == 2 && back.facts.n == 3);
	for (size_t t = 0; t < 4; t++) {
		assert_int_equal(back.tables[t].rows, 105);
		assert_int_equal(back.tables[t].n_blocks, 2);
		for (size_t i = 0; i < 2; i++) {
			const struct ts_block *a = &back.tables[t].blocks[i];
			const struct ts_block *b = &s.tables[t].blocks[i];

			assert_true(a->first_key == b->first_key && a->last_key == b->last_key && a->rows == b->rows &&
				    ts_id_eq(&a->keys, &b->keys));
		}
		assert_int_equal(back.tables[t].n_columns, s.tables[t].n_columns);
		for (size_t i = 0; i < s.tables[t].n_columns; i++)
			assert_same_column(&back.tables[t].columns[i], &s.tables[t].columns[i], 2);
	}
	for (size_t i = 0; i < 3; i++)
		assert_true(ts_fact_same(&back.facts.items[i], &s.facts[i]));
	assert_true(back.files[1].size == TS_CHUNK_BYTES + 1 && back.files[1].n_chunks == 2);
	assert_memory_equal(back.files[1].chunks, s.chunks, sizeof s.chunks);
	assert_true(back.files[0].has_columns && ts_id_eq(&back.files[0].columns, &s.files[0].columns) && !back.files[1].has_columns);
	ts_arena_finish(&arena);
	test_objects_finish(&objects);
}

static void test_column_lookup(void **unused)
{
	const struct ts_table *table = NULL;
	struct sample s;

	(void)unused;
	make_sample(&s);
	assert_ptr_equal(ts_index_column(&s.index, TS_TABLE_STEPS, ts_span_str("scalars.loss"), 0, &table),
			 &s.columns[1]);
	assert_ptr_equal(table, &s.tables[1]);
	assert_ptr_equal(ts_index_column(&s.index, TS_TABLE_STEPS, ts_span_str("scalars.loss"), TS_COLUMN_TEXT, NULL),
			 &s.columns[2]);
	assert_null(ts_index_column(&s.index, TS_TABLE_SUPERSEDED, ts_span_str("scalars.loss"), 0, NULL));
	assert_null(ts_index_column(&s.index, TS_TABLE_STEPS, ts_span_str("digests.w"), 0, NULL));
}

/* Encodes an invalid index and checks that the decoder gives the expected reason. */
static void assert_refused(const struct sample *s, const char *why)
{
	struct test_objects objects = {0};
	struct ts_id id = encode(&s->index, &objects);
	struct ts_index back = {0};
	struct ts_arena arena;
	struct ts_error err = {.text = "nothing"};
	bool more;
	enum ts_status status;

	ts_arena_init(&arena, 0);
	status = ts_index_decode(test_objects_find(&objects, &id), &arena, &back, &more, &id, &err);
	if (status != TS_DAMAGED || !strstr(err.text, why))
		fail_msg("%d '%s' where '%s' is due", (int)status, err.text, why);
	ts_arena_finish(&arena);
	test_objects_finish(&objects);
}

static void test_decoder_refuses_what_is_not_canonical(void **unused)
{
	struct sample s;

	(void)unused;
	make_sample(&s);
	s.columns[1].name = ts_span_str("a");
	assert_refused(&s, "a column that does not fit");
	make_sample(&s);
	s.columns[0].digits = 3;
	assert_refused(&s, "a column that does not fit");
	make_sample(&s);
	s.columns[2].precision = TS_PRECISION_F32;
	assert_refused(&s, "a column that does not fit");
	make_sample(&s);
	s.columns[2] = s.columns[1];
	assert_refused(&s, "is in two tables");
	make_sample(&s);
	s.blocks[2][0].keys = s.blocks[1][0].keys;
	s.blocks[2][1].keys = s.blocks[1][1].keys;
	assert_refused(&s, "two tables have the same keys");
	make_sample(&s);
	s.tables[1].kind = TS_TABLE_SUPERSEDED;
	assert_refused(&s, "table 2 is not in order");
	make_sample(&s);
	s.tables[2].n_columns = 0;
	assert_refused(&s, "table 2 is not in order");
	make_sample(&s);
	s.tables[0].key_log2 = 13;
	assert_refused(&s, "a table that does not fit");
	make_sample(&s);
	s.tables[3].kind = (enum ts_table_kind)99;
	assert_refused(&s, "a table of kind 99, which this version of tscope does not know");
	make_sample(&s);
	s.files[1].name = ts_span_str("a.txt");
	assert_refused(&s, "a file that does not fit");
	make_sample(&s);
	s.files[1].name = ts_span_str("..");
	assert_refused(&s, "a file that does not fit");
	make_sample(&s);
	s.files[1].n_chunks = 1;
	assert_refused(&s, "ends inside a table or a file");
	make_sample(&s);
	s.files[1].size = TS_CHUNK_BYTES;
	assert_refused(&s, "a list that does not fit");
	make_sample(&s);
	s.index.rank = -2;
	assert_refused(&s, "a rank that does not fit");
	make_sample(&s);
	s.facts[1].path = ts_span_str("code.a");
	assert_refused(&s, "is not in order");
}

static void test_decoder_refuses_impossible_blocks(void **unused)
{
	static const struct ts_block bad[] = {
		{0, 16383, 0, {{0}}},	  /* no rows */
		{0, 16383, 16385, {{0}}}, /* more rows than keys */
		{0, 5, 1, {{0}}},	  /* one row, two keys */
		{5, 0, 2, {{0}}},	  /* the range runs backwards */
		{0, 16384, 2, {{0}}},	  /* the block covers two cells */
		{-1, 0, 2, {{0}}},	  /* two cells, and the block is not after the block before */
		{-1, -1, 1, {{0}}},	  /* the block is not after the block before */
		{INT64_MIN, INT64_MAX, 2, {{0}}},
	};
	struct sample s;

	(void)unused;
	for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
		make_sample(&s);
		s.blocks[1][1] = bad[i];
		assert_refused(&s, "a block that does not fit");
	}
}

/* A file of 2^60 bytes whose list claims 2^32 - 1 chunks is refused before memory is allocated. */
static void test_counts_are_checked_before_memory(void **unused)
{
	struct ts_buf buf = TS_BUF_INIT(TS_OBJECT_MAX);
	struct ts_index index = {0};
	struct ts_arena arena;
	struct ts_error err;
	struct ts_id id;
	bool more;

	(void)unused;
	ts_arena_init(&arena, 0);
	ts_object_begin(&buf, TS_KIND_INDEX, 1, TS_LAYOUT_BYTES, NULL, 0);
	ts_buf_u32(&buf, 0);
	ts_buf_u8(&buf, 0);
	ts_buf_u8(&buf, 6);
	ts_buf_u64(&buf, UINT64_C(1) << 60);
	ts_buf_u8(&buf, 1);
	ts_buf_char(&buf, 'x');
	ts_buf_u8(&buf, 7);
	ts_buf_u32(&buf, UINT32_MAX);
	assert_int_equal(ts_index_decode(ts_buf_view(&buf), &arena, &index, &more, &id, &err), TS_DAMAGED);
	assert_true(arena.used < 256);
	ts_arena_finish(&arena);
	ts_buf_finish(&buf);
}

static void test_damage_everywhere(void **unused)
{
	struct test_objects objects = {0};
	struct sample s;
	struct ts_span object;
	struct ts_id id;

	(void)unused;
	make_sample(&s);
	id = encode(&s.index, &objects);
	object = test_objects_find(&objects, &id);
	assert_true(test_damage(object, object.len * 8) > object.len);
	test_objects_finish(&objects);
}

/* --- chains --- */

enum { MANY = 60000 };

static void make_long(struct ts_table *table, struct ts_column *column, struct ts_index *index)
{
	table->blocks = calloc(MANY, sizeof *table->blocks);
	column->blocks = calloc(MANY, sizeof *column->blocks);
	assert_non_null(table->blocks);
	assert_non_null(column->blocks);
	for (size_t i = 0; i < MANY; i++) {
		int64_t first = (int64_t)i * 16384;

		table->blocks[i] = (struct ts_block){first, first + 9, 10, id_of((uint8_t)i)};
		column->blocks[i] = id_of((uint8_t)(i >> 3));
	}
	column->name = ts_span_str("scalars.loss");
	column->type = TS_COLUMN_F64;
	table->kind = TS_TABLE_STEPS;
	table->key_log2 = 14;
	table->n_blocks = MANY;
	table->columns = column;
	table->n_columns = 1;
	index->tables = table;
	index->n_tables = 1;
}

static void test_a_long_index_is_a_chain(void **unused)
{
	struct test_objects objects = {0}, again = {0};
	struct ts_table table = {0};
	struct ts_column column = {0};
	struct ts_index index = {.rank = 1};
	struct ts_index back;
	struct ts_arena arena;
	struct ts_id id, id_again;

	(void)unused;
	ts_arena_init(&arena, 0);
	make_long(&table, &column, &index);
	id = encode(&index, &objects);
	/* 60000 columns of 52 + 32 bytes are stored in objects of 1 MiB. */
	assert_int_equal(test_objects_index(&objects, &id, &arena, &back), 5);
	for (size_t i = 0; i < objects.n; i++)
		assert_true(objects.items[i].bytes.len <= TS_INDEX_MAX);
	assert_int_equal(back.n_tables, 1);
	assert_int_equal(back.tables[0].n_blocks, MANY);
	assert_int_equal(back.tables[0].rows, MANY * 10);
	assert_same_column(&back.tables[0].columns[0], &column, MANY);
	for (size_t i = 0; i < MANY; i++)
		assert_true(back.tables[0].blocks[i].first_key == table.blocks[i].first_key &&
			    ts_id_eq(&back.tables[0].blocks[i].keys, &table.blocks[i].keys));
	id_again = encode(&back, &again);
	assert_memory_equal(&id, &id_again, sizeof id);
	free(table.blocks);
	free(column.blocks);
	ts_arena_finish(&arena);
	test_objects_finish(&objects);
	test_objects_finish(&again);
}

/* Writes the beginning of an object by hand, and a record of an empty file. */
static void begin_object(struct ts_buf *buf, int32_t rank, const struct ts_id *next_id)
{
	ts_buf_reset(buf);
	ts_object_begin(buf, TS_KIND_INDEX, 1, TS_LAYOUT_BYTES, next_id, next_id != NULL);
	ts_buf_u32(buf, (uint32_t)rank);
	ts_buf_u8(buf, next_id != NULL);
}

static void put_file(struct ts_buf *buf, const char *name)
{
	ts_buf_u8(buf, 6);
	ts_buf_u64(buf, 0);
	ts_buf_u8(buf, (uint8_t)strlen(name));
	ts_buf_str(buf, name);
}

/* Decodes one object and, if there is one, its successor; the decoder must refuse them. */
static void assert_chain_refused(const struct ts_buf *first, const struct ts_buf *second, const char *why)
{
	struct ts_index index = {0};
	struct ts_arena arena;
	struct ts_error err = {.text = "nothing"};
	struct ts_id id;
	enum ts_status status;
	bool more = false;

	ts_arena_init(&arena, 0);
	status = ts_index_decode(ts_buf_view(first), &arena, &index, &more, &id, &err);
	if (second) {
		assert_int_equal(status, TS_OK);
		assert_true(more);
		status = ts_index_decode(ts_buf_view(second), &arena, &index, &more, &id, &err);
	}
	if (status != TS_DAMAGED || !strstr(err.text, why))
		fail_msg("%d '%s' where '%s' is due", (int)status, err.text, why);
	ts_arena_finish(&arena);
}

/* The same content cut at other places would have another id, so only one way to cut is accepted. */
static void test_a_chain_is_packed_in_one_way(void **unused)
{
	struct ts_buf first = TS_BUF_INIT(TS_OBJECT_MAX), second = TS_BUF_INIT(TS_OBJECT_MAX);
	struct ts_error err;
	struct ts_id id = id_of(1);
	char name[16];

	(void)unused;
	begin_object(&second, 0, NULL);
	put_file(&second, "x");
	assert_int_equal(test_roundtrip(ts_buf_view(&second), &err), TS_OK);
	begin_object(&first, 0, &id);
	assert_chain_refused(&first, &second, "has room in the object before");
	begin_object(&second, 1, NULL);
	put_file(&second, "x");
	assert_chain_refused(&first, &second, "rank 1 in the index of rank 0");
	begin_object(&second, 0, NULL);
	assert_chain_refused(&first, &second, "adds nothing");
	put_file(&second, "x");
	ts_buf_bytes(&second, "\x02\x01\x0e", 3);
	assert_chain_refused(&second, NULL, "record 2 may not follow record 6");
	begin_object(&first, 0, NULL);
	for (int i = 0; i < 70000; i++) { /* 16 bytes each are more than 1 MiB in all */
		(void)snprintf(name, sizeof name, "%06d", i);
		put_file(&first, name);
	}
	assert_chain_refused(&first, NULL, "more than 1048576 bytes");
	ts_buf_finish(&first);
	ts_buf_finish(&second);
}

/* --- memory --- */

static enum ts_status same_sink(void *ctx, const struct ts_id *id, struct ts_span object, struct ts_error *err)
{
	struct ts_buf *copy = ctx;

	(void)id;
	ts_buf_reset(copy);
	ts_buf_span(copy, object);
	return ts_buf_check(copy, err);
}

static void test_every_allocation_may_fail(void **unused)
{
	enum ts_status status = TS_NO_MEMORY;
	struct sample s;

	(void)unused;
	make_sample(&s);
	for (size_t n = 1; status; n++) {
		struct ts_buf scratch = TS_BUF_INIT(TS_OBJECT_MAX), copy = TS_BUF_INIT(TS_OBJECT_MAX);
		struct ts_index back = {0};
		struct ts_arena arena;
		struct ts_error err;
		struct ts_id id;
		bool more;

		ts_arena_init(&arena, 0);
		ts_alloc_fail_at(n);
		status = ts_index_encode(&s.index, same_sink, &copy, &scratch, &id, &err);
		if (!status)
			status = ts_index_decode(ts_buf_view(&copy), &arena, &back, &more, &id, &err);
		ts_alloc_fail_at(0);
		assert_true(status == TS_OK || (status == TS_NO_MEMORY && n < 100));
		ts_arena_finish(&arena);
		ts_buf_finish(&scratch);
		ts_buf_finish(&copy);
	}
}

/* The arena limits how much memory a hostile object can take. */
static void test_ceilings_hold(void **unused)
{
	struct test_objects objects = {0};
	struct sample s;
	struct ts_id id;
	enum ts_status status = TS_NO_MEMORY;

	(void)unused;
	make_sample(&s);
	id = encode(&s.index, &objects);
	for (size_t ceiling = 16; status; ceiling += 16) {
		struct ts_index back = {0};
		struct ts_arena arena;
		struct ts_error err;
		struct ts_id next;
		bool more;

		ts_arena_init(&arena, ceiling);
		status = ts_index_decode(test_objects_find(&objects, &id), &arena, &back, &more, &next, &err);
		assert_true(status == TS_OK || (status == TS_NO_MEMORY && ceiling < 65536));
		ts_arena_finish(&arena);
	}
	test_objects_finish(&objects);
}

static int set_up(void **unused)
{
	struct ts_error err;

	(void)unused;
	return ts_digest_init(&err);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_round_trip),
		cmocka_unit_test(test_column_lookup),
		cmocka_unit_test(test_decoder_refuses_what_is_not_canonical),
		cmocka_unit_test(test_decoder_refuses_impossible_blocks),
		cmocka_unit_test(test_counts_are_checked_before_memory),
		cmocka_unit_test(test_damage_everywhere),
		cmocka_unit_test(test_a_long_index_is_a_chain),
		cmocka_unit_test(test_a_chain_is_packed_in_one_way),
		cmocka_unit_test(test_every_allocation_may_fail),
		cmocka_unit_test(test_ceilings_hold),
	};

	return cmocka_run_group_tests_name("index", tests, set_up, NULL);
}
