/* reduce_rows.h - reads the rows of a job into arrays for analysis/gate/reduction.h: when each step ended, which of its time is
 * to be left out, and its values.
 *
 * The time comes from the timestamps of all ranks that have any; a row is a step that each of these ranks has. If no rank has
 * timestamps, the time comes from phases.
 */
#ifndef TSCOPE_SERVICE_HANDLERS_ANALYZE_REDUCE_ROWS_H
#define TSCOPE_SERVICE_HANDLERS_ANALYZE_REDUCE_ROWS_H

#include "analysis/gate/reduction.h"
#include "service/handlers/analyze/rank_windows.h"

struct ts_job_rows {
	struct ts_reduce_rows rows;
	const char *no_time; /* why the time is not known; NULL: it is known */
};

/* Results lie in the arena. */
enum ts_status ts_job_rows_read(struct ts_fetch *f, const struct ts_run *run, const struct ts_reduce_options *options,
				struct ts_arena *arena, struct ts_job_rows *ret_rows, struct ts_error *err);

#endif
