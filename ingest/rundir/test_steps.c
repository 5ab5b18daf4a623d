/* One record, one line, one file at a time: what becomes of it, and what is said. Expected values are written by hand. */
#include "ingest/core/test_support.h"

#include "base/alloc.h"
#include "base/helper.h"
#include "ingest/rundir/range.h"
#include "ingest/rundir/steps.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#define GOOD(step) "{\"step\":" #step ",\"scalars\":{\"loss\":1.5}}\n"
#define KEPT(step) "{\"rank\":0,\"step\":" #step ",\"scalars\":{\"loss\":1.5}}\n"

/* Each row has a steps.jsonl, what is kept of it, and one notice (NULL: no notice). */
struct row {
	const char *steps;
	const char *kept;
	const char *code;
	enum ts_notice_level level;
	uint64_t line;
	uint64_t count;
};

static void check(const struct row *rows, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		struct test_run t;

		test_run_init(&t);
		test_steps(&t, rows[i].steps);
		assert_string_equal(test_jsonl(&t), rows[i].kept);
		if (rows[i].code)
			test_expect_notice(&t, rows[i].code, rows[i].level, rows[i].line, rows[i].count);
		assert_int_equal(t.result.notices.n, rows[i].code != NULL);
		test_round_trip(&t);
		t.strict = true;
		assert_int_equal(test_ingest(&t), rows[i].level == TS_NOTICE_SKIPPED ? TS_INVALID : TS_OK);
		if (t.err.status) {
			char where[64];

			(void)snprintf(where, sizeof where, "run/steps.jsonl line %d: %s", (int)rows[i].line,
				       rows[i].code);
			assert_non_null(strstr(t.err.text, where));
		}
		test_run_finish(&t);
	}
}

#define CHECK(rows) check(rows, sizeof(rows) / sizeof *(rows))

static void sections_become_columns(void **state)
{
	static const struct row rows[] = {
		{"{\"step\":3,\"timestamp\":12.5,\"phases\":{\"forward\":0.25,\"eval\":1e-3},\"scalars\":{\"loss\":2,"
		 "\"grad_norm\":0.5},\"memory\":{\"alloc\":1024.0}}\n",
		 "{\"rank\":0,\"step\":3,\"timestamp\":12.5,\"phases\":{\"eval\":0.001,\"forward\":0.25},\"scalars\":{"
		 "\"grad_norm\":0.5,\"loss\":2.0},\"memory\":{\"alloc\":1024.0}}\n",
		 NULL, 0, 0, 0},
		{"{\"step\":1,\"samples\":64,\"tokens\":8192,\"tags\":[\"warmup\", \"a,b\"],\"digests\":{\"w\":"
		 "\"00ff00FF12345678\",\"v\":\"none\"}}\n",
		 "{\"rank\":0,\"step\":1,\"digests\":{\"v\":\"none\",\"w\":\"00ff00ff12345678\"},\"samples\":64.0,\"tags\":"
		 "[\"warmup\",\"a,b\"],\"tokens\":8192.0}\n",
		 NULL, 0, 0, 0},
		{"{\"step\":1,\"a\":{\"b\":{\"c\":1},\"d\":\"x\\ny\"},\"e\":true,\"f\":false,\"g\":{},\"h.i\":2}\n",
		 "{\"rank\":0,\"step\":1,\"a\":{\"b\":{\"c\":1.0},\"d\":\"x\\ny\"},\"e\":true,\"f\":false,\"g\":{},\"h.i\":2.0"
		 "}\n",
		 NULL, 0, 0, 0},
		{"{\"step\":1,\"phases\":{},\"x\":1}\n", "{\"rank\":0,\"step\":1,\"x\":1.0}\n", NULL, 0, 0, 0},
		{"{\"step\":7}\n", "{\"rank\":0,\"step\":7}\n", NULL, 0, 0, 0},
		{"{\"step\":1,\"segment\":4,\"rank\":9}\n", "{\"rank\":0,\"step\":1,\"record.rank\":9.0,\"segment\":4.0}\n",
		 NULL, 0, 0, 0},
		{"{\"step\":1,\"phases\":{\"forward\":\"0.01\"}}\n",
		 "{\"rank\":0,\"step\":1,\"phases\":{\"forward\":\"0.01\"}}\n", NULL, 0, 0, 0},
		{"{\"step\":1,\"l\":[ 1 , \"a b\\\" ]\" , {\"k\" : null} ]}\n",
		 "{\"rank\":0,\"step\":1,\"l\":[1,\"a b\\\" ]\",{\"k\":null}]}\n", NULL, 0, 0, 0},
	};

	(void)state;
	CHECK(rows);
}

static void steps_are_integers(void **state)
{
	static const struct row rows[] = {
		{"{\"step\":5.0,\"x\":1}\n{\"step\":6e0,\"x\":1}\n",
		 "{\"rank\":0,\"step\":5,\"x\":1.0}\n{\"rank\":0,\"step\":6,\"x\":1.0}\n", NULL, 0, 0, 0},
		{"{\"x\":1,\"step\":-3}\n", "{\"rank\":0,\"step\":-3,\"x\":1.0}\n", NULL, 0, 0, 0},
		{GOOD(0) "{\"x\":1}\n" GOOD(2), KEPT(0) KEPT(2), "no_step", TS_NOTICE_SKIPPED, 2, 1},
		{GOOD(0) "{\"step\":1.5}\n{\"step\":\"2\"}\n" GOOD(2), KEPT(0) KEPT(2), "bad_step", TS_NOTICE_SKIPPED, 2, 2},
		{GOOD(0) "{\"step\":null}\n", KEPT(0), "bad_step", TS_NOTICE_SKIPPED, 2, 1},
		{GOOD(0) "{\"step\":NaN}\n", KEPT(0), "bad_step", TS_NOTICE_SKIPPED, 2, 1},
		{GOOD(0) "{\"step\":9007199254740993.0}\n", KEPT(0), "bad_step", TS_NOTICE_SKIPPED, 2, 1},
		{GOOD(0) "{\"step\":9223372036854775808}\n", KEPT(0), "bad_step", TS_NOTICE_SKIPPED, 2, 1},
		{GOOD(0) "{\"step\":[1],\"x\":2}\n" GOOD(3), KEPT(0) KEPT(3), "bad_step", TS_NOTICE_SKIPPED, 2, 1},
		{GOOD(0) "{\"step\":true}\n", KEPT(0), "bad_step", TS_NOTICE_SKIPPED, 2, 1},
	};

	(void)state;
	CHECK(rows);
}

