#include "base/alloc.h"
#include "base/limits.h"
#include "run/builder.h"
#include "run/test_objects.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

struct fixture {
	struct test_objects objects;
	struct ts_arena arena;
	struct ts_builder *b;
	struct ts_index index;
	struct ts_error err;
};

static void begin(struct fixture *f)
{
	memset(f, 0, sizeof *f);
	ts_arena_init(&f->arena, 0);
	assert_int_equal(ts_builder_create(0, test_objects_sink, &f->objects, &f->b, &f->err), TS_OK);
}

static uint32_t column(struct fixture *f, const char *name, enum ts_column_type type)
{
	uint32_t number = 0;

	assert_int_equal(ts_builder_column(f->b, ts_span_str(name), type, &number, &f->err), TS_OK);
	return number;
}

static void end_row(struct fixture *f)
{
	if (ts_builder_row_end(f->b, &f->err))
		fail_msg("%s", f->err.text);
}

static struct ts_id finish(struct fixture *f)
{
	struct ts_id id;

	if (ts_builder_finish(f->b, NULL, &id, &f->err))
		fail_msg("%s", f->err.text);
	test_objects_index(&f->objects, &id, &f->arena, &f->index);
	return id;
}

static void end(struct fixture *f)
{
	ts_builder_destroy(f->b);
	test_objects_finish(&f->objects);
	ts_arena_finish(&f->arena);
}

static const struct ts_column *find(struct fixture *f, const char *name, const struct ts_table **ret_table)
{
	const struct ts_column *c = ts_index_column(&f->index, TS_TABLE_STEPS, ts_span_str(name), 0, ret_table);

	assert_non_null(c);
	return c;
}

static void assert_block_rows(const struct ts_table *table, const uint32_t *rows, size_t n)
{
	assert_int_equal(table->n_blocks, n);
	for (size_t i = 0; i < n; i++)
		assert_int_equal(table->blocks[i].rows, rows[i]);
}

static void f64_row(struct fixture *f, uint32_t col, int64_t key, double value)
{
	ts_builder_row(f->b, TS_TABLE_STEPS, key);
	ts_builder_f64(f->b, col, value);
	end_row(f);
}

/* --- tables are the columns that have the same keys --- */

enum { COLUMNS = 9, ROWS = 320 };

struct model {
	size_t rows;
	int64_t keys[ROWS];
	bool present[COLUMNS][ROWS];
	uint64_t values[COLUMNS][ROWS];
};

static bool is_present(uint64_t pattern, size_t row, uint64_t *random)
{
	switch (pattern % 6) {
	case 0:
		return true;
	case 1:
		return row % 3 == 0;
	case 2:
		return row >= 70;
	case 3:
		return row < 90;
	case 4:
		return test_random(random) % 8 != 0;
	default:
		return row != 100;
	}
}

static void make_model(struct model *m, uint64_t *random)
{
	int64_t key = (int64_t)(test_random(random) % 60000) - 30000;
	uint64_t stride = 1 + test_random(random) % 900;

	m->rows = 1 + test_random(random) % ROWS;
	for (size_t i = 0; i < m->rows; i++) {
		m->keys[i] = key;
		key += (int64_t)(1 + test_random(random) % stride);
	}
	for (size_t c = 0; c < COLUMNS; c++) {
		uint64_t pattern = test_random(random);

		for (size_t i = 0; i < m->rows; i++) {
			m->present[c][i] = is_present(pattern, i, random);
			m->values[c][i] = test_random(random);
		}
	}
}

static void name_of(size_t c, char *name)
{
	strcpy(name, "scalars.c0");
	name[9] = (char)('0' + c);
}

/* Writes the columns of a row in an order that changes from row to row. */
static void feed(struct fixture *f, const struct model *m, const uint32_t *columns, uint64_t *random)
{
	for (size_t i = 0; i < m->rows; i++) {
		size_t from = test_random(random) % 4 ? 0 : test_random(random) % COLUMNS;

		ts_builder_row(f->b, TS_TABLE_STEPS, m->keys[i]);
		for (size_t k = 0; k < COLUMNS; k++) {
			size_t c = (from + k) % COLUMNS;

			if (m->present[c][i])
				ts_builder_u64(f->b, columns[c], m->values[c][i]);
		}
		end_row(f);
	}
}

static size_t first_row(const struct model *m, size_t c)
{
	size_t i = 0;

	while (i < m->rows && !m->present[c][i])
		i++;
	return i;
}

