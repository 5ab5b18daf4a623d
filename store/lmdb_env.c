/* lmdb_env.c - LMDB's environment: opened once for each directory and process, with its transactions, its growing
 * map and its errors. */
#include "store/lmdb_internal.h"

#include "store/store_internal.h"

#include "base/alloc.h"
#include "base/file.h"
#include "base/limits.h"
#include "base/system.h"

#include <errno.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define MAP_DEFAULT ((uint64_t)8 << 30)
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define MAP_DEFAULT ((uint64_t)8 << 30)
#endif
#endif
#ifndef MAP_DEFAULT
#define MAP_DEFAULT ((uint64_t)1 << 40)
#endif

/* A process may be denied this much address space (ulimit -v, small machines): then it asks for less, and the map grows later. */
static const uint64_t map_least = (uint64_t)1 << 30;

enum { READERS = 1024, DATA_PATH_MAX = 4096 };

static pthread_mutex_t envs_lock = PTHREAD_MUTEX_INITIALIZER;
static struct ts_lmdb_env *envs;

enum ts_status ts_env_error(const struct ts_lmdb_env *env, int rc, struct ts_error *err)
{
	char data[DATA_PATH_MAX];

	(void)snprintf(data, sizeof data, "%s/data.mdb", env->path);
	if (ts_file_is_limited(rc, data, err))
		return err->status;
	if (rc == ENOSPC || rc == EDQUOT || (rc == EIO && ts_disk_is_full(env->path)))
		return ts_error_set(err, TS_FULL, "%s: the disk is full", env->path);
	if (rc == MDB_MAP_FULL)
		return ts_error_set(err, TS_FULL, "%s: the map is full and cannot grow", env->path);
	if (rc == MDB_READERS_FULL)
		return ts_error_set(err, TS_UNAVAILABLE, "%s: more than %d transactions are open at the same time", env->path, READERS);
	if (rc == MDB_CORRUPTED && atomic_load(&env->is_damaged))
		return ts_error_set(err, TS_DAMAGED, "%s: %s", env->path, env->damage);
	if (rc == MDB_CORRUPTED || rc == MDB_PAGE_NOTFOUND || rc == MDB_INVALID || rc == MDB_VERSION_MISMATCH ||
	    rc == MDB_PANIC || rc == MDB_CURSOR_FULL)
		return ts_error_set(err, TS_DAMAGED, "%s: %s", env->path, mdb_strerror(rc));
	if (rc > 0)
		return ts_error_errno(err, rc, "%s", env->path);
	return ts_error_set(err, TS_INTERNAL, "%s: %s", env->path, mdb_strerror(rc));
}

/* Opens the databases that stores of older versions lack. MDB_NOTFOUND if one is not there, and the store can be written. */
static int open_later(struct ts_lmdb_env *env, MDB_txn *txn, unsigned flags)
{
	int rc = 0;

	for (int i = TS_DB_EXTRACTS; i < TS_DBS && !rc; i++) {
		rc = mdb_dbi_open(txn, ts_db_name((enum ts_db)i), flags, &env->dbi[i]);
		if (rc == MDB_NOTFOUND && env->mdb_read_only) {
			env->dbi[i] = TS_NO_DBI;
			rc = 0;
		}
	}
	return rc;
}

/* Moves what a store of format 1 has as extracts; that it has none is no error. */
static enum ts_status move_extracts(struct ts_write *w, struct ts_error *err)
{
	struct ts_lmdb_env *env = ts_env_of_kv(w->kv);
	MDB_txn *mdb = ((struct ts_lmdb_txn *)w->txn)->mdb;
	MDB_dbi *old = &env->dbi[TS_DB_EXTRACTS_OLD];

