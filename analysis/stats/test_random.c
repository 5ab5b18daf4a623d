#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "analysis/stats/random.h"

#include <math.h>

/* The expected words were computed by a Python program with integers, which reproduces the authors' published
 * outputs. */

static void words_of_a_known_state(void **state)
{
	static const uint64_t want[] = {41943041,
					58720359,
					UINT64_C(3588806011781223),
					UINT64_C(3591011842654386),
					UINT64_C(9228616714210784205),
					UINT64_C(9973669472204895162)};
	struct ts_random r = {{1, 2, 3, 4}};

	(void)state;
	for (size_t i = 0; i < sizeof want / sizeof want[0]; i++)
		assert_true(ts_random_next(&r) == want[i]);
}

static void words_of_a_seed(void **state)
{
	static const struct {
		uint64_t seed, first, second, thousandth;
	} cases[] = {
		{0, UINT64_C(0x53175d61490b23df), UINT64_C(0x61da6f3dc380d507), UINT64_C(0x376300fa032f6483)},
		{1, UINT64_C(0xcfc5d07f6f03c29b), UINT64_C(0xbf424132963fe08d), UINT64_C(0x92d52100f9e1da0d)},
		{20240607, UINT64_C(0xd4d92cceeb95e8dc), UINT64_C(0x44862a3b34b27ee0), UINT64_C(0xce7ab6a319c72616)},
		{UINT64_MAX, UINT64_C(0x56ccf8ce948e27b2), UINT64_C(0xe68588432e5a5b90), UINT64_C(0x6e67f58f11f35060)},
	};

	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		struct ts_random r;

		ts_random_init(&r, cases[i].seed);
		assert_true(ts_random_next(&r) == cases[i].first);
		assert_true(ts_random_next(&r) == cases[i].second);
		for (int k = 0; k < 997; k++)
			(void)ts_random_next(&r);
		assert_true(ts_random_next(&r) == cases[i].thousandth);
	}
}

static void draws_of_seed_42(void **state)
{
	static const uint32_t below_10[] = {8, 3, 9, 7, 7, 5, 1, 6, 2, 9, 5, 8};
	/* For 3 * 2^30 a quarter of the words is rejected. */
	static const uint32_t below_most[] = {2623060475, 3169344956, 403788479, 1949235845, 669103843, 3006521509};
	static const double unit[] = {0.8143051451229099, 0.3188210400616611, 0.9838941681774888};
	static const double normal[] = {-0.7689930538210061, -0.8684461074702454, -1.5109749830006707};
	struct ts_random r;

	(void)state;
	ts_random_init(&r, 42);
	for (size_t i = 0; i < 12; i++)
		assert_int_equal(ts_random_below(&r, 10), below_10[i]);
	ts_random_init(&r, 42);
	for (size_t i = 0; i < 6; i++)
		assert_int_equal(ts_random_below(&r, UINT32_C(3221225472)), below_most[i]);
	ts_random_init(&r, 42);
	for (size_t i = 0; i < 3; i++)
		assert_true(ts_random_unit(&r) == unit[i]);
	ts_random_init(&r, 42);
	for (size_t i = 0; i < 3; i++)
		assert_true(fabs(ts_random_normal(&r) - normal[i]) < 1e-14);
}

/* Each face of n = 7 is within 5 standard deviations of its share; n = 1 has only one face. */
static void below_is_even(void **state)
{
	enum { DRAWS = 700000 };
	unsigned count[7] = {0};
	struct ts_random r;

	(void)state;
	ts_random_init(&r, 3);
	for (int i = 0; i < DRAWS; i++) {
		uint32_t at = ts_random_below(&r, 7);

		assert_true(at < 7);
		count[at]++;
	}
	for (int i = 0; i < 7; i++)
		assert_true(fabs(count[i] - DRAWS / 7.0) < 5 * sqrt(DRAWS / 7.0 * 6.0 / 7.0));
	assert_int_equal(ts_random_below(&r, 1), 0);
}

/* The moments of the normal distribution are 0 1 0 3; their errors over n draws are 1, sqrt 2, sqrt 15 and sqrt 96
 * over sqrt n. */
static void moments_of_normal(void **state)
{
	enum { DRAWS = 1000000 };
	double sum[5] = {0}, pairs = 0, before = 0, root = sqrt(DRAWS);
	struct ts_random r;

	(void)state;
	ts_random_init(&r, 11);
	for (int i = 0; i < DRAWS; i++) {
		double x = ts_random_normal(&r);

		assert_true(isfinite(x));
		for (int k = 1; k < 5; k++)
			sum[k] += pow(x, k) / DRAWS;
		pairs += x * before / DRAWS;
		before = x;
	}
	assert_true(fabs(sum[1]) < 4 / root);
	assert_true(fabs(sum[2] - 1) < 4 * sqrt(2) / root);
	assert_true(fabs(sum[3]) < 4 * sqrt(15) / root);
	assert_true(fabs(sum[4] - 3) < 4 * sqrt(96) / root);
	assert_true(fabs(pairs) < 4 / root); /* neighbouring draws are independent */
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(words_of_a_known_state), cmocka_unit_test(words_of_a_seed),
		cmocka_unit_test(draws_of_seed_42),	  cmocka_unit_test(below_is_even),
		cmocka_unit_test(moments_of_normal),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