static bool same_presence(const struct model *m, size_t a, size_t b)
{
	return memcmp(m->present[a], m->present[b], m->rows * sizeof(bool)) == 0;
}

/* Each column's keys and values are read back, and its table has exactly the columns with the same keys. */
static void check_column(struct fixture *f, const struct model *m, size_t c)
{
	const struct ts_table *table;
	const struct ts_column *col;
	const int64_t *keys;
	const uint64_t *values;
	size_t at = 0, expected = 0;
	char name[16];

	name_of(c, name);
	if (first_row(m, c) == m->rows) {
		assert_null(ts_index_column(&f->index, TS_TABLE_STEPS, ts_span_str(name), 0, NULL));
		return;
	}
	col = find(f, name, &table);
	keys = test_objects_keys(&f->objects, table, &f->arena);
	values = test_objects_words(&f->objects, table, col, &f->arena);
	for (size_t i = 0; i < m->rows; i++)
		if (m->present[c][i]) {
			assert_true(at < table->rows && keys[at] == m->keys[i] && values[at] == m->values[c][i]);
			at++;
		}
	assert_int_equal(at, table->rows);
	for (size_t other = 0; other < COLUMNS; other++) {
		const struct ts_table *theirs = NULL;

		if (!same_presence(m, c, other))
			continue;
		/* Columns of one table have the same first key, so they first appeared in one row. */
		assert_int_equal(first_row(m, c), first_row(m, other));
		name_of(other, name);
		find(f, name, &theirs);
		assert_ptr_equal(theirs, table);
		expected++;
	}
	assert_int_equal(table->n_columns, expected);
}

static int by_size(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a;
	uint64_t y = *(const uint64_t *)b;

	return (x > y) - (x < y);
}

/* Computes in plain arithmetic where docs/format.md says that a table is cut. */
static void check_cuts(struct fixture *f, const struct ts_table *table)
{
	const int64_t *keys = test_objects_keys(&f->objects, table, &f->arena);
	uint64_t differences[63];
	size_t n = table->rows < 64 ? table->rows : 64;
	size_t at = 0;
	uint64_t width = 16384;

	for (size_t i = 0; i + 1 < n; i++)
		differences[i] = (uint64_t)(keys[i + 1] - keys[i]);
	if (n > 1) {
		qsort(differences, n - 1, sizeof *differences, by_size);
		for (uint64_t d = differences[(n - 2) / 2]; d > 1; d /= 2)
			width *= 2;
	}
	assert_true((UINT64_C(1) << table->key_log2) == width);
	for (size_t i = 0; i < table->n_blocks; i++) {
		int64_t start = table->blocks[i].first_key;
		int64_t into = start % (int64_t)width;
		int64_t limit = start - (into < 0 ? into + (int64_t)width : into) + (int64_t)width;
		uint32_t rows = 0;

		while (at < table->rows && keys[at] < limit) {
			rows++;
			at++;
		}
		assert_int_equal(table->blocks[i].rows, rows);
	}
}

static void test_tables_are_columns_of_one_key_set(void **unused)
{
	static struct model m;
	uint64_t random = 2026;

	(void)unused;
	for (int round = 0; round < 150; round++) {
		struct fixture f;
		uint32_t columns[COLUMNS];
		char name[16];
		size_t empty = 0;

		begin(&f);
		make_model(&m, &random);
		for (size_t c = 0; c < COLUMNS; c++) {
			name_of(c, name);
			columns[c] = column(&f, name, TS_COLUMN_U64);
		}
		feed(&f, &m, columns, &random);
		finish(&f);
		for (size_t c = 0; c < COLUMNS; c++)
			check_column(&f, &m, c);
		for (size_t t = 0; t < f.index.n_tables; t++) {
			check_cuts(&f, &f.index.tables[t]);
			if (f.index.tables[t].n_columns == 0)
				empty = f.index.tables[t].rows;
		}
		for (size_t i = 0; i < m.rows; i++) {
			bool any = false;

			for (size_t c = 0; c < COLUMNS; c++)
				any |= m.present[c][i];
			empty -= !any;
		}
		assert_int_equal(empty, 0); /* rows without columns are kept, and no other rows are in that table */
		end(&f);
	}
}

