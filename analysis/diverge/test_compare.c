#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "analysis/diverge/compare.h"

#include <math.h>

static uint64_t bits(double v)
{
	uint64_t w;

	memcpy(&w, &v, sizeof w);
	return w;
}

static void rows_are_paired_by_key(void **state)
{
	static const int64_t keys_a[] = {-5, 0, 10, 20, 30}, keys_b[] = {0, 20, 25, 30, 40, 50};
	static const uint64_t a[] = {1, 2, 3, 4, 5}, b[] = {2, 4, 4, 6, 7, 8};
	struct ts_compare io = {.common = 0}, mirror = {.common = 0};

	(void)state;
	ts_compare_words(keys_a, a, 5, keys_b, b, 6, &io);
	assert_int_equal(io.common, 3);
	assert_int_equal(io.only_a, 2);
	assert_int_equal(io.only_b, 3);
	assert_int_equal(io.differing, 1);
	assert_true(io.parts);
	assert_int_equal(io.first_key, 30);
	assert_int_equal(io.at_a, 4);
	assert_int_equal(io.at_b, 3);
	ts_compare_words(keys_b, b, 6, keys_a, a, 5, &mirror);
	assert_int_equal(mirror.only_a, 3);
	assert_int_equal(mirror.only_b, 2);
	assert_int_equal(mirror.first_key, 30);
}

static void bits_decide(void **state)
{
	static const int64_t keys[] = {1, 2};
	uint64_t a[] = {bits((double)NAN), bits(0.0)}, b[] = {bits((double)NAN), bits(-0.0)};
	struct ts_compare io = {.common = 0};

	(void)state;
	ts_compare_words(keys, a, 1, keys, b, 1, &io);
	assert_false(io.parts); /* NaN equals NaN */
	ts_compare_words(keys + 1, a + 1, 1, keys + 1, b + 1, 1, &io);
	assert_true(io.parts); /* +0 is not -0 */
	assert_int_equal(io.first_key, 2);
}

static void block_after_block(void **state)
{
	static const int64_t keys[] = {1, 2, 3, 4};
	static const uint64_t a[] = {1, 2, 3, 4}, b[] = {1, 9, 3, 9};
	struct ts_compare io = {.common = 0};

	(void)state;
	ts_compare_words(keys, a, 2, keys, b, 2, &io);
	ts_compare_words(keys + 2, a + 2, 2, keys + 2, b + 2, 2, &io);
	assert_int_equal(io.common, 4);
	assert_int_equal(io.differing, 2);
	assert_int_equal(io.first_key, 2); /* set only once */
	ts_compare_words(keys, a, 0, keys, b, 3, &io);
	assert_int_equal(io.only_b, 3);
}

static void texts(void **state)
{
	static const int64_t keys_a[] = {1, 2, 3}, keys_b[] = {1, 3};
	struct ts_span a[] = {ts_span_str("x"), ts_span_str(""), ts_span_str("y")};
	struct ts_span b[] = {ts_span_str("x"), ts_span_str("yy")};
	struct ts_compare io = {.common = 0};

	(void)state;
	ts_compare_text(keys_a, a, 3, keys_b, b, 2, &io);
	assert_int_equal(io.common, 2);
	assert_int_equal(io.only_a, 1);
	assert_int_equal(io.only_b, 0);
	assert_int_equal(io.first_key, 3);
}

static void stops_at_the_first(void **state)
{
	static const int64_t keys_a[] = {1, 2, 4, 5, 6}, keys_b[] = {2, 3, 4, 5, 7};
	static const uint64_t a[] = {1, 2, 4, 5, 6}, b[] = {2, 3, 9, 9, 7};
	struct ts_compare io = {.stops = true};

	(void)state;
	ts_compare_words(keys_a, a, 5, keys_b, b, 5, &io);
	assert_int_equal(io.common, 2);
	assert_int_equal(io.only_a, 1);
	assert_int_equal(io.only_b, 1);
	assert_int_equal(io.differing, 1);
	assert_int_equal(io.first_key, 4);
	assert_int_equal(io.at_a, 2);
	assert_int_equal(io.at_b, 2);
}

/* Both sides have the same array of keys, of which one may have fewer rows. */
static void one_array_of_keys(void **state)
{
	static const int64_t keys[] = {1, 2, 3, 4};
	static const uint64_t a[] = {1, 2, 3, 4}, b[] = {1, 2, 9, 9};
	struct ts_compare io = {.common = 0}, equal = {.common = 0}, stops = {.stops = true};

	(void)state;
	ts_compare_words(keys, a, 4, keys, b, 3, &io);
	assert_int_equal(io.common, 3);
	assert_int_equal(io.only_a, 1);
	assert_int_equal(io.only_b, 0);
	assert_int_equal(io.differing, 1);
	assert_int_equal(io.first_key, 3);
	assert_int_equal(io.at_b, 2);
	ts_compare_words(keys, a, 4, keys, a, 4, &equal);
	assert_int_equal(equal.common, 4);
	assert_false(equal.parts);
	ts_compare_words(keys, a, 4, keys, b, 4, &stops);
	assert_int_equal(stops.common, 3);
	assert_int_equal(stops.differing, 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(rows_are_paired_by_key),
		cmocka_unit_test(bits_decide),
		cmocka_unit_test(block_after_block),
		cmocka_unit_test(texts),
		cmocka_unit_test(stops_at_the_first),
		cmocka_unit_test(one_array_of_keys),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
