#include "ingest/facts/keys.h"

#include "base/alloc.h"
#include "base/grow.h"
#include "base/limits.h"
#include "base/map.h"

void ts_keys_init(struct ts_keys *keys, uint32_t max)
{
	*keys = (struct ts_keys){.max = max};
	ts_arena_init(&keys->arena, 0);
}

void ts_keys_finish(struct ts_keys *keys)
{
	ts_arena_finish(&keys->arena);
	ts_free(keys->items);
	ts_map_finish(&keys->map);
	*keys = (struct ts_keys){.max = keys->max};
}

/* Makes space for one more key, and for the root. */
static bool grow(struct ts_keys *keys)
{
	if (!TS_GROW(keys->items, keys->cap, (size_t)keys->n + 1, 64))
		return false;
	if (keys->n == 0)
		keys->items[keys->n++] = (struct ts_key){.parent = TS_KEY_NONE};
	return true;
}

static size_t escaped_len(struct ts_span text)
{
	size_t len = text.len;

	for (size_t i = 0; i < text.len; i++)
		len += text.data[i] == '.' || text.data[i] == '[' || text.data[i] == ']' || text.data[i] == '\\';
	return len;
}

static uint32_t add(struct ts_keys *keys, uint32_t parent, struct ts_span text, uint64_t hash)
{
	struct ts_span copy;

	if (keys->n >= keys->max)
		return TS_KEY_NONE;
	copy = grow(keys) ? ts_arena_span(&keys->arena, text) : ts_span_of(NULL, 0);
	if (!copy.data || !ts_map_add(&keys->map, hash, keys->n)) {
		keys->no_memory = true;
		return TS_KEY_NONE;
	}
	keys->items[keys->n] = (struct ts_key){.text = copy, .parent = parent};
	keys->items[keys->n].path_len = escaped_len(text);
	if (parent != TS_KEY_ROOT)
		keys->items[keys->n].path_len += keys->items[parent].path_len + 1;
	return keys->n++;
}

static bool is(const struct ts_key *key, uint32_t parent, struct ts_span text)
{
	return key->parent == parent && ts_span_eq(key->text, text);
}

uint32_t ts_keys_get(struct ts_keys *keys, uint32_t parent, struct ts_span text)
{
	uint32_t guess = keys->n ? keys->items[keys->previous].after : 0;
	uint64_t hash;
	uint32_t key;

	if (guess && is(&keys->items[guess], parent, text)) {
		keys->previous = guess;
		return guess;
	}
	hash = ts_hash_fold(ts_hash_bytes(ts_hash_open, text), ts_hash_u64(ts_hash_open, parent));
	TS_MAP_FIND(keys->map, hash, i, is(&keys->items[i], parent, text), key);
	if (key == TS_MAP_NONE)
		key = add(keys, parent, text, hash);
	if (key == TS_KEY_NONE)
		return key;
	keys->items[keys->previous].after = key;
	keys->previous = key;
	return key;
}

void ts_keys_path(const struct ts_keys *keys, uint32_t key, struct ts_buf *out)
{
	uint32_t chain[TS_JSON_DEPTH + 2];
	size_t n = 0;

	for (; key != TS_KEY_ROOT && n < sizeof chain / sizeof chain[0]; key = keys->items[key].parent)
		chain[n++] = key;
	while (n > 0)
		ts_path_key(out, keys->items[chain[--n]].text);
}
