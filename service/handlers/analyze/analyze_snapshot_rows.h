/* analyze_snapshot_rows.h - what the memory snapshot of a rank says, as rows beside those of its steps, so that the rules on snapshots
 * are asked.
 *
 *	ts_snapshots_find(fetch, run, arena, &snapshots, err)			once for a run
 *	ts_snapshots_rows(fetch, of, capacity, arena, &rows, err)		for each rank
 *
 * A snapshot does not say its rank. One in a rank's files is that rank's; one among the files of the job is the rank's whose number its
 * name has ("memory_rank3.pickle", run/rank_name.h), or that of the only rank with steps; any other is of some rank, and counts only
 * where no rank has one of its own. Of several the last by name counts. Of several devices the one counts whose request was refused,
 * else the one that held most. A snapshot of more events and blocks than TS_SERVED_SNAPSHOT_ROWS is not read, which its rows say.
 */
#ifndef TSCOPE_SERVICE_HANDLERS_ANALYZE_ANALYZE_SNAPSHOT_ROWS_H
#define TSCOPE_SERVICE_HANDLERS_ANALYZE_ANALYZE_SNAPSHOT_ROWS_H

#include "service/handlers/analyze/analyze_trace_rows.h"

/* A run without kept files costs nothing. Names lie in the arena. ret->items[i].rank is whose it is; TS_RANK_JOB: not known. */
enum ts_status ts_snapshots_find(struct ts_fetch *f, const struct ts_run *run, struct ts_arena *arena, struct ts_traces *ret,
				 struct ts_error *err);
/* Appends the rows of the snapshot. capacity: bytes of the device, 0 if that is not known. */
enum ts_status ts_snapshots_rows(struct ts_fetch *f, const struct ts_run_trace *of, uint64_t capacity, struct ts_arena *arena,
				 struct ts_measures *io_rows, struct ts_error *err);

#endif
