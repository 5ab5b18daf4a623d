/* failcall.so - LD_PRELOAD library in which one call of a process to the system fails, so that a test can try each of them.
 *
 * TS_FAIL_AT=N: the N-th counted call fails (1 is the first; 0 none). TS_FAIL_ERRNO=E: with this error. TS_FAIL_ON=1: and all that
 * follow it, as on a disk that stays full. TS_FAIL_COUNT=FILE: the process writes there how many calls it counted when it ends.
 * Counted are calls that open, read, write, sync, cut, map, rename, make and remove files; a process that ends by a signal writes no
 * count. Compiled without sanitizers.
 */
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

static atomic_long calls;
static long fail_at, fail_errno;
static bool fail_on;

__attribute__((constructor)) static void read_orders(void)
{
	const char *at = getenv("TS_FAIL_AT"), *error = getenv("TS_FAIL_ERRNO");

	fail_at = at ? strtol(at, NULL, 10) : 0;
	fail_errno = error ? strtol(error, NULL, 10) : EIO;
	fail_on = getenv("TS_FAIL_ON") != NULL;
}

__attribute__((destructor)) static void write_count(void)
{
	const char *path = getenv("TS_FAIL_COUNT");
	char text[32];
	int fd, n;

	if (!path)
		return;
	n = snprintf(text, sizeof text, "%ld\n", (long)calls);
	fd = (int)syscall(SYS_openat, AT_FDCWD, path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
	(void)!syscall(SYS_write, fd, text, (size_t)n);
	(void)syscall(SYS_close, fd);
}

static bool fails(void)
{
	long n = atomic_fetch_add(&calls, 1) + 1;

	if (!fail_at || n < fail_at || (n > fail_at && !fail_on))
		return false;
	errno = (int)fail_errno;
	return true;
}

#define CALL(result, name, params, number, ...) \
	result name params; \
	result name params \
	{ \
		return fails() ? (result)-1 : (result)syscall(number, __VA_ARGS__); \
	}
CALL(ssize_t, pread, (int fd, void *bytes, size_t n, off_t at), SYS_pread64, fd, bytes, n, at)
CALL(ssize_t, pread64, (int fd, void *bytes, size_t n, off_t at), SYS_pread64, fd, bytes, n, at)
CALL(ssize_t, read, (int fd, void *bytes, size_t n), SYS_read, fd, bytes, n)
CALL(ssize_t, pwrite, (int fd, const void *bytes, size_t n, off_t at), SYS_pwrite64, fd, bytes, n, at)
CALL(ssize_t, pwrite64, (int fd, const void *bytes, size_t n, off_t at), SYS_pwrite64, fd, bytes, n, at)
CALL(ssize_t, pwritev, (int fd, const struct iovec *parts, int n, off_t at), SYS_pwritev, fd, parts, n, at, 0)
CALL(ssize_t, pwritev64, (int fd, const struct iovec *parts, int n, off_t at), SYS_pwritev, fd, parts, n, at, 0)
CALL(int, fdatasync, (int fd), SYS_fdatasync, fd)
CALL(int, fsync, (int fd), SYS_fsync, fd)
CALL(int, msync, (void *bytes, size_t n, int flags), SYS_msync, bytes, n, flags)
CALL(int, ftruncate, (int fd, off_t n), SYS_ftruncate, fd, n)
CALL(int, ftruncate64, (int fd, off_t n), SYS_ftruncate, fd, n)
CALL(int, rename, (const char *from, const char *to), SYS_rename, from, to)
CALL(int, mkdir, (const char *path, mode_t mode), SYS_mkdir, path, mode)
CALL(int, unlink, (const char *path), SYS_unlink, path)
CALL(int, rmdir, (const char *path), SYS_rmdir, path)

/* What a program says on its standard outputs is left alone. */
ssize_t write(int fd, const void *bytes, size_t n);
ssize_t write(int fd, const void *bytes, size_t n)
{
	return fd > 2 && fails() ? -1 : syscall(SYS_write, fd, bytes, n);
}

void *mmap(void *at, size_t n, int prot, int flags, int fd, off_t offset);
void *mmap(void *at, size_t n, int prot, int flags, int fd, off_t offset)
{
	return fd >= 0 && fails() ? MAP_FAILED : (void *)syscall(SYS_mmap, at, n, prot, flags, fd, offset);
}

void *mmap64(void *at, size_t n, int prot, int flags, int fd, off_t offset);
void *mmap64(void *at, size_t n, int prot, int flags, int fd, off_t offset)
{
	return fd >= 0 && fails() ? MAP_FAILED : (void *)syscall(SYS_mmap, at, n, prot, flags, fd, offset);
}

#define OPEN(name) \
	int name(const char *path, int flags, ...); \
	int name(const char *path, int flags, ...) \
	{ \
		va_list args; \
		unsigned mode; \
\
		va_start(args, flags); \
		mode = va_arg(args, unsigned); \
		va_end(args); \
		return fails() ? -1 : (int)syscall(SYS_openat, AT_FDCWD, path, flags, mode); \
	}
OPEN(open)
OPEN(open64)
