/* reader_dvclive.h - reads dvclive's folder: one series in each plots/metrics/<name>.tsv, with metrics.json and params.yaml
 * beside. */
#ifndef TSCOPE_INGEST_LOGS_READER_DVCLIVE_H
#define TSCOPE_INGEST_LOGS_READER_DVCLIVE_H

#include "ingest/core/reader.h"

extern const char ts_dvclive_loses[];
int ts_dvclive_sniff(const char *path);
enum ts_status ts_dvclive_read(const struct ts_ingest_options *options, ts_object_sink *sink, void *ctx, struct ts_arena *arena,
			       struct ts_ingest_result *ret_result, struct ts_error *err);

#endif
