/* job_wait.h - who arrives last at the collectives of a job, who waits for how long, and which rank is slow of its own (job.h).
 *
 * Threads: one at a time.
 */
#ifndef TSCOPE_ANALYSIS_TRACE_RANKS_JOB_WAIT_H
#define TSCOPE_ANALYSIS_TRACE_RANKS_JOB_WAIT_H

#include "analysis/trace/ranks/job_match.h"

/* The waiting of one rank in one kernel, by its own clock. */
struct ts_job_waits {
	struct ts_job_interval *items; /* by begin */
	size_t n;
};

/* Fills what ranks and groups say of waiting, the list of collectives, and ret_waits[rank]. Sides and ranks are in the same order. */
enum ts_status ts_job_arrive(const struct ts_job_side *sides, const struct ts_job_matches *matches, struct ts_arena *arena,
			     struct ts_trace_job *job, struct ts_job_waits *ret_waits, struct ts_error *err);
/* Own times of steps, and the test for stragglers. */
enum ts_status ts_job_own_times(const struct ts_job_side *sides, const struct ts_job_waits *waits, struct ts_arena *arena,
				struct ts_trace_job *job, struct ts_error *err);

#endif
