/* analyze_run.h - the Analyze method: what a run spent its time and memory on, how its losses developed, how its ranks compare,
 * what it is bound by, and the findings.
 *
 * The groups "timing", "memory", "convergence" and "cross" describe one rank, "ranks" all of them, "budget" and "efficiency"
 * the rank in view and the job, "pipeline" the job. analysis/ defines the groups, and docs/numerics.md lists them. A value that
 * is not known is a row with the reason, never 0. At most four columns of one rank are in memory at once, and of all ranks a
 * window of steps.
 */
#ifndef TSCOPE_SERVICE_HANDLERS_ANALYZE_ANALYZE_RUN_H
#define TSCOPE_SERVICE_HANDLERS_ANALYZE_ANALYZE_RUN_H

#include "proto/wire.h"
#include "service/handlers/core/read.h"

/* Computes measures, events, plots and notes without the cache; request->spec, policy and fresh are ignored. TS_NOT_FOUND: the run
 * does not have the requested rank; the text names its ranks. Spans of the result lie in the arena. */
enum ts_status ts_analyze_reduce(struct ts_fetch *f, const struct ts_id *id, const struct ts_analyze_request *request,
				 struct ts_arena *arena, struct ts_analysis *ret_analysis, struct ts_error *err);
/* Gets the same from the cache if possible, and adds the bound and the findings. TS_INVALID: the policy names an unknown rule. */
enum ts_status ts_analyze_run(struct ts_fetch *f, const struct ts_id *id, const struct ts_analyze_request *request,
			      struct ts_arena *arena, struct ts_analysis *ret_analysis, struct ts_error *err);

#endif