static void test_order_within_a_row_does_not_matter(void **unused)
{
	static struct model m;
	struct ts_id ids[2];
	uint64_t random = 7;

	(void)unused;
	make_model(&m, &random);
	for (int k = 0; k < 2; k++) {
		struct fixture f;
		uint32_t columns[COLUMNS];
		char name[16];

		begin(&f);
		for (size_t i = 0; i < COLUMNS; i++) {
			size_t c = k ? COLUMNS - 1 - i : i;

			name_of(c, name);
			columns[c] = column(&f, name, TS_COLUMN_U64);
		}
		feed(&f, &m, columns, &random);
		ids[k] = finish(&f);
		end(&f);
	}
	assert_memory_equal(&ids[0], &ids[1], sizeof ids[0]);
}

/* --- where blocks are cut --- */

static double value_of(int64_t step)
{
	return (double)(step * step % 1000003) / 7;
}

static void build_range(struct fixture *f, int64_t first, int64_t end_step)
{
	uint32_t loss;

	begin(f);
	loss = column(f, "scalars.loss", TS_COLUMN_F64);
	for (int64_t step = first; step < end_step; step++)
		f64_row(f, loss, step, value_of(step));
	finish(f);
}

static size_t shared_blocks(struct fixture *a, struct fixture *b)
{
	const struct ts_table *table;
	const struct ts_column *c = find(a, "scalars.loss", &table);
	size_t shared = 0;

	for (size_t i = 0; i < table->n_blocks; i++)
		if (test_objects_has(&b->objects, &c->blocks[i]) &&
		    test_objects_has(&b->objects, &table->blocks[i].keys))
			shared++;
	return shared;
}

static void test_runs_share_the_blocks_they_share(void **unused)
{
	struct fixture a, b, prefix;

	(void)unused;
	build_range(&a, 0, 100000);
	build_range(&b, 50000, 150000);
	build_range(&prefix, 0, 70000);
	assert_int_equal(shared_blocks(&a, &b), 2); /* [65536, 98304) is the only range that both have whole */
	assert_int_equal(prefix.index.tables[0].n_blocks, 5);
	assert_int_equal(shared_blocks(&prefix, &a), 4);
	end(&a);
	end(&b);
	end(&prefix);
}

static void test_negative_keys_are_cut_downwards(void **unused)
{
	static const uint32_t rows[] = {3616, 16384, 16384, 3617};
	struct fixture f;

	(void)unused;
	build_range(&f, -20000, 20001);
	assert_block_rows(&f.index.tables[0], rows, 4);
	assert_true(f.index.tables[0].blocks[1].first_key == -16384);
	end(&f);
}

static void test_keys_at_the_ends_of_int64(void **unused)
{
	static const int64_t keys[] = {INT64_MIN, -1, 0, INT64_MAX};
	static const uint32_t rows[] = {2, 2};
	struct fixture f;
	uint32_t c;

	(void)unused;
	begin(&f);
	c = column(&f, "scalars.loss", TS_COLUMN_F64);
	for (int i = 0; i < 4; i++)
		f64_row(&f, c, keys[i], i);
	finish(&f);
	assert_int_equal(f.index.tables[0].key_log2, 63);
	assert_block_rows(&f.index.tables[0], rows, 2);
	end(&f);
}

static void test_cadence_widens_blocks_and_rows_cut_them_again(void **unused)
{
	static const uint32_t rows[] = {65536, 65536, 65536, 3456};
	struct fixture f;
	uint32_t c;

	(void)unused;
	begin(&f);
	c = column(&f, "scalars.loss", TS_COLUMN_F64);
	for (int64_t i = 0; i < 64; i++)
		f64_row(&f, c, i * 1000, 1);
	for (int64_t i = 0; i < 200000; i++)
		f64_row(&f, c, 64000 + i, 1);
	finish(&f);
	assert_int_equal(f.index.tables[0].key_log2, 14 + 9); /* 512 <= 1000 < 1024 */
	assert_block_rows(&f.index.tables[0], rows, 4);
	end(&f);
}

static void test_one_key_has_log2_14(void **unused)
{
	struct fixture f;

	(void)unused;
	begin(&f);
	f64_row(&f, column(&f, "scalars.loss", TS_COLUMN_F64), 5, 1);
	finish(&f);
	assert_int_equal(f.index.tables[0].key_log2, 14);
	end(&f);
}

/* --- text --- */

enum { BIG = 40960 };

static struct ts_span big_text(char *text, size_t i)
{
	memset(text, 'x', BIG);
	memcpy(text, &i, sizeof i);
	return ts_span_of(text, BIG);
}

