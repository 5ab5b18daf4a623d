/* Tests numbers: reading is compared with strtod of the C library (locale C), printing with Python's repr. */
#include "base/number.h"
#include "base/test_number_repr.h"

#include <math.h>
#include <stdarg.h>
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

static uint64_t state = UINT64_C(0x9E3779B97F4A7C15);

/* The generator is xorshift64*: it gives the same numbers in every run. */
static uint64_t draw(void)
{
	state ^= state >> 12;
	state ^= state << 25;
	state ^= state >> 27;
	return state * UINT64_C(0x2545F4914F6CDD1D);
}

static uint64_t bits_of(double v)
{
	uint64_t bits;

	memcpy(&bits, &v, sizeof bits);
	return bits;
}

static double of_bits(uint64_t bits)
{
	double v;

	memcpy(&v, &bits, sizeof v);
	return v;
}

static void same_as_strtod(const char *text)
{
	double value = 0;

	if (!ts_parse_double(ts_span_str(text), &value))
		fail_msg("%s is not read", text);
	if (bits_of(value) != bits_of(strtod(text, NULL)))
		fail_msg("%s reads as %016" PRIx64 ", not %016" PRIx64, text, bits_of(value),
			 bits_of(strtod(text, NULL)));
}

static void test_bit_patterns_read_back(void **unused)
{
	char text[64];

	(void)unused;
	for (int i = 0; i < 900000; i++) {
		uint64_t bits = draw();
		double value = of_bits(bits);
		double back;

		if (!isfinite(value))
			continue;
		(void)snprintf(text, sizeof text, "%.17g", value);
		assert_true(ts_parse_double(ts_span_str(text), &back));
		if (bits_of(back) != bits)
			fail_msg("%s reads as %016" PRIx64 ", not %016" PRIx64, text, bits_of(back), bits);
		if (i % 4 == 0) {
			(void)snprintf(text, sizeof text, "%.*g", (int)(draw() % 17) + 1, value);
			same_as_strtod(text);
		}
	}
}

/* The texts have 1 to 40 digits, a point somewhere and an exponent. */
static void test_random_digit_strings(void **unused)
{
	char text[80];

	(void)unused;
	for (int i = 0; i < 900000; i++) {
		int digits = 1 + (int)(draw() % (i % 2 ? 40 : 20));
		int point = (int)(draw() % (uint64_t)(digits + 1));
		int spread = i % 3 == 0 ? 700 : i % 3 == 1 ? 60 : 5;
		int n = 0;

		if (draw() % 2)
			text[n++] = '-';
		if (point == 0)
			text[n++] = '0';
		for (int k = 0; k < digits; k++) {
			char c = (char)('0' + draw() % 10);

			if (k == point)
				text[n++] = '.';
			text[n++] = k == 0 && point > 1 && c == '0' ? '1' : c;
		}
		(void)snprintf(text + n, sizeof text - (size_t)n, "e%d", (int)(draw() % (uint64_t)spread) - spread / 2);
		same_as_strtod(text);
	}
}

static void subtract_one_unit(char *digits, size_t n)
{
	while (n-- > 0) {
		if (digits[n] == '.' || digits[n] == '-')
			continue;
		if (digits[n] != '0') {
			digits[n]--;
			return;
		}
		digits[n] = '9';
	}
}

/* The texts are the exact decimal form of the middle between two doubles, one just above it and one just below it. */
static void test_middles(void **unused)
{
	static char text[1600];

	(void)unused;
	for (int i = 0; i < 6000; i++) {
		uint64_t exponent = i % 2 ? 1023 - 60 + draw() % 180 : draw() % 2046;
		uint64_t bits = exponent << 52 | (draw() & ((UINT64_C(1) << 52) - 1));
		double low = of_bits(bits);
		double high = of_bits(bits + 1);
		double value;
		size_t n;

		/* glibc prints a long double exactly, and 64 bits of mantissa hold the middle. */
		n = (size_t)snprintf(text, sizeof text, "%.1100Lf", ((long double)low + (long double)high) / 2);
		while (text[n - 1] == '0' && text[n - 2] != '.')
			n--;
		text[n] = '\0';
		assert_true(ts_parse_double(ts_span_of(text, n), &value));
		assert_int_equal(bits_of(value), bits + (bits & 1));
		text[n] = '1';
		assert_true(ts_parse_double(ts_span_of(text, n + 1), &value));
		assert_int_equal(bits_of(value), bits + 1);
		text[n] = '9';
		subtract_one_unit(text, n);
		assert_true(ts_parse_double(ts_span_of(text, n + 1), &value));
		assert_int_equal(bits_of(value), bits);
	}
}