static void steps_of_64_bits_are_exact(void **state)
{
	struct test_run t;

	(void)state;
	test_run_init(&t);
	test_steps(&t, "{\"step\":9007199254740993,\"x\":1}\n{\"step\":9223372036854775807,\"x\":2}\n");
	/* tscope prints JSON integers beyond 2^53 as strings. */
	assert_string_equal(test_jsonl(&t), "{\"rank\":0,\"step\":\"9007199254740993\",\"x\":1.0}\n"
					    "{\"rank\":0,\"step\":\"9223372036854775807\",\"x\":2.0}\n");
	test_round_trip(&t);
	test_run_finish(&t);
}

/* These are the malformed inputs of pytscope's own list, and further ones. */
static void what_is_no_record_is_counted(void **state)
{
	static const struct row rows[] = {
		{GOOD(0) "[1,2]\n" GOOD(1), KEPT(0) KEPT(1), "not_object", TS_NOTICE_SKIPPED, 2, 1},
		{GOOD(0) "\"text\"\n17\nnull\n" GOOD(1), KEPT(0) KEPT(1), "not_object", TS_NOTICE_SKIPPED, 2, 3},
		{GOOD(0) "{\"step\":1,\"x\":}\n" GOOD(2), KEPT(0) KEPT(2), "bad_json", TS_NOTICE_SKIPPED, 2, 1},
		{GOOD(0) "{\"step\":1,\n" GOOD(2), KEPT(0) KEPT(2), "bad_json", TS_NOTICE_SKIPPED, 2, 1},
		{GOOD(0) "{\"step\":1,\"name\":\"\xff\xfe\"}\n" GOOD(2), KEPT(0) KEPT(2), "bad_utf8", TS_NOTICE_SKIPPED, 2, 1},
		{GOOD(0) "{\"step\":1,\"na\xc3\":2}\n" GOOD(2), KEPT(0) KEPT(2), "bad_utf8", TS_NOTICE_SKIPPED, 2, 1},
		{GOOD(0) "{\"step\":20,\"pha", KEPT(0), "cut_line", TS_NOTICE_SKIPPED, 2, 1},
		{GOOD(0) "{\"step\":20,\"pha\n", KEPT(0), "cut_line", TS_NOTICE_SKIPPED, 2, 1},
		{GOOD(0) "{\"step\":20,\"scalars\":{\"loss\":0.5", KEPT(0), "cut_line", TS_NOTICE_SKIPPED, 2, 1},
		{GOOD(0) "{\"step\":20,\"x\":1}]\n",
		 KEPT(0) "{\"rank\":0,\"step\":20,\"x\":1.0}\n", "bad_json", TS_NOTICE_SKIPPED, 2, 1},
		{GOOD(0) "{\"step\":1,\"x\":01}\n" GOOD(2), KEPT(0) KEPT(2), "bad_json", TS_NOTICE_SKIPPED, 2, 1},
	};

	(void)state;
	CHECK(rows);
}

static void blank_lines_and_line_ends_are_fine(void **state)
{
	static const struct row rows[] = {
		{"\n\n" GOOD(0) "   \n\t\n" GOOD(1) "\n", KEPT(0) KEPT(1), NULL, 0, 0, 0},
		{"{\"step\":0,\"x\":1}\r\n{\"step\":1,\"x\":2}\r\n{\"step\":2,\"x\":3}",
		 "{\"rank\":0,\"step\":0,\"x\":1.0}\n{\"rank\":0,\"step\":1,\"x\":2.0}\n{\"rank\":0,\"step\":2,\"x\":3.0}\n",
		 NULL, 0, 0, 0},
		{"\xEF\xBB\xBF" GOOD(0) GOOD(1), KEPT(0) KEPT(1), "bom", TS_NOTICE_INFO, 1, 1},
		{"", "", "no_steps", TS_NOTICE_INFO, 0, 1},
		{"\n\n", "", "no_steps", TS_NOTICE_INFO, 0, 1},
	};

	(void)state;
	CHECK(rows);
}

static void odd_values_are_kept_and_said(void **state)
{
	static const struct row rows[] = {
		{"{\"step\":0,\"scalars\":{\"loss\":null,\"lr\":0.1}}\n", "{\"rank\":0,\"step\":0,\"scalars\":{\"lr\":0.1}}\n",
		 "null_value", TS_NOTICE_INFO, 1, 1},
		{"{\"step\":0,\"phases\":{\"forward\":-0.2286}}\n",
		 "{\"rank\":0,\"step\":0,\"phases\":{\"forward\":-0.2286}}\n", "negative_phase", TS_NOTICE_INFO, 1, 1},
		{"{\"step\":0,\"phases\":null,\"x\":1}\n", "{\"rank\":0,\"step\":0,\"x\":1.0}\n", "null_section",
		 TS_NOTICE_INFO, 1, 1},
		{"{\"step\":0,\"phases\":[1,2],\"memory\":3,\"scalars\":\"s\",\"x\":1}\n",
		 "{\"rank\":0,\"step\":0,\"x\":1.0}\n", "bad_section", TS_NOTICE_SKIPPED, 1, 3},
		{"{\"step\":0,\"x\":1,\"x\":\"two\"}\n", "{\"rank\":0,\"step\":0,\"x\":\"two\"}\n", "duplicate_key",
		 TS_NOTICE_INFO, 1, 1},
		{"{\"step\":0,\"a\":{\"b\":1},\"a\":{\"c\":2}}\n", "{\"rank\":0,\"step\":0,\"a\":{\"c\":2.0}}\n",
		 "duplicate_key", TS_NOTICE_INFO, 1, 1},
		{"{\"step\":0,\"step\":4,\"x\":1}\n", "{\"rank\":0,\"step\":4,\"x\":1.0}\n", "duplicate_key", TS_NOTICE_INFO,
		 1, 1},
		{"{\"step\":0,\"id\":9007199254740993,\"even\":9007199254740994}\n",
		 "{\"rank\":0,\"step\":0,\"even\":9007199254740994.0,\"id\":9007199254740993}\n", "big_integer",
		 TS_NOTICE_INFO, 1, 1},
		{"{\"step\":0,\"\":1,\"x\":{\"\":2}}\n", "{\"rank\":0,\"step\":0,\"x\":{\"\":2.0}}\n", "empty_key",
		 TS_NOTICE_SKIPPED, 1, 1},
	};

	(void)state;
	CHECK(rows);
}

