/* audit_read.h - reads an audit log with the files that it was rotated into, and checks the chain of its lines.
 *
 *	ts_audit_read("/var/lib/tscope/audit.log", visit, ctx, &report, err)
 */
#ifndef TSCOPE_SERVICE_AUDIT_AUDIT_READ_H
#define TSCOPE_SERVICE_AUDIT_AUDIT_READ_H

#include "base/arena.h"
#include "service/audit/audit.h"

struct ts_audit_report {
	uint64_t files, lines;
	uint64_t first;	 /* number of the first line; above 1, older files are not here */
	uint64_t last;
	uint64_t torn;	 /* lines that power was lost in, behind which the chain goes on */
	uint64_t broken; /* number of the first line that does not follow the one before; 0: all do */
	char chain[TS_AUDIT_CHAIN + 1]; /* of the last line */
};

/* The names of the files of a log, oldest first; the last is path itself, if it is there. */
enum ts_status ts_audit_files(const char *path, struct ts_arena *arena, char ***ret_names, size_t *ret_n, struct ts_error *err);
/* Called for each line, oldest first; entry is valid until it returns. It stops the reading by any other status than TS_OK. */
typedef enum ts_status ts_audit_visit(void *ctx, const struct ts_audit_entry *entry, uint64_t n, struct ts_error *err);
/* TS_NOT_FOUND if there is no file. A chain that is broken is no error: the report says it, and lines behind it are read too. */
enum ts_status ts_audit_read(const char *path, ts_audit_visit *visit, void *ctx, struct ts_audit_report *ret_report,
			     struct ts_error *err);

#endif
