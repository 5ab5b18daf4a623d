/* lmdb_disk.c - detects a full disk, and keeps a reserve of it so that the store can always be made smaller. */
#include "store/lmdb_internal.h"

#include <errno.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/statvfs.h>

/* A transaction that does not fit below a limit is not longer than this. */
enum { NEAR_LIMIT = 64 << 20 };

/* LMDB turns a short write into EIO; this function tells a full disk from a broken one. */
bool ts_disk_is_full(const char *path)
{
	struct statvfs fs;

	return statvfs(path, &fs) == 0 && (uint64_t)fs.f_bavail * fs.f_frsize < 1 << 20;
}

/* LMDB turns the short write at such a limit into EIO, too. */
enum ts_status ts_file_is_limited(int errnum, const char *file, struct ts_error *err)
{
	struct rlimit limit = {.rlim_cur = RLIM_INFINITY};
	struct stat st = {0};

	if (errnum != EFBIG && errnum != EIO)
		return TS_OK;
	(void)getrlimit(RLIMIT_FSIZE, &limit);
	if (limit.rlim_cur == RLIM_INFINITY && errnum == EFBIG)
		return ts_error_set(err, TS_FULL, "%s: the filesystem allows no file that is this large", file);
	if (limit.rlim_cur == RLIM_INFINITY || stat(file, &st) != 0 || (uint64_t)st.st_size + NEAR_LIMIT < limit.rlim_cur)
		return TS_OK;
	return ts_error_set(err, TS_FULL,
			    "%s: this process may write no file of more than %" PRIu64 " bytes (ulimit -f; LimitFSIZE of a systemd "
			    "unit)",
			    file, (uint64_t)limit.rlim_cur);
}

/* Sums up the pages that LMDB will use again. Their lists are the values of its first database, and each begins with its length. */
static enum ts_status count_free_pages(struct ts_lmdb_env *env, MDB_txn *txn, uint64_t *ret_bytes, struct ts_error *err)
{
	MDB_val key, pages;
	MDB_cursor *cursor;
	uint64_t n = 0;
	MDB_stat stat;
	int rc = mdb_env_stat(env->mdb, &stat);

	if (!rc)
		rc = mdb_cursor_open(txn, 0, &cursor);
	if (rc)
		return ts_env_error(env, rc, err);
	while ((rc = mdb_cursor_get(cursor, &key, &pages, MDB_NEXT)) == 0) {
		size_t length = 0;

		if (pages.mv_size >= sizeof length)
			memcpy(&length, pages.mv_data, sizeof length);
		n += length;
	}
	mdb_cursor_close(cursor);
	*ret_bytes = n * stat.ms_psize;
	return rc == MDB_NOTFOUND ? TS_OK : ts_env_error(env, rc, err);
}

enum ts_status ts_reserve_check(struct ts_kv *kv, struct ts_error *err)
{
	struct ts_lmdb_env *env = ts_env_of_kv(kv);
	uint64_t room, reserve = env->reserve_bytes, inside = 0;
	enum ts_status status;
	struct statvfs fs;
	MDB_txn *txn;

	if (!reserve || statvfs(env->path, &fs) != 0)
		return TS_OK;
	room = (uint64_t)fs.f_bavail * fs.f_frsize;
	if (reserve > (uint64_t)fs.f_blocks * fs.f_frsize / 10)
		reserve = (uint64_t)fs.f_blocks * fs.f_frsize / 10;
	if (room >= reserve)
		return TS_OK;
	if (ts_env_begin(env, MDB_RDONLY, &txn, err))
		return err->status;
	status = count_free_pages(env, txn, &inside, err);
	ts_env_abort(env, txn);
	if (status || room + inside >= reserve)
		return status;
	return ts_error_set(err, TS_FULL,
			    "%s: the disk is almost full: %.1f MiB are free, and nothing new is stored below %.1f MiB, so that rm and "
			    "gc still work",
			    env->path, (double)(room + inside) / (1 << 20), (double)reserve / (1 << 20));
}
