#include "service/named_store.h"

#include "service/store_denied.h"
#include "store/cluster/cluster.h"

enum ts_status ts_named_store_open(const char *store, bool read_only, struct ts_engine **ret, struct ts_error *err)
{
	const char *cluster = ts_cluster_file(store);
	/* The cache of a server on this machine is left alone. */
	const struct ts_cluster_options there = {.file = cluster, .read_only = read_only, .looks = read_only};
	const struct ts_lmdb_options here = {.path = store, .create = !read_only, .read_only = read_only};
	enum ts_status status;

	if (cluster)
		return ts_cluster_open(&there, ret, err);
	status = ts_lmdb_open(&here, ret, err);
	if (status == TS_DENIED)
		(void)ts_store_denied(store, read_only, err);
	return status;
}
