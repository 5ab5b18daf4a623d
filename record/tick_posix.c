/* tick_posix.c - the clock by POSIX alone. */
#ifndef _XOPEN_SOURCE
#define _XOPEN_SOURCE 700
#endif
#include "record/tick.h"

#include <time.h>

int64_t ts_tick_ns(void)
{
	struct timespec t = {0};

	(void)clock_gettime(CLOCK_MONOTONIC, &t);
	return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

void ts_tick_follow(void)
{
}
