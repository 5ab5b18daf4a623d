/* mlflow_db.h - reads MLflow's database, mlflow.db: tables runs, experiments, metrics, params, tags. Each run is a part.
 *
 * libsqlite3 reads it. A program that was built without libsqlite3 (mlflow_db_none.c) recognises a database and refuses it with
 * that reason. The file is opened read-only. There is one query per metric, so that a training that writes to the database
 * never waits for longer than one query. Nothing that the database defines is executed: no trigger, no view, no virtual table,
 * no function in a schema. Source: mlflow/store/tracking/dbmodels/models.py.
 */
#ifndef TSCOPE_INGEST_MLFLOW_MLFLOW_DB_H
#define TSCOPE_INGEST_MLFLOW_MLFLOW_DB_H

#include "ingest/core/reader.h"

extern const bool ts_mlflow_db_built;
int ts_mlflow_db_sniff(const char *path);
/* Lists the runs that were not deleted and whose experiment was not deleted, in the order in which they began, and counts the
 * others. */
enum ts_status ts_mlflow_db_parts(const char *path, struct ts_arena *arena, struct ts_reader_part **ret_parts, size_t *ret_n,
				  size_t *ret_deleted, struct ts_error *err);
/* Reads the run whose run_uuid is options->part, which may be NULL if there is only one run. */
enum ts_status ts_mlflow_db_read(const struct ts_ingest_options *options, ts_object_sink *sink, void *ctx, struct ts_arena *arena,
				 struct ts_ingest_result *ret_result, struct ts_error *err);

#endif