/* 26 texts of 40 KiB are the smallest number that reaches 1 MiB. */
static void test_a_full_dictionary_cuts_the_table(void **unused)
{
	static const uint32_t with_text[] = {26, 26, 26, 22};
	static const uint32_t with_more[] = {26, 26, 26, 22 + 50};
	static char text[BIG];
	const struct ts_table *table;
	const struct ts_column *c;
	const struct ts_span *texts;
	struct fixture f;
	uint32_t number, note;

	(void)unused;
	begin(&f);
	number = column(&f, "scalars.loss", TS_COLUMN_F64);
	note = column(&f, "tags.note", TS_COLUMN_TEXT);
	for (size_t i = 0; i < 150; i++) {
		ts_builder_row(f.b, TS_TABLE_STEPS, (int64_t)i);
		ts_builder_f64(f.b, number, (double)i);
		if (i < 100)
			ts_builder_text(f.b, note, big_text(text, i));
		end_row(&f);
	}
	finish(&f);
	c = find(&f, "tags.note", &table);
	assert_block_rows(table, with_text, 4);
	texts = test_objects_texts(&f.objects, table, c, &f.arena);
	for (size_t i = 0; i < 100; i++)
		assert_true(ts_span_eq(texts[i], big_text(text, i)));
	find(&f, "scalars.loss", &table);
	assert_block_rows(table, with_more, 4);
	end(&f);
}

/* Columns that separate before 64 keys were never cut together. */
static void test_a_dictionary_cuts_only_columns_that_stay_together(void **unused)
{
	static const uint32_t one[] = {70};
	static const uint32_t two[] = {26, 14};
	static char text[BIG];
	const struct ts_table *table;
	struct fixture f;
	uint32_t number, note;

	(void)unused;
	begin(&f);
	number = column(&f, "scalars.loss", TS_COLUMN_F64);
	note = column(&f, "tags.note", TS_COLUMN_TEXT);
	for (size_t i = 0; i < 70; i++) {
		ts_builder_row(f.b, TS_TABLE_STEPS, (int64_t)i);
		ts_builder_f64(f.b, number, (double)i);
		if (i < 40)
			ts_builder_text(f.b, note, big_text(text, i));
		end_row(&f);
	}
	finish(&f);
	find(&f, "scalars.loss", &table);
	assert_block_rows(table, one, 1);
	find(&f, "tags.note", &table);
	assert_block_rows(table, two, 2);
	end(&f);
}

/* A text that a later text of the same row replaces has no effect: it does not count towards the size of a
 * dictionary. */
static void test_a_replaced_text_does_not_cut(void **unused)
{
	static const uint32_t rows[] = {200};
	static char text[BIG];
	struct fixture f;
	uint32_t note;

	(void)unused;
	begin(&f);
	note = column(&f, "tags.note", TS_COLUMN_TEXT);
	for (size_t i = 0; i < 200; i++) {
		ts_builder_row(f.b, TS_TABLE_STEPS, (int64_t)i);
		ts_builder_text(f.b, note, big_text(text, i));
		ts_builder_text(f.b, note, ts_span_str("short"));
		end_row(&f);
	}
	finish(&f);
	assert_block_rows(&f.index.tables[0], rows, 1);
	end(&f);
}

static void test_texts_repeat_and_come_back(void **unused)
{
	static const char *const words[] = {"a", "", "bb", "a", "\xff", "bb"};
	const struct ts_table *table;
	const struct ts_column *c;
	const struct ts_span *texts;
	struct fixture f;
	uint32_t tag;

	(void)unused;
	begin(&f);
	tag = column(&f, "tags.t", TS_COLUMN_JSON);
	for (int64_t i = 0; i < 40000; i++) {
		ts_builder_row(f.b, TS_TABLE_STEPS, i);
		ts_builder_text(f.b, tag, ts_span_str("dropped")); /* a replaced text must not enter the dictionary */
		ts_builder_text(f.b, tag, ts_span_str(words[i * i % 6]));
		end_row(&f);
	}
	finish(&f);
	c = find(&f, "tags.t", &table);
	assert_int_equal(c->type, TS_COLUMN_JSON);
	texts = test_objects_texts(&f.objects, table, c, &f.arena);
	for (int64_t i = 0; i < 40000; i++)
		assert_true(ts_span_is(texts[i], words[i * i % 6]));
	end(&f);
}

/* --- rows --- */

