/* policy_item.h - one setting of a policy file, as data; policy.h reads and checks whole files. */
#ifndef TSCOPE_ANALYSIS_ANSWER_POLICY_ITEM_H
#define TSCOPE_ANALYSIS_ANSWER_POLICY_ITEM_H

#include "base/arena.h"

struct ts_policy_item {
	struct ts_span code;	  /* "TIMING.JITTER", "DIVERGENCE" */
	struct ts_span threshold; /* "min_cv", "numeric_jump"; empty: the rule is off or on again */
	bool off;		  /* if threshold is empty */
	double value;		  /* if it is not, and text is empty */
	struct ts_span text;	  /* a setting that is no number, as it stands in the file; empty: value counts */
};

struct ts_policy {
	struct ts_policy_item *items;
	size_t n;
};

#endif
