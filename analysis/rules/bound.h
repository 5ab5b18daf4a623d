/* bound.h - what a run is bound by: one verdict, the share of each cause, and what to try, ordered by what it could win back.
 *
 * The verdict depends on rows alone, mainly on those of group "budget" (efficiency.h). The shares of the wall time are:
 *
 *	input		waiting for data (data_stall)
 *	compute		forward, backward, optimizer and what else the devices do (useful_compute + compute_overhead)
 *	communication	transfer: the least time that any rank spends in collectives
 *	wait		waiting for slower ranks, as a mean over the ranks
 *	host		checkpoints, evaluation, logging (other), and time that no phase accounts for (unattributed)
 *
 * What is left is unclassified: nobody can say what was done in it, so it is no cause. Many logs have the time of whole steps alone.
 *
 * Where the ranks were compared, transfer and wait are those of the whole job, and the analyzed rank only decides how the
 * rest divides: if it happens to be a straggler, it waits for nobody.
 *
 * A trace of the rank shows what phases on the host hide. Where they do not tell the transfer, it is the exposed communication of the
 * trace; and what the device was idle for the host beyond the other shares but compute is host. Both are taken from compute, in whose
 * phases they lie. Shares of a trace are of the devices' time in it.
 *
 * A memory snapshot of the rank shows what retries of the allocator took at least: while it gives back and asks the device again, the
 * host waits for the device to end all its work. That share of the time of the snapshot's events is host, taken from compute. Whether
 * memory limits the run is told beside the verdict (memory_advice.h), because it is no share of time.
 *
 * The verdict is the largest share among those that
 * reach their limit. Each limit is the one of the rule on the same cause, so that verdict and findings agree: input 25 %
 * (TIMING.DATALOADER_BOUND), communication 25 % (DIST.COMM_BOUND), wait 15 % (DIST.WAIT_BOUND), host 20 %
 * (EFFICIENCY.RECOVERABLE). If no share reaches its limit, the verdict is stalls if a few long steps take TS_BOUND_STALLS_LEAST
 * of the time (whatever they did in it), compute from TS_BOUND_COMPUTE_LEAST on, unknown if more of the time than that leaves is
 * unclassified, otherwise balanced; with fewer than TS_BOUND_STEPS steps it is unknown. The limits are the defaults: a policy
 * changes findings, not the verdict. The answer also lists what the data cannot show.
 */
#ifndef TSCOPE_ANALYSIS_RULES_BOUND_H
#define TSCOPE_ANALYSIS_RULES_BOUND_H

#include "analysis/answer/finding.h"
#include "analysis/rules/memory_advice.h"

enum { TS_BOUND_STEPS = 10 };

#define TS_BOUND_COMPUTE_LEAST 0.85
/* The share of time that long steps take beyond a median step, from which they are the verdict if nothing else is. */
#define TS_BOUND_STALLS_LEAST 0.25
/* A fix that could win back less of the wall time than this is not listed. */
#define TS_BOUND_WORTH 0.01

enum ts_bound_kind {
	TS_BOUND_UNKNOWN = 0, /* no timing at all, or too few steps */
	TS_BOUND_INPUT = 1,
	TS_BOUND_COMPUTE = 2,
	TS_BOUND_COMMUNICATION = 3,
	TS_BOUND_WAIT = 4,
	TS_BOUND_HOST = 5,
	TS_BOUND_BALANCED = 6,
	TS_BOUND_STALLS = 7, /* no cause stands out, but a few long steps take much of the time */
};

struct ts_bound_share {
	enum ts_bound_kind kind;
	bool known;
	double share;	       /* of wall time, 0 to 1 */
	struct ts_span reason; /* if not known */
};

/* A fix is one thing to try: its conditions are known to be true, and something measured bounds what it could save. */
struct ts_fix {
	struct ts_span name;   /* "more data loader workers" */
	struct ts_span how;    /* "num_workers=..., persistent_workers=True"; with the place in the code, where rows name it */
	struct ts_span costs;  /* empty: nothing that is known */
	struct ts_span source; /* a paper or a document */
	enum ts_bound_kind of; /* the cause whose share the fix would shrink */
	double wins_most_ratio; /* the most that it could win back, of wall time, as it was measured */
	uint32_t effort;       /* 1 a flag, 2 a few lines, 3 a change of the model or the job */
};

/* What is worth checking is a fix of which the record shows neither that it is needless nor that it helps, or by how much. */
struct ts_to_check {
	struct ts_span name, how;
	struct ts_span check; /* what would tell, in one line */
	struct ts_span costs, source;
	enum ts_bound_kind of;
	uint32_t effort;
};

struct ts_bound {
	enum ts_bound_kind kind;
	struct ts_span sentence; /* "input-bound: 52 % of the wall time is spent waiting for data" */
	struct ts_bound_share shares[5]; /* input, compute, communication, wait, host: in this order */
	/* First those against what the run is bound by; then by what they may win back, in coarse steps; then the cheapest. */
	struct ts_fix *fixes;
	size_t n_fixes;
	struct ts_to_check *to_check; /* in the same order */
	size_t n_to_check;
	struct ts_memory_advice memory; /* by a memory snapshot; empty without one */
	struct ts_span *unknowns; /* one sentence for each thing that the data cannot show */
	size_t n_unknowns;
};

const char *ts_bound_word(enum ts_bound_kind kind); /* "unknown", "input", "compute", ... */
enum ts_status ts_bound_decide(const struct ts_measures *measures, struct ts_arena *arena, struct ts_bound *ret_bound,
			       struct ts_error *err);

#endif
