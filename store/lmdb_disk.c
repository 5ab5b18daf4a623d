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
static enum ts_status count_free_pages(struct ts_lmdb_env *env, struct ts_lmdb_txn *txn, uint64_t *ret_bytes, struct ts_error *err)
{
	struct ts_tree free = {.pages = &txn->view.pages, .root = txn->view.meta.free, .integers = true};
	struct ts_node node;
	uint64_t n = 0, pages;
	int rc;

	for (rc = ts_tree_first(&free, &node); !rc; rc = ts_tree_next(&free, &node)) {
		if (ts_free_pages_check(&txn->view.meta, node.value, &pages))
			n += pages;
	}
	if (rc == MDB_CORRUPTED)
		ts_env_condemn_page(env, txn->view.pages.bad, TS_SCAN_FREE);
	*ret_bytes = n * txn->view.pages.size;
	return rc == MDB_NOTFOUND ? TS_OK : ts_env_error(env, rc, err);
}

enum ts_status ts_reserve_check(struct ts_kv *kv, struct ts_error *err)
{
	struct ts_lmdb_env *env = ts_env_of_kv(kv);
	uint64_t room, reserve = env->reserve_bytes, inside = 0;
	enum ts_status status;
	struct statvfs fs;
	struct ts_lmdb_txn *txn;

	if (!reserve || statvfs(env->path, &fs) != 0)
		return TS_OK;
	room = (uint64_t)fs.f_bavail * fs.f_frsize;
	if (reserve > (uint64_t)fs.f_blocks * fs.f_frsize / 10)
		reserve = (uint64_t)fs.f_blocks * fs.f_frsize / 10;
	if (room >= reserve)
		return TS_OK;
	if (ts_env_begin(env, false, &txn, err))
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
