#include "base/base64.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h>

/* The cases are from RFC 4648, section 10; the last two are from Python's base64. */
static const struct {
	const char *bytes, *text;
} vectors[] = {
	{"", ""},	      {"f", "Zg=="},	    {"fo", "Zm8="},	     {"foo", "Zm9v"},		     {"foob", "Zm9vYg=="},
	{"fooba", "Zm9vYmE="}, {"foobar", "Zm9vYmFy"}, {"\xfb\xff\xbf\xfe", "+/+//g=="}, {"\xff\xef\xbe\x01\x80", "/+++AYA="},
};

static void known_answers(void **state)
{
	struct ts_buf out = TS_BUF_INIT(64);

	(void)state;
	for (size_t i = 0; i < sizeof vectors / sizeof vectors[0]; i++) {
		struct ts_span text = ts_span_str(vectors[i].text);
		uint8_t back[16];
		size_t at;

		ts_buf_reset(&out);
		ts_base64_print(&out, ts_span_str(vectors[i].bytes));
		assert_int_equal(out.len, text.len);
		assert_true(ts_span_eq(ts_buf_view(&out), text));
		assert_int_equal(ts_base64_len(text), strlen(vectors[i].bytes));
		assert_true(ts_base64_parse(text, back, &at));
		assert_memory_equal(back, vectors[i].bytes, strlen(vectors[i].bytes));
	}
	ts_buf_finish(&out);
}

static void all_bytes_come_back(void **state)
{
	struct ts_buf out = TS_BUF_INIT(1024);
	uint8_t bytes[256], back[256];
	size_t at;

	(void)state;
	for (size_t i = 0; i < 256; i++)
		bytes[i] = (uint8_t)(i * 167 + 13);
	for (size_t n = 0; n <= 256; n++) {
		ts_buf_reset(&out);
		ts_base64_print(&out, ts_span_of(bytes, n));
		assert_int_equal(ts_base64_len(ts_buf_view(&out)), n);
		assert_true(ts_base64_parse(ts_buf_view(&out), back, &at));
		assert_memory_equal(back, bytes, n);
	}
	ts_buf_finish(&out);
}

static void refused_with_a_place(void **state)
{
	static const struct {
		const char *text;
		size_t at;
	} bad[] = {
		{"Zg", 2},	 {"Z", 1},	 {"Zg=", 2},	{"Z===", 1},	{"====", 0},	 {"Zm9v Zg==", 4}, {"Zm9v\n", 4},
		{"Zg==Zm9v", 2}, {"Zm-v", 2},	 {"Zm9_", 3},	{"Zh==", 1},	{"Zm9=", 2},	 {"Zg=v", 2},
	};

	(void)state;
	for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
		struct ts_span text = ts_span_str(bad[i].text);
		/* The block has exactly the length that ts_base64_len promises to be enough. */
		uint8_t *out = malloc(ts_base64_len(text));
		size_t at = 99;

		if (ts_base64_parse(text, out, &at))
			fail_msg("%s is taken", bad[i].text);
		if (at != bad[i].at)
			fail_msg("%s: wrong at %zu, not %zu", bad[i].text, at, bad[i].at);
		free(out);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(known_answers),
		cmocka_unit_test(all_bytes_come_back),
		cmocka_unit_test(refused_with_a_place),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
