/* analyze_trace_rows.h - what the trace of a rank says, as rows beside those of its steps, so that the rules on traces are asked.
 *
 *	ts_traces_find(fetch, run, arena, &traces, err)		once for a run
 *	ts_traces_rows(fetch, &traces, rank, arena, &rows, err)	for each rank
 *
 * A trace that stands among the files of the job belongs to the rank that it names itself. Of several traces of a rank, such as the
 * cycles of a profiler, the last by name counts, with numbers in names taken as numbers. A trace of more events than
 * TS_SERVED_TRACE_EVENTS is not read, which its rows say. Traces are read one after another, and each is freed before the next.
 */
#ifndef TSCOPE_SERVICE_HANDLERS_ANALYZE_ANALYZE_TRACE_ROWS_H
#define TSCOPE_SERVICE_HANDLERS_ANALYZE_ANALYZE_TRACE_ROWS_H

#include "analysis/answer/measure.h"
#include "run/trace_list.h"
#include "service/handlers/core/read.h"

struct ts_traces {
	struct ts_run_trace *items; /* rank: whose the trace is; TS_RANK_JOB: it does not say */
	size_t n;
};

bool ts_run_keeps_files(const struct ts_run *run);
/* A run without kept files costs nothing. Names lie in the arena. */
enum ts_status ts_traces_find(struct ts_fetch *f, const struct ts_run *run, struct ts_arena *arena, struct ts_traces *ret,
			      struct ts_error *err);
/* The file of the rank that counts, NULL if it has none; *ret_n: how many it has. Also of memory snapshots. */
const struct ts_run_trace *ts_traces_of_rank(const struct ts_traces *traces, int32_t rank, size_t *ret_n);
/* Appends its rows; none, if it has none. */
enum ts_status ts_traces_rows(struct ts_fetch *f, const struct ts_traces *traces, int32_t rank, struct ts_arena *arena,
			      struct ts_measures *io_rows, struct ts_error *err);

#endif
