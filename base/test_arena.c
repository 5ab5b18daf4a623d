#include "base/alloc.h"
#include "base/arena.h"
#include "base/scratch.h"

#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

static void test_blocks_are_aligned_and_apart(void **unused)
{
	struct ts_arena arena;
	uint8_t *blocks[300];

	(void)unused;
	ts_arena_init(&arena, 0);
	for (size_t i = 0; i < 300; i++) {
		blocks[i] = ts_arena_alloc(&arena, i * 7);
		assert_non_null(blocks[i]);
		assert_int_equal((uintptr_t)blocks[i] % 16, 0);
		memset(blocks[i], (int)(i & 0xFF), i * 7);
	}
	for (size_t i = 0; i < 300; i++)
		for (size_t k = 0; k < i * 7; k++)
			assert_int_equal(blocks[i][k], i & 0xFF);
	ts_arena_finish(&arena);
	assert_int_equal(arena.used, 0);
}

static void test_ceiling_is_never_passed(void **unused)
{
	struct ts_arena arena;
	struct ts_error err;

	(void)unused;
	ts_arena_init(&arena, 100);
	assert_non_null(ts_arena_alloc(&arena, 60)); /* the arena counts it as 64 */
	assert_int_equal(ts_arena_check(&arena, &err), TS_OK);
	assert_null(ts_arena_alloc(&arena, 37));
	assert_int_equal(ts_arena_check(&arena, &err), TS_NO_MEMORY);
	assert_null(ts_arena_alloc(&arena, SIZE_MAX));
	assert_null(ts_arena_alloc(&arena, SIZE_MAX - 20));
	assert_non_null(ts_arena_alloc(&arena, 32));
	assert_int_equal(arena.used, 96);
	assert_int_equal(ts_arena_check(&arena, &err), TS_NO_MEMORY); /* the arena remembers that an allocation failed */
	assert_null(ts_arena_alloc(&arena, 1));
	assert_int_equal(ts_arena_error(&arena, &err), TS_NO_MEMORY);
	assert_string_equal(err.text, "out of memory: 96 bytes are in use, and this call may use at most 100 bytes");
	ts_arena_reset(&arena);
	assert_int_equal(ts_arena_check(&arena, &err), TS_OK);
	assert_non_null(ts_arena_alloc(&arena, 96));
	ts_arena_finish(&arena);
}

static void test_a_large_block_is_given_back(void **unused)
{
	enum { LARGE = 4 << 20 };
	struct ts_arena arena;
	char *small, *large;

	(void)unused;
	ts_arena_init(&arena, LARGE + 1024);
	small = ts_arena_alloc(&arena, 16);
	large = ts_arena_alloc(&arena, LARGE);
	assert_non_null(large);
	assert_null(ts_arena_alloc(&arena, LARGE)); /* the ceiling counts what is held */
	ts_scratch_give(&arena, large);
	assert_int_equal(arena.used, 16);
	large = ts_arena_alloc(&arena, LARGE);
	assert_non_null(large);
	ts_scratch_give(&arena, small); /* shares its chunk, and stays */
	ts_scratch_give(&arena, NULL);
	assert_int_equal(arena.used, LARGE + 16);
	ts_arena_finish(&arena);
}

static void test_reset_keeps_one_chunk(void **unused)
{
	struct ts_arena arena;

	(void)unused;
	ts_arena_init(&arena, 0);
	for (int i = 0; i < 100; i++)
		assert_non_null(ts_arena_alloc(&arena, 5000));
	ts_arena_reset(&arena);
	assert_int_equal(arena.used, 0);
	/* The newest chunk has 512 KiB, and all of it is free again. */
	ts_alloc_fail_at(1);
	assert_non_null(ts_arena_alloc(&arena, 520000));
	ts_alloc_fail_at(0);
	ts_arena_finish(&arena);
}

static void test_arrays_are_zeroed_and_checked(void **unused)
{
	struct ts_arena arena;
	uint8_t *array;

	(void)unused;
	ts_arena_init(&arena, 0);
	array = ts_arena_alloc(&arena, 64);
	memset(array, 0xFF, 64);
	ts_arena_reset(&arena);
	array = ts_arena_array(&arena, 8, 8);
	for (int i = 0; i < 64; i++)
		assert_int_equal(array[i], 0);
	assert_null(ts_arena_array(&arena, SIZE_MAX / 4, 8));
	assert_true(arena.failed);
	assert_non_null(ts_arena_array(&arena, 0, 8));
	ts_arena_finish(&arena);
}

