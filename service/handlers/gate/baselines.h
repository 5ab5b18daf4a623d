/* baselines.h - the runs with which a candidate is compared, and why those.
 *
 * A request names a branch, runs (by name, tag or id), or a bundle. Of a branch ("branch:project/main") the baselines are the
 * newest runs of the candidate's workload, at most policy.baselines of them; they come from the candidate's ancestors where its
 * facts list them, and lie after the last confirmed change point of step time and the last accepted change.
 *
 * Passed over, each with its reason, are runs that are marked bad, still train, have another workload, ran the candidate's own
 * commit or no ancestor of it, or lie before a change point or an accepted change.
 *
 * The history are the runs of the same workload before the baselines, one group per level. Where they give too few degrees of
 * freedom (below policy.prior_df_most), other workloads of the branch are added, one group per level. Only the newest
 * TS_BASELINE_LOOK entries of a branch are read, and no more than it takes to find the baselines and TS_BASELINE_HISTORY runs
 * before them.
 *
 * What people who do not maintain the project do after the candidate came makes no verdict green (query->since_ns). Runs that they put
 * on a protected branch since are passed over, and baselines that they marked since are lost: input->lost says so. Nor does whoever
 * pushed the candidate feed its baselines: what such a one put on a protected branch, also before, is passed over, unless nobody else
 * ever put anything there.
 *
 * Where no run that could be a baseline has the candidate's workload, input->not_comparable tells so, and what differs.
 */
#ifndef TSCOPE_SERVICE_HANDLERS_GATE_BASELINES_H
#define TSCOPE_SERVICE_HANDLERS_GATE_BASELINES_H

#include "proto/wire.h"
#include "service/handlers/gate/branch_runs.h"
#include "service/handlers/gate/gate_rows.h"
#include "service/handlers/gate/gate_subject.h"

enum {
	TS_BASELINE_LOOK = 400,	   /* entries of a branch */
	TS_BASELINE_HISTORY = 100, /* runs of the workload before the baselines */
	TS_BASELINE_TOLD = 16,	   /* runs of other workloads whose differing facts are listed: each costs reading a head */
	TS_BASELINE_RANK_ROWS = 65536, /* rows of ranks in one answer: older baselines beyond it come without theirs */
};

/* The candidate whose baselines are selected. */
struct ts_baseline_query {
	const struct ts_gate_request *request;
	const struct ts_gate_subject
		*candidate;		/* NULL: the newest run sets the workload, and no commit is excluded */
	const struct ts_id *candidates; /* all runs of the candidate: none of them is a baseline */
	size_t n_candidates;
	const struct ts_run_names *names; /* of the project */
	struct ts_span by; /* who pushed the candidate and did not maintain the project then; empty: nobody, as far as is known */
	int64_t since_ns; /* when the candidate came; INT64_MAX: nobody who may push is kept from deciding */
};

/* The newest baseline, with which facts and loss of the candidate are compared. */
struct ts_baseline_found {
	bool any; /* false: there is no baseline */
	struct ts_id newest;
};

/* Appends baselines, history and passed_over to input, whose policy is set. Writes into input->baseline what was asked for and into
 * input->sentence what was chosen. input->differences are those from the newest baseline or, where there is none, from the newest
 * run that could have been one. */
enum ts_status ts_baselines_select(struct ts_fetch *f, const struct ts_baseline_query *query, struct ts_arena *arena,
				   struct ts_gate_input *input, struct ts_baseline_found *ret_found,
				   struct ts_error *err);

/* Whether a run has the candidate's workload, in all parts that the policy does not allow to differ. *ret_part: a part that
 * differs. */
bool ts_gate_same_workload(const struct ts_gate_policy *policy, const struct ts_workload *run,
			   const struct ts_workload *candidate, enum ts_workload_part *ret_part);

#endif
