/* ingest.h - from what training leaves on disk to a run: objects for a sink, and the id of their head.
 *
 *	struct ts_ingest_options options = {.path = "runs/exp1"};
 *	ts_ingest(&options, sink, ctx, &arena, &result, err)
 *
 * The path is recognised by the table of readers (reader.h); today: pytscope run directories and their superset
 * (docs/run-directory.md). Objects reach the sink children first, the head last. An optimistic pass assumes that steps
 * only increase; where they go back (a restart) it starts over with a pass that finds the segments, then merges them by
 * step: what the abandoned pass gave to the sink is garbage that gc takes. Memory is a window, whatever the length.
 *
 * Errors name file and line: TS_NOT_FOUND, TS_INVALID (not a run, or --strict and something would be skipped), TS_TOO_LARGE,
 * TS_IO. Results lie in the arena. Threads: one call per thread.
 */
#ifndef TSCOPE_INGEST_INGEST_H
#define TSCOPE_INGEST_INGEST_H

#include "ingest/core/reader.h"

enum ts_status ts_ingest(const struct ts_ingest_options *options, ts_object_sink *sink, void *ctx,
			 struct ts_arena *arena, struct ts_ingest_result *ret_result, struct ts_error *err);

#endif
