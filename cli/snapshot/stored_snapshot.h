/* stored_snapshot.h - a memory snapshot that was pushed with a run: which one is meant, its tables, and what the run's facts say of the
 * device's memory. */
#ifndef TSCOPE_CLI_SNAPSHOT_STORED_SNAPSHOT_H
#define TSCOPE_CLI_SNAPSHOT_STORED_SNAPSHOT_H

#include "cli/core/context.h"
#include "cli/snapshot/device_capacity.h"
#include "proto/wire.h"
#include "run/snapshot.h"
#include "run/trace_list.h"

/* How a word names a snapshot of a run. */
struct ts_snapshot_choice {
	const char *name; /* NULL: the run has one alone */
	bool has_rank;
	int32_t rank;
};

struct ts_stored_snapshot {
	const char *name;
	struct ts_snapshot snapshot;
	struct ts_device_capacity capacity; /* by the facts of its rank */
};

/* All memory is the command's. TS_INVALID: there is none, or it names those that there are. */
enum ts_status ts_stored_snapshot(struct ts_cli *cli, const struct ts_get_reply *run, const struct ts_snapshot_choice *choice,
				  struct ts_stored_snapshot *ret, struct ts_error *err);
/* Shows which snapshots there are, as a table, and how to ask for one. run: the word that named it. */
enum ts_status ts_list_stored_snapshots(struct ts_cli *cli, const char *run, const struct ts_run_trace *all, size_t n,
					struct ts_error *err);

#endif
