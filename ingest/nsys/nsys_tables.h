/* nsys_tables.h - the tables of an export of Nsight Systems: which columns are read, and the event that a row is.
 *
 * Threads: the tables are constant; an event refers to the row until the query's next one.
 */
#ifndef TSCOPE_INGEST_NSYS_NSYS_TABLES_H
#define TSCOPE_INGEST_NSYS_NSYS_TABLES_H

#include "ingest/formats/sqlite_file.h"
#include "ingest/trace/trace_event.h"

#include <stdbool.h>

enum { TS_NSYS_COLUMNS = 20, TS_NSYS_TEXT = 96 };

/* Which processes called CUDA, as their calls say, whose table is the first. */
struct ts_nsys_processes {
	int64_t first; /* TS_TRACE_NONE: none yet */
	bool several;
};

/* A row on its way: the texts that an event of it refers to and SQLite does not have. */
struct ts_nsys_row {
	sqlite3_stmt *query;   /* its columns are those of the table, in order */
	sqlite3_stmt *strings; /* the text of StringIds whose number is ?1; NULL: there are none */
	struct ts_nsys_processes *processes;
	const char *path; /* in errors */
	struct ts_error *err;
	/* What became of it, to be taken and cleared after each event. */
	enum ts_status status; /* a text could not be read, as err says */
	uint64_t text_bytes;
	bool no_name;	/* its name is larger than a cell may be */
	bool no_launch; /* of several processes, it does not say of which it is */
	char grid[TS_NSYS_TEXT], block[TS_NSYS_TEXT], name[TS_NSYS_TEXT];
};

struct ts_nsys_table {
	const char *name;
	/* Ends with NULL. "=nameId": the text of StringIds that the column refers to. */
	const char *columns[TS_NSYS_COLUMNS];
	/* Fills an event, all of whose members are unset; its texts hold until the next one. false: the row is none, as one that only
	 * names a domain. */
	bool (*event)(struct ts_nsys_row *row, struct ts_trace_event *e);
	bool of_devices; /* a file that has the table is an export with work of devices */
};

extern const struct ts_nsys_table ts_nsys_tables[];
extern const size_t ts_nsys_n_tables;

#endif
