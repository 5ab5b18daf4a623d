/* bound.h - what a run is bound by: one verdict, the share of each cause, and what to do, by what it would win back.
 *
 * Decided from rows alone, those of group "budget" (efficiency.h) first of all. Shares of the wall time:
 *
 *	input		waiting for data (data_stall)
 *	compute		forward, backward, optimizer and what else the devices do (useful_compute + compute_overhead)
 *	communication	transfer: the least of the ranks' time in collectives
 *	wait		for slower ranks, by the mean over ranks
 *	host		checkpoints, evaluation, logging (other), and time that no phase accounts for (unattributed)
 *
 * Where ranks were laid side by side, transfer and wait are those of the whole job, and the rank in view says only how the
 * rest divides: a straggler that happens to be in view waits for nobody. The verdict is the greatest share among those
 * that reach their limit, which is that of the rule on the same thing, so that verdict and findings agree: input 25 %
 * (TIMING.DATALOADER_BOUND), communication 25 % (DIST.COMM_BOUND), wait 15 % (DIST.WAIT_BOUND), host 20 %
 * (EFFICIENCY.RECOVERABLE); compute from TS_BOUND_COMPUTE_LEAST if none does; else balanced. Fewer than TS_BOUND_STEPS
 * steps: unknown. Limits are the defaults: a policy moves findings, not the verdict. What cannot be told from the data at
 * hand is said.
 */
#ifndef TSCOPE_ANALYSIS_RULES_BOUND_H
#define TSCOPE_ANALYSIS_RULES_BOUND_H

#include "analysis/answer/finding.h"

enum { TS_BOUND_STEPS = 10 };

#define TS_BOUND_COMPUTE_LEAST 0.85
/* Fixes that could win back less of the wall time are not listed. */
#define TS_BOUND_WORTH 0.01

enum ts_bound_kind {
	TS_BOUND_UNKNOWN = 0, /* no timing at all, or too few steps */
	TS_BOUND_INPUT = 1,
	TS_BOUND_COMPUTE = 2,
	TS_BOUND_COMMUNICATION = 3,
	TS_BOUND_WAIT = 4,
	TS_BOUND_HOST = 5,
	TS_BOUND_BALANCED = 6,
};

struct ts_bound_share {
	enum ts_bound_kind kind;
	bool known;
	double share;	       /* of wall time, 0 to 1 */
	struct ts_span reason; /* if not known */
};

/* One thing to try. */
struct ts_fix {
	struct ts_span name;   /* "more data loader workers" */
	struct ts_span how;    /* "num_workers=..., persistent_workers=True" */
	enum ts_bound_kind of; /* the share that it would shrink */
	double wins_most_ratio; /* the most that it could win back, of wall time */
	uint32_t effort;       /* 1 a flag, 2 a few lines, 3 a change of the model or the job */
};

struct ts_bound {
	enum ts_bound_kind kind;
	struct ts_span sentence; /* "input-bound: 52 % of the time of a step goes into waiting for data" */
	struct ts_bound_share shares[5]; /* input, compute, communication, wait, host: in this order */
	struct ts_fix *fixes;	 /* by what they could win back in coarse steps, the cheapest first within one */
	size_t n_fixes;
	struct ts_span *unknowns; /* what cannot be told, a sentence each */
	size_t n_unknowns;
};

const char *ts_bound_word(enum ts_bound_kind kind); /* "unknown", "input", "compute", ... */
enum ts_status ts_bound_decide(const struct ts_measures *measures, struct ts_arena *arena, struct ts_bound *ret_bound,
			       struct ts_error *err);

#endif
