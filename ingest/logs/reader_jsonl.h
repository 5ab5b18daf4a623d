/* reader_jsonl.h - reads a file *.jsonl or *.ndjson whose lines are JSON objects with a step.
 *
 * Any tool may have written it; log_table.h says how its names become columns. */
#ifndef TSCOPE_INGEST_LOGS_READER_JSONL_H
#define TSCOPE_INGEST_LOGS_READER_JSONL_H

#include "ingest/core/reader.h"

extern const char ts_jsonl_loses[];
int ts_jsonl_sniff(const char *path);
enum ts_status ts_jsonl_read(const struct ts_ingest_options *options, ts_object_sink *sink, void *ctx, struct ts_arena *arena,
			     struct ts_ingest_result *ret_result, struct ts_error *err);

#endif
