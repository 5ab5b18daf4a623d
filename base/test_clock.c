/* Tests times: the pairs of nanoseconds and text are from Python, datetime.fromtimestamp(s, timezone.utc), and Fraction for
 * the digits that datetime lacks.
 */
#include "base/clock.h"

#include <setjmp.h>
#include <stdarg.h>
#include <time.h>

#include <cmocka.h>

static const struct {
	int64_t ns;
	const char *text;
} pairs[] = {
	{0, "1970-01-01T00:00:00Z"},
	{1, "1970-01-01T00:00:00.000000001Z"},
	{-1, "1969-12-31T23:59:59.999999999Z"},
	{INT64_C(-86400000000000), "1969-12-31T00:00:00Z"},
	{INT64_C(1795167217522664500), "2026-11-20T09:33:37.522664500Z"},
	{INT64_C(1795167217522664000), "2026-11-20T09:33:37.522664Z"},
	{INT64_C(1795167217522000000), "2026-11-20T09:33:37.522Z"},
	{INT64_C(1795167217000000000), "2026-11-20T09:33:37Z"},
	{INT64_C(951782400000000000), "2000-02-29T00:00:00Z"},
	{INT64_C(951868799000000000), "2000-02-29T23:59:59Z"},
	{INT64_C(951868800000000000), "2000-03-01T00:00:00Z"},
	{INT64_C(4107542400000000000), "2100-03-01T00:00:00Z"},
	{INT64_C(4107542399000000000), "2100-02-28T23:59:59Z"},
	{INT64_C(-2203891200000000000), "1900-03-01T00:00:00Z"},
	{INT64_MAX, "2262-04-11T23:47:16.854775807Z"},
	{INT64_MIN, "1677-09-21T00:12:43.145224192Z"},
};

static void test_both_ways(void **unused)
{
	char text[TS_TIME_TEXT];
	int64_t ns;

	(void)unused;
	for (size_t i = 0; i < sizeof pairs / sizeof pairs[0]; i++) {
		assert_string_equal(ts_time_text(pairs[i].ns, text), pairs[i].text);
		assert_true(ts_time_parse(ts_span_str(pairs[i].text), &ns));
		assert_true(ns == pairs[i].ns);
	}
}

/* Checks every day of the range against the C library's calendar. */
static void test_every_day(void **unused)
{
	(void)unused;
	for (int64_t day = -106751; day <= 106751; day++) {
		time_t seconds = (time_t)(day * 86400 + 45296);
		char want[TS_TIME_TEXT];
		char text[TS_TIME_TEXT];
		struct tm tm;

		assert_non_null(gmtime_r(&seconds, &tm));
		assert_true(strftime(want, sizeof want, "%Y-%m-%dT%H:%M:%SZ", &tm) > 0);
		assert_string_equal(ts_time_text((int64_t)seconds * 1000000000, text), want);
	}
}

static void test_other_spellings(void **unused)
{
	static const struct {
		const char *text;
		int64_t ns;
	} cases[] = {
		{"2026-11-20", INT64_C(1795132800000000000)},
		{"2026-11-20T00:00:00Z", INT64_C(1795132800000000000)},
		{"2026-11-20t01:00:00z", INT64_C(1795136400000000000)},
		{"2026-11-20 01:00:00Z", INT64_C(1795136400000000000)},
		{"2026-11-20T02:30:00+02:30", INT64_C(1795132800000000000)},
		{"2026-11-19T19:00:00-05:00", INT64_C(1795132800000000000)},
		{"2026-11-20T00:00:00-00:00", INT64_C(1795132800000000000)},
		{"1970-01-01T00:00:00.5Z", 500000000},
		{"1970-01-01T00:00:00.000000000999Z", 0},
		{"1970-01-01T00:00:00.1234567899999Z", 123456789},
		{"1969-12-31T23:59:60Z", 0}, /* a leap second would stand here */
		{"2262-04-12T01:47:16.854775807+02:00", INT64_MAX},
	};
	int64_t ns;

	(void)unused;
	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		if (!ts_time_parse(ts_span_str(cases[i].text), &ns))
			fail_msg("%s is not read", cases[i].text);
		assert_true(ns == cases[i].ns);
	}
}

static void test_what_is_neither(void **unused)
{
	static const char *const no[] = {
		"", "2026", "2026-11", "2026-11-2", "2026-13-01", "2026-00-01", "2026-11-00", "2026-11-31", "2025-02-29",
		"2100-02-29", "0000-01-01", "2026-11-20T", "2026-11-20T10", "2026-11-20T10:00Z", "2026-11-20T24:00:00Z",
		"2026-11-20T10:60:00Z", "2026-11-20T10:00:61Z", "2026-11-20T10:00:00", "2026-11-20T10:00:00.Z",
		"2026-11-20T10:00:00.5", "2026-11-20T10:00:00+0100", "2026-11-20T10:00:00+24:00", "2026-11-20T10:00:00+01:60",
		"2026-11-20T10:00:00Zx", " 2026-11-20", "2026-11-20 ", "+026-11-20", "2026/11/20", "20261120",
		"2262-04-11T23:47:16.854775808Z", "1677-09-21T00:12:43.145224191Z", "9999-12-31", "0001-01-01",
	};
	int64_t ns = 42;

	(void)unused;
	for (size_t i = 0; i < sizeof no / sizeof no[0]; i++)
		if (ts_time_parse(ts_span_str(no[i]), &ns))
			fail_msg("%s is read", no[i]);
	assert_int_equal(ns, 42);
}

static void test_without_a_zone(void **unused)
{
	int64_t ns = 42;
	bool zoneless = false;

	(void)unused;
	assert_true(ts_time_parse_zoneless(ts_span_str("1970-01-01T00:00:01.5"), &ns, &zoneless));
	assert_true(ns == INT64_C(1500000000) && zoneless);
	assert_true(ts_time_parse_zoneless(ts_span_str("1970-01-01 01:00:02+01:00"), &ns, &zoneless));
	assert_true(ns == INT64_C(2000000000) && !zoneless);
	assert_false(ts_time_parse_zoneless(ts_span_str("1970-01-01T00:00"), &ns, &zoneless));
}

static void test_clocks(void **unused)
{
	int64_t mono = ts_now_mono_ns();
	volatile unsigned spin = 0;

	(void)unused;
	while (spin < 100000)
		spin++;
	assert_true(ts_now_mono_ns() > mono);
	/* The bounds are 2025 and 2100: seconds or microseconds mistaken for nanoseconds would lie far outside. */
	assert_true(ts_now_real_ns() > INT64_C(1735689600000000000) && ts_now_real_ns() < INT64_C(4102444800000000000));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_both_ways),
		cmocka_unit_test(test_every_day),
		cmocka_unit_test(test_other_spellings),
		cmocka_unit_test(test_what_is_neither),
		cmocka_unit_test(test_without_a_zone),
		cmocka_unit_test(test_clocks),
	};

	return cmocka_run_group_tests_name("clock", tests, NULL, NULL);
}
