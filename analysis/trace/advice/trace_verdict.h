/* trace_verdict.h - what is wrong with a trace that stands alone, or with those of a job, by the rules that runs have, and what to try
 * first.
 *
 * A piece of advice is the finding whose time is longest: what it would save at most is that time, as it was measured. Nothing could
 * save more, because the time holds nothing else: exposed communication and copies overlap with no other work, idle time by cause is
 * idle, and a sum of durations is at least the time that they cover.
 *
 * A finding may be about a large share of the work of a device that hardly works. What could save less than TS_TRACE_ADVICE_LEAST
 * of the time of the devices is no advice: who tries it could not see by a second trace that it helped, as `tscope diff` lets no
 * smaller difference stand out (trace_diff.h).
 *
 * Of a job, whose findings have the numbers of the worst rank, advice follows the order of findings. A rank's time counts there, and
 * of two findings on the same time the sums over ranks say which one is advised.
 */
#ifndef TSCOPE_ANALYSIS_TRACE_ADVICE_TRACE_VERDICT_H
#define TSCOPE_ANALYSIS_TRACE_ADVICE_TRACE_VERDICT_H

#include "analysis/answer/finding.h"
#include "analysis/answer/policy_item.h"
#include "analysis/trace/diff/trace_diff.h"
#include "base/error.h"

enum { TS_TRACE_ADVICE_MAX = 3 };
#define TS_TRACE_ADVICE_LEAST TS_TRACE_DIFF_LEAST

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
	size_t n_slight;		/* findings about too little time to be advice */
	uint64_t span_ns; /* of all devices, added up: what savings are a share of */
};

struct ts_rank_rows;
struct ts_trace_answer;
struct ts_trace_job;

/* Fills io_answer->verdict. policy may be NULL; a rule that it names has to exist (ts_policy_check). */
enum ts_status ts_trace_judge(struct ts_trace_answer *io_answer, const struct ts_policy *policy, struct ts_arena *arena,
			      struct ts_error *err);
/* Fills findings and advice of the job from the rows of one trace of each rank, which belong to ranks of the job, ascending. They
 * get the rows that only a job knows: what the rank waited for others while it computed nothing, and which rank others waited for
 * longest. */
enum ts_status ts_trace_job_judge(struct ts_trace_job *io_job, struct ts_rank_rows *io_ranks, size_t n_ranks,
				  const struct ts_policy *policy, struct ts_arena *arena, struct ts_error *err);

#endif
