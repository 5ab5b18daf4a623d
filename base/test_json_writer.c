#include "base/alloc.h"
#include "base/json_reader.h"
#include "base/json_writer.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

static void check(struct ts_buf *buf, const char *want)
{
	struct ts_error err;

	assert_int_equal(ts_buf_check(buf, &err), TS_OK);
	ts_buf_char(buf, '\0');
	assert_string_equal((const char *)buf->data, want);
	ts_buf_finish(buf);
}

static void write_sample(struct ts_json *j)
{
	ts_json_object(j);
	ts_json_key(j, "a");
	ts_json_array(j);
	ts_json_i64(j, -1);
	ts_json_bool(j, true);
	ts_json_null(j);
	ts_json_end(j);
	ts_json_key(j, "b");
	ts_json_object(j);
	ts_json_end(j);
	ts_json_key(j, "c");
	ts_json_raw(j, ts_span_str("[0]"));
	ts_json_key(j, "d");
	ts_json_string(j, NULL);
	ts_json_end(j);
}

static void test_compact(void **unused)
{
	struct ts_buf buf = TS_BUF_INIT(4096);
	struct ts_json j = ts_json_of(&buf);

	(void)unused;
	write_sample(&j);
	check(&buf, "{\"a\":[-1,true,null],\"b\":{},\"c\":[0],\"d\":null}");
}

static void test_indented(void **unused)
{
	struct ts_buf buf = TS_BUF_INIT(4096);
	struct ts_json j = ts_json_of(&buf);

	(void)unused;
	j.indent = 2;
	write_sample(&j);
	check(&buf, "{\n  \"a\": [\n    -1,\n    true,\n    null\n  ],\n  \"b\": {},\n  \"c\": [0],\n  \"d\": null\n}");
}

static void test_numbers(void **unused)
{
	struct ts_buf buf = TS_BUF_INIT(4096);
	struct ts_json j = ts_json_of(&buf);

	(void)unused;
	ts_json_array(&j);
	ts_json_i64(&j, INT64_C(9007199254740992));
	ts_json_i64(&j, INT64_C(9007199254740993));
	ts_json_i64(&j, INT64_C(-9007199254740992));
	ts_json_i64(&j, INT64_MIN);
	ts_json_u64(&j, UINT64_C(9007199254740992));
	ts_json_u64(&j, UINT64_MAX);
	ts_json_hex64(&j, 0xABC);
	ts_json_double(&j, 0.1);
	ts_json_double(&j, 3.0);
	ts_json_double(&j, (double)NAN);
	ts_json_double(&j, -(double)INFINITY);
	ts_json_end(&j);
	check(&buf, "[9007199254740992,\"9007199254740993\",-9007199254740992,\"-9223372036854775808\",9007199254740992,"
		    "\"18446744073709551615\",\"0000000000000abc\",0.1,3.0,\"NaN\",\"-Infinity\"]");
}

static void test_python_spelling_of_non_finite_numbers(void **unused)
{
	struct ts_buf buf = TS_BUF_INIT(4096);
	struct ts_json j = ts_json_of(&buf);

	(void)unused;
	j.python = true;
	ts_json_array(&j);
	ts_json_double(&j, (double)NAN);
	ts_json_double(&j, (double)INFINITY);
	ts_json_double(&j, -(double)INFINITY);
	ts_json_end(&j);
	check(&buf, "[NaN,Infinity,-Infinity]");
}

static void test_text_is_escaped(void **unused)
{
	struct ts_buf buf = TS_BUF_INIT(4096);
	struct ts_json j = ts_json_of(&buf);

	(void)unused;
	ts_json_object(&j);
	ts_json_key_span(&j, ts_span_of("k\0\"", 3));
	ts_json_string(&j, "a\"\\/\b\t\n\v\f\r\x1b\x7f z");
	ts_json_key(&j, "utf8");
	ts_json_string(&j, "\xC3\xA9\xF0\x9F\x98\x80|\xFF|\xE2\x82|\xED\xA0\x80");
	ts_json_end(&j);
	check(&buf,
	      "{\"k\\u0000\\\"\":\"a\\\"\\\\/\\b\\t\\n\\u000b\\f\\r\\u001b\\u007f "
	      "z\",\"utf8\":\"\xC3\xA9\xF0\x9F\x98\x80|\xEF\xBF\xBD|\xEF\xBF\xBD\xEF\xBF\xBD|\xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBD\"}");
}

