/* finding.h - what a rule reports about a run: one struct for the screen, JSON, HTML and --fail-on.
 *
 * Rules are rows of one table (rule.h). They look at measures only, never at a run. A rule whose measures are not known is
 * listed as unchecked, with the reason.
 */
#ifndef TSCOPE_ANALYSIS_ANSWER_FINDING_H
#define TSCOPE_ANALYSIS_ANSWER_FINDING_H

#include "analysis/answer/event.h"
#include "analysis/answer/measure.h"

enum ts_severity { TS_SEVERITY_LOW = 1, TS_SEVERITY_MEDIUM = 2, TS_SEVERITY_HIGH = 3 };

struct ts_finding {
	struct ts_span code; /* "TIMING.JITTER" */
	enum ts_severity severity;
	struct ts_span title;  /* a few words */
	struct ts_span detail; /* a sentence or two with the numbers */
	struct ts_span advice; /* what to try first */
	bool has_steps;
	int64_t first_step, last_step;
	int32_t *ranks; /* the ranks that the finding is about, ascending; none if it is about the job or the analyzed rank */
	size_t n_ranks;
	/* Of these the rank whose rows are the evidence, if the rule was asked of every rank; the detail has its numbers. */
	bool has_rank;
	int32_t rank;
	struct ts_measure *evidence; /* copies of the rows that decided it */
	size_t n_evidence;
};

struct ts_unchecked {
	struct ts_span code;
	struct ts_span reason; /* "no column phases.backward" */
	int32_t *ranks; /* the ranks on which it could not be checked, where it could be on others; else none */
	size_t n_ranks;
};

struct ts_findings {
	struct ts_finding *items; /* most severe first, then in the order of the table of rules */
	size_t n, cap;
	struct ts_unchecked *unchecked; /* in the order of the table of rules */
	size_t n_unchecked, cap_unchecked;
};

const char *ts_severity_word(enum ts_severity severity); /* "low", "medium", "high"; "" if severity is not valid */
/* False if the word is not one of these. */
bool ts_severity_parse(struct ts_span word, enum ts_severity *ret_severity);

#endif
