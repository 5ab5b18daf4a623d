/* name.h: the characters of names. The classes are those of the Unicode Character Database. */
#include "run/name.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h>

static void characters_of_a_name(void **state)
{
	static const struct {
		const char *text;
		size_t first, later;
	} cases[] = {
		{"a", 1, 1},
		{"7", 1, 1},
		{".", 0, 1},
		{"-", 0, 1},
		{"/", 0, 0},
		{" ", 0, 0},
		{"", 0, 0},
		{"\xc3\xb6", 2, 2},	    /* o with diaeresis */
		{"\xc3\x9f", 2, 2},	    /* sharp s */
		{"\xe5\xae\x9f", 3, 3},	    /* a CJK character */
		{"\xf0\x9f\x94\xa5", 4, 4}, /* a fire */
		{"\xcc\x88", 0, 2},	    /* a diaeresis that joins the character before it, as in names from macOS */
		{"\xc3", 0, 0},		    /* cut */
		{"\xff", 0, 0},
		{"\xc0\xaf", 0, 0},	/* an overlong slash */
		{"\xc2\x85", 0, 0},	/* a C1 control character */
		{"\xc2\xa0", 0, 0},	/* a space that does not break */
		{"\xe2\x80\x8b", 0, 0}, /* a space of no width */
		{"\xe2\x80\xae", 0, 0}, /* from right to left */
		{"\xe2\x80\xa8", 0, 0}, /* the end of a line */
		{"\xed\xa0\x80", 0, 0}, /* a surrogate */
	};

	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		assert_int_equal(ts_name_char(ts_span_str(cases[i].text), true), cases[i].first);
		assert_int_equal(ts_name_char(ts_span_str(cases[i].text), false), cases[i].later);
	}
	assert_int_equal(ts_name_char(ts_span_of("\0", 1), false), 0);
}

/* Names that older versions let in and that look like others. The characters are those of DefaultIgnorableCodePoint and of the
 * categories Cf, Zs, Zl and Zp in DerivedCoreProperties.txt and UnicodeData.txt. */
static void what_shows_nothing_is_told(void **state)
{
	static const struct {
		const char *name;
		size_t at;
		uint32_t point;
	} cases[] = {
		{"p/a\xef\xb8\x8f", 3, 0xfe0f}, {"p/\xe1\x85\x9f", 2, 0x115f}, {"p/a\xcd\x8f" "b", 3, 0x34f},
		{"p/\xf3\xa0\x87\xaf", 2, 0xe01ef}, {"\xe3\x85\xa4/a", 0, 0x3164}, {"p/\xe2\xa0\x80", 2, 0x2800},
		{"p/a\xd8\x80", 3, 0x600}, {"p/a\xc2\xad", 3, 0xad}, {"p/\xe2\x80\xae" "a", 2, 0x202e},
		{"p/a\xef\xbb\xbf", 3, 0xfeff}, {"p/\xf3\xa0\x81\x81", 2, 0xe0041}, {"p/\xe2\x80\xa9", 2, 0x2029},
	};
	uint32_t point;
	size_t at;

	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		assert_false(ts_name_is_visible(ts_span_str(cases[i].name), &at, &point));
		assert_int_equal(at, cases[i].at);
		assert_int_equal(point, cases[i].point);
	}
	assert_true(ts_name_is_visible(ts_span_str("p/gr\xc3\xb6\xc3\x9f" "e-\xe5\xae\x9f\xf0\x9f\x94\xa5.1"), &at, &point));
}

/* By the text of gitignore(5), and by `git ls-files ':(glob)PATTERN'` where a pattern has a slash. */
static void globs(void **state)
{
	static const struct {
		const char *pattern, *name;
		bool matches;
	} cases[] = {
		{"exp23", "exp23", true},
		{"exp23", "runs30/exp23", true},
		{"exp*", "runs30/exp23", true},
		{"exp*", "a/b/c/exp", true},
		{"exp*", "exp1/eval", false},
		{"*", "a/b", true},
		{"*3", "runs30/exp23", true},
		{"e?p23", "runs30/exp23", true},
		{"exp2[0-4]", "runs30/exp23", true},
		{"exp2[!0-4]", "runs30/exp23", false},
		{"exp2[]3]", "exp23", true},
		{"exp2[3", "exp23", false},
		{"exp2[3", "exp2[3", true},
		{"[r]uns30?exp23", "runs30/exp23", false},
		{"foo/*", "foo/test.json", true},
		{"foo/*", "foo/bar", true},
		{"foo/*", "foo/bar/hello.c", false},
		{"foo*/b", "foo/a/b", false},
		{"**/foo", "foo", true},
		{"**/foo", "a/b/foo", true},
		{"**/foo", "a/foo/b", false},
		{"**/foo/bar", "x/foo/bar", true},
		{"abc/**", "abc/x/y", true},
		{"abc/**", "abc", false},
		{"abc/", "abc/x/y", true},
		{"abc/", "abc", false},
		{"*/", "abc/x", true},
		{"*/", "abc", false},
		{"a/**/b", "a/b", true},
		{"a/**/b", "a/x/b", true},
		{"a/**/b", "a/x/y/b", true},
		{"a/**/b", "a/x/y/c", false},
		{"a/**/b/**/c", "a/b/b/x/c", true},
		{"**", "a", true},
		{"**", "a/b", true},
		{"/exp*", "exp1", true},
		{"/exp*", "runs/exp1", false},
		{"2026-*/10-*", "2026-11-29/10-11-12", true},
		{"", "a", false},
		{"a*a*a*b", "aaaaaaaaaaaaaaaaaaaaaaaa", false},
	};

	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
		if (ts_name_glob(ts_span_str(cases[i].pattern), ts_span_str(cases[i].name)) != cases[i].matches)
			fail_msg("%s and %s", cases[i].pattern, cases[i].name);
}

static void ends(void **state)
{
	(void)state;
	assert_true(ts_name_ends(ts_span_str("sweep/a"), ts_span_str("a")));
	assert_true(ts_name_ends(ts_span_str("x/sweep/a"), ts_span_str("sweep/a")));
	assert_false(ts_name_ends(ts_span_str("sweep/a"), ts_span_str("sweep/a")));
	assert_false(ts_name_ends(ts_span_str("sweep/a"), ts_span_str("p/a")));
	assert_false(ts_name_ends(ts_span_str("sweep/ba"), ts_span_str("a")));
	assert_false(ts_name_ends(ts_span_str("sweep/a"), ts_span_str("")));
	assert_false(ts_name_ends(ts_span_str("a"), ts_span_str("sweep/a")));
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(characters_of_a_name),
		cmocka_unit_test(what_shows_nothing_is_told), cmocka_unit_test(globs), cmocka_unit_test(ends)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