static void test_edges(void **unused)
{
	static const char *const texts[] = {
		"0", "-0", "0.0", "-0.0e5", "0e400", "1e-400", "-1e-400", "1e400", "-1e400", "1e308", "1e309",
		"1.7976931348623157e308", "1.7976931348623158e308", "1.7976931348623159e308",
		"179769313486231580793728971405301e276", "4.9e-324", "5e-324", "2.4703282292062327e-324",
		"2.4703282292062328e-324", "2.47e-324", "2.2250738585072011e-308", "2.2250738585072014e-308",
		"2.225073858507201e-308", "9007199254740992", "9007199254740993", "9007199254740994",
		"9007199254740992.5", "9007199254740993.00000000000000000001", "18446744073709551615",
		"18446744073709551616", "9999999999999999999", "99999999999999999999", "10000000000000000000000",
		"1e22", "1e23", "123456789012345678901234567890", "0.000000000000000000000000000000000000000123",
		"1.000000000000000000000000000000000", "1.00000000000000011102230246251565404236316680908203125",
		"1.00000000000000011102230246251565404236316680908203124",
		"1.00000000000000011102230246251565404236316680908203126", "7.2057594037927933e16",
		"1e-99999999999999999999", "0.1e99999999999999999999", "0e99999999999999999999", "8.5e-323",
		"1.2345678e-7", "12345678.12345678", "1234567.1234567", "123456789.123456789",
		"6.631236846766476e-316", "3.5844466002796428e298", "1152921504606846976.00000000000000000001",
	};

	(void)unused;
	for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++)
		same_as_strtod(texts[i]);
}

/* A number has many thousand digits, whose count and the written exponent cancel. */
static void test_very_long(void **unused)
{
	static char text[30000];
	double value;
	int n;

	(void)unused;
	memset(text, '0', sizeof text);
	text[1] = '.';
	memcpy(text + 20000, "15e19999", 9);
	assert_true(ts_parse_double(ts_span_str(text), &value));
	assert_true(value == 1.5);
	memset(text, '7', 25000);
	n = snprintf(text + 25000, 20, "e-24999");
	same_as_strtod(text);
	assert_true(ts_parse_double(ts_span_of(text, 25000 + (size_t)n), &value));
	assert_true(value > 7.7 && value < 7.8);
}

/* The scan takes the longest text that JSON allows as a number, from a block that ends where the text does. */
static void test_scan_takes_the_longest_number(void **unused)
{
	static const struct {
		const char *text;
		size_t used;
		bool integer;
	} cases[] = {
		{"12,", 2, true},     {"-0", 2, true},	  {"01", 1, true},    {"1.", 1, true},	 {"1.5.5", 3, false},
		{"1e", 1, true},      {"1e+", 1, true},	  {"1E5x", 3, false}, {"-", 0, false},	 {"", 0, false},
		{"+1", 0, false},     {".5", 0, false},	  {"1.e5", 1, true},  {"--1", 0, false}, {"NaN", 0, false},
		{"Infinity", 0, false}, {" 1", 0, false}, {"0x10", 1, true},  {"-a", 0, false},	 {"1.5e-", 3, false},
		{"12345678", 8, true}, {"123456789012345678", 18, true}, {"0.00000001]", 10, false}, {"1e5.5", 3, false},
	};

	(void)unused;
	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		size_t len = strlen(cases[i].text);
		uint8_t *exact = malloc(len ? len : 1);
		double value;
		bool integer = false;

		assert_non_null(exact);
		memcpy(exact, cases[i].text, len);
		if (ts_number_scan(ts_span_of(exact, len), &value, &integer) != cases[i].used)
			fail_msg("\"%s\": not %zu bytes", cases[i].text, cases[i].used);
		if (integer != cases[i].integer)
			fail_msg("\"%s\": integer is %d", cases[i].text, integer);
		free(exact);
	}
}

/* A number with much text behind it is read in another way. Both must find the same one, and strtod the same value. */
static void test_text_behind_changes_nothing(void **unused)
{
	static const char chars[] = "00000000112233445566778899....--eE+,} ";
	char text[81];
	size_t read = 0;

	(void)unused;
	for (int i = 0; i < 3000000; i++) {
		double near = 1, far = 2;
		bool near_integer = false, far_integer = true;
		size_t n = (size_t)(draw() >> 60), m = (size_t)(draw() >> 59), at = 0;

		memset(text, ',', sizeof text - 1);
		text[80] = 0;
		if (draw() >> 61 == 0)
			text[at++] = '-';
		for (size_t k = 0; k < n; k++)
			text[at++] = (char)('0' + (draw() >> 32) % (draw() >> 62 ? 10 : 1));
		if (draw() >> 62)
			text[at++] = '.';
		for (size_t k = 0; k < m && at < 38; k++)
			text[at++] = (char)('0' + (draw() >> 32) % 10);
		if (draw() >> 62 == 0) /* anything may stand anywhere */
			text[draw() >> 59] = chars[(draw() >> 32) % (sizeof chars - 1)];
		text[at] = chars[(draw() >> 32) % (sizeof chars - 1)];
		n = ts_number_scan(ts_span_of(text, 39), &near, &near_integer);
		if (n > 37)
			continue;
		assert_int_equal(ts_number_scan(ts_span_of(text, 80), &far, &far_integer), n);
		if (n == 0)
			continue;
		assert_int_equal(near_integer, far_integer);
		assert_int_equal(bits_of(near), bits_of(far));
		text[n] = 0;
		assert_int_equal(bits_of(far), bits_of(strtod(text, NULL)));
		read++;
	}
	assert_in_range(read, 1500000, 3000000);
}

