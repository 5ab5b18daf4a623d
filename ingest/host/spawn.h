/* spawn.h - runs a program and takes what it prints, with a time limit.
 *
 * No shell; stdin and stderr are /dev/null; signals are unblocked; LC_ALL=C. The program and what it started are killed
 * when the time is over or take() refuses more. Threads: safe.
 */
#ifndef TSCOPE_INGEST_HOST_SPAWN_H
#define TSCOPE_INGEST_HOST_SPAWN_H

#include "base/buf.h"

/* argv[0] is looked for in PATH. TS_NOT_FOUND: there is no such program. TS_DEADLINE. TS_IO: it failed (exit status not 0).
 * take gets the output as it comes; false ends it (TS_TOO_LARGE). */
enum ts_status ts_spawn(const char *const argv[], int64_t limit_ns, bool (*take)(void *ctx, struct ts_span bytes),
			void *ctx, struct ts_error *err);
/* The whole output; TS_TOO_LARGE over out's ceiling. */
enum ts_status ts_spawn_output(const char *const argv[], int64_t limit_ns, struct ts_buf *out, struct ts_error *err);

#endif
