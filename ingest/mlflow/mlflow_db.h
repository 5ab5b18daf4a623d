/* mlflow_db.h - MLflow's database, mlflow.db: tables runs, experiments, metrics, params, tags; each run is a part.
 *
 * Read by libsqlite3, which the program may have been built without (mlflow_db_none.c): then a database is recognised and
 * refused with that reason. The file is opened for reading only; a query ends with each metric, so that who trains waits no
 * longer than for one. Nothing that the database itself brings is executed: no trigger, no view, no virtual table, no function
 * of a schema. Source: mlflow/store/tracking/dbmodels/models.py.
 */
#ifndef TSCOPE_INGEST_MLFLOW_MLFLOW_DB_H
#define TSCOPE_INGEST_MLFLOW_MLFLOW_DB_H

#include "ingest/core/reader.h"

extern const bool ts_mlflow_db_built;
int ts_mlflow_db_sniff(const char *path);
/* Those that were not deleted, nor their experiment, in the order in which they began. */
enum ts_status ts_mlflow_db_parts(const char *path, struct ts_arena *arena, char ***ret_parts, size_t *ret_n, struct ts_error *err);
/* options->part: run_uuid; NULL where there is one run. */
enum ts_status ts_mlflow_db_read(const struct ts_ingest_options *options, ts_object_sink *sink, void *ctx, struct ts_arena *arena,
				 struct ts_ingest_result *ret_result, struct ts_error *err);

#endif