static void big_doubles_print_as_doubles(void **state)
{
	struct test_run t;

	(void)state;
	test_run_init(&t);
	/* 10^20 is exactly a double; 10^400 is beyond the range of doubles. */
	test_steps(&t, "{\"step\":0,\"a\":100000000000000000000,\"b\":1e400}\n");
	assert_string_equal(test_jsonl(&t), "{\"rank\":0,\"step\":0,\"a\":1e+20,\"b\":\"Infinity\"}\n");
	assert_int_equal(t.result.notices.n, 0);
	test_round_trip(&t);
	test_run_finish(&t);
}

static void non_finite_numbers_are_values(void **state)
{
	static const struct row rows[] = {
		{GOOD(0) "{\"step\":1,\"scalars\":{\"loss\":NaN}}\n{\"step\":2,\"scalars\":{\"loss\":Infinity}}\n"
			 "{\"step\":3,\"scalars\":{\"loss\":-Infinity}}\n{\"step\":4,\"phases\":{\"f\":NaN}}\n",
		 KEPT(0) "{\"rank\":0,\"step\":1,\"scalars\":{\"loss\":\"NaN\"}}\n{\"rank\":0,\"step\":2,\"scalars\":{\"loss\":"
			 "\"Infinity\"}}\n{\"rank\":0,\"step\":3,\"scalars\":{\"loss\":\"-Infinity\"}}\n{\"rank\":0,\"step\":4,"
			 "\"phases\":{\"f\":\"NaN\"}}\n",
		 NULL, 0, 0, 0},
	};

	(void)state;
	CHECK(rows);
}

static void records_on_one_line(void **state)
{
	static const struct row rows[] = {
		{GOOD(0) "{\"step\":1,\"x\":1}{\"step\":2,\"x\":2} {\"step\":3,\"x\":3}\n" GOOD(4),
		 KEPT(0) "{\"rank\":0,\"step\":1,\"x\":1.0}\n{\"rank\":0,\"step\":2,\"x\":2.0}\n{\"rank\":0,\"step\":3,\"x\":"
			 "3.0}\n" KEPT(4),
		 "glued_records", TS_NOTICE_INFO, 2, 1},
		/* A crash cut a record, and the restarted process went on writing behind it. */
		{GOOD(0) "{\"step\":1,\"pha{\"step\":2,\"x\":2}\n", KEPT(0) "{\"rank\":0,\"step\":2,\"x\":2.0}\n", "bad_json",
		 TS_NOTICE_SKIPPED, 2, 1},
		{GOOD(0) "{\"step\":1,\"x\":0.5{\"step\":2,\"x\":2}\n", KEPT(0) "{\"rank\":0,\"step\":2,\"x\":2.0}\n",
		 "bad_json", TS_NOTICE_SKIPPED, 2, 1},
		{GOOD(0) "{\"step\":1,{\"step\":2,\"x\":2}\n", KEPT(0) "{\"rank\":0,\"step\":2,\"x\":2.0}\n", "bad_json",
		 TS_NOTICE_SKIPPED, 2, 1},
		{GOOD(0) "{\"step\":1,\"a\":{\"b\":1}{\"step\":2,\"x\":2}\n", KEPT(0) "{\"rank\":0,\"step\":2,\"x\":2.0}\n",
		 "bad_json", TS_NOTICE_SKIPPED, 2, 1},
		/* An object inside a record that was cut is not a record. */
		{GOOD(0) "{\"step\":1,\"sub\":{\"step\":7,\"a\":1}\n" GOOD(2), KEPT(0) KEPT(2), "bad_json", TS_NOTICE_SKIPPED,
		 2, 1},
	};

	(void)state;
	CHECK(rows);
}

static void zero_bytes_of_a_crash(void **state)
{
	static const char steps[] = GOOD(0) "\0\0\0\0" GOOD(1) "{\"step\":2,\"x\":1\0\0\0{\"step\":3,\"x\":3}\n\0\0\0\0\0";
	struct test_run t;

	(void)state;
	test_run_init(&t);
	test_write_bytes(&t, "run/steps.jsonl", steps, sizeof steps - 1);
	assert_int_equal(test_ingest(&t), TS_OK);
	assert_string_equal(test_jsonl(&t), KEPT(0) KEPT(1) "{\"rank\":0,\"step\":3,\"x\":3.0}\n");
	test_expect_notice(&t, "nul_bytes", TS_NOTICE_SKIPPED, 2, 3);
	assert_int_equal(t.result.notices.n, 1);
	test_run_finish(&t);
}

static void deep_nesting_is_refused(void **state)
{
	struct ts_buf buf = TS_BUF_INIT(1 << 20);
	struct test_run t;

	(void)state;
	test_run_init(&t);
	ts_buf_str(&buf, GOOD(0) "{\"step\":1,\"x\":");
	for (int i = 0; i < 100000; i++)
		ts_buf_char(&buf, '[');
	ts_buf_str(&buf, "\n" GOOD(2));
	test_write_bytes(&t, "run/steps.jsonl", buf.data, buf.len);
	ts_buf_finish(&buf);
	assert_int_equal(test_ingest(&t), TS_OK);
	assert_string_equal(test_jsonl(&t), KEPT(0) KEPT(2));
	test_expect_notice(&t, "bad_json", TS_NOTICE_SKIPPED, 2, 1);
	test_run_finish(&t);
}

static void put_many(struct ts_buf *buf, char c, size_t n)
{
	for (size_t i = 0; i < n; i++)
		ts_buf_char(buf, c);
}

