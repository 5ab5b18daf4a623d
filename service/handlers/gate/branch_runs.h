/* branch_runs.h - lists the history of a branch as runs: each run once, reduced, with the notes of its names.
 *
 * The runs are in the order of the branch's log, newest first. A run that was put on the branch more than once stands at its
 * newest entry. A run that was pushed again while it trained has two entries: its name has moved on to the later one, which has
 * the same session, start time and commit. The earlier entry is to be left out, since both are the same run. Only names of the
 * branch's project are looked at, and they are listed once per call. What is noted of a name, other than its state, holds for every
 * entry that the name has pointed at: else a run that is pushed once more would leave its mark behind.
 *
 *	ts_branch_entries	lists the entries, without values
 *	ts_branch_reduce	reduces a wanted entry, in an arena of the caller
 *	ts_branch_same_run	says whether an entry and its later one are the same run
 */
#ifndef TSCOPE_SERVICE_HANDLERS_GATE_BRANCH_RUNS_H
#define TSCOPE_SERVICE_HANDLERS_GATE_BRANCH_RUNS_H

#include "service/handlers/core/run_names.h"
#include "service/handlers/gate/logged_series.h"

struct ts_branch_run {
	struct ts_gate_run run;
	uint64_t seq;
	int64_t moved_ns;	 /* when it was put on the branch */
	struct ts_span who;	 /* who put it there */
	enum ts_standing standing;
	struct ts_run_marks marks;
	struct ts_span bad;	 /* the note `bad`; empty: the run is not marked bad */
	struct ts_span accepted; /* the note `accepted`; empty: there is none */
	bool training;		 /* its state is "running" or "hung" */
	bool gone;		 /* its objects are missing or damaged; bad says why */
	size_t later;		 /* index of the entry to which its name moved on, below its own index; SIZE_MAX: none */
};

/* branch is the "project/name" of an existing branch, else TS_NOT_FOUND. limit is the number of newest entries of the log to
 * look at; 0: all. *ret_older is the number of older entries that the branch still has, *ret_pruned what it has no more. Runs that
 * were pushed again are listed too, and only id, name and notes of each run are filled in. Results lie in the arena. */
enum ts_status ts_branch_entries(struct ts_fetch *f, struct ts_span branch, size_t limit, struct ts_arena *arena,
				 struct ts_branch_run **ret_runs, size_t *ret_n, uint64_t *ret_older, struct ts_pruned *ret_pruned,
				 struct ts_error *err);
/* Fills run->run. If the run is gone, that is not an error: it sets run->gone, and run->bad says why. */
enum ts_status ts_branch_reduce(struct ts_fetch *f, const struct ts_gate_policy *policy, struct ts_arena *arena,
				struct ts_branch_run *run, struct ts_error *err);
/* Whether an entry and its later one, both reduced, are the same run. */
bool ts_branch_same_run(const struct ts_workload *entry, const struct ts_workload *later);

#endif
