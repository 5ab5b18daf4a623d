/* cpu_posix.c - POSIX does not say how long a thread waits for a CPU. */
#include "record/cpu.h"

int ts_cpu_open(void)
{
	return -1;
}

bool ts_cpu_waited(int fd, int64_t *ret_ns)
{
	(void)fd;
	(void)ret_ns;
	return false;
}