static void long_things_are_left_out(void **state)
{
	struct ts_buf buf = TS_BUF_INIT(64 << 20);
	struct test_run t;

	(void)state;
	test_run_init(&t);
	ts_buf_str(&buf, GOOD(0) "{\"step\":1,\"t\":\"");
	put_many(&buf, 'a', 65537);
	ts_buf_str(&buf, "\"}\n{\"step\":2,\"t\":\"");
	put_many(&buf, 'b', 65536);
	ts_buf_str(&buf, "\"}\n{\"step\":3,\"");
	put_many(&buf, 'k', 600);
	ts_buf_str(&buf, "\":1,\"x\":1}\n{\"step\":4,\"y\":\"");
	put_many(&buf, 'y', TS_LINE_MAX);
	ts_buf_str(&buf, "\"}\n" GOOD(5));
	test_write_bytes(&t, "run/steps.jsonl", buf.data, buf.len);
	ts_buf_finish(&buf);
	assert_int_equal(test_ingest(&t), TS_OK);
	test_expect_notice(&t, "long_text", TS_NOTICE_SKIPPED, 2, 1);
	test_expect_notice(&t, "long_key", TS_NOTICE_SKIPPED, 4, 1);
	test_expect_notice(&t, "long_line", TS_NOTICE_SKIPPED, 5, 1);
	assert_int_equal(t.result.rows, 4); /* the steps 0, 2, 3 and 5 */
	assert_non_null(strstr(test_jsonl(&t), "{\"rank\":0,\"step\":3,\"x\":1.0}\n" KEPT(5)));
	test_round_trip(&t);
	test_run_finish(&t);
}

static void more_columns_than_there_are(void **state)
{
	struct ts_buf buf = TS_BUF_INIT(64 << 20);
	struct test_run t;

	(void)state;
	test_run_init(&t);
	for (int step = 0; step < 2; step++) {
		ts_buf_printf(&buf, "{\"step\":%d", step);
		for (int i = 0; i < 16388; i++)
			ts_buf_printf(&buf, ",\"c%d\":%d", i, i);
		ts_buf_str(&buf, "}\n");
	}
	test_write_bytes(&t, "run/steps.jsonl", buf.data, buf.len);
	ts_buf_finish(&buf);
	assert_int_equal(test_ingest(&t), TS_OK);
	test_expect_notice(&t, "too_many_columns", TS_NOTICE_SKIPPED, 1, 1);
	assert_non_null(strstr((const char *)test_notice(&t, "too_many_columns")->detail.data, "14 values"));
	assert_null(strstr(test_jsonl(&t), "\"c16381\":"));
	assert_non_null(strstr(t.text, "\"c16380\":"));
	test_round_trip(&t);
	test_run_finish(&t);
}

/* Rows with the columns of the row before go a shorter way; whatever interrupts them must not. */
static void rows_alike_and_between(void **state)
{
	struct test_run t;

	(void)state;
	test_run_init(&t);
	test_steps(&t, "{\"step\":0,\"a\":1,\"b\":2}\n{\"step\":1,\"a\":3,\"b\":4}\n{\"step\":1,\"b\":5,\"c\":6}\n"
		       "{\"step\":2,\"a\":7,\"b\":8}\n{\"step\":3,\"b\":9,\"a\":10}\n{\"step\":4,\"b\":11,\"a\":12}\n"
		       "{\"step\":4,\"a\":\"x\"}\n{\"step\":5,\"b\":\"y\",\"a\":13}\n{\"step\":6,\"b\":14,\"a\":15}\n");
	assert_string_equal(test_jsonl(&t), "{\"rank\":0,\"step\":0,\"a\":1.0,\"b\":2.0}\n"
					    "{\"rank\":0,\"step\":1,\"a\":3.0,\"b\":5.0,\"c\":6.0}\n"
					    "{\"rank\":0,\"step\":2,\"a\":7.0,\"b\":8.0}\n"
					    "{\"rank\":0,\"step\":3,\"a\":10.0,\"b\":9.0}\n"
					    "{\"rank\":0,\"step\":4,\"a\":12.0,\"b\":11.0}\n"
					    "{\"rank\":0,\"step\":5,\"a\":13.0,\"b\":\"y\"}\n"
					    "{\"rank\":0,\"step\":6,\"a\":15.0,\"b\":14.0}\n");
	test_expect_notice(&t, "repeated_value", TS_NOTICE_SKIPPED, 3, 1);
	assert_non_null(strstr((const char *)test_notice(&t, "repeated_value")->detail.data, "2 values"));
	test_round_trip(&t);
	test_run_finish(&t);
}

static void declared_precision_is_kept(void **state)
{
	struct test_run t;
	struct ts_index index;
	const struct ts_column *column;

	(void)state;
	test_run_init(&t);
	test_write(&t, "run/facts.json", "{\"columns\":{\"scalars.loss\":{\"precision\":\"f32\"},\"memory.alloc\":{"
					 "\"precision\":4}}}");
	test_steps(&t, "{\"step\":0,\"scalars\":{\"loss\":1,\"lr\":2},\"memory\":{\"alloc\":1}}\n");
	test_index(&t, 0, &index);
	column = ts_index_column(&index, TS_TABLE_STEPS, ts_span_str("scalars.loss"), 0, NULL);
	assert_int_equal(column->precision, TS_PRECISION_F32);
	column = ts_index_column(&index, TS_TABLE_STEPS, ts_span_str("scalars.lr"), 0, NULL);
	assert_int_equal(column->precision, TS_PRECISION_F64);
	column = ts_index_column(&index, TS_TABLE_STEPS, ts_span_str("memory.alloc"), 0, NULL);
	assert_int_equal(column->precision, TS_PRECISION_DECIMALS);
	assert_int_equal(column->digits, 4);
	test_round_trip(&t);
	test_run_finish(&t);
}

/* The window is smaller than a line, or ends inside every kind of line. */
static void any_window_gives_the_same(void **state)
{
	static const char steps[] = "\xEF\xBB\xBF" GOOD(0) "\n" GOOD(1) "{\"step\":2,\"pha{\"step\":3,\"t\":\"a\\u00e4b\"}\r\n"
				    "{\"step\":4,\"x\":1}{\"step\":5,\"x\":2}\n" GOOD(6) GOOD(7) "{\"step\":8,\"l\":[1, 2]}";
	struct ts_id first = {{0}};

	(void)state;
	for (size_t window = 1; window < 200; window++) {
		struct test_objects objects = {0};
		struct ts_sink_count sink = {.sink = test_objects_sink, .ctx = &objects};
		struct ts_arena arena;
		struct ts_notices notices = {.arena = &arena};
		struct ts_steps_input input = {.source = {.fd = -1,
							  .memory = ts_span_of(steps, sizeof steps - 1),
							  .size = sizeof steps - 1,
							  .name = ts_span_str("s")},
					       .notices = &notices,
					       .sink = &sink,
					       .window = window};
		struct ts_facts none = {0};
		struct ts_builder *b;
		struct ts_error err;
		uint64_t segments;
		struct ts_id id;

		ts_arena_init(&arena, 0);
		assert_int_equal(ts_digest_init(&err), TS_OK);
		assert_int_equal(ts_steps_read(&input, &b, &segments, &err), TS_OK);
		assert_int_equal(ts_builder_finish(b, &none, &id, &err), TS_OK);
		assert_int_equal(segments, 1);
		assert_int_equal(notices.n, 3); /* bom, bad_json and glued_records */
		if (window == 1)
			first = id;
		assert_memory_equal(id.bytes, first.bytes, TS_ID_BYTES);
		ts_builder_destroy(b);
		ts_arena_finish(&arena);
		test_objects_finish(&objects);
	}
}

