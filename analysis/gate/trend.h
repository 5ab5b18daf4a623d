/* trend.h - the answer of `tscope trend`: one metric of the runs of a branch, and where its level changed.
 *
 * Values are compared as a gate compares them: by ratio, or, where the metric is no ratio (share of stalls, loss), by
 * difference over the magnitude of the series. Change points are those of change_point.h over the runs that have a value;
 * the commits between the last of the old level and the first of the new one are to blame. Memory is watched so, by its
 * level, and not against the greatest it ever was: that would let it creep.
 */
#ifndef TSCOPE_ANALYSIS_TREND_H
#define TSCOPE_ANALYSIS_TREND_H

#include "analysis/gate/gate.h"

struct ts_trend_run {
	struct ts_id id;
	struct ts_span commit;	  /* empty: not recorded */
	int64_t moved_ns;	  /* when it came onto the branch */
	bool known;		  /* has a value that counts */
	double value;		  /* in the metric's unit */
	struct ts_span reason;	  /* if not: "marked bad: ...", "of another workload: ...", "no column ..." */
	bool accepted;		  /* a change was accepted here */
	struct ts_span accept_reason;
};

struct ts_trend_change {
	size_t at;		  /* index of the first run of the new level */
	size_t last_before;	  /* index of the last run of the old one that has a value: the commits between the two are to blame */
	double before, after;	  /* medians, in the metric's unit */
	double size;		  /* relative: after / before - 1; infinite where before is 0 */
	double p;
	bool worse;
	bool accepted;		  /* on a run of the new level, or of the two before it: the place may be off by so many */
};

struct ts_trend {
	struct ts_span branch;	  /* "project/main" */
	enum ts_metric metric;
	struct ts_span workload;  /* which was followed: its name, or the first digits of its key; empty: no run has any */
	struct ts_trend_run *runs;	/* oldest first */
	size_t n_runs;
	uint64_t left_out;	  /* of them, without a value */
	uint64_t older;		  /* entries of the branch before the first, not looked at */
	struct ts_trend_change *changes; /* ascending */
	size_t n_changes;
	struct ts_span sentence;  /* "step time of main rose by 3.1 % between 3f2a... and 77b0..., 12 runs ago" */
};

/* Runs, metric and branch of trend are there: finds left_out, changes and sentence. A value that a metric cannot have
 * (not finite; not above 0 where ratios are compared) is taken from its run, which says so. */
enum ts_status ts_trend_judge(struct ts_trend *trend, const struct ts_gate_policy *policy, struct ts_arena *arena,
			      struct ts_error *err);
/* Is the newest level worse than the one before, and was that not accepted? */
bool ts_trend_is_worse(const struct ts_trend *trend);

#endif
