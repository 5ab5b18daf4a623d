/* system_posix.c - what system.h promises, by POSIX alone: for macOS, and for a check on Linux that nothing else is needed.
 *
 * Between the call that makes a descriptor and the one that marks it, another thread may start a program, which then inherits
 * it. POSIX of 2008 has nothing better.
 */
#include "base/system.h"

#include "base/clock.h"
#include "base/file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

int ts_system_cores(void)
{
	long n = sysconf(_SC_NPROCESSORS_ONLN); /* no part of POSIX, but of Linux, macOS and the BSDs */

	return n < 1 ? 1 : n > 1024 ? 1024 : (int)n;
}

uint64_t ts_system_memory(void)
{
	return 0;
}

/* Closes the descriptor if it cannot be marked; returns it or -1. */
static int marked(int fd, int flags)
{
	int errnum;

	if (fd < 0)
		return -1;
	if (fcntl(fd, F_SETFD, FD_CLOEXEC) == 0 && (flags == 0 || fcntl(fd, F_SETFL, flags) == 0))
		return fd;
	errnum = errno;
	(void)close(fd);
	errno = errnum;
	return -1;
}

int ts_system_pipe(int ret_ends[2])
{
	int ends[2];

	if (pipe(ends) != 0)
		return -1;
	if (marked(ends[0], 0) < 0) {
		(void)close(ends[1]);
		return -1;
	}
	if (marked(ends[1], 0) < 0) {
		(void)close(ends[0]);
		return -1;
	}
	ret_ends[0] = ends[0];
	ret_ends[1] = ends[1];
	return 0;
}

int ts_system_temp(char *io_path)
{
	return marked(mkstemp(io_path), 0);
}

int ts_system_open_folder(int at, const char *name, bool follow)
{
#ifdef O_SEARCH
	int how = O_SEARCH;
#else
	int how = O_RDONLY;
#endif
	return openat(at, name, how | O_DIRECTORY | O_CLOEXEC | (follow ? 0 : O_NOFOLLOW));
}

bool ts_system_fd_path(int fd, char ret_path[TS_SYSTEM_FD_PATH])
{
	(void)fd;
	(void)ret_path;
	return false;
}

int ts_system_stream_socket(int family)
{
	return marked(socket(family, SOCK_STREAM, 0), O_NONBLOCK);
}

void ts_system_cond_init(pthread_cond_t *cond)
{
	pthread_cond_init(cond, NULL);
}

/* macOS has no conditions of the monotonic clock. A clock that is set during a wait makes the wait longer or shorter. */
struct timespec ts_system_cond_limit(int64_t mono_ns)
{
	int64_t left = mono_ns - ts_now_mono_ns(), now = ts_now_real_ns();
	int64_t real = left > 0 ? (now > INT64_MAX - left ? INT64_MAX : now + left) : now;

	return (struct timespec){.tv_sec = real / 1000000000, .tv_nsec = real % 1000000000};
}

void ts_system_lock_init(pthread_rwlock_t *lock)
{
	pthread_rwlock_init(lock, NULL);
}

bool ts_system_changed(const struct stat *st, struct timespec *ret_changed)
{
	*ret_changed = (struct timespec){.tv_sec = st->st_mtime};
	return false;
}

bool ts_system_born(int fd, struct timespec *ret_born)
{
	(void)fd, (void)ret_born;
	return false;
}

int64_t ts_system_uptime_ns(void)
{
	return ts_now_mono_ns();
}

enum ts_status ts_system_boot_id(struct ts_buf *out, struct ts_error *err)
{
	(void)out;
	return ts_error_set(err, TS_NOT_FOUND, "this system does not say when it was started");
}

enum ts_status ts_system_random(void *out, size_t n, struct ts_error *err)
{
	int fd = open("/dev/urandom", O_RDONLY | O_CLOEXEC);
	enum ts_status status;
	size_t got = 0;

	if (fd < 0)
		return ts_error_errno(err, errno, "/dev/urandom");
	status = ts_read_full(fd, out, n, &got, err);
	(void)close(fd);
	if (!status && got < n)
		return ts_error_set(err, TS_IO, "/dev/urandom ends");
	return status;
}
