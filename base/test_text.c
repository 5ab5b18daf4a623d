#include "base/text.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

static void check(struct ts_buf *out, const char *want)
{
	ts_buf_char(out, '\0');
	assert_string_equal((const char *)out->data, want);
	ts_buf_reset(out);
}

static void test_escape_makes_text_harmless(void **unused)
{
	static const char *const cases[][2] = {
		{"plain text, \\n as it is \"q\"", "plain text, \\n as it is \"q\""},
		{"a\nb\tc\rd", "a\\nb\\tc\\rd"},
		{"\x1b[31mred\x1b]0;title\x07", "\\x1B[31mred\\x1B]0;title\\x07"},
		{"\x7f\b\x01", "\\x7F\\x08\\x01"},
		{"\xC2\x9B"
		 "31m\xC2\x80\xC2\x9F\xC2\x85",
		 "\\u{009B}31m\\u{0080}\\u{009F}\\u{0085}"},
		{"\xC2\xA0\xC3\xA9\xE6\x97\xA5\xF0\x9F\x98\x80", "\xC2\xA0\xC3\xA9\xE6\x97\xA5\xF0\x9F\x98\x80"},
		{"\xE2\x80\xAA\xE2\x80\xAB\xE2\x80\xAC\xE2\x80\xAD\xE2\x80\xAE", "\\u{202A}\\u{202B}\\u{202C}\\u{202D}\\u{202E}"},
		{"\xE2\x81\xA6\xE2\x81\xA7\xE2\x81\xA8\xE2\x81\xA9", "\\u{2066}\\u{2067}\\u{2068}\\u{2069}"},
		{"\xE2\x80\x8E\xE2\x80\x8F\xD8\x9C", "\\u{200E}\\u{200F}\\u{061C}"},
		{"\xE2\x80\xA8\xE2\x80\xA9", "\\u{2028}\\u{2029}"},
		{"a\xE2\x80\x8B"
		 "b\xE2\x80\x8D",
		 "a\\u{200B}b\\u{200D}"},
		{"\xEF\xBB\xBF|\xC2\xAD|\xE2\x81\xA0|\xF3\xA0\x81\x81|\xE1\xA0\x8E",
		 "\\u{FEFF}|\\u{00AD}|\\u{2060}|\\u{E0041}|\\u{180E}"},
		{"::error ::x", "\\x3A:error \\x3A:x"},
		{"a ::set-output name=b::c\n::d", "a \\x3A:set-output name=b::c\\n\\x3A:d"},
		{"std::vector :: a:b ::", "std::vector \\x3A: a:b \\x3A:"},
		{"##[error]a ##vso[task.x] ###[", "#\\x23[error]a #\\x23vso[task.x] ##\\x23["},
		{"# a, ## b, #[c], ##1[", "# a, ## b, #[c], ##1["},
		{"\xFF\xC0\xAF\xE2\x82", "\\xFF\\xC0\\xAF\\xE2\\x82"},
		{"\x9B"
		 "31m",
		 "\\x9B31m"},
		{"\xED\xA0\x80", "\\xED\\xA0\\x80"},
	};
	struct ts_buf out = TS_BUF_INIT(4096);

	(void)unused;
	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		ts_escape(&out, ts_span_str(cases[i][0]));
		check(&out, cases[i][1]);
	}
	ts_escape(&out, ts_span_of("a\0b", 3));
	check(&out, "a\\x00b");
	ts_buf_finish(&out);
}

/* Escaped text contains no control character for a terminal, whatever the bytes. */
static void test_escape_of_every_byte_and_code_point(void **unused)
{
	struct ts_buf out = TS_BUF_INIT(4096);

	(void)unused;
	for (uint32_t point = 0; point < 0x3000; point++) {
		uint8_t utf8[4];
		size_t n = ts_utf8_put(point, utf8);
		bool bad = point < 0x20 || (point >= 0x7F && point <= 0x9F) || (point >= 0x200B && point <= 0x200F) ||
			   (point >= 0x2028 && point <= 0x202E) || (point >= 0x2060 && point <= 0x206F);

		ts_escape(&out, ts_span_of(utf8, n));
		if (bad)
			for (size_t i = 0; i < out.len; i++)
				assert_true(out.data[i] >= 0x20 && out.data[i] < 0x7F);
		ts_buf_reset(&out);
	}
	for (int c = 0x80; c < 0x100; c++) {
		uint8_t byte = (uint8_t)c;

		ts_escape(&out, ts_span_of(&byte, 1));
		assert_int_equal(out.len, 4);
		assert_int_equal(out.data[0], '\\');
		ts_buf_reset(&out);
	}
	ts_buf_finish(&out);
}

