/* baseline_levels.h - leaves out baselines from before the newest level of a branch: where its step time changed, or
 * a change of it was accepted, the runs before are history. */
#ifndef TSCOPE_SERVICE_HANDLERS_GATE_BASELINE_LEVELS_H
#define TSCOPE_SERVICE_HANDLERS_GATE_BASELINE_LEVELS_H

#include "service/handlers/gate/baselines.h"

struct ts_baseline_item {
	struct ts_gate_run run;
	struct ts_run_notes notes;
	struct ts_span accepted; /* the note `accepted` of a run on a branch; empty: there is none */
	struct ts_span why_not;	 /* why the run is not a baseline; empty: it may be one */
	bool silent;		 /* the run is itself a candidate: neither a baseline nor listed among the rejected runs */
	bool line;		 /* its commit is an ancestor of the candidate's, as far as ancestors are known */
	bool stranger;		 /* its commit being no ancestor is the only reason why it is not a baseline */
	bool same;		 /* it has the candidate's workload */
	bool other;		 /* its workload is the only reason why it is not a baseline */
	bool beyond;		 /* it is older than the newest runs that count */
	unsigned level;		 /* number of its level among runs of the same workload and line, counted from the oldest */
};

struct ts_baseline_selection {
	struct ts_fetch *f;
	const struct ts_baseline_query *query;
	struct ts_arena *arena;
	struct ts_gate_input *input;
	const struct ts_gate_policy *policy;
	struct ts_baseline_item *items; /* newest first */
	size_t n, cap;
	size_t kin;    /* runs of the workload that nothing speaks against */
	size_t chosen; /* baselines */
	size_t rewritten; /* baselines that are no ancestors */
	size_t lost;	  /* baselines that somebody marked since the candidate came */
	size_t doubtful;  /* of these, those that nobody who maintains the project marked */
	struct ts_span lost_by; /* who marked one of them, a doubtful one if there is any */
	bool lost_by_others;	/* others marked others of them, doubtful ones if there are any */
	size_t told;   /* runs of other workloads whose differing facts were listed */
	bool has_workload;
	struct ts_workload workload;
	struct ts_facts facts; /* of the run that sets the workload; n = 0: that run is not here */
	bool branch, given;
	bool protected; /* the branch moves by pushes only */
	bool fed;	/* by others than whoever pushed the candidate, too */
	size_t own;	/* runs that whoever pushed the candidate put on a protected branch, and that are passed over */
	struct ts_span what; /* the branch: "main" */
	bool use_ancestors, seen_ancestor, no_ancestor_known;
	bool no_branch; /* the project has no branch yet, so that the one that is asked for has no run */
	struct ts_pruned pruned; /* of the branch */
	const char *since; /* " since the change accepted at 3f2a9c81d0e4"; NULL: all runs are of one level */
};

/* Gives each item its level, and each item before the newest level the reason why it is not a baseline. */
enum ts_status ts_baseline_levels(struct ts_baseline_selection *s, struct ts_error *err);
/* Appends the history, from which the spread between runs is known. Called after the baselines were chosen. */
enum ts_status ts_baseline_history(struct ts_baseline_selection *s, struct ts_error *err);

#endif
