/* reader_clearml.h - reads what ClearML's SDK keeps of a task offline: a folder with metrics.jsonl and task.json, or its zip archive.
 *
 * A line of metrics.jsonl is a list of events. Source: clearml 2.1, backend_interface/metrics/interface.py, task/task.py.
 */
#ifndef TSCOPE_INGEST_TRACKERS_READER_CLEARML_H
#define TSCOPE_INGEST_TRACKERS_READER_CLEARML_H

#include "ingest/core/reader.h"

extern const char ts_clearml_loses[];
int ts_clearml_sniff(const char *path);
enum ts_status ts_clearml_read(const struct ts_ingest_options *options, ts_object_sink *sink, void *ctx, struct ts_arena *arena,
			       struct ts_ingest_result *ret_result, struct ts_error *err);

#endif
