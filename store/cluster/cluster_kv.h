/* cluster_kv.h - the layer of keys and values over a database. Internal to store/cluster/. */
#ifndef TSCOPE_STORE_CLUSTER_CLUSTER_KV_H
#define TSCOPE_STORE_CLUSTER_CLUSTER_KV_H

#include "store/cluster/database.h"

/* Takes over the texts, which ts_free gives back. */
enum ts_status ts_cluster_kv(const struct ts_libpq *pq, char *where, char *conninfo, unsigned connections, struct ts_kv **ret,
			     struct ts_error *err);
struct ts_database *ts_cluster_database(struct ts_kv *kv);
/* For a layer that stands over it and knows packs in a bucket (bundle_kv.h); without one, nothing is written to a store that has them:
 * TS_INVALID. */
void ts_cluster_has_bundles(struct ts_kv *kv);

#endif
