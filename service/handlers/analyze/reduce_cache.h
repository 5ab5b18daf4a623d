/* reduce_cache.h - reductions kept under the run's id, the version of the analysis, and the options that change the result.
 *
 * Kept are the bytes of a GateRun, whose role and name say nothing. A cache may forget, and may hold anything: what does
 * not parse, or is of another run, is not there.
 */
#ifndef TSCOPE_SERVICE_HANDLERS_ANALYZE_REDUCE_CACHE_H
#define TSCOPE_SERVICE_HANDLERS_ANALYZE_REDUCE_CACHE_H

#include "proto/wire.h"

/* False: it is not there. Spans of the result lie in the arena. */
bool ts_reduce_cached(struct ts_engine *engine, const struct ts_id *run, const struct ts_gate_policy *policy, struct ts_arena *arena,
		      struct ts_gate_run *ret_run);
/* Packs run, keeps the bytes, and gives back what a later call will find. */
enum ts_status ts_reduce_keep(struct ts_engine *engine, const struct ts_gate_run *run, const struct ts_gate_policy *policy,
			      struct ts_arena *arena, struct ts_gate_run *ret_run, struct ts_error *err);

#endif
