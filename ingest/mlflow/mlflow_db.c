#include "ingest/mlflow/mlflow_db.h"

#include "base/limits.h"
#include "base/text.h"
#include "ingest/formats/sqlite_file.h"
#include "ingest/mlflow/mlflow_run.h"

#include <float.h>
#include <math.h>
#include <stdio.h>

enum {
	SURE = 60,
	TELL_ROWS = 1 << 17,
};

const bool ts_mlflow_db_built = true;

/* One run of a database. */
struct base {
	const struct ts_ingest_options *options;
	struct ts_arena *arena;
	struct ts_notices notices;
	struct ts_mlflow_run run;
	sqlite3 *db;
	const char *part;
	uint64_t bytes_read, bytes_total, rows, rows_total;
};

static const char *const tables[] = {"runs", "experiments", "metrics", "params", "tags", NULL};

static enum ts_status check_tables(sqlite3 *db, const char *path, struct ts_error *err)
{
	return ts_sqlite_tables(db, path, "MLflow", tables, err);
}

static bool is_called_mlflow(const char *path)
{
	const char *slash = strrchr(path, '/');

	return strncmp(slash ? slash + 1 : path, "mlflow", 6) == 0;
}

int ts_mlflow_db_sniff(const char *path)
{
	uint8_t header[TS_SQLITE_HEADER];
	uint64_t size;
	struct ts_arena arena;
	struct ts_error err = {.status = TS_OK};
	sqlite3 *db;
	int sure = 0;

	if (!ts_sqlite_header(path, path, header, &size))
		return 0;
	if (is_called_mlflow(path))
		return SURE; /* reading it later reports what is wrong with it */
	ts_arena_init(&arena, 0);
	if (!ts_sqlite_open(path, path, &arena, &db, &err)) {
		(void)sqlite3_busy_timeout(db, 0);
		/* A locked database may be MLflow's. The reader later waits for it, and reports that. */
		sure = !check_tables(db, path, &err) || err.status == TS_UNAVAILABLE ? SURE : 0;
		(void)sqlite3_close(db);
	}
	if (err.status == TS_NO_MEMORY)
		sure = TS_SNIFF_NO_MEMORY;
	ts_arena_finish(&arena);
	return sure;
}

/* --- which runs --- */

/* The id becomes a name, and stands behind FILE#. */
static bool is_id(struct ts_span id)
{
	for (size_t i = 0; i < id.len; i++)
		if (!ts_is_digit(id.data[i]) && !ts_is_alpha(id.data[i]) && id.data[i] != '-' && id.data[i] != '_')
			return false;
	return id.len > 0 && id.len <= TS_NAME_MAX / 2;
}

static enum ts_status add_part(struct ts_span id, struct ts_span name, struct ts_arena *arena, struct ts_reader_part **parts, size_t *n,
			       size_t *cap, struct ts_error *err)
{
	if (!is_id(id))
		return ts_error_set(
			err, TS_INVALID,
			"a run_uuid in the table runs is not an id, which has letters, digits, - and _, at most %d",
			TS_NAME_MAX / 2);
	return ts_reader_add_part(id, ts_utf8_valid(name) ? name : ts_span_of(NULL, 0), arena, parts, n, cap, err);
}

static enum ts_status count_runs(sqlite3 *db, const char *path, size_t *ret_n, struct ts_error *err)
{
	sqlite3_stmt *query = ts_sqlite_prepare(db, path, "SELECT count(*) FROM runs", NULL, err);
	enum ts_status status = TS_OK;

	if (!query)
		return err->status;
	*ret_n = ts_sqlite_next(query, path, &status, err) ? (size_t)sqlite3_column_int64(query, 0) : 0;
	(void)sqlite3_finalize(query);
	return status;
}

static enum ts_status list_parts(sqlite3 *db, const char *path, struct ts_arena *arena, struct ts_reader_part **ret_parts,
				 size_t *ret_n, struct ts_error *err)
{
	static const char sql[] = "SELECT run_uuid, name FROM runs WHERE lifecycle_stage IS NOT 'deleted' AND experiment_id NOT IN "
				  "(SELECT experiment_id FROM experiments WHERE lifecycle_stage = 'deleted') "
				  "ORDER BY start_time, run_uuid";
	sqlite3_stmt *query;
	enum ts_status status = TS_OK;
	size_t cap = 0;

	*ret_parts = NULL;
	*ret_n = 0;
	query = ts_sqlite_prepare(db, path, sql, NULL, err);
	if (!query)
		return err->status;
	while (ts_sqlite_next(query, path, &status, err))
		if (add_part(ts_sqlite_text(query, 0), ts_sqlite_text(query, 1), arena, ret_parts, ret_n, &cap, err))
			status = ts_error_prefix(err, "%s", path);
	(void)sqlite3_finalize(query);
	return status;
}

