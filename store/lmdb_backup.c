/* lmdb_backup.c - copies the store to a new directory while others write. It is written under another name and renamed when all of it
 * is on the disk, so a backup that was interrupted is not taken for one. */
#include "store/lmdb_internal.h"

#include "store/store_internal.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

enum { PATH_ROOM = 4096 };

struct copy {
	char partial[PATH_ROOM]; /* the directory until the copy is whole */
	char data[PATH_ROOM];	 /* the file in it */
	char parent[PATH_ROOM];
};

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

static enum ts_status name_copy(const char *path, struct copy *ret, struct ts_error *err)
{
	size_t len = strlen(path);

	while (len > 1 && path[len - 1] == '/')
		len--;
	if (len == 0 || len + sizeof ".incomplete/data.mdb" > PATH_ROOM)
		return ts_error_set(err, TS_INVALID, "the path of a store must have 1 to %d bytes", PATH_ROOM - 32);
	(void)snprintf(ret->partial, sizeof ret->partial, "%.*s.incomplete", (int)len, path);
	(void)snprintf(ret->data, sizeof ret->data, "%.*s.incomplete/data.mdb", (int)len, path);
	while (len && path[len - 1] != '/')
		len--;
	(void)snprintf(ret->parent, sizeof ret->parent, "%.*s", len ? (int)len : 1, len ? path : ".");
	return TS_OK;
}

/* Takes away the lock of a copy that was open, or whatever else lies beside its data. */
static void drop_beside(const struct copy *copy, bool all)
{
	int folder = open(copy->partial, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *files = folder < 0 ? NULL : fdopendir(folder);
	const struct dirent *file;

	while (files && (file = readdir(files)))
		if (strcmp(file->d_name, "lock.mdb") == 0 || (all && strncmp(file->d_name, "superblock", 10) == 0))
			(void)unlinkat(folder, file->d_name, 0);
	if (files)
		(void)closedir(files);
	else if (folder >= 0)
		(void)close(folder);
}

static void remove_partial(const struct copy *copy)
{
	(void)unlink(copy->data);
	drop_beside(copy, true);
	(void)rmdir(copy->partial);
}

static int write_copy(struct ts_lmdb_env *env, const struct copy *copy)
{
	int fd = open(copy->data, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	int rc = fd < 0 ? errno : copy_to(env, fd);

	if (fd >= 0)
		(void)close(fd);
	return rc ? rc : sync_directory(copy->partial);
}

/* Holds the copy to the sums that lie in it, and gives it a superblock. */
static enum ts_status adopt_copy(const struct copy *copy, struct ts_error *err)
{
	struct ts_lmdb_options options = {.path = copy->partial};
	struct ts_engine *e;
	enum ts_status status = ts_lmdb_open(&options, &e, err);

	if (status)
		return status;
	status = ts_kv_sound(ts_kv_of(e), false, err);
	ts_engine_destroy(e);
	drop_beside(copy, false);
	return status;
}

static int name_it(const struct copy *copy, const char *path)
{
	return rename(copy->partial, path) < 0 ? errno : sync_directory(copy->parent);
}

enum ts_status ts_lmdb_backup(struct ts_kv *kv, const char *path, struct ts_error *err)
{
	struct ts_lmdb_env *env = ts_env_of_kv(kv);
	struct copy copy;
	struct stat st;
	int rc;

	if (name_copy(path, &copy, err))
		return err->status;
	if (lstat(path, &st) == 0)
		return ts_error_errno(err, EEXIST, "%s", path);
	/* LMDB copies by what pages say. */
	if (ts_env_scan(env, true, err))
		return err->status;
	if (atomic_load(&env->is_damaged))
		return ts_env_damage(env, err);
	remove_partial(&copy); /* of a backup that was killed */
	if (mkdir(copy.partial, 0700) < 0)
		return ts_error_errno(err, errno, "%s", copy.partial);
	rc = write_copy(env, &copy);
	if (!rc && adopt_copy(&copy, err)) {
		remove_partial(&copy);
		return err->status;
	}
	if (!rc)
		rc = name_it(&copy, path);
	if (!rc)
		return TS_OK;
	if (ts_file_is_limited(rc, copy.data, err) == TS_OK)
		(void)(rc > 0 ? ts_error_errno(err, rc, "%s", copy.data) : ts_env_error(env, rc, err));
	remove_partial(&copy);
	return err->status;
}