/* U+009B begins a command of a terminal in one byte, U+202E turns the text behind it round. The bytes that are stored stay. */
static void test_what_is_shown_is_harmless(void **unused)
{
	static const char text[] = "a\xC2\x9B"
				   "31m\xE2\x80\xAE"
				   "b\xE2\x80\x8B\xE2\x80\xA8\xEF\xBB\xBF\xF3\xA0\x81\x81\xC3\xA9\xF0\x9F\x98\x80";
	struct ts_buf buf = TS_BUF_INIT(4096);
	struct ts_json j = ts_json_of(&buf);

	(void)unused;
	ts_json_string(&j, text);
	ts_buf_char(&buf, '|');
	j.shown = true;
	j.any[0] = false;
	ts_json_string(&j, text);
	ts_buf_char(&buf, '\0');
	assert_non_null(strstr((const char *)buf.data, text));
	assert_string_equal(strchr((const char *)buf.data, '|'),
			    "|\"a\\u009b31m\\u202eb\\u200b\\u2028\\ufeff\\udb40\\udc41\xC3\xA9\xF0\x9F\x98\x80\"");
	ts_buf_finish(&buf);
}

/* Several values at the top level are written as JSON Lines. */
static void test_several_values(void **unused)
{
	struct ts_buf buf = TS_BUF_INIT(4096);
	struct ts_json j = ts_json_of(&buf);

	(void)unused;
	ts_json_array(&j);
	ts_json_end(&j);
	ts_json_u64(&j, 1);
	check(&buf, "[]\n1");
}

/* A string of any bytes is the same after writing and reading if the bytes were UTF-8. */
static void test_strings_survive(void **unused)
{
	struct ts_buf buf = TS_BUF_INIT(4096);
	struct ts_buf scratch = TS_BUF_INIT(4096);
	struct ts_json j = ts_json_of(&buf);
	struct ts_json_reader r;
	struct ts_json_token t;
	struct ts_error err;
	char all[0x80 + 4];

	(void)unused;
	for (int i = 0; i < 0x80; i++)
		all[i] = (char)i;
	memcpy(all + 0x80, "\xF0\x9F\x98\x80", 4);
	ts_json_span(&j, ts_span_of(all, sizeof all));
	ts_json_reader_init(&r, ts_buf_view(&buf), &scratch);
	assert_int_equal(ts_json_next(&r, &t, &err), TS_OK);
	assert_true(ts_span_eq(t.text, ts_span_of(all, sizeof all)));
	ts_buf_finish(&buf);
	ts_buf_finish(&scratch);
}

static void test_failure_is_remembered(void **unused)
{
	struct ts_buf buf = TS_BUF_INIT(8);
	struct ts_json j = ts_json_of(&buf);
	struct ts_error err;

	(void)unused;
	write_sample(&j);
	assert_int_equal(ts_buf_check(&buf, &err), TS_TOO_LARGE);
	ts_buf_finish(&buf);
	buf = TS_BUF_INIT(4096);
	j = ts_json_of(&buf);
	ts_alloc_fail_at(1);
	write_sample(&j);
	assert_int_equal(ts_alloc_fail_at(0), 1);
	assert_int_equal(ts_buf_check(&buf, &err), TS_NO_MEMORY);
	assert_int_equal(buf.len, 0);
	ts_buf_finish(&buf);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_compact),
		cmocka_unit_test(test_indented),
		cmocka_unit_test(test_numbers),
		cmocka_unit_test(test_python_spelling_of_non_finite_numbers),
		cmocka_unit_test(test_text_is_escaped),
		cmocka_unit_test(test_what_is_shown_is_harmless),
		cmocka_unit_test(test_several_values),
		cmocka_unit_test(test_strings_survive),
		cmocka_unit_test(test_failure_is_remembered),
	};

	return cmocka_run_group_tests_name("json_writer", tests, NULL, NULL);
}
