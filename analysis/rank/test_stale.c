/* Rows of digests and of losses by hand. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "analysis/rank/stale.h"

#include <math.h>

static size_t gradients(const char *grads, const char *params)
{
	uint64_t g[32], p[32];
	size_t n = 0;

	for (; grads[n]; n++) {
		g[n] = (uint64_t)grads[n];
		p[n] = (uint64_t)params[n];
	}
	return ts_stale_gradients(g, p, n);
}

static void gradients_that_stay(void **state)
{
	(void)state;
	assert_int_equal(gradients("aaaa", "1234"), 4);
	assert_int_equal(gradients("xyaaa", "12345"), 3);
	assert_int_equal(gradients("xyzaa", "12345"), 0);
	assert_int_equal(gradients("aaaab", "12345"), 0);
	assert_int_equal(gradients("aaaa", "1111"), 0); /* nothing is trained: the same gradients are right */
	assert_int_equal(gradients("aaaa", "1122"), 0); /* micro-batches, or a skipped update */
	assert_int_equal(gradients("", ""), 0);
}

static void losses_that_stay(void **state)
{
	double values[40];

	(void)state;
	for (size_t i = 0; i < 40; i++)
		values[i] = i < 15 ? 2.0 + (double)i : 1.5;
	assert_int_equal(ts_stale_values(values, 40), 25);
	assert_int_equal(ts_stale_values(values, 35), 20);
	assert_int_equal(ts_stale_values(values, 34), 0);
	values[30] = nextafter(1.5, 2);
	assert_int_equal(ts_stale_values(values, 40), 0);
	for (size_t i = 0; i < 40; i++)
		values[i] = NAN;
	assert_int_equal(ts_stale_values(values, 40), 0);
}

static void changes_of_batches(void **state)
{
	static const uint64_t digests[] = {7, 7, 8, 9, 9};

	(void)state;
	assert_int_equal(ts_stale_changes(digests, 5), 3);
	assert_int_equal(ts_stale_changes(digests, 2), 1);
	assert_int_equal(ts_stale_changes(digests, 0), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(gradients_that_stay),
		cmocka_unit_test(losses_that_stay),
		cmocka_unit_test(changes_of_batches),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
