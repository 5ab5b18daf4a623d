/* Rows of digests by hand. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "analysis/rank/still.h"

static size_t find(const char *letters)
{
	uint64_t digests[64];
	size_t n = 0;

	for (; letters[n]; n++)
		digests[n] = (uint64_t)letters[n];
	return ts_still_find(digests, n);
}

static void parameters_that_stop(void **state)
{
	(void)state;
	assert_int_equal(find("abcdeffffff"), 6);
	assert_int_equal(find("aaaaa"), 5); /* they never changed */
	assert_int_equal(find("abcdeffff"), 0);
	assert_int_equal(find("abcdefffffg"), 0); /* they go on */
	assert_int_equal(find(""), 0);
	assert_int_equal(find("a"), 0);
}

/* An optimizer that steps at every third record. */
static void accumulation_is_not_still(void **state)
{
	(void)state;
	assert_int_equal(find("aaabbbcccddd"), 0);
	assert_int_equal(find("aaabbbcccdddddd"), 0); /* one update was skipped */
	assert_int_equal(find("aaabbbcccddddddd"), 7);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(parameters_that_stop),
		cmocka_unit_test(accumulation_is_not_still),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
