#include "base/alloc.h"
#include "base/json_reader.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

/* Reads text from a block of exactly its size and writes one mark for each token: { [ } k:text s:text n t f 0. */
static enum ts_status transcribe(struct ts_span text, struct ts_buf *out, struct ts_error *err)
{
	struct ts_buf scratch = TS_BUF_INIT(1 << 20);
	uint8_t *exact = malloc(text.len ? text.len : 1);
	struct ts_json_reader r;
	struct ts_json_token t;
	enum ts_status status;

	assert_non_null(exact);
	if (text.len)
		memcpy(exact, text.data, text.len);
	ts_json_reader_init(&r, ts_span_of(exact, text.len), &scratch);
	while ((status = ts_json_next(&r, &t, err)) == TS_OK && t.type != TS_JSON_EOF) {
		static const char marks[] = "$\0\0}ks\0tf0";

		if (t.type == TS_JSON_OBJECT || t.type == TS_JSON_ARRAY)
			ts_buf_char(out, t.type == TS_JSON_OBJECT ? '{' : '[');
		else if (t.type == TS_JSON_NUMBER)
			ts_buf_printf(out, "n%.*s%s", TS_SPAN_ARG(t.raw), t.integer ? "i" : "");
		else
			ts_buf_char(out, marks[t.type]);
		if (t.type == TS_JSON_KEY || t.type == TS_JSON_STRING)
			ts_buf_span(out, t.text);
		ts_buf_char(out, ' ');
	}
	if (status == TS_OK)
		ts_buf_char(out, '$');
	ts_buf_char(out, '\0');
	ts_buf_finish(&scratch);
	free(exact);
	return status;
}

static void check_tokens(const char *text, const char *want)
{
	struct ts_buf out = TS_BUF_INIT(1 << 20);
	struct ts_error err = {TS_OK, ""};

	(void)transcribe(ts_span_str(text), &out, &err);
	assert_string_equal(err.text, "");
	assert_string_equal((const char *)out.data, want);
	ts_buf_finish(&out);
}

static void check_error_span(struct ts_span text, const char *want)
{
	struct ts_buf out = TS_BUF_INIT(1 << 20);
	struct ts_error err = {TS_OK, ""};

	assert_int_equal(transcribe(text, &out, &err), TS_INVALID);
	assert_int_equal(err.status, TS_INVALID);
	assert_string_equal(err.text, want);
	ts_buf_finish(&out);
}

static void check_error(const char *text, const char *want)
{
	check_error_span(ts_span_str(text), want);
}

static void test_tokens(void **unused)
{
	(void)unused;
	check_tokens("{\"a\":[1,-2.5e3 , {}],\"b\":true ,\"c\" : null}", "{ ka [ n1i n-2.5e3 { } } kb t kc 0 } $");
	check_tokens(" [ [ ] , [ [ ] ] ]\r\n\t", "[ [ } [ [ } } } $");
	check_tokens("\"x\"", "sx $");
	check_tokens("[NaN,Infinity,-Infinity,false]", "[ nNaN nInfinity n-Infinity f } $");
	check_tokens("{\"a\":1,\"a\":2}", "{ ka n1i ka n2i } $");
	check_tokens("", "$");
	check_tokens(" \n", "$");
}

/* A writer that crashed and resumed leaves records joined on one line. */
static void test_values_follow_each_other(void **unused)
{
	(void)unused;
	check_tokens("{\"a\":1}{\"a\":2} 3\n[4]5 \"x\"\"y\" true", "{ ka n1i } { ka n2i } n3i [ n4i } n5i sx sy t $");
	check_error("{} ]", "byte 3: expected a value");
	check_error("{},{}", "byte 2: expected a value");
}

static void test_numbers(void **unused)
{
	struct ts_span text = ts_span_str("[0.1,-0,1e999,NaN,-Infinity,9007199254740993]");
	static const double want[] = {0.1, -0.0, (double)INFINITY, (double)NAN, -(double)INFINITY, 9007199254740992.0};
	struct ts_buf scratch = TS_BUF_INIT(16);
	struct ts_json_reader r;
	struct ts_json_token t;
	struct ts_error err;

	(void)unused;
	ts_json_reader_init(&r, text, &scratch);
	assert_int_equal(ts_json_next(&r, &t, &err), TS_OK);
	for (size_t i = 0; i < sizeof want / sizeof want[0]; i++) {
		assert_int_equal(ts_json_next(&r, &t, &err), TS_OK);
		assert_int_equal(t.type, TS_JSON_NUMBER);
		if (isnan(want[i]))
			assert_true(isnan(t.number));
		else
			assert_memory_equal(&t.number, &want[i], sizeof want[i]);
		assert_int_equal(t.integer, i == 1 || i == 5);
	}
	assert_int_equal(t.at, 28);
	assert_true(ts_span_is(t.raw, "9007199254740993"));
}

