/* system_linux.c - what system.h promises, by calls that only Linux has. */
#include "base/system.h"

#include "base/file.h"

#include <fcntl.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

int ts_system_cores(void)
{
	cpu_set_t set;

	return sched_getaffinity(0, sizeof set, &set) ? 1 : CPU_COUNT(&set);
}

void ts_system_want_huge_pages(void *block, size_t size)
{
	(void)madvise(block, size, MADV_HUGEPAGE);
}

int ts_system_pipe(int ret_ends[2])
{
	return pipe2(ret_ends, O_CLOEXEC);
}

int ts_system_temp(char *io_path)
{
	return mkostemp(io_path, O_CLOEXEC);
}

int ts_system_open_folder(int at, const char *name, bool follow)
{
	return openat(at, name, O_PATH | O_DIRECTORY | O_CLOEXEC | (follow ? 0 : O_NOFOLLOW));
}

bool ts_system_fd_path(int fd, char ret_path[TS_SYSTEM_FD_PATH])
{
	(void)snprintf(ret_path, TS_SYSTEM_FD_PATH, "/proc/self/fd/%d", fd);
	return access(ret_path, X_OK) == 0;
}

int ts_system_stream_socket(int family)
{
	return socket(family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
}

void ts_system_cond_init(pthread_cond_t *cond)
{
	pthread_condattr_t attr;

	pthread_condattr_init(&attr);
	pthread_condattr_setclock(&attr, CLOCK_MONOTONIC);
	pthread_cond_init(cond, &attr);
	pthread_condattr_destroy(&attr);
}

struct timespec ts_system_cond_limit(int64_t mono_ns)
{
	return (struct timespec){.tv_sec = mono_ns / 1000000000, .tv_nsec = mono_ns % 1000000000};
}

void ts_system_lock_init(pthread_rwlock_t *lock)
{
	pthread_rwlockattr_t attr;

	pthread_rwlockattr_init(&attr);
	pthread_rwlockattr_setkind_np(&attr, PTHREAD_RWLOCK_PREFER_WRITER_NONRECURSIVE_NP);
	pthread_rwlock_init(lock, &attr);
	pthread_rwlockattr_destroy(&attr);
}

bool ts_system_changed(const struct stat *st, struct timespec *ret_changed)
{
	*ret_changed = st->st_mtim;
	return true;
}

enum ts_status ts_system_boot_id(struct ts_buf *out, struct ts_error *err)
{
	return ts_file_read("/proc/sys/kernel/random/boot_id", out, err);
}
