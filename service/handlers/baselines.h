/* baselines.h - which runs a candidate is held against, and why those.
 *
 * Asked for is a branch ("branch:project/main": the most recent <= policy.baselines runs of the candidate's workload on
 * it, among the candidate's ancestors where its facts list them, after the last confirmed change point of step time and
 * the last accepted change) or runs by name, tag or id. Passed over, each with its reason: runs marked bad, runs that
 * still train, other workloads, runs of the candidate's own commit, runs that are no ancestors, what lies before a
 * change point or an accepted change. History: what of the branch is of the same workload and lies before, a group a
 * level; where that is too little (degrees of freedom below policy.prior_df_most), other workloads of the branch, a
 * group each. Only the newest TS_BASELINE_LOOK entries of a branch are looked at.
 */
#ifndef TSCOPE_HANDLERS_BASELINES_H
#define TSCOPE_HANDLERS_BASELINES_H

#include "proto/wire.h"
#include "service/handlers/branch_runs.h"

enum { TS_BASELINE_LOOK = 400 /* entries of a branch */ };

/* Adds baselines, history and passed_over to input, and says in input->baseline and ->sentence what was asked for and chosen.
 * candidate may be NULL (`tscope baseline` without a run): then the workload of the newest run counts, and no ancestors. */
enum ts_status ts_baselines_select(struct ts_fetch *f, const struct ts_gate_request *request, const struct ts_gate_run *candidate,
				   struct ts_arena *arena, struct ts_gate_input *input, struct ts_error *err);

#endif