/* --- with a helper and without --- */

struct read {
	struct ts_id id;
	struct ts_notices notices;
	struct ts_arena arena;
	uint64_t segments;
};

static void read_with(int helpers, size_t window, struct ts_span steps, struct read *ret)
{
	struct test_objects objects = {0};
	struct ts_sink_count sink = {.sink = test_objects_sink, .ctx = &objects};
	struct ts_steps_input input = {.source = {.fd = -1, .memory = steps, .size = steps.len, .name = ts_span_str("s")},
				       .notices = &ret->notices,
				       .sink = &sink,
				       .window = window};
	struct ts_facts none = {0};
	struct ts_builder *b;
	struct ts_error err;

	*ret = (struct read){.segments = 0};
	ts_arena_init(&ret->arena, 0);
	ret->notices.arena = &ret->arena;
	ts_helpers_allow(helpers);
	assert_int_equal(ts_digest_init(&err), TS_OK);
	assert_int_equal(ts_steps_read(&input, &b, &ret->segments, &err), TS_OK);
	assert_int_equal(ts_builder_finish(b, &none, &ret->id, &err), TS_OK);
	ts_helpers_allow(-1);
	ts_builder_destroy(b);
	test_objects_finish(&objects);
}

static void expect_same_read(const struct read *a, const struct read *b)
{
	assert_memory_equal(a->id.bytes, b->id.bytes, TS_ID_BYTES);
	assert_int_equal(a->segments, b->segments);
	assert_int_equal(a->notices.n, b->notices.n);
	for (size_t i = 0; i < a->notices.n; i++) {
		assert_string_equal(a->notices.items[i].code, b->notices.items[i].code);
		assert_int_equal(a->notices.items[i].count, b->notices.items[i].count);
		assert_int_equal(a->notices.items[i].line, b->notices.items[i].line);
		assert_true(ts_span_eq(a->notices.items[i].detail, b->notices.items[i].detail));
	}
}

/* Writes many more records than are read before a helper is asked for, with odd ones between them, and restarts if they go back. */
static void put_long_file(struct ts_buf *buf, uint64_t seed, bool restarts)
{
	static const char *const odd[] = {"", "not JSON", "{\"step\":1,\"scalars\":", "[1]", "{\"loss\":2}", "\"text\""};
	int64_t step = 0;

	for (int i = 0; i < 12000; i++) {
		uint64_t random = seed = seed * UINT64_C(6364136223846793005) + 1442695040888963407;

		random >>= 33;
		step += 1 + (random % 7 == 0);
		if (restarts && random % 4001 == 0)
			step -= 50;
		ts_buf_printf(buf, "{\"step\":%" PRId64 ",\"scalars\":{\"loss\":%.17g,\"lr\":0.125}", step, (double)random / 1e9);
		if (random % 11 == 0)
			ts_buf_str(buf, ",\"memory\":{\"alloc\":4096.0}");
		if (random % 1500 == 1)
			ts_buf_str(buf, ",\"note\":\"a text\"");
		ts_buf_str(buf, random % 1700 == 2 ? "} " : "}\n");
		if (random % 1300 == 3)
			ts_buf_printf(buf, "%s\n", odd[random % 6]);
		if (random % 2500 == 4)
			ts_buf_printf(buf, "{\"step\":%" PRId64 ",\"scalars\":{\"eval\":1.5}}\n", step);
	}
}

static void a_helper_changes_nothing(void **state)
{
	(void)state;
	for (uint64_t seed = 1; seed <= 6; seed++) {
		struct ts_buf steps = TS_BUF_INIT(64 << 20);
		struct read alone, helped, narrow;

		put_long_file(&steps, seed, seed % 2 == 0);
		read_with(0, 0, ts_buf_view(&steps), &alone);
		read_with(1, 0, ts_buf_view(&steps), &helped);
		read_with(1, 1000, ts_buf_view(&steps), &narrow);
		assert_true(alone.notices.n >= 3);
		assert_int_equal(alone.segments > 1, seed % 2 == 0);
		expect_same_read(&alone, &helped);
		expect_same_read(&alone, &narrow);
		ts_arena_finish(&alone.arena);
		ts_arena_finish(&helped.arena);
		ts_arena_finish(&narrow.arena);
		ts_buf_finish(&steps);
	}
}

/* --- stretches of alike records --- */

struct way {
	int helpers;
	size_t window, piece;
	bool singly;
};

/* Reads what the source holds, and expects that all of it is told as progress. */
static enum ts_status read_by(const struct way *way, const struct ts_source *source, struct read *ret, struct ts_error *ret_err)
{
	struct test_objects objects = {0};
	struct ts_sink_count sink = {.sink = test_objects_sink, .ctx = &objects};
	struct ts_read_progress progress = {.done = 0};
	struct ts_steps_input input = {.source = *source,
				       .notices = &ret->notices,
				       .sink = &sink,
				       .window = way->window,
				       .piece = way->piece,
				       .singly = way->singly};
	struct ts_facts none = {0};
	struct ts_builder *b;
	struct ts_error err;
	enum ts_status status;

	*ret = (struct read){.segments = 0};
	ts_arena_init(&ret->arena, 0);
	ret->notices.arena = &ret->arena;
	input.source.progress = &progress;
	ts_helpers_allow(way->helpers);
	assert_int_equal(ts_digest_init(&err), TS_OK);
	status = ts_steps_read(&input, &b, &ret->segments, ret_err);
	ts_helpers_allow(-1);
	if (!status) {
		assert_int_equal(ts_builder_finish(b, &none, &ret->id, &err), TS_OK);
		assert_true(progress.done == source->size || ret->segments > 1);
		ts_builder_destroy(b);
	}
	test_objects_finish(&objects);
	return status;
}

