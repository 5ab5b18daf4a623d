#include "base/scratch.h"

#include "base/alloc.h"

#include <stdint.h>

void ts_scratch_init(struct ts_arena *scratch, const struct ts_arena *arena)
{
	size_t left = arena->ceiling - arena->used;

	ts_arena_init(scratch, arena->ceiling ? (left ? left : 1) : 0);
}

void *ts_scratch_array(struct ts_arena *arena, size_t count, size_t size)
{
	size_t total;

	return ts_arena_alloc(arena, ts_size_mul(count, size, &total) ? total : SIZE_MAX);
}
