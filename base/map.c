#include "base/map.h"

#include "base/alloc.h"
#include "base/door.h"

enum { FIRST = 64 };

const uint64_t ts_hash_open[2] = {UINT64_C(0xE7037ED1A0B428DB), UINT64_C(0x8EBC6AF09C88C6E3)};

/* There is a free slot. */
static void put(uint64_t *slots, size_t size, uint64_t slot)
{
	size_t at = (size_t)(slot >> 32) & (size - 1);

	while (slots[at])
		at = (at + 1) & (size - 1);
	slots[at] = slot;
}

static bool is_full(const struct ts_map *map)
{
	return map->n >= map->size / 2;
}

size_t ts_map_grows_by(const struct ts_map *map)
{
	return is_full(map) ? (map->size ? 2 * map->size : FIRST) * sizeof *map->slots : 0;
}

bool ts_map_add(struct ts_map *map, uint64_t hash, uint32_t number)
{
	TS_DOOR(number < UINT32_MAX - 1);
	if (is_full(map)) {
		size_t size = map->size ? 2 * map->size : FIRST;
		uint64_t *slots = ts_alloc_array(size, sizeof *slots);

		if (!slots)
			return false;
		for (size_t i = 0; i < map->size; i++)
			if (map->slots[i])
				put(slots, size, map->slots[i]);
		ts_free(map->slots);
		map->slots = slots;
		map->size = size;
	}
	put(map->slots, map->size, hash >> 32 << 32 | (number + 1));
	map->n++;
	return true;
}

bool ts_map_reserve_in(struct ts_map *map, struct ts_arena *arena, size_t n)
{
	size_t size = FIRST;

	TS_DOOR(map->size == 0);
	while (size / 2 <= n)
		if (!ts_size_mul(size, 2, &size))
			return false;
	map->slots = ts_arena_array(arena, size, sizeof *map->slots);
	map->size = map->slots ? size : 0;
	return map->slots;
}

void ts_map_reset(struct ts_map *map)
{
	if (map->size)
		memset(map->slots, 0, map->size * sizeof *map->slots);
	map->n = 0;
}

void ts_map_finish(struct ts_map *map)
{
	ts_free(map->slots);
	*map = (struct ts_map){0};
}
