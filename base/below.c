#include "base/below.h"

#include "base/arena.h"
#include "base/path.h"
#include "base/system.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

enum { PART_MAX = 255 };

/* How many bytes of path are followed wherever they lead. All: there is nothing behind them. */
static size_t followed(const char *top, const char *path)
{
	size_t n = strlen(top);

	while (n > 1 && top[n - 1] == '/')
		n--;
	if (n && strncmp(top, path, n) == 0 && (path[n] == '\0' || path[n] == '/' || top[n - 1] == '/'))
		return n;
	return (size_t)(ts_path_last(path) - path);
}

static const char *behind(const char *path, size_t n)
{
	path += n;
	while (*path == '/')
		path++;
	return path;
}

static enum ts_status refuse(const char *path, const char *what, struct ts_error *err)
{
	return ts_error_set(err, TS_INVALID, "%s: %s, which is not read", path, what);
}

static const char *word_of(mode_t mode)
{
	if (S_ISLNK(mode))
		return "a symbolic link";
	if (S_ISDIR(mode))
		return "a directory";
	if (S_ISFIFO(mode))
		return "a named pipe";
	if (S_ISSOCK(mode))
		return "a socket";
	return S_ISREG(mode) ? NULL : "a device";
}

/* Says why a part could not be opened as a folder. */
static enum ts_status no_folder(int at, const char *part, const char *path, int errnum, struct ts_error *err)
{
	struct stat st;

	if ((errnum == ENOTDIR || errnum == ELOOP || errnum == EMLINK) && fstatat(at, part, &st, AT_SYMLINK_NOFOLLOW) == 0 &&
	    S_ISLNK(st.st_mode))
		return ts_error_set(err, TS_INVALID, "%s: %s in it is a symbolic link, which is not followed", path, part);
	return ts_error_errno(err, errnum, "%s", path);
}

/* Goes into the folders of rest one by one, but not into its last part. Takes over the descriptor. */
static enum ts_status descend(int at, const char *rest, const char *path, int *ret_fd, const char **ret_name, struct ts_error *err)
{
	for (;;) {
		const char *slash = strchr(rest, '/'), *next = slash ? behind(slash, 0) : "";
		size_t n = slash ? (size_t)(slash - rest) : strlen(rest);
		char part[PART_MAX + 1];
		int below;

		if (n > PART_MAX || (n == 2 && memcmp(rest, "..", 2) == 0)) {
			(void)close(at);
			return ts_error_set(err, TS_INVALID, "%s: a part of the path is %s", path, n > PART_MAX ? "too long" : "..");
		}
		if (*next == '\0') {
			*ret_fd = at;
			*ret_name = rest;
			return TS_OK;
		}
		memcpy(part, rest, n);
		part[n] = '\0';
		below = ts_system_open_folder(at, part, false);
		if (below < 0)
			(void)no_folder(at, part, path, errno, err);
		(void)close(at);
		if (below < 0)
			return err->status;
		at = below;
		rest = next;
	}
}

enum ts_status ts_below_folder(const char *top, const char *path, int *ret_fd, const char **ret_name, struct ts_error *err)
{
	size_t n = followed(top, path);
	char folder[PATH_MAX];
	int fd;

	if (*behind(path, n) == '\0') { /* the path is what was named */
		n = (size_t)(ts_path_last(path) - path);
		if (path[n] == '\0')
			return ts_error_set(err, TS_INVALID, "%s: a folder", path);
	}
	if (n >= sizeof folder)
		return ts_error_errno(err, ENAMETOOLONG, "%s", path);
	(void)snprintf(folder, sizeof folder, "%.*s", n ? (int)n : 1, n ? path : ".");
	fd = ts_system_open_folder(AT_FDCWD, folder, true);
	return fd < 0 ? ts_error_errno(err, errno, "%s", path) : descend(fd, behind(path, n), path, ret_fd, ret_name, err);
}

static bool is_top(const char *top, const char *path)
{
	return *behind(path, followed(top, path)) == '\0';
}

/* Opens what is a regular file or, if flags say so, a directory; looks before, so as not to open a device, and after. */
static enum ts_status open_in(int at, const char *name, const char *path, int flags, int *ret_fd, struct ts_error *err)
{
	mode_t wanted = flags & O_DIRECTORY ? S_IFDIR : S_IFREG;
	struct stat st;
	int fd = -1, errnum;