static void test_grouped(void **unused)
{
	static const struct {
		uint64_t n;
		const char *want;
	} cases[] = {{0, "0"}, {12, "12"}, {999, "999"}, {1000, "1,000"}, {999999, "999,999"}, {1234567, "1,234,567"},
		     {UINT64_MAX, "18,446,744,073,709,551,615"}};
	struct ts_buf out = TS_BUF_INIT(4096);

	(void)unused;
	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		ts_print_grouped(&out, cases[i].n);
		check(&out, cases[i].want);
	}
	ts_buf_finish(&out);
}

static void test_hex(void **unused)
{
	static const uint8_t bytes[] = {0x00, 0x7f, 0x80, 0xff, 0x0a};
	struct ts_buf out = TS_BUF_INIT(64);
	uint8_t back[5];

	(void)unused;
	ts_print_hex(&out, ts_span_of(bytes, sizeof bytes));
	assert_true(ts_span_is(ts_buf_view(&out), "007f80ff0a"));
	assert_true(ts_parse_hex(ts_span_str("007F80fF0a"), back));
	assert_memory_equal(back, bytes, sizeof bytes);
	assert_true(ts_parse_hex(ts_span_str(""), back));
	assert_false(ts_parse_hex(ts_span_str("0"), back));
	assert_false(ts_parse_hex(ts_span_str("0g"), back));
	assert_false(ts_parse_hex(ts_span_str("@0"), back));
	ts_buf_finish(&out);
}

static void test_bytes(void **unused)
{
	static const struct {
		double n;
		const char *want;
	} cases[] = {
		{0, "0 B"}, {17, "17 B"}, {1023, "1023 B"}, {1024, "1 KiB"}, {1536, "1.5 KiB"}, {1.2 * 1048576, "1.2 MiB"},
		{1.234 * 1048576, "1.23 MiB"}, {12.34 * 1048576, "12.3 MiB"}, {123.4 * 1048576, "123 MiB"},
		{1023.4 * 1024, "1023 KiB"}, {1023.6 * 1024, "1 MiB"}, {9.996 * 1024, "10 KiB"}, {99.97 * 1024, "100 KiB"},
		{7025475072.0, "6.54 GiB"}, {80.0 * 1073741824, "80 GiB"}, {-1536, "-1.5 KiB"},
		{0x1p60, "1 EiB"}, {0x1p70, "1024 EiB"}, {(double)NAN, "NaN"}, {(double)INFINITY, "Infinity"},
	};
	struct ts_buf out = TS_BUF_INIT(4096);

	(void)unused;
	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		ts_print_bytes(&out, cases[i].n);
		check(&out, cases[i].want);
	}
	ts_buf_finish(&out);
}

static void test_utf8(void **unused)
{
	uint8_t utf8[4];
	uint32_t back = 0;

	(void)unused;
	for (uint32_t point = 0; point <= 0x10FFFF; point += point < 0x11000 ? 1 : 97) {
		size_t n;

		if (point >= 0xD800 && point < 0xE000)
			continue;
		n = ts_utf8_put(point, utf8);
		assert_int_equal(ts_utf8_next(ts_span_of(utf8, n), &back), n);
		assert_int_equal(back, point);
		assert_int_equal(ts_utf8_next(ts_span_of(utf8, n - 1), &back), 0);
	}
	assert_true(ts_utf8_valid(ts_span_str("a\xC3\xA9\xE2\x82\xAC\xF0\x9F\x98\x80")));
	assert_true(ts_utf8_valid(ts_span_of(NULL, 0)));
	/* Of "a", two bytes of an e with an accent, and three of a sign. */
	for (size_t most = 0; most < 9; most++) {
		static const size_t whole[] = {0, 1, 1, 3, 3, 3, 6, 6, 6};

		assert_int_equal(ts_utf8_cut(ts_span_str("a\xC3\xA9\xE2\x82\xAC"), most).len, whole[most]);
	}
	assert_false(ts_utf8_valid(ts_span_str("ab\xC3")));
	assert_false(ts_utf8_valid(ts_span_str("\xC0\x80")));
	assert_false(ts_utf8_valid(ts_span_str("\xED\xBF\xBF")));
	assert_false(ts_utf8_valid(ts_span_str("\xF4\x90\x80\x80")));
}

