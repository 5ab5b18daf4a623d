/* nsys_read.h - reads what `nsys export --type sqlite` writes: kernels, copies, fills, calls, waits and NVTX ranges, as a trace.
 *
 *	if (ts_nsys_is(path))
 *		ts_nsys_load(path, &reading, &trace, &file, err)
 *	... as of ts_trace_load (ingest/trace/trace_read.h) ...
 *
 * The file is foreign: it is opened read-only, without its code (ingest/formats/sqlite_file.h), and a query whose steps are out of all
 * proportion to the size of the file is stopped. Tables and columns that a version does not have are not said. A row without its times
 * costs itself and is counted, and so does a name of more than 4 MiB. Calls are numbered in each process by itself: correlations of
 * the first process are as the file has them, and those of others have the process in front. Threads: one at a time.
 */
#ifndef TSCOPE_INGEST_NSYS_NSYS_READ_H
#define TSCOPE_INGEST_NSYS_NSYS_READ_H

#include "ingest/trace/trace_read.h"

/* Whether the file is a database that has a table of what devices did, or of NVTX. Of one that SQLite cannot be asked about (cut,
 * locked, a link beside it, no SQLite) its first bytes tell, and ts_nsys_load says why it cannot be read. */
bool ts_nsys_is(const char *path);
/* reading: notices and columns_most count. TS_INVALID: it is no such file, or takes too many steps; TS_UNSUPPORTED without SQLite. On
 * failure nothing is to be freed. */
enum ts_status ts_nsys_load(const char *path, const struct ts_trace_reading *reading, struct ts_trace *ret_trace,
			    struct ts_trace_file *ret_file, struct ts_error *err);

#endif
