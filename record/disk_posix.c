/* disk_posix.c - the same by POSIX alone: space is made by writing zeros, and memory cannot be handed to another process. */
#ifndef _XOPEN_SOURCE
#define _XOPEN_SOURCE 700
#endif
#include "record/disk.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/resource.h>
#include <unistd.h>

/* POSIX gives the lock up as soon as this process closes the file anywhere. */
void ts_disk_hold(int fd)
{
	struct flock lock = {.l_type = F_WRLCK, .l_whence = SEEK_SET, .l_len = 1};

	(void)fcntl(fd, F_SETLK, &lock);
}

bool ts_disk_is_held(int fd)
{
	struct flock lock = {.l_type = F_RDLCK, .l_whence = SEEK_SET, .l_len = 1};

	return fcntl(fd, F_GETLK, &lock) == 0 && lock.l_type != F_UNLCK;
}

int ts_disk_extend(int fd, uint64_t at, size_t len)
{
	static const uint8_t zeros[65536];
	struct rlimit limit;

	if (getrlimit(RLIMIT_FSIZE, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY && at + len > limit.rlim_cur)
		return EFBIG;
	while (len > 0) {
		ssize_t n = pwrite(fd, zeros, len < sizeof zeros ? len : sizeof zeros, (off_t)at);

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return n < 0 ? errno : ENOSPC;
		at += (uint64_t)n;
		len -= (size_t)n;
	}
	return 0;
}

int ts_disk_flush(int fd)
{
	return fsync(fd) < 0 ? errno : 0;
}

int ts_disk_memory(size_t size, size_t allocated)
{
	(void)size;
	(void)allocated;
	return -1;
}

int ts_disk_allocate(int fd, uint64_t at, size_t len)
{
	(void)fd;
	(void)at;
	(void)len;
	return 0;
}

int ts_disk_warm(void *memory, size_t len)
{
	(void)memory;
	(void)len;
	return EINVAL;
}
