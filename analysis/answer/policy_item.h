/* policy_item.h - one setting of a policy file, as data; policy.h reads and checks whole files. */
#ifndef TSCOPE_ANALYSIS_ANSWER_POLICY_ITEM_H
#define TSCOPE_ANALYSIS_ANSWER_POLICY_ITEM_H

#include "base/arena.h"

struct ts_policy_item {
	struct ts_span code;	  /* "TIMING.JITTER", "DIVERGENCE" */
	struct ts_span threshold; /* "min_cv", "numeric_jump"; empty: the item switches the rule off or on */
	bool off;		  /* if threshold is empty: the rule is switched off */
	double value;		  /* if threshold is not empty and text is */
	struct ts_span text;	  /* a setting that is not a number, as it stands in the file; empty: value holds the setting */
};

struct ts_policy {
	struct ts_policy_item *items;
	size_t n;
};

#endif