static void test_width(void **unused)
{
	(void)unused;
	assert_int_equal(ts_text_width(ts_span_str("abc")), 3);
	assert_int_equal(ts_text_width(ts_span_str("caf\xC3\xA9")), 4);
	assert_int_equal(ts_text_width(ts_span_str("cafe\xCC\x81")), 4); /* e and a combining acute */
	assert_int_equal(ts_text_width(ts_span_str("\xE6\x97\xA5\xE6\x9C\xAC")), 4); /* two ideographs */
	assert_int_equal(ts_text_width(ts_span_str("\xEF\xBC\xA1")), 2);	     /* fullwidth A */
	assert_int_equal(ts_text_width(ts_span_str("\xF0\x9F\x98\x80")), 2);	     /* an emoji */
	assert_int_equal(ts_text_width(ts_span_str("a\xE2\x80\x8B" "b")), 2);	     /* zero width space */
	assert_int_equal(ts_text_width(ts_span_str("\xE2\x94\x82")), 1);	     /* a box line */
	assert_int_equal(ts_text_width(ts_span_str("")), 0);
}

static void test_glob(void **unused)
{
	static const struct {
		const char *pattern;
		const char *text;
		bool match;
	} cases[] = {
		{"", "", true},	      {"", "a", false},	     {"*", "", true},	    {"*", "a/b.c", true}, {"?", "", false},
		{"?", "a", true},     {"a*c", "abc", true},  {"a*c", "ac", true},   {"a*c", "abcd", false},
		{"a*b*c", "aXbYbZc", true}, {"*ab", "aab", true}, {"*.weight", "layer.0.weight", true},
		{"a?c", "abbc", false}, {"**a", "bba", true}, {"a**", "a", true}, {"loss*", "train.loss", false},
		{"abc", "abc", true}, {"abc", "ab", false}, {"ab", "abc", false}, {"*a*a*a*", "aa", false},
	};

	(void)unused;
	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
		if (ts_glob(ts_span_str(cases[i].pattern), ts_span_str(cases[i].text)) != cases[i].match)
			fail_msg("%s on %s", cases[i].pattern, cases[i].text);
}

static void test_predicates(void **unused)
{
	int digits = 0;
	int letters = 0;
	int spaces = 0;

	(void)unused;
	for (int c = 0; c < 256; c++) {
		digits += ts_is_digit((unsigned char)c);
		letters += ts_is_alpha((unsigned char)c);
		spaces += ts_is_space((unsigned char)c);
	}
	assert_int_equal(digits, 10);
	assert_int_equal(letters, 52);
	assert_int_equal(spaces, 6);
	assert_true(ts_is_digit('0') && ts_is_alpha('z') && ts_is_alpha('A') && ts_is_space('\v'));
}

static void expect_escaped(const char *text, const char *want)
{
	struct ts_buf out = TS_BUF_INIT(256);

	ts_escape(&out, ts_span_str(text));
	if (!ts_span_is(ts_buf_view(&out), want))
		fail_msg("%s: %.*s", text, TS_SPAN_ARG(ts_buf_view(&out)));
	ts_buf_finish(&out);
}