static void test_rows_replaced_and_refused(void **unused)
{
	static char text[TS_TEXT_MAX + 1];
	const struct ts_table *table;
	const struct ts_column *c;
	const uint64_t *bits;
	struct ts_builder_stats stats;
	struct fixture f;
	uint32_t loss, tag;
	double value;

	(void)unused;
	begin(&f);
	loss = column(&f, "scalars.loss", TS_COLUMN_F64);
	tag = column(&f, "tags.t", TS_COLUMN_TEXT);
	assert_int_equal(column(&f, "scalars.loss", TS_COLUMN_F64), loss);
	assert_int_not_equal(column(&f, "scalars.loss", TS_COLUMN_U64), loss);
	ts_builder_row(f.b, TS_TABLE_STEPS, 5);
	ts_builder_f64(f.b, loss, 1);
	ts_builder_f64(f.b, loss, 2);
	end_row(&f);
	ts_builder_row(f.b, TS_TABLE_STEPS, 5);
	ts_builder_f64(f.b, loss, 99);
	assert_int_equal(ts_builder_row_end(f.b, &f.err), TS_INVALID);
	ts_builder_row(f.b, TS_TABLE_STEPS, 6);
	ts_builder_text(f.b, tag, ts_span_of(text, sizeof text));
	assert_int_equal(ts_builder_row_end(f.b, &f.err), TS_TOO_LARGE);
	ts_builder_row(f.b, TS_TABLE_STEPS, 6);
	ts_builder_u64(f.b, loss, 99); /* wrong type */
	assert_int_equal(ts_builder_row_end(f.b, &f.err), TS_INTERNAL);
	ts_builder_row(f.b, TS_TABLE_STEPS, 6);
	ts_builder_f64(f.b, 1000, 99); /* no such column */
	assert_int_equal(ts_builder_row_end(f.b, &f.err), TS_INTERNAL);
	f64_row(&f, loss, 6, 3);
	ts_builder_row(f.b, TS_TABLE_SUPERSEDED, 0); /* each kind of table has its own keys */
	ts_builder_f64(f.b, loss, 4);
	end_row(&f);
	ts_builder_row(f.b, TS_TABLE_PIPELINE, 0);
	ts_builder_f64(f.b, loss, 5);
	end_row(&f);
	ts_builder_row(f.b, TS_TABLE_DIGESTS, 0);
	ts_builder_f64(f.b, loss, 6);
	end_row(&f);
	ts_builder_row(f.b, TS_TABLE_EVENTS, 0);
	ts_builder_f64(f.b, loss, 7);
	end_row(&f);
	ts_builder_row(f.b, TS_TABLE_EVENTS, 1);
	ts_builder_f64(f.b, loss, 8);
	end_row(&f);
	for (int64_t row = 0; row < 3; row++) {
		ts_builder_row(f.b, TS_TABLE_SKETCHES, row);
		ts_builder_f64(f.b, loss, 9);
		end_row(&f);
	}
	ts_builder_row(f.b, (enum ts_table_kind)(TS_TABLE_KINDS + 1), 0); /* there is no such kind */
	assert_int_equal(ts_builder_row_end(f.b, &f.err), TS_INTERNAL);
	finish(&f);
	ts_builder_stats(f.b, &stats);
	assert_true(stats.rows == 2 && stats.superseded == 1 && stats.first_step == 5 && stats.last_step == 6);
	assert_true(stats.events == 1 && stats.digests == 1 && stats.timed == 2 && stats.sketches == 3 && stats.columns == 3);
	assert_true(stats.blocks == 12);
	c = find(&f, "scalars.loss", &table);
	assert_int_equal(table->rows, 2);
	bits = test_objects_words(&f.objects, table, c, &f.arena);
	memcpy(&value, &bits[0], sizeof value);
	assert_true(value == 2);
	memcpy(&value, &bits[1], sizeof value);
	assert_true(value == 3);
	assert_non_null(ts_index_column(&f.index, TS_TABLE_SUPERSEDED, ts_span_str("scalars.loss"), 0, NULL));
	assert_non_null(ts_index_column(&f.index, TS_TABLE_PIPELINE, ts_span_str("scalars.loss"), 0, NULL));
	assert_non_null(ts_index_column(&f.index, TS_TABLE_DIGESTS, ts_span_str("scalars.loss"), 0, NULL));
	assert_non_null(ts_index_column(&f.index, TS_TABLE_EVENTS, ts_span_str("scalars.loss"), 0, NULL));
	assert_non_null(ts_index_column(&f.index, TS_TABLE_SKETCHES, ts_span_str("scalars.loss"), 0, NULL));
	end(&f);
}

