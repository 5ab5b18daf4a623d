#include "ingest/facts/keys.h"

#include "base/alloc.h"
#include "base/grow.h"
#include "base/limits.h"

void ts_keys_init(struct ts_keys *keys, uint32_t max)
{
	*keys = (struct ts_keys){.max = max};
	ts_arena_init(&keys->arena, 0);
}

void ts_keys_finish(struct ts_keys *keys)
{
	ts_arena_finish(&keys->arena);
	ts_free(keys->items);
	ts_free(keys->buckets);
	*keys = (struct ts_keys){.max = keys->max};
}

static uint32_t hash_of(uint32_t parent, struct ts_span text)
{
	uint64_t h = UINT64_C(0x9E3779B97F4A7C15) * (parent + 1);

	for (size_t i = 0; i < text.len; i++)
		h = (h ^ text.data[i]) * UINT64_C(0x100000001B3);
	return (uint32_t)(h ^ h >> 32);
}

static bool rehash(struct ts_keys *keys)
{
	uint32_t n = keys->n_buckets ? keys->n_buckets * 2 : 256;
	uint32_t *buckets = ts_alloc_array(n, sizeof *buckets);

	if (!buckets)
		return false;
	for (uint32_t i = 1; i < keys->n; i++) {
		uint32_t *head = &buckets[keys->items[i].hash & (n - 1)];

		keys->items[i].chain = *head;
		*head = i;
	}
	ts_free(keys->buckets);
	keys->buckets = buckets;
	keys->n_buckets = n;
	return true;
}

/* Makes space for one more key, and for the root. */
static bool grow(struct ts_keys *keys)
{
	if (!TS_GROW(keys->items, keys->cap, (size_t)keys->n + 1, 64))
		return false;
	if (keys->n == 0)
		keys->items[keys->n++] = (struct ts_key){.parent = TS_KEY_NONE};
	return keys->n < keys->n_buckets || rehash(keys);
}

static size_t escaped_len(struct ts_span text)
{
	size_t len = text.len;

	for (size_t i = 0; i < text.len; i++)
		len += text.data[i] == '.' || text.data[i] == '[' || text.data[i] == ']' || text.data[i] == '\\';
	return len;
}

static uint32_t add(struct ts_keys *keys, uint32_t parent, struct ts_span text, uint32_t hash)
{
	struct ts_span copy;
	uint32_t *head;

	if (keys->n >= keys->max)
		return TS_KEY_NONE;
	copy = grow(keys) ? ts_arena_span(&keys->arena, text) : ts_span_of(NULL, 0);
	if (!copy.data) {
		keys->no_memory = true;
		return TS_KEY_NONE;
	}
	head = &keys->buckets[hash & (keys->n_buckets - 1)];
	keys->items[keys->n] = (struct ts_key){.text = copy, .parent = parent, .hash = hash, .chain = *head};
	keys->items[keys->n].path_len = escaped_len(text);
	if (parent != TS_KEY_ROOT)
		keys->items[keys->n].path_len += keys->items[parent].path_len + 1;
	*head = keys->n;
	return keys->n++;
}

static bool is(const struct ts_key *key, uint32_t parent, struct ts_span text)
{
	return key->parent == parent && ts_span_eq(key->text, text);
}

uint32_t ts_keys_get(struct ts_keys *keys, uint32_t parent, struct ts_span text)
{
	uint32_t guess = keys->n ? keys->items[keys->previous].after : 0;
	uint32_t key = 0;
	uint32_t hash;

	if (guess && is(&keys->items[guess], parent, text)) {
		keys->previous = guess;
		return guess;
	}
	hash = hash_of(parent, text);
	if (keys->n_buckets)
		for (key = keys->buckets[hash & (keys->n_buckets - 1)]; key; key = keys->items[key].chain)
			if (keys->items[key].hash == hash && is(&keys->items[key], parent, text))
				break;
	if (!key)
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