	w->rc = mdb_dbi_open(mdb, ts_db_name(TS_DB_EXTRACTS_OLD), 0, old);
	if (w->rc == MDB_NOTFOUND)
		return TS_OK;
	if (w->rc)
		return ts_env_error(env, w->rc, err);
	if (ts_store_extracts_move(w, err))
		return err->status;
	w->rc = mdb_drop(mdb, *old, 1);
	return w->rc ? ts_env_error(env, w->rc, err) : TS_OK;
}

static enum ts_status put_id(struct ts_write *w, struct ts_error *err)
{
	struct ts_buf buf = TS_BUF_INIT(64);

	ts_buf_span(&buf, ts_span_of(ts_env_of_kv(w->kv)->super.store, TS_STORE_ID));
	return ts_write_record(w, TS_DB_META, ts_span_str(TS_STORE_KEY), &buf, err);
}

static enum ts_status try_upgrade(struct ts_write *w, struct ts_error *err)
{
	struct ts_lmdb_env *env = ts_env_of_kv(w->kv);
	struct ts_lmdb_txn *txn;
	enum ts_status status;

	if (ts_env_begin(env, true, &txn, err))
		return err->status;
	w->txn = txn;
	w->rc = open_later(env, txn->mdb, MDB_CREATE);
	status = w->rc ? ts_env_error(env, w->rc, err) : move_extracts(w, err);
	if (!status)
		status = ts_format_upgrade(w, err);
	if (!status)
		status = put_id(w, err);
	if (!status)
		status = ts_swept_time_begin(w, err);
	if (status) {
		ts_env_abort(env, txn);
		return status;
	}
	w->rc = ts_env_commit(env, txn);
	return w->rc ? ts_env_error(env, w->rc, err) : TS_OK;
}

/* Makes a store of this format of an older one, in one transaction, for which the map may have to grow. */
static enum ts_status upgrade(struct ts_lmdb_env *env, struct ts_error *err)
{
	struct ts_write w = {.kv = &env->kv};
	enum ts_status status = try_upgrade(&w, err);
	MDB_envinfo info;

	while (status && w.rc == MDB_MAP_FULL && !mdb_env_info(env->mdb, &info) && !mdb_env_set_mapsize(env->mdb, 2 * info.me_mapsize))
		status = try_upgrade(&w, err);
	return status;
}

/* Opens the handles of the databases. *ret_old: the store lacks some. */
static int open_databases(struct ts_lmdb_env *env, bool *ret_old)
{
	MDB_txn *txn;
	int rc = mdb_txn_begin(env->mdb, NULL, MDB_RDONLY, &txn);

	*ret_old = false;
	if (rc)
		return rc;
	for (int i = 0; i < TS_DB_EXTRACTS && !rc; i++)
		rc = mdb_dbi_open(txn, ts_db_name((enum ts_db)i), 0, &env->dbi[i]);
	if (!rc) {
		rc = open_later(env, txn, 0);
		*ret_old = rc == MDB_NOTFOUND;
		rc = *ret_old ? 0 : rc;
	}
	if (rc) {
		mdb_txn_abort(txn);
		return rc;
	}
	return mdb_txn_commit(txn);
}

/* For a new store, one transaction creates the databases and writes the format. */
static enum ts_status create_databases(struct ts_lmdb_env *env, struct ts_error *err)
{
	struct ts_write w = {.kv = &env->kv};
	struct ts_lmdb_txn *txn;
	enum ts_status status;

	if (ts_env_begin(env, true, &txn, err))
		return err->status;
	w.txn = txn;
	for (int i = 0; i < TS_DBS && !w.rc; i++)
		w.rc = mdb_dbi_open(txn->mdb, ts_db_name((enum ts_db)i), MDB_CREATE, &env->dbi[i]);
	status = w.rc ? ts_env_error(env, w.rc, err) : ts_format_begin(&w, err);
	if (!status)
		status = put_id(&w, err);
	if (!status)
		status = ts_swept_time_begin(&w, err);
	if (status) {
		ts_env_abort(env, txn);
		return status;
	}
	w.rc = ts_env_commit(env, txn);
	return w.rc ? ts_env_error(env, w.rc, err) : TS_OK;
}