enum ts_status ts_mlflow_db_parts(const char *path, struct ts_arena *arena, struct ts_reader_part **ret_parts, size_t *ret_n,
				  size_t *ret_deleted, struct ts_error *err)
{
	sqlite3 *db;
	struct ts_reader_part *parts;
	size_t n, all = 0;
	enum ts_status status;

	if (ts_sqlite_open(path, path, arena, &db, err))
		return err->status;
	status = check_tables(db, path, err);
	if (!status)
		status = list_parts(db, path, arena, &parts, &n, err);
	if (!status)
		status = count_runs(db, path, &all, err);
	(void)sqlite3_close(db);
	if (status)
		return status;
	if (n == 0 && all > 0)
		return ts_error_set(err, TS_INVALID, "%s: all runs of this database of MLflow, %zu, are deleted", path, all);
	if (n == 0)
		return ts_error_set(err, TS_INVALID, "%s: this database of MLflow has no run", path);
	*ret_parts = parts;
	*ret_n = n;
	*ret_deleted = all > n ? all - n : 0; /* another process may write in between */
	return TS_OK;
}

static enum ts_status choose_part(struct base *b, struct ts_error *err)
{
	struct ts_reader_part *parts;
	size_t n;

	b->part = b->options->part;
	if (b->part)
		return TS_OK;
	if (list_parts(b->db, b->options->path, b->arena, &parts, &n, err))
		return err->status;
	if (n != 1)
		return ts_error_set(err, TS_INVALID, "%s: there are %zu runs; give one of them as %s#RUN_ID",
				    b->options->path, n, b->options->path);
	b->part = parts[0].id;
	return TS_OK;
}

/* --- one run --- */

static void tell(struct base *b, const char *code, enum ts_notice_level level, const char *table, const char *what)
{
	ts_notice_add(&b->notices, code, level, ts_span_str(table), 0, what);
}

/* Returns milliseconds. NULL gives 0, and so does any other type, with a notice. */
static int64_t time_at(struct base *b, sqlite3_stmt *query, int i)
{
	int type = sqlite3_column_type(query, i);

	if (type == SQLITE_INTEGER)
		return sqlite3_column_int64(query, i);
	if (type != SQLITE_NULL)
		tell(b, "bad_meta", TS_NOTICE_SKIPPED, "runs", "a time that is not a number of milliseconds");
	return 0;
}

static enum ts_status take_record(struct base *b, sqlite3_stmt *query, struct ts_error *err)
{
	struct ts_mlflow_run *run = &b->run;
	struct ts_span *const texts[] = {&run->id, &run->name, &run->user, &run->source, &run->experiment, &run->experiment_id};

	for (int i = 0; i < (int)(sizeof texts / sizeof texts[0]); i++) {
		*texts[i] = ts_arena_span(b->arena, ts_sqlite_text(query, i));
		if (!texts[i]->data)
			return ts_arena_error(b->arena, err);
	}
	run->status = ts_mlflow_status_of(ts_sqlite_text(query, 6));
	if (run->status == TS_MLFLOW_UNKNOWN)
		tell(b, "bad_meta", TS_NOTICE_SKIPPED, "runs", "a status that MLflow does not have");
	run->started_ms = time_at(b, query, 7);
	run->ended_ms = time_at(b, query, 8);
	return TS_OK;
}

static enum ts_status read_record(struct base *b, struct ts_error *err)
{
	static const char sql[] =
		"SELECT r.run_uuid, r.name, r.user_id, r.source_name, e.name, r.experiment_id, r.status, r.start_time, r.end_time "
		"FROM runs r LEFT JOIN experiments e ON e.experiment_id = r.experiment_id WHERE r.run_uuid = ?1";
	sqlite3_stmt *query;
	enum ts_status status = TS_OK;
	bool there;

	query = ts_sqlite_prepare(b->db, b->options->path, sql, b->part, err);
	if (!query)
		return err->status;
	there = ts_sqlite_next(query, b->options->path, &status, err);
	if (there)
		status = take_record(b, query, err);
	else if (!status)
		status = ts_error_set(err, TS_NOT_FOUND, "%s: there is no run %s", b->options->path, b->part);
	(void)sqlite3_finalize(query);
	return status;
}

static enum ts_status read_pairs(struct base *b, const char *sql, bool tags, struct ts_error *err)
{
	sqlite3_stmt *query;
	enum ts_status status = TS_OK;

	query = ts_sqlite_prepare(b->db, b->options->path, sql, b->part, err);
	if (!query)
		return err->status;
	while (ts_sqlite_next(query, b->options->path, &status, err)) {
		struct ts_span key = ts_sqlite_text(query, 0), value = ts_sqlite_text(query, 1);

		b->bytes_read += key.len + value.len;
		if (tags)
			status = ts_mlflow_tag(&b->run, key, value, err);
		else
			ts_mlflow_param(&b->run, key, value);
	}
	(void)sqlite3_finalize(query);
	return status;
}

static enum ts_status read_keys(struct base *b, struct ts_error *err)
{
	static const char sql[] = "SELECT key, count(*) FROM metrics WHERE run_uuid = ?1 GROUP BY key";
	sqlite3_stmt *query;
	enum ts_status status = TS_OK;

