/* metric.h - the metrics that a gate and a trend compare (step time, memory, loss and others), one row of a table
 * each, and places for series that a run logs under any name (val_bpb, reward), which a policy names.
 *
 * The unit of replication is the run: steps within a run share its placement, clocks and neighbours, so each run gives
 * one value per metric (reduction.h), and tests compare those. Source: docs/gate.md, which has the measured rates.
 */
#ifndef TSCOPE_ANALYSIS_GATE_METRIC_H
#define TSCOPE_ANALYSIS_GATE_METRIC_H

#include "analysis/answer/measure.h"

/* Reductions travel and are kept in this order: a new metric stands last. Series that a policy names have the places from TS_METRICS
 * on, in the order of the policy (gate_policy.h); they travel by their names. */
enum ts_metric {
	TS_METRIC_STEP_TIME,	  /* s: median over windows of wall time per optimizer step */
	TS_METRIC_STEP_TIME_MEAN, /* s: wall time of all counted steps divided by their number: rare slow steps count in full */
	TS_METRIC_STEP_TIME_P95,  /* s: 95th percentile of the wall times of single records */
	TS_METRIC_STALL_SHARE,	  /* ratio: share of all time that records above 3 medians took beyond one median */
	TS_METRIC_PEAK_MEMORY,	  /* bytes: the largest of any rank */
	TS_METRIC_TOKENS_PER_S,	  /* of the whole job */
	TS_METRIC_TOKENS_PER_S_DEVICE,
	TS_METRIC_SAMPLES_PER_S,
	TS_METRIC_SAMPLES_PER_S_DEVICE,
	TS_METRIC_MFU,		   /* ratio: computed from step_time, so it is never a second test */
	TS_METRIC_LOSS,		   /* mean of the last tenth of the loss curve */
	TS_METRIC_STEP_TIME_P10,   /* s: 10th percentile over the windows of step_time: least disturbed by a busy machine */
	TS_METRIC_STEP_TIME_END,   /* s: step_time over the last quarter of its windows */
	TS_METRIC_STEP_TIME_FLOOR, /* s: 10th percentile of single steps (of whole periods, where records have one): bursts of other
					    work that spare one step in ten leave it as it is */
	TS_METRIC_CPU_TIME, /* s: CPU time of all ranks per optimizer step, by the column cpu_time: waiting for a CPU is not in it */
	TS_METRICS,
	TS_LOGGED_MOST = 8, /* series in one policy */
	TS_METRICS_ALL = TS_METRICS + TS_LOGGED_MOST,
};

/* A series that the runs log, by its place behind the table of metrics. */
static inline bool ts_metric_is_logged(enum ts_metric metric)
{
	return metric >= TS_METRICS;
}

#define TS_LOGGED_WHAT "mean of the last tenth of the logged series"

struct ts_metric_row {
	const char *name;	/* "step_time": as policies and JSON spell it */
	const char *title;	/* "step time" */
	enum ts_unit unit;
	bool less_is_better;
	bool log_scale;		/* compared by ratio: values are above 0. Otherwise by difference over the baseline's magnitude */
	double floor_sd;	/* the smallest standard deviation between runs that a test uses, on the scale it compares */
	double min_size;	/* relative size from which a difference matters, unless a policy sets another */
	double min_absolute;	/* the same in the metric's unit; 0: none */
	double watch;		/* relative size from which a metric that is watched makes a candidate suspect; 0: it is not watched */
	const char *what;	/* what the metric is: a phrase without a full stop */
};

/* The rows of logged series are alike: their names, their directions and what the policy sets of them are the policy's. */
extern const struct ts_metric_row ts_metrics[TS_METRICS_ALL];

/* Which way the values of two runs are better. */
enum ts_better { TS_BETTER_UNKNOWN, TS_BETTER_LOWER, TS_BETTER_HIGHER };
enum { TS_BETTERS = TS_BETTER_HIGHER + 1 };

const char *ts_better_word(enum ts_better better); /* "unknown", "lower", "higher" */
/* By the name of a series: what run/direction.h says of it, and of some names that have a direction only between runs. A KL divergence
 * grows while a run trains, and that is no fault; of two runs that end at the same step, the one that is nearer to its reference
 * is the better one. */
enum ts_better ts_better_of(struct ts_span series);

/* False: the table has no metric of that name. */
bool ts_metric_find(struct ts_span name, enum ts_metric *ret_metric);
/* A title, and the column where that is another one than the usual: "loss at the end (train/loss)". usual: the name of the usual
 * column, "loss". column: an escaped path, empty for the usual one. other: that of the runs named by `whose`, which is said where it
 * is another one: "loss at the end (train/loss, of baselines loss)". NULL: the arena is full. */
const char *ts_metric_title(const char *title, const char *usual, struct ts_span column, struct ts_span other, const char *whose,
			    struct ts_arena *arena);

#endif
