/* pack_cache.h - packs of a bucket in a folder of this machine, a file each, named by their SHA-256; what was not read for longest goes
 * when they are too many bytes.
 *
 *	ts_pack_cache_open("/var/cache/tscope", 10 << 30, &cache, &err)		what is there stays
 *	ts_pack_cache_get(cache, &digest, len, out)				false: it is not there, or was damaged, and is gone now
 *	ts_pack_cache_put(cache, &digest, bytes)				may fail; nobody has to know
 *
 * Each read is held against the digest, so that no cut or altered file is ever served, and none needs to be synced. A full disk only
 * leaves the cache smaller. A folder is of one process at a time. NULL stands for a cache that keeps nothing. Threads: safe.
 */
#ifndef TSCOPE_STORE_CLUSTER_PACK_CACHE_H
#define TSCOPE_STORE_CLUSTER_PACK_CACHE_H

#include "base/digest.h"

struct ts_pack_cache;

enum { TS_CACHE_LEAST_MIB = 16 };

struct ts_pack_cache_stats {
	uint64_t bytes, hits, misses, damaged;
};

/* Makes the folder if it is not there. TS_CONFLICT if another process has it, TS_INVALID if it holds something else. */
enum ts_status ts_pack_cache_open(const char *path, uint64_t most_bytes, struct ts_pack_cache **ret, struct ts_error *err);
void ts_pack_cache_close(struct ts_pack_cache *cache); /* NULL is allowed */
bool ts_pack_cache_get(struct ts_pack_cache *cache, const struct ts_id *digest, size_t len, uint8_t *out);
/* Whether it seems to be there. */
bool ts_pack_cache_has(struct ts_pack_cache *cache, const struct ts_id *digest);
void ts_pack_cache_put(struct ts_pack_cache *cache, const struct ts_id *digest, struct ts_span bytes);
void ts_pack_cache_drop(struct ts_pack_cache *cache, const struct ts_id *digest);
void ts_pack_cache_stats(struct ts_pack_cache *cache, struct ts_pack_cache_stats *ret);

#endif
