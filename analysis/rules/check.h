/* check.h - the interface of the checks of rules (checks_*.c): what a check may look up, and the ways it can end.
 *
 * Only the files checks_*.c and the engine include it.
 *
 *	void ts_check_comm_bound(struct ts_check *c)
 *	{
 *		double share;
 *
 *		if (!ts_check_ranks(c) || !ts_check_need(c, TS_M_RANKS_TRANSFER_SHARE, &share))
 *			return;
 *		if (share >= ts_check_threshold(c, "min_share"))
 *			ts_check_fire(c, TS_SEVERITY_MEDIUM, "%s of ...", ts_say_percent(share).text);
 *	}
 *
 * Where the arena of a check has no room left, its texts are empty, and the engine, which asks the arena after each rule, gives no
 * finding.
 * A check has passed if it returns without having fired and without having met a missing row.
 */
#ifndef TSCOPE_ANALYSIS_RULES_CHECK_H
#define TSCOPE_ANALYSIS_RULES_CHECK_H

#include "analysis/answer/say.h"
#include "analysis/rules/rule.h"

enum ts_check_end { TS_CHECK_PASSED, TS_CHECK_FIRED, TS_CHECK_UNCHECKED, TS_CHECK_APPLIES_NOT };

struct ts_check {
	const struct ts_rule *rule;
	const struct ts_policy *policy;
	const struct ts_measures *measures; /* of the answer, or, in a rule on one rank, those of the rank that is asked */
	const struct ts_events *events;
	const struct ts_measures *job; /* of the answer: a rule on one rank finds the rows on all ranks there */
	struct ts_arena *arena;
	enum ts_check_end end;
	double badness; /* where the rule fired: how bad it is beside other ranks of the same severity */
	bool may_be_chance; /* where the rule fired: ts_check_chance was called */
	double chance;	    /* what it said, divided by its level */
	struct ts_finding finding; /* evidence gathers here while rows are asked for */
	size_t cap_evidence, cap_ranks;
	struct ts_span reason;
};

double ts_check_threshold(const struct ts_check *c, const char *name);

/* Looks up the value of a row, which becomes evidence. If there is no such row, or its value is not known or not finite,
 * the result is false and the rule is unchecked with that reason. */
bool ts_check_need(struct ts_check *c, enum ts_measure_name what, double *ret_value);
/* The same for a row that the rule can do without: a missing row gives false and does not end the rule. */
bool ts_check_want(struct ts_check *c, enum ts_measure_name what, double *ret_value);
/* The text of a text row, which becomes evidence; the span is empty if there is no such row. */
struct ts_span ts_check_text(struct ts_check *c, enum ts_measure_name what);
/* The same three for a measure with many subjects, one of which `of` names: "forward", "loss", "rank 3". */
bool ts_check_need_of(struct ts_check *c, enum ts_measure_name what, const char *of, double *ret_value);
bool ts_check_want_of(struct ts_check *c, enum ts_measure_name what, const char *of, double *ret_value);
struct ts_span ts_check_text_of(struct ts_check *c, enum ts_measure_name what, const char *of);
void ts_check_evidence(struct ts_check *c, const struct ts_measure *row);

