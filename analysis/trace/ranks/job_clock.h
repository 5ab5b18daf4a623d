/* job_clock.h - by how much the clocks of the ranks of a job differ, by their collectives (job.h has the rules).
 *
 * Threads: one at a time.
 */
#ifndef TSCOPE_ANALYSIS_TRACE_RANKS_JOB_CLOCK_H
#define TSCOPE_ANALYSIS_TRACE_RANKS_JOB_CLOCK_H

#include "analysis/trace/ranks/job_match.h"

/* Times of members lie within this, on both sides of 0; 36 years. */
#define TS_JOB_TIME_MAX (INT64_C(1) << 60)

/* Fills clocks[side] and brings the times of members to the clock of side 0. Drops the groups that cannot be one. */
enum ts_status ts_job_clocks(const struct ts_job_side *sides, size_t n_sides, struct ts_job_matches *matches,
			     struct ts_job_clock *clocks, struct ts_arena *arena, struct ts_error *err);

#endif
