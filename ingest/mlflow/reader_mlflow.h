/* reader_mlflow.h - reads MLflow's file store: a run is a directory ROOT/EXPERIMENT/RUN_ID with meta.yaml, metrics/, params/,
 * tags/.
 *
 * metrics/KEY has one line per value, "milliseconds value step"; params/KEY and tags/KEY each hold one value; a slash in a key
 * makes a directory. mlflow_db.h reads MLflow's databases. Source: mlflow/store/tracking/file_store.py.
 */
#ifndef TSCOPE_INGEST_MLFLOW_READER_MLFLOW_H
#define TSCOPE_INGEST_MLFLOW_READER_MLFLOW_H

#include "ingest/core/reader.h"

extern const char ts_mlflow_loses[];
int ts_mlflow_sniff(const char *path);
/* Says the run_name of meta.yaml, which older versions keep in the tag mlflow.runName. */
enum ts_status ts_mlflow_about(const char *path, struct ts_arena *arena, struct ts_run_about *ret_about, struct ts_error *err);
enum ts_status ts_mlflow_read(const struct ts_ingest_options *options, ts_object_sink *sink, void *ctx, struct ts_arena *arena,
			      struct ts_ingest_result *ret_result, struct ts_error *err);

/* Tells discover.h whether to skip an entry of this directory: it belongs to MLflow and holds no run, or deleted ones, which are
 * added to *io_deleted. Fails with TS_NO_MEMORY and TS_TOO_LARGE only. */
enum ts_status ts_mlflow_passes_over(const char *directory, const char *entry, bool *ret_passes_over, size_t *io_deleted,
				     struct ts_error *err);

#endif
