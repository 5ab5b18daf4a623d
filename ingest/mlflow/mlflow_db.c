#include "ingest/mlflow/mlflow_db.h"

#include "base/file.h"
#include "base/limits.h"
#include "base/text.h"
#include "ingest/mlflow/mlflow_run.h"

#include <float.h>
#include <math.h>
#include <sqlite3.h>
#include <stdio.h>
#include <unistd.h>

enum {
	SURE = 60,
	HEADER = 100,	    /* the size of the SQLite file header in bytes */
	BUSY_MS = 5000,	    /* how long to wait while another process writes */
	CELL_MAX = 4 << 20, /* the largest text or row of the database */
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

/* --- the file --- */

static bool read_header(const char *path, uint8_t header[HEADER], uint64_t *ret_size)
{
	struct ts_error ignored;
	size_t n = 0;
	int fd;

	if (ts_file_kind(path) != TS_FILE_REGULAR || ts_file_open(path, &fd, ret_size, &ignored))
		return false;
	if (ts_pread_full(fd, header, HEADER, 0, &n, &ignored))
		n = 0;
	(void)close(fd);
	return n == HEADER && memcmp(header, "SQLite format 3", 16) == 0;
}

/* Returns whether the file is in WAL mode and has no log beside it. Then no other process has it open, and reading it
 * as an immutable file creates no file beside it. */
static bool lies_still(const char *log, const uint8_t header[HEADER])
{
	return header[18] == 2 && access(log, F_OK) != 0;
}

static enum ts_status sqlite_error(sqlite3 *db, const char *path, struct ts_error *err)
{
	int code = sqlite3_errcode(db) & 0xff;
	enum ts_status status = TS_DAMAGED;

	if (code == SQLITE_NOMEM)
		status = TS_NO_MEMORY;
	else if (code == SQLITE_BUSY || code == SQLITE_LOCKED)
		status = TS_UNAVAILABLE;
	else if (code == SQLITE_CANTOPEN || code == SQLITE_IOERR || code == SQLITE_READONLY)
		status = TS_IO;
	else if (code == SQLITE_ERROR)
		status = TS_INVALID;
	else if (code == SQLITE_INTERRUPT)
		status = TS_CANCELLED;
	return ts_error_set(err, status, "%s: SQLite says: %s", path, sqlite3_errmsg(db));
}

/* Makes "file:PATH?mode=ro". Characters with a meaning in a URI are written as %NN. */
static const char *uri_of(const char *path, bool still, struct ts_arena *arena)
{
	struct ts_buf uri = TS_BUF_INIT(64 << 10);
	struct ts_span text;

	ts_buf_str(&uri, path[0] == '/' ? "file://" : "file:");
	for (const char *c = path; *c; c++) {
		if (strchr("%?#", *c))
			ts_buf_printf(&uri, "%%%02x", (unsigned)(unsigned char)*c);
		else
			ts_buf_char(&uri, *c);
	}
	ts_buf_str(&uri, still ? "?mode=ro&immutable=1" : "?mode=ro");
	text = uri.failed ? (struct ts_span){NULL, 0} : ts_arena_span(arena, ts_buf_view(&uri));
	ts_buf_finish(&uri);
	return (const char *)text.data;
}

/* Makes sure that SQLite runs no code from the database, and that no cell is larger than our limit. */
static void take_care(sqlite3 *db)
{
	sqlite3_extended_result_codes(db, 1);
	(void)sqlite3_db_config(db, SQLITE_DBCONFIG_DEFENSIVE, 1, NULL);
	(void)sqlite3_db_config(db, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, NULL);
	(void)sqlite3_db_config(db, SQLITE_DBCONFIG_ENABLE_TRIGGER, 0, NULL);
	(void)sqlite3_db_config(db, SQLITE_DBCONFIG_ENABLE_VIEW, 0, NULL);
	(void)sqlite3_db_config(db, SQLITE_DBCONFIG_ENABLE_LOAD_EXTENSION, 0, NULL);
	(void)sqlite3_limit(db, SQLITE_LIMIT_LENGTH, CELL_MAX);
	(void)sqlite3_limit(db, SQLITE_LIMIT_ATTACHED, 0);
	(void)sqlite3_busy_timeout(db, BUSY_MS);
	(void)sqlite3_exec(db, "PRAGMA cell_size_check = ON; PRAGMA mmap_size = 0; PRAGMA query_only = ON", NULL, NULL, NULL);
}

static enum ts_status open_base(const char *path, struct ts_arena *arena, sqlite3 **ret_db, struct ts_error *err)
{
	uint8_t header[HEADER];
	uint64_t size;
	sqlite3 *db = NULL;
	const char *log, *uri;
	enum ts_status status;