static void expect_every_way(const struct ts_source *source)
{
	static const struct way ways[] = {{0, 0, 0, false},    {1, 0, 0, false},    {1, 1000, 200, false}, {0, 700, 1000, false},
					  {1, 0, 5000, false}, {1, 5000, 37, false}, {1, 0, 0, true}};
	struct ts_error alone_err, err;
	struct read alone, other;
	enum ts_status status = read_by(&(struct way){0, 0, 0, true}, source, &alone, &alone_err);

	for (size_t i = 0; i < sizeof ways / sizeof ways[0]; i++) {
		assert_int_equal(read_by(&ways[i], source, &other, &err), status);
		if (status)
			assert_string_equal(err.text, alone_err.text);
		else
			expect_same_read(&alone, &other);
		ts_arena_finish(&other.arena);
	}
	ts_arena_finish(&alone.arena);
}

/* Appends a number; mostly one that a stretch goes on with. */
static void put_value(struct ts_buf *buf, uint64_t *random, bool odd)
{
	static const char *const words[] = {"NaN", "-Infinity", "Infinity", "1e5", "0", "-0", "-0.0", "1e999", "9007199254740992",
					    "9007199254740993", "12345678901234567890123", "0.1000000000000000055511151231257827",
					    "1E-7", "-3", "4.9e-324", "null", "\"7\"", "01", "1.", "-", "[1]", "0.30000000000000004"};
	uint64_t r = test_random(random);

	if (odd)
		ts_buf_str(buf, words[(r >> 8) % (sizeof words / sizeof words[0])]);
	else if (r % 64 == 0) /* begins like the value that is repeated */
		ts_buf_printf(buf, "9663676416.0%d", (int)(r >> 60));
	else if (r % 4 == 0)
		ts_buf_str(buf, "9663676416.0");
	else if (r % 4 == 1)
		ts_buf_printf(buf, "%d", (int)(r >> 40));
	else
		ts_buf_printf(buf, "%.*g", (int)(1 + (r >> 8) % 17), (double)(r >> 11) * 1e-14);
}

static void put_alike(struct ts_buf *buf, uint64_t *random, int64_t step, unsigned odd)
{
	ts_buf_printf(buf, odd == 1 ? "{\"step\": %" PRId64 : "{\"step\":%" PRId64, step);
	ts_buf_str(buf, ",\"phases\":{\"data\":");
	put_value(buf, random, odd == 2);
	ts_buf_str(buf, "},\"scalars\":{\"loss\":");
	put_value(buf, random, odd == 3);
	ts_buf_str(buf, odd == 4 ? ",\"lr\":0.5,\"n\":" : ",\"n\":");
	put_value(buf, random, false);
	ts_buf_str(buf, odd == 5 ? "}" : "}}");
	ts_buf_str(buf, odd == 6 ? "\r\n" : odd == 7 ? " \n" : odd == 8 ? "\n\n" : odd == 9 ? "" : "\n");
}

/* Writes records that are alike for as long as a stretch takes to begin and to go through some pieces. Then comes something odd:
 * in a line (put_alike, or a byte that is changed), between lines, or in the order of the steps. */
static void put_alike_file(struct ts_buf *buf, uint64_t seed, bool restarts)
{
	uint64_t random = seed;
	int64_t step = -100;

	for (int i = 0; i < 9000; i++) {
		uint64_t r = test_random(&random);
		bool now = i > 1100 && r % (seed % 3 ? 700 : 40) == 0;
		/* Record 1,024 is the last one that is read by itself; it may have the next one on its line. */
		unsigned odd = i == 1023 && seed % 2 ? 9 : now ? (unsigned)(r >> 20) % 24 : 0;
		size_t from = buf->len;

		step += odd > 18 ? 0 : odd == 17 && restarts ? -3000 : odd > 15 && restarts ? -20 : 1;
		step += seed % 2 && r % 90 == 0 ? 20000 : 0;
		put_alike(buf, &random, step, odd);
		if (odd == 12)
			buf->data[from + (r >> 32) % (buf->len - from)] = (uint8_t)(r >> 24);
		if (odd == 13)
			ts_buf_str(buf, "not JSON\n");
		if (odd == 14)
			ts_buf_printf(buf, "{\"step\":%" PRId64 ",\"scalars\":{\"eval\":2}}\n", step);
		if (odd == 10 && seed % 4 == 2) {
			ts_buf_printf(buf, "{\"step\":%" PRId64 ",\"phases\":{\"data\":0.", ++step);
			put_many(buf, '1', 20000); /* more than is read behind a piece */
			ts_buf_str(buf, "},\"scalars\":{\"loss\":1,\"n\":2}}\n");
		}
	}
	if (seed % 4 == 1)
		buf->len -= 1 + seed % 7; /* the last line is cut, or has no end */
}

static void a_stretch_changes_nothing(void **state)
{
	(void)state;
	for (uint64_t seed = 1; seed <= 12; seed++) {
		struct ts_buf steps = TS_BUF_INIT(64 << 20);
		struct ts_source source = {.fd = -1, .name = ts_span_str("s"), .path = ts_span_str("run/s")};

		put_alike_file(&steps, seed, seed % 4 == 0);
		source.memory = ts_buf_view(&steps);
		source.size = steps.len;
		expect_every_way(&source);
		ts_buf_finish(&steps);
	}
}

/* Compares what a line reader makes of the text with what the general parser says of it. */
static bool line_agrees(const struct ts_line *line, struct ts_kept *kept, struct ts_span text, struct ts_record *general)
{
	double values[TS_LINE_NUMBERS];
	struct ts_outcome out;
	struct ts_error err;
	int64_t step = 0;
	size_t n = ts_line_take(line, kept, text, &step, values, 1);

	if (n == 0)
		return false;
	assert_int_equal(ts_record_parse(general, text, &out, &err), TS_OK);
	assert_null(out.rejected);
	assert_int_equal(n, text.len);
	assert_in_range(text.len - out.used, 1, 2);
	for (size_t k = 0; k < TS_ODDITIES; k++)
		assert_int_equal(out.odd[k], 0);
	assert_int_equal(step, general->step);
	assert_int_equal(line->numbers, general->n);
	for (size_t i = 0; i < general->n; i++) {
		assert_int_equal(general->cells[i].type, TS_COLUMN_F64);
		assert_memory_equal(&values[i], &general->cells[i].real, sizeof values[i]);
	}
	return true;
}