static void test_strings_without_escapes_are_not_copied(void **unused)
{
	struct ts_span text = ts_span_str("{\"a longer key\":\"caf\xC3\xA9 au lait\"}");
	struct ts_buf scratch = TS_BUF_INIT(16);
	struct ts_json_reader r;
	struct ts_json_token t;
	struct ts_error err;

	(void)unused;
	ts_json_reader_init(&r, text, &scratch);
	assert_int_equal(ts_json_next(&r, &t, &err), TS_OK);
	assert_int_equal(ts_json_next(&r, &t, &err), TS_OK);
	assert_ptr_equal(t.text.data, text.data + 2);
	assert_int_equal(t.text.len, 12);
	assert_int_equal(t.at, 1);
	assert_int_equal(ts_json_next(&r, &t, &err), TS_OK);
	assert_ptr_equal(t.text.data, text.data + 17);
	assert_int_equal(t.text.len, 13);
	assert_null(scratch.data);
}

static void test_escapes(void **unused)
{
	(void)unused;
	check_tokens("[\"\\\"\\\\\\/\\b\\f\\n\\r\\t\"]", "[ s\"\\/\b\f\n\r\t } $");
	check_tokens("[\"a\\u0041b\\u00e9\\u20AC\\uD83D\\uDE00z\"]", "[ saAb\xC3\xA9\xE2\x82\xAC\xF0\x9F\x98\x80z } $");
	check_tokens("{\"long plain text, then \\u00e9 and long plain text\":0}",
		     "{ klong plain text, then \xC3\xA9 and long plain text n0i } $");
	check_error("[\"\\x\"]", "byte 2: this escape is not allowed in a string");
	check_error("[\"\\u12g4\"]", "byte 4: expected four hex digits after '\\u'");
	check_error("[\"\\u12", "byte 4: expected four hex digits after '\\u'");
	check_error("[\"\\", "byte 3: the text ends inside an array, expected an escape");
}

static void test_nul_is_a_character(void **unused)
{
	struct ts_buf scratch = TS_BUF_INIT(64);
	struct ts_json_reader r;
	struct ts_json_token t;
	struct ts_error err;

	(void)unused;
	ts_json_reader_init(&r, ts_span_str("\"x\\u0000y\""), &scratch);
	assert_int_equal(ts_json_next(&r, &t, &err), TS_OK);
	assert_true(ts_span_eq(t.text, ts_span_of("x\0y", 3)));
	ts_buf_finish(&scratch);
}

static void test_lone_surrogates_are_replaced(void **unused)
{
	(void)unused;
	check_tokens("[\"a\\ud83d\"]", "[ sa\xEF\xBF\xBD } $");
	check_tokens("[\"\\ude00b\"]", "[ s\xEF\xBF\xBD""b } $");
	check_tokens("[\"\\ud83d\\u0041\"]", "[ s\xEF\xBF\xBD""A } $");
	check_tokens("[\"\\ud83d\\ud83d\\ude00\"]", "[ s\xEF\xBF\xBD\xF0\x9F\x98\x80 } $");
	check_tokens("[\"\\ud83d\\n\"]", "[ s\xEF\xBF\xBD\n } $");
}

static void test_utf8_is_checked(void **unused)
{
	static const char *const bad[] = {"\x80", "\xC0\xAF", "\xC1\xBF", "\xE0\x9F\xBF", "\xED\xA0\x80", "\xF0\x8F\xBF\xBF",
					  "\xF4\x90\x80\x80", "\xF5\x80\x80\x80", "\xFF", "\xC3", "\xE2\x82", "\xC3("};
	static const char *const good[] = {"\xC2\x80", "\xE0\xA0\x80", "\xED\x9F\xBF", "\xEE\x80\x80", "\xF0\x90\x80\x80",
					   "\xF4\x8F\xBF\xBF", "\x7F"};
	char text[64];

	(void)unused;
	for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
		(void)snprintf(text, sizeof text, "[\"%s\"]", bad[i]);
		check_error(text, "byte 2: the text is not UTF-8");
		(void)snprintf(text, sizeof text, "[\"12345678\\n%s\"]", bad[i]);
		check_error(text, "byte 12: the text is not UTF-8");
	}
	for (size_t i = 0; i < sizeof good / sizeof good[0]; i++) {
		char want[64];

		(void)snprintf(text, sizeof text, "[\"%s\"]", good[i]);
		(void)snprintf(want, sizeof want, "[ s%s } $", good[i]);
		check_tokens(text, want);
	}
}