	if (!read_header(path, header, &size))
		return ts_error_set(err, TS_INVALID, "%s: this is not a SQLite database", path);
	log = ts_arena_printf(arena, "%s-wal", path);
	uri = log ? uri_of(path, lies_still(log, header), arena) : NULL;
	if (!uri)
		return ts_arena_error(arena, err);
	if (sqlite3_open_v2(uri, &db, SQLITE_OPEN_READONLY | SQLITE_OPEN_URI | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_PRIVATECACHE, NULL)) {
		status = db ? sqlite_error(db, path, err) : ts_error_set(err, TS_NO_MEMORY, "%s: out of memory for SQLite", path);
		(void)sqlite3_close(db);
		return status;
	}
	take_care(db);
	*ret_db = db;
	return TS_OK;
}

/* --- queries --- */

/* Prepares a query, and returns NULL if that fails. */
static sqlite3_stmt *prepare(sqlite3 *db, const char *path, const char *sql, const char *part, struct ts_error *err)
{
	sqlite3_stmt *query = NULL;

	if (!sqlite3_prepare_v2(db, sql, -1, &query, NULL) && (!part || !sqlite3_bind_text(query, 1, part, -1, SQLITE_STATIC)))
		return query;
	(void)sqlite_error(db, path, err);
	(void)sqlite3_finalize(query);
	return NULL;
}

/* Moves to the next row. Returns false at the end, and also if it failed: err then has the error. */
static bool next_row(sqlite3_stmt *query, const char *path, enum ts_status *status, struct ts_error *err)
{
	int code;

	if (*status)
		return false;
	code = sqlite3_step(query);
	if (code != SQLITE_ROW && code != SQLITE_DONE)
		*status = sqlite_error(sqlite3_db_handle(query), path, err);
	return code == SQLITE_ROW;
}

/* Returns the cell as text, whatever type it has. The text is valid until the query's next row. */
static struct ts_span text_at(sqlite3_stmt *query, int i)
{
	const void *text = sqlite3_column_text(query, i);

	return text ? ts_span_of(text, (size_t)sqlite3_column_bytes(query, i)) : ts_span_of("", 0);
}

/* Checks that these are real tables of the database: a view or a virtual table would run code. */
static enum ts_status check_tables(sqlite3 *db, const char *path, struct ts_error *err)
{
	static const char sql[] = "SELECT count(*) FROM sqlite_master WHERE type = 'table' AND rootpage > 0 AND name = ?1";
	static const char *const names[] = {"runs", "experiments", "metrics", "params", "tags"};

	for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
		sqlite3_stmt *query;
		enum ts_status status = TS_OK;

		query = prepare(db, path, sql, names[i], err);
		if (!query)
			return err->status;
		if (next_row(query, path, &status, err) && sqlite3_column_int(query, 0) != 1)
			status = ts_error_set(err, TS_INVALID,
					      "%s: this is not a database of MLflow, because it has no table %s", path,
					      names[i]);
		(void)sqlite3_finalize(query);
		if (status)
			return status;
	}
	return TS_OK;
}

static bool is_called_mlflow(const char *path)
{
	const char *slash = strrchr(path, '/');

	return strncmp(slash ? slash + 1 : path, "mlflow", 6) == 0;
}

