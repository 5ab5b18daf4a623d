/* migrate.h - copies a store into one of any other engine, record by record, while servers use the first: tscoped migrate FROM TO.
 *
 * It goes on where it was stopped, since it asks each time only for what the copy lacks. It ends when a turn brought nothing new, and
 * every object of the copy was read and its digest computed again.
 */
#ifndef TSCOPE_SERVICE_MIGRATE_H
#define TSCOPE_SERVICE_MIGRATE_H

#include "store/engine.h"

struct ts_migrate_report {
	uint64_t records, bytes; /* that came, in all turns */
	uint64_t objects;	 /* that were verified */
	unsigned turns;
};

/* from, to: a folder, or cluster:FILE. Writes a line of the log for each turn. TS_CONFLICT where `to` has something of its own,
 * TS_UNAVAILABLE where `from` is written to all the time, and TS_DAMAGED where the copy is. */
enum ts_status ts_migrate(const char *from, const char *to, struct ts_migrate_report *ret_report, struct ts_error *err);

#endif
