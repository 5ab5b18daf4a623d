/* stored_snapshot.h - a memory snapshot that was pushed with a run: which one is meant, its tables, and what the run's facts say of the
 * device's memory. */
#ifndef TSCOPE_CLI_SNAPSHOT_STORED_SNAPSHOT_H
#define TSCOPE_CLI_SNAPSHOT_STORED_SNAPSHOT_H

#include "cli/core/context.h"
#include "proto/wire.h"
#include "run/snapshot.h"

/* How a word names a snapshot of a run. */
struct ts_snapshot_choice {
	const char *name; /* NULL: the run has one alone */
	bool has_rank;
	int32_t rank;
};

struct ts_stored_snapshot {
	const char *name;
	struct ts_snapshot snapshot;
	uint64_t capacity;  /* bytes of one device; 0: the facts do not say it */
	const char *source; /* of the capacity: "facts.json"; NULL without one */
};

/* All memory is the command's. TS_INVALID: there is none, or it names those that there are. */
enum ts_status ts_stored_snapshot(struct ts_cli *cli, const struct ts_get_reply *run, const struct ts_snapshot_choice *choice,
				  struct ts_stored_snapshot *ret, struct ts_error *err);

#endif
