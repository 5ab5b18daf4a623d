/* retention_plan.h - decides which entries of branches and which names of runs go, and why the others stay.
 *
 * What stays, by the first of these reasons that holds:
 *
 *	newest		the newest entry of a branch
 *	no rule, all	no rule matches the branch or name, or the rule says all
 *	later		it came after the moment of the plan
 *	last, younger	the rule counts it among the newest N, or as young enough
 *	tagged		a tag points at its run
 *	noted		a name of its run has one of the policy's notes
 *	training	a name of its run says that it still trains
 *	on a branch	an entry that stays has its run: its name holds the notes that the gate reads
 *
 * `last N` counts runs, not entries: a run that was pushed again while it trained has an entry for each push, and they stay or go
 * together. Of names it counts those of a project that the rule is for. What came after the moment of the plan is not counted, so the
 * same plan at a later time finds no more to let go.
 */
#ifndef TSCOPE_ANALYSIS_RETENTION_RETENTION_PLAN_H
#define TSCOPE_ANALYSIS_RETENTION_RETENTION_PLAN_H

#include "analysis/retention/retention_policy.h"
#include "base/digest.h"

enum ts_retention_reason {
	TS_RETENTION_GOES,
	TS_RETENTION_NEWEST,
	TS_RETENTION_NO_RULE,
	TS_RETENTION_ALL,
	TS_RETENTION_LATER,
	TS_RETENTION_LAST,
	TS_RETENTION_YOUNGER,
	TS_RETENTION_TAGGED,
	TS_RETENTION_NOTED,
	TS_RETENTION_TRAINING,
	TS_RETENTION_ON_BRANCH,
	TS_RETENTION_REASONS
};

const char *ts_retention_reason_word(int reason); /* "among the newest", ...; NULL if there is none of this number */

struct ts_retention_name { /* of a run */
	struct ts_span name;
	struct ts_id id;
	int64_t moved_ns;
	bool noted, training;
	enum ts_retention_reason why; /* set by the plan */
	bool gone;		      /* for the caller: it was let go since */
};

struct ts_retention_entry {
	uint64_t seq;
	struct ts_id id;
	int64_t moved_ns;
	enum ts_retention_reason why; /* set by the plan */
	bool gone;		      /* for the caller: it was let go since */
};

struct ts_retention_branch {
	struct ts_span name;
	struct ts_retention_entry *entries; /* newest first */
	size_t n;
	const struct ts_retention_rule *rule; /* set by the plan; NULL: none matches */
};

/* A run that a name pointed at, now or before. */
struct ts_retention_version {
	struct ts_id id;
	size_t name; /* index */
};

struct ts_retention_store {
	struct ts_retention_branch *branches;
	size_t n_branches;
	struct ts_retention_name *names; /* in the order of their names */
	size_t n_names;
	struct ts_retention_version *versions;
	size_t n_versions;
	struct ts_id *tagged;
	size_t n_tagged;
};

/* Sets why of everything in store, as of now_ns. Sorts versions and tagged. */
enum ts_status ts_retention_plan(const struct ts_retention_policy *policy, int64_t now_ns, struct ts_retention_store *store,
				 struct ts_arena *arena, struct ts_error *err);

/* The rule for a branch or a name of a run; NULL: none matches. */
const struct ts_retention_rule *ts_retention_rule_for(const struct ts_retention_policy *policy, bool branch, struct ts_span name);

#endif
