/* lmdb_engine.c - the engine on disk as a whole: opening it, its table of operations, backup and statistics. */
#include "store/lmdb_internal.h"

#include "base/alloc.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

enum { PATH_ROOM = 4096 };

/* The copy is compacted; if LMDB finds that its page counts do not add up, the pages are copied as they are. */
static int copy_to(struct ts_lmdb_env *env, int fd)
{
	int rc;

	pthread_rwlock_rdlock(&env->map);
	rc = env->mdb ? mdb_env_copyfd2(env->mdb, fd, MDB_CP_COMPACT) : MDB_PANIC;
	if (rc == MDB_INCOMPATIBLE || rc == MDB_CORRUPTED)
		rc = lseek(fd, 0, SEEK_SET) < 0 || ftruncate(fd, 0) < 0 ? errno : mdb_env_copyfd2(env->mdb, fd, 0);
	pthread_rwlock_unlock(&env->map);
	if (!rc && fsync(fd) < 0)
		rc = errno;
	return rc;
}

static int sync_directory(const char *path)
{
	int fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	int rc = fd < 0 || fsync(fd) < 0 ? errno : 0;

	if (fd >= 0)
		(void)close(fd);
	return rc;
}

static enum ts_status lmdb_backup(struct ts_engine *e, const char *path, struct ts_error *err)
{
	struct ts_lmdb_env *env = ts_env_of(e);
	char data[PATH_ROOM];
	int len = snprintf(data, sizeof data, "%s/data.mdb", path);
	int fd;
	int rc;

	if (len < 0 || len >= PATH_ROOM)
		return ts_error_set(err, TS_INVALID, "the path of the store has more than %d bytes", PATH_ROOM);
	if (mkdir(path, 0700) < 0)
		return ts_error_errno(err, errno, "%s", path);
	fd = open(data, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	rc = fd < 0 ? errno : copy_to(env, fd);
	if (fd >= 0)
		(void)close(fd);
	if (!rc)
		rc = sync_directory(path);
	if (!rc)
		return TS_OK;
	(void)unlink(data);
	(void)rmdir(path);
	if (rc > 0)
		return ts_error_errno(err, rc, "%s", path);
	return ts_env_error(env, rc, err);
}

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
	.commit = ts_lmdb_commit,
	.ref_get = ts_lmdb_ref_get,
	.ref_list = ts_lmdb_ref_list,
	.ref_log = ts_lmdb_ref_log,
	.note_put = ts_lmdb_note_put,
	.note_list = ts_lmdb_note_list,
	.extracts_put = ts_lmdb_extracts_put,
	.extract_get = ts_lmdb_extract_get,
	.extracts_walk = ts_lmdb_extracts_walk,
	.find_prefix = ts_lmdb_find_prefix,
	.cache_get = ts_lmdb_cache_get,
	.cache_put = ts_lmdb_cache_put,
	.verify = ts_lmdb_verify,
	.sweep = ts_lmdb_sweep,
	.backup = lmdb_backup,
	.stats = lmdb_stats,
	.destroy = lmdb_destroy,
};

enum ts_status ts_lmdb_open(const struct ts_lmdb_options *options, struct ts_engine **ret_engine, struct ts_error *err)
{
	struct ts_lmdb *l = ts_alloc_array(1, sizeof *l);

	if (!l)
		return ts_error_set(err, TS_NO_MEMORY, "out of memory for a store");
	l->engine.ops = &lmdb_ops;
	l->read_only = options->read_only;
	if (ts_env_acquire(options, &l->env, err)) {
		ts_free(l);
		return err->status;
	}
	*ret_engine = &l->engine;
	return TS_OK;
}
