/* row_order.h: the order of rows beside one that is right by its definition. */
#include "base/row_order.h"

#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

enum { MOST = 200 };

static bool smaller(const void *keys, uint32_t a, uint32_t b)
{
	return ((const int *)keys)[a] < ((const int *)keys)[b];
}

/* Each row stands behind all that are smaller, and behind all of its own key that stood before it. */
static void check(const int *keys, size_t n)
{
	uint32_t rows[MOST], spare[MOST];

	for (size_t i = 0; i < n; i++)
		rows[i] = (uint32_t)i;
	ts_rows_sort(rows, n, spare, smaller, keys);
	for (size_t i = 0; i < n; i++) {
		size_t place = 0;

		for (size_t k = 0; k < n; k++)
			place += keys[k] < keys[i] || (keys[k] == keys[i] && k < i);
		assert_int_equal(rows[place], i);
	}
}

static void rows_are_sorted_and_equal_ones_stay(void **state)
{
	int keys[MOST] = {0};
	unsigned r = 1;

	(void)state;
	for (size_t n = 0; n <= MOST; n += n < 12 ? 1 : 47) {
		for (size_t i = 0; i < n; i++)
			keys[i] = (int)((r = r * 1664525 + 1013904223) >> 28); /* 16 keys, so that many are equal */
		check(keys, n);
		for (size_t i = 0; i < n; i++)
			keys[i] = (int)i;
		check(keys, n);
		for (size_t i = 0; i < n; i++)
			keys[i] = -(int)i;
		check(keys, n);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(rows_are_sorted_and_equal_ones_stay)};

	return cmocka_run_group_tests_name("row_order", tests, NULL, NULL);
}
