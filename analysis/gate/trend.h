/* trend.h - the answer of `tscope trend`: one metric of the runs of a branch, where its level changed, or how it drifts.
 *
 * Values are compared as a gate compares them: by ratio, or, for share of stalls and loss, by difference over the magnitude of
 * the series. What hosts and weekdays add is taken out where it is certain (trend_effects.h). change_point.h finds the change
 * points over the runs that have a value, without bursts (burst.h); those are claimed with which the series is more likely than by its
 * wandering (wander.h), and the others are listed as moved. Where one
 * straight line describes the series better than its steps, it drifts. The cause of a change lies in the commits between the last
 * run of the old level and the first run of the new one. Memory is compared with its level and not with its maximum so far,
 * because such a limit would let memory grow slowly.
 */
#ifndef TSCOPE_ANALYSIS_GATE_TREND_H
#define TSCOPE_ANALYSIS_GATE_TREND_H

#include "analysis/gate/gate.h"

enum { TS_TREND_OTHERS = 32 };

struct ts_trend_run {
	struct ts_id id;
	struct ts_span commit;	  /* empty: not recorded */
	int64_t moved_ns;	  /* when it came onto the branch */
	bool known;		  /* the run has a value that counts */
	double value;		  /* in the metric's unit */
	struct ts_span host;	  /* empty: not recorded */
	int64_t started_ns;	  /* 0: not recorded */
	struct ts_span reason;	  /* why the run does not count: "marked bad: ...", "of another workload: ..." */
	bool another;		  /* that reason is that it is of another workload */
	size_t other;		  /* of a run of another workload with a value: its number in `others`, from 1. Not on the wire */
	bool accepted;		  /* a change was accepted at this run */
	struct ts_span accept_reason;
};

/* What became of a change. */
enum ts_trend_cost {
	TS_TREND_ADDED = 0,	/* it is for the worse and stays */
	TS_TREND_TAKEN_OFF = 1, /* it is for the better and stays */
	TS_TREND_WENT = 2,	/* a later change brought the level back */
	TS_TREND_CAME_BACK = 3, /* it brought the level back to that before an earlier change */
	TS_TREND_MOVED = 4,	/* the level of another workload moved the other way by as much */
	TS_TREND_UNKNOWN = 5,	/* it stays, and nobody knows which way the series is better */
};

struct ts_trend_change {
	uint64_t at;		  /* index of the first run of the new level */
	uint64_t last_before;	  /* index of the last run of the old level that has a value: the cause lies in the commits between */
	double before, after;	  /* medians, in the metric's unit, without the effects of hosts and weekdays */
	double size;		  /* relative: after / before - 1; infinite where before is 0 */
	double p;
	bool worse;
	bool accepted;		  /* at a run of the new level or at one of the two runs before it, since the place may be off by two */
	bool with_host;		  /* the runs before and after are of hosts that cannot be compared: host or change, nobody can tell */
	struct ts_span
		machines; /* in what the machine behind it differed from that before it, as what may explain it
				     (analysis/machine); empty: in nothing known. Not of a place that moved, and not set by
				     ts_trend_judge */
	struct ts_span other;	  /* a workload of the branch whose level moved the other way by as much; empty: none did */
	double other_size;	  /* relative, of that workload */
	struct ts_span commit_before, commit_after; /* of the runs last_before and at; empty: not recorded */
	struct ts_span host_before, host_after;	    /* the same */
	uint64_t runs_ago;	  /* how many runs of the trend have come since, `at` counted */
	enum ts_trend_cost cost;
	uint64_t mate;		  /* of WENT and CAME_BACK: the index of the other change in `changes` */
};

/* A straight line through all runs that have a value. */
struct ts_trend_drift {
	uint64_t from, to;	  /* indexes of the first and the last of them */
	double size;		  /* relative, over all of them: end / begin - 1 */
	double low, high;	  /* its 99 % interval */
	bool worse;
	bool accepted;		  /* a change was accepted at one of the runs */
};

struct ts_trend {
	struct ts_span branch;	  /* "project/main" */
	struct ts_span name;	  /* of the metric, "step_time", or of a logged series, "val_bpb" */
	enum ts_metric metric;	  /* TS_METRICS: a logged series */
	enum ts_better better;	  /* UNKNOWN: no change is called worse */
	struct ts_span column, other_column; /* of a loss (metric.h): that of the newest run, and of the newest that has another
						one; not on the wire */
	struct ts_span workload;  /* the workload that counts: its name, or the first digits of its key; empty: no run has any */
	struct ts_trend_run *runs;	/* oldest first */
	size_t n_runs;
	uint64_t left_out;	  /* how many of runs have no value that counts */
	uint64_t older;		  /* older entries of the branch that were not read */
	uint64_t pruned;	  /* entries that a policy of retention took out of the branch */
	int64_t pruned_ns;	  /* the last time; 0: never */
	const struct ts_span *others; /* other workloads of the branch, at most TS_TREND_OTHERS. Not on the wire */
	size_t n_others;
	struct ts_trend_change *changes; /* ascending */
	size_t n_changes;
	const struct ts_trend_drift *drift; /* NULL: none is claimed. Where there is one, there are no changes, and nothing moved */
	struct ts_trend_change *moved; /* places where the level moved and which are not claimed: more likely than a change is that
					  the level wanders, or they are too new to tell from bursts that came and went. `with_host`,
					  `other` and what follows from them are not set */
	size_t n_moved;
	double host_spread;	  /* relative: how much hosts differ, which was taken out; 0: nothing was */
	double weekday_spread;	  /* the same of weekdays */
	struct ts_span sentence;  /* "step time of main rose by 3.1 % between 3f2a... and 77b0..., 12 runs ago" */
};

/* The caller has set runs, metric and branch of trend; a logged series has that place in the policy, whose names must outlive trend.
 * This finds the rest but workload and older. A run whose value the metric cannot have (not finite; not above 0 where ratios are
 * compared) does not count, and gets the reason. */
enum ts_status ts_trend_judge(struct ts_trend *trend, const struct ts_gate_policy *policy, struct ts_arena *arena,
			      struct ts_error *err);
/* The title of its metric (metric.h), which as the sentence does names the column where it is not the usual one. NULL: the arena is
 * full. */
const char *ts_trend_title(const struct ts_trend *trend, struct ts_arena *arena);
/* Sets what follows from the places and the levels of the changes: commits, hosts, runs_ago, cost and mate. */
void ts_trend_place(struct ts_trend *trend);
/* Is the newest level worse than the one before by a claimed change or drift that was not accepted? */
bool ts_trend_is_worse(const struct ts_trend *trend);

#endif