/* Any byte of a line is replaced by any other, with the numbers of the line before remembered. */
static void every_byte_of_a_line_counts(void **state)
{
	static const char good[] = "{\"timestamp\":1795167217.5,\"step\":1234,\"phases\":{\"a\":0.25,\"a somewhat longer name\":1},"
				   "\"memory\":{\"n\":9007199254740991,\"x\":-0.1234567890123456789}}\n";
	static const char least[] = "{\"timestamp\":1,\"step\":2,\"phases\":{\"a\":3,\"a somewhat longer name\":4},"
				    "\"memory\":{\"n\":5,\"x\":6}}\n";
	struct ts_record learned, general;
	struct ts_outcome out;
	struct ts_error err;
	struct ts_line line;
	uint32_t keys[TS_LINE_NUMBERS] = {0};
	size_t taken = 0;

	(void)state;
	assert_int_equal(ts_record_init(&learned, TS_RECORD_STEP, &err), TS_OK);
	assert_int_equal(ts_record_init(&general, TS_RECORD_STEP, &err), TS_OK);
	assert_int_equal(ts_record_parse(&learned, ts_span_str(good), &out, &err), TS_OK);
	ts_record_learn(&learned, ts_span_str(good), out.used);
	for (size_t i = 0; i < learned.n; i++)
		keys[i] = learned.cells[i].key;
	assert_false(ts_record_line(&learned, ts_span_str(good), keys, learned.n - 1, &line));
	assert_true(ts_record_line(&learned, ts_span_str(good), keys, learned.n, &line));
	assert_int_equal(line.least, sizeof least - 1);
	assert_true(line_agrees(&line, (struct ts_kept[TS_LINE_NUMBERS]){{.len = 0}}, ts_span_str(least), &general));
	assert_false(ts_record_line(&learned, ts_span_str(good), keys, learned.n + 1, &line));
	for (size_t at = 0; at < sizeof good - 1; at++)
		for (int byte = 0; byte < 256; byte++) {
			struct ts_kept kept[TS_LINE_NUMBERS] = {{.len = 0}};
			char text[sizeof good];

			assert_true(line_agrees(&line, kept, ts_span_str(good), &general));
			memcpy(text, good, sizeof good);
			text[at] = (char)byte;
			taken += line_agrees(&line, kept, ts_span_of(text, sizeof good - 1), &general);
			assert_true(line_agrees(&line, kept, ts_span_str(good), &general));
			if (byte > 127 && byte < 250)
				byte += 9;
		}
	assert_in_range(taken, 300, 2000);
	/* No part of the line is one, and neither is another order of its keys. */
	for (size_t n = 0; n + 1 < sizeof good; n++)
		assert_false(line_agrees(&line, (struct ts_kept[TS_LINE_NUMBERS]){{.len = 0}}, ts_span_of(good, n), &general));
	keys[0] = keys[1];
	assert_false(ts_record_line(&learned, ts_span_str(good), keys, learned.n, &line));
	ts_record_finish(&learned);
	ts_record_finish(&general);
}

/* The file ends before the size that it had when it was opened. */
static void a_file_that_shrinks(void **state)
{
	FILE *file = tmpfile();
	struct ts_buf steps = TS_BUF_INIT(64 << 20);
	uint64_t random = 3;
	struct ts_source source = {.name = ts_span_str("s"), .path = ts_span_str("run/s")};

	(void)state;
	assert_non_null(file);
	for (int i = 0; i < 40000; i++)
		put_alike(&steps, &random, i, 0);
	assert_int_equal(fwrite(steps.data, 1, steps.len, file), steps.len);
	assert_int_equal(fflush(file), 0);
	source.fd = fileno(file);
	source.size = steps.len;
	expect_every_way(&source);
	source.size = steps.len + 5000;
	expect_every_way(&source);
	ts_buf_finish(&steps);
	(void)fclose(file);
}

static bool stops(void *ctx, uint64_t done, uint64_t total)
{
	(void)total;
	*(uint64_t *)ctx = done;
	return done < 2000000;
}

static void a_stretch_can_be_stopped(void **state)
{
	struct ts_buf steps = TS_BUF_INIT(64 << 20);
	struct ts_sink_count sink = {.sink = test_objects_sink, .ctx = &(struct test_objects){0}};
	uint64_t random = 3, told = 0;
	struct ts_read_progress progress = {.tell = stops, .ctx = &told};
	struct ts_steps_input input = {.source = {.fd = -1, .name = ts_span_str("s"), .progress = &progress}, .sink = &sink};
	struct ts_builder *b;
	struct ts_error err;
	uint64_t segments;

	(void)state;
	for (int i = 0; i < 120000; i++)
		put_alike(&steps, &random, i, 0);
	input.source.memory = ts_buf_view(&steps);
	input.source.size = steps.len;
	assert_int_equal(ts_digest_init(&err), TS_OK);
	assert_int_equal(ts_steps_read(&input, &b, &segments, &err), TS_CANCELLED);
	assert_in_range(told, 4 << 20, 5 << 20); /* progress is told every 4 MiB */
	test_objects_finish(sink.ctx);
	ts_buf_finish(&steps);
}

/* --- the fast path against the general one --- */

static void put_number(struct ts_buf *buf, uint64_t *random)
{
	static const char *const odd[] = {"NaN", "-Infinity", "Infinity", "01", "1.", "-", "1e5", "0", "-0", "-0.0", "1e999",
					  "9007199254740992", "9007199254740993", "123456789012345678901", "null", "\"7\"",
					  "1E-7", "0.1", "-3", "true"};
	uint64_t r = test_random(random);

	if (r % 8 == 0)
		ts_buf_str(buf, odd[(r >> 8) % (sizeof odd / sizeof odd[0])]);
	else if (r % 8 < 4)
		ts_buf_printf(buf, "%" PRId64, r >> 40);
	else
		ts_buf_printf(buf, "%.*g", (int)(1 + (r >> 8) % 17), (double)(r >> 11) * 1e-14);
}

