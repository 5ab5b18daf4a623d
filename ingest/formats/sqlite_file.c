#include "ingest/formats/sqlite_file.h"

#include "base/file.h"
#include "base/limits.h"

#include <stdio.h>
#include <unistd.h>

enum {
	BUSY_MS = 5000,	    /* how long to wait while another process writes */
	CELL_MAX = 4 << 20, /* the largest text or row of the database */
};

bool ts_sqlite_header(const char *path, uint8_t header[TS_SQLITE_HEADER], uint64_t *ret_size)
{
	struct ts_error ignored;
	size_t n = 0;
	int fd;

	if (ts_file_kind(path) != TS_FILE_REGULAR || ts_file_open(path, &fd, ret_size, &ignored))
		return false;
	if (ts_pread_full(fd, header, TS_SQLITE_HEADER, 0, &n, &ignored))
		n = 0;
	(void)close(fd);
	return n == TS_SQLITE_HEADER && memcmp(header, "SQLite format 3", 16) == 0;
}

/* Returns whether the file is in WAL mode and has no log beside it. Then no other process has it open, and reading it
 * as an immutable file creates no file beside it. */
static bool lies_still(const char *log, const uint8_t header[TS_SQLITE_HEADER])
{
	return header[18] == 2 && access(log, F_OK) != 0;
}

enum ts_status ts_sqlite_error(sqlite3 *db, const char *path, struct ts_error *err)
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

enum ts_status ts_sqlite_open(const char *path, struct ts_arena *arena, sqlite3 **ret_db, struct ts_error *err)
{
	uint8_t header[TS_SQLITE_HEADER];
	uint64_t size;
	sqlite3 *db = NULL;
	const char *log, *uri;
	enum ts_status status;

	if (!ts_sqlite_header(path, header, &size))
		return ts_error_set(err, TS_INVALID, "%s: this is not a SQLite database", path);
	log = ts_arena_printf(arena, "%s-wal", path);
	uri = log ? uri_of(path, lies_still(log, header), arena) : NULL;
	if (!uri)
		return ts_arena_error(arena, err);
	if (sqlite3_open_v2(uri, &db, SQLITE_OPEN_READONLY | SQLITE_OPEN_URI | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_PRIVATECACHE, NULL)) {
		status = db ? ts_sqlite_error(db, path, err) : ts_error_set(err, TS_NO_MEMORY, "%s: out of memory for SQLite", path);
		(void)sqlite3_close(db);
		return status;
	}
	take_care(db);
	*ret_db = db;
	return TS_OK;
}

/* Prepares a query, and returns NULL if that fails. */
sqlite3_stmt *ts_sqlite_prepare(sqlite3 *db, const char *path, const char *sql, const char *part, struct ts_error *err)
{
	sqlite3_stmt *query = NULL;

	if (!sqlite3_prepare_v2(db, sql, -1, &query, NULL) && (!part || !sqlite3_bind_text(query, 1, part, -1, SQLITE_STATIC)))
		return query;
	(void)ts_sqlite_error(db, path, err);
	(void)sqlite3_finalize(query);
	return NULL;
}

/* Moves to the next row. Returns false at the end, and also if it failed: err then has the error. */
bool ts_sqlite_next(sqlite3_stmt *query, const char *path, enum ts_status *status, struct ts_error *err)
{
	int code;

	if (*status)
		return false;
	code = sqlite3_step(query);
	if (code != SQLITE_ROW && code != SQLITE_DONE)
		*status = ts_sqlite_error(sqlite3_db_handle(query), path, err);
	return code == SQLITE_ROW;
}

/* Returns the cell as text, whatever type it has. The text is valid until the query's next row. */
struct ts_span ts_sqlite_text(sqlite3_stmt *query, int i)
{
	const void *text = sqlite3_column_text(query, i);

	return text ? ts_span_of(text, (size_t)sqlite3_column_bytes(query, i)) : ts_span_of("", 0);
}

enum ts_status ts_sqlite_tables(sqlite3 *db, const char *path, const char *tool, const char *const *names, struct ts_error *err)
{
	static const char sql[] = "SELECT count(*) FROM sqlite_master WHERE type = 'table' AND rootpage > 0 AND name = ?1";

	for (; *names; names++) {
		sqlite3_stmt *query;
		enum ts_status status = TS_OK;

		query = ts_sqlite_prepare(db, path, sql, *names, err);
		if (!query)
			return err->status;
		if (ts_sqlite_next(query, path, &status, err) && sqlite3_column_int(query, 0) != 1)
			status = ts_error_set(err, TS_INVALID, "%s: this is not a database of %s, because it has no table %s", path,
					      tool, *names);
		(void)sqlite3_finalize(query);
		if (status)
			return status;
	}
	return TS_OK;
}
