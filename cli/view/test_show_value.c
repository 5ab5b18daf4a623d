/* Values as people read them: numbers that part are aligned, units chosen, text told from numbers, unknown never zero. */
#include "cli/view/show_value.h"

#include "base/test_arena.h"
#include "cli/core/progress.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <cmocka.h>

static void parts(const char *a, const char *b, int pad_a, int pad_b, int column)
{
	struct ts_parting p = ts_show_parting(a, b);

	assert_int_equal(p.pad_a, pad_a);
	assert_int_equal(p.pad_b, pad_b);
	assert_int_equal(p.column, column);
}

static void numbers_are_aligned_at_the_point(void **state)
{
	(void)state;
	parts("1.25", "1.35", 0, 0, 2);
	parts("0.5", "0.50001", 0, 0, 3);   /* one text ends where the other goes on: this is the difference */
	parts("9.5", "10.5", 1, 0, 0);	    /* " 9.5" above "10.5" */
	parts("-1.5", "1.5", 0, 1, 0);	    /* the sign differs */
	parts("100.0", "1.0", 0, 2, 0);
	parts("1e-05", "0.5", 0, 0, 0);	    /* a number with an exponent is not aligned */
	parts("abc", "abd", 0, 0, 2);
	parts("NaN", "0.5", 0, 0, 0);
	parts("日本", "日木", 0, 0, 3);	    /* the place does not lie within a character (three bytes) */
}

static void shows_seconds(double value, const char *want)
{
	assert_string_equal(ts_show_seconds(value, &arena), want);
}

/* 1e300 / 2^60 has 282 digits, which do not fit into a small buffer. */
static void bytes_of_any_size(void **state)
{
	(void)state;
	assert_string_equal(ts_show_bytes(1536, &arena), "1.5 KiB");
	assert_int_equal(strlen(ts_show_bytes(1e300, &arena)), 282 + strlen(" EiB"));
	assert_int_equal(strlen(ts_show_bytes(-1e300, &arena)), 283 + strlen(" EiB"));
}

static void durations(void **state)
{
	(void)state;
	shows_seconds(0, "0 s");
	shows_seconds(3.21e-9, "3.21 ns");
	shows_seconds(0.000012345, "12.3 µs");
	shows_seconds(0.0221, "22.1 ms");
	shows_seconds(0.9994, "999 ms");
	shows_seconds(0.99951, "1.00 s");
	shows_seconds(59.96, "60.0 s");
	shows_seconds(119.9, "120 s");
	shows_seconds(120, "2 m 00 s");
	shows_seconds(3725, "1 h 02 m");
	shows_seconds(90061, "1 d 01 h");
	shows_seconds(-0.0221, "-22.1 ms");
	shows_seconds((double)INFINITY, "infinite");
}

static const char *fact(enum ts_fact_type type, const char *text)
{
	struct ts_fact f = {.type = type, .text = ts_span_str(text), .integer = 1, .real = 1.0, .text_len = 5000};

	return ts_show_fact(&f, &arena);
}

static void facts_are_told_apart(void **state)
{
	(void)state;
	assert_string_equal(fact(TS_FACT_INT, ""), "1");
	assert_string_equal(fact(TS_FACT_FLOAT, ""), "1.0");
	assert_string_equal(fact(TS_FACT_TEXT, "1"), "\"1\"");
	assert_string_equal(fact(TS_FACT_TEXT, "true"), "\"true\"");
	assert_string_equal(fact(TS_FACT_TEXT, ""), "\"\"");
	assert_string_equal(fact(TS_FACT_TEXT, " x"), "\" x\"");
	assert_string_equal(fact(TS_FACT_TEXT, "not recorded"), "\"not recorded\"");
	assert_string_equal(fact(TS_FACT_TEXT, "adamw"), "adamw");
	assert_string_equal(fact(TS_FACT_NULL, ""), "null");
	assert_string_equal(fact(TS_FACT_LONG, ""), "(text of 5000 bytes)");
	assert_string_equal(fact(TS_FACT_ABSENT, ""), "not recorded");
	assert_string_equal(ts_show_fact(NULL, &arena), "not recorded");
}

static const char *measure(enum ts_unit unit, bool known, double value)
{
	struct ts_measure m = {.unit = unit, .known = known, .value = value, .reason = ts_span_str("why")};

	return ts_show_measure(&m, &arena);
}

