/* Tables that fit: nothing is cut without a width, columns shrink, then lines fold; foreign text is harmless. */
#include "base/test_arena.h"
#include "cli/text/grid.h"

#include <setjmp.h>
#include <stdarg.h>
#include <cmocka.h>

static const struct ts_grid_column columns[] = {
	{"name", TS_ALIGN_LEFT, 4}, {"n", TS_ALIGN_RIGHT, 0}, {"what", TS_ALIGN_LEFT, 6}};

static void prints(const char *const *cells, size_t n, int width, const char *want)
{
	struct ts_term term = {.width = width};
	struct ts_buf out = TS_BUF_INIT(1 << 16);
	struct ts_grid grid;
	struct ts_error err;

	ts_grid_init(&grid, columns, 3, &arena);
	for (size_t i = 0; i < n; i++)
		ts_grid_text(&grid, TS_STYLE_BOLD, cells[i]);
	assert_int_equal(ts_grid_print(&grid, &term, 0, &out, &err), TS_OK);
	ts_buf_char(&out, '\0');
	assert_string_equal((const char *)out.data, want);
	ts_buf_finish(&out);
}

static void whole_without_a_width(void **state)
{
	static const char *const cells[] = {"a long name", "1", "text", "b", "1000", "a text of some length"};

	(void)state;
	prints(cells, 6, 0, "name            n  what\n"
			    "a long name     1  text\n"
			    "b            1000  a text of some length\n");
}

static void widest_shrinks_first(void **state)
{
	static const char *const cells[] = {"a long name", "1", "text", "b", "1000", "a text of some length"};

	(void)state;
	/* 11 + 2 + 4 + 2 + 21 = 40 columns fit exactly. With 30 columns, the widest column gives up ten. */
	prints(cells, 6, 40, "name            n  what\n"
			     "a long name     1  text\n"
			     "b            1000  a text of some length\n");
	prints(cells, 6, 30, "name            n  what\n"
			     "a long name     1  text\n"
			     "b            1000  a text of …\n");
}

/* Of names that begin alike the end says which is which: 21 columns are 10 of the begin, … and 10 of the end; wide characters are never
 * cut in half. */
static void names_keep_both_ends(void **state)
{
	static const struct ts_grid_column names[] = {{"name", TS_ALIGN_NAME, 4}};
	static const char *const cells[] = {"pretrain-fineweb-seed42-node17", "short", "日本語の実験とその続きの実験"};
	struct ts_term term = {.width = 21};
	struct ts_buf out = TS_BUF_INIT(1 << 16);
	struct ts_grid grid;
	struct ts_error err;

	(void)state;
	ts_grid_init(&grid, names, 1, &arena);
	for (size_t i = 0; i < 3; i++)
		ts_grid_text(&grid, TS_STYLE_PLAIN, cells[i]);
	assert_int_equal(ts_grid_print(&grid, &term, 0, &out, &err), TS_OK);
	ts_buf_char(&out, '\0');
	assert_string_equal((const char *)out.data, "name\npretrain-f…d42-node17\nshort\n日本語の実…続きの実験\n");
	ts_buf_finish(&out);
}

static void folds_what_does_not_fit(void **state)
{
	static const char *const cells[] = {"a long name", "123456", "text"};

	(void)state;
	/* The least width is 4 + 2 + 6 + 2 + 4 = 18 columns, so a row takes two lines in 14 columns, of which the name has what
	 * the number leaves: 14 - 2 - 6 = 6. */
	prints(cells, 3, 14, "name         n\n    what\na lon…  123456\n    text\n");
}

