/* Tests helpers: a task runs with and without one, what it wrote can be read, and there are never more than allowed. */
#include "base/alloc.h"
#include "base/helper.h"

#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

struct sum {
	unsigned from, to;
	uint64_t total;
	pthread_t thread;
};

static void add_up(void *ctx)
{
	struct sum *s = ctx;

	s->thread = pthread_self();
	for (unsigned i = s->from; i < s->to; i++)
		s->total += i;
}

/* Adds up 0..n-1 in two halves at once. Returns whether two threads did it. */
static bool add_halves(unsigned n, uint64_t *ret_total)
{
	struct ts_helper *h = ts_helper_hire();
	struct sum low = {.to = n / 2}, high = {.from = n / 2, .to = n};

	ts_helper_give(h, add_up, &high);
	add_up(&low);
	ts_helper_wait(h);
	ts_helper_dismiss(h);
	*ret_total = low.total + high.total;
	return !pthread_equal(low.thread, high.thread);
}

static void both_ways_give_the_same(void **state)
{
	uint64_t total;

	(void)state;
	ts_helpers_allow(0);
	assert_null(ts_helper_hire());
	assert_false(add_halves(100001, &total));
	assert_int_equal(total, UINT64_C(5000050000));
	ts_helpers_allow(1);
	assert_true(add_halves(100001, &total));
	assert_int_equal(total, UINT64_C(5000050000));
	ts_helpers_allow(-1);
}

static void one_helper_has_many_tasks(void **state)
{
	struct ts_helper *h;
	struct sum s = {.to = 3};

	(void)state;
	ts_helpers_allow(1);
	h = ts_helper_hire();
	assert_non_null(h);
	ts_helper_wait(h); /* for nothing */
	for (int i = 0; i < 1000; i++) {
		ts_helper_give(h, add_up, &s);
		ts_helper_wait(h);
		assert_int_equal(s.total, 3 * (i + 1));
	}
	ts_helper_give(h, add_up, &s);
	ts_helper_dismiss(h); /* it ends its task first */
	assert_int_equal(s.total, 3003);
	ts_helpers_allow(-1);
}

static void there_are_never_more_than_allowed(void **state)
{
	struct ts_helper *a, *b;

	(void)state;
	ts_helpers_allow(2);
	a = ts_helper_hire();
	b = ts_helper_hire();
	assert_non_null(a);
	assert_non_null(b);
	assert_null(ts_helper_hire());
	ts_helper_dismiss(a);
	a = ts_helper_hire();
	assert_non_null(a);
	ts_helper_dismiss(a);
	ts_helper_dismiss(b);
	(void)ts_alloc_fail_at(1);
	assert_null(ts_helper_hire());
	(void)ts_alloc_fail_at(0);
	a = ts_helper_hire(); /* the one that failed has left its place */
	b = ts_helper_hire();
	assert_non_null(a);
	assert_non_null(b);
	ts_helper_dismiss(a);
	ts_helper_dismiss(b);
	ts_helper_dismiss(NULL);
	ts_helpers_allow(-1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(both_ways_give_the_same),
		cmocka_unit_test(one_helper_has_many_tasks),
		cmocka_unit_test(there_are_never_more_than_allowed),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
