#ifndef _XOPEN_SOURCE
#define _XOPEN_SOURCE 700
#endif
#include "record/tick.h"

#include <fcntl.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static int64_t unix_ns(void)
{
	struct timespec t = {0};

	(void)clock_gettime(CLOCK_REALTIME, &t);
	return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

/* Of several tries the one during which the least time passed: a thread may be put aside between two clocks. */
void ts_tick_wall(int64_t *ret_unix_ns, int64_t *ret_tick_ns)
{
	int64_t best = INT64_MAX;

	for (int i = 0; i < 5; i++) {
		int64_t before = ts_tick_ns(), wall = unix_ns(), after = ts_tick_ns();

		if (after - before >= best)
			continue;
		best = after - before;
		*ret_unix_ns = wall;
		*ret_tick_ns = before + (after - before) / 2;
	}
}

void ts_tick_token(uint8_t token[16])
{
	int64_t now = ts_tick_ns(), wall = unix_ns() ^ (int64_t)getpid() << 40;
	int fd = open("/dev/urandom", O_RDONLY | O_CLOEXEC);
	ssize_t n = fd < 0 ? -1 : read(fd, token, 16);

	if (fd >= 0)
		(void)close(fd);
	if (n == 16)
		return;
	memcpy(token, &now, 8);
	memcpy(token + 8, &wall, 8);
}

uint32_t ts_tick_process(void)
{
	return (uint32_t)getpid();
}
