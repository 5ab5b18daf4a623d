#include "base/grow.h"

#include "base/alloc.h"
#include "base/door.h"

/* Stores how many items the array has next; false: no number is so large. */
static bool next_cap(size_t cap, size_t want, size_t first, size_t *ret)
{
	size_t next = cap ? cap : first;

	TS_DOOR(next > 0);
	while (next < want)
		if (!ts_size_mul(next, 2, &next))
			return false;
	*ret = next;
	return true;
}

bool ts_grow(void *items, size_t *cap, size_t size, size_t want, size_t first)
{
	void *old, *block;
	size_t next, bytes;

	memcpy(&old, items, sizeof old);
	if (!next_cap(*cap, want, first, &next) || !ts_size_mul(next, size, &bytes))
		return false;
	block = ts_realloc(old, bytes);
	if (!block)
		return false;
	memset((uint8_t *)block + *cap * size, 0, bytes - *cap * size);
	memcpy(items, &block, sizeof block);
	*cap = next;
	return true;
}

bool ts_grow_in(struct ts_arena *arena, void *items, size_t *cap, size_t size, size_t want, size_t first)
{
	void *old, *block;
	size_t next;

	memcpy(&old, items, sizeof old);
	block = next_cap(*cap, want, first, &next) ? ts_arena_array(arena, next, size) : NULL;
	if (!block)
		return false;
	if (*cap)
		memcpy(block, old, *cap * size);
	memcpy(items, &block, sizeof block);
	*cap = next;
	return true;
}

bool ts_grow_by_one_in(struct ts_arena *arena, void *items, size_t size, size_t n, size_t first)
{
	size_t cap = first;

	TS_DOOR(first > 0);
	while (cap < n && ts_size_mul(cap, 2, &cap))
		;
	if (n && n != cap)
		return true;
	return ts_grow_in(arena, items, &n, size, n + 1, first);
}
