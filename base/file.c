#include "base/file.h"

#include "base/arena.h"
#include "base/order.h"

#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <stdatomic.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

enum { READ_STEP = 256 * 1024 };

enum ts_status ts_read_full(int fd, void *data, size_t n, size_t *ret_n, struct ts_error *err)
{
	uint8_t *at = data;
	size_t done = 0;

	while (done < n) {
		ssize_t got = read(fd, at + done, n - done);

		if (got < 0 && errno == EINTR)
			continue;
		if (got < 0)
			return ts_error_errno(err, errno, "read");
		if (got == 0)
			break;
		done += (size_t)got;
	}
	*ret_n = done;
	return TS_OK;
}

enum ts_status ts_pread_full(int fd, void *data, size_t n, uint64_t offset, size_t *ret_n, struct ts_error *err)
{
	uint8_t *at = data;
	size_t done = 0;

	while (done < n) {
		ssize_t got = pread(fd, at + done, n - done, (off_t)(offset + done));

		if (got < 0 && errno == EINTR)
			continue;
		if (got < 0)
			return ts_error_errno(err, errno, "read");
		if (got == 0)
			break;
		done += (size_t)got;
	}
	*ret_n = done;
	return TS_OK;
}

enum ts_status ts_write_full(int fd, const void *data, size_t n, struct ts_error *err)
{
	const uint8_t *at = data;

	while (n > 0) {
		ssize_t put = write(fd, at, n);

		if (put < 0 && errno == EINTR)
			continue;
		if (put < 0)
			return ts_error_errno(err, errno, "write");
		at += put;
		n -= (size_t)put;
	}
	return TS_OK;
}

static int open_retrying(const char *path, int flags, mode_t mode)
{
	int fd;

	do
		fd = open(path, flags | O_CLOEXEC, mode);
	while (fd < 0 && errno == EINTR);
	return fd;
}

static enum ts_status sync_retrying(int fd, const char *path, struct ts_error *err)
{
	int rc;

	do
		rc = fsync(fd);
	while (rc < 0 && errno == EINTR);
	if (rc < 0)
		return ts_error_errno(err, errno, "%s: sync", path);
	return TS_OK;
}

enum ts_status ts_file_open(const char *path, int *ret_fd, uint64_t *ret_size, struct ts_error *err)
{
	/* Without O_NONBLOCK, opening a named pipe would wait for its writer. */
	int fd = open_retrying(path, O_RDONLY | O_NONBLOCK, 0);
	struct stat st;

	if (fd < 0)
		return ts_error_errno(err, errno, "%s", path);
	if (fstat(fd, &st) < 0) {
		(void)ts_error_errno(err, errno, "%s", path);
		(void)close(fd);
		return err->status;
	}
	if (!S_ISREG(st.st_mode)) {
		(void)close(fd);
		return ts_error_set(err, TS_INVALID, "%s: not a regular file", path);
	}
	*ret_fd = fd;
	*ret_size = (uint64_t)st.st_size;
	return TS_OK;
}

/* The size is only a hint, because a file may grow while it is read. */
enum ts_status ts_read_rest(int fd, uint64_t size, struct ts_buf *buf, struct ts_error *err)
{
	size_t before = buf->len;

	for (;;) {
		size_t left = buf->ceiling - buf->len;
		size_t read = buf->len - before;
		size_t want = size > read ? (size_t)(size - read) : READ_STEP;
		uint8_t spare;
		size_t got = 0;
		uint8_t *at;

		if (left == 0) { /* the limit is reached exactly: is there one more byte? */
			if (ts_read_full(fd, &spare, 1, &got, err))
				return err->status;
			if (got)
				buf->failed = TS_TOO_LARGE;
			return ts_buf_check(buf, err);
		}
		at = ts_buf_reserve(buf, want < left ? want : left);
		if (!at)
			return ts_buf_check(buf, err);
		if (ts_read_full(fd, at, want < left ? want : left, &got, err))
			return err->status;
		buf->len += got;
		if (got < want && got < left)
			return TS_OK;
	}
}

enum ts_status ts_file_read(const char *path, struct ts_buf *buf, struct ts_error *err)
{
	enum ts_status status;
	uint64_t size;
	int fd;

	if (ts_buf_check(buf, err))
		return err->status;
	if (ts_file_open(path, &fd, &size, err))
		return err->status;
	status = ts_read_rest(fd, size, buf, err);
	(void)close(fd);
	return status ? ts_error_prefix(err, "%s", path) : TS_OK;
}

/* Writes the directory that holds path to out: "." for a bare name. */
static void directory_of(struct ts_buf *out, const char *path)
{
	const char *slash = strrchr(path, '/');

	if (!slash)
		ts_buf_str(out, ".");
	else
		ts_buf_bytes(out, path, slash == path ? 1 : (size_t)(slash - path));
	ts_buf_char(out, '\0');
}

static enum ts_status sync_directory(const char *path, struct ts_error *err)
{
	struct ts_buf name = TS_BUF_INIT(64 << 10);
	enum ts_status status;
	int fd;

	directory_of(&name, path);
	status = ts_buf_check(&name, err);
	if (!status) {
		fd = open_retrying((const char *)name.data, O_RDONLY | O_DIRECTORY, 0);
		if (fd < 0)
			status = ts_error_errno(err, errno, "%s", (const char *)name.data);
		else
			status = sync_retrying(fd, (const char *)name.data, err);
		if (fd >= 0)
			(void)close(fd);
	}
	ts_buf_finish(&name);
	return status;
}

static enum ts_status write_and_rename(int fd, const char *beside, const char *path, struct ts_span bytes,
				       struct ts_error *err)
{
	enum ts_status status = ts_write_full(fd, bytes.data, bytes.len, err);

