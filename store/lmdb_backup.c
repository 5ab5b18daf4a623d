/* lmdb_backup.c - copies the store to a new directory while others write. It is written under another name and renamed when all of it
 * is on the disk, so a backup that was interrupted is not taken for one. */
#include "store/lmdb_internal.h"

#include "store/increment.h"
#include "store/store_internal.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

/* The copy is compacted; if LMDB finds that its page counts do not add up, the pages are copied as they are. */
static int copy_to(struct ts_lmdb_env *env, int fd)
{
	int rc;

	pthread_rwlock_rdlock(&env->map);
	rc = env->mdb && ts_lock_is_whole(env) ? mdb_env_copyfd2(env->mdb, fd, MDB_CP_COMPACT) : MDB_PANIC;
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

static enum ts_status name_copy(const char *path, const char *file, struct ts_copy *ret, struct ts_error *err)
{
	size_t len = strlen(path);

	while (len > 1 && path[len - 1] == '/')
		len--;
	if (len == 0 || len + sizeof ".incomplete/superblock" > TS_COPY_PATH)
		return ts_error_set(err, TS_INVALID, "the path of a store must have 1 to %d bytes", TS_COPY_PATH - 32);
	(void)snprintf(ret->partial, sizeof ret->partial, "%.*s.incomplete", (int)len, path);
	(void)snprintf(ret->data, sizeof ret->data, "%.*s.incomplete/%s", (int)len, path, file);
	while (len && path[len - 1] != '/')
		len--;
	(void)snprintf(ret->parent, sizeof ret->parent, "%.*s", len ? (int)len : 1, len ? path : ".");
	return TS_OK;
}

enum what { LOCK, SUPERBLOCK, ALL };

static bool goes(const char *name, enum what what)
{
	return strcmp(name, "lock.mdb") == 0 || (what != LOCK && strncmp(name, "superblock", 10) == 0) ||
	       (what == ALL && (strcmp(name, "data.mdb") == 0 || strcmp(name, TS_INCREMENT_FILE) == 0));
}

/* Takes away the lock of a copy that was open, and what else. */
static void drop_files(const struct ts_copy *copy, enum what what)
{
	int folder = open(copy->partial, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *files = folder < 0 ? NULL : fdopendir(folder);
	const struct dirent *file;

	while (files && (file = readdir(files)))
		if (goes(file->d_name, what))
			(void)unlinkat(folder, file->d_name, 0);
	if (files)
		(void)closedir(files);
	else if (folder >= 0)
		(void)close(folder);
}

void ts_copy_drop(const struct ts_copy *copy)
{
	drop_files(copy, ALL);
	(void)rmdir(copy->partial);
}

static int write_copy(struct ts_lmdb_env *env, const struct ts_copy *copy)
{
	int fd = open(copy->data, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	int rc = fd < 0 ? errno : copy_to(env, fd);

	if (fd >= 0)
		(void)close(fd);
	return rc ? rc : sync_directory(copy->partial);
}

enum ts_status ts_copy_adopt(const struct ts_copy *copy, struct ts_error *err)
{
	struct ts_lmdb_options options = {.path = copy->partial};
	struct ts_engine *e;
	enum ts_status status;

	drop_files(copy, SUPERBLOCK);
	status = ts_lmdb_open(&options, &e, err);

	if (status)
		return status;
	status = ts_kv_sound(ts_kv_of(e), false, err);
	ts_engine_destroy(e);
	drop_files(copy, LOCK);
	return status;
}

enum ts_status ts_copy_begin(const char *path, const char *file, struct ts_copy *ret, struct ts_error *err)
{
	struct stat st;

	if (name_copy(path, file, ret, err))
		return err->status;
	if (lstat(path, &st) == 0)
		return ts_error_errno(err, EEXIST, "%s", path);
	ts_copy_drop(ret); /* of a backup that was killed */
	return mkdir(ret->partial, 0700) < 0 ? ts_error_errno(err, errno, "%s", ret->partial) : TS_OK;
}

int ts_copy_end(const struct ts_copy *copy, const char *path)
{
	int rc = sync_directory(copy->partial);

	if (!rc && rename(copy->partial, path) < 0)
		rc = errno;
	return rc ? rc : sync_directory(copy->parent);
}

enum ts_status ts_lmdb_backup(struct ts_kv *kv, const char *path, struct ts_error *err)
{
	struct ts_lmdb_env *env = ts_env_of_kv(kv);
	struct ts_copy copy;
	int rc;

	/* LMDB copies by what pages say. */
	if (ts_env_scan(env, true, err))
		return err->status;
	if (atomic_load(&env->is_damaged))
		return ts_env_damage(env, err);
	if (ts_copy_begin(path, "data.mdb", &copy, err))
		return err->status;
	rc = write_copy(env, &copy);
	if (!rc && ts_copy_adopt(&copy, err)) {
		ts_copy_drop(&copy);
		return err->status;
	}
	if (!rc)
		rc = ts_copy_end(&copy, path);
	if (!rc)
		return TS_OK;
	if (ts_file_is_limited(rc, copy.data, err) == TS_OK)
		(void)(rc > 0 ? ts_error_errno(err, rc, "%s", copy.data) : ts_env_error(env, rc, err));
	ts_copy_drop(&copy);
	return err->status;
}
