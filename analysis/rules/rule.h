/* rule.h - what a rule is and how it can end, and the engine that asks all of them.
 *
 * A rule looks at the rows and events of an answer, never at a run. For one answer it ends in one of four ways:
 *
 *	fires		 the rule becomes a finding, with copies of the rows that decided
 *	passes		 its rows are known and below its thresholds; the answer does not mention the rule
 *	is unchecked	 a row that it needs is missing, unknown or not finite, there are too few steps, or a policy switched
 *			 the rule off: the answer lists the rule with that reason, which is the row's own if it has one
 *	does not apply	 this run cannot have what the rule looks at: a rule on several ranks (DIST.*) if the rows of group
 *			 "ranks" know of one rank or none, the pipeline rule if there is no row of group "pipeline", a rule on
 *			 traces (TRACE.*) if there is none of group "trace", one on memory snapshots if there is none of group
 *			 "snapshot", one on the machine (MACHINE.*) if there is none of group "machine", or it has no GPU, no worker,
 *			 ... of which the rule speaks; the answer does not mention the rule
 *
 * A value equal to a threshold has reached it ("at least 0.25" fires at 0.25), except where the text says "more than" or
 * "less than". docs/findings.md is what ts_rules_markdown writes, and `tscope explain` shows the rows; a test holds them
 * together.
 */
#ifndef TSCOPE_ANALYSIS_RULES_RULE_H
#define TSCOPE_ANALYSIS_RULES_RULE_H

#include "analysis/answer/finding.h"
#include "analysis/answer/policy_item.h"
#include "analysis/answer/rank_rows.h"
#include "base/buf.h"

enum { TS_RULE_THRESHOLDS = 7 };

struct ts_threshold {
	const char *name;  /* "min_share"; NULL after the last */
	double value;	   /* the default, which a policy may change */
	enum ts_unit unit; /* TS_UNIT_NONE for plain numbers */
	const char *what;  /* "share of the step time from which the rule fires" */
};

struct ts_check; /* check.h */

struct ts_rule {
	const char *code;
	const char *title;    /* the title of its findings */
	const char *severity; /* "high if the share is at least high_share, otherwise medium" */
	const char *trigger;  /* one sentence, no full stop */
	const char *advice;   /* what to try first */
	const char *source;   /* where the rule comes from, and how it differs from its source */
	struct ts_threshold thresholds[TS_RULE_THRESHOLDS + 1];
	void (*check)(struct ts_check *c);
	bool each_rank; /* the rule looks at one rank, so it is asked of each; otherwise it looks at the job */
	bool of_trace;	/* it looks at rows of group "trace", so it is asked of a trace that stands alone, too */
	bool of_job;	/* and at rows that only the traces of a job give, so it is asked of no run */
	bool of_snapshot; /* it looks at rows of group "snapshot", so it is asked of a memory snapshot that stands alone */
	bool of_machine; /* it looks at rows of group "machine" */
};

extern const struct ts_rule ts_rules[];
extern const size_t ts_rules_n;

const struct ts_rule *ts_rule_find(struct ts_span code); /* NULL if none */
/* The known code nearest to a mistyped one, without regard to case; NULL if none is near. */
const char *ts_rule_near(struct ts_span code);
/* The value of a threshold: the policy's, or the default. policy may be NULL. The rule must have the threshold
 * (asserted). */
double ts_rule_threshold(const struct ts_policy *policy, const char *code, const char *name);

/* Asks every rule. A rule on one rank is asked of each of the n_ranks, and what fires on several is one finding, with the
 * numbers of the worst rank; with n_ranks 0 it is asked of the rows of the answer, and so is a rule on memory snapshots, or on the
 * machine, if these alone have one. policy may be NULL. ret_findings is set anew; its memory is the arena's, its texts may hold
 * foreign names as they are. */
enum ts_status ts_findings_check(const struct ts_measures *measures, const struct ts_events *events,
				 const struct ts_rank_rows *ranks, size_t n_ranks, const struct ts_policy *policy,
				 struct ts_arena *arena, struct ts_findings *ret_findings, struct ts_error *err);

/* Whether the rows are of a trace in which so large a part of the launches was captured for graphs that no rule on its times is asked:
 * it shows how a program begins. */
#define TS_TRACE_CAPTURED_LEAST 0.25
bool ts_trace_is_capture(const struct ts_measures *rows);
/* Asks the rules on traces alone, of the rows of one trace. */
enum ts_status ts_findings_of_trace(const struct ts_measures *measures, const struct ts_policy *policy, struct ts_arena *arena,
				    struct ts_findings *ret_findings, struct ts_error *err);
/* The same of the rows of one trace of each rank: what fires on several is one finding, as above. */
enum ts_status ts_findings_of_ranks(const struct ts_rank_rows *ranks, size_t n_ranks, const struct ts_policy *policy,
				    struct ts_arena *arena, struct ts_findings *ret_findings, struct ts_error *err);
/* Asks the rules on memory snapshots alone, of the rows of one device. */
enum ts_status ts_findings_of_snapshot(const struct ts_measures *measures, const struct ts_policy *policy, struct ts_arena *arena,
				       struct ts_findings *ret_findings, struct ts_error *err);

/* Writes the text of docs/findings.md. */
void ts_rules_markdown(struct ts_buf *out);

#endif
