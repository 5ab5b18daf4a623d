/* check.h - the interface of the checks of rules (checks_*.c): what a check may look up, and the ways it can end.
 *
 * Only for files checks_*.c and the engine.
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
 * A check that returns without having fired, and without having been told that a row is missing, has passed.
 */
#ifndef TSCOPE_ANALYSIS_RULES_CHECK_H
#define TSCOPE_ANALYSIS_RULES_CHECK_H

#include "analysis/answer/say.h"
#include "analysis/rules/rule.h"

enum ts_check_end { TS_CHECK_PASSED, TS_CHECK_FIRED, TS_CHECK_UNCHECKED, TS_CHECK_APPLIES_NOT };

struct ts_check {
	const struct ts_rule *rule;
	const struct ts_policy *policy;
	const struct ts_measures *measures;
	const struct ts_events *events;
	struct ts_arena *arena;
	enum ts_check_end end;
	struct ts_finding finding; /* evidence gathers here while rows are asked for */
	size_t cap_evidence, cap_ranks;
	struct ts_span reason;
	bool no_memory;
};

double ts_check_threshold(const struct ts_check *c, const char *name);

/* The value of a row, which becomes evidence. False, and the rule is unchecked with the reason, when there is no such row,
 * it is not known, or it is not finite. */
bool ts_check_need(struct ts_check *c, enum ts_measure_name what, double *ret_value);
/* The same, but a rule may do without: false and nothing else. */
bool ts_check_want(struct ts_check *c, enum ts_measure_name what, double *ret_value);
/* The words of a text row, which becomes evidence; an empty span when there is none. */
struct ts_span ts_check_text(struct ts_check *c, enum ts_measure_name what);
/* The same of a measure whose subject is a kind: "forward", "loss", "rank 3". */
bool ts_check_need_of(struct ts_check *c, enum ts_measure_name what, const char *of, double *ret_value);
bool ts_check_want_of(struct ts_check *c, enum ts_measure_name what, const char *of, double *ret_value);
struct ts_span ts_check_text_of(struct ts_check *c, enum ts_measure_name what, const char *of);
void ts_check_evidence(struct ts_check *c, const struct ts_measure *row);

/* At least so many; else unchecked: "4 steps are too few: it takes 10". */
bool ts_check_enough(struct ts_check *c, double n, const char *threshold, const char *what);
/* More than one rank is known of; else the rule does not apply. */
bool ts_check_ranks(struct ts_check *c);
void ts_check_leave(struct ts_check *c, const char *format, ...) __attribute__((format(printf, 2, 3)));
void ts_check_applies_not(struct ts_check *c);

/* Events of a kind, group and subject (NULL: any), in the order given, each once: NULL at the end. *io_at begins at 0. */
const struct ts_event *ts_check_event(const struct ts_check *c, enum ts_event_kind kind, enum ts_answer_group group,
				      const char *subject, size_t *io_at);
/* Rows of ranks, TS_M_RANK_*: the next of this measure, known and finite or text. NULL at the end. */
const struct ts_measure *ts_check_rank_row(const struct ts_check *c, enum ts_measure_name what, size_t *io_at,
					   int32_t *ret_rank);

/* High from there on, else medium. */
static inline enum ts_severity ts_severity_from(double value, double high)
{
	return value >= high ? TS_SEVERITY_HIGH : TS_SEVERITY_MEDIUM;
}

/* The finding: its severity and the sentence. Without a full stop at the end it gets one. */
void ts_check_fire(struct ts_check *c, enum ts_severity severity, const char *format, ...)
	__attribute__((format(printf, 3, 4)));
void ts_check_steps(struct ts_check *c, int64_t first, int64_t last);
void ts_check_rank(struct ts_check *c, int32_t rank); /* in any order, each once */
/* "rank 3", "ranks 1, 3 and 7", "ranks 0 to 62 and 1 more": those that were added, as the sentence names them. */
const char *ts_check_ranks_text(struct ts_check *c);

#define TS_CHECKS(X)                                                                                                \
	X(dataloader_bound) X(backward_heavy) X(optimizer_heavy) X(jitter) X(stalls) X(slowdown) X(unattributed)    \
	X(diverged) X(blow_up) X(no_progress) X(loss_spikes) X(loss_shift) X(grad_spikes) X(nonfinite)              \
	X(correlated)                                                                                               \
	X(straggler) X(load_imbalance) X(comm_bound) X(wait_bound) X(missing_ranks) X(exposed_comm) X(pipeline_bubble) \
	X(memory_imbalance)                                                                                         \
	X(mfu_impossible) X(mfu_suspicious) X(low_mfu) X(recoverable)                                               \
	X(pressure) X(forecast) X(growth) X(fragmentation)

#define TS_CHECK_DECLARE(name) void ts_check_##name(struct ts_check *c);
TS_CHECKS(TS_CHECK_DECLARE)

#endif
