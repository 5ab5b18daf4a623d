/* launch_beside.h - a process beside a training: it is told to stop through one pipe, and says a last text through another.
 *
 * It ignores what a terminal or a user sends, holds none of the terminal's files open, and gives way to the training (nice 10).
 * Threads: one.
 */
#ifndef TSCOPE_CLI_VERBS_LAUNCH_BESIDE_H
#define TSCOPE_CLI_VERBS_LAUNCH_BESIDE_H

#include "base/error.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct ts_beside {
	int stop, told; /* to the process, and from it; -1: there is none */
	int64_t pid;
};

#define TS_BESIDE_NONE ((struct ts_beside){-1, -1, 0})

/* What the process does, until something comes out of stop. Returns its last text, which need not be freed. */
typedef const char *ts_beside_fn(void *ctx, int stop);

enum ts_status ts_beside_begin(struct ts_beside *ret, ts_beside_fn *work, void *ctx, struct ts_error *err);
/* Tells the process to stop, and waits wait_ms at most for its last text, which is cut at size - 1 bytes. False: nothing came; text is
 * empty then. The process is neither ended nor waited for, and *io becomes none. */
bool ts_beside_end(struct ts_beside *io, int wait_ms, char *text, size_t size);

#endif
