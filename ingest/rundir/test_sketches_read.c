/* sketches.jsonl: which records are taken, what of them is kept, and that export writes the same run. */
#include "ingest/core/test_support.h"

#include "base/base64.h"
#include "base/buf.h"
#include "run/sketch_sums.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#define STEPS "{\"step\":0,\"scalars\":{\"loss\":2}}\n"
#define HEAD "{\"step\":41,\"name\":\"attn\",\"kind\":\"output\",\"count\":4096,\"squares\":1.5,\"sums\":\""
#define OTHERS ",\"dtype\":\"bf16\",\"nonfinite\":1,\"shard\":true,\"occurrence\":0"

enum { TEXT = 2732, BYTES = TS_SKETCH_SUMS * 8 };

/* The sums 0, -1, ... of which one may be something else, as little-endian doubles whatever this machine has. */
static const char *sums_with(size_t at, double other)
{
	static char text[TEXT + 1];
	struct ts_buf buf = TS_BUF_INIT(TEXT + 16);
	uint8_t bytes[BYTES];

	for (size_t i = 0; i < TS_SKETCH_SUMS; i++) {
		double value = i == at ? other : -(double)i;
		uint64_t bits;

		memcpy(&bits, &value, sizeof bits);
		for (size_t k = 0; k < 8; k++)
			bytes[8 * i + k] = (uint8_t)(bits >> 8 * k);
	}
	ts_base64_print(&buf, ts_span_of(bytes, sizeof bytes));
	assert_int_equal(buf.len, TEXT);
	memcpy(text, buf.data, TEXT);
	ts_buf_finish(&buf);
	return text;
}

static void the_text_of_sums(void **state)
{
	double sums[TS_SKETCH_SUMS];
	char text[TEXT + 5];

	(void)state;
	assert_true(ts_sketch_sums_parse(ts_span_str(sums_with(7, 0x1p-1074)), sums));
	assert_true(sums[0] == 0 && sums[7] == 0x1p-1074 && sums[255] == -255);
	assert_false(ts_sketch_sums_parse(ts_span_str(sums_with(255, (double)INFINITY)), sums));
	assert_false(ts_sketch_sums_parse(ts_span_str(sums_with(0, (double)NAN)), sums));
	(void)snprintf(text, sizeof text, "%sAAAA", sums_with(0, 0));
	assert_false(ts_sketch_sums_parse(ts_span_of(text, TEXT + 4), sums));
	assert_false(ts_sketch_sums_parse(ts_span_of(text, TEXT - 4), sums));
	assert_false(ts_sketch_sums_parse(ts_span_of(text + 4, TEXT), sums)); /* no padding: one byte too many */
	assert_false(ts_sketch_sums_parse(ts_span_str(""), sums));
	text[100] = '-';
	assert_false(ts_sketch_sums_parse(ts_span_of(text, TEXT), sums));
}

static void sketches_are_rows_of_their_own(void **state)
{
	const struct ts_table *table;
	struct test_run t;
	struct ts_index index;
	char text[3 * (TEXT + 200)];
	int n;

	(void)state;
	n = snprintf(text, sizeof text, HEAD "%s\"}\n", sums_with(0, 0));
	n += snprintf(text + n, sizeof text - (size_t)n, HEAD "%s\"" OTHERS "}\n", sums_with(1, 0.25));
	(void)snprintf(text + n, sizeof text - (size_t)n,
		       "{\"sums\":\"%s\",\"shard\":false,\"squares\":Infinity,\"count\":0,\"kind\":\"k\",\"name\":\"n\",\"step\":-1,"
		       "\"of\":[1]}\n",
		       sums_with(2, 1e300));
	test_run_init(&t);
	test_write(&t, "run/steps.jsonl", STEPS);
	test_write(&t, "run/sketches.jsonl", text);
	test_ingest_ok(&t, t.path);
	assert_int_equal(t.result.notices.n, 0);
	assert_int_equal(t.result.sketches, 3);
	assert_int_equal(t.result.rows, 1);
	test_index(&t, 0, &index);
	assert_memory_equal(test_index_numbers(&t, &index, TS_TABLE_SKETCHES, "step", 3), ((double[]){41, 41, -1}), 3 * sizeof(double));
	assert_memory_equal(test_index_numbers(&t, &index, TS_TABLE_SKETCHES, "count", 3), ((double[]){4096, 4096, 0}),
			    3 * sizeof(double));
	assert_memory_equal(test_index_numbers(&t, &index, TS_TABLE_SKETCHES, "nonfinite", 1), ((double[]){1}), sizeof(double));
	(void)test_index_column(&index, TS_TABLE_SKETCHES, "sums", TS_COLUMN_TEXT, 3, &table);
	(void)test_index_column(&index, TS_TABLE_SKETCHES, "shard", TS_COLUMN_JSON, 2, &table);
	test_round_trip(&t);
	test_run_finish(&t);
	/* A directory with nothing else is a run. */
	test_run_init(&t);
	test_write(&t, "run/sketches.jsonl", text);
	test_ingest_ok(&t, t.path);
	assert_int_equal(t.result.n_ranks, 1);
	test_round_trip(&t);
	test_run_finish(&t);
}

