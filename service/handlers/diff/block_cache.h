/* block_cache.h - decoded blocks of keys and of words, for a call that looks at the same ones again and again.
 *
 * Bounded: those that were asked for least recently go first, and until the cache may grow it keeps TS_BLOCK_CACHE_WORDS blocks of
 * words. What is returned stays valid until TS_BLOCK_CACHE_SAFE other blocks have been asked for, words until as many of words as are
 * kept. A block that is kept is held against what the index says of it as a fetched one is.
 * Threads: as the ts_fetch, which must outlive it.
 */
#ifndef TSCOPE_SERVICE_HANDLERS_DIFF_BLOCK_CACHE_H
#define TSCOPE_SERVICE_HANDLERS_DIFF_BLOCK_CACHE_H

#include "service/handlers/core/read.h"

/* Keys and values of two series, and one more; of these the values, and one more. */
enum { TS_BLOCK_CACHE_SAFE = 5, TS_BLOCK_CACHE_WORDS = 3 };

struct ts_block_cache;

/* Keeps TS_BLOCK_CACHE_SAFE blocks whatever their size; see ts_block_cache_grow. */
enum ts_status ts_block_cache_create(struct ts_fetch *f, struct ts_block_cache **ret_cache, struct ts_error *err);
void ts_block_cache_destroy(struct ts_block_cache *cache); /* NULL is allowed */
/* Keeps up to so many bytes from now on; less than before has no effect. */
void ts_block_cache_grow(struct ts_block_cache *cache, size_t bytes);

enum ts_status ts_block_cache_keys(struct ts_block_cache *cache, const struct ts_block *block, const int64_t **ret_keys,
				   struct ts_error *err);
/* Of F64 and U64. */
enum ts_status ts_block_cache_words(struct ts_block_cache *cache, const struct ts_id *id, enum ts_column_type type,
				    size_t rows, const uint64_t **ret_words, struct ts_error *err);

#endif
