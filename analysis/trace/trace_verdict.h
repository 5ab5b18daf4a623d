/* trace_verdict.h - what is wrong with a trace that stands alone, by the rules that runs have, and what to try first.
 *
 * A piece of advice is the finding whose time is longest: what it would save at most is that time, as it was measured. Nothing could
 * save more, because the time holds nothing else: exposed communication and copies overlap with no other work, idle time by cause is
 * idle, and a sum of durations is at least the time that they cover.
 */
#ifndef TSCOPE_ANALYSIS_TRACE_TRACE_VERDICT_H
#define TSCOPE_ANALYSIS_TRACE_TRACE_VERDICT_H

#include "analysis/answer/finding.h"
#include "analysis/answer/policy_item.h"
#include "base/error.h"

enum { TS_TRACE_ADVICE_MAX = 3 };

struct ts_trace_advice {
	struct ts_span code;	/* of the finding */
	struct ts_span what;	/* its title */
	struct ts_span how;	/* what to try */
	uint64_t saves_most_ns; /* of the time of all devices */
};

struct ts_trace_verdict {
	struct ts_measures measures; /* trace_rows.h */
	struct ts_findings findings;
	struct ts_trace_advice *advice; /* what saves most first */
	size_t n_advice;		/* TS_TRACE_ADVICE_MAX at most */
	uint64_t span_ns; /* of all devices, added up: what savings are a share of */
};

struct ts_trace_answer;

/* Fills io_answer->verdict. policy may be NULL; a rule that it names has to exist (ts_policy_check). */
enum ts_status ts_trace_judge(struct ts_trace_answer *io_answer, const struct ts_policy *policy, struct ts_arena *arena,
			      struct ts_error *err);

#endif
