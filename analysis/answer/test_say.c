#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "analysis/answer/say.h"

static void percentages(void **state)
{
	(void)state;
	assert_string_equal(ts_say_percent(0.5).text, "50 %");
	assert_string_equal(ts_say_percent(0.0996).text, "10 %");
	assert_string_equal(ts_say_percent(0.0994).text, "9.9 %");
	assert_string_equal(ts_say_percent(0.0004).text, "0.04 %"); /* not 0.0 % */
	assert_string_equal(ts_say_percent(0).text, "0 %");
	assert_string_equal(ts_say_percent(-0.031).text, "-3.1 %");
	assert_string_equal(ts_say_percent(12).text, "1200 %");
	assert_string_equal(ts_say_percent((double)NAN).text, "NaN");
	assert_string_equal(ts_say_percent(-(double)INFINITY).text, "-infinite");
}

static void times(void **state)
{
	(void)state;
	assert_string_equal(ts_say_seconds(0).text, "0 s");
	assert_string_equal(ts_say_seconds(2.5e-9).text, "2.50 ns");
	assert_string_equal(ts_say_seconds(0.0123).text, "12.3 ms");
	assert_string_equal(ts_say_seconds(0.9996).text, "1.00 s");
	assert_string_equal(ts_say_seconds(119.9).text, "120 s");
	assert_string_equal(ts_say_seconds(120).text, "2 m 00 s");
	assert_string_equal(ts_say_seconds(-3725).text, "-1 h 02 m");
	assert_string_equal(ts_say_seconds(90000).text, "1 d 01 h");
	assert_string_equal(ts_say_seconds(1e300).text, "1e+300 s");
}

static void sizes_and_counts(void **state)
{
	(void)state;
	assert_string_equal(ts_say_bytes(-3).text, "-3 B");
	assert_string_equal(ts_say_bytes(1572864).text, "1.5 MiB");
	assert_string_equal(ts_say_bytes((double)NAN).text, "NaN");
	assert_string_equal(ts_say_count(1234567).text, "1,234,567");
	assert_string_equal(ts_say_count(-1234).text, "-1,234");
	assert_string_equal(ts_say_count(1e300).text, "1e+300");
	assert_string_equal(ts_say_count((double)NAN).text, "NaN");
	assert_string_equal(ts_say_number(2.14359).text, "2.144");
	assert_string_equal(ts_say_plural(1, "spike").text, "1 spike");
	assert_string_equal(ts_say_plural(1204, "spike").text, "1,204 spikes");
	assert_string_equal(ts_say_plural(0, "spike").text, "0 spikes");
	assert_string_equal(ts_say_steps(7, 7).text, "step 7");
	assert_string_equal(ts_say_steps(-7, 9).text, "steps -7 to 9");
}

static void units(void **state)
{
	(void)state;
	assert_string_equal(ts_say_value(0.25, TS_UNIT_RATIO).text, "25 %");
	assert_string_equal(ts_say_value(67108864, TS_UNIT_BYTES).text, "64 MiB");
	assert_string_equal(ts_say_value(1024, TS_UNIT_BYTES_PER_STEP).text, "1 KiB/step");
	assert_string_equal(ts_say_value(43.1, TS_UNIT_PER_SECOND).text, "43.1 /s");
	assert_string_equal(ts_say_value(2.5, TS_UNIT_NONE).text, "2.5");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(percentages),
		cmocka_unit_test(times),
		cmocka_unit_test(sizes_and_counts),
		cmocka_unit_test(units),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
