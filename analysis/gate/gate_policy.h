/* gate_policy.h - the section GATE of a policy file: what a gate tests, how strictly, and against which baselines.
 *
 *	GATE.metrics = step_time, peak_memory
 *	GATE.must_catch = 5 %
 *	GATE.exclude = tag:eval, phase:checkpoint, every:500
 *	GATE.peak_memory.min_size = 1 %
 *	GATE.mfu.least = 38 %
 *	GATE.metrics = val_bpb, kl_coef
 *	GATE.kl_coef.better = lower
 *
 * A name in GATE.metrics that the table of metrics does not have is that of a series which the runs log.
 *
 * One table (gate_setting.c) names every setting with its default, unit and meaning; docs/gate.md shows it as a command
 * prints it. Ratios may be written as 0.05 or 5 %. An unknown name or a value that is not allowed is an error with file and
 * line. Where a setting is given twice, the later one counts; min_size of one metric always overrides min_size of all metrics.
 */
#ifndef TSCOPE_ANALYSIS_GATE_GATE_POLICY_H
#define TSCOPE_ANALYSIS_GATE_GATE_POLICY_H

#include "analysis/answer/policy_item.h"
#include "analysis/gate/reduction.h"
#include "analysis/gate/workload.h"
#include "base/buf.h"

#define TS_GATE_CODE "GATE" /* of the items of a policy */

/* How a gate ends whose verdict is neither a pass nor a regression: exit 3, exit 1, or exit 0 with a warning. */
enum ts_gate_ending { TS_GATE_EXIT_3, TS_GATE_FAILS, TS_GATE_GREEN };

struct ts_gate_policy {
	bool gates[TS_METRICS_ALL]; /* the metrics that decide; the others are only shown. Default: step_time */
	const char *logged[TS_LOGGED_MOST]; /* the names of the series at the places from TS_METRICS on; all of them decide */
	size_t n_logged;
	enum ts_better better[TS_METRICS_ALL]; /* of logged series, where the policy says it; UNKNOWN: as the name tells */
	bool watch[TS_METRICS_ALL]; /* metrics that do not decide, but of which a worsening of ts_metrics[].watch counts */
	double min_size[TS_METRICS_ALL];/* ratio: a smaller change is ignored. Default: 0.02 for times, 0 for logged series */
	double least[TS_METRICS_ALL];   /* in the metric's unit: a candidate must not lie below it. NaN: there is no such floor */
	double delta;		    /* ratio: a change up to this counts as no change; of a logged series, up to its min_size if that
				       is less. Default: 0.01 */
	double alpha;		    /* significance level of the decision, over all metrics that decide (Holm). Default: 0.005 */
	double suspect_alpha;	    /* significance level of the first look. Default: 0.1 */
	double must_catch;	    /* ratio: a pass that could have missed a larger regression is blind. NaN: none is. Default: 0.1 */
	bool rerun;		    /* a suspect candidate needs pairs; otherwise the first look decides at alpha */
	uint64_t pairs, pairs_most; /* how many pairs the gate asks for at first, and in total */
	uint64_t baselines;	    /* at most. Default: 20 */
	uint64_t collect;	    /* baselines that the gate recommends while there are too few to judge. Default: 10 */
	double prior_sd;	    /* standard deviation between runs, on the log scale; NaN: from the project's history */
	double prior_df;	    /* weight of prior_sd, in degrees of freedom */
	double prior_df_most;	    /* weight of the history, at most. Default: 30 */
	bool across[TS_WORKLOAD_PARTS]; /* parts of the workload key that may differ */
	bool other_work;	    /* runs of another config stand in where none has the candidate's: a rate is compared, not a time */
	struct ts_span workload;    /* the declared workload to compare with; empty: runs of the same key */
	struct ts_ignore ignore;    /* facts that are not part of the key */
	struct ts_reduce_options reduce;
	enum ts_gate_ending on_inconclusive, on_blind;
};

void ts_gate_policy_default(struct ts_gate_policy *ret_policy);
/* Makes this metric the one that decides: one of the table, or else a logged series. Returns its place. The name must outlive the
 * policy. What the policy sets of a series of this name is kept. */
enum ts_metric ts_gate_policy_only(struct ts_gate_policy *io_policy, const char *name);
/* How many places the policy uses: TS_METRICS and a place for each logged series. */
size_t ts_gate_policy_metrics(const struct ts_gate_policy *policy);
/* "step_time", "val_bpb"; and as a title, "step time", "val_bpb". */
const char *ts_gate_metric_name(const struct ts_gate_policy *policy, enum ts_metric metric);
const char *ts_gate_metric_title(const struct ts_gate_policy *policy, enum ts_metric metric);
/* Which way the metric is better. UNKNOWN: a logged series whose name does not tell it, and neither does the policy. */
enum ts_better ts_gate_metric_better(const struct ts_gate_policy *policy, enum ts_metric metric);
/* The run's value of the metric, which may be not known. */
const struct ts_reduced *ts_gate_reduced(const struct ts_gate_policy *policy, const struct ts_reduction *r, enum ts_metric metric);
/* The logged series at that place; NULL: the reduction does not have it, or the metric is one of the table. */
const struct ts_reduced_series *ts_gate_series(const struct ts_gate_policy *policy, const struct ts_reduction *r,
					       enum ts_metric metric);
/* Applies the items of section GATE to io_policy, which holds defaults or another policy; items of other sections are skipped. The
 * caller has checked the items (ts_policy_of_gate in analysis/policy.h does both). TS_INVALID: two settings contradict each other.
 * Spans point into the items; arrays lie in the arena. */
enum ts_status ts_gate_policy_apply(const struct ts_policy *items, struct ts_arena *arena, struct ts_gate_policy *io_policy,
				    struct ts_error *err);
/* Prints every setting in force, one per line, in the order of the table. A verdict carries this text and its digest. Parsed
 * again (ts_policy_gate_parse), it gives the same policy. */
void ts_gate_policy_print(const struct ts_gate_policy *policy, struct ts_buf *out);
/* The SHA-256 of what print writes. */
enum ts_status ts_gate_policy_digest(const struct ts_gate_policy *policy, struct ts_id *ret_digest, struct ts_error *err);
/* The table of docs/gate.md. */
void ts_gate_policy_markdown(struct ts_buf *out);

/* --- for policy.c: one item. False: why tells what is wrong, without file and line --- */

/* Is there a setting of that name, "delta" or "peak_memory.min_size"? */
bool ts_gate_setting_name(struct ts_span name, struct ts_buf *why);
/* Reads the text after '=' into the value or text of an item whose threshold is already set. */
bool ts_gate_setting_read(struct ts_span text, struct ts_policy_item *item, struct ts_buf *why);
bool ts_gate_setting_check(const struct ts_policy_item *item, struct ts_buf *why);

#endif
