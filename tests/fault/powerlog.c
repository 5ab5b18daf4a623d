/* powerlog.so - LD_PRELOAD library that writes down what a process does to the two files of a store, so that a test can replay it up to
 * a power cut. Compiled without sanitizers.
 *
 * TS_POWERLOG=FILE: appends one record for each write, truncation and sync of these files, and for each write to descriptor 3
 * (an acknowledgement), in the order in which they happened. A record: type, flags, file, a zero byte, u32 length, u64 offset,
 * then the bytes. Types: W write (flag 1: through a descriptor that syncs, O_DSYNC), T truncate, S sync, A acknowledgement. File: 0
 * data.mdb, 1 superblock; that one is made under another name, durably, so what it has when it is opened counts as synced.
 *
 * TS_POWERLOG_ENOSPC_AFTER=BYTES: the disk has room for so many bytes of that file; read again at each write, so that a
 * process can let room come back. As a kernel does, it writes what fits and then says ENOSPC.
 */
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

enum { FDS = 1024, IS_DATA = 1, IS_SYNC = 2, IS_SUPER = 4, ACK_FD = 3, SUPER_ROOM = 1 << 16 };

static unsigned char kinds[FDS];
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int log_fd = -2;

static bool log_open(void)
{
	const char *path;

	if (log_fd == -2) {
		path = getenv("TS_POWERLOG");
		log_fd = path ? (int)syscall(SYS_openat, AT_FDCWD, path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600) : -1;
	}
	return log_fd >= 0;
}

static void record(char type, int kind, int flags, uint64_t offset, const void *bytes, size_t n)
{
	unsigned char head[16] = {(unsigned char)type, (unsigned char)flags, kind & IS_SUPER ? 1 : 0};
	uint32_t len = (uint32_t)n;
	struct iovec parts[2] = {{head, sizeof head}, {(void *)(uintptr_t)bytes, n}};

	if (!log_open())
		return;
	memcpy(head + 4, &len, 4);
	memcpy(head + 8, &offset, 8);
	/* The record is written with one call, so that a record of another process cannot come between. A log with a
	 * gap proves nothing. */
	if (syscall(SYS_writev, log_fd, parts, 2) != (ssize_t)(sizeof head + n))
		abort();
}

static int kind_of(int fd)
{
	return fd >= 0 && fd < FDS ? kinds[fd] : 0;
}

static bool ends_in(const char *path, const char *name)
{
	size_t n = strlen(path), m = strlen(name);

	return n >= m && strcmp(path + n - m, name) == 0;
}

static void record_whole(int fd)
{
	static char bytes[SUPER_ROOM];
	ssize_t n = syscall(SYS_pread64, fd, bytes, sizeof bytes, 0);

	if (n > 0)
		record('W', IS_SUPER, 1, 0, bytes, (size_t)n);
}

static int opened(int fd, const char *path, int flags)
{
	if (fd >= 0 && fd < FDS) {
		kinds[fd] = ends_in(path, "/data.mdb") ? IS_DATA : ends_in(path, "/superblock") ? IS_SUPER : 0;
		if (kinds[fd] & IS_SUPER)
			record_whole(fd);
		if (kinds[fd] && flags & O_DSYNC)
			kinds[fd] |= IS_SYNC;
	}
	return fd;
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
		return opened((int)syscall(SYS_openat, AT_FDCWD, path, flags, mode), path, flags); \
	}
OPEN(open)
OPEN(open64)

/* Returns how many bytes of [offset, offset + n) fit. Without a limit, the result is near SIZE_MAX. */
static size_t room_for(uint64_t offset, size_t n)
{
	const char *text = getenv("TS_POWERLOG_ENOSPC_AFTER");
	uint64_t limit = text ? strtoull(text, NULL, 10) : UINT64_MAX;

	if (offset >= limit)
		return 0;
	return limit - offset < n ? (size_t)(limit - offset) : n;
}

static ssize_t write_at(int fd, const void *bytes, size_t n, uint64_t offset)
{
	size_t fits = kind_of(fd) & IS_DATA ? room_for(offset, n) : n;
	ssize_t done;

	if (n && !fits) {
		errno = ENOSPC;
		return -1;
	}
	pthread_mutex_lock(&lock);
	done = syscall(SYS_pwrite64, fd, bytes, fits, offset);
	if (done > 0)
		record('W', kind_of(fd), kind_of(fd) & IS_SYNC ? 1 : 0, offset, bytes, (size_t)done);
	pthread_mutex_unlock(&lock);
	return done;
}

