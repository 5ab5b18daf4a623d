/* audit.h - the audit log of a server: a line for each change of a name, a note or a token, for each rule that changed, and for each
 * change that was refused.
 *
 *	ts_audit_open(path, most_bytes, &audit, err)
 *	if (ts_audit_ready(audit, err)) ...			before the change: else it is refused
 *	ts_audit_add(audit, &entry, err)			after it, before it is acknowledged
 *
 * The file is only appended to. Lines are numbered from 1 without gaps and chained by digests, over all files: a line that was
 * changed, taken out or put in is found (audit_read.h). That the last lines are missing is found by whoever knows a later number
 * (ts_audit_head), which the server writes into its own log. A file that has most_bytes is renamed to path.N, N being the number of
 * its last line, with zeros before it. A line is one write, and with the kernel when add returns: it survives the end of the process;
 * after a loss of power the last ones may be missing or torn.
 *
 * Threads: safe. Ownership: entries are not kept. One process has an audit log open (TS_CONFLICT).
 */
#ifndef TSCOPE_SERVICE_AUDIT_AUDIT_H
#define TSCOPE_SERVICE_AUDIT_AUDIT_H

#include "base/error.h"
#include "base/span.h"

#include <stdbool.h>
#include <stdint.h>

enum { TS_AUDIT_CHAIN = 64 };

struct ts_audit;
struct ts_audit_report; /* audit_read.h */

/* Whoever did it: kind is how it was proved ("user", "token", "certificate", "address", "server"), who the name alone, so that a
 * certificate that says root is not root; from is where the connection came from. */
struct ts_audit_entry {
	int64_t at_ns;
	struct ts_span kind, who, from;
	struct ts_span act;	      /* "note", "move", "remove", "restore", "retire", "token", "gc", "settings", "start", ... */
	struct ts_span on;	      /* the name, with its kind: "run p/x"; of a token its key; of a setting its name */
	struct ts_span key;	      /* of a note */
	struct ts_span before, after; /* its value, or the whole id of the run; empty: none */
	struct ts_span text;	      /* the message of a log, or why it was refused */
	bool denied;		      /* nothing was changed */
	uint64_t left_out;	      /* refusals before this line that have none: at most TS_AUDIT_DENIED a second do */
};

enum { TS_AUDIT_DENIED = 20 };

/* most_bytes of one file; 0: any number. */
enum ts_status ts_audit_open(const char *path, uint64_t most_bytes, struct ts_audit **ret_audit, struct ts_error *err);
void ts_audit_close(struct ts_audit *audit); /* NULL is allowed */
/* TS_UNAVAILABLE while lines cannot be written. */
enum ts_status ts_audit_ready(struct ts_audit *audit, struct ts_error *err);
enum ts_status ts_audit_add(struct ts_audit *audit, const struct ts_audit_entry *entry, struct ts_error *err);
/* Reads the log with all its files while others write it, and holds its end to what this process wrote last. *ret_missing: how many
 * lines at its end are gone; all of them where the files are. */
enum ts_status ts_audit_check(struct ts_audit *audit, struct ts_audit_report *ret_report, uint64_t *ret_missing, struct ts_error *err);
/* The number and the chain of the last line; 0 and zeros if there is none. */
void ts_audit_head(struct ts_audit *audit, uint64_t *ret_n, char ret_chain[TS_AUDIT_CHAIN + 1]);

#endif
