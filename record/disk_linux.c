/* disk_linux.c - what a recording asks of the file system, on Linux: space that posix_fallocate made, maps that no fork hands on. */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include "record/disk.h"

#include <errno.h>
#include <fcntl.h>
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

int ts_disk_extend(int fd, uint64_t at, size_t len)
{
	struct rlimit limit;
	int error;

	if (getrlimit(RLIMIT_FSIZE, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY && at + len > limit.rlim_cur)
		return EFBIG;
	do
		error = posix_fallocate(fd, (off_t)at, (off_t)len);
	while (error == EINTR);
	return error;
}

int ts_disk_map(int fd, uint64_t at, size_t len, void **ret_map)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE);
	uint8_t *map = mmap(NULL, len, PROT_READ | PROT_WRITE, MAP_SHARED, fd, (off_t)at);

	if (map == MAP_FAILED)
		return errno;
	(void)madvise(map, len, MADV_DONTFORK);
	for (size_t i = 0; i < len; i += page)
		*(volatile uint8_t *)(map + i) = 0;
	*ret_map = map;
	return 0;
}

/* fdatasync finds the pages that were written through any map of the file. */
int ts_disk_flush_map(void *map, size_t len)
{
	(void)map;
	(void)len;
	return 0;
}

int ts_disk_flush(int fd)
{
	return fdatasync(fd) < 0 ? errno : 0;
}

void ts_disk_warm(void *map, size_t len)
{
#ifndef MADV_POPULATE_WRITE
	enum { MADV_POPULATE_WRITE = 23 }; /* Linux 5.14; EINVAL before */
#endif
	size_t page = (size_t)sysconf(_SC_PAGESIZE), before = (uintptr_t)map % page;

	(void)madvise((uint8_t *)map - before, len + before, MADV_POPULATE_WRITE);
}

void ts_disk_detach(void *map, size_t len)
{
	(void)mmap(map, len, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED | MAP_NORESERVE, -1, 0);
}
