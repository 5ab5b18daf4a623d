/* cpu_linux.c - waits for a CPU from the thread's schedstat in /proc: ns on a CPU, ns in the queue, times on a CPU. */
#ifndef _XOPEN_SOURCE
#define _XOPEN_SOURCE 700
#endif
#include "record/cpu.h"

#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

int ts_cpu_open(void)
{
	return open("/proc/thread-self/schedstat", O_RDONLY | O_CLOEXEC);
}

bool ts_cpu_waited(int fd, int64_t *ret_ns)
{
	char text[96], *second, *end;
	ssize_t n = pread(fd, text, sizeof text - 1, 0);
	int64_t waited;

	if (n <= 0)
		return false;
	text[n] = '\0';
	(void)strtoll(text, &second, 10);
	waited = strtoll(second, &end, 10);
	if (second == text || end == second || waited < 0)
		return false;
	*ret_ns = waited;
	return true;
}