/* What is on a line of its own has that line: it was as narrow there as it had been beside the rest. */
static void a_folded_line_has_its_own_room(void **state)
{
	static const struct ts_grid_column wide[] = {
		{"first", TS_ALIGN_RIGHT, 0}, {"second", TS_ALIGN_RIGHT, 0}, {"name", TS_ALIGN_LEFT, 6}};
	static const char *const cells[] = {
		"1234567890", "123456", "a name of 22 columns..", "1", "2", "a name of more than the line has"};
	struct ts_term term = {.width = 28};
	struct ts_buf out = TS_BUF_INIT(1 << 16);
	struct ts_grid grid;
	struct ts_error err;

	(void)state;
	ts_grid_init(&grid, wide, 3, &arena);
	for (size_t i = 0; i < 6; i++)
		ts_grid_text(&grid, TS_STYLE_PLAIN, cells[i]);
	/* 10 + 2 + 6 + 2 + 6 = 26: it fits with the name cut to 8. In 22 it does not, and the name has 22 - 4. */
	assert_int_equal(ts_grid_print(&grid, &term, 0, &out, &err), TS_OK);
	term.width = 22;
	assert_int_equal(ts_grid_print(&grid, &term, 0, &out, &err), TS_OK);
	ts_buf_char(&out, '\0');
	assert_string_equal((const char *)out.data, "     first  second  name\n"
						    "1234567890  123456  a name …\n"
						    "         1       2  a name …\n"
						    "     first  second\n"
						    "    name\n"
						    "1234567890  123456\n"
						    "    a name of 22 colu…\n"
						    "         1       2\n"
						    "    a name of more th…\n");
	ts_buf_finish(&out);
}

static void the_end_of_a_place_stays(void **state)
{
	static const char *const cells[] = {"step", "1", "/home/ada/lab/net.py:54"};
	static const char *const time[] = {"step", "1", "2026-11-23 at 16:25"};

	(void)state;
	/* 4 + 2 + 1 + 2 columns leave 12 of 21, of which one is the ellipsis. A time of day is no place. */
	prints(cells, 3, 21, "name  n  what\nstep  1  …b/net.py:54\n");
	prints(time, 3, 21, "name  n  what\nstep  1  2026-11-23 …\n");
	/* What is empty takes no further line. */
	prints((const char *const[]){"step", "12345678901234", ""}, 3, 20, "name               n\n    what\nstep  12345678901234\n");
	/* Folded, the column has the 16 columns that its line leaves of 20. */
	prints((const char *const[]){"step", "12345678901234", "/home/ada/lab/net.py:54"}, 3, 20,
	       "name               n\n    what\nstep  12345678901234\n    …a/lab/net.py:54\n");
}

static void wide_characters(void **state)
{
	static const char *const cells[] = {"日本語のとても長い", "1", "x"};

	(void)state;
	/* Nine characters have 18 columns. Cut to 12 columns, five characters and the ellipsis are left. */
	prints(cells, 3, 21, "name          n  what\n日本語のと…   1  x\n");
}

static void foreign_text_is_harmless(void **state)
{
	static const char *const cells[] = {"\033[2J", "1", "a\nb\tc"};

	(void)state;
	prints(cells, 3, 0, "name     n  what\n\\x1B[2J  1  a\\nb\\tc\n");
}

static void cuts(void **state)
{
	struct ts_span s;

	(void)state;
	s = ts_text_cut(ts_span_str("abc"), 3, &arena);
	assert_true(ts_span_is(s, "abc"));
	s = ts_text_cut(ts_span_str("abcd"), 3, &arena);
	assert_true(ts_span_is(s, "ab…"));
	s = ts_text_cut(ts_span_str("日本"), 3, &arena); /* the second character would overlap the column of the ellipsis */
	assert_true(ts_span_is(s, "日…"));
}

