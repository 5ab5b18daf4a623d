/* reader_dvclive.h - reads folders that have a file for each series.
 *
 *	dvclive		plots/metrics/<name>.tsv, with metrics.json and params.yaml beside plots
 *	DeepSpeed	<name>.csv, whose columns are the step and the last part of the name, as its csv_monitor writes them: a series
 *			Train/Samples/lr is in Train_Samples_lr.csv. A header that comes again, as after a restart, is passed over, and
 *			of two values at one step the last counts. Source: DeepSpeed 0.19, deepspeed/monitor/csv_monitor.py
 */
#ifndef TSCOPE_INGEST_LOGS_READER_DVCLIVE_H
#define TSCOPE_INGEST_LOGS_READER_DVCLIVE_H

#include "ingest/core/reader.h"

extern const char ts_dvclive_loses[];
int ts_dvclive_sniff(const char *path);
enum ts_status ts_dvclive_read(const struct ts_ingest_options *options, ts_object_sink *sink, void *ctx, struct ts_arena *arena,
			       struct ts_ingest_result *ret_result, struct ts_error *err);

int ts_deepspeed_sniff(const char *path);
enum ts_status ts_deepspeed_read(const struct ts_ingest_options *options, ts_object_sink *sink, void *ctx, struct ts_arena *arena,
				 struct ts_ingest_result *ret_result, struct ts_error *err);

#endif