#define PWRITE(name) \
	ssize_t name(int fd, const void *bytes, size_t n, off_t offset); \
	ssize_t name(int fd, const void *bytes, size_t n, off_t offset) \
	{ \
		if (kind_of(fd)) \
			return write_at(fd, bytes, n, (uint64_t)offset); \
		return syscall(SYS_pwrite64, fd, bytes, n, offset); \
	}
PWRITE(pwrite)
PWRITE(pwrite64)

static ssize_t write_parts(int fd, const struct iovec *parts, int n, uint64_t offset)
{
	ssize_t total = 0;

	for (int i = 0; i < n; i++) {
		ssize_t done = write_at(fd, parts[i].iov_base, parts[i].iov_len, offset + (uint64_t)total);

		if (done < 0)
			return total ? total : done;
		total += done;
		if ((size_t)done < parts[i].iov_len)
			break;
	}
	return total;
}

/* LMDB seeks, and then writes many pages with one call. */
ssize_t writev(int fd, const struct iovec *parts, int n)
{
	off_t offset;
	ssize_t done;

	if (!kind_of(fd))
		return syscall(SYS_writev, fd, parts, n);
	offset = lseek(fd, 0, SEEK_CUR);
	done = write_parts(fd, parts, n, (uint64_t)offset);
	if (done > 0)
		(void)lseek(fd, offset + done, SEEK_SET);
	return done;
}

#define PWRITEV(name) \
	ssize_t name(int fd, const struct iovec *parts, int n, off_t offset); \
	ssize_t name(int fd, const struct iovec *parts, int n, off_t offset) \
	{ \
		if (kind_of(fd)) \
			return write_parts(fd, parts, n, (uint64_t)offset); \
		return syscall(SYS_pwritev, fd, parts, n, offset, 0); \
	}
PWRITEV(pwritev)
PWRITEV(pwritev64)

ssize_t write(int fd, const void *bytes, size_t n)
{
	const struct iovec part = {(void *)(uintptr_t)bytes, n};
	ssize_t done;

	if (kind_of(fd))
		return writev(fd, &part, 1);
	if (fd != ACK_FD)
		return syscall(SYS_write, fd, bytes, n);
	pthread_mutex_lock(&lock);
	done = syscall(SYS_write, fd, bytes, n);
	if (done == (ssize_t)n)
		record('A', 0, 0, 0, bytes, n);
	pthread_mutex_unlock(&lock);
	return done;
}

#define TRUNCATE(name)                                                                                                                 \
	int name(int fd, off_t size);                                                                                                  \
	int name(int fd, off_t size)                                                                                                   \
	{                                                                                                                              \
		long rc;                                                                                                               \
                                                                                                                                       \
		pthread_mutex_lock(&lock);                                                                                             \
		rc = syscall(SYS_ftruncate, fd, size);                                                                                 \
		if (rc == 0 && kind_of(fd))                                                                                            \
			record('T', kind_of(fd), 0, (uint64_t)size, NULL, 0);                                                          \
		pthread_mutex_unlock(&lock);                                                                                           \
		return (int)rc;                                                                                                        \
	}
TRUNCATE(ftruncate)
TRUNCATE(ftruncate64)

static int sync_by(long call, int fd)
{
	long rc;

	pthread_mutex_lock(&lock);
	rc = syscall(call, fd);
	if (rc == 0 && kind_of(fd))
		record('S', kind_of(fd), 0, 0, NULL, 0);
	pthread_mutex_unlock(&lock);
	return (int)rc;
}

int fsync(int fd)
{
	return sync_by(SYS_fsync, fd);
}

int fdatasync(int fd)
{
	return sync_by(SYS_fdatasync, fd);
}

/* The map is never written through, because LMDB is opened without MDB_WRITEMAP. A sync of the map is not expected, so
 * it ends the test. */
int msync(void *at, size_t n, int flags)
{
	(void)at;
	(void)n;
	(void)flags;
	abort();
}

static int statvfs_full(const char *path, void *out, const char *name)
{
	union {
		void *in;
		int (*out)(const char *, struct statvfs *);
	} next = {.in = dlsym(RTLD_NEXT, name)};
	const char *text = getenv("TS_POWERLOG_ENOSPC_AFTER");
	struct statvfs *fs = out;
	int rc = next.out(path, out);
	struct stat st = {0};
	char data[1024];

	if (rc != 0 || !text)
		return rc;
	(void)snprintf(data, sizeof data, "%s/data.mdb", path);
	(void)stat(data, &st);
	fs->f_bavail = room_for((uint64_t)st.st_size, SIZE_MAX) / fs->f_frsize;
	return rc;
}

int statvfs(const char *restrict path, struct statvfs *restrict out)
{
	return statvfs_full(path, out, "statvfs");
}
