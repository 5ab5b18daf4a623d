/* reduced_ahead.h - the reductions of the runs of a branch, some hundred of them ahead, of which the members of the store do a share
 * (shared_work.h).
 *
 *	ts_reduced_ahead_begin(&a, f, &request, &policy)
 *	ts_reduced_ahead_entry(&a, runs, n, i, arena, &run, err)	for i from 0 to n - 1: ts_branch_reduce of runs[i]
 *	ts_reduced_ahead_end(&a)
 *
 * Without members, and of few runs, one run is reduced at a time, and nothing ahead.
 */
#ifndef TSCOPE_SERVICE_HANDLERS_GATE_REDUCED_AHEAD_H
#define TSCOPE_SERVICE_HANDLERS_GATE_REDUCED_AHEAD_H

#include "proto/wire.h"
#include "service/handlers/core/shared_work.h"
#include "service/handlers/gate/branch_runs.h"

struct ts_reduced_ahead {
	struct ts_fetch *f;
	const struct ts_gate_policy *policy;
	struct ts_reduce_request request; /* without ids; from 0: there are no members */
	struct ts_arena arena;		  /* of those that are ahead */
	struct ts_branch_run *runs;
	size_t from, n; /* which entries these are */
	struct ts_id *ids;
	bool *done;
};

/* request has metric and policy, as they came; `policy` is what they come to. All outlive a. */
void ts_reduced_ahead_begin(struct ts_reduced_ahead *a, struct ts_fetch *f, const struct ts_reduce_request *request,
			    const struct ts_gate_policy *policy);
/* Spans of the result are valid until the next call. */
enum ts_status ts_reduced_ahead_entry(struct ts_reduced_ahead *a, const struct ts_branch_run *entries, size_t n, size_t i,
				      struct ts_arena *arena, struct ts_branch_run *ret_run, struct ts_error *err);
void ts_reduced_ahead_end(struct ts_reduced_ahead *a);

/* What a request's metric and policy come to: *ret_metric is the one that it names. TS_INVALID, also for a metric that is no name. */
enum ts_status ts_reduced_policy(struct ts_span metric, const struct ts_policy *items, struct ts_arena *arena,
				 struct ts_gate_policy *ret_policy, enum ts_metric *ret_metric, struct ts_error *err);

#endif
