/* reader_swanlab.h - reads SwanLab's log: run-<id>.swanlab, or the folder run-... that has it.
 *
 * Its frames are those of a .wandb file, with another beginning; a record is a protobuf message.
 * Source: swanlab 0.10, sdk/internal/core_python/store, proto/swanlab/record/v1.
 */
#ifndef TSCOPE_INGEST_TRACKERS_READER_SWANLAB_H
#define TSCOPE_INGEST_TRACKERS_READER_SWANLAB_H

#include "ingest/core/reader.h"

extern const char ts_swanlab_loses[];
int ts_swanlab_sniff(const char *path);
enum ts_status ts_swanlab_read(const struct ts_ingest_options *options, ts_object_sink *sink, void *ctx, struct ts_arena *arena,
			       struct ts_ingest_result *ret_result, struct ts_error *err);

#endif
