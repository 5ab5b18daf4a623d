/* reduce_cache.h - caches reductions under the run's id, the version of the analysis, and the options that change the result.
 *
 * An entry is the bytes of a GateRun, whose role and name are unset. A cache may lose entries, and its content is not trusted:
 * an entry that does not parse, or that belongs to another run, counts as absent.
 */
#ifndef TSCOPE_SERVICE_HANDLERS_ANALYZE_REDUCE_CACHE_H
#define TSCOPE_SERVICE_HANDLERS_ANALYZE_REDUCE_CACHE_H

#include "proto/wire.h"

/* Looks up a reduction. False: it is not in the cache. Spans of the result lie in the arena. */
bool ts_reduce_cached(struct ts_engine *engine, const struct ts_id *run, const struct ts_gate_policy *policy, struct ts_arena *arena,
		      struct ts_gate_run *ret_run);
/* Packs run, keeps the bytes, and returns what a later look-up will find. */
enum ts_status ts_reduce_keep(struct ts_engine *engine, const struct ts_gate_run *run, const struct ts_gate_policy *policy,
			      struct ts_arena *arena, struct ts_gate_run *ret_run, struct ts_error *err);

#endif
