/* bundle_kv.h - the layer that keeps packs in a bucket, over a layer that has everything else: what a store above it sees is the same.
 *
 * A pack is first put into the layer below, with the records that name it, and is acknowledged by that alone. A thread gathers packs of
 * all servers into bundles (bundle.h) once there are 8 MiB of them, puts a bundle, and then replaces the packs by their places in one
 * write: a bundle is visible by its records. Reads of such a pack come from the cache, or from the bucket in stretches of up to 2 MiB.
 *
 * A bundle of which nothing is a pack any more leaves the index with the write that deletes the last one, and the bucket `keep_ns`
 * later by the clock that all servers share. One of which half is dead is taken apart: what lives goes back to the layer below, and
 * into another bundle. Nothing in the bucket is listed.
 *
 * Errors: a pack that is missing, cut or altered in the bucket is TS_DAMAGED, also if it was a moment ago that a proxy altered it: it
 * is asked for again first. Threads: as kv.h says.
 */
#ifndef TSCOPE_STORE_CLUSTER_BUNDLE_KV_H
#define TSCOPE_STORE_CLUSTER_BUNDLE_KV_H

#include "store/bucket/bucket.h"
#include "store/cluster/pack_cache.h"
#include "store/kv.h"

struct ts_bundles_options {
	struct ts_kv *under; /* taken over, and so are the next two, also when opening fails */
	struct ts_bucket *bucket;
	struct ts_pack_cache *cache;
	/* The clock that all servers share. */
	enum ts_status (*now)(struct ts_kv *under, int64_t *ret_ns, struct ts_error *err);
	int64_t keep_ns;    /* how long a dead bundle is kept; 0: a day */
	size_t least_bytes; /* of a bundle that the thread makes; 0: TS_BUNDLE_LEAST */
	bool read_only;	    /* puts and deletes nothing */
	bool by_hand;	    /* no thread: ts_bundles_pass is called */
};
/* Makes the store's place in the bucket if it has none (ts_bucket_check), else TS_CONFLICT where the bucket does not have it. */
enum ts_status ts_bundles_open(const struct ts_bundles_options *options, struct ts_kv **ret, struct ts_error *err);
/* What the thread does: gathers (everything with `all`), takes apart, deletes; each as long as there is something. */
enum ts_status ts_bundles_pass(struct ts_kv *kv, bool all, struct ts_error *err);
/* TS_INVALID if packs of the store lie in a bucket, of which a server was told nothing. */
enum ts_status ts_bundles_none(struct ts_kv *under, struct ts_error *err);

#endif