/* A Cyrillic a in a Latin word is told from the Latin one; words of one script, and letters that look like no other, stay. */
static void test_letters_that_look_like_others_are_shown(void **unused)
{
	char far[200];

	(void)unused;
	expect_escaped("b\xd0\xb0se", "b\\u{0430}se");
	expect_escaped("\xd0\xb0pple", "\\u{0430}pple");
	/* One glyph, two ways to write it: that in one is shown, and the other is not taken for it. */
	expect_escaped("caf\xc3\xa9", "caf\xc3\xa9");
	expect_escaped("cafe\xcc\x81", "cafe\\u{0301}");
	expect_escaped("\xe2\x84\xabx", "\\u{212B}x");
	expect_escaped("\xef\xac\x81t", "\\u{FB01}t");
	expect_escaped("b\xef\xbd\x81se", "b\\u{FF41}se");
	expect_escaped("b\xf0\x9d\x92\xb6", "b\\u{1D4B6}");
	expect_escaped("\xef\xbc\xa1\xef\xbc\xa2", "\xef\xbc\xa1\xef\xbc\xa2"); /* in one script alone */
	expect_escaped("\xd0\xb8\xcc\x86", "\xd0\xb8\xcc\x86");
	expect_escaped("\xcc\x81", "\xcc\x81");
	expect_escaped("m\xce\xbf" "del-\xd0\xbe", "m\\u{03BF}del-\xd0\xbe"); /* the second word is Cyrillic alone */
	expect_escaped("\xc3\xb6\xd0\xb5", "\xc3\xb6\\u{0435}");
	expect_escaped("\xd1\x81\xd0\xbe\xd1\x80\xd1\x83 copy", "\xd1\x81\xd0\xbe\xd1\x80\xd1\x83 copy");
	expect_escaped("\xce\x94loss \xce\xbcs \xce\xbb_reg \xcf\x83x", "\xce\x94loss \xce\xbcs \xce\xbb_reg \xcf\x83x");
	memset(far, 'x', sizeof far);
	strcpy(far + 60, "\xd0\xbe");
	expect_escaped(far + 50, "xxxxxxxxxx\\u{043E}");
}

static void test_trim(void **unused)
{
	static const struct {
		const char *text, *want;
	} cases[] = {{"", ""}, {" \t\r\n\v\f", ""}, {"a", "a"}, {"  a b\t\n", "a b"}, {"a ", "a"}, {" a", "a"}};

	(void)unused;
	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
		if (!ts_span_is(ts_trim(ts_span_str(cases[i].text)), cases[i].want))
			fail_msg("case %zu", i);
	assert_int_equal(ts_trim(ts_span_of(NULL, 0)).len, 0);
}

/* A text that fits stays whole; a cut text ends in dots and still fits, also where every character takes four bytes. */
static void test_a_foreign_word_is_cut(void **unused)
{
	uint8_t bytes[200];

	(void)unused;
	assert_string_equal(ts_show(ts_span_str("lr\x1b")).text, "lr\\x1B");
	assert_string_equal(ts_show(ts_span_of(NULL, 0)).text, "");
	memset(bytes, 'x', sizeof bytes);
	assert_int_equal(strlen(ts_show(ts_span_of(bytes, 60)).text), 60);
	assert_int_equal(strlen(ts_show(ts_span_of(bytes, 61)).text), 63);
	assert_string_equal(ts_show(ts_span_of(bytes, 61)).text + 60, "...");
	memset(bytes, 0x80, sizeof bytes);
	assert_int_equal(strlen(ts_show(ts_span_of(bytes, sizeof bytes)).text), 63);
}

static void test_the_next_line_has_its_newline(void **unused)
{
	static const char *const lines[] = {"a\n", "\n", "b"};
	struct ts_span rest = ts_span_str("a\n\nb");

	(void)unused;
	for (size_t i = 0; i < sizeof lines / sizeof *lines; i++)
		assert_true(ts_span_is(ts_span_next_line(&rest), lines[i]));
	assert_int_equal(ts_span_next_line(&rest).len, 0);
	rest = ts_span_of(NULL, 0);
	assert_int_equal(ts_span_next_line(&rest).len, 0);
	assert_null(rest.data);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_the_next_line_has_its_newline),
		cmocka_unit_test(test_escape_makes_text_harmless),
		cmocka_unit_test(test_escape_of_every_byte_and_code_point),
		cmocka_unit_test(test_grouped),
		cmocka_unit_test(test_hex),
		cmocka_unit_test(test_bytes),
		cmocka_unit_test(test_utf8),
		cmocka_unit_test(test_width),
		cmocka_unit_test(test_glob),
		cmocka_unit_test(test_predicates),
		cmocka_unit_test(test_letters_that_look_like_others_are_shown),
		cmocka_unit_test(test_trim),
		cmocka_unit_test(test_a_foreign_word_is_cut),
	};

	return cmocka_run_group_tests_name("text", tests, NULL, NULL);
}
