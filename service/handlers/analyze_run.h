/* analyze_run.h - the Analyze method: what one rank of a run spent its time and memory on, what its losses did, and how its
 * ranks compare.
 *
 * Groups "timing", "memory", "convergence" are of one rank (analysis/timing.h and its neighbours define them); group "ranks" has,
 * where there are several, a subject "rank K" each with steps_count, median_s (step time) and peak_bytes. What is not known
 * is a row with its reason, never 0. Columns are loaded one at a time, the four of memory together; of ranks one at a time.
 */
#ifndef TSCOPE_HANDLERS_ANALYZE_RUN_H
#define TSCOPE_HANDLERS_ANALYZE_RUN_H

#include "analysis/analysis.h"
#include "service/handlers/read.h"

/* Ranks that group "ranks" lists: three rows each have to fit in one answer. */
enum { TS_ANALYZE_RANKS = 8192 };

struct ts_analyze_options {
	bool has_warmup;
	uint64_t warmup; /* distinct steps left out at the start of each rank */
	bool has_rank;
	int32_t rank;
};

/* TS_NOT_FOUND when the run has no rank of that number; the text names those that it has. Spans of the result lie in the
 * arena. */
enum ts_status ts_analyze_run(struct ts_fetch *f, const struct ts_id *id, const struct ts_analyze_options *options,
			      struct ts_arena *arena, struct ts_analysis *ret_analysis, struct ts_error *err);

#endif
