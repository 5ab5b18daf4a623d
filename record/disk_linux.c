/* disk_linux.c - what a recording asks of the system, on Linux: memory that is sealed against cutting, and space of a file by
 * posix_fallocate. */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include "record/disk.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

/* Of the open file, not of the process: a reader of the same process may open and close the file beside it. */
void ts_disk_hold(int fd)
{
	struct flock lock = {.l_type = F_WRLCK, .l_whence = SEEK_SET, .l_len = 1};

	(void)fcntl(fd, F_OFD_SETLK, &lock);
}

bool ts_disk_is_held(int fd)
{
	struct flock lock = {.l_type = F_RDLCK, .l_whence = SEEK_SET, .l_len = 1};

	return fcntl(fd, F_OFD_GETLK, &lock) == 0 && lock.l_type != F_UNLCK;
}

static bool is_beyond_the_limit(uint64_t size)
{
	struct rlimit limit;

	return getrlimit(RLIMIT_FSIZE, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY && size > limit.rlim_cur;
}

int ts_disk_extend(int fd, uint64_t at, size_t len)
{
	int error;

	if (is_beyond_the_limit(at + len))
		return EFBIG;
	do
		error = posix_fallocate(fd, (off_t)at, (off_t)len);
	while (error == EINTR);
	return error;
}

int ts_disk_flush(int fd)
{
	return fdatasync(fd) < 0 ? errno : 0;
}

/* The limit of file sizes holds for memory of this kind, too, by SIGXFSZ. */
int ts_disk_memory(size_t size, size_t allocated)
{
	int fd = is_beyond_the_limit(size) ? -1 : memfd_create("tscope", MFD_CLOEXEC | MFD_ALLOW_SEALING);

	if (fd < 0)
		return -1;
	if (ftruncate(fd, (off_t)size) == 0 && fcntl(fd, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL) == 0 &&
	    ts_disk_allocate(fd, 0, allocated) == 0)
		return fd;
	(void)close(fd);
	return -1;
}

int ts_disk_allocate(int fd, uint64_t at, size_t len)
{
	while (fallocate(fd, 0, (off_t)at, (off_t)len) < 0) {
		if (errno != EINTR)
			return errno;
	}
	return 0;
}

int ts_disk_warm(void *memory, size_t len)
{
#ifndef MADV_POPULATE_WRITE
	enum { MADV_POPULATE_WRITE = 23 }; /* Linux 5.14; EINVAL before */
#endif
	while (madvise(memory, len, MADV_POPULATE_WRITE) < 0) {
		if (errno != EINTR && errno != EAGAIN)
			return errno;
	}
	return 0;
}