void ts_env_close(struct ts_lmdb_env *env)
{
	if (env->mdb)
		mdb_env_close(env->mdb);
	env->mdb = NULL;
	ts_lock_forget(env);
}

static int open_mdb_with_map(struct ts_lmdb_env *env, uint64_t map_bytes)
{
	/* NOTLS: a read transaction belongs to a call, not to a thread. */
	unsigned flags = MDB_NOTLS | (env->mdb_read_only ? MDB_RDONLY : 0);
	int dead;
	int rc = mdb_env_create(&env->mdb);

	if (rc) {
		env->mdb = NULL;
		return rc;
	}
	rc = mdb_env_set_maxdbs(env->mdb, TS_DBS_EVER);
	if (!rc)
		rc = mdb_env_set_maxreaders(env->mdb, READERS);
	if (!rc)
		rc = mdb_env_set_mapsize(env->mdb, (size_t)map_bytes);
	if (!rc)
		rc = mdb_env_open(env->mdb, env->path, flags, 0600);
	if (rc) {
		ts_env_close(env);
		return rc;
	}
	ts_lock_find(env);
	(void)mdb_reader_check(env->mdb, &dead);
	return 0;
}

static int open_mdb_somehow(struct ts_lmdb_env *env)
{
	uint64_t map_bytes = env->map_bytes ? env->map_bytes : MAP_DEFAULT;
	int rc = open_mdb_with_map(env, map_bytes);

	/* valgrind, under which tests/cost counts instructions, says EINVAL where it has no room for the map. */
	while ((rc == ENOMEM || rc == EINVAL) && !env->map_bytes && map_bytes > map_least) {
		map_bytes /= 4;
		rc = open_mdb_with_map(env, map_bytes);
	}
	return rc;
}

/* Finds how far the pages extend that LMDB may read, and whether the file ends before that: a read there would be a
 * SIGBUS. A writer in another process can only make the file longer between the two checks. */
static bool is_short(struct ts_lmdb_env *env, off_t *ret_whole)
{
	MDB_envinfo info;
	struct stat st;
	MDB_stat pages;
	int fd;

	if (mdb_env_info(env->mdb, &info) || mdb_env_stat(env->mdb, &pages) || mdb_env_get_fd(env->mdb, &fd) ||
	    fstat(fd, &st) != 0 || st.st_size == 0)
		return false;
	*ret_whole = (off_t)((info.me_last_pgno + 1) * pages.ms_psize);
	return st.st_size < *ret_whole;
}

/* LMDB leaves free pages at the end unwritten, so a short file may be whole. Zeros are put in place of what is missing:
 * if that was more than free pages, it is found as damage like any other. The write transaction keeps other processes
 * from writing there meanwhile. */
static int fill_up(struct ts_lmdb_env *env)
{
	MDB_txn *txn;
	off_t whole;
	int rc = mdb_txn_begin(env->mdb, NULL, 0, &txn);
	int fd;

	if (rc)
		return rc;
	rc = mdb_env_get_fd(env->mdb, &fd);
	if (!rc && is_short(env, &whole) && ftruncate(fd, whole) != 0)
		rc = errno;
	mdb_txn_abort(txn);
	return rc;
}

/* A file that is opened read-only is filled up by opening it for writing once. */
static int open_mdb(struct ts_lmdb_env *env)
{
	bool read_only = env->mdb_read_only;
	int rc = open_mdb_somehow(env);
	off_t whole;

	if (rc || !is_short(env, &whole))
		return rc;
	if (!read_only)
		return fill_up(env);
	ts_env_close(env);
	env->mdb_read_only = false;
	rc = open_mdb_somehow(env);
	if (!rc)
		rc = fill_up(env);
	ts_env_close(env);
	env->mdb_read_only = true;
	return rc ? rc : open_mdb_somehow(env);
}

