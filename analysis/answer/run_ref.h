/* run_ref.h - how an answer names a run (id, own name, steps, ranks), and the verdicts of a comparison of runs. */
#ifndef TSCOPE_ANALYSIS_ANSWER_RUN_REF_H
#define TSCOPE_ANALYSIS_ANSWER_RUN_REF_H

#include "base/digest.h"

struct ts_run_ref {
	struct ts_id id;
	struct ts_span own_name; /* the name that the source gives the run; empty if there is none */
	uint64_t steps;		 /* distinct steps of the rank that has most of them */
	int64_t first_step, last_step; /* valid if steps > 0 */
	uint32_t ranks;
};

enum ts_diff_verdict {
	TS_DIFF_SAME = 0,	 /* exit 0: trajectories have the same columns, steps and bits */
	TS_DIFF_DIFFERENT = 1,	 /* exit 1: some common step of a trajectory column differs */
	TS_DIFF_INCONCLUSIVE = 3, /* exit 3: common steps agree; the extent differs or is empty, or only unknown columns differ */
};

const char *ts_verdict_word(enum ts_diff_verdict verdict); /* "same", "different", "inconclusive" */

#endif
