/* mlflow_db_none.c - takes the place of mlflow_db.c where libsqlite3 is not there: it knows MLflow's database and
 * refuses it with the reason. */
#include "ingest/mlflow/mlflow_db.h"

#include "ingest/core/sqlite_none.h"

enum { SURE = 60, SEEN = 1 << 20 };

const bool ts_mlflow_db_built = false;

/* The file is an SQLite database that has the text of MLflow's schema in its first pages. */
int ts_mlflow_db_sniff(const char *path)
{
	static const char *const words[] = {"run_uuid", NULL};

	return ts_sqlite_none_sniff(path, words, SEEN, SURE);
}

enum ts_status ts_mlflow_db_parts(const char *path, struct ts_arena *arena, struct ts_reader_part **ret_parts, size_t *ret_n,
				  size_t *ret_deleted, struct ts_error *err)
{
	(void)arena;
	(void)ret_parts;
	(void)ret_n;
	(void)ret_deleted;
	return ts_sqlite_none_refuse(path, "MLflow", err);
}

enum ts_status ts_mlflow_db_read(const struct ts_ingest_options *options, ts_object_sink *sink, void *ctx, struct ts_arena *arena,
				 struct ts_ingest_result *ret_result, struct ts_error *err)
{
	(void)sink;
	(void)ctx;
	(void)arena;
	(void)ret_result;
	return ts_sqlite_none_refuse(options->path, "MLflow", err);
}
