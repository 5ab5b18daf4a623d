/* Addresses: what is encoded comes back, and what nobody may send is refused. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/escape.h"
#include "base/uri.h"

static struct ts_arena arena;
static struct ts_error err;

static int setup(void **state)
{
	(void)state;
	ts_arena_init(&arena, 1 << 20);
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	ts_arena_finish(&arena);
	return 0;
}

static void comes_back(void **state)
{
	static const char *const texts[] = {"", "exp1", "sweep/lr=0.1", "a b+c&d=e?f#g%", "\xc3\xa4\xe2\x82\xac", "..", "\"<>'"};

	(void)state;
	for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++)
		for (int slashes = 0; slashes < 2; slashes++) {
			struct ts_buf out = TS_BUF_INIT(4096);
			struct ts_span back;

			ts_uri_encode(&out, ts_span_str(texts[i]), slashes);
			for (size_t k = 0; k < out.len; k++)
				assert_null(strchr(slashes ? " +&=?#\"<>'" : " +&=?#\"<>'/", out.data[k]));
			assert_int_equal(ts_uri_decode(ts_buf_view(&out), true, &arena, &back, &err), TS_OK);
			assert_true(ts_span_is(back, texts[i]));
			assert_int_equal(back.data[back.len], 0);
			ts_buf_finish(&out);
		}
}

/* A name never ends as the address of a document does, and comes back. */
static void names_are_no_documents(void **state)
{
	static const char *const pairs[][2] = {{"exp1", "exp1"}, {"a/b.json", "a/b%2Ejson"}, {".json", "%2Ejson"}, {"json", "json"},
					       {"", ""}};

	(void)state;
	for (size_t i = 0; i < sizeof pairs / sizeof pairs[0]; i++) {
		struct ts_buf out = TS_BUF_INIT(4096);
		struct ts_span back;

		ts_uri_encode_name(&out, ts_span_str(pairs[i][0]));
		assert_true(ts_span_is(ts_buf_view(&out), pairs[i][1]));
		assert_int_equal(ts_uri_decode(ts_buf_view(&out), false, &arena, &back, &err), TS_OK);
		assert_true(ts_span_is(back, pairs[i][0]));
		ts_buf_finish(&out);
	}
}

/* None of the five characters that mean something in HTML is left, and nothing else is touched. */
static void html_is_escaped(void **state)
{
	struct ts_buf out = TS_BUF_INIT(4096);

	(void)state;
	ts_html_escape(&out, ts_span_str("a<b> & \"c\" 'd' \xc3\xa4;"));
	assert_true(ts_span_is(ts_buf_view(&out), "a&lt;b&gt; &amp; &quot;c&quot; &#39;d&#39; \xc3\xa4;"));
	ts_buf_finish(&out);
}

/* RFC 3986, 2.1: the examples and the letters' case. */
static void is_encoded_as_said(void **state)
{
	struct ts_buf out = TS_BUF_INIT(4096);
	struct ts_span back;

	(void)state;
	ts_uri_encode(&out, ts_span_str("a/b c~"), true);
	assert_true(ts_span_is(ts_buf_view(&out), "a/b%20c~"));
	ts_buf_finish(&out);
	assert_int_equal(ts_uri_decode(ts_span_str("a%2fb+c"), false, &arena, &back, &err), TS_OK);
	assert_true(ts_span_is(back, "a/b+c"));
	assert_int_equal(ts_uri_decode(ts_span_str("a+b"), true, &arena, &back, &err), TS_OK);
	assert_true(ts_span_is(back, "a b"));
}

static void refuses(void **state)
{
	static const char *const texts[] = {"%", "%1", "%zz", "a%00b", "%ff", "%c3", "%ed%a0%80"};
	struct ts_span back;

	(void)state;
	for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++)
		assert_int_equal(ts_uri_decode(ts_span_str(texts[i]), true, &arena, &back, &err), TS_INVALID);
}

static void has_fields(void **state)
{
	struct ts_span query = ts_span_str("&q=a=b&&sort&x="), name, value;

	(void)state;
	assert_true(ts_uri_field(&query, &name, &value));
	assert_true(ts_span_is(name, "q") && ts_span_is(value, "a=b"));
	assert_true(ts_uri_field(&query, &name, &value));
	assert_true(ts_span_is(name, "sort") && ts_span_is(value, ""));
	assert_true(ts_uri_field(&query, &name, &value));
	assert_true(ts_span_is(name, "x") && ts_span_is(value, ""));
	assert_false(ts_uri_field(&query, &name, &value));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(comes_back, setup, teardown),
		cmocka_unit_test_setup_teardown(is_encoded_as_said, setup, teardown),
		cmocka_unit_test_setup_teardown(names_are_no_documents, setup, teardown),
		cmocka_unit_test(html_is_escaped),
		cmocka_unit_test_setup_teardown(refuses, setup, teardown),
		cmocka_unit_test_setup_teardown(has_fields, setup, teardown),
	};

	return cmocka_run_group_tests_name("uri", tests, NULL, NULL);
}