static void test_too_many_columns(void **unused)
{
	struct fixture f;
	char name[32];
	uint32_t number;

	(void)unused;
	begin(&f);
	for (int i = 0; i < TS_COLUMNS_MAX; i++) {
		snprintf(name, sizeof name, "scalars.%d", i);
		column(&f, name, TS_COLUMN_F64);
	}
	assert_int_equal(ts_builder_column(f.b, ts_span_str("one more"), TS_COLUMN_F64, &number, &f.err), TS_TOO_LARGE);
	for (int64_t step = 0; step < 3; step++) {
		ts_builder_row(f.b, TS_TABLE_STEPS, step);
		for (uint32_t i = 0; i < TS_COLUMNS_MAX; i++)
			ts_builder_f64(f.b, i, i);
		end_row(&f);
	}
	finish(&f);
	assert_int_equal(f.index.n_tables, 1);
	assert_int_equal(f.index.tables[0].n_columns, TS_COLUMNS_MAX);
	end(&f);
}

/* --- files --- */

static void test_files_are_chunks(void **unused)
{
	static uint8_t bytes[TS_CHUNK_BYTES + 100];
	struct fixture f;
	struct ts_buf whole = TS_BUF_INIT(4 << 20);

	(void)unused;
	begin(&f);
	for (size_t i = 0; i < sizeof bytes; i++)
		bytes[i] = (uint8_t)(i * 7 + i / 251);
	assert_int_equal(ts_builder_file_begin(f.b, ts_span_str("trace.json"), &f.err), TS_OK);
	for (size_t at = 0; at < sizeof bytes; at += 300000) {
		size_t n = sizeof bytes - at < 300000 ? sizeof bytes - at : 300000;

		assert_int_equal(ts_builder_file_add(f.b, ts_span_of(bytes + at, n), &f.err), TS_OK);
	}
	assert_int_equal(ts_builder_file_end(f.b, &f.err), TS_OK);
	assert_int_equal(ts_builder_file_begin(f.b, ts_span_str("empty"), &f.err), TS_OK);
	assert_int_equal(ts_builder_file_end(f.b, &f.err), TS_OK);
	assert_int_equal(ts_builder_file_begin(f.b, ts_span_str("empty"), &f.err), TS_INVALID);
	assert_int_equal(ts_builder_file_begin(f.b, ts_span_str("../up"), &f.err), TS_INVALID);
	finish(&f);
	assert_int_equal(f.index.n_files, 2);
	assert_true(ts_span_is(f.index.files[0].name, "empty") && f.index.files[0].n_chunks == 0);
	assert_int_equal(f.index.files[1].size, sizeof bytes);
	assert_int_equal(f.index.files[1].n_chunks, 2);
	for (size_t i = 0; i < 2; i++) {
		struct ts_span object = test_objects_find(&f.objects, &f.index.files[1].chunks[i]);

		ts_buf_bytes(&whole, object.data + 16, object.len - 16);
	}
	assert_true(ts_span_eq(ts_buf_view(&whole), ts_span_of(bytes, sizeof bytes)));
	ts_buf_finish(&whole);
	end(&f);
}

/* --- failures --- */

struct tally {
	uint64_t objects;
	uint64_t fail_at;
};

static enum ts_status tally_sink(void *ctx, const struct ts_id *id, struct ts_span object, struct ts_error *err)
{
	struct tally *tally = ctx;

	(void)id;
	(void)object;
	if (++tally->objects == tally->fail_at)
		return ts_error_set(err, TS_FULL, "no room");
	return TS_OK;
}

/* The scenario has splits before and after 64 keys, texts, a file and superseded rows: it makes every allocation of
 * the builder. */
static enum ts_status scenario(struct ts_builder *b, struct ts_id *ret_id, struct ts_error *err)
{
	static const char *const names[] = {"scalars.a", "scalars.b", "tags.t", "digests.d", "scalars.z"};
	static const enum ts_column_type types[] = {TS_COLUMN_F64, TS_COLUMN_F64, TS_COLUMN_TEXT, TS_COLUMN_U64,
						    TS_COLUMN_F64};
	uint32_t c[5];

