/* grow.h: how large an array becomes, what it keeps, and what stays when there is no memory. */
#include "base/alloc.h"
#include "base/grow.h"

#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

struct list {
	uint32_t *items;
	size_t n, cap;
};

static void it_doubles_until_what_is_wanted_fits(void **state)
{
	struct list heap = {0}, in_arena = {0};
	struct ts_arena arena;

	(void)state;
	ts_arena_init(&arena, 0);
	for (size_t i = 0; i < 100; i++) {
		size_t cap = i < 4 ? 4 : i < 8 ? 8 : i < 16 ? 16 : i < 32 ? 32 : i < 64 ? 64 : 128;

		assert_true(TS_GROW(heap.items, heap.cap, heap.n + 1, 4));
		assert_true(TS_GROW_IN(&arena, in_arena.items, in_arena.cap, in_arena.n + 1, 4));
		assert_int_equal(heap.cap, cap);
		assert_int_equal(in_arena.cap, cap);
		heap.items[heap.n++] = in_arena.items[in_arena.n++] = (uint32_t)i + 1;
	}
	for (uint32_t i = 0; i < 128; i++) {
		assert_int_equal(heap.items[i], i < 100 ? i + 1 : 0);
		assert_int_equal(in_arena.items[i], i < 100 ? i + 1 : 0);
	}
	assert_true(TS_GROW(heap.items, heap.cap, 1000, 4));
	assert_int_equal(heap.cap, 1024);
	ts_free(heap.items);
	ts_arena_finish(&arena);
}

static void without_memory_the_array_stays(void **state)
{
	struct list heap = {0}, in_arena = {0};
	struct ts_arena arena;
	uint32_t *before;

	(void)state;
	ts_arena_init(&arena, 64);
	assert_true(TS_GROW(heap.items, heap.cap, 1, 8));
	assert_true(TS_GROW_IN(&arena, in_arena.items, in_arena.cap, 1, 8));
	heap.items[7] = in_arena.items[7] = 7;
	before = in_arena.items;
	ts_alloc_fail_at(1);
	assert_false(TS_GROW(heap.items, heap.cap, 9, 8));
	ts_alloc_fail_at(0);
	assert_false(TS_GROW_IN(&arena, in_arena.items, in_arena.cap, 9, 8));
	assert_false(TS_GROW(heap.items, heap.cap, SIZE_MAX, 8));
	assert_false(TS_GROW_IN(&arena, in_arena.items, in_arena.cap, SIZE_MAX / 2, 8));
	assert_int_equal(heap.cap, 8);
	assert_int_equal(in_arena.cap, 8);
	assert_int_equal(heap.items[7], 7);
	assert_ptr_equal(in_arena.items, before);
	assert_int_equal(in_arena.items[7], 7);
	ts_free(heap.items);
	ts_arena_finish(&arena);
}

/* No cap is kept: the array moves where 0, 8, 16, 32, ... items are in it, and at no other number. */
static void one_by_one_it_moves_where_it_is_full(void **state)
{
	struct ts_arena arena;
	uint32_t *items = NULL;

	(void)state;
	ts_arena_init(&arena, 2 * (8 + 16 + 32 + 64) * sizeof *items);
	for (size_t n = 0; n < 64; n++) {
		uint32_t *before = items;
		bool full = n == 0 || n == 8 || n == 16 || n == 32;

		assert_true(TS_GROW_BY_ONE_IN(&arena, items, n, 8));
		assert_int_equal(items != before, full);
		assert_int_equal(items[n], 0);
		items[n] = (uint32_t)n + 1;
		for (size_t i = 0; i <= n; i++)
			assert_int_equal(items[i], i + 1);
	}
	ts_arena_finish(&arena);
	ts_arena_init(&arena, 16);
	assert_false(TS_GROW_BY_ONE_IN(&arena, items, 64, 8));
	ts_arena_finish(&arena);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(it_doubles_until_what_is_wanted_fits),
		cmocka_unit_test(without_memory_the_array_stays),
		cmocka_unit_test(one_by_one_it_moves_where_it_is_full),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
