/* reduce.h - a stored run to the numbers that runs are compared by (analysis/gate/reduction.h), from the cache where it can be.
 *
 * The cache's key is the run's id, TS_ANALYSIS_VERSION and the options that change the result; what does not parse is
 * not there. One cached reduction costs one read of the engine and no head: ts_workload is kept with it.
 */
#ifndef TSCOPE_SERVICE_HANDLERS_ANALYZE_REDUCE_H
#define TSCOPE_SERVICE_HANDLERS_ANALYZE_REDUCE_H

#include "analysis/gate/gate.h"
#include "service/handlers/core/read.h"

/* Fills workload and reduction of ret_run; role, group, id and name are the caller's. Spans lie in the arena. */
enum ts_status ts_reduce_run(struct ts_fetch *f, const struct ts_id *id, const struct ts_gate_policy *policy, struct ts_arena *arena,
			     struct ts_gate_run *ret_run, struct ts_error *err);

/* All that a workload is compared by (ts_workload_compare): the head's facts, and as hardware.ranks[K].* the devices of
 * other ranks where they differ. Sorted; spans point into the run or lie in the arena. */
enum ts_status ts_reduce_facts(const struct ts_run *run, struct ts_arena *arena, struct ts_facts *ret_facts,
			       struct ts_error *err);

#endif
