/* test_batch_order.c - sequences of batches made by hand: what comes back, and what only looks so. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "analysis/rank/batch_order.h"

enum { N = 300, EPOCH = 100 };

static uint64_t digests[N];

/* 7919 is prime, and so these are distinct. */
static uint64_t batch(size_t i)
{
	return 1 + i * 7919;
}

static void test_same_order_in_every_epoch(void **state)
{
	struct ts_batch_order o;

	(void)state;
	for (size_t i = 0; i < N; i++)
		digests[i] = batch(i % EPOCH);
	o = ts_batch_order_find(digests, N);
	assert_int_equal(o.period, EPOCH);
	assert_int_equal(o.repeated, N - EPOCH);
	assert_int_equal(o.from, EPOCH);
	/* Twenty batches of the second epoch are enough, nineteen are not. */
	assert_int_equal(ts_batch_order_find(digests, EPOCH + TS_BATCHES_REPEATED).period, EPOCH);
	assert_int_equal(ts_batch_order_find(digests, EPOCH + TS_BATCHES_REPEATED - 1).period, 0);
}

static void test_order_drawn_anew(void **state)
{
	(void)state;
	for (size_t i = 0; i < N; i++)
		digests[i] = batch(i / EPOCH % 2 ? i % EPOCH * 37 % EPOCH : i % EPOCH);
	assert_int_equal(ts_batch_order_find(digests, 2 * EPOCH).period, 0);
	for (size_t i = 0; i < N; i++)
		digests[i] = batch(i);
	assert_int_equal(ts_batch_order_find(digests, N).period, 0);
	assert_int_equal(ts_batch_order_find(digests, 0).period, 0);
	assert_int_equal(ts_batch_order_find(digests, 1).period, 0);
}

/* Only the last batches are those of an epoch before. */
static void test_last_batches(void **state)
{
	(void)state;
	for (size_t repeated = TS_BATCHES_REPEATED - 1; repeated <= TS_BATCHES_REPEATED; repeated++) {
		for (size_t i = 0; i < N; i++)
			digests[i] = batch(i < N - repeated ? i : i - EPOCH);
		assert_int_equal(ts_batch_order_find(digests, N).period, repeated == TS_BATCHES_REPEATED ? EPOCH : 0);
	}
}

static void test_one_batch(void **state)
{
	struct ts_batch_order o;

	(void)state;
	for (size_t i = 0; i < N; i++)
		digests[i] = batch(i < 50 ? i : 50);
	o = ts_batch_order_find(digests, N);
	assert_int_equal(o.period, 1);
	assert_int_equal(o.repeated, N - 51);
	assert_int_equal(o.from, 51);
}

/* A batch that comes twice within an epoch is no period. */
static void test_twice_in_an_epoch(void **state)
{
	(void)state;
	for (size_t i = 0; i < N; i++)
		digests[i] = batch(i % EPOCH == 95 ? 99 : i % EPOCH);
	assert_int_equal(ts_batch_order_find(digests, N).period, EPOCH);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_same_order_in_every_epoch),
		cmocka_unit_test(test_order_drawn_anew),
		cmocka_unit_test(test_last_batches),
		cmocka_unit_test(test_one_batch),
		cmocka_unit_test(test_twice_in_an_epoch),
	};

	return cmocka_run_group_tests_name("batch_order", tests, NULL, NULL);
}
