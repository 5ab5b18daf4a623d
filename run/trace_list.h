/* trace_list.h - which traces and memory snapshots a run has, whoever asks: the command, a diff, the gate.
 *
 *	ts_run_traces(get, ctx, &head, &arena, &traces, &n, err)
 *	ts_trace_columns_load(get, ctx, &traces[i].columns, ...)	run/trace_columns.h
 *
 * Threads: any.
 */
#ifndef TSCOPE_RUN_TRACE_LIST_H
#define TSCOPE_RUN_TRACE_LIST_H

#include "run/index.h"

/* A trace, or a snapshot. */
struct ts_run_trace {
	int32_t rank; /* in whose files it stands; TS_RANK_JOB: in the job's. What the trace says of its rank is in its own `about` */
	struct ts_span name;
	uint64_t size; /* of the file */
	struct ts_id columns;
};

/* All traces of the run with this head, by rank and name. Files that could not be read as traces have no columns and are not there.
 * Names lie in the arena. */
enum ts_status ts_run_traces(ts_object_source *get, void *ctx, const struct ts_id *head, struct ts_arena *arena,
			     struct ts_run_trace **ret_traces, size_t *ret_n, struct ts_error *err);
/* The same of its memory snapshots, whose columns are those of run/snapshot_columns.h. */
enum ts_status ts_run_snapshots(ts_object_source *get, void *ctx, const struct ts_id *head, struct ts_arena *arena,
				struct ts_run_trace **ret_snapshots, size_t *ret_n, struct ts_error *err);
/* Whether columns have such a table: a trace's have TS_TABLE_ABOUT, a snapshot's TS_TABLE_SNAPSHOT_ABOUT. The arena is for work. */
enum ts_status ts_columns_have(ts_object_source *get, void *ctx, const struct ts_id *columns, enum ts_table_kind table,
			       struct ts_arena *arena, bool *ret, struct ts_error *err);

#endif
