/* log_names.h - what other tools call a loss, a gradient norm, a learning rate: their names to our columns, in one versioned table.
 *
 * A name that the table does not know becomes scalars.<name>, the name being one key ("eval/acc" is scalars.eval/acc).
 * One that it knows becomes its column, with a factor where the unit differs (milliseconds to seconds, GiB to bytes,
 * percent to ratio). Where two names of one log come to one column, the first that was seen has it, the other keeps its
 * own name (names.taken). The precision of a value that was multiplied is no longer that of the log: then it is
 * TS_PRECISION_F64.
 */
#ifndef TSCOPE_INGEST_ROWS_LOG_NAMES_H
#define TSCOPE_INGEST_ROWS_LOG_NAMES_H

#include "base/arena.h"
#include "ingest/rows/rows.h"

enum { TS_LOG_NAMES_VERSION = 1 };

struct ts_log_name {
	struct ts_span column; /* escaped path: "scalars.loss", "phases.data", "memory.peak_reserved"; in the arena or static */
	double factor;	       /* what a value is multiplied by; 1 mostly */
	bool known;	       /* the table has it */
};

/* Names seen so far in one log. */
struct ts_log_names {
	struct ts_arena *arena;
	struct ts_span *taken; /* columns of the table that have an owner, and their owners' names, in pairs */
	size_t n, cap;
};

enum ts_status ts_log_name(struct ts_log_names *names, struct ts_span name, struct ts_log_name *ret_name, struct ts_error *err);
/* The table of docs/importers.md. */
void ts_log_names_markdown(struct ts_buf *out);

#endif