static void put_line(struct ts_buf *buf, uint64_t *random)
{
	static const char *const keys[] = {",\"timestamp\":", ",\"phases\":{\"data\":", ",\"forward\":",
					   "},\"scalars\":{\"loss\":", ",\"lr\":", "},\"x\":"};
	uint64_t r = test_random(random);
	size_t from = buf->len;

	ts_buf_printf(buf, r % 16 ? "{\"step\":%d" : "{\"step\": %d", (int)(r >> 40) % 1000);
	for (size_t i = 0; i < 6; i++) {
		if (i == 4 && (r >> 20) % 3)
			continue;
		ts_buf_str(buf, keys[i]);
		put_number(buf, random);
	}
	ts_buf_str(buf, (r >> 5) % 16 ? "}" : "}}");
	if ((r >> 8) % 8 == 0)
		buf->data[from + (r >> 32) % (buf->len - from)] = (uint8_t)(r >> 16);
	ts_buf_char(buf, '\n');
}

static void expect_same_cells(const struct ts_record *a, const struct ts_record *b)
{
	size_t k = 0;

	assert_int_equal(a->step, b->step);
	for (size_t i = 0; i < b->n; i++) {
		struct ts_buf pa = TS_BUF_INIT(4096), pb = TS_BUF_INIT(4096);

		if (!b->cells[i].type)
			continue;
		assert_true(k < a->n);
		ts_keys_path(&a->keys, a->cells[k].key, &pa);
		ts_keys_path(&b->keys, b->cells[i].key, &pb);
		assert_true(ts_span_eq(ts_buf_view(&pa), ts_buf_view(&pb)));
		assert_int_equal(a->cells[k].type, b->cells[i].type);
		assert_int_equal(a->cells[k].word, b->cells[i].word);
		ts_buf_finish(&pa);
		ts_buf_finish(&pb);
		k++;
	}
	assert_int_equal(k, a->n);
}

static void fast_and_general_agree(void **state)
{
	struct ts_record fast, general;
	uint64_t random = 20261120;
	size_t taken = 0;
	struct ts_error err;

	(void)state;
	assert_int_equal(ts_record_init(&fast, TS_RECORD_STEP, &err), TS_OK);
	assert_int_equal(ts_record_init(&general, TS_RECORD_STEP, &err), TS_OK);
	for (int i = 0; i < 60000; i++) {
		struct ts_buf line = TS_BUF_INIT(1 << 16);
		struct ts_outcome out;
		struct ts_span text;
		size_t n;

		put_line(&line, &random);
		text = ts_buf_view(&line);
		assert_int_equal(ts_record_parse(&general, text, &out, &err), TS_OK);
		n = ts_record_fast(&fast, text);
		if (n) {
			taken++;
			assert_null(out.rejected);
			assert_int_equal(n, text.len);
			assert_int_equal(out.used, text.len - 1);
			for (size_t k = 0; k < TS_ODDITIES; k++)
				assert_int_equal(out.odd[k], 0);
			expect_same_cells(&fast, &general);
		} else {
			assert_int_equal(ts_record_parse(&fast, text, &out, &err), TS_OK);
			if (!out.rejected)
				ts_record_learn(&fast, text, out.used);
		}
		ts_buf_finish(&line);
	}
	assert_in_range(taken, 15000, 55000); /* the fast and the general parser were both used */
	ts_record_finish(&fast);
	ts_record_finish(&general);
}

/* The same records are written compactly, and with white space that differs from line to line. Both give the same run. */
static void white_space_is_nothing(void **state)
{
	struct ts_buf compact = TS_BUF_INIT(1 << 24), spaced = TS_BUF_INIT(1 << 24);
	uint64_t random = 7;
	struct test_run t;
	struct ts_id id;

	(void)state;
	for (int i = 0; i < 20000; i++) {
		int a = (int)(test_random(&random) % 4), b = (int)(test_random(&random) % 3);
		double loss = (double)(test_random(&random) >> 11) * 1e-16;

		ts_buf_printf(&compact, "{\"step\":%d,\"phases\":{\"f\":%.17g},\"n\":%d}\n", i, loss, i);
		ts_buf_printf(&spaced, "{%*s\"step\" :%*s%d,\t\"phases\":{\"f\":%.17g }%*s,\"n\":%d}\n", a, "", b, "", i, loss,
			      b, "", i);
	}
	test_run_init(&t);
	test_write_bytes(&t, "run/steps.jsonl", compact.data, compact.len);
	assert_int_equal(test_ingest(&t), TS_OK);
	id = t.result.head;
	test_write_bytes(&t, "run/steps.jsonl", spaced.data, spaced.len);
	assert_int_equal(test_ingest(&t), TS_OK);
	assert_memory_equal(id.bytes, t.result.head.bytes, TS_ID_BYTES);
	ts_buf_finish(&compact);
	ts_buf_finish(&spaced);
	test_run_finish(&t);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(sections_become_columns),
		cmocka_unit_test(steps_are_integers),
		cmocka_unit_test(steps_of_64_bits_are_exact),
		cmocka_unit_test(what_is_no_record_is_counted),
		cmocka_unit_test(blank_lines_and_line_ends_are_fine),
		cmocka_unit_test(odd_values_are_kept_and_said),
		cmocka_unit_test(big_doubles_print_as_doubles),
		cmocka_unit_test(non_finite_numbers_are_values),
		cmocka_unit_test(records_on_one_line),
		cmocka_unit_test(zero_bytes_of_a_crash),
		cmocka_unit_test(deep_nesting_is_refused),
		cmocka_unit_test(long_things_are_left_out),
		cmocka_unit_test(more_columns_than_there_are),
		cmocka_unit_test(rows_alike_and_between),
		cmocka_unit_test(declared_precision_is_kept),
		cmocka_unit_test(any_window_gives_the_same),
		cmocka_unit_test(a_helper_changes_nothing),
		cmocka_unit_test(a_stretch_changes_nothing),
		cmocka_unit_test(every_byte_of_a_line_counts),
		cmocka_unit_test(a_file_that_shrinks),
		cmocka_unit_test(a_stretch_can_be_stopped),
		cmocka_unit_test(fast_and_general_agree),
		cmocka_unit_test(white_space_is_nothing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
