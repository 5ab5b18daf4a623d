/* lmdb_engine.c - the engine on disk as a whole: opening it, its table of operations, and statistics. */
#include "store/lmdb_internal.h"

#include "base/alloc.h"

#include <sys/stat.h>

static enum ts_status lmdb_stats(struct ts_engine *e, struct ts_store_stats *ret_stats, struct ts_error *err)
{
	struct ts_lmdb_env *env = ts_env_of(e);
	struct ts_store_stats stats;
	struct stat st;
	struct ts_read r;
	mdb_filehandle_t fd;
	enum ts_status status;

	if (ts_read_begin(env, &r, err))
		return err->status;
	stats.objects = ts_read_count(r, TS_DB_OBJECTS);
	stats.refs = ts_read_count(r, TS_DB_REFS);
	status = ts_read_u64(r, "stored", &stats.stored_bytes, err);
	stats.file_bytes = 0;
	if (mdb_env_get_fd(env->mdb, &fd) == 0 && fstat(fd, &st) == 0)
		stats.file_bytes = (uint64_t)st.st_blocks * 512;
	ts_read_end(&r);
	if (!status)
		*ret_stats = stats;
	return status;
}

static void lmdb_destroy(struct ts_engine *e)
{
	ts_env_release(ts_env_of(e));
	ts_free(e);
}

static const struct ts_engine_ops lmdb_ops = {
	.has_many = ts_lmdb_has_many,
	.look_many = ts_lmdb_look_many,
	.outline_many = ts_lmdb_outline_many,
	.get = ts_lmdb_get,
	.put_many = ts_lmdb_put_many,
	.upload_many = ts_lmdb_upload_many,
	.commit = ts_lmdb_commit,
	.ref_get = ts_lmdb_ref_get,
	.ref_list = ts_lmdb_ref_list,
	.ref_log = ts_lmdb_ref_log,
	.log_pruned = ts_lmdb_log_pruned,
	.retire = ts_lmdb_retire,
	.removed_list = ts_lmdb_removed_list,
	.ref_restore = ts_lmdb_ref_restore,
	.note_put = ts_lmdb_note_put,
	.note_list = ts_lmdb_note_list,
	.extracts_put = ts_lmdb_extracts_put,
	.extract_get = ts_lmdb_extract_get,
	.extracts_walk = ts_lmdb_extracts_walk,
	.record_put = ts_lmdb_record_put,
	.record_get = ts_lmdb_record_get,
	.record_list = ts_lmdb_record_list,
	.usage_get = ts_lmdb_usage_get,
	.usage_list = ts_lmdb_usage_list,
	.recount = ts_lmdb_recount,
	.find_prefix = ts_lmdb_find_prefix,
	.cache_get = ts_lmdb_cache_get,
	.cache_put = ts_lmdb_cache_put,
	.verify = ts_lmdb_verify,
	.sweep = ts_lmdb_sweep,
	.backup = ts_lmdb_backup,
	.stats = lmdb_stats,
	.vitals = ts_lmdb_vitals,
	.destroy = lmdb_destroy,
};

enum ts_status ts_lmdb_open(const struct ts_lmdb_options *options, struct ts_engine **ret_engine, struct ts_error *err)
{
	struct ts_lmdb *l = ts_alloc_array(1, sizeof *l);

	if (!l)
		return ts_error_set(err, TS_NO_MEMORY, "out of memory for a store");
	l->engine.ops = &lmdb_ops;
	l->read_only = options->read_only;
	l->spending = options->spending;
	if (ts_env_acquire(options, &l->env, err)) {
		ts_free(l);
		return err->status;
	}
	*ret_engine = &l->engine;
	return TS_OK;
}
