/* policy.h - what a team sets otherwise than the rules' defaults: thresholds, and rules that are off.
 *
 * A file, one setting a line; # begins a comment:
 *
 *	TIMING.JITTER.min_cv = 0.8
 *	MEMORY.FRAGMENTATION = off
 *
 * Codes and thresholds are those of the table of rules (rule.h); another name is an error with file and line, and so is a value
 * that is no finite number. Of two settings of one threshold the later counts.
 */
#ifndef TSCOPE_ANALYSIS_POLICY_H
#define TSCOPE_ANALYSIS_POLICY_H

#include "base/arena.h"

struct ts_policy_item {
	struct ts_span code;	  /* "TIMING.JITTER" */
	struct ts_span threshold; /* "min_cv"; empty: the rule is off or on again */
	bool off;		  /* if threshold is empty */
	double value;		  /* if it is not */
};

struct ts_policy {
	struct ts_policy_item *items;
	size_t n;
};

/* text of a file called `name` in errors; spans point into text. */
enum ts_status ts_policy_parse(struct ts_span text, const char *name, struct ts_arena *arena, struct ts_policy *ret_policy,
			       struct ts_error *err);
/* TS_INVALID when an item names no rule or threshold of ours: a policy may come from elsewhere. */
enum ts_status ts_policy_check(const struct ts_policy *policy, struct ts_error *err);

#endif