static void test_control_characters_are_refused(void **unused)
{
	char text[] = "[\"1234567?\"]";

	(void)unused;
	for (char c = 0; c < 0x20; c++) {
		text[9] = c;
		check_error_span(ts_span_of(text, sizeof text - 1), "byte 9: a control character in a string");
	}
}

static void test_errors_say_where_and_what(void **unused)
{
	static const char *const cases[][2] = {
		{"[1,]", "byte 3: expected a value"},
		{"{\"a\":1,}", "byte 7: expected '\"'"},
		{"{,}", "byte 1: expected '\"' or '}'"},
		{"[,1]", "byte 1: expected a value or ']'"},
		{"[1 2]", "byte 3: expected ',' or ']'"},
		{"{\"step\":12 \"loss\":1}", "byte 11: expected ',' or '}'"},
		{"{\"a\" 1}", "byte 5: expected ':'"},
		{"{\"a\":}", "byte 5: expected a value"},
		{"{a:1}", "byte 1: expected '\"' or '}'"},
		{"{\"a\":1]", "byte 6: expected ',' or '}'"},
		{"[1}", "byte 2: expected ',' or ']'"},
		{"[01]", "byte 2: expected ',' or ']'"},
		{"[1.]", "byte 2: expected ',' or ']'"},
		{"[.5]", "byte 1: expected a value or ']'"},
		{"[+1]", "byte 1: expected a value or ']'"},
		{"[-]", "byte 1: expected a value or ']'"},
		{"[0x1]", "byte 2: expected ',' or ']'"},
		{"['a']", "byte 1: expected a value or ']'"},
		{"[True]", "byte 1: expected a value or ']'"},
		{"[nul]", "byte 1: expected a value or ']'"},
		{"[truefalse]", "byte 5: expected ',' or ']'"},
		{"[1]]", "byte 3: expected a value"},
		{"01", "byte 1: expected the end of a number"},
		{"1.5.5", "byte 3: expected the end of a number"},
		{"nullx", "byte 0: expected a value"},
		{"\xEF\xBB\xBF{}", "byte 0: expected a value"},
		{"{\"a\":1", "byte 6: the text ends inside an object, expected ',' or '}'"},
		{"{\"a\":1,", "byte 7: the text ends inside an object, expected '\"'"},
		{"{\"a\":", "byte 5: the text ends inside an object, expected a value"},
		{"{\"a\"", "byte 4: the text ends inside an object, expected ':'"},
		{"{\"a", "byte 3: the text ends inside an object, expected '\"'"},
		{"{", "byte 1: the text ends inside an object, expected '\"' or '}'"},
		{"[", "byte 1: the text ends inside an array, expected a value or ']'"},
		{"\"abc", "byte 4: the text ends, expected '\"'"},
	};

	(void)unused;
	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
		check_error(cases[i][0], cases[i][1]);
}

static void test_errors_are_final(void **unused)
{
	struct ts_buf scratch = TS_BUF_INIT(16);
	struct ts_json_reader r;
	struct ts_json_token t;
	struct ts_error err;

	(void)unused;
	ts_json_reader_init(&r, ts_span_str("[1,]"), &scratch);
	assert_int_equal(ts_json_next(&r, &t, &err), TS_OK);
	assert_int_equal(ts_json_next(&r, &t, &err), TS_OK);
	for (int i = 0; i < 3; i++) {
		assert_int_equal(ts_json_next(&r, &t, &err), TS_INVALID);
		assert_string_equal(err.text, "byte 3: expected a value");
	}
}

static void test_depth_is_limited(void **unused)
{
	char text[2 * TS_JSON_DEPTH + 3] = "";
	struct ts_buf out = TS_BUF_INIT(1 << 20);
	struct ts_error err = {TS_OK, ""};

	(void)unused;
	memset(text, '[', TS_JSON_DEPTH);
	memset(text + TS_JSON_DEPTH, ']', TS_JSON_DEPTH);
	assert_int_equal(transcribe(ts_span_str(text), &out, &err), TS_OK);
	ts_buf_finish(&out);
	memset(text, '[', TS_JSON_DEPTH + 1);
	check_error(text, "byte 64: nested deeper than 64");
}

