/* reduce.h - reduces a stored run to the numbers by which runs are compared (analysis/gate/reduction.h), from a cache if possible.
 *
 * The cache's key is the run's id, TS_ANALYSIS_VERSION and the options that change the result; an entry that does not parse
 * counts as absent. A cached reduction costs one read of the engine and no read of the head, since the ts_workload is kept with
 * it.
 */
#ifndef TSCOPE_SERVICE_HANDLERS_ANALYZE_REDUCE_H
#define TSCOPE_SERVICE_HANDLERS_ANALYZE_REDUCE_H

#include "analysis/gate/gate.h"
#include "service/handlers/core/read.h"

/* Fills workload and reduction of ret_run; the caller sets role, group, id and name. Spans lie in the arena. */
enum ts_status ts_reduce_run(struct ts_fetch *f, const struct ts_id *id, const struct ts_gate_policy *policy, struct ts_arena *arena,
			     struct ts_gate_run *ret_run, struct ts_error *err);

/* TS_NO_MEMORY, by the index alone, if the call has no room to reduce this run, which is open. ts_reduce_run asks that itself unless a
 * cache has the reduction. */
enum ts_status ts_reduce_expect(const struct ts_run *run, struct ts_error *err);

/* Returns all facts by which workloads are compared (ts_workload_compare), sorted: the head's facts, and as hardware.ranks[K].* the
 * devices of other ranks where they differ. Spans point into the run or lie in the arena. */
enum ts_status ts_reduce_facts(const struct ts_run *run, struct ts_arena *arena, struct ts_facts *ret_facts,
			       struct ts_error *err);

#endif
