/* bundle_internal.h - what the layer of bundles shares with the thread that makes them. Internal to store/cluster/. */
#ifndef TSCOPE_STORE_CLUSTER_BUNDLE_INTERNAL_H
#define TSCOPE_STORE_CLUSTER_BUNDLE_INTERNAL_H

#include "store/cluster/bundle.h"
#include "store/cluster/bundle_kv.h"

#include <pthread.h>

/* Packs that no bundle has: how many, and their least and greatest number. */
struct ts_waiting {
	uint64_t n, first, last;
};

struct ts_bundles {
	struct ts_kv kv; /* must be first */
	struct ts_bundles_options as;
	uint8_t uid[TS_STORE_UID];
	bool known; /* the uid; only a server that writes nothing may have to wait for another one, which gives it */
	pthread_t thread;
	bool runs; /* the thread */
	pthread_mutex_t lock;
	pthread_cond_t woken;
	bool ending;
	struct ts_waiting too_few; /* for a bundle, as the thread last saw them */
	uint64_t fresh_bytes;	   /* of packs that were put since the thread looked */
	uint64_t failures;	   /* of the thread's turns */
	bool failing;		   /* it was said that they fail */
};

static inline struct ts_bundles *ts_bundles_of(struct ts_kv *kv)
{
	return (struct ts_bundles *)(void *)kv;
}

/* Runs a write on the layer below, of records of bundle.h and of packs that move between the two places where they may lie. */
static inline enum ts_status ts_bundles_write(struct ts_bundles *b, ts_write_fn *run, void *ctx, struct ts_error *err)
{
	return b->as.under->ops->commit(b->as.under, run, ctx, 0, err);
}

/* bundle_fetch.c: learns the uid, if it was not known when the layer was opened; to be called before a bundle is asked for. */
enum ts_status ts_bundles_know(struct ts_bundles *b, struct ts_read under, struct ts_error *err);

/* bundle_fetch.c: reads n packs that lie one behind the other in a bundle, and holds the first one against its digest. */
enum ts_status ts_bundles_fetch(struct ts_bundles *b, const struct ts_place *places, size_t n, uint8_t *out, struct ts_error *err);
bool ts_place_is_right(const struct ts_place *place, const uint8_t *bytes);

/* bundle_keeper.c */
enum ts_status ts_bundles_begin(struct ts_bundles *b, struct ts_error *err); /* the thread */
void ts_bundles_end(struct ts_bundles *b);
void ts_bundles_put_more(struct ts_bundles *b, uint64_t bytes);
enum ts_status ts_bundles_look(struct ts_kv *kv, bool only_new, struct ts_looked *looked, struct ts_error *err); /* look of kv.h */

#endif
