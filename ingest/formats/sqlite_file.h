/* sqlite_file.h - opens a foreign SQLite database for reading, so that no code of its schema runs, and steps through queries.
 *
 * The database is opened read-only; views, triggers and extensions are off, and a cell has at most 4 MiB. A database that another
 * process writes is waited for, 5 seconds at most. Of one with a log (-wal) SQLite keeps its index (-shm) beside it, and may leave it
 * there. Errors name the file. It is compiled only where libsqlite3 is (TS_SQLITE).
 */
#ifndef TSCOPE_INGEST_FORMATS_SQLITE_FILE_H
#define TSCOPE_INGEST_FORMATS_SQLITE_FILE_H

#include "base/arena.h"

#include <sqlite3.h>

enum { TS_SQLITE_HEADER = 100 }; /* the size of a file's header in bytes */

/* Whether the file is a SQLite database. top: base/below.h */
bool ts_sqlite_header(const char *top, const char *path, uint8_t header[TS_SQLITE_HEADER], uint64_t *ret_size);
/* The caller closes *ret_db. The database and the files that SQLite has beside it (-wal, -shm, -journal) must be regular files in the
 * folder that path leads to below top; a link or a named pipe among them is TS_INVALID. */
enum ts_status ts_sqlite_open(const char *top, const char *path, struct ts_arena *arena, sqlite3 **ret_db, struct ts_error *err);
/* Sets the error that the database had last. */
enum ts_status ts_sqlite_error(sqlite3 *db, const char *path, struct ts_error *err);
/* Checks that these are real tables of the database, not views, which would run code. tool stands in the error; names end with a
 * NULL. */
enum ts_status ts_sqlite_tables(sqlite3 *db, const char *path, const char *tool, const char *const *names, struct ts_error *err);
/* Prepares a query whose ?1 is part, unless that is NULL. Returns NULL if that fails. */
sqlite3_stmt *ts_sqlite_prepare(sqlite3 *db, const char *path, const char *sql, const char *part, struct ts_error *err);
/* Moves to the next row. Returns false at the end, and also if it failed: err then has the error. */
bool ts_sqlite_next(sqlite3_stmt *query, const char *path, enum ts_status *status, struct ts_error *err);
/* The cell as text, whatever type it has; valid until the query's next row. */
struct ts_span ts_sqlite_text(sqlite3_stmt *query, int i);

#endif
