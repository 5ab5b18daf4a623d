/* Shares: what one peer may have beside others, what is always left, and that nothing is lost of the count. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include "service/auth/shares.h"

#include <cmocka.h>
#include <pthread.h>
#include <stdio.h>

static struct ts_shares *shares;
static struct ts_error err;

static int setup(void **state)
{
	(void)state;
	assert_int_equal(ts_shares_create(256, 1000000, &shares, &err), TS_OK);
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	ts_shares_destroy(shares);
	return 0;
}

static struct ts_peer peer(unsigned n)
{
	struct ts_peer p = {.kind = TS_PEER_USER, .key = n * UINT64_C(0x100000000)}; /* all in one bucket */

	(void)snprintf(p.name, sizeof p.name, "user %u", n);
	return p;
}

/* How many of `most` calls a peer gets. */
static unsigned enter(unsigned who, bool waits, unsigned most, struct ts_share **ret)
{
	struct ts_peer p = peer(who);
	unsigned n = 0;

	while (n < most && ts_shares_enter(shares, &p, waits, ret, &err) == TS_OK)
		n++;
	return n;
}

static void leave(struct ts_share *share, bool waits, unsigned n)
{
	while (n--)
		ts_shares_leave(shares, share, waits);
}

static void half_of_what_others_leave(void **state)
{
	struct ts_share *a, *b, *c;

	(void)state;
	assert_int_equal(enter(1, false, 1000, &a), 128);
	assert_int_equal(err.status, TS_UNAVAILABLE);
	assert_string_equal(err.text, "user 1 has 128 calls already, which is the share of one user while others have 0 of the "
				      "server's 256; try again later");
	assert_int_equal(enter(2, false, 1000, &b), 64);
	assert_int_equal(enter(3, false, 1000, &c), 32);
	leave(b, false, 64);
	assert_int_equal(enter(3, false, 1000, &c), 32); /* half of 128 */
	leave(a, false, 128);
	leave(c, false, 64);
	assert_int_equal(enter(4, false, 1000, &a), 128); /* all was given back */
	leave(a, false, 128);
}

/* 96 of 128 may wait; the other 32 are for small questions. */
static void who_waits_leaves_room_for_questions(void **state)
{
	struct ts_share *a;

	(void)state;
	assert_int_equal(enter(1, true, 1000, &a), 96);
	assert_string_equal(err.text, "user 1 has 96 uploads, downloads, watches and analyses already, which is the share of one user "
				      "while others have 0 of the server's 256 calls; try again later");
	assert_int_equal(enter(1, false, 1000, &a), 32);
	leave(a, true, 1);
	assert_int_equal(enter(1, true, 1, &a), 1);
	leave(a, true, 96);
	leave(a, false, 32);
}

/* However many peers: each has one call until the server has all its calls, and never one more. */
static void everyone_has_one_until_it_is_full(void **state)
{
	struct ts_share *share[300];
	unsigned n = 0;

	(void)state;
	for (unsigned i = 0; i < 8; i++)
		n += enter(1000 + i, false, 1000, &share[0]);
	assert_int_equal(n, 255);
	assert_int_equal(enter(1, false, 1000, &share[1]), 1);
	assert_int_equal(enter(2, false, 1, &share[2]), 0);
	assert_string_equal(err.text, "the server has 256 calls already, which is its limit; try again later");
	ts_shares_destroy(shares);
	assert_int_equal(ts_shares_create(1, 0, &shares, &err), TS_OK);
	assert_int_equal(enter(1, true, 10, &share[0]), 1);
	leave(share[0], true, 1);
	assert_int_equal(enter(2, false, 10, &share[0]), 1);
	leave(share[0], false, 1);
}

static void memory_is_shared_in_the_same_way(void **state)
{
	struct ts_share *a, *b;

	(void)state;
	assert_int_equal(enter(1, true, 1, &a), 1);
	assert_int_equal(enter(2, true, 1, &b), 1);
	assert_null(ts_budget_take(ts_share_memory(a), 750000));
	assert_int_equal(ts_budget_error(ts_budget_take(ts_share_memory(a), 1), &err), TS_NO_MEMORY);
	assert_string_equal(err.text, "out of memory: the calls of user 1 may use at most 750000 bytes, and 750000 are in use");
	assert_null(ts_budget_take(ts_share_memory(b), 187500));
	assert_non_null(ts_budget_take(ts_share_memory(b), 1000));
	ts_budget_give(ts_share_memory(a), 750000);
	ts_budget_give(ts_share_memory(b), 187500);
	leave(a, true, 1);
	leave(b, true, 1);
}

static void *in_and_out(void *arg)
{
	struct ts_peer p = peer(*(unsigned *)arg % 3);
	struct ts_error why;
	struct ts_share *share;

	for (int i = 0; i < 20000; i++)
		if (ts_shares_enter(shares, &p, i & 1, &share, &why) == TS_OK)
			ts_shares_leave(shares, share, i & 1);
	return NULL;
}

static void threads_lose_nothing(void **state)
{
	unsigned numbers[4] = {0, 1, 2, 3};
	pthread_t threads[4];
	struct ts_share *a;

	(void)state;
	for (int i = 0; i < 4; i++)
		assert_int_equal(pthread_create(&threads[i], NULL, in_and_out, &numbers[i]), 0);
	for (int i = 0; i < 4; i++)
		pthread_join(threads[i], NULL);
	assert_int_equal(enter(1, false, 1000, &a), 128);
	leave(a, false, 128);
}

int main(void)
{
#define T(f) cmocka_unit_test_setup_teardown(f, setup, teardown)
	const struct CMUnitTest tests[] = {
		T(half_of_what_others_leave),
		T(who_waits_leaves_room_for_questions),
		T(everyone_has_one_until_it_is_full),
		T(memory_is_shared_in_the_same_way),
		T(threads_lose_nothing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
