/* test_arena.h - an arena for each test of a file: cmocka_unit_test_setup_teardown(TEST, setup, teardown). */
#ifndef TSCOPE_BASE_TEST_ARENA_H
#define TSCOPE_BASE_TEST_ARENA_H

#include "base/arena.h"

static struct ts_arena arena;

static inline int setup(void **state)
{
	(void)state;
	ts_arena_init(&arena, 64 << 20);
	return 0;
}

static inline int teardown(void **state)
{
	(void)state;
	ts_arena_finish(&arena);
	return 0;
}

#endif
