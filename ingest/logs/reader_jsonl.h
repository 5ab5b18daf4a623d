/* reader_jsonl.h - reads a file whose lines are JSON objects with a step.
 *
 * It is known by its content, whatever its name: each of the first lines is an object, and they have a step and a name of what
 * trainings measure (log.txt of DeiT, metrics.json of detectron2). A file *.jsonl or *.ndjson needs one known name. Any tool may
 * have written it; log_table.h says how its names become columns. */
#ifndef TSCOPE_INGEST_LOGS_READER_JSONL_H
#define TSCOPE_INGEST_LOGS_READER_JSONL_H

#include "ingest/core/reader.h"

extern const char ts_jsonl_loses[];
int ts_jsonl_sniff(const char *path);
enum ts_status ts_jsonl_read(const struct ts_ingest_options *options, ts_object_sink *sink, void *ctx, struct ts_arena *arena,
			     struct ts_ingest_result *ret_result, struct ts_error *err);

#endif
