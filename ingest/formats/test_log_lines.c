/* Lines of a text file through a window: what is in UTF-16 comes as the same lines in UTF-8. */
#include "ingest/core/test_support.h"
#include "ingest/formats/log_lines.h"

#include "base/text.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

enum how { LITTLE, BIG, LITTLE_MARKED, BIG_MARKED, HOWS };

static void put_unit(struct ts_buf *out, enum how how, uint32_t unit)
{
	bool big = how == BIG || how == BIG_MARKED;

	ts_buf_char(out, (char)(big ? unit >> 8 : unit & 0xff));
	ts_buf_char(out, (char)(big ? unit & 0xff : unit >> 8));
}

/* The text in UTF-16, by the definition of Unicode. */
static void encode(struct ts_buf *out, enum how how, struct ts_span text)
{
	if (how == LITTLE_MARKED || how == BIG_MARKED)
		put_unit(out, how, 0xfeff);
	for (size_t i = 0; i < text.len;) {
		uint32_t point;

		i += ts_utf8_next(ts_span_from(text, i), &point);
		if (point >= 0x10000) {
			put_unit(out, how, 0xd800 + ((point - 0x10000) >> 10));
			put_unit(out, how, 0xdc00 + ((point - 0x10000) & 0x3ff));
		} else {
			put_unit(out, how, point);
		}
	}
}

/* All lines of the file, each with a line end, and the state behind the last one. */
static void lines_of(struct test_run *t, const char *name, struct ts_buf *out, struct ts_log_lines *lines)
{
	char path[160];
	struct ts_span line;
	enum ts_log_line_end end;

	(void)snprintf(path, sizeof path, "%s/%s", t->base, name);
	assert_int_equal(ts_log_lines_open(lines, path, path, 0, &t->err), TS_OK);
	for (;;) {
		assert_int_equal(ts_log_lines_next(lines, &line, &end, &t->err), TS_OK);
		if (end == TS_LOG_LINES_END)
			break;
		ts_buf_bytes(out, line.data, line.len);
		ts_buf_char(out, '\n');
		assert_true(ts_log_lines_at(lines) <= lines->size);
	}
	assert_int_equal(ts_log_lines_at(lines), lines->size);
	ts_log_lines_close(lines);
}

static void add_line(struct ts_buf *text, int i)
{
	static const char *const marks[] = {"", "\xc3\xa9", "\xe2\x96\x88", "\xf0\x9f\x94\xa5", "\xf0\x9f\x94\xa5\xf0\x9f\x94\xa5"};

	ts_buf_printf(text, "step %d %s loss 2.5\n", i, marks[i % 5]);
}

/* So many lines that windows end everywhere, in a pair as well. */
static void utf16_comes_as_utf8(void **state)
{
	struct ts_buf text = TS_BUF_INIT(1 << 24);

	(void)state;
	for (int i = 0; i < 60000; i++)
		add_line(&text, i);
	for (int how = 0; how < HOWS; how++) {
		struct ts_buf wide = TS_BUF_INIT(1 << 24), got = TS_BUF_INIT(1 << 24);
		struct ts_log_lines lines;
		struct test_run t;

		test_run_init(&t);
		encode(&wide, (enum how)how, ts_buf_view(&text));
		test_write_bytes(&t, "a.log", wide.data, wide.len);
		lines_of(&t, "a.log", &got, &lines);
		assert_int_equal(lines.number, 60001); /* that of the end */
		assert_false(lines.cut);
		assert_int_equal(got.len, text.len);
		assert_memory_equal(got.data, text.data, text.len);
		ts_buf_finish(&wide);
		ts_buf_finish(&got);
		test_run_finish(&t);
	}
	ts_buf_finish(&text);
}

static void damage_costs_a_character(void **state)
{
	static const struct {
		const char *bytes;
		size_t len;
		const char *want;
		bool cut;
	} cases[] = {
		{"\xff\xfe" "a\0\x00\xd8" "b\0\n\0", 10, "a\xef\xbf\xbd" "b\n", false}, /* the first half of a pair alone */
		{"\xff\xfe" "a\0\x00\xdc\n\0", 8, "a\xef\xbf\xbd\n", false},	       /* the second */
		{"\xff\xfe" "a\0\x00\xd8", 6, "a\xef\xbf\xbd\n", true},		       /* the file ends within a pair */
		{"\xff\xfe" "a\0\n\0b", 7, "a\n", false},			       /* ... within a character */
		{"\xff\xfe" "a\0b", 5, "a\n", true},
		{"\xff\xfe", 2, "", false},
		{"\xfe\xff\0a\0\r\0\n", 8, "a\n", false},
		{"\0a\0b\0c", 6, "\0a\0b\0c\n", true}, /* too short to be known without a mark */
	};

	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		struct ts_buf got = TS_BUF_INIT(1 << 10);
		size_t want = i + 1 == sizeof cases / sizeof cases[0] ? 7 : strlen(cases[i].want);
		struct ts_log_lines lines;
		struct test_run t;

		test_run_init(&t);
		test_write_bytes(&t, "a.log", cases[i].bytes, cases[i].len);
		lines_of(&t, "a.log", &got, &lines);
		assert_int_equal(got.len, want);
		assert_true(want == 0 || memcmp(got.data, cases[i].want, want) == 0);
		assert_int_equal(lines.cut, cases[i].cut);
		ts_buf_finish(&got);
		test_run_finish(&t);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(utf16_comes_as_utf8), cmocka_unit_test(damage_costs_a_character)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
