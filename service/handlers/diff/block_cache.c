/* block_cache.c - see block_cache.h. Entries hang in a bucket by the first bytes of their id, which is a digest, and in one
 * ring by when they were asked for; the ring's head stands between the newest and the oldest.
 */
#include "service/handlers/diff/block_cache.h"

#include "base/alloc.h"
#include "base/limits.h"

enum { BUCKETS = 1024 };

struct link {
	struct link *newer, *older;
};

struct entry {
	struct link link; /* first member: an entry is found by its link */
	struct entry *next; /* the next entry of the bucket */
	struct ts_id id;
	enum ts_column_type type; /* 0: keys */
	size_t rows;
	uint64_t words[];
};

struct ts_block_cache {
	struct ts_fetch *fetch;
	size_t used, most;
	size_t n_words; /* entries that are no keys */
	bool grown;
	struct link ring;
	struct entry *buckets[BUCKETS];
};

enum ts_status ts_block_cache_create(struct ts_fetch *f, struct ts_block_cache **ret_cache, struct ts_error *err)
{
	struct ts_block_cache *cache = ts_alloc_array(1, sizeof *cache);

	if (!cache)
		return ts_error_set(err, TS_NO_MEMORY, "out of memory");
	*cache = (struct ts_block_cache){.fetch = f};
	cache->most = TS_BLOCK_CACHE_SAFE * (sizeof(struct entry) + TS_BLOCK_ROWS_MAX * sizeof(uint64_t));
	cache->ring.newer = cache->ring.older = &cache->ring;
	*ret_cache = cache;
	return TS_OK;
}

void ts_block_cache_grow(struct ts_block_cache *cache, size_t bytes)
{
	cache->grown = true;
	if (bytes > cache->most)
		cache->most = bytes;
}

static struct entry **bucket_of(struct ts_block_cache *cache, const struct ts_id *id)
{
	uint16_t hash;

	memcpy(&hash, id->bytes, sizeof hash);
	return &cache->buckets[hash % BUCKETS];
}

static size_t bytes_of(size_t rows)
{
	return sizeof(struct entry) + rows * sizeof(uint64_t);
}

static void unlink_entry(struct link *link)
{
	link->newer->older = link->older;
	link->older->newer = link->newer;
}

static void make_newest(struct ts_block_cache *cache, struct link *link)
{
	link->newer = &cache->ring;
	link->older = cache->ring.older;
	cache->ring.older->newer = link;
	cache->ring.older = link;
}

static void drop(struct ts_block_cache *cache, struct link *link)
{
	struct entry *e = (struct entry *)link, **at = bucket_of(cache, &e->id);

	while (*at != e)
		at = &(*at)->next;
	*at = e->next;
	unlink_entry(&e->link);
	cache->used -= bytes_of(e->rows);
	cache->n_words -= e->type != 0;
	ts_free(e);
}

/* Keys serve every series of a table, but words only their own, which goes on to the next block: kept ones would only take fresh
 * pages, and each page costs as much as two hundred rows. */
static void drop_passed_words(struct ts_block_cache *cache)
{
	struct link *link = cache->ring.newer;

	if (cache->grown || cache->n_words < TS_BLOCK_CACHE_WORDS)
		return;
	while (((struct entry *)link)->type == 0)
		link = link->newer;
	drop(cache, link);
}

void ts_block_cache_destroy(struct ts_block_cache *cache)
{
	if (!cache)
		return;
	while (cache->ring.newer != &cache->ring)
		drop(cache, cache->ring.newer);
	ts_free(cache);
}

/* Returns the entry cached under the id, or NULL if there is none. */
static struct entry *find(struct ts_block_cache *cache, const struct ts_id *id, enum ts_column_type type, size_t rows)
{
	struct entry *e = *bucket_of(cache, id);

	while (e && !(ts_id_eq(&e->id, id) && e->type == type && e->rows == rows))
		e = e->next;
	if (e) {
		unlink_entry(&e->link);
		make_newest(cache, &e->link);
	}
	return e;
}

/* Returns room for one more entry, which is not yet in its bucket. */
static struct entry *make_room(struct ts_block_cache *cache, const struct ts_id *id, enum ts_column_type type,
			       size_t rows, struct ts_error *err)
{
	struct entry *e;

	if (type)
		drop_passed_words(cache);
	while (cache->used + bytes_of(rows) > cache->most && cache->ring.newer != &cache->ring)
		drop(cache, cache->ring.newer);
	e = ts_alloc(bytes_of(rows));
	if (!e) {
		ts_error_set(err, TS_NO_MEMORY, "out of memory");
		return NULL;
	}
	e->id = *id;
	e->type = type;
	e->rows = rows;
	return e;
}

static void keep(struct ts_block_cache *cache, struct entry *e)
{
	struct entry **bucket = bucket_of(cache, &e->id);

	e->next = *bucket;
	*bucket = e;
	make_newest(cache, &e->link);
	cache->used += bytes_of(e->rows);
	cache->n_words += e->type != 0;
}

enum ts_status ts_block_cache_keys(struct ts_block_cache *cache, const struct ts_block *block, const int64_t **ret_keys,
				   struct ts_error *err)
{
	struct entry *e = find(cache, &block->keys, 0, block->rows);
	const int64_t *keys;

	/* The words are read as the type that was written: C allows int64_t to alias uint64_t. */
	if (e && (int64_t)e->words[0] == block->first_key && (int64_t)e->words[block->rows - 1] == block->last_key) {
		keys = (const int64_t *)e->words;
	} else {
		e = make_room(cache, &block->keys, 0, block->rows, err);
		if (!e)
			return err->status;
		if (ts_fetch_block_keys(cache->fetch, block, (int64_t *)e->words, err)) {
			ts_free(e);
			return err->status;
		}
		keep(cache, e);
		keys = (const int64_t *)e->words;
	}
	*ret_keys = keys;
	return TS_OK;
}

enum ts_status ts_block_cache_words(struct ts_block_cache *cache, const struct ts_id *id, enum ts_column_type type,
				    size_t rows, const uint64_t **ret_words, struct ts_error *err)
{
	struct entry *e = find(cache, id, type, rows);

	if (!e) {
		e = make_room(cache, id, type, rows, err);
		if (!e)
			return err->status;
		if (ts_fetch_block_words(cache->fetch, id, type, rows, e->words, err)) {
			ts_free(e);
			return err->status;
		}
		keep(cache, e);
	}
	*ret_words = e->words;
	return TS_OK;
}
