/* fuzz_files.c - see fuzz_files.h. */
#include "tests/fuzz/fuzz_files.h"

#include "base/file.h"
#include "tests/fuzz/fuzz_hold.h"

#include <fcntl.h>
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

static char folder[64], path[256];

int fuzz_file(const char *name)
{
	int fd = memfd_create(name, MFD_CLOEXEC);

	hold(fd >= 0);
	return fd;
}

void fuzz_write(int fd, const void *data, size_t n)
{
	struct ts_error err;

	hold(!n || ts_write_full(fd, data, n, &err) == TS_OK);
}

const char *fuzz_file_path(int fd)
{
	(void)snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
	return path;
}

static int remove_entry(const char *name, const struct stat *st, int type, struct FTW *at)
{
	(void)st;
	(void)type;
	(void)at;
	return remove(name);
}

static void remove_folder(void)
{
	(void)nftw(folder, remove_entry, 8, FTW_DEPTH | FTW_PHYS);
}

const char *fuzz_folder(void)
{
	if (folder[0])
		return folder;
	(void)snprintf(folder, sizeof folder, "%s/tscope-fuzz.XXXXXX", access("/dev/shm", W_OK) ? "/tmp" : "/dev/shm");
	hold(mkdtemp(folder) && !atexit(remove_folder));
	return folder;
}

const char *fuzz_folder_put(const char *name, struct ts_span bytes)
{
	struct ts_error err;
	char *slash;
	int fd;

	hold((size_t)snprintf(path, sizeof path, "%s/%s", fuzz_folder(), name) < sizeof path);
	if (!bytes.data) {
		(void)unlink(path);
		return path;
	}
	fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
	if (fd < 0) {
		slash = strrchr(path, '/');
		*slash = '\0';
		hold(ts_make_dirs(path, 0700, &err) == TS_OK);
		*slash = '/';
		fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
	}
	hold(fd >= 0);
	fuzz_write(fd, bytes.data, bytes.len);
	(void)close(fd);
	return path;
}

const char *fuzz_folder_clear(const char *name)
{
	hold((size_t)snprintf(path, sizeof path, "%s/%s", fuzz_folder(), name) < sizeof path);
	(void)nftw(path, remove_entry, 8, FTW_DEPTH | FTW_PHYS);
	return path;
}

struct ts_span fuzz_part(struct ts_span *rest)
{
	const uint8_t *zero = rest->len ? memchr(rest->data, 0, rest->len) : NULL;
	struct ts_span part = ts_span_of(rest->data, zero ? (size_t)(zero - rest->data) : rest->len);

	*rest = zero ? ts_span_from(*rest, part.len + 1) : ts_span_of(NULL, 0);
	return part;
}
