/* test_page_token.c - tokens of pages: where rows lie seen from them, and what is none. */
#include "base/test_arena.h"
#include "cli/core/page_token.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h>

static struct ts_error err;

static struct ts_list_request request_of(const char *project, const char *filter, const char *sort)
{
	return (struct ts_list_request){
		.kind = TS_REF_RUN, .project = ts_span_str(project), .filter = ts_span_str(filter), .sort = ts_span_str(sort)};
}

static struct ts_list_row row_of(const char *name, int64_t pushed_ns)
{
	return (struct ts_list_row){.name = ts_span_str(name), .pushed_ns = pushed_ns};
}

/* The token goes over its text, as a user types it. */
static struct ts_page_token typed(const struct ts_list_request *request, const struct ts_list_row *last)
{
	struct ts_page_token token = ts_page_token_of(request, last), ret;
	const char *text = ts_page_token_text(&token, &arena);

	assert_int_equal(strlen(text), TS_PAGE_TOKEN_CHARS);
	assert_int_equal(ts_page_token_parse(request, text, &ret, &err), TS_OK);
	assert_int_equal(ret.list, token.list);
	assert_int_equal(ret.pushed_us, token.pushed_us);
	assert_true(ret.row == token.row);
	return ret;
}

static void test_newest_first(void **state)
{
	struct ts_list_request request = request_of("p", "", "");
	struct ts_list_row last = row_of("p/b", 1795877167000001999), same = row_of("p/a", 1795877167000001000);
	struct ts_list_row newer = row_of("p/b", 1795877167000002000), older = row_of("p/b", 1795877167000000999);
	struct ts_page_token token = typed(&request, &last);

	(void)state;
	assert_int_equal(ts_page_token_place(&token, &last), TS_PLACE_LAST);
	assert_int_equal(ts_page_token_place(&token, &same), TS_PLACE_BEFORE); /* of the same microsecond, and not the last */
	assert_int_equal(ts_page_token_place(&token, &newer), TS_PLACE_BEFORE);
	assert_int_equal(ts_page_token_place(&token, &older), TS_PLACE_BEHIND); /* also if the last run is gone */
}

static void test_other_orders(void **state)
{
	struct ts_list_request request = request_of("p", "", "-loss.last");
	struct ts_list_row last = row_of("p/b", 5000), again = row_of("p/b", 6000), other = row_of("p/c", 5000);
	struct ts_page_token token = typed(&request, &last);

	(void)state;
	assert_int_equal(ts_page_token_place(&token, &last), TS_PLACE_LAST);
	assert_int_equal(ts_page_token_place(&token, &again), TS_PLACE_BEFORE); /* it may have moved in the order */
	assert_int_equal(ts_page_token_place(&token, &other), TS_PLACE_BEFORE);
}

/* Times before 1970 and beyond 2112 are no times of pushes, but a server may say them. */
static void test_extreme_times(void **state)
{
	struct ts_list_request request = request_of("", "", "-pushed");
	const int64_t times[] = {INT64_MIN, -1, 0, 999, INT64_MAX};

	(void)state;
	for (size_t i = 0; i < sizeof times / sizeof times[0]; i++) {
		struct ts_list_row row = row_of("p/x", times[i]);
		struct ts_page_token token = typed(&request, &row);

		assert_int_equal(ts_page_token_place(&token, &row), TS_PLACE_LAST);
	}
}

static void refused(const struct ts_list_request *request, const char *text, const char *says)
{
	struct ts_page_token token;

	assert_int_equal(ts_page_token_parse(request, text, &token, &err), TS_INVALID);
	if (!strstr(err.text, says))
		fail_msg("'%s' does not say '%s'", err.text, says);
}

static void test_another_list(void **state)
{
	struct ts_list_request request = request_of("p", "steps>1", "name"), tags = request, others[3];
	struct ts_list_row last = row_of("p/b", 5000);
	struct ts_page_token token = ts_page_token_of(&request, &last);
	const char *text = ts_page_token_text(&token, &arena);

	(void)state;
	others[0] = request_of("q", "steps>1", "name");
	others[1] = request_of("p", "steps>2", "name");
	others[2] = request_of("p", "steps>1", "-name");
	for (size_t i = 0; i < 3; i++)
		refused(&others[i], text, "another filter, sort, project or kind");
	tags.kind = TS_REF_TAG;
	refused(&tags, text, "another filter, sort, project or kind");
}

static void test_what_is_no_token(void **state)
{
	static const char *const texts[] = {
		"",
		"x",
		"no token",
		"0123456789abcde",
		"0123456789abcdefg",
		"0123456789abcdu0",
		"0123456789abcde\xff",
		"../../etc/passwd",
		/* the hexadecimal ones of older versions */
		"6e6713989e8bd8bdd764656661756c742f73776565702f6c72302e303030332d7365656434",
		"6e67139",
	};
	struct ts_list_request request = request_of("p", "", "");

	(void)state;
	for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++)
		refused(&request, texts[i], "tokens of older versions were longer");
}

/* Whatever a hostile text says, it is refused or a token within its bits. */
static void test_any_text(void **state)
{
	static const char alphabet[] = "0123456789abcdefghjkmnpqrstvwxyzOILZ!\n";
	struct ts_list_request orders[] = {request_of("p", "", ""), request_of("p", "", "steps")};
	struct ts_list_row row = row_of("p/b", 5000);
	char text[TS_PAGE_TOKEN_CHARS + 1] = {0};
	size_t taken = 0;

	(void)state;
	srand(7);
	for (int i = 0; i < 200000; i++) {
		struct ts_page_token token;

		for (int k = 0; k < TS_PAGE_TOKEN_CHARS; k++)
			text[k] = alphabet[(size_t)rand() % 35];
		if (ts_page_token_parse(&orders[i % 2], text, &token, &err))
			continue;
		taken++;
		assert_true(token.pushed_us >= 0 && token.pushed_us < (int64_t)1 << 52);
		assert_int_not_equal(ts_page_token_place(&token, &row), TS_PLACE_LAST);
	}
	assert_in_range(taken, 1, 200); /* 1 of 4096 belongs to the list by chance */
}

static void test_letters_that_look_alike(void **state)
{
	struct ts_list_request request = request_of("p", "", "steps");
	struct ts_list_row last = row_of("p/b", 5000);
	struct ts_page_token token = ts_page_token_of(&request, &last), ret;
	const char *text = ts_page_token_text(&token, &arena);
	char upper[TS_PAGE_TOKEN_CHARS + 1];

	(void)state;
	for (int i = 0; i <= TS_PAGE_TOKEN_CHARS; i++)
		upper[i] = text[i] == '0' ? 'O' : text[i] == '1' ? 'l' : text[i] >= 'a' ? (char)(text[i] - 'a' + 'A') : text[i];
	assert_int_equal(ts_page_token_parse(&request, upper, &ret, &err), TS_OK);
	assert_true(ret.row == token.row);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_newest_first, setup, teardown),
		cmocka_unit_test_setup_teardown(test_other_orders, setup, teardown),
		cmocka_unit_test_setup_teardown(test_extreme_times, setup, teardown),
		cmocka_unit_test_setup_teardown(test_another_list, setup, teardown),
		cmocka_unit_test_setup_teardown(test_what_is_no_token, setup, teardown),
		cmocka_unit_test_setup_teardown(test_any_text, setup, teardown),
		cmocka_unit_test_setup_teardown(test_letters_that_look_alike, setup, teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
