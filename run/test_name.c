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

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(characters_of_a_name)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