static void test_copies(void **unused)
{
	struct ts_arena arena;
	struct ts_span span;

	(void)unused;
	ts_arena_init(&arena, 0);
	assert_memory_equal(ts_arena_dup(&arena, "abc", 3), "abc", 3);
	span = ts_arena_span(&arena, ts_span_str("name"));
	assert_int_equal(span.len, 4);
	assert_memory_equal(span.data, "name", 5);
	span = ts_arena_span(&arena, ts_span_of(NULL, 0));
	assert_non_null(span.data);
	assert_int_equal(span.data[0], 0);
	assert_string_equal(ts_arena_printf(&arena, "%s/%d", "rank", 12), "rank/12");
	ts_arena_finish(&arena);
}

/* A text that has no room is empty, and the arena remembers it until it is reset, whatever fits later. */
static void test_fails_once(void **unused)
{
	struct ts_arena arena;
	struct ts_error err;

	(void)unused;
	ts_arena_init(&arena, 64);
	assert_string_equal(ts_arena_phrase(&arena, "rank %d", 3), "rank 3");
	assert_int_equal(ts_arena_check(&arena, &err), TS_OK);
	assert_string_equal(ts_arena_phrase(&arena, "%080d", 1), "");
	assert_string_equal(ts_arena_phrase(&arena, "rank %d", 4), "rank 4");
	assert_int_equal(ts_arena_check(&arena, &err), TS_NO_MEMORY);
	ts_arena_reset(&arena);
	assert_int_equal(ts_arena_check(&arena, &err), TS_OK);
	ts_arena_finish(&arena);
}

/* Each allocation of the scenario fails once: the arena returns NULL, and what it held before stays. */
static void test_nth_allocation_fails(void **unused)
{
	size_t n;

	(void)unused;
	for (n = 1;; n++) {
		struct ts_arena arena;
		uint8_t *first;
		bool failed = false;

		ts_arena_init(&arena, 0);
		ts_alloc_fail_at(n);
		first = ts_arena_dup(&arena, "first", 6);
		for (int i = 0; i < 20; i++)
			failed |= !ts_arena_alloc(&arena, 100000);
		failed |= !first || !ts_arena_printf(&arena, "%0100000d", 1);
		if (first)
			assert_string_equal((char *)first, "first");
		assert_int_equal(failed, ts_alloc_fail_at(0) >= n);
		ts_arena_finish(&arena);
		if (!failed)
			break;
	}
	assert_true(n > 3);
}

/* Large blocks are blocks like any other, whatever pages they have. */
static void test_large_blocks(void **unused)
{
	static const size_t sizes[] = {(4 << 20) - 1, 4 << 20, (4 << 20) + 1, (9 << 20) - 7};

	(void)unused;
	for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
		uint8_t *block = ts_alloc(sizes[i]), *moved;

		assert_non_null(block);
		memset(block, 7, sizes[i]);
		moved = ts_realloc(block, sizes[i] * 2);
		assert_non_null(moved);
		assert_int_equal(moved[0], 7);
		assert_int_equal(moved[sizes[i] - 1], 7);
		ts_free(moved);
	}
}

/* Work beside a result takes what that has left, at least nothing; an array that is larger than any number is refused. */
static void test_scratch(void **unused)
{
	struct ts_arena arena, scratch;

	(void)unused;
	ts_arena_init(&arena, 96);
	assert_non_null(ts_arena_alloc(&arena, 60)); /* the arena counts it as 64 */
	ts_scratch_init(&scratch, &arena);
	assert_null(ts_scratch_array(&scratch, 37, 1));
	assert_non_null(ts_scratch_array(&scratch, 8, 4));
	assert_null(ts_scratch_array(&scratch, SIZE_MAX / 2, 4));
	assert_true(scratch.failed && !arena.failed);
	ts_arena_finish(&scratch);
	assert_non_null(ts_arena_alloc(&arena, 32));
	ts_scratch_init(&scratch, &arena);
	assert_null(ts_scratch_array(&scratch, 1, 16));
	ts_arena_finish(&scratch);
	ts_arena_finish(&arena);
	ts_arena_init(&arena, 0);
	ts_scratch_init(&scratch, &arena);
	assert_int_equal(scratch.ceiling, 0);
	ts_arena_finish(&scratch);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_blocks_are_aligned_and_apart),
		cmocka_unit_test(test_ceiling_is_never_passed),
		cmocka_unit_test(test_a_large_block_is_given_back),
		cmocka_unit_test(test_reset_keeps_one_chunk),
		cmocka_unit_test(test_arrays_are_zeroed_and_checked),
		cmocka_unit_test(test_copies),
		cmocka_unit_test(test_fails_once),
		cmocka_unit_test(test_nth_allocation_fails),
		cmocka_unit_test(test_large_blocks),
		cmocka_unit_test(test_scratch),
	};

	return cmocka_run_group_tests_name("arena", tests, NULL, NULL);
}