static void test_skip(void **unused)
{
	struct ts_span text = ts_span_str("{\"a\": {\"x\":[1,{}],\"y\":\"}\"} ,\"b\":[1,2],\"c\":3} {\"d\" : 4}");
	struct ts_buf scratch = TS_BUF_INIT(64);
	struct ts_json_reader r;
	struct ts_json_token t;
	struct ts_span raw;
	struct ts_error err;

	(void)unused;
	ts_json_reader_init(&r, text, &scratch);
	assert_int_equal(ts_json_next(&r, &t, &err), TS_OK); /* { */
	assert_int_equal(ts_json_next(&r, &t, &err), TS_OK); /* a */
	assert_int_equal(ts_json_skip(&r, &raw, &err), TS_OK);
	assert_true(ts_span_is(raw, "{\"x\":[1,{}],\"y\":\"}\"}"));
	assert_int_equal(ts_json_next(&r, &t, &err), TS_OK); /* b */
	assert_true(ts_span_is(t.text, "b"));
	assert_int_equal(ts_json_next(&r, &t, &err), TS_OK); /* [ */
	assert_int_equal(ts_json_skip(&r, &raw, &err), TS_OK);
	assert_true(ts_span_is(raw, "[1,2]"));
	assert_int_equal(ts_json_next(&r, &t, &err), TS_OK); /* c */
	assert_true(ts_span_is(t.text, "c"));
	assert_int_equal(ts_json_skip(&r, &raw, &err), TS_OK);
	assert_true(ts_span_is(raw, "3"));
	assert_int_equal(ts_json_next(&r, &t, &err), TS_OK);
	assert_int_equal(t.type, TS_JSON_END);
	assert_int_equal(ts_json_skip(&r, &raw, &err), TS_OK);
	assert_true(ts_span_is(raw, "{\"d\" : 4}"));
	assert_int_equal(ts_json_next(&r, &t, &err), TS_OK);
	assert_int_equal(t.type, TS_JSON_EOF);
	assert_int_equal(ts_json_skip(&r, NULL, &err), TS_INVALID);
}

/* Scratch is the only memory that the reader allocates: each allocation fails once, and the reader reports it. */
static void test_out_of_memory(void **unused)
{
	struct ts_span text =
		ts_span_str("[\"\\n a text of more than two hundred and fifty-six bytes, so that the buffer grows twice: "
			    "0123456789012345678901234567890123456789012345678901234567890123456789012345678901234567"
			    "0123456789012345678901234567890123456789012345678901234567890123456789012345678901234567\"]");
	struct ts_error err;
	size_t n = 0;

	(void)unused;
	for (size_t k = 1; k <= 2; k++) {
		struct ts_buf scratch = TS_BUF_INIT(4096);
		struct ts_json_reader r;
		struct ts_json_token t;

		ts_json_reader_init(&r, text, &scratch);
		assert_int_equal(ts_json_next(&r, &t, &err), TS_OK);
		ts_alloc_fail_at(k);
		assert_int_equal(ts_json_next(&r, &t, &err), TS_NO_MEMORY);
		n = ts_alloc_fail_at(0);
		assert_int_equal(n, k);
		ts_buf_finish(&scratch);
	}
}

static void test_scratch_has_a_ceiling(void **unused)
{
	struct ts_buf scratch = TS_BUF_INIT(4);
	struct ts_json_reader r;
	struct ts_json_token t;
	struct ts_error err;

	(void)unused;
	ts_json_reader_init(&r, ts_span_str("\"\\n12345\""), &scratch);
	assert_int_equal(ts_json_next(&r, &t, &err), TS_TOO_LARGE);
	assert_non_null(strstr(err.text, "more than 4 bytes"));
	ts_buf_finish(&scratch);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_tokens),
		cmocka_unit_test(test_values_follow_each_other),
		cmocka_unit_test(test_numbers),
		cmocka_unit_test(test_strings_without_escapes_are_not_copied),
		cmocka_unit_test(test_escapes),
		cmocka_unit_test(test_nul_is_a_character),
		cmocka_unit_test(test_lone_surrogates_are_replaced),
		cmocka_unit_test(test_utf8_is_checked),
		cmocka_unit_test(test_control_characters_are_refused),
		cmocka_unit_test(test_errors_say_where_and_what),
		cmocka_unit_test(test_errors_are_final),
		cmocka_unit_test(test_depth_is_limited),
		cmocka_unit_test(test_skip),
		cmocka_unit_test(test_out_of_memory),
		cmocka_unit_test(test_scratch_has_a_ceiling),
	};

	return cmocka_run_group_tests_name("json_reader", tests, NULL, NULL);
}
