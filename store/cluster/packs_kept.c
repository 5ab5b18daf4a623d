#include "store/cluster/packs_kept.h"

#include "base/alloc.h"
#include "base/grow.h"

static void end_age(struct ts_packs_kept *kept, struct ts_packs_age *age)
{
	for (size_t i = 0; i < age->n; i++)
		if (age->items[i].bytes) {
			ts_free(age->items[i].bytes);
			ts_budget_give(kept->budget, age->items[i].len);
		}
	ts_free(age->items);
	ts_map_finish(&age->places);
	*age = (struct ts_packs_age){.n = 0};
}

void ts_packs_kept_init(struct ts_packs_kept *kept)
{
	*kept = (struct ts_packs_kept){.budget = ts_budget_current()};
}

void ts_packs_kept_finish(struct ts_packs_kept *kept)
{
	end_age(kept, &kept->young);
	end_age(kept, &kept->old);
}

static uint64_t hash_of(const struct ts_id *digest)
{
	return ts_load_be(digest->bytes, 8);
}

static struct ts_pack_kept *find(const struct ts_packs_age *age, const struct ts_id *digest)
{
	uint32_t number;

	TS_MAP_FIND(age->places, hash_of(digest), i, ts_id_eq(&age->items[i].digest, digest), number);
	return number == TS_MAP_NONE || !age->items[number].bytes ? NULL : &age->items[number];
}

/* Makes an item the newest; false without memory. */
static bool add(struct ts_packs_kept *kept, const struct ts_pack_kept *item)
{
	struct ts_packs_age *young = &kept->young;

	if (young->bytes && young->bytes + item->len > TS_PACKS_KEPT_BYTES) {
		end_age(kept, &kept->old);
		kept->old = *young;
		*young = (struct ts_packs_age){.n = 0};
	}
	if (!TS_GROW(young->items, young->cap, young->n + 1, 16) ||
	    !ts_map_add(&young->places, hash_of(&item->digest), (uint32_t)young->n))
		return false;
	young->items[young->n++] = *item;
	young->bytes += item->len;
	return true;
}

bool ts_packs_kept_find(struct ts_packs_kept *kept, const struct ts_id *digest, struct ts_span *ret)
{
	struct ts_pack_kept *at = find(&kept->young, digest), moved;

	if (at) {
		*ret = ts_span_of(at->bytes, at->len);
		return true;
	}
	at = find(&kept->old, digest);
	if (!at)
		return false;
	moved = *at;
	at->bytes = NULL;
	if (!add(kept, &moved)) {
		ts_free(moved.bytes);
		ts_budget_give(kept->budget, moved.len);
		return false;
	}
	*ret = ts_span_of(moved.bytes, moved.len);
	return true;
}

enum ts_status ts_packs_kept_add(struct ts_packs_kept *kept, const struct ts_id *digest, struct ts_span bytes, struct ts_span *ret,
				 struct ts_error *err)
{
	const struct ts_budget *lacks = ts_budget_take(kept->budget, bytes.len);
	struct ts_pack_kept item = {.digest = *digest, .len = bytes.len};

	if (lacks)
		return ts_budget_error(lacks, err);
	item.bytes = ts_alloc(bytes.len ? bytes.len : 1);
	if (!item.bytes || !add(kept, &item)) {
		ts_free(item.bytes);
		ts_budget_give(kept->budget, bytes.len);
		return ts_error_set(err, TS_NO_MEMORY, "out of memory for a pack");
	}
	if (bytes.len)
		memcpy(item.bytes, bytes.data, bytes.len);
	*ret = ts_span_of(item.bytes, item.len);
	return TS_OK;
}
