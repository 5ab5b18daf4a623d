#include "store/idmap.h"

#include "base/alloc.h"

static size_t home(const struct ts_idmap *map, const struct ts_id *id)
{
	uint64_t hash;

	memcpy(&hash, id->bytes + 8, sizeof hash);
	return (size_t)hash & (map->cap - 1);
}

/* Returns the slot that holds id, or the free slot into which id would go. */
static struct ts_idslot *find(const struct ts_idmap *map, const struct ts_id *id)
{
	size_t at = home(map, id);

	while (map->slots[at].value && !ts_id_eq(&map->slots[at].id, id))
		at = (at + 1) & (map->cap - 1);
	return &map->slots[at];
}

void ts_idmap_finish(struct ts_idmap *map)
{
	ts_free(map->slots);
	*map = (struct ts_idmap){0};
}

void *ts_idmap_get(const struct ts_idmap *map, const struct ts_id *id)
{
	return map->cap ? find(map, id)->value : NULL;
}

enum ts_status ts_idmap_reserve(struct ts_idmap *map, size_t n, struct ts_error *err)
{
	struct ts_idmap fresh = {.cap = map->cap ? map->cap : 64};
	size_t need;

	if (!ts_size_add(map->used, n, &need) || !ts_size_mul(need, 2, &need))
		return ts_error_set(err, TS_NO_MEMORY, "too many ids");
	if (need <= map->cap)
		return TS_OK;
	while (fresh.cap < need)
		fresh.cap *= 2;
	fresh.slots = ts_alloc_array(fresh.cap, sizeof *fresh.slots);
	if (!fresh.slots)
		return ts_error_set(err, TS_NO_MEMORY, "out of memory for %zu ids", need);
	for (size_t i = 0; i < map->cap; i++)
		if (map->slots[i].value)
			ts_idmap_put(&fresh, &map->slots[i].id, map->slots[i].value);
	ts_idmap_finish(map);
	*map = fresh;
	return TS_OK;
}

void ts_idmap_put(struct ts_idmap *map, const struct ts_id *id, void *value)
{
	struct ts_idslot *slot = find(map, id);

	if (!slot->value)
		map->used++;
	slot->id = *id;
	slot->value = value;
}

enum ts_status ts_idmap_add(struct ts_idmap *map, const struct ts_id *id, bool *ret_added, struct ts_error *err)
{
	static char there;

	if (ts_idmap_get(map, id)) {
		*ret_added = false;
		return TS_OK;
	}
	if (ts_idmap_reserve(map, 1, err))
		return err->status;
	ts_idmap_put(map, id, &there);
	*ret_added = true;
	return TS_OK;
}
