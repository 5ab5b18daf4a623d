/* map.h - a table of hashes that finds the number of an item by what the item is. The items stand in an array of the caller.
 *
 *	struct ts_map map = {0};
 *	uint64_t hash = ts_hash_bytes(ts_hash_open, name);
 *	uint32_t number;
 *
 *	TS_MAP_FIND(map, hash, i, ts_span_eq(items[i].name, name), number);
 *	if (number == TS_MAP_NONE && ts_map_add(&map, hash, n))
 *		items[n++] = ...
 *	ts_map_finish(&map);
 *
 * Numbers are below UINT32_MAX - 1, and an item is never taken out by itself. A search compares only items whose hashes have the same
 * upper half. The table doubles when it is half full. Who can choose items that others wait for must not know the key of the hashes.
 * Threads: one thread at a time may use a map.
 */
#ifndef TSCOPE_BASE_MAP_H
#define TSCOPE_BASE_MAP_H

#include "base/arena.h"
#include "base/cursor.h"

#define TS_MAP_NONE UINT32_MAX

struct ts_map {
	uint64_t *slots; /* the upper half of the hash, and below it the number + 1; 0: free */
	size_t size;	 /* a power of two, or 0 */
	size_t n;
};

/* Sets `number` to that of the item i for which `same` holds, or to TS_MAP_NONE. `same` is asked for items that may have this hash. */
#define TS_MAP_FIND(map, hash, i, same, number)                                                                                        \
	do {                                                                                                                           \
		const uint64_t ts_hash = (hash) >> 32;                                                                                 \
		const size_t ts_mask = (map).size - 1;                                                                                 \
                                                                                                                                       \
		(number) = TS_MAP_NONE;                                                                                                \
		for (size_t ts_at = (map).size ? (size_t)ts_hash & ts_mask : 0; (map).size && (map).slots[ts_at];                      \
		     ts_at = (ts_at + 1) & ts_mask) {                                                                                  \
			const uint32_t i = (uint32_t)(map).slots[ts_at] - 1;                                                           \
                                                                                                                                       \
			if ((map).slots[ts_at] >> 32 == ts_hash && (same)) {                                                           \
				(number) = i;                                                                                          \
				break;                                                                                                 \
			}                                                                                                              \
		}                                                                                                                      \
	} while (0)

/* Adds an item that is not there; false without memory, which leaves the map as it was. */
bool ts_map_add(struct ts_map *map, uint64_t hash, uint32_t number);
/* Takes room for so many items from an arena, so that adding these cannot fail. The map is empty before, and is not finished. */
bool ts_map_reserve_in(struct ts_map *map, struct ts_arena *arena, size_t n);
/* How many bytes the next ts_map_add will allocate before it frees the table; 0: none, there is room. */
size_t ts_map_grows_by(const struct ts_map *map);
/* Takes all items out; keeps the memory. */
void ts_map_reset(struct ts_map *map);
void ts_map_finish(struct ts_map *map);

/* A multiplication folded onto itself, as in wyhash. */
static inline uint64_t ts_hash_fold(uint64_t a, uint64_t b)
{
	__extension__ unsigned __int128 product = (unsigned __int128)a * b;

	return (uint64_t)product ^ (uint64_t)(product >> 64);
}

/* A key that everybody knows, for items that harm nobody but whoever chose them. Others have one of ts_system_random. */
extern const uint64_t ts_hash_open[2];

/* The hash of a number, and of bytes. Both halves are mixed. */
static inline uint64_t ts_hash_u64(const uint64_t key[2], uint64_t value)
{
	return ts_hash_fold(ts_hash_fold(value ^ key[0], key[1]) ^ UINT64_C(0xA0761D6478BD642F), key[0]);
}
static inline uint64_t ts_hash_bytes(const uint64_t key[2], struct ts_span bytes)
{
	const uint8_t *p = bytes.data;
	size_t n = bytes.len, i = 0;
	uint64_t h = key[1] ^ n;

	for (; i + 16 <= n; i += 16)
		h = ts_hash_fold(ts_load_le(p + i, 8) ^ key[0], ts_load_le(p + i + 8, 8) ^ h);
	if (i + 8 <= n) {
		h = ts_hash_fold(ts_load_le(p + i, 8) ^ key[0], h ^ UINT64_C(0x9E3779B97F4A7C15));
		i += 8;
	}
	if (i < n) {
		/* The last eight bytes, some of which were taken already, or fewer. */
		uint64_t tail = n >= 8   ? ts_load_le(p + n - 8, 8)
				: n >= 4 ? ts_load_le(p, 4) | ts_load_le(p + n - 4, 4) << 32
					 : p[0] | (uint64_t)p[n / 2] << 8 | (uint64_t)p[n - 1] << 16;

		h = ts_hash_fold(tail ^ key[0], h ^ UINT64_C(0xD6E8FEB86659FD93));
	}
	return ts_hash_fold(h ^ UINT64_C(0xA0761D6478BD642F), key[0]);
}

#endif