/* Scans a store that has no superblock, and makes one, while nobody writes. */
static enum ts_status adopt(struct ts_lmdb_env *env, struct ts_error *err)
{
	enum ts_status status;
	MDB_txn *txn;
	int rc = mdb_txn_begin(env->mdb, NULL, 0, &txn);

	if (rc)
		return ts_env_error(env, rc, err);
	status = ts_env_adopt(env, (uint64_t)mdb_txn_id(txn) - 1, err);
	mdb_txn_abort(txn);
	return status;
}

static enum ts_status check_format(struct ts_lmdb_env *env, bool lacks, struct ts_error *err)
{
	bool old;

	if (ts_format_check(&env->kv, &old, err))
		return err->status;
	if (env->mdb_read_only)
		return TS_OK;
	old = old || lacks;
	if ((old || env->super.fd < 0) && adopt(env, err))
		return err->status;
	return old && !atomic_load(&env->is_damaged) ? upgrade(env, err) : TS_OK;
}

/* LMDB makes a lock file also for a reader. One that root made would keep the owner of the store out of it. */
static void give_lock(const struct ts_lmdb_env *env)
{
	char data[DATA_PATH_MAX + 16], lock[DATA_PATH_MAX + 16];
	struct stat of_data, of_lock;

	(void)snprintf(data, sizeof data, "%s/data.mdb", env->path);
	(void)snprintf(lock, sizeof lock, "%s/lock.mdb", env->path);
	if (geteuid() == 0 && stat(data, &of_data) == 0 && lstat(lock, &of_lock) == 0 && of_data.st_uid != of_lock.st_uid &&
	    lchown(lock, of_data.st_uid, of_data.st_gid))
		return; /* its owner is told so when the lock cannot be opened */
}

/* Which lock.mdb LMDB opened, and that nobody who has the data file open keeps to another one. */
static enum ts_status claim(struct ts_lmdb_env *env, struct ts_error *err)
{
	char lock[DATA_PATH_MAX + 16];
	struct stat st;

	(void)snprintf(lock, sizeof lock, "%s/lock.mdb", env->path);
	if (stat(lock, &st) != 0) /* LMDB reads without one where it cannot be made */
		return env->mdb_read_only ? TS_OK : ts_error_errno(err, errno, "%s", lock);
	env->lock_dev = st.st_dev;
	env->lock_ino = st.st_ino;
	env->lock_size = st.st_size;
	if (ts_disk_claim(env->data_fd, (uint64_t)st.st_ino))
		return TS_OK;
	return ts_error_set(err, TS_CONFLICT,
			    "%s: another process has data.mdb open with another lock.mdb, so nothing would keep the two from writing "
			    "at once: lock.mdb was removed or replaced, or data.mdb is in two folders; end that process first",
			    env->path);
}

/* Opens LMDB, and what it holds. */
static enum ts_status open_sound(struct ts_lmdb_env *env, bool fresh, struct ts_error *err)
{
	bool old = false;
	int rc = open_mdb(env);

	if (!rc)
		give_lock(env);
	if (!rc && (ts_data_open(env, err) || claim(env, err)))
		return err->status;
	if (!rc)
		rc = open_databases(env, &old);
	if (rc == MDB_NOTFOUND && fresh) {
		atomic_store(&env->scanned, true);
		return create_databases(env, err);
	}
	if (rc == MDB_NOTFOUND)
		return ts_error_set(err, TS_INVALID, "%s: this is an LMDB file, but not a store of tscope", env->path);
	return rc ? ts_env_error(env, rc, err) : check_format(env, old, err);
}

/* A store that is damaged is opened all the same, for what can be read of it. */
static enum ts_status open_store(struct ts_lmdb_env *env, bool create, struct ts_error *err)
{
	bool fresh = false;
	enum ts_status status;

