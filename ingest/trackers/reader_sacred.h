/* reader_sacred.h - reads the folder of a run that sacred's FileStorageObserver writes: run.json, config.json, metrics.json.
 *
 * Times are UTC without a zone. Source: sacred 0.8.7, observers/file_storage.py, metrics_logger.py.
 */
#ifndef TSCOPE_INGEST_TRACKERS_READER_SACRED_H
#define TSCOPE_INGEST_TRACKERS_READER_SACRED_H

#include "ingest/core/reader.h"

extern const char ts_sacred_loses[];
int ts_sacred_sniff(const char *path);
enum ts_status ts_sacred_read(const struct ts_ingest_options *options, ts_object_sink *sink, void *ctx, struct ts_arena *arena,
			      struct ts_ingest_result *ret_result, struct ts_error *err);

#endif