/* Three columns of width 3 fit into 13 with the usual gap of two blanks, into 11 with one blank, and are cut below that. */
static void closer_before_it_is_cut(void **state)
{
	static const struct ts_grid_column three[] = {{"a", TS_ALIGN_LEFT, 2}, {"b", TS_ALIGN_LEFT, 2}, {"c", TS_ALIGN_LEFT, 2}};
	static const char *const want[] = {"a    b    c\nxxx  yyy  zzz\n", "a   b   c\nxxx yyy zzz\n"};
	static const int widths[] = {13, 11, 10};

	(void)state;
	for (size_t i = 0; i < 3; i++) {
		struct ts_term term = {.width = widths[i]};
		struct ts_buf out = TS_BUF_INIT(1 << 10);
		struct ts_grid grid;
		struct ts_error err;

		ts_grid_init(&grid, three, 3, &arena);
		ts_grid_text(&grid, TS_STYLE_PLAIN, "xxx");
		ts_grid_text(&grid, TS_STYLE_PLAIN, "yyy");
		ts_grid_text(&grid, TS_STYLE_PLAIN, "zzz");
		assert_int_equal(ts_grid_print(&grid, &term, 0, &out, &err), TS_OK);
		ts_buf_char(&out, '\0');
		if (i < 2)
			assert_string_equal((const char *)out.data, want[i]);
		else
			assert_non_null(strstr((const char *)out.data, "…"));
		ts_buf_finish(&out);
	}
}

static void styles_only_with_colour(void **state)
{
	struct ts_term term = {.colour = true};
	struct ts_buf out = TS_BUF_INIT(1 << 10);
	static const struct ts_grid_column one[] = {{NULL, TS_ALIGN_LEFT, 0}};
	struct ts_grid grid;
	struct ts_error err;

	(void)state;
	ts_grid_init(&grid, one, 1, &arena);
	ts_grid_text(&grid, TS_STYLE_RED, "x");
	assert_int_equal(ts_grid_print(&grid, &term, 0, &out, &err), TS_OK);
	ts_buf_char(&out, '\0');
	assert_string_equal((const char *)out.data, "\033[31mx\033[0m\n");
	ts_buf_finish(&out);
}

static void no_memory_is_said(void **state)
{
	struct ts_term term = {0};
	struct ts_buf out = TS_BUF_INIT(1 << 10);
	struct ts_grid grid;
	struct ts_error err;

	(void)state;
	ts_grid_init(&grid, columns, 3, &arena);
	ts_grid_text(&grid, TS_STYLE_PLAIN, NULL); /* a full arena returns NULL */
	assert_int_equal(ts_grid_print(&grid, &term, 0, &out, &err), TS_NO_MEMORY);
	assert_int_equal(out.len, 0);
	ts_buf_finish(&out);
}

static void wraps(const char *text, int width, int indent, const char *want)
{
	struct ts_buf out = TS_BUF_INIT(1 << 12);

	ts_wrap(&out, text, width, indent);
	ts_buf_char(&out, '\0');
	assert_string_equal((const char *)out.data, want);
	ts_buf_finish(&out);
}

static void wrapping(void **state)
{
	(void)state;
	wraps("one two three", 9, 0, "one two\nthree\n");
	wraps("one two three", 9, 2, "  one two\n  three\n");
	wraps("one\n\ntwo three", 20, 0, "one\n\ntwo three\n");
	wraps("averyverylongword x", 5, 0, "averyverylongword\nx\n");
	wraps("日本 語", 6, 0, "日本\n語\n");
	wraps("日本 語", 7, 0, "日本 語\n");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(whole_without_a_width),    cmocka_unit_test(widest_shrinks_first),
		cmocka_unit_test(folds_what_does_not_fit),  cmocka_unit_test(a_folded_line_has_its_own_room),
		cmocka_unit_test(the_end_of_a_place_stays), cmocka_unit_test(wide_characters),
		cmocka_unit_test(foreign_text_is_harmless), cmocka_unit_test(cuts),
		cmocka_unit_test(closer_before_it_is_cut),  cmocka_unit_test(styles_only_with_colour),
		cmocka_unit_test(no_memory_is_said),	    cmocka_unit_test(wrapping),
		cmocka_unit_test(names_keep_both_ends),
	};

	return cmocka_run_group_tests(tests, setup, teardown);
}