int ts_mlflow_db_sniff(const char *path)
{
	uint8_t header[HEADER];
	uint64_t size;
	struct ts_arena arena;
	struct ts_error err = {.status = TS_OK};
	sqlite3 *db;
	int sure = 0;

	if (!read_header(path, header, &size))
		return 0;
	if (is_called_mlflow(path))
		return SURE; /* reading it later reports what is wrong with it */
	ts_arena_init(&arena, 0);
	if (!open_base(path, &arena, &db, &err)) {
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

static enum ts_status add_part(struct ts_span id, struct ts_arena *arena, char ***parts, size_t *n, size_t *cap, struct ts_error *err)
{
	if (!is_id(id))
		return ts_error_set(
			err, TS_INVALID,
			"a run_uuid in the table runs is not an id, which has letters, digits, - and _, at most %d",
			TS_NAME_MAX / 2);
	if (*n == TS_READER_PARTS_MAX)
		return ts_error_set(err, TS_TOO_LARGE, "more than %d runs", TS_READER_PARTS_MAX);
	if (*n == *cap) {
		size_t more = *cap ? *cap * 2 : 16;
		char **grown = ts_arena_array(arena, more, sizeof *grown);

		if (!grown)
			return ts_arena_error(arena, err);
		if (*n)
			memcpy(grown, *parts, *n * sizeof *grown);
		*parts = grown;
		*cap = more;
	}
	(*parts)[*n] = ts_arena_printf(arena, "%.*s", TS_SPAN_ARG(id));
	return (*parts)[(*n)++] ? TS_OK : ts_arena_error(arena, err);
}

static enum ts_status count_runs(sqlite3 *db, const char *path, size_t *ret_n, struct ts_error *err)
{
	sqlite3_stmt *query = prepare(db, path, "SELECT count(*) FROM runs", NULL, err);
	enum ts_status status = TS_OK;

	if (!query)
		return err->status;
	*ret_n = next_row(query, path, &status, err) ? (size_t)sqlite3_column_int64(query, 0) : 0;
	(void)sqlite3_finalize(query);
	return status;
}

static enum ts_status list_parts(sqlite3 *db, const char *path, struct ts_arena *arena, char ***ret_parts, size_t *ret_n,
				 struct ts_error *err)
{
	static const char sql[] = "SELECT run_uuid FROM runs WHERE lifecycle_stage IS NOT 'deleted' AND experiment_id NOT IN "
				  "(SELECT experiment_id FROM experiments WHERE lifecycle_stage = 'deleted') "
				  "ORDER BY start_time, run_uuid";
	sqlite3_stmt *query;
	enum ts_status status = TS_OK;
	size_t cap = 0;

	*ret_parts = NULL;
	*ret_n = 0;
	query = prepare(db, path, sql, NULL, err);
	if (!query)
		return err->status;
	while (next_row(query, path, &status, err))
		if (add_part(text_at(query, 0), arena, ret_parts, ret_n, &cap, err))
			status = ts_error_prefix(err, "%s", path);
	(void)sqlite3_finalize(query);
	return status;
}

enum ts_status ts_mlflow_db_parts(const char *path, struct ts_arena *arena, char ***ret_parts, size_t *ret_n, size_t *ret_deleted,
				  struct ts_error *err)
{
	sqlite3 *db;
	char **parts;
	size_t n, all;
	enum ts_status status;

	if (open_base(path, arena, &db, err))
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
	char **parts;
	size_t n;

	b->part = b->options->part;
	if (b->part)
		return TS_OK;
	if (list_parts(b->db, b->options->path, b->arena, &parts, &n, err))
		return err->status;
	if (n != 1)
		return ts_error_set(err, TS_INVALID, "%s: there are %zu runs; give one of them as %s#RUN_ID",
				    b->options->path, n, b->options->path);
	b->part = parts[0];
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
		*texts[i] = ts_arena_span(b->arena, text_at(query, i));
		if (!texts[i]->data)
			return ts_arena_error(b->arena, err);
	}
	run->status = ts_mlflow_status_of(text_at(query, 6));
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

	query = prepare(b->db, b->options->path, sql, b->part, err);
	if (!query)
		return err->status;
	there = next_row(query, b->options->path, &status, err);
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

	query = prepare(b->db, b->options->path, sql, b->part, err);
	if (!query)
		return err->status;
	while (next_row(query, b->options->path, &status, err)) {
		struct ts_span key = text_at(query, 0), value = text_at(query, 1);

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

	query = prepare(b->db, b->options->path, sql, b->part, err);
	if (!query)
		return err->status;
	while (next_row(query, b->options->path, &status, err)) {
		uint64_t n = (uint64_t)sqlite3_column_int64(query, 1);

		b->rows_total += n;
		status = ts_mlflow_metric(&b->run, text_at(query, 0), n, err);
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

	query = prepare(b->db, path, sql, b->part, err);
	if (!query)
		return err->status;
	if (sqlite3_bind_text(query, 2, (const char *)metric->key.data, (int)metric->key.len, SQLITE_STATIC))
		status = sqlite_error(b->db, path, err);
	while (next_row(query, path, &status, err))
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
				   .rows = {.feed = feed, .ctx = b},
				   .facts = ts_mlflow_facts,
				   .ctx = &b->run,
				   .finished = ts_mlflow_finished};

	if (open_base(b->options->path, b->arena, &b->db, err) || check_tables(b->db, b->options->path, err) ||
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
