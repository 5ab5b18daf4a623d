/* ingest.h - turns the files that a training leaves on disk into a run: it gives objects to a sink and returns the id of their
 * head.
 *
 *	struct ts_ingest_options options = {.path = "runs/exp1"};
 *	ts_ingest(&options, sink, ctx, &arena, &result, err)
 *
 * The table of readers (readers.h) recognises the format of the path. Objects reach the sink children first, the head last. A first
 * pass assumes that steps only increase. Where they go back (a restart), reading starts over: a second pass finds the segments and
 * merges them by step. The objects that the abandoned pass gave to the sink are garbage, which gc removes. Memory use is a window,
 * whatever the length of the input.
 *
 * Errors name file and line: TS_NOT_FOUND, TS_INVALID (not a run, or strict is set and something would be skipped), TS_TOO_LARGE,
 * TS_IO. Results lie in the arena. Threads: one call per thread.
 */
#ifndef TSCOPE_INGEST_INGEST_H
#define TSCOPE_INGEST_INGEST_H

#include "ingest/core/reader.h"

enum ts_status ts_ingest(const struct ts_ingest_options *options, ts_object_sink *sink, void *ctx,
			 struct ts_arena *arena, struct ts_ingest_result *ret_result, struct ts_error *err);

#endif
