/* system_linux.c - what system.h promises, by calls that only Linux has. */
#include "base/system.h"

#include "base/file.h"
#include "base/number.h"
#include "base/text.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <unistd.h>

int ts_system_cores(void)
{
	cpu_set_t set;

	return sched_getaffinity(0, sizeof set, &set) ? 1 : CPU_COUNT(&set);
}

/* "max" is no limit; neither is a file that is not there. */
static uint64_t limit_of(const char *group, size_t len)
{
	struct ts_buf text = TS_BUF_INIT(64);
	uint64_t limit = UINT64_MAX;
	struct ts_error ignored;
	char path[512];

	if (snprintf(path, sizeof path, "/sys/fs/cgroup%.*s/memory.max", (int)len, group) >= (int)sizeof path ||
	    ts_file_read(path, &text, &ignored) || !ts_parse_u64(ts_trim(ts_buf_view(&text)), &limit))
		limit = UINT64_MAX;
	ts_buf_finish(&text);
	return limit;
}

/* The line of cgroup v2 is 0::/a/b; every group on the way up may have a limit. */
static uint64_t group_limit(void)
{
	struct ts_buf text = TS_BUF_INIT(4096);
	uint64_t least = UINT64_MAX;
	struct ts_error ignored;
	const char *group;

	(void)ts_file_read("/proc/self/cgroup", &text, &ignored);
	ts_buf_u8(&text, 0);
	if (ts_buf_check(&text, &ignored) == TS_OK && (group = strstr((const char *)text.data, "0::/"))) {
		size_t len = strcspn(group += 3, "\n");

		while (true) {
			uint64_t limit = limit_of(group, len);

			least = limit < least ? limit : least;
			if (len == 0)
				break;
			while (len > 0 && group[len - 1] != '/')
				len--;
			len -= len > 0;
		}
	}
	ts_buf_finish(&text);
	return least;
}

uint64_t ts_system_memory(void)
{
	long pages = sysconf(_SC_PHYS_PAGES), size = sysconf(_SC_PAGESIZE);
	uint64_t machine = pages > 0 && size > 0 ? (uint64_t)pages * (uint64_t)size : UINT64_MAX, group = group_limit();

	machine = group < machine ? group : machine;
	return machine == UINT64_MAX ? 0 : machine;
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

bool ts_system_born(int fd, struct timespec *ret_born)
{
	struct statx st;

	if (statx(fd, "", AT_EMPTY_PATH, STATX_BTIME, &st) != 0 || !(st.stx_mask & STATX_BTIME))
		return false;
	*ret_born = (struct timespec){.tv_sec = st.stx_btime.tv_sec, .tv_nsec = st.stx_btime.tv_nsec};
	return true;
}

int64_t ts_system_uptime_ns(void)
{
	struct timespec t = {0};

	(void)clock_gettime(CLOCK_BOOTTIME, &t);
	return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

enum ts_status ts_system_boot_id(struct ts_buf *out, struct ts_error *err)
{
	return ts_file_read("/proc/sys/kernel/random/boot_id", out, err);
}

/* No device file is needed, which an empty root directory lacks. */
enum ts_status ts_system_random(void *out, size_t n, struct ts_error *err)
{
	enum { AT_ONCE = 256 }; /* getentropy gives no more */

	for (size_t at = 0; at < n; at += AT_ONCE)
		if (getentropy((uint8_t *)out + at, n - at < AT_ONCE ? n - at : AT_ONCE))
			return ts_error_errno(err, errno, "random bytes of the system");
	return TS_OK;
}
