/* reader_comet.h - reads the archive that Comet's SDK writes offline: <id>.zip, with messages.json and experiment.json.
 *
 * messages.json has a message a line. Source: comet_ml 3.58, messages.py (metric_msg, parameter_msg, log_other), offline.py.
 */
#ifndef TSCOPE_INGEST_TRACKERS_READER_COMET_H
#define TSCOPE_INGEST_TRACKERS_READER_COMET_H

#include "ingest/core/reader.h"

extern const char ts_comet_loses[];
int ts_comet_sniff(const char *path);
enum ts_status ts_comet_read(const struct ts_ingest_options *options, ts_object_sink *sink, void *ctx, struct ts_arena *arena,
			     struct ts_ingest_result *ret_result, struct ts_error *err);

#endif
