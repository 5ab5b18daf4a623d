/* gate_policy.h - the section GATE of a policy file: what a gate tests, how strictly, against what.
 *
 *	GATE.metrics = step_time, peak_memory
 *	GATE.must_catch = 5 %
 *	GATE.exclude = tag:eval, phase:checkpoint, every:500
 *	GATE.peak_memory.min_size = 1 %
 *
 * One table (gate_setting.c) names every setting with its default, unit and meaning; docs/gate.md has it as a command
 * prints it. Ratios may be written as 0.05 or 5 %. Another name, or a value that is none, is an error with
 * file and line. Of two settings of one name the later counts, except that the size of one metric counts over that of all.
 */
#ifndef TSCOPE_ANALYSIS_GATE_POLICY_H
#define TSCOPE_ANALYSIS_GATE_POLICY_H

#include "analysis/answer/policy_item.h"
#include "analysis/gate/reduction.h"
#include "analysis/gate/workload.h"
#include "base/buf.h"

#define TS_GATE_CODE "GATE" /* of the items of a policy */

enum ts_on_inconclusive { TS_INCONCLUSIVE_EXIT_3, TS_INCONCLUSIVE_FAIL, TS_INCONCLUSIVE_PASS };

struct ts_gate_policy {
	bool gates[TS_METRICS];	    /* decides; the others are shown. step_time */
	double min_size[TS_METRICS];/* ratio; 0.02 of times */
	double delta;		    /* ratio: a change up to this is none. 0.01 */
	double alpha;		    /* of the decision, over all metrics that gate (Holm). 0.005 */
	double suspect_alpha;	    /* of the first look at one candidate. 0.1 */
	double must_catch;	    /* ratio: a pass that could have missed this is a warning. NaN: off */
	bool rerun;		    /* a suspect asks for pairs; otherwise one look decides at alpha */
	uint64_t pairs, pairs_most; /* asked for at first, and at most */
	uint64_t baselines;	    /* at most. 20 */
	uint64_t collect;	    /* baselines wanted, as "collecting 2 of 10" says. 10 */
	double prior_sd;	    /* between runs, on the log scale; NaN: from the project's history */
	double prior_df;	    /* of it */
	double prior_df_most;	    /* cap of what history gives. 30 */
	bool across[TS_WORKLOAD_PARTS]; /* parts of the key that may differ */
	struct ts_span workload;    /* empty: by key */
	struct ts_ignore ignore;    /* facts that are no part of the key */
	struct ts_reduce_options reduce;
	enum ts_on_inconclusive on_inconclusive;
};

void ts_gate_policy_default(struct ts_gate_policy *ret_policy);
/* Items of the section GATE onto io_policy, which holds defaults or another policy; items of other sections are passed over. The
 * items were checked: ts_policy_of_gate (analysis/policy.h) does both. TS_INVALID: two settings contradict each other. Spans point
 * into the items; arrays lie in the arena. */
enum ts_status ts_gate_policy_apply(const struct ts_policy *items, struct ts_arena *arena, struct ts_gate_policy *io_policy,
				    struct ts_error *err);
/* Every setting in force, one a line, in the order of the table: what a verdict carries, and what is digested. Parsed
 * again (ts_policy_gate_parse) it gives the same policy. */
void ts_gate_policy_print(const struct ts_gate_policy *policy, struct ts_buf *out);
/* The SHA-256 of what print writes. */
enum ts_status ts_gate_policy_digest(const struct ts_gate_policy *policy, struct ts_id *ret_digest, struct ts_error *err);
/* The table of docs/gate.md. */
void ts_gate_policy_markdown(struct ts_buf *out);

/* --- for policy.c: one item. False: why says what is wrong, without file and line --- */

/* Is there a setting of that name, "delta" or "peak_memory.min_size"? */
bool ts_gate_setting_name(struct ts_span name, struct ts_buf *why);
/* What stands behind '=', into value or text of an item that has its threshold. */
bool ts_gate_setting_read(struct ts_span text, struct ts_policy_item *item, struct ts_buf *why);
bool ts_gate_setting_check(const struct ts_policy_item *item, struct ts_buf *why);

#endif
