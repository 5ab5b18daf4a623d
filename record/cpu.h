/* cpu.h - how long a thread waited for a CPU, as the system counts it: by Linux (cpu_linux.c), or not at all (cpu_posix.c).
 *
 * Threads: safe.
 */
#ifndef TSCOPE_RECORD_CPU_H
#define TSCOPE_RECORD_CPU_H

#include <stdbool.h>
#include <stdint.h>

/* Returns a file descriptor by which any thread asks about the calling one, or -1 where the system does not say. */
int ts_cpu_open(void);
/* The ns for which that thread was ready to run, and did not, since it began. A wait that goes on is not in it. Returns false if the
 * thread has ended. */
bool ts_cpu_waited(int fd, int64_t *ret_ns);

#endif
