#include "service/handlers/analyze/analyze_snapshot_rows.h"

#include "analysis/snapshot/memory_rows.h"
#include "base/limits.h"
#include "run/rank_name.h"
#include "run/snapshot_columns.h"
#include "run/trace.h"
#include "service/handlers/analyze/analyze_notes.h"

/* The only rank that has steps; TS_RANK_JOB: there is none, or several. */
static int32_t only_rank(const struct ts_run *run)
{
	int32_t only = TS_RANK_JOB;

	for (size_t i = 0; i < run->head.n_ranks; i++) {
		if (run->indexes[i].rank == TS_RANK_JOB || !ts_rank_has_steps(&run->indexes[i]))
			continue;
		if (only != TS_RANK_JOB)
			return TS_RANK_JOB;
		only = run->indexes[i].rank;
	}
	return only;
}

/* A rank of the run, or TS_RANK_JOB. */
static int32_t rank_in_name(const struct ts_run *run, struct ts_span name)
{
	int64_t rank = ts_rank_in_name(name);

	return rank != TS_TRACE_NONE && ts_run_rank(run, (int32_t)rank) ? (int32_t)rank : TS_RANK_JOB;
}

enum ts_status ts_snapshots_find(struct ts_fetch *f, const struct ts_run *run, struct ts_arena *arena, struct ts_traces *ret,
				 struct ts_error *err)
{
	*ret = (struct ts_traces){NULL, 0};
	if (!ts_run_keeps_files(run))
		return TS_OK;
	if (ts_run_snapshots(ts_fetch_source, f, &run->id, arena, &ret->items, &ret->n, err))
		return err->status;
	for (size_t i = 0; i < ret->n; i++) {
		struct ts_run_trace *one = &ret->items[i];

		if (one->rank == TS_RANK_JOB)
			one->rank = rank_in_name(run, one->name);
		if (one->rank == TS_RANK_JOB)
			one->rank = only_rank(run);
	}
	return TS_OK;
}

static enum ts_status too_long(uint64_t rows, struct ts_arena *arena, struct ts_measures *io_rows, struct ts_error *err)
{
	const char *reason = ts_arena_printf(arena,
					     "the memory snapshot has %" PRIu64 " events and blocks, and those of more than %d are "
					     "not read here: tscope analyze RUN --snapshot NAME reads it",
					     rows, TS_SERVED_SNAPSHOT_ROWS);

	return reason ? ts_memory_rows_unread(reason, arena, io_rows, err) : ts_arena_error(arena, err);
}

static enum ts_status read_rows(struct ts_fetch *f, const struct ts_run_trace *of, uint64_t capacity, struct ts_arena *work,
				struct ts_arena *arena, struct ts_measures *io_rows, struct ts_error *err)
{
	const struct ts_memory_device *device;
	struct ts_memory_answer answer;
	struct ts_snapshot snapshot;

	if (ts_snapshot_columns_load(ts_fetch_source, f, &of->columns, work, &snapshot, err) ||
	    ts_memory_of(&snapshot, capacity, work, &answer, err))
		return err->status;
	device = ts_memory_main(&answer);
	return device ? ts_memory_rows(device, arena, io_rows, err)
		      : ts_memory_rows_unread("the memory snapshot has neither segments nor events", arena, io_rows, err);
}

enum ts_status ts_snapshots_rows(struct ts_fetch *f, const struct ts_run_trace *of, uint64_t capacity, struct ts_arena *arena,
				 struct ts_measures *io_rows, struct ts_error *err)
{
	struct ts_arena work;
	enum ts_status status;
	uint64_t rows;

	ts_arena_init(&work, TS_ANALYSIS_ARENA);
	status = ts_snapshot_columns_rows(ts_fetch_source, f, &of->columns, &work, &rows, err);
	if (!status)
		status = rows > TS_SERVED_SNAPSHOT_ROWS ? too_long(rows, arena, io_rows, err)
							: read_rows(f, of, capacity, &work, arena, io_rows, err);
	ts_arena_finish(&work);
	return status;
}
