/* reduce_rows.h - the rows of a job as arrays, for analysis/gate/reduction.h: when each step ended, what of it is to be left out,
 * what it held.
 *
 * Time is by the timestamps of all ranks that have some; a row is a step that each of them has. Where none has any, by phases.
 */
#ifndef TSCOPE_SERVICE_HANDLERS_ANALYZE_REDUCE_ROWS_H
#define TSCOPE_SERVICE_HANDLERS_ANALYZE_REDUCE_ROWS_H

#include "analysis/gate/reduction.h"
#include "service/handlers/analyze/rank_windows.h"

struct ts_job_rows {
	struct ts_reduce_rows rows;
	const char *no_time; /* NULL if there is time */
};

/* Results lie in the arena. */
enum ts_status ts_job_rows_read(struct ts_fetch *f, const struct ts_run *run, const struct ts_reduce_options *options,
				struct ts_arena *arena, struct ts_job_rows *ret_rows, struct ts_error *err);

#endif
