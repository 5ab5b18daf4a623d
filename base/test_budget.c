#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include "base/arena.h"
#include "base/budget.h"
#include "base/helper.h"

#include <cmocka.h>

enum { MB = 1 << 20 };

static struct ts_budget server, ada, bob, call;

static int setup(void **state)
{
	(void)state;
	ts_budget_init(&server, NULL, "the server", 100 * MB, 0);
	ts_budget_init(&ada, &server, "the calls of ada", 0, 75);
	ts_budget_init(&bob, &server, "the calls of bob", 0, 75);
	ts_budget_init(&call, &ada, "this call", 50 * MB, 0);
	return 0;
}

static void what_a_call_takes_counts_above_it(void **state)
{
	(void)state;
	assert_null(ts_budget_take(&call, 40 * MB));
	assert_int_equal(atomic_load(&call.used), 40 * MB);
	assert_int_equal(atomic_load(&ada.used), 40 * MB);
	assert_int_equal(atomic_load(&server.used), 40 * MB);
	assert_ptr_equal(ts_budget_take(&call, 11 * MB), &call);
	assert_ptr_equal(ts_budget_lacks(&call, 11 * MB), &call);
	assert_ptr_equal(ts_budget_take(&call, SIZE_MAX), &call);
	assert_int_equal(atomic_load(&server.used), 40 * MB); /* who is refused holds nothing more */
	ts_budget_force(&bob, 50 * MB);
	assert_ptr_equal(ts_budget_take(&call, 5 * MB), &ada); /* her share is 37.5 now: the call gives back what it had taken */
	assert_int_equal(atomic_load(&call.used), 40 * MB);
	ts_budget_give(&bob, 50 * MB);
	ts_budget_give(&call, 40 * MB);
	assert_int_equal(atomic_load(&server.used), 0);
	assert_null(ts_budget_take(NULL, SIZE_MAX));
}

/* Ada alone may have 75 of 100; then bob 75 % of the 25 that she leaves; and when she has less, he may have more. */
static void something_is_always_left(void **state)
{
	struct ts_error err;

	(void)state;
	assert_null(ts_budget_take(&ada, 74 * MB));
	assert_ptr_equal(ts_budget_take(&ada, 2 * MB), &ada);
	assert_ptr_equal(ts_budget_take(&bob, 20 * MB), &bob);
	assert_null(ts_budget_take(&bob, 19 * MB));
	assert_int_equal(ts_budget_error(ts_budget_take(&bob, 1 * MB), &err), TS_NO_MEMORY);
	assert_string_equal(err.text, "out of memory: the calls of bob may use at most 20447175 bytes, and 19922944 are in use");
	ts_budget_give(&ada, 74 * MB);
	assert_null(ts_budget_take(&bob, 40 * MB));
	assert_ptr_equal(ts_budget_lacks(&ada, 31 * MB), &ada);
	assert_null(ts_budget_lacks(&ada, 30 * MB));
}

static void what_has_arrived_counts_in_any_case(void **state)
{
	(void)state;
	ts_budget_force(&call, 60 * MB);
	assert_int_equal(atomic_load(&server.used), 60 * MB);
	assert_ptr_equal(ts_budget_lacks(&call, 0), &call);
	ts_budget_give(&call, 60 * MB);
	assert_null(ts_budget_lacks(&call, 0));
}

static void in_helper(void *ctx)
{
	struct ts_arena *arena = ctx;

	ts_arena_init(arena, 0);
	assert_non_null(ts_arena_alloc(arena, 20 * MB));
}

/* Two arenas, one of them made by a helper, share what one call may have; both give it back. */
static void all_arenas_of_a_call_draw_on_it(void **state)
{
	struct ts_budget *before = ts_budget_enter(&call);
	struct ts_arena own, other, later;
	struct ts_helper *h;
	struct ts_error err;

	(void)state;
	assert_null(before);
	ts_helpers_allow(1);
	h = ts_helper_hire();
	assert_non_null(h);
	ts_helper_give(h, in_helper, &other);
	ts_helper_wait(h);
	ts_helper_dismiss(h);
	ts_helpers_allow(-1);
	ts_arena_init(&own, 1 << 30);
	assert_ptr_equal(ts_budget_enter(NULL), &call);
	assert_null(ts_budget_current());
	assert_non_null(ts_arena_alloc(&own, 20 * MB));
	assert_null(ts_arena_alloc(&own, 20 * MB));
	assert_int_equal(ts_arena_check(&own, &err), TS_NO_MEMORY);
	assert_non_null(strstr(err.text, "this call may use at most 52428800 bytes, and 419"));
	ts_arena_init(&later, 0); /* made outside of the call: nothing of it is the call's */
	assert_non_null(ts_arena_alloc(&later, 60 * MB));
	assert_in_range(atomic_load(&call.used), 40 * MB, 41 * MB);
	assert_true(ts_arena_adopt(&own, &other));
	ts_arena_finish(&own);
	assert_int_equal(atomic_load(&call.used), 0);
	ts_arena_finish(&later);
	ts_arena_finish(&other);
	assert_int_equal(atomic_load(&server.used), 0);
}

static void what_is_revoked_gets_nothing_more(void **state)
{
	struct ts_arena arena;
	struct ts_error err;

	(void)state;
	assert_null(ts_budget_enter(&call));
	ts_arena_init(&arena, 0);
	assert_non_null(ts_arena_alloc(&arena, 1));
	assert_int_equal(ts_budget_check(&err), TS_OK);
	ts_budget_revoke(&call);
	assert_int_equal(ts_budget_check(&err), TS_CANCELLED);
	assert_null(ts_arena_alloc(&arena, 1));
	assert_int_equal(ts_arena_check(&arena, &err), TS_NO_MEMORY);
	assert_string_equal(err.text, "nobody waits for this any more");
	assert_ptr_equal(ts_budget_enter(NULL), &call);
	assert_int_equal(ts_budget_check(&err), TS_OK);
	ts_arena_finish(&arena);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(what_a_call_takes_counts_above_it, setup),
		cmocka_unit_test_setup(something_is_always_left, setup),
		cmocka_unit_test_setup(what_has_arrived_counts_in_any_case, setup),
		cmocka_unit_test_setup(all_arenas_of_a_call_draw_on_it, setup),
		cmocka_unit_test_setup(what_is_revoked_gets_nothing_more, setup),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