	if (fstatat(at, name, &st, AT_SYMLINK_NOFOLLOW) < 0)
		return ts_error_errno(err, errno, "%s", path);
	if ((st.st_mode & S_IFMT) != wanted)
		return refuse(path, S_ISREG(st.st_mode) ? "a file" : word_of(st.st_mode), err);
	do
		fd = openat(at, name, flags | O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
	while (fd < 0 && errno == EINTR);
	errnum = errno;
	if (fd < 0)
		return errnum == ELOOP || errnum == EMLINK ? refuse(path, "a symbolic link", err)
							   : ts_error_errno(err, errnum, "%s", path);
	if (fstat(fd, &st) < 0 || (st.st_mode & S_IFMT) != wanted) {
		(void)close(fd);
		return refuse(path, "another kind of file than before", err);
	}
	*ret_fd = fd;
	return TS_OK;
}

static enum ts_status open_below(const char *top, const char *path, int flags, int *ret_fd, struct ts_error *err)
{
	enum ts_status status;
	const char *name;
	int at;

	if (ts_below_folder(top, path, &at, &name, err))
		return err->status;
	status = open_in(at, name, path, flags, ret_fd, err);
	(void)close(at);
	return status;
}

enum ts_status ts_below_open(const char *top, const char *path, int *ret_fd, uint64_t *ret_size, struct ts_error *err)
{
	struct stat st;
	int fd;

	if (is_top(top, path))
		return ts_file_open(path, ret_fd, ret_size, err);
	if (open_below(top, path, 0, &fd, err))
		return err->status;
	if (fstat(fd, &st) < 0) {
		(void)ts_error_errno(err, errno, "%s", path);
		(void)close(fd);
		return err->status;
	}
	*ret_fd = fd;
	*ret_size = (uint64_t)st.st_size;
	return TS_OK;
}

enum ts_status ts_below_read(const char *top, const char *path, struct ts_buf *buf, struct ts_error *err)
{
	enum ts_status status;
	uint64_t size;
	int fd;

	if (ts_buf_check(buf, err) || ts_below_open(top, path, &fd, &size, err))
		return err->status;
	status = ts_read_rest(fd, size, buf, err);
	(void)close(fd);
	return status ? ts_error_prefix(err, "%s", path) : TS_OK;
}

enum ts_status ts_below_list(const char *top, const char *path, struct ts_arena *arena, char ***ret_names, size_t *ret_n,
			     struct ts_error *err)
{
	enum ts_status status;
	DIR *dir;
	int fd;

	if (is_top(top, path))
		return ts_list_dir(path, arena, ret_names, ret_n, err);
	if (open_below(top, path, O_DIRECTORY, &fd, err))
		return err->status;
	dir = fdopendir(fd);
	if (!dir) {
		(void)ts_error_errno(err, errno, "%s", path);
		(void)close(fd);
		return err->status;
	}
	status = ts_list_open_dir(dir, arena, ret_names, ret_n, err);
	return status ? ts_error_prefix(err, "%s", path) : TS_OK;
}

static bool any(DIR *dir, bool (*matches)(const char *name))
{
	struct dirent *entry;
	struct stat st;

	while ((entry = readdir(dir)))
		if (matches(entry->d_name) && fstatat(dirfd(dir), entry->d_name, &st, AT_SYMLINK_NOFOLLOW) == 0 && S_ISREG(st.st_mode))
			return true;
	return false;
}

bool ts_below_any(const char *top, const char *path, bool (*matches)(const char *name))
{
	struct ts_error cannot;
	bool found = false;
	DIR *dir;
	int fd;

	if (is_top(top, path))
		fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	else if (open_below(top, path, O_DIRECTORY, &fd, &cannot))
		fd = -1;
	dir = fd < 0 ? NULL : fdopendir(fd);
	if (!dir && fd >= 0)
		(void)close(fd);
	if (dir) {
		found = any(dir, matches);
		(void)closedir(dir);
	}
	return found;
}

/* Looks at path itself, not at what it leads to, unless it is what was named. A path below a link counts as that link. */
static bool look(const char *top, const char *path, struct stat *ret_st)
{
	const char *rest = behind(path, followed(top, path)), *name;
	struct ts_error err;
	int at, rc;

	if (*rest == '\0')
		return stat(path, ret_st) == 0;
	if (!strchr(rest, '/'))
		return lstat(path, ret_st) == 0;
	if (ts_below_folder(top, path, &at, &name, &err)) {
		*ret_st = (struct stat){.st_mode = S_IFLNK};
		return err.status == TS_INVALID;
	}
	rc = fstatat(at, name, ret_st, AT_SYMLINK_NOFOLLOW);
	(void)close(at);
	return rc == 0;
}

enum ts_file_kind ts_below_kind(const char *top, const char *path)
{
	struct stat st;

	if (!look(top, path, &st))
		return TS_FILE_NONE;
	if (S_ISLNK(st.st_mode))
		return TS_FILE_LINK;
	if (S_ISREG(st.st_mode))
		return TS_FILE_REGULAR;
	return S_ISDIR(st.st_mode) ? TS_FILE_DIRECTORY : TS_FILE_OTHER;
}

const char *ts_below_what(const char *top, const char *path)
{
	struct stat st;

	return look(top, path, &st) ? word_of(st.st_mode) : NULL;
}
