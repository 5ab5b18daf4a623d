/* policy.h - the policy file of a team: other thresholds for rules, rules switched off, other limits of a diagnosis,
 * settings of the gate.
 *
 * A policy file has one setting on each line; # begins a comment:
 *
 *	TIMING.JITTER.min_cv = 0.8
 *	MEMORY.FRAGMENTATION = off
 *	DIVERGENCE.numeric_jump = 1e-5
 *	GATE.must_catch = 5 %
 *	RETENTION.branch = main: last 200, younger 90d
 *
 * Codes of two words and their thresholds are those of the table of rules (rule.h). Codes of one word are sections:
 * DIVERGENCE has the limits of a diagnosis (cuts.h), GATE has what a gate tests (gate_policy.h), RETENTION has which
 * runs a store keeps (retention_policy.h). Each command uses the
 * settings that concern it and ignores the rest, so that one file serves `analyze`, `diff`, `gate` and `gc`. Any other name is an
 * error that names file and line, and so is a value that is not finite or not allowed for the setting. If a threshold is set
 * twice, the later setting counts.
 */
#ifndef TSCOPE_ANALYSIS_POLICY_H
#define TSCOPE_ANALYSIS_POLICY_H

#include "analysis/answer/policy_item.h"
#include "analysis/gate/gate_policy.h"
#include "analysis/retention/retention_policy.h"

/* Parses the text of a policy file, which errors call `name`. Spans point into text. TS_INVALID with the line if it is not
 * valid. */
enum ts_status ts_policy_parse(struct ts_span text, const char *name, struct ts_arena *arena, struct ts_policy *ret_policy,
			       struct ts_error *err);
/* Checks a policy that may come from elsewhere: TS_UNSUPPORTED if an item names a rule, threshold or limit that this version does not
 * have, and TS_INVALID for a wrong value. */
enum ts_status ts_policy_check(const struct ts_policy *policy, struct ts_error *err);

/* Checks all items and applies those of the section GATE to io_policy, which holds defaults or another policy. The text of
 * TS_INVALID names the item. Spans point into the items; arrays lie in the arena. */
enum ts_status ts_policy_of_gate(const struct ts_policy *items, struct ts_arena *arena, struct ts_gate_policy *io_policy,
				 struct ts_error *err);
/* Checks all items and takes those of the section RETENTION. Spans point into the items. */
enum ts_status ts_policy_of_retention(const struct ts_policy *items, struct ts_arena *arena, struct ts_retention_policy *ret_policy,
				      struct ts_error *err);
/* Parses the text that ts_gate_policy_print wrote and applies it to the defaults; errors name `name`. */
enum ts_status ts_policy_gate_parse(struct ts_span text, const char *name, struct ts_arena *arena,
				    struct ts_gate_policy *ret_policy, struct ts_error *err);

#endif
