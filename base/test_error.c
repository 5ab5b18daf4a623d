#include "base/error.h"

#include "base/text.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

static void test_context_goes_in_front(void **unused)
{
	struct ts_error err;

	(void)unused;
	assert_int_equal(ts_error_set(&err, TS_DAMAGED, "byte %d: %s", 17, "no"), TS_DAMAGED);
	assert_int_equal(ts_error_prefix(&err, "line %d", 3), TS_DAMAGED);
	assert_int_equal(ts_error_prefix(&err, "%s", "steps.jsonl"), TS_DAMAGED);
	assert_string_equal(err.text, "steps.jsonl: line 3: byte 17: no");
	assert_int_equal(err.status, TS_DAMAGED);
}

static void test_errno_becomes_a_status(void **unused)
{
	static const struct {
		int errnum;
		enum ts_status status;
	} cases[] = {
		{ENOSPC, TS_FULL},   {EDQUOT, TS_FULL},	    {ENOENT, TS_NOT_FOUND}, {EACCES, TS_DENIED},
		{EPERM, TS_DENIED}, {EROFS, TS_DENIED},  {ENOMEM, TS_NO_MEMORY}, {EIO, TS_IO},	    {ENOTDIR, TS_IO},
	};
	struct ts_error err;

	(void)unused;
	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		assert_int_equal(ts_error_errno(&err, cases[i].errnum, "x"), cases[i].status);
		assert_int_equal(err.status, cases[i].status);
	}
	(void)ts_error_errno(&err, ENOENT, "%s", "/a/b");
	assert_string_equal(err.text, "/a/b: No such file or directory");
}

/* The characters have two bytes each; one text has an odd and one an even number of bytes before them. */
static void test_long_text_is_cut_between_characters(void **unused)
{
	char text[4 * TS_ERROR_TEXT];
	struct ts_error err;

	(void)unused;
	for (size_t odd = 0; odd < 2; odd++) {
		for (size_t i = 0; i + 2 < sizeof text; i += 2)
			memcpy(text + i, "\xC3\xA9", 2);
		text[sizeof text - 2] = '\0';
		(void)ts_error_set(&err, TS_IO, "%s%s", odd ? "x" : "", text);
		assert_true(strlen(err.text) < TS_ERROR_TEXT);
		assert_true(strlen(err.text) > TS_ERROR_TEXT - 8);
		assert_true(ts_utf8_valid(ts_span_str(err.text)));
		(void)ts_error_prefix(&err, "%s", "ab");
		assert_true(ts_utf8_valid(ts_span_str(err.text)));
		assert_memory_equal(err.text, "ab: ", 4);
		(void)ts_error_errno(&err, EIO, "%s%s", odd ? "x" : "", text);
		assert_true(ts_utf8_valid(ts_span_str(err.text)));
	}
}

static void test_every_status_has_a_word(void **unused)
{
	static const char *const words[] = {"ok", "invalid", "damaged", "not_found", "ambiguous", "conflict", "too_large",
					    "no_memory", "io", "full", "unavailable", "deadline", "cancelled", "denied",
					    "unsupported", "internal"};

	(void)unused;
	for (int i = TS_OK; i <= TS_INTERNAL; i++)
		assert_string_equal(ts_status_word((enum ts_status)i), words[i]);
	assert_string_equal(ts_status_word((enum ts_status)(TS_INTERNAL + 1)), "internal");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_context_goes_in_front),
		cmocka_unit_test(test_errno_becomes_a_status),
		cmocka_unit_test(test_long_text_is_cut_between_characters),
		cmocka_unit_test(test_every_status_has_a_word),
	};

	return cmocka_run_group_tests_name("error", tests, NULL, NULL);
}
