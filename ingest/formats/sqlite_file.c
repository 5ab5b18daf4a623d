#include "ingest/formats/sqlite_file.h"

#include "base/below.h"
#include "base/limits.h"
#include "base/path.h"
#include "base/system.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

enum {
	BUSY_MS = 5000,	    /* how long to wait while another process writes */
	CELL_MAX = 4 << 20, /* the largest text or row of the database */
};

bool ts_sqlite_header(const char *top, const char *path, uint8_t header[TS_SQLITE_HEADER], uint64_t *ret_size)
{
	struct ts_error ignored;
	size_t n = 0;
	int fd;

	if (ts_below_kind(top, path) != TS_FILE_REGULAR || ts_below_open(top, path, &fd, ret_size, &ignored))
		return false;
	if (ts_pread_full(fd, header, TS_SQLITE_HEADER, 0, &n, &ignored))
		n = 0;
	(void)close(fd);
	return n == TS_SQLITE_HEADER && memcmp(header, "SQLite format 3", 16) == 0;
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

/* --- opening --- */

/* A folder that is open, and the name of the database in it. */
struct where {
	const char *path; /* for messages */
	const char *name;
	int folder;
	bool logged; /* there is a log of writes beside it (-wal) */
};

static enum ts_status find_folder(const char *top, const char *path, struct ts_arena *arena, struct where *ret_where,
				  struct ts_error *err)
{
	struct where where = {.path = path};
	const char *named = path;
	enum ts_status status;
	char *real = NULL;

	if (strcmp(top, path) == 0) { /* a link that was named itself is followed */
		real = realpath(path, NULL);
		if (!real)
			return ts_error_errno(err, errno, "%s", path);
		top = named = real;
	}
	status = ts_below_folder(top, named, &where.folder, &where.name, err);
	if (!status) {
		where.name = ts_arena_printf(arena, "%s", where.name);
		if (!where.name) {
			(void)close(where.folder);
			status = ts_arena_error(arena, err);
		}
	}
	free(real);
	if (!status)
		*ret_where = where;
	return status;
}

/* SQLite opens what it finds beside a database, without O_NONBLOCK. */
static enum ts_status check_beside(struct where *where, struct ts_arena *arena, struct ts_error *err)
{
	static const char *const endings[] = {"-wal", "-shm", "-journal"};

	for (size_t i = 0; i < sizeof endings / sizeof endings[0]; i++) {
		const char *name = ts_arena_printf(arena, "%s%s", where->name, endings[i]);
		struct stat st;

		if (!name)
			return ts_arena_error(arena, err);
		if (fstatat(where->folder, name, &st, AT_SYMLINK_NOFOLLOW) != 0)
			continue;
		if (!S_ISREG(st.st_mode))
			return ts_error_set(err, TS_INVALID, "%s%s: not a regular file, and SQLite would read it", where->path,
					    endings[i]);
		where->logged |= i == 0;
	}
	return TS_OK;
}

static sqlite3_vfs verbatim;
static const char verbatim_name[] = "tscope";

/* SQLite makes of a path the one to which its links lead by now. Ours goes through an open folder, and must stay as it is. SQLite opens
 * files with O_NOFOLLOW, so the last part is no link. */
static int same_path(sqlite3_vfs *vfs, const char *path, int size, char *out)
{
	(void)vfs;
	return snprintf(out, (size_t)size, "%s", path) < size ? SQLITE_OK : SQLITE_CANTOPEN;
}

static void register_verbatim(void)
{
	const sqlite3_vfs *usual = sqlite3_vfs_find(NULL);

	if (!usual)
		return;
	verbatim = *usual;
	verbatim.zName = verbatim_name;
	verbatim.xFullPathname = same_path;
	(void)sqlite3_vfs_register(&verbatim, 0);
}

static void never_called(sqlite3_context *context, int n, sqlite3_value **values)
{
	(void)n;
	(void)values;
	sqlite3_result_null(context);
}

static void close_folder(void *fd)
{
	(void)close((int)(intptr_t)fd);
}

static enum ts_status open_uri(const struct where *where, const char *uri, bool through, sqlite3 **ret_db, struct ts_error *err)
{
	int flags = SQLITE_OPEN_READONLY | SQLITE_OPEN_URI | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_PRIVATECACHE;
	enum ts_status status;
	sqlite3 *db = NULL;

	if (sqlite3_open_v2(uri, &db, flags, through ? verbatim_name : NULL)) {
		status = db ? ts_sqlite_error(db, where->path, err)
			    : ts_error_set(err, TS_NO_MEMORY, "%s: out of memory for SQLite", where->path);
		(void)sqlite3_close(db);
		(void)close(where->folder);
		return status;
	}
	take_care(db);
	/* A function that nobody calls has the folder closed together with the database. SQLite does so also if this fails. */
	if (sqlite3_create_function_v2(db, "tscope_folder", 0, SQLITE_UTF8 | SQLITE_DIRECTONLY, (void *)(intptr_t)where->folder,
				       never_called, NULL, NULL, close_folder)) {
		status = ts_sqlite_error(db, where->path, err);
		(void)sqlite3_close(db);
		return status;
	}
	*ret_db = db;
	return TS_OK;
}

enum ts_status ts_sqlite_open(const char *top, const char *path, struct ts_arena *arena, sqlite3 **ret_db, struct ts_error *err)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;
	uint8_t header[TS_SQLITE_HEADER];
	char folder[TS_SYSTEM_FD_PATH];
	const char *opened, *uri = NULL;
	struct where where = {0};
	uint64_t size;
	bool through;

	if (!ts_sqlite_header(top, path, header, &size))
		return ts_error_set(err, TS_INVALID, "%s: this is not a SQLite database", path);
	if (find_folder(top, path, arena, &where, err))
		return err->status;
	if (check_beside(&where, arena, err)) {
		(void)close(where.folder);
		return err->status;
	}
	(void)pthread_once(&once, register_verbatim);
	through = ts_system_fd_path(where.folder, folder) && sqlite3_vfs_find(verbatim_name);
	opened = through ? ts_path_join(arena, folder, where.name) : path;
	/* A file in WAL mode without a log is open in no other process; read as immutable, it gets no file beside it. */
	if (opened)
		uri = uri_of(opened, header[18] == 2 && !where.logged, arena);
	if (!uri) {
		(void)close(where.folder);
		return ts_arena_error(arena, err);
	}
	return open_uri(&where, uri, through, ret_db, err);
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