	query = ts_sqlite_prepare(b->db, b->options->path, sql, b->part, err);
	if (!query)
		return err->status;
	while (ts_sqlite_next(query, b->options->path, &status, err)) {
		uint64_t n = (uint64_t)sqlite3_column_int64(query, 1);

		b->rows_total += n;
		status = ts_mlflow_metric(&b->run, ts_sqlite_text(query, 0), ts_span_of(NULL, 0), n, err);
	}
	(void)sqlite3_finalize(query);
	return status;
}

/* --- metrics --- */

/* MLflow writes infinities as the largest doubles, and NaN as a 0 with a mark. */
static bool value_at(sqlite3_stmt *query, double *ret)
{
	int type = sqlite3_column_type(query, 0);
	double value = sqlite3_column_double(query, 0);

	if (sqlite3_column_int(query, 3) != 0)
		value = (double)NAN;
	else if (type != SQLITE_FLOAT && type != SQLITE_INTEGER)
		return false;
	else if (value >= DBL_MAX || value <= -DBL_MAX)
		value = value > 0 ? (double)INFINITY : -(double)INFINITY;
	*ret = value;
	return true;
}

static enum ts_status take_metric(struct base *b, const struct ts_mlflow_metric *metric, sqlite3_stmt *query, struct ts_error *err)
{
	double value;
	int64_t time_ms = sqlite3_column_type(query, 1) == SQLITE_INTEGER ? sqlite3_column_int64(query, 1) : 0;

	b->bytes_read += 24;
	if (++b->rows % TELL_ROWS == 0 && b->options->progress &&
	    !b->options->progress(b->options->progress_ctx, b->rows * 24, b->rows_total * 24))
		return ts_error_set(err, TS_CANCELLED, "stopped");
	if (!value_at(query, &value) || sqlite3_column_type(query, 2) != SQLITE_INTEGER) {
		tell(b, "bad_metric", TS_NOTICE_SKIPPED, "metrics", "a value or a step that is not a number");
		return TS_OK;
	}
	return ts_mlflow_value(&b->run, metric, time_ms, sqlite3_column_int64(query, 2), value, err);
}

static enum ts_status read_metric(struct base *b, const struct ts_mlflow_metric *metric, struct ts_error *err)
{
	/* Of several values of a step, the last one counts. MLflow takes the latest, then the largest. */
	static const char sql[] =
		"SELECT value, timestamp, step, is_nan FROM metrics WHERE run_uuid = ?1 AND key = ?2 ORDER BY step, timestamp, value";
	const char *path = b->options->path;
	sqlite3_stmt *query;
	enum ts_status status = TS_OK;

	query = ts_sqlite_prepare(b->db, path, sql, b->part, err);
	if (!query)
		return err->status;
	if (sqlite3_bind_text(query, 2, (const char *)metric->key.data, (int)metric->key.len, SQLITE_STATIC))
		status = ts_sqlite_error(b->db, path, err);
	while (ts_sqlite_next(query, path, &status, err))
		status = take_metric(b, metric, query, err);
	(void)sqlite3_finalize(query);
	return status;
}

static enum ts_status feed(void *ctx, struct ts_rows *rows, struct ts_error *err)
{
	struct base *b = ctx;

	b->rows = 0;
	if (ts_mlflow_begin(&b->run, rows, err))
		return err->status;
	for (size_t i = 0; i < b->run.n_metrics; i++)
		if (read_metric(b, ts_mlflow_nth(&b->run, i), err))
			return err->status;
	return TS_OK;
}

static enum ts_status read_run(struct base *b, ts_object_sink *sink, void *ctx, struct ts_ingest_result *ret_result,
			       struct ts_error *err)
{
	struct ts_import import = {.format = "MLflow database",
				   .rows = {.feed = feed, .ctx = b, .unordered = true},
				   .facts = ts_mlflow_facts,
				   .ctx = &b->run,
				   .finished = ts_mlflow_finished};

	if (ts_sqlite_open(ts_top(b->options), b->options->path, b->arena, &b->db, err) || check_tables(b->db, b->options->path, err) ||
	    choose_part(b, err) || read_record(b, err) ||
	    read_pairs(b, "SELECT key, value FROM params WHERE run_uuid = ?1 ORDER BY key", false, err) ||
	    read_pairs(b, "SELECT key, value FROM tags WHERE run_uuid = ?1 ORDER BY key", true, err) || read_keys(b, err))
		return err->status;
	return ts_import_run(&import, b->options, sink, ctx, &b->notices, &b->bytes_read, b->arena, ret_result, err);
}

enum ts_status ts_mlflow_db_read(const struct ts_ingest_options *options, ts_object_sink *sink, void *ctx, struct ts_arena *arena,
				 struct ts_ingest_result *ret_result, struct ts_error *err)
{
	struct base b = {.options = options, .arena = arena, .notices = {.arena = arena}};
	enum ts_status status;

	ts_mlflow_init(&b.run, arena, &b.notices);
	status = read_run(&b, sink, ctx, ret_result, err);
	ts_mlflow_finish(&b.run);
	(void)sqlite3_close(b.db);
	return status;
}
