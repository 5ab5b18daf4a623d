/* spawn.h - runs a program with a time limit and takes its output.
 *
 * The program runs without a shell, with stdin and stderr as /dev/null, signals unblocked and LC_ALL=C. It and the processes
 * that it started are killed when the time is over or take() refuses more. Threads: safe.
 */
#ifndef TSCOPE_INGEST_HOST_SPAWN_H
#define TSCOPE_INGEST_HOST_SPAWN_H

#include "base/buf.h"

/* argv[0] is searched in PATH. take gets the output as it comes; if it returns false, the program is ended (TS_TOO_LARGE).
 * TS_NOT_FOUND: there is no such program. TS_DEADLINE: the time is over. TS_IO: the program failed (exit status not 0). */
enum ts_status ts_spawn(const char *const argv[], int64_t limit_ns, bool (*take)(void *ctx, struct ts_span bytes),
			void *ctx, struct ts_error *err);
/* Takes the whole output into out; TS_TOO_LARGE if it exceeds the limit of out. */
enum ts_status ts_spawn_output(const char *const argv[], int64_t limit_ns, struct ts_buf *out, struct ts_error *err);

#endif
