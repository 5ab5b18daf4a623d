/* drive_progress.c - linked with --wrap=fdatasync, into record_drive and into a keeper of its own. */
#include "tests/record/drive_progress.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

static struct progress *progress;
static const char *progress_path;

int __real_fdatasync(int fd);
int __wrap_fdatasync(int fd);

struct progress *progress_open(const char *path)
{
	int fd = path ? open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0666) : -1;
	void *map = MAP_FAILED;

	if (fd >= 0 && ftruncate(fd, sizeof *progress) == 0)
		map = mmap(NULL, sizeof *progress, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (fd >= 0)
		(void)close(fd);
	progress = map == MAP_FAILED ? NULL : map;
	progress_path = path;
	return progress;
}

static void keep_copy(int fd)
{
	static uint8_t bytes[1 << 20];
	char path[4096], whole[4096];
	off_t at = 0;
	ssize_t n;
	int to;

	(void)snprintf(whole, sizeof whole, "%s.synced", progress_path);
	(void)snprintf(path, sizeof path, "%s.new", progress_path);
	to = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
	while ((n = pread(fd, bytes, sizeof bytes, at)) > 0 && write(to, bytes, (size_t)n) == n)
		at += n;
	(void)close(to);
	(void)rename(path, whole);
}

/* What the file holds when the call begins is on the disk when it has returned. */
int __wrap_fdatasync(int fd)
{
	struct timespec t;
	int ret;

	if (!progress && !progress_open(getenv("TS_PROGRESS")))
		return __real_fdatasync(fd);
	(void)clock_gettime(CLOCK_MONOTONIC, &t);
	keep_copy(fd);
	ret = __real_fdatasync(fd);
	progress->last = (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
	progress->syncs++;
	return ret;
}
