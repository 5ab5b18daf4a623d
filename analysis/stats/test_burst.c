/* Bursts: a few neighbours far from the level, which comes back, are replaced by it; levels that stay are not. The values are written
 * by hand: noise of +-0.1 about 0, so four deviations are well below 1. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "analysis/stats/burst.h"

#include <math.h>

enum { N = 40 };

static double x[N], calm[N];
static struct ts_bursts bursts;

static void quiet(void)
{
	for (int i = 0; i < N; i++)
		x[i] = 0.1 * (i * 7 % 11 - 5) / 5.0;
}

static void raise(int from, int to)
{
	for (int i = from; i < to; i++)
		x[i] += 2;
}

static void run(void)
{
	struct ts_arena arena;
	struct ts_error err;

	ts_arena_init(&arena, 1 << 16);
	assert_int_equal(ts_burst_calm(x, N, &arena, calm, &bursts, &err), TS_OK);
	ts_arena_finish(&arena);
}

static double greatest(void)
{
	double most = 0;

	for (int i = 0; i < N; i++)
		most = fmax(most, calm[i]);
	return most;
}

static void bursts_go(void **state)
{
	(void)state;
	for (int length = 1; length <= TS_BURST_MOST; length++) {
		quiet();
		raise(12, 12 + length);
		run();
		assert_true(greatest() <= 0.1);
		assert_int_equal(bursts.several, length >= 3);
		assert_int_equal(bursts.longest, length >= 3 ? length : 0);
	}
	quiet();
	raise(12, 15);
	raise(20, 23);
	raise(26, 30);
	raise(36, 39); /* the level came back with the last value */
	run();
	assert_true(greatest() <= 0.1 && bursts.several == 4 && bursts.longest == 4);
}

static void levels_stay(void **state)
{
	(void)state;
	quiet();
	raise(12, 12 + TS_BURST_MOST + 1);
	run();
	assert_memory_equal(calm, x, sizeof x);
	quiet();
	raise(12, 14); /* a value of the old level among seven of a new one parts them into no two bursts */
	raise(15, 19);
	run();
	assert_memory_equal(calm, x, sizeof x);
	assert_int_equal(bursts.several, 0);
	quiet();
	raise(37, N); /* three at the end may be a new level */
	run();
	assert_memory_equal(calm, x, sizeof x);
	assert_int_equal(bursts.several, 0);
	for (int i = 0; i < N; i++)
		x[i] = 3;
	run();
	assert_memory_equal(calm, x, sizeof x);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(bursts_go),
		cmocka_unit_test(levels_stay),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
