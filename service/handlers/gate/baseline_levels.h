/* baseline_levels.h - leaves out baselines from before the newest level of a branch: where its step time changed, or
 * a change of it was accepted, the runs before are history. */
#ifndef TSCOPE_HANDLERS_BASELINE_LEVELS_H
#define TSCOPE_HANDLERS_BASELINE_LEVELS_H

#include "service/handlers/gate/baselines.h"

struct ts_baseline_item {
	struct ts_gate_run run;
	struct ts_run_notes notes;
	struct ts_span accepted; /* on a branch: the note; empty: none */
	struct ts_span why_not;	 /* empty: it may be a baseline */
	bool silent;		 /* a candidate itself: neither a baseline nor passed over */
	bool line;		 /* among the ancestors, as far as those are known */
	bool same;		 /* of the candidate's workload */
	bool other;		 /* all that speaks against it is another workload */
	bool beyond;		 /* older than the newest that count */
	unsigned level;		 /* of the same workload and line: counted from the oldest */
};

struct ts_baseline_selection {
	struct ts_fetch *f;
	const struct ts_baseline_query *query;
	struct ts_arena *arena;
	struct ts_gate_input *input;
	const struct ts_gate_policy *policy;
	struct ts_baseline_item *items; /* newest first */
	size_t n, cap;
	size_t kin;    /* of the workload, with nothing against them */
	size_t chosen; /* baselines */
	size_t told;   /* runs of other workloads of which was told what differs */
	bool has_workload;
	struct ts_workload workload;
	struct ts_facts facts; /* of whose workload it is; n = 0: not here */
	bool branch, given;
	struct ts_span what; /* "main" */
	bool use_ancestors, seen_ancestor, no_ancestor_known;
	const char *since; /* ", since the change accepted at 3f2a9c81d0e4"; NULL: all are of one level */
};

/* Gives items their levels, and those before the newest one the reason why they are no baselines. */
enum ts_status ts_baseline_levels(struct ts_baseline_selection *s, struct ts_error *err);
/* Appends what says how far runs of one level lie apart, after the baselines were chosen. */
enum ts_status ts_baseline_history(struct ts_baseline_selection *s, struct ts_error *err);

#endif