/* A record in which one key is something else, or lacks; `with` is what stands in the place of `what`. */
static void changed(struct ts_buf *out, const char *what, const char *with)
{
	char record[TEXT + 400], *at;

	(void)snprintf(record, sizeof record, HEAD "%s\"" OTHERS "}\n", sums_with(0, 0));
	at = strstr(record, what);
	assert_non_null(at);
	ts_buf_bytes(out, record, (size_t)(at - record));
	ts_buf_str(out, with);
	ts_buf_str(out, at + strlen(what));
}

static void the_output_of_another_module(void **state)
{
	static const char text[] = "{\"step\":1,\"name\":\"drop\",\"kind\":\"output\",\"same\":\"down\",\"idle\":true}\n"
				   "{\"step\":1,\"name\":\"mlp\",\"kind\":\"output\",\"same\":\"down\"}\n"
				   "{\"step\":1,\"name\":\"mlp\",\"kind\":\"output\",\"same\":\"\"}\n"
				   "{\"step\":1,\"name\":\"mlp\",\"kind\":\"output\",\"same\":7}\n"
				   "{\"step\":1,\"name\":\"mlp\",\"kind\":\"output\",\"same\":\"down\",\"squares\":1}\n";
	const struct ts_table *table;
	struct test_run t;
	struct ts_index index;

	(void)state;
	test_run_init(&t);
	test_write(&t, "run/sketches.jsonl", text);
	test_ingest_ok(&t, t.path);
	assert_int_equal(t.result.sketches, 2);
	test_expect_notice(&t, "bad_sketch", TS_NOTICE_SKIPPED, 3, 3);
	test_index(&t, 0, &index);
	(void)test_index_column(&index, TS_TABLE_SKETCHES, "same", TS_COLUMN_TEXT, 2, &table);
	(void)test_index_column(&index, TS_TABLE_SKETCHES, "idle", TS_COLUMN_JSON, 1, &table);
	test_run_finish(&t);
}

static void what_is_no_sketch_is_skipped(void **state)
{
	static const char *const cases[][2] = {
		{"\"step\":41", "\"step\":1.5"},	    {"\"step\":41", "\"x\":41"},
		{"\"attn\"", "\"\""},			    {"\"attn\"", "7"},
		{"\"output\"", "\"\""},			    {"\"kind\"", "\"x\""},
		{"\"count\":4096", "\"count\":-1"},	    {"\"count\":4096", "\"count\":0.5"},
		{"\"squares\":1.5", "\"squares\":-0.5"},    {"\"squares\":1.5", "\"squares\":NaN"},
		{"\"sums\":\"A", "\"sums\":\"-"},	    {"\"sums\":\"A", "\"sums\":\""},
		{"\"sums\":\"A", "\"x\":\"A"},		    {"\"bf16\"", "16"},
		{"\"nonfinite\":1", "\"nonfinite\":4097"},  {"\"nonfinite\":1", "\"nonfinite\":true"},
		{"\"shard\":true", "\"shard\":1"},	    {"\"shard\":true", "\"shard\":[true]"},
		{"\"occurrence\":0", "\"occurrence\":-1"}, {"\"occurrence\":0", "\"same\":\"m\""},
		{"\"occurrence\":0", "\"idle\":1"},
	};
	enum { CASES = sizeof cases / sizeof cases[0] };
	struct ts_buf text = TS_BUF_INIT(1 << 20);
	struct test_run t;

	(void)state;
	changed(&text, "attn", "kept");
	for (size_t i = 0; i < CASES; i++)
		changed(&text, cases[i][0], cases[i][1]);
	changed(&text, "attn", "kept, too");
	ts_buf_char(&text, 0);
	test_run_init(&t);
	test_write(&t, "run/steps.jsonl", STEPS);
	test_write(&t, "run/sketches.jsonl", (const char *)text.data);
	test_ingest_ok(&t, t.path);
	test_expect_notice(&t, "bad_sketch", TS_NOTICE_SKIPPED, 2, CASES);
	assert_int_equal(t.result.sketches, 2);
	test_run_finish(&t);
	ts_buf_finish(&text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_text_of_sums),
		cmocka_unit_test(sketches_are_rows_of_their_own),
		cmocka_unit_test(the_output_of_another_module),
		cmocka_unit_test(what_is_no_sketch_is_skipped),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
