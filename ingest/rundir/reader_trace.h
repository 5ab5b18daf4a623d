/* reader_trace.h - a trace of torch's profiler that lies alone, a snapshot of memory, or a folder of them: a run without steps.
 *
 * A file is a run of one rank. The files of a folder are one run: each belongs to the rank that it names itself, else to that in its
 * name; one that has neither to the job where others do, and to rank 0 where none does. Threads: any.
 */
#ifndef TSCOPE_INGEST_RUNDIR_READER_TRACE_H
#define TSCOPE_INGEST_RUNDIR_READER_TRACE_H

#include "ingest/core/reader.h"

int ts_trace_reader_sniff(const char *path);
/* A folder that has both is one of traces. */
int ts_snapshot_reader_sniff(const char *path);
enum ts_status ts_trace_reader_read(const struct ts_ingest_options *options, ts_object_sink *sink, void *ctx, struct ts_arena *arena,
				    struct ts_ingest_result *ret_result, struct ts_error *err);

#endif
