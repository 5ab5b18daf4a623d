/* reader_trackio.h - reads trackio's databases: PROJECT.db, in which each run is FILE#RUN_ID, or FILE#RUN_NAME of versions that had no
 * ids.
 *
 * Source: trackio 0.43, sqlite_storage.py (tables metrics, configs). A record of metrics is a row of JSON. Where tscope was built
 * without SQLite, trackio_none.c takes the place of reader_trackio.c, and refuses the database with that reason.
 */
#ifndef TSCOPE_INGEST_TRACKERS_READER_TRACKIO_H
#define TSCOPE_INGEST_TRACKERS_READER_TRACKIO_H

#include "ingest/core/reader.h"

extern const char ts_trackio_loses[];
int ts_trackio_sniff(const char *path);
enum ts_status ts_trackio_parts(const char *path, struct ts_arena *arena, struct ts_reader_part **ret_parts, size_t *ret_n,
			       size_t *ret_deleted, struct ts_error *err);
enum ts_status ts_trackio_read(const struct ts_ingest_options *options, ts_object_sink *sink, void *ctx, struct ts_arena *arena,
			       struct ts_ingest_result *ret_result, struct ts_error *err);

#endif
