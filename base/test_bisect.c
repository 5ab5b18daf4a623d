/* bisect.h: every place and every item of every length, from every begin, and how often it asks. */
#include "base/bisect.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

enum { MOST = 70 };

static size_t asked;

static int holds(size_t place, size_t until)
{
	asked++;
	return place < until;
}

static void it_finds_every_place(void **state)
{
	(void)state;
	for (size_t n = 0; n <= MOST; n++)
		for (size_t from = 0; from < 3; from++)
			for (size_t until = from; until <= from + n; until++) {
				size_t at = from, most = 0;

				while (n >> most)
					most++;
				asked = 0;
				TS_BISECT(at, n, i, holds(i, until));
				assert_int_equal(at, until);
				assert_true(asked <= most);
			}
}

static void of_equal_keys_it_finds_the_first_or_the_one_behind(void **state)
{
	static const int64_t keys[] = {INT64_MIN, -3, 5, 5, 5, 8, INT64_MAX};
	const size_t n = sizeof keys / sizeof keys[0];
	uint32_t low = 0, high = 0, none = 0;
	size_t count = n, all = 0;

	(void)state;
	TS_BISECT(low, n, i, keys[i] < 5);
	TS_BISECT(high, n, i, keys[i] <= 5);
	TS_BISECT(none, n, i, keys[i] < INT64_MIN);
	TS_BISECT(all, count--, i, keys[i] <= INT64_MAX);
	assert_int_equal(low, 2);
	assert_int_equal(high, 5);
	assert_int_equal(none, 0);
	assert_int_equal(all, n);
	assert_int_equal(count, n - 1);
}

static void it_finds_an_item_or_where_it_would_stand(void **state)
{
	(void)state;
	for (size_t n = 0; n <= MOST; n++) /* the items are 1, 3, 5... */
		for (size_t from = 0; from < 3; from++)
			for (size_t key = 0; key <= 2 * n + 1; key++) {
				size_t at = from;
				bool found;

				TS_SEEK(at, n, i, 2 * (i - from) + 1 < key ? -1 : 2 * (i - from) + 1 > key, found);
				assert_int_equal(found, key % 2 && key < 2 * n);
				assert_int_equal(at, from + key / 2);
			}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(it_finds_every_place),
		cmocka_unit_test(of_equal_keys_it_finds_the_first_or_the_one_behind),
		cmocka_unit_test(it_finds_an_item_or_where_it_would_stand),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