static void measures_have_units(void **state)
{
	(void)state;
	assert_string_equal(measure(TS_UNIT_SECONDS, true, 0.0221), "22.1 ms");
	assert_string_equal(measure(TS_UNIT_BYTES, true, 1536), "1.5 KiB");
	assert_string_equal(measure(TS_UNIT_RATIO, true, 0.312), "31.2 %");
	assert_string_equal(measure(TS_UNIT_PER_SECOND, true, 45.454545), "45.45 /s");
	assert_string_equal(measure(TS_UNIT_PER_SECOND, true, 552771.3), "552,771 /s");
	assert_string_equal(measure(TS_UNIT_COUNT, true, 12345), "12,345");
	assert_string_equal(measure(TS_UNIT_STEP, true, 12345), "12345");
	assert_string_equal(measure(TS_UNIT_NONE, true, (double)NAN), "NaN");
	assert_string_equal(measure(TS_UNIT_NONE, true, 1.0791999942923791e-13), "1.0792e-13");
	assert_string_equal(measure(TS_UNIT_BYTES, false, 0), "unknown");
}

static void ranks(void **state)
{
	static const int32_t some[] = {0, 1, 2, 5, 7, 8};
	static const int32_t job[] = {-1, 0};

	(void)state;
	assert_string_equal(ts_show_ranks(some, 6, 6, &arena), "0-2, 5, 7, 8");
	assert_string_equal(ts_show_ranks(some, 1, 9, &arena), "0 and 8 more");
	assert_string_equal(ts_show_ranks(job, 1, 1, &arena), "job");
	assert_string_equal(ts_show_plural(1, "rank", &arena), "1 rank");
	assert_string_equal(ts_show_plural(1000, "step", &arena), "1,000 steps");
	assert_string_equal(ts_show_plural(0, "step", &arena), "0 steps");
}

static void times(void **state)
{
	(void)state;
	/* These times are 2026-11-20T11:27:00.5Z, half a second before 1970, and 2026-07-01T00:00:00Z. */
	assert_int_equal(setenv("TZ", "UTC0", 1), 0);
	assert_string_equal(ts_show_time(1795174020500000000, &arena), "2026-11-20 11:27:00Z");
	assert_string_equal(ts_show_time(-500000000, &arena), "1969-12-31 23:59:59Z");
	assert_string_equal(ts_show_minute(1795174020500000000, &arena), "2026-11-20 11:27Z");
	/* Central Europe by its rule, with summer time; and Newfoundland, three and a half hours west. */
	assert_int_equal(setenv("TZ", "CET-1CEST,M3.5.0,M10.5.0/3", 1), 0);
	assert_string_equal(ts_show_time(1795174020500000000, &arena), "2026-11-20 12:27:00+01:00");
	assert_string_equal(ts_show_minute(1782864000000000000, &arena), "2026-07-01 02:00+02:00");
	assert_int_equal(setenv("TZ", "NST3:30", 1), 0);
	assert_string_equal(ts_show_minute(1795174020500000000, &arena), "2026-11-20 07:57-03:30");
	assert_int_equal(setenv("TZ", "UTC0", 1), 0);
}

static void draws(struct ts_progress *p, uint64_t done, uint64_t total, int64_t ns, const char *want)
{
	struct ts_buf out = TS_BUF_INIT(4096);

	ts_progress_line(p, done, total, ns, &out);
	ts_buf_char(&out, '\0');
	assert_string_equal((const char *)out.data, want);
	ts_buf_finish(&out);
}

static void progress_fits_the_terminal(void **state)
{
	struct ts_progress p = {.width = 80, .verb = "pushing", .what = "runs/a\033"};

	(void)state;
	draws(&p, 1 << 20, 4 << 20, 2000000000,
	      "pushing runs/a\\x1B [########......................]  25 %  512 KiB/s 0:06 left");
	/* 18 columns stand in front, 27 behind, and one is free: eleven are left for the bar, and a quarter of that is
	 * three. */
	p.width = 60;
	draws(&p, 1 << 20, 4 << 20, 2000000000, "pushing runs/a\\x1B [###........]  25 %  512 KiB/s 0:06 left");
	p.width = 40;
	draws(&p, 1 << 20, 4 << 20, 2000000000, "pushing  25 %  512 KiB/s 0:06 left");
	p.width = 20;
	draws(&p, 1 << 20, 4 << 20, 2000000000, "pushing");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(numbers_are_aligned_at_the_point), cmocka_unit_test(bytes_of_any_size), cmocka_unit_test(durations),
		cmocka_unit_test(facts_are_told_apart), cmocka_unit_test(measures_have_units), cmocka_unit_test(ranks),
		cmocka_unit_test(times), cmocka_unit_test(progress_fits_the_terminal),
	};

	return cmocka_run_group_tests(tests, setup, teardown);
}
