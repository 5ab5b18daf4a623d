#include "store/idmap.h"

#include "base/alloc.h"
#include "base/grow.h"

static uint64_t hash_of(const struct ts_id *id)
{
	return ts_load_le(id->bytes + 8, 8);
}

static struct ts_iditem *find(const struct ts_idmap *map, const struct ts_id *id)
{
	uint32_t number;

	TS_MAP_FIND(map->places, hash_of(id), i, ts_id_eq(&map->items[i].id, id), number);
	return number == TS_MAP_NONE ? NULL : &map->items[number];
}

void ts_idmap_finish(struct ts_idmap *map)
{
	ts_map_finish(&map->places);
	ts_free(map->items);
	*map = (struct ts_idmap){.n = 0};
}

void *ts_idmap_get(const struct ts_idmap *map, const struct ts_id *id)
{
	const struct ts_iditem *item = find(map, id);

	return item ? item->value : NULL;
}

static enum ts_status append(struct ts_idmap *map, const struct ts_id *id, void *value, struct ts_error *err)
{
	if (map->n >= TS_MAP_NONE - 1 || !TS_GROW(map->items, map->cap, map->n + 1, 32) ||
	    !ts_map_add(&map->places, hash_of(id), (uint32_t)map->n))
		return ts_error_set(err, TS_NO_MEMORY, "out of memory for %zu ids", map->n + 1);
	map->items[map->n++] = (struct ts_iditem){*id, value};
	return TS_OK;
}

enum ts_status ts_idmap_put(struct ts_idmap *map, const struct ts_id *id, void *value, struct ts_error *err)
{
	struct ts_iditem *item = find(map, id);

	if (!item)
		return append(map, id, value, err);
	item->value = value;
	return TS_OK;
}

enum ts_status ts_idmap_add(struct ts_idmap *map, const struct ts_id *id, bool *ret_added, struct ts_error *err)
{
	static char there;

	if (find(map, id)) {
		*ret_added = false;
		return TS_OK;
	}
	if (append(map, id, &there, err))
		return err->status;
	*ret_added = true;
	return TS_OK;
}
