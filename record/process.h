/* process.h - a process of its own for the keeper, where the system has what it takes (process_linux.c), or none (process_posix.c).
 *
 * Threads: safe.
 */
#ifndef TSCOPE_RECORD_PROCESS_H
#define TSCOPE_RECORD_PROCESS_H

#include <stdbool.h>
#include <stdint.h>

enum { TS_PROCESS_FIRST = 3 }; /* the descriptor that is the first of those which are handed over */

/* Starts the program as a process that is no child of this one. It has all signals blocked, and its standard streams are /dev/null.
 * `descriptors` become TS_PROCESS_FIRST and those behind it. Returns 0 or errno. */
int ts_process_start(const char *program, const char *title, const int *descriptors, int n);

/* Writes a byte into a link (a socket that does not block) for the keeper to wake up. Returns false with errno; nobody at its other
 * end is EPIPE there, and no signal. */
bool ts_process_wake(int link);

/* In the new process: leaves the group, the session and the terminal of training, and closes all but the first n descriptors that were
 * handed over. */
void ts_process_detach(int n);
/* A descriptor that is ready to read when the process has ended; -1: ask ts_process_lives now and then. */
int ts_process_watch(uint32_t process);
bool ts_process_lives(uint32_t process);
/* Whether the process still has memory of ts_disk_memory: it has not become another program. */
bool ts_process_has_memory(uint32_t process);

#endif
