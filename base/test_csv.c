/* A cell of CSV: quotes by RFC 4180, and no formula where none is wanted. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include "base/csv.h"

#include <cmocka.h>

static void check(const char *text, unsigned flags, const char *want)
{
	struct ts_buf out = TS_BUF_INIT(1 << 10);

	ts_csv_cell(&out, ts_span_str(text), flags);
	ts_buf_char(&out, '\0');
	assert_string_equal((const char *)out.data, want);
	ts_buf_finish(&out);
}

static void quotes_where_they_are_needed(void **state)
{
	(void)state;
	check("plain; text", 0, "plain; text");
	check("", 0, "\"\"");
	check("a,b", 0, "\"a,b\"");
	check("say \"x\"\n", 0, "\"say \"\"x\"\"\n\"");
	check("plain", TS_CSV_QUOTED, "\"plain\"");
	check("=1+1", 0, "=1+1");
}

static void formulas_become_text(void **state)
{
	(void)state;
	check("=1+1", TS_CSV_NO_FORMULA, "'=1+1");
	check("=HYPERLINK(\"http://x\",\"y\")", TS_CSV_NO_FORMULA, "\"'=HYPERLINK(\"\"http://x\"\",\"\"y\"\")\"");
	check("+cmd|' /C calc'!A0", TS_CSV_NO_FORMULA, "'+cmd|' /C calc'!A0");
	check("-2+3", TS_CSV_NO_FORMULA, "'-2+3");
	check("@SUM(A1)", TS_CSV_NO_FORMULA | TS_CSV_QUOTED, "\"'@SUM(A1)\"");
	check("\t=1", TS_CSV_NO_FORMULA, "\"'\t=1\"");
	check("\xEF\xBC\x9D" "1+1", TS_CSV_NO_FORMULA, "'\xEF\xBC\x9D" "1+1");
	check("a;=1+1", TS_CSV_NO_FORMULA, "\"a;=1+1\"");
}

static void numbers_stay_numbers(void **state)
{
	static const char *const numbers[] = {"-0.5", "-1e-05", "-12345678901234567890", "-0.0", "7"};

	(void)state;
	for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++)
		check(numbers[i], TS_CSV_NO_FORMULA, numbers[i]);
	check("a-b", TS_CSV_NO_FORMULA, "a-b");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(quotes_where_they_are_needed),
		cmocka_unit_test(formulas_become_text),
		cmocka_unit_test(numbers_stay_numbers),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
