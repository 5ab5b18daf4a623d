/* Tables that fit: nothing is cut without a width, columns shrink, then lines fold; foreign text is harmless. Rows of a shape have the
 * headings and units of its table, and what is null in JSON is unknown there, too. The same table as HTML. */
#include "base/test_arena.h"
#include "cli/view/view.h"
#include "proto/shape/shape_rows.h"

#include <setjmp.h>
#include <stdarg.h>
#include <cmocka.h>

static const struct ts_view_column columns[] = {TS_LEFT("name", 4), TS_RIGHT("n"), TS_LEFT("what", 6)};

static void prints(const char *const *cells, size_t n, int width, const char *want)
{
	struct ts_term term = {.width = width};
	struct ts_buf out = TS_BUF_INIT(1 << 16);
	struct ts_view view;
	struct ts_error err;

	ts_view_init(&view, TS_VIEW_COLUMNS(columns), &arena);
	for (size_t i = 0; i < n; i++)
		ts_view_text(&view, TS_STYLE_BOLD, cells[i]);
	assert_int_equal(ts_view_print(&view, &term, 0, &out, &err), TS_OK);
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
	static const struct ts_view_column names[] = {TS_NAMED("name", 4)};
	static const char *const cells[] = {"pretrain-fineweb-seed42-node17", "short", "日本語の実験とその続きの実験"};
	struct ts_term term = {.width = 21};
	struct ts_buf out = TS_BUF_INIT(1 << 16);
	struct ts_view view;
	struct ts_error err;

	(void)state;
	ts_view_init(&view, TS_VIEW_COLUMNS(names), &arena);
	for (size_t i = 0; i < 3; i++)
		ts_view_text(&view, TS_STYLE_PLAIN, cells[i]);
	assert_int_equal(ts_view_print(&view, &term, 0, &out, &err), TS_OK);
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
	static const struct ts_view_column wide[] = {TS_RIGHT("first"), TS_RIGHT("second"), TS_LEFT("name", 6)};
	static const char *const cells[] = {
		"1234567890", "123456", "a name of 22 columns..", "1", "2", "a name of more than the line has"};
	struct ts_term term = {.width = 28};
	struct ts_buf out = TS_BUF_INIT(1 << 16);
	struct ts_view view;
	struct ts_error err;

	(void)state;
	ts_view_init(&view, TS_VIEW_COLUMNS(wide), &arena);
	for (size_t i = 0; i < 6; i++)
		ts_view_text(&view, TS_STYLE_PLAIN, cells[i]);
	/* 10 + 2 + 6 + 2 + 6 = 26: it fits with the name cut to 8. In 22 it does not, and the name has 22 - 4. */
	assert_int_equal(ts_view_print(&view, &term, 0, &out, &err), TS_OK);
	term.width = 22;
	assert_int_equal(ts_view_print(&view, &term, 0, &out, &err), TS_OK);
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
	static const struct ts_view_column three[] = {TS_LEFT("a", 2), TS_LEFT("b", 2), TS_LEFT("c", 2)};
	static const char *const want[] = {"a    b    c\nxxx  yyy  zzz\n", "a   b   c\nxxx yyy zzz\n"};
	static const int widths[] = {13, 11, 10};

	(void)state;
	for (size_t i = 0; i < 3; i++) {
		struct ts_term term = {.width = widths[i]};
		struct ts_buf out = TS_BUF_INIT(1 << 10);
		struct ts_view view;
		struct ts_error err;

		ts_view_init(&view, TS_VIEW_COLUMNS(three), &arena);
		ts_view_text(&view, TS_STYLE_PLAIN, "xxx");
		ts_view_text(&view, TS_STYLE_PLAIN, "yyy");
		ts_view_text(&view, TS_STYLE_PLAIN, "zzz");
		assert_int_equal(ts_view_print(&view, &term, 0, &out, &err), TS_OK);
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
	static const struct ts_view_column one[] = {TS_LEFT(NULL, 0)};
	struct ts_view view;
	struct ts_error err;

	(void)state;
	ts_view_init(&view, TS_VIEW_COLUMNS(one), &arena);
	ts_view_text(&view, TS_STYLE_RED, "x");
	assert_int_equal(ts_view_print(&view, &term, 0, &out, &err), TS_OK);
	ts_buf_char(&out, '\0');
	assert_string_equal((const char *)out.data, "\033[31mx\033[0m\n");
	ts_buf_finish(&out);
}

static void no_memory_is_said(void **state)
{
	struct ts_term term = {0};
	struct ts_buf out = TS_BUF_INIT(1 << 10);
	struct ts_view view;
	struct ts_error err;

	(void)state;
	ts_view_init(&view, TS_VIEW_COLUMNS(columns), &arena);
	ts_view_text(&view, TS_STYLE_PLAIN, NULL); /* a full arena returns NULL */
	assert_int_equal(ts_view_print(&view, &term, 0, &out, &err), TS_NO_MEMORY);
	assert_int_equal(out.len, 0);
	ts_buf_finish(&out);
}

/* --- rows of a shape --- */

struct part {
	uint64_t ns;
	double ratio;
};

struct thing {
	struct ts_span name;
	uint64_t bytes;
	int64_t step;
	bool known;
	int32_t stream;
	bool all;
	struct part own;
};

#define TYPE struct part
static const struct ts_shape_field part_rows[] = {
	{NULL, "sum_ns", U64(ns), SHARE("share")},
	{NULL, "mean_ratio", F64(ratio), HEAD("mean"), OR_NULL, ABSENT("unknown")},
};
static const struct ts_shape part_shape = {JSON_SHAPE("part", part_rows)};
#undef TYPE

#define TYPE struct thing
static const char *no_stream(const void *in)
{
	return ((const TYPE *)in)->all ? "all" : "unknown";
}

static bool of_stream(const void *in)
{
	return ((const TYPE *)in)->stream >= 0;
}

static const struct ts_shape_field thing_rows[] = {
	{NULL, "name", BYTES(name, 0), HEAD("name"), NARROW(4)},
	{NULL, "size_bytes", U64(bytes), HEAD("size"), STRONG},
	{NULL, "at_step", I64(step), HAS(known), HEAD("at")},
	{NULL, "stream", I32(stream), WHEN(of_stream), HEAD("stream"), LEFT, ABSENT_OF(no_stream)},
	{NULL, "all", BOOL(all)},
	{NULL, "own", ONE(own, part_shape), HEAD("own")},
};
static const struct ts_shape thing_shape = {JSON_SHAPE("thing", thing_rows)};
#undef TYPE

static const struct thing things[] = {
	{{(const uint8_t *)"a\nb", 3}, 2048, 7, true, 3, false, {1500000, 0.5}},
	{{(const uint8_t *)"c", 1}, 0, 7, false, -1, true, {500000, NAN}},
};

static void shows(const struct ts_view *view, bool page, const char *want)
{
	struct ts_term term = {.page = page};
	struct ts_buf out = TS_BUF_INIT(1 << 16);
	struct ts_error err;

	assert_int_equal(ts_view_print(view, &term, 0, &out, &err), TS_OK);
	ts_buf_char(&out, '\0');
	assert_string_equal((const char *)out.data, want);
	ts_buf_finish(&out);
}

/* Numbers are aligned to the right unless their row says otherwise, and have the unit of their key; what is null has a word for it. */
static void columns_are_rows_of_the_shape(void **state)
{
	struct ts_view view;

	(void)state;
	ts_view_of(&view, &thing_shape, "name size_bytes at_step stream own.sum_ns own.mean_ratio", &arena);
	ts_view_rows(&view, things, 2);
	shows(&view, false,
	      "name   size  at  stream          own     mean\n"
	      "a\\nb  2 KiB   7  3       1.500000 ms      0.5\n"
	      "c       0 B   -  all     0.500000 ms  unknown\n");
}

/* Without keys the columns are the members that have a heading; a struct within stands for those that it has. */
static void headed_members_are_the_default(void **state)
{
	struct ts_view view;

	(void)state;
	ts_view_of(&view, &part_shape, NULL, &arena);
	ts_view_row(&view, &things[0].own);
	shows(&view, false, "mean\n 0.5\n");
	ts_view_of(&view, &thing_shape, "own name", &arena);
	ts_view_rows(&view, things, 1);
	shows(&view, false, "mean  name\n 0.5  a\\nb\n");
}

struct answer {
	const struct thing *things;
	size_t n;
};

#define TYPE struct answer
static const struct ts_shape_field answer_rows[] = {
	{NULL, "things", MANY(things, n, thing_shape, 2)},
};
static const struct ts_shape answer_shape = {JSON_SHAPE("answer", answer_rows)};
#undef TYPE

static void a_list_of_an_answer_is_a_table(void **state)
{
	const struct answer answer = {things, 2};
	struct ts_view view;

	(void)state;
	ts_view_list(&view, &answer_shape, &answer, "things", "stream at_step", &arena);
	shows(&view, false, "stream  at\n3        7\nall      -\n");
}

static void shares_are_of_the_whole(void **state)
{
	static const struct ts_view_column made[] = {TS_LEFT("said", 0), {.head = "part", .key = "own.sum_ns"}};
	struct ts_view view;

	(void)state;
	ts_view_with(&view, &thing_shape, "own.sum_ns own.sum_ns% said", TS_VIEW_COLUMNS(made), &arena);
	view.whole = 2000000;
	ts_view_rows(&view, things, 2);
	ts_view_set(&view, "said", TS_STYLE_PLAIN, "the last");
	shows(&view, false,
	      "       part   share  said\n"
	      "1.500000 ms  75.0 %\n"
	      "0.500000 ms  25.0 %  the last\n");
}

static void the_same_table_on_a_page(void **state)
{
	struct ts_view view;

	(void)state;
	ts_view_of(&view, &thing_shape, "size_bytes stream", &arena);
	ts_view_rows(&view, things, 1);
	shows(&view, true,
	      "<div class=\"scroll\" tabindex=\"0\" role=\"group\" aria-label=\"table\"><table class=\"sheet\">\n"
	      "<thead><tr><th scope=\"col\">size</th><th scope=\"col\" class=\"text\">stream</th></tr></thead>\n"
	      "<tbody>\n"
	      "<tr><td class=\"strong\">2 KiB</td><td class=\"text \">3</td></tr>\n"
	      "</tbody></table></div>\n");
}

/* A row whose first cell has a line of its own leaves out what is not known. */
static void indented_rows(void **state)
{
	struct ts_term term = {.width = 16};
	struct ts_buf out = TS_BUF_INIT(1 << 10);
	struct ts_view view;
	struct ts_error err;

	(void)state;
	ts_view_of(&view, &thing_shape, "name size_bytes at_step stream", &arena);
	view.indented = true;
	ts_view_rows(&view, things, 2);
	assert_int_equal(ts_view_print(&view, &term, 2, &out, &err), TS_OK);
	ts_buf_char(&out, '\0');
	assert_string_equal((const char *)out.data,
			    "  a\\nb\n      size 2 KiB\n      at 7\n      stream 3\n  c\n      size 0 B\n      stream all\n");
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
		cmocka_unit_test(whole_without_a_width),
		cmocka_unit_test(widest_shrinks_first),
		cmocka_unit_test(folds_what_does_not_fit),
		cmocka_unit_test(a_folded_line_has_its_own_room),
		cmocka_unit_test(the_end_of_a_place_stays),
		cmocka_unit_test(wide_characters),
		cmocka_unit_test(foreign_text_is_harmless),
		cmocka_unit_test(cuts),
		cmocka_unit_test(closer_before_it_is_cut),
		cmocka_unit_test(styles_only_with_colour),
		cmocka_unit_test(no_memory_is_said),
		cmocka_unit_test(wrapping),
		cmocka_unit_test(names_keep_both_ends),
		cmocka_unit_test(columns_are_rows_of_the_shape),
		cmocka_unit_test(headed_members_are_the_default),
		cmocka_unit_test(a_list_of_an_answer_is_a_table),
		cmocka_unit_test(shares_are_of_the_whole),
		cmocka_unit_test(the_same_table_on_a_page),
		cmocka_unit_test(indented_rows),
	};

	return cmocka_run_group_tests(tests, setup, teardown);
}
