/* map.h: every item is found and no other, hashes that are alike, failure, and that hashes hang on each byte. */
#include "base/alloc.h"
#include "base/map.h"

#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

enum { N = 5000 };

static uint32_t find(const struct ts_map *map, const uint64_t *items, uint64_t hash, uint64_t item)
{
	uint32_t number;

	TS_MAP_FIND(*map, hash, i, items[i] == item, number);
	return number;
}

static void holds(struct ts_map *map, uint64_t mask)
{
	static uint64_t items[N];

	for (uint32_t n = 0; n < N; n++) {
		uint64_t item = n * UINT64_C(3), hash = ts_hash_u64(ts_hash_open, item) & mask;

		assert_int_equal(find(map, items, hash, item), TS_MAP_NONE);
		items[n] = item;
		assert_true(ts_map_add(map, hash, n));
		assert_true(map->n == n + 1 && 2 * map->n <= map->size);
		if (mask != UINT64_MAX && n == 300) /* each search looks at all of them */
			break;
	}
	for (uint32_t n = 0; n < map->n; n++) {
		assert_int_equal(find(map, items, ts_hash_u64(ts_hash_open, items[n]) & mask, items[n]), n);
		assert_int_equal(find(map, items, ts_hash_u64(ts_hash_open, items[n] + 1) & mask, items[n] + 1), TS_MAP_NONE);
	}
}

static void it_finds_what_was_added(void **state)
{
	struct ts_map map = {0};

	(void)state;
	assert_int_equal(find(&map, (uint64_t[]){7}, 7, 7), TS_MAP_NONE);
	holds(&map, UINT64_MAX);
	ts_map_reset(&map);
	holds(&map, UINT64_MAX);
	ts_map_finish(&map);
	holds(&map, 0); /* all hashes are alike */
	ts_map_finish(&map);
}

static void a_map_in_an_arena_needs_no_more(void **state)
{
	struct ts_arena arena;
	struct ts_map map = {0};
	size_t used;

	(void)state;
	ts_arena_init(&arena, 0);
	assert_true(ts_map_reserve_in(&map, &arena, N));
	used = arena.used;
	holds(&map, UINT64_MAX);
	assert_int_equal(arena.used, used);
	assert_int_equal(map.slots == NULL, 0);
	ts_arena_finish(&arena);
	ts_arena_init(&arena, 64);
	map = (struct ts_map){0};
	assert_false(ts_map_reserve_in(&map, &arena, N));
	assert_int_equal(map.size, 0);
	ts_arena_finish(&arena);
}

static void without_memory_it_stays(void **state)
{
	struct ts_map map = {0};
	uint64_t items[64];
	uint32_t n = 0;

	(void)state;
	for (; !n || !ts_map_grows_by(&map); n++) {
		items[n] = n;
		assert_true(ts_map_add(&map, ts_hash_u64(ts_hash_open, n), n));
	}
	assert_int_equal(ts_map_grows_by(&map), 2 * map.size * sizeof(uint64_t));
	ts_alloc_fail_at(1);
	assert_false(ts_map_add(&map, ts_hash_u64(ts_hash_open, n), n));
	ts_alloc_fail_at(0);
	assert_int_equal(map.n, n);
	for (uint32_t i = 0; i < n; i++)
		assert_int_equal(find(&map, items, ts_hash_u64(ts_hash_open, i), i), i);
	ts_map_finish(&map);
}

static void a_hash_hangs_on_each_byte_the_length_and_the_key(void **state)
{
	uint8_t bytes[40] = {0};
	uint64_t other[2] = {ts_hash_open[0], ts_hash_open[1] + 1};

	(void)state;
	for (size_t n = 0; n <= sizeof bytes; n++) {
		uint64_t plain = ts_hash_bytes(ts_hash_open, ts_span_of(bytes, n));

		assert_true(plain >> 32 != ts_hash_bytes(other, ts_span_of(bytes, n)) >> 32);
		for (size_t m = 0; m < n; m++)
			assert_true(plain >> 32 != ts_hash_bytes(ts_hash_open, ts_span_of(bytes, m)) >> 32);
		for (size_t i = 0; i < n; i++) {
			bytes[i] = 1;
			assert_true(plain >> 32 != ts_hash_bytes(ts_hash_open, ts_span_of(bytes, n)) >> 32);
			bytes[i] = 0;
		}
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(it_finds_what_was_added),
		cmocka_unit_test(a_map_in_an_arena_needs_no_more),
		cmocka_unit_test(without_memory_it_stays),
		cmocka_unit_test(a_hash_hangs_on_each_byte_the_length_and_the_key),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