	if (ts_super_open(env, err) || ts_files_look(env, create, &fresh, err))
		return err->status;
	status = atomic_load(&env->is_damaged) ? TS_OK : open_sound(env, fresh, err);
	if (!status && create && !fresh)
		status = ts_env_scan(env, false, err);
	if (!atomic_load(&env->is_damaged))
		return status;
	ts_env_cold(env);
	return TS_OK;
}

static void free_env(struct ts_lmdb_env *env)
{
	ts_env_close(env);
	ts_kv_finish(&env->kv);
	ts_map_drop(env);
	ts_super_close(env);
	if (env->data_fd >= 0)
		(void)close(env->data_fd);
	pthread_rwlock_destroy(&env->map);
	pthread_mutex_destroy(&env->look);
	pthread_mutex_destroy(&env->watch);
	pthread_mutex_destroy(&env->lane.lock);
	pthread_cond_destroy(&env->lane.turn);
	ts_free(env->path);
	ts_free(env);
}

static struct ts_lmdb_env *make_env(const struct ts_lmdb_options *options, const struct stat *st)
{
	struct ts_lmdb_env *env = ts_alloc_array(1, sizeof *env);
	size_t len = strlen(options->path) + 1;

	if (!env)
		return NULL;
	ts_kv_init(&env->kv, &ts_lmdb_kv, NULL);
	pthread_mutex_init(&env->lane.lock, NULL);
	pthread_mutex_init(&env->watch, NULL);
	pthread_mutex_init(&env->look, NULL);
	env->seen.number = TS_NO_PAGE;
	env->super.fd = -1;
	env->data_fd = -1;
	pthread_cond_init(&env->lane.turn, NULL);
	/* Growing the map must not wait forever behind readers that overlap. */
	ts_system_lock_init(&env->map);
	env->path = ts_alloc(len);
	if (!env->path) {
		free_env(env);
		return NULL;
	}
	memcpy(env->path, options->path, len);
	env->kv.where = env->path;
	env->dev = st->st_dev;
	env->ino = st->st_ino;
	env->mdb_read_only = options->read_only;
	env->map_bytes = options->map_bytes;
	if (options->reserve_bytes >= 0)
		env->reserve_bytes = options->reserve_bytes ? (uint64_t)options->reserve_bytes : TS_STORE_RESERVE;
	return env;
}

/* A data file that is missing beside one was lost. */
static bool has_superblock(const char *path)
{
	char file[DATA_PATH_MAX + 16];

	(void)snprintf(file, sizeof file, "%s/superblock", path);
	return ts_file_kind(file) == TS_FILE_REGULAR;
}

/* Finds the directory, which is made if the options ask for it, and whether there is a store in it. */
static enum ts_status find_store(const struct ts_lmdb_options *options, struct stat *ret_st, struct ts_error *err)
{
	bool create = options->create && !options->read_only;
	char data[DATA_PATH_MAX];
	struct stat st;
	int len = snprintf(data, sizeof data, "%s/data.mdb", options->path);

	if (len < 0 || (size_t)len >= sizeof data)
		return ts_error_set(err, TS_INVALID, "the path of the store has more than %zu bytes", sizeof data);
	if (create && ts_make_dirs(options->path, 0700, err))
		return err->status;
	if (stat(options->path, ret_st) != 0)
		return errno == ENOENT ? ts_error_set(err, TS_NOT_FOUND, "there is no store at %s", options->path) :
					 ts_error_errno(err, errno, "%s", options->path);
	if (!S_ISDIR(ret_st->st_mode))
		return ts_error_set(err, TS_INVALID, "%s is not a directory", options->path);
	if (!create && stat(data, &st) != 0 && errno != ENOENT)
		return ts_error_errno(err, errno, "%s", data);
	if (!create && ts_file_kind(data) != TS_FILE_REGULAR && !has_superblock(options->path))
		return ts_error_set(err, TS_NOT_FOUND, "there is no store at %s", options->path);
	return ts_disk_check(options->path, err);
}

