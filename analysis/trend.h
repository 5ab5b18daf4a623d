/* trend.h - the answer of `tscope trend`: one metric of the runs of a branch, and where its level changed. */
#ifndef TSCOPE_ANALYSIS_TREND_H
#define TSCOPE_ANALYSIS_TREND_H

#include "analysis/gate.h"

struct ts_trend_run {
	struct ts_id id;
	struct ts_span commit;	  /* empty: not recorded */
	int64_t moved_ns;	  /* when it came onto the branch */
	bool known;		  /* has a value that counts */
	double value;		  /* in the metric's unit */
	struct ts_span reason;	  /* if not: "marked bad: ...", "of another workload", "no column ..." */
	bool accepted;		  /* a change was accepted here */
	struct ts_span accept_reason;
};

struct ts_trend_change {
	size_t at;		  /* index of the first run of the new level */
	size_t last_before;	  /* index of the last run of the old one that has a value: the commits between the two are to blame */
	double before, after;	  /* medians, in the metric's unit */
	double size;		  /* relative: after / before - 1 */
	double p;
	bool worse;
	bool accepted;
};

struct ts_trend {
	struct ts_span branch;	  /* "project/main" */
	enum ts_metric metric;
	struct ts_span workload;  /* which was followed: its name, or the first digits of its key */
	struct ts_trend_run *runs;	/* oldest first */
	size_t n_runs;
	uint64_t left_out;	  /* of them, without a value */
	uint64_t older;		  /* runs before the first, not looked at */
	struct ts_trend_change *changes; /* ascending */
	size_t n_changes;
	struct ts_span sentence;  /* "step time of main rose by 3.1 % between 3f2a... and 77b0..., 12 runs ago" */
};

#endif
