/* branch_runs.h - the history of a branch as runs: each once, reduced, with what is noted beside its names.
 *
 * Newest first, in the order of the branch's log. A run that came onto the branch more than once stands at its newest
 * entry. A run that was pushed again while it trained (its name has moved on to a later entry of the branch, which began in
 * the same session at the same time, of the same commit) is to be left out: the later entry is the same run. Names are
 * those of the branch's project, and are listed once a call.
 *
 *	ts_branch_entries	without values
 *	ts_branch_reduce	of those that are wanted, in an arena of one's own
 *	ts_branch_same_run	of an entry and its later one: is it left out?
 */
#ifndef TSCOPE_SERVICE_HANDLERS_GATE_BRANCH_RUNS_H
#define TSCOPE_SERVICE_HANDLERS_GATE_BRANCH_RUNS_H

#include "service/handlers/analyze/reduce.h"

struct ts_branch_run {
	struct ts_gate_run run;
	uint64_t seq;
	int64_t moved_ns;	 /* when it came onto the branch */
	struct ts_span bad;	 /* the note; empty: it is not marked */
	struct ts_span accepted; /* the reason; empty: none */
	bool training;		 /* its state is "running" */
	bool gone;		 /* its objects are no longer there, or damaged: why stands in bad */
	size_t later;		 /* of the entries: at which its name pointed next, less than its own index; SIZE_MAX: none */
};

/* branch: "project/name" of a branch that exists, else TS_NOT_FOUND. limit: entries of the log, newest; 0: all.
 * ret_older: entries that were not looked at. Runs that were pushed again are among them, and nothing is known of any but id, name
 * and notes. Results lie in the arena. */
enum ts_status ts_branch_entries(struct ts_fetch *f, struct ts_span branch, size_t limit, struct ts_arena *arena,
				 struct ts_branch_run **ret_runs, size_t *ret_n, uint64_t *ret_older, struct ts_error *err);
/* Fills run->run, or says in run->bad why the run is gone, which is no error. */
enum ts_status ts_branch_reduce(struct ts_fetch *f, const struct ts_gate_policy *policy, struct ts_arena *arena,
				struct ts_branch_run *run, struct ts_error *err);
/* Of an entry and its later one, both reduced: are they one run? */
bool ts_branch_same_run(const struct ts_workload *entry, const struct ts_workload *later);

#endif