static void test_whole_text_or_nothing(void **unused)
{
	static const char *const no[] = {"", " 1", "1 ", "1x", "+1", "0x1", "1.", ".1", "1e", "nan", "NaN", "Infinity", "01"};
	double value = 42;

	(void)unused;
	for (size_t i = 0; i < sizeof no / sizeof no[0]; i++)
		assert_false(ts_parse_double(ts_span_str(no[i]), &value));
	assert_true(value == 42);
	assert_false(ts_parse_double(ts_span_of("1\0", 2), &value));
}

static void test_integers(void **unused)
{
	static const char *const not_i64[] = {"", "-", "+1", " 1", "1 ", "1.0", "9223372036854775808", "1e3", "0x1",
					      "-9223372036854775809", "99999999999999999999999", "--1", "1-"};
	int64_t i = 42;
	uint64_t u = 42;

	(void)unused;
	for (size_t k = 0; k < sizeof not_i64 / sizeof not_i64[0]; k++)
		assert_false(ts_parse_i64(ts_span_str(not_i64[k]), &i));
	assert_int_equal(i, 42);
	assert_true(ts_parse_i64(ts_span_str("9223372036854775807"), &i) && i == INT64_MAX);
	assert_true(ts_parse_i64(ts_span_str("-9223372036854775808"), &i) && i == INT64_MIN);
	assert_true(ts_parse_i64(ts_span_str("-0"), &i) && i == 0);
	assert_true(ts_parse_u64(ts_span_str("18446744073709551615"), &u) && u == UINT64_MAX);
	assert_false(ts_parse_u64(ts_span_str("18446744073709551616"), &u));
	assert_false(ts_parse_u64(ts_span_str("-1"), &u));
	assert_true(ts_parse_hex64(ts_span_str("00123456789abcdEF"), &u) == false);
	assert_true(ts_parse_hex64(ts_span_str("0123456789abcdEF"), &u) && u == UINT64_C(0x0123456789abcdef));
	assert_false(ts_parse_hex64(ts_span_str("0123456789abcdeg"), &u));
	assert_false(ts_parse_hex64(ts_span_str("123456789abcdef"), &u));
	assert_false(ts_parse_hex64(ts_span_str("@123456789abcdef"), &u));
}

static void test_prints_as_python_does(void **unused)
{
	char text[TS_DOUBLE_TEXT];

	(void)unused;
	for (size_t i = 0; i < sizeof reprs / sizeof reprs[0]; i++) {
		size_t n = ts_print_double(of_bits(reprs[i].bits), text);

		assert_string_equal(text, reprs[i].text);
		assert_int_equal(n, strlen(text));
	}
	ts_print_double((double)NAN, text);
	assert_string_equal(text, "NaN");
	ts_print_double(-(double)NAN, text);
	assert_string_equal(text, "NaN");
	ts_print_double((double)INFINITY, text);
	assert_string_equal(text, "Infinity");
	ts_print_double(-(double)INFINITY, text);
	assert_string_equal(text, "-Infinity");
}

static void test_print_reads_back(void **unused)
{
	char text[TS_DOUBLE_TEXT];

	(void)unused;
	for (int i = 0; i < 200000; i++) {
		uint64_t bits = draw();

		if (i % 8 == 0) /* some values have few digits */
			bits = bits_of((double)(int64_t)(bits >> 20) / 1e6);
		if (i % 8 == 1)
			bits &= UINT64_C(0x800FFFFFFFFFFFFF);
		if (!isfinite(of_bits(bits)))
			continue;
		ts_print_double(of_bits(bits), text);
		if (bits_of(strtod(text, NULL)) != bits)
			fail_msg("%016" PRIx64 " prints as %s", bits, text);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_bit_patterns_read_back),
		cmocka_unit_test(test_random_digit_strings),
		cmocka_unit_test(test_middles),
		cmocka_unit_test(test_edges),
		cmocka_unit_test(test_very_long),
		cmocka_unit_test(test_scan_takes_the_longest_number),
		cmocka_unit_test(test_text_behind_changes_nothing),
		cmocka_unit_test(test_whole_text_or_nothing),
		cmocka_unit_test(test_integers),
		cmocka_unit_test(test_prints_as_python_does),
		cmocka_unit_test(test_print_reads_back),
	};

	return cmocka_run_group_tests_name("number", tests, NULL, NULL);
}