	for (int i = 0; i < 5; i++)
		if (ts_builder_column(b, ts_span_str(names[i]), types[i], &c[i], err))
			return err->status;
	for (int64_t i = 0; i < 200; i++) {
		char text[16];

		ts_builder_row(b, i % 5 ? TS_TABLE_STEPS : TS_TABLE_SUPERSEDED, i);
		ts_builder_f64(b, c[0], (double)i);
		if (i != 30)
			ts_builder_f64(b, c[1], (double)i);
		if (i != 130)
			ts_builder_u64(b, c[3], (uint64_t)i);
		snprintf(text, sizeof text, "%d", (int)i % 150);
		ts_builder_text(b, c[2], ts_span_str(text));
		if (i > 100)
			ts_builder_f64(b, c[4], 1);
		if (ts_builder_row_end(b, err))
			return err->status;
	}
	if (ts_builder_file_begin(b, ts_span_str("f"), err) || ts_builder_file_add(b, ts_span_str("some bytes"), err) ||
	    ts_builder_file_end(b, err))
		return err->status;
	return ts_builder_finish(b, NULL, ret_id, err);
}

static enum ts_status run_scenario(struct tally *tally, struct ts_id *ret_id, struct ts_error *err)
{
	struct ts_builder *b = NULL;
	enum ts_status status = ts_builder_create(3, tally_sink, tally, &b, err);

	if (!status)
		status = scenario(b, ret_id, err);
	if (status && b) { /* the builder stays failed, with the same cause */
		struct ts_error again;
		struct ts_id none;

		assert_int_equal(ts_builder_finish(b, NULL, &none, &again), status);
		assert_string_equal(again.text, err->text);
	}
	ts_builder_destroy(b);
	return status;
}

static void test_every_allocation_may_fail(void **unused)
{
	struct tally tally = {0};
	struct ts_id good, id;
	struct ts_error err;
	enum ts_status status = TS_NO_MEMORY;
	size_t n = 0;

	(void)unused;
	assert_int_equal(run_scenario(&tally, &good, &err), TS_OK);
	while (status) {
		tally = (struct tally){0};
		ts_alloc_fail_at(++n);
		status = run_scenario(&tally, &id, &err);
		ts_alloc_fail_at(0);
		assert_true(status == TS_OK || status == TS_NO_MEMORY);
	}
	assert_true(n > 50);
	assert_memory_equal(&id, &good, sizeof id);
}

static void test_a_sink_that_fails_is_reported(void **unused)
{
	struct tally tally = {0};
	struct ts_error err;
	struct ts_id id;
	uint64_t objects;

	(void)unused;
	assert_int_equal(run_scenario(&tally, &id, &err), TS_OK);
	objects = tally.objects;
	for (uint64_t i = 1; i <= objects; i++) {
		tally = (struct tally){.fail_at = i};
		assert_int_equal(run_scenario(&tally, &id, &err), TS_FULL);
		assert_int_equal(tally.objects, i);
	}
}

static int set_up(void **unused)
{
	struct ts_error err;

	(void)unused;
	return ts_digest_init(&err);
}

/* --- many rows at once --- */

enum { MANY = 3000, MANY_COLUMNS = 3 };

enum { THEN_DENSE = 13 }; /* gaps in the first keys alone, so that a cell has more rows than a block may have */

/* Gives rows of three columns between rows of others, with gaps in the keys, in pieces of any length or one by one. */
static struct ts_id many_rows(uint64_t seed, int gap_log2, bool at_once, struct ts_builder_stats *ret_stats)
{
	struct fixture f;
	uint32_t columns[MANY_COLUMNS], other;
	double values[MANY_COLUMNS * MANY];
	int64_t keys[MANY], key = -5000;
	struct ts_id id;

