/* lmdb_disk.c - detects a full disk, and keeps a reserve of it so that the store can always be made smaller. */
#include "store/lmdb_internal.h"

#include <sys/statvfs.h>

/* LMDB turns a short write into EIO; this function tells a full disk from a broken one. */
bool ts_disk_is_full(const char *path)
{
	struct statvfs fs;

	return statvfs(path, &fs) == 0 && (uint64_t)fs.f_bavail * fs.f_frsize < 1 << 20;
}

/* Sums up the pages that LMDB will use again. Their lists are the values of its first database, and each begins with its length. */
static enum ts_status count_free_pages(struct ts_read r, uint64_t *ret_bytes, struct ts_error *err)
{
	MDB_val key, pages;
	MDB_cursor *cursor;
	uint64_t n = 0;
	MDB_stat stat;
	int rc = mdb_env_stat(r.env->mdb, &stat);

	if (!rc)
		rc = mdb_cursor_open(r.txn, 0, &cursor);
	if (rc)
		return ts_env_error(r.env, rc, err);
	while ((rc = mdb_cursor_get(cursor, &key, &pages, MDB_NEXT)) == 0) {
		size_t length = 0;

		if (pages.mv_size >= sizeof length)
			memcpy(&length, pages.mv_data, sizeof length);
		n += length;
	}
	mdb_cursor_close(cursor);
	*ret_bytes = n * stat.ms_psize;
	return rc == MDB_NOTFOUND ? TS_OK : ts_env_error(r.env, rc, err);
}

enum ts_status ts_reserve_check(struct ts_lmdb_env *env, struct ts_error *err)
{
	uint64_t room, reserve = env->reserve_bytes, inside = 0;
	enum ts_status status;
	struct statvfs fs;
	struct ts_read r;

	if (!reserve || statvfs(env->path, &fs) != 0)
		return TS_OK;
	room = (uint64_t)fs.f_bavail * fs.f_frsize;
	if (reserve > (uint64_t)fs.f_blocks * fs.f_frsize / 10)
		reserve = (uint64_t)fs.f_blocks * fs.f_frsize / 10;
	if (room >= reserve)
		return TS_OK;
	if (ts_read_begin(env, &r, err))
		return err->status;
	status = count_free_pages(r, &inside, err);
	ts_read_end(&r);
	if (status || room + inside >= reserve)
		return status;
	return ts_error_set(err, TS_FULL,
			    "%s: the disk is almost full: %.1f MiB are free, and nothing new is stored below %.1f MiB, so that rm and "
			    "gc still work",
			    env->path, (double)(room + inside) / (1 << 20), (double)reserve / (1 << 20));
}
