/* witness.h - what the system tells of processes that it ended or that sent a signal: by /proc and control groups (witness_linux.c), or
 * nothing (witness_posix.c). Threads: any.
 */
#ifndef TSCOPE_LAUNCH_WITNESS_H
#define TSCOPE_LAUNCH_WITNESS_H

#include "base/span.h"

#include <sys/types.h>

enum { TS_WITNESS_NAME = 64, TS_WITNESS_LINE = 256 };

/* How many processes were killed since some beginning because memory ran out, in the control group of this process and those in it, or
 * where that does not tell, on the machine. -1: not known. */
int64_t ts_witness_oom_kills(void);
/* The name of a process; false: it has ended, or nobody tells. */
bool ts_witness_name(pid_t pid, char ret_name[TS_WITNESS_NAME]);
/* The line of the kernel's log that says that it killed this process for want of memory; false: none does, or it may not be read. */
bool ts_witness_oom_line(pid_t pid, char ret_line[TS_WITNESS_LINE]);

#endif