/* n is at least this threshold; otherwise the rule is unchecked: "the run has only 4 steps, and the rule needs 10". */
bool ts_check_enough(struct ts_check *c, double n, const char *threshold, const char *what);
bool ts_check_several(const struct ts_check *c); /* the run is known to have more than one rank */
/* It has; otherwise the rule does not apply. */
bool ts_check_ranks(struct ts_check *c);
/* Ends the rule as unchecked, with this reason. */
void ts_check_leave(struct ts_check *c, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* Ends the rule as one that does not apply. */
void ts_check_applies_not(struct ts_check *c);

/* Iterates over the events of a kind, group and subject (NULL: any subject) in their order; NULL at the end. *io_at
 * begins at 0. */
const struct ts_event *ts_check_event(const struct ts_check *c, enum ts_event_kind kind, enum ts_answer_group group,
				      const char *subject, size_t *io_at);
/* Iterates over the rows of one TS_M_RANK_* measure whose values are known and are finite or text; NULL at the end.
 * *io_at begins at 0. */
const struct ts_measure *ts_check_rank_row(const struct ts_check *c, enum ts_measure_name what, size_t *io_at,
					   int32_t *ret_rank);

/* Severity high if the value is at least `high`, otherwise medium. */
static inline enum ts_severity ts_severity_from(double value, double high)
{
	return value >= high ? TS_SEVERITY_HIGH : TS_SEVERITY_MEDIUM;
}

/* The rule fires, with this severity and this sentence; a full stop is added if the sentence has none. */
void ts_check_fire(struct ts_check *c, enum ts_severity severity, const char *format, ...)
	__attribute__((format(printf, 3, 4)));
void ts_check_steps(struct ts_check *c, int64_t first, int64_t last);
/* In a rule on one rank: a number that is larger on a worse rank. Of several ranks of one severity the worst gives the finding
 * its numbers. Without it that is the rank with the earliest step, then the lowest rank. */
void ts_check_worse(struct ts_check *c, double badness);
/* In a rule on one rank that noise can fire: the chance that noise alone is as strong on one rank, and the level up to which
 * one rank fires. Of R ranks the i that are least likely by chance fire if the i-th is below level x i/R (Benjamini and
 * Hochberg 1995): a clean run of many ranks then has about as many false findings as one of a single rank, and what all
 * ranks show takes no more on each than it takes on one. */
void ts_check_chance(struct ts_check *c, double chance, double level);
void ts_check_rank(struct ts_check *c, int32_t rank); /* in any order, each once */
/* The ranks that were added, as ts_say_ranks names them. */
const char *ts_check_ranks_text(struct ts_check *c);

#define TS_CHECKS(X)                                                                                                \
	X(dataloader_bound) X(backward_heavy) X(optimizer_heavy) X(jitter) X(stalls) X(periodic) X(slowdown)        \
	X(cpu_wait) X(two_levels) X(unattributed)                                                                   \
	X(diverged) X(loss_ceased) X(skipped_updates) X(blow_up) X(no_progress) X(loss_spikes) X(loss_shift) X(grad_spikes) \
	X(nonfinite) X(correlated) X(series_moved) X(straggler) X(load_imbalance) X(comm_bound) X(wait_bound) \
	X(missing_ranks) X(exposed_comm) X(pipeline_bubble) X(replicas) X(batches) X(equal_batches) X(still) X(eval_mode) X(eval_part) \
	X(part_not_trained) X(gradients_kept_on) X(stale_gradients) X(constant_loss) X(constant_input) X(evaluation_changes) \
	X(memory_imbalance)                                                                                         \
	X(mfu_impossible) X(mfu_suspicious) X(low_mfu) X(logged_mfu) X(recoverable)                                 \
	X(pressure) X(forecast) X(growth) X(fragmentation)                                                          \
	X(out_of_memory) X(oom_fragmented) X(headroom) X(fragments) X(retries) X(emptied) X(churn)                  \
	X(gradients_kept) X(optimizer_state) X(carried)                                                             \
	X(host_bound) X(sync) X(launch_bound) X(first_launch) X(copies) X(fills) X(elementwise)                                     \
	X(loader) X(math_attention) X(recompiled) X(waiting)                                                       \
	X(gpu_throttled) X(gpu_limited) X(gpu_behind) X(gpu_hotter) X(gpu_error) X(tiny_kernels)                    \
	X(workers_busy) X(workers_blocked) X(threads) X(cpu_quota) X(host_memory) X(swapping) X(neighbours)

#define TS_CHECK_DECLARE(name) void ts_check_##name(struct ts_check *c);
TS_CHECKS(TS_CHECK_DECLARE)

#endif
