/* baselines.h - which runs a candidate is held against, and why those.
 *
 * Asked for is a branch ("branch:project/main": the most recent <= policy.baselines runs of the candidate's workload on
 * it, among the candidate's ancestors where its facts list them, after the last confirmed change point of step time and
 * the last accepted change) or runs by name, tag or id, or those of a bundle. Passed over, each with its reason: runs marked bad,
 * runs that still train, other workloads, runs of the candidate's own commit, runs that are no ancestors, what lies before a
 * change point or an accepted change. History: what of the branch is of the same workload and lies before, a group a
 * level; where that is too little (degrees of freedom below policy.prior_df_most), other workloads of the branch, a
 * group each level. Only the newest TS_BASELINE_LOOK entries of a branch are looked at, and no more than it takes to fill the
 * baselines and TS_BASELINE_HISTORY runs before them.
 *
 * Where nothing that could be a baseline is of the candidate's workload, input->not_comparable says so and what differs.
 */
#ifndef TSCOPE_HANDLERS_BASELINES_H
#define TSCOPE_HANDLERS_BASELINES_H

#include "proto/wire.h"
#include "service/handlers/gate/branch_runs.h"
#include "service/handlers/gate/gate_subject.h"

enum {
	TS_BASELINE_LOOK = 400,	   /* entries of a branch */
	TS_BASELINE_HISTORY = 100, /* runs of the workload beyond the baselines */
	TS_BASELINE_TOLD = 16,	   /* runs of other workloads of which is told what differs: a head is read for each */
	TS_BASELINE_RANK_ROWS = 65536, /* of all runs of an answer: older baselines go without theirs */
};

/* Whose baselines are looked for. */
struct ts_baseline_query {
	const struct ts_gate_request *request;
	const struct ts_gate_subject
		*candidate;		/* NULL: the newest run says which workload, and nothing is its own commit */
	const struct ts_id *candidates; /* all of its runs: none of them is a baseline */
	size_t n_candidates;
	const struct ts_run_names *names; /* of the project */
};

/* What else a candidate is compared with: the newest baseline. */
struct ts_baseline_found {
	bool any; /* false: there is no baseline */
	struct ts_id newest;
};

/* Appends baselines, history and passed_over to input, which has its policy, and says in input->baseline and ->sentence what was
 * asked for and chosen. differences are those of the newest baseline; where there is none, of the newest run that could have been. */
enum ts_status ts_baselines_select(struct ts_fetch *f, const struct ts_baseline_query *query, struct ts_arena *arena,
				   struct ts_gate_input *input, struct ts_baseline_found *ret_found,
				   struct ts_error *err);

/* --- what those share who fill an input --- */

/* Room for one more; NULL: the arena is full. Zeroed. */
struct ts_gate_run *ts_gate_run_add(struct ts_gate_input *input, struct ts_arena *arena);
struct ts_gate_passed_over *ts_gate_pass_over(struct ts_gate_input *input, struct ts_arena *arena);

/* Is a run of the candidate's workload, as far as the policy wants it to be? *ret_part: a part that differs. */
bool ts_gate_same_workload(const struct ts_gate_policy *policy, const struct ts_workload *run,
			   const struct ts_workload *candidate, enum ts_workload_part *ret_part);

#endif
