/* policy.h - the policy file of a team: other thresholds for rules, rules switched off, other cut-offs of a
 * diagnosis, settings of the gate.
 *
 * A file, one setting a line; # begins a comment:
 *
 *	TIMING.JITTER.min_cv = 0.8
 *	MEMORY.FRAGMENTATION = off
 *	DIVERGENCE.numeric_jump = 1e-5
 *	GATE.must_catch = 5 %
 *
 * Codes of two words and their thresholds are those of the table of rules (rule.h); those of one word are sections of their own:
 * DIVERGENCE has the cut-offs of a diagnosis (cuts.h), GATE what a gate tests (gate_policy.h). Who asks takes what concerns him
 * and passes over the rest, so that one file serves `analyze`, `diff` and `gate`. Another name is an error with file and line, and
 * so is a value that is no finite number, or none that the cut-off can have. Of two settings of one threshold the later counts.
 */
#ifndef TSCOPE_ANALYSIS_POLICY_H
#define TSCOPE_ANALYSIS_POLICY_H

#include "analysis/answer/policy_item.h"
#include "analysis/gate/gate_policy.h"

/* text of a file called `name` in errors; spans point into text. */
enum ts_status ts_policy_parse(struct ts_span text, const char *name, struct ts_arena *arena, struct ts_policy *ret_policy,
			       struct ts_error *err);
/* TS_INVALID when an item names no rule, threshold or cut-off of ours: a policy may come from elsewhere. */
enum ts_status ts_policy_check(const struct ts_policy *policy, struct ts_error *err);

/* Checks all items and puts those of the section GATE onto io_policy, which holds defaults or another policy. TS_INVALID names the
 * item. Spans point into the items; arrays lie in the arena. */
enum ts_status ts_policy_of_gate(const struct ts_policy *items, struct ts_arena *arena, struct ts_gate_policy *io_policy,
				 struct ts_error *err);
/* The text that ts_gate_policy_print wrote, onto the defaults; name stands in errors. */
enum ts_status ts_policy_gate_parse(struct ts_span text, const char *name, struct ts_arena *arena,
				    struct ts_gate_policy *ret_policy, struct ts_error *err);

#endif