	begin(&f);
	for (size_t i = 0; i < MANY_COLUMNS; i++)
		columns[i] = column(&f, i ? i > 1 ? "c" : "b" : "a", TS_COLUMN_F64);
	other = column(&f, "other", TS_COLUMN_F64);
	for (int piece = 0; piece < 60; piece++) {
		/* A row without one of the columns splits their table, and then no more rows are given at once. */
		struct ts_builder_rows_in in = {TS_TABLE_STEPS, keys, (size_t)(test_random(&seed) >> 20) % MANY, columns, values,
						MANY_COLUMNS - (piece == 50 && gap_log2 != THEN_DENSE), MANY};

		for (size_t row = 0; row < in.n; row++) {
			int64_t before = key;

			key += 1 + (int64_t)((test_random(&seed) >> 40) & ((UINT64_C(1) << gap_log2) - 1));
			if (gap_log2 == THEN_DENSE && (piece > 0 || row > 100))
				key = before + 1;
			keys[row] = key;
			for (size_t i = 0; i < MANY_COLUMNS; i++)
				values[i * MANY + row] = (double)(test_random(&seed) >> 50);
		}
		if (at_once)
			assert_int_equal(ts_builder_number_rows(f.b, &in, &f.err), TS_OK);
		for (size_t row = 0; !at_once && row < in.n; row++) {
			ts_builder_row(f.b, TS_TABLE_STEPS, keys[row]);
			for (size_t i = 0; i < in.n_columns; i++)
				ts_builder_f64(f.b, columns[i], values[i * MANY + row]);
			end_row(&f);
		}
		if (piece % 7 == 6)
			f64_row(&f, other, ++key, 1);
	}
	ts_builder_stats(f.b, ret_stats);
	id = finish(&f);
	end(&f);
	return id;
}

static void test_rows_at_once_are_rows(void **unused)
{
	static const int gaps_log2[] = {0, 4, 8, 12, THEN_DENSE};

	(void)unused;
	for (uint64_t seed = 1; seed <= 4; seed++)
		for (size_t i = 0; i < sizeof gaps_log2 / sizeof gaps_log2[0]; i++) {
			struct ts_builder_stats one_by_one, many;
			struct ts_id apart = many_rows(seed, gaps_log2[i], false, &one_by_one);
			struct ts_id at_once = many_rows(seed, gaps_log2[i], true, &many);

			assert_memory_equal(apart.bytes, at_once.bytes, TS_ID_BYTES);
			assert_int_equal(many.rows, one_by_one.rows);
			assert_true(many.rows > TS_BLOCK_ROWS_MAX);
			assert_int_equal(many.first_step, one_by_one.first_step);
			assert_int_equal(many.last_step, one_by_one.last_step);
			assert_int_equal(many.blocks, one_by_one.blocks);
		}
}

/* Every row of some is left out because its key does not increase; the rows before it stay. */
static void test_rows_at_once_must_increase(void **unused)
{
	static const int64_t keys[] = {5, 6, 7};
	static const double values[] = {1, 2, 3};
	struct ts_builder_rows_in in = {TS_TABLE_STEPS, keys, 3, NULL, values, 1, 3};
	struct ts_builder_stats stats;
	struct fixture f;
	uint32_t col;

	(void)unused;
	begin(&f);
	col = column(&f, "x", TS_COLUMN_F64);
	in.columns = &col;
	f64_row(&f, col, 5, 0);
	assert_int_equal(ts_builder_number_rows(f.b, &in, &f.err), TS_INVALID);
	ts_builder_stats(f.b, &stats);
	assert_int_equal(stats.rows, 1);
	assert_int_equal(stats.last_step, 5);
	in.keys++;
	in.n = 2;
	assert_int_equal(ts_builder_number_rows(f.b, &in, &f.err), TS_OK);
	ts_builder_stats(f.b, &stats);
	assert_int_equal(stats.rows, 3);
	assert_int_equal(stats.last_step, 7);
	end(&f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_tables_are_columns_of_one_key_set),
		cmocka_unit_test(test_order_within_a_row_does_not_matter),
		cmocka_unit_test(test_runs_share_the_blocks_they_share),
		cmocka_unit_test(test_negative_keys_are_cut_downwards),
		cmocka_unit_test(test_keys_at_the_ends_of_int64),
		cmocka_unit_test(test_cadence_widens_blocks_and_rows_cut_them_again),
		cmocka_unit_test(test_one_key_has_log2_14),
		cmocka_unit_test(test_a_full_dictionary_cuts_the_table),
		cmocka_unit_test(test_a_dictionary_cuts_only_columns_that_stay_together),
		cmocka_unit_test(test_a_replaced_text_does_not_cut),
		cmocka_unit_test(test_texts_repeat_and_come_back),
		cmocka_unit_test(test_rows_replaced_and_refused),
		cmocka_unit_test(test_too_many_columns),
		cmocka_unit_test(test_files_are_chunks),
		cmocka_unit_test(test_every_allocation_may_fail),
		cmocka_unit_test(test_a_sink_that_fails_is_reported),
		cmocka_unit_test(test_rows_at_once_are_rows),
		cmocka_unit_test(test_rows_at_once_must_increase),
	};

	return cmocka_run_group_tests_name("builder", tests, set_up, NULL);
}
