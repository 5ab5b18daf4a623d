/* bisected.h - the answer to "from which version on is it bad": the version or the range, its chance, and what was judged. */
#ifndef TSCOPE_ANALYSIS_ANSWER_BISECTED_H
#define TSCOPE_ANALYSIS_ANSWER_BISECTED_H

#include "base/span.h"

#include <stdbool.h>
#include <stdint.h>

struct ts_bisected_run {
	uint64_t number, version; /* version: 1 to the number of versions */
	struct ts_span name;	  /* of the version: a commit, or as it was given */
	struct ts_span judged;	  /* "good", "bad", "skipped", "unclear" */
	double evidence;	  /* of bad: the logarithm of how much likelier what was seen is of a bad version; NaN: skipped */
	double value;		  /* what the judge measured; NaN: nothing */
	struct ts_span problem;	  /* why it was skipped; empty */
	struct ts_span folder;
	double seconds;
};

struct ts_bisected {
	struct ts_span sentence;
	bool found;			     /* one version, or a range whose members cannot be told apart; false: it is not decided */
	struct ts_span first, last, subject; /* the first bad version is among these; the subject of the commit, or empty */
	double chance;
	uint64_t versions;
	struct ts_bisected_run *judged;
	size_t n_judged;
	uint64_t runs;
	double seconds;
};

#endif