static enum ts_status add_env(const struct ts_lmdb_options *options, const struct stat *st, struct ts_lmdb_env **ret_env,
			      struct ts_error *err)
{
	struct ts_lmdb_env *env = make_env(options, st);

	if (!env)
		return ts_error_set(err, TS_NO_MEMORY, "out of memory for a store");
	if (open_store(env, options->create && !options->read_only, err)) {
		free_env(env);
		return err->status;
	}
	env->next = envs;
	envs = env;
	*ret_env = env;
	return TS_OK;
}

enum ts_status ts_env_acquire(const struct ts_lmdb_options *options, struct ts_lmdb_env **ret_env, struct ts_error *err)
{
	struct ts_lmdb_env *env;
	enum ts_status status = TS_OK;
	struct stat st;

	if (find_store(options, &st, err))
		return err->status;
	pthread_mutex_lock(&envs_lock);
	for (env = envs; env && (env->dev != st.st_dev || env->ino != st.st_ino);)
		env = env->next;
	if (!env)
		status = add_env(options, &st, &env, err);
	else if (env->mdb_read_only && !options->read_only)
		status = ts_error_set(err, TS_CONFLICT, "%s: this process has the store open for reading only", options->path);
	if (!status) {
		env->users++;
		*ret_env = env;
	}
	pthread_mutex_unlock(&envs_lock);
	return status;
}

void ts_env_release(struct ts_kv *kv)
{
	struct ts_lmdb_env *env = ts_env_of_kv(kv);
	struct ts_lmdb_env **at = &envs;

	pthread_mutex_lock(&envs_lock);
	if (--env->users == 0) {
		while (*at != env)
			at = &(*at)->next;
		*at = env->next;
		ts_lane_finish(env);
		free_env(env);
	}
	pthread_mutex_unlock(&envs_lock);
}

/* After a failed write of a meta page, LMDB refuses every operation until the environment is opened again. */
int ts_env_reopen(struct ts_lmdb_env *env)
{
	bool old;
	int rc;

	ts_env_close(env);
	rc = open_mdb(env);
	if (!rc)
		rc = open_databases(env, &old);
	return rc;
}

void ts_env_check_readers(struct ts_kv *kv)
{
	struct ts_lmdb_env *env = ts_env_of_kv(kv);
	int dead;

	pthread_rwlock_rdlock(&env->map);
	if (env->mdb && ts_lock_is_whole(env))
		(void)mdb_reader_check(env->mdb, &dead);
	pthread_rwlock_unlock(&env->map);
}

enum ts_status ts_env_grow(struct ts_lmdb_env *env, struct ts_error *err)
{
	MDB_envinfo info = {0};
	int rc;

	pthread_rwlock_wrlock(&env->map);
	rc = mdb_env_info(env->mdb, &info);
	if (!rc)
		rc = mdb_env_set_mapsize(env->mdb, info.me_mapsize * 2);
	if (rc) { /* LMDB has unmapped the old map */
		env->map_bytes = info.me_mapsize;
		(void)ts_env_reopen(env);
	}
	pthread_rwlock_unlock(&env->map);
	return rc ? ts_env_error(env, rc == ENOMEM ? MDB_MAP_FULL : rc, err) : TS_OK;
}

enum ts_status ts_lmdb_open(const struct ts_lmdb_options *options, struct ts_engine **ret_engine, struct ts_error *err)
{
	struct ts_store as = {.read_only = options->read_only, .spending = options->spending};
	struct ts_lmdb_env *env;
	struct ts_error later;

	if (ts_chain_is(options->path))
		return ts_chain_open(options->path, ret_engine, err);
	if (ts_env_acquire(options, &env, err) || ts_store_open(&env->kv, &as, ret_engine, err))
		return err->status;
	if (!options->read_only && !atomic_load(&env->is_damaged))
		(void)ts_heads_build(ts_store_of(*ret_engine), &later); /* on a full disk the next one that opens it goes on */
	return TS_OK;
}