	if (status)
		ts_error_prefix(err, "%s", beside);
	else
		status = sync_retrying(fd, beside, err);
	/* Some network file systems report a full disk only here. */
	if (close(fd) < 0 && !status && errno != EINTR)
		status = ts_error_errno(err, errno, "%s", beside);
	if (!status && rename(beside, path) < 0)
		status = ts_error_errno(err, errno, "%s", path);
	if (status)
		(void)unlink(beside);
	return status;
}

enum ts_status ts_file_replace(const char *path, struct ts_span bytes, mode_t mode, struct ts_error *err)
{
	static atomic_uint count;
	struct ts_buf beside = TS_BUF_INIT(64 << 10);
	enum ts_status status;
	int fd;

	do {
		ts_buf_reset(&beside);
		ts_buf_printf(&beside, "%s.%ld.%u.new", path, (long)getpid(), atomic_fetch_add(&count, 1));
		ts_buf_char(&beside, '\0');
		status = ts_buf_check(&beside, err);
		if (status) {
			ts_buf_finish(&beside);
			return status;
		}
		fd = open_retrying((const char *)beside.data, O_WRONLY | O_CREAT | O_EXCL, mode);
	} while (fd < 0 && errno == EEXIST);
	if (fd < 0)
		status = ts_error_errno(err, errno, "%s", path); /* nobody knows the other name */
	else
		status = write_and_rename(fd, (const char *)beside.data, path, bytes, err);
	ts_buf_finish(&beside);
	return status ? status : sync_directory(path, err);
}

static enum ts_status make_dir(const char *path, mode_t mode, struct ts_error *err)
{
	int errnum;

	if (mkdir(path, mode) == 0)
		return TS_OK;
	errnum = errno;
	/* A read-only or forbidden parent does not matter where the directory already exists. */
	if (ts_file_kind(path) == TS_FILE_DIRECTORY)
		return TS_OK;
	return ts_error_errno(err, errnum == EEXIST ? ENOTDIR : errnum, "%s", path);
}

enum ts_status ts_make_dirs(const char *path, mode_t mode, struct ts_error *err)
{
	struct ts_buf copy = TS_BUF_INIT(64 << 10);
	enum ts_status status;

	if (path[0] == '\0')
		return ts_error_set(err, TS_NOT_FOUND, "no directory has an empty path");
	ts_buf_bytes(&copy, path, strlen(path) + 1);
	status = ts_buf_check(&copy, err);
	for (size_t i = 1; !status && i < copy.len; i++) {
		if ((copy.data[i] != '/' && copy.data[i] != '\0') || copy.data[i - 1] == '/')
			continue;
		copy.data[i] = '\0';
		status = make_dir((const char *)copy.data, mode, err);
		copy.data[i] = (uint8_t)path[i];
	}
	ts_buf_finish(&copy);
	return status;
}

static int remove_one(const char *path, const struct stat *st, int kind, struct FTW *at)
{
	(void)st;
	(void)kind;
	(void)at;
	return remove(path);
}

void ts_remove_tree(const char *path)
{
	enum { OPEN_FOLDERS = 8 };

	(void)nftw(path, remove_one, OPEN_FOLDERS, FTW_DEPTH | FTW_PHYS);
}

enum ts_file_kind ts_file_kind(const char *path)
{
	struct stat st;

	if (stat(path, &st) < 0)
		return TS_FILE_NONE;
	if (S_ISREG(st.st_mode))
		return TS_FILE_REGULAR;
	return S_ISDIR(st.st_mode) ? TS_FILE_DIRECTORY : TS_FILE_OTHER;
}

struct name {
	struct name *next;
	char text[];
};

TS_ORDER_OF_POINTERS(compare_names, char, TS_THEN(strcmp(a, b)))

static enum ts_status read_names(DIR *dir, struct ts_arena *arena, struct name **names, size_t *n,
				 struct ts_error *err)
{
	for (;;) {
		struct dirent *entry;
		struct name *name;
		size_t len;

		errno = 0;
		entry = readdir(dir);
		if (!entry)
			return errno ? ts_error_errno(err, errno, "list") : TS_OK;
		if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0)
			continue;
		len = strlen(entry->d_name) + 1;
		name = ts_arena_alloc(arena, sizeof *name + len);
		if (!name)
			return ts_arena_error(arena, err);
		memcpy(name->text, entry->d_name, len);
		name->next = *names;
		*names = name;
		++*n;
	}
}

enum ts_status ts_list_open_dir(DIR *dir, struct ts_arena *arena, char ***ret_names, size_t *ret_n, struct ts_error *err)
{
	struct name *names = NULL;
	enum ts_status status;
	char **list;
	size_t n = 0;

	status = read_names(dir, arena, &names, &n, err);
	(void)closedir(dir);
	if (status)
		return status;
	list = ts_arena_array(arena, n, sizeof *list);
	if (!list)
		return ts_arena_error(arena, err);
	for (size_t i = 0; i < n; i++, names = names->next)
		list[i] = names->text;
	TS_SORT(list, n, compare_names);
	*ret_names = list;
	*ret_n = n;
	return TS_OK;
}

enum ts_status ts_list_dir(const char *path, struct ts_arena *arena, char ***ret_names, size_t *ret_n, struct ts_error *err)
{
	DIR *dir = opendir(path);

	if (!dir)
		return ts_error_errno(err, errno, "%s", path);
	return ts_list_open_dir(dir, arena, ret_names, ret_n, err) ? ts_error_prefix(err, "%s", path) : TS_OK;
}
