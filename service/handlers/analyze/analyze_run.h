/* analyze_run.h - the Analyze method: what a run spent its time and memory on, what its losses did, how its ranks compare, what
 * it is bound by, and what to make of it.
 *
 * Groups "timing", "memory", "convergence", "cross" are of one rank; "ranks" is of all of them, "budget", "efficiency" of the rank in
 * view and of the job, "pipeline" of the job. analysis/ defines them, docs/numerics.md lists them. What is not known is a row with its
 * reason, never 0. Of one rank four columns at most are in memory at once, of all ranks a window of steps.
 */
#ifndef TSCOPE_SERVICE_HANDLERS_ANALYZE_ANALYZE_RUN_H
#define TSCOPE_SERVICE_HANDLERS_ANALYZE_ANALYZE_RUN_H

#include "proto/wire.h"
#include "service/handlers/core/read.h"

/* Measures, events, plots and notes, computed anew; request->spec, policy and fresh are not looked at. TS_NOT_FOUND when the run
 * has no rank of that number; the text names those that it has. Spans of the result lie in the arena. */
enum ts_status ts_analyze_reduce(struct ts_fetch *f, const struct ts_id *id, const struct ts_analyze_request *request,
				 struct ts_arena *arena, struct ts_analysis *ret_analysis, struct ts_error *err);
/* The same from the cache where it can be, and with the bound and the findings. TS_INVALID when the policy names no rule of ours. */
enum ts_status ts_analyze_run(struct ts_fetch *f, const struct ts_id *id, const struct ts_analyze_request *request,
			      struct ts_arena *arena, struct ts_analysis *ret_analysis, struct ts_error *err);

#endif
