/* gate_render.h - a verdict in the forms that continuous integration shows: JUnit, GitHub, GitLab, Markdown, and the
 * request for pairs.
 *
 * Nothing foreign (names of runs, facts, reasons) can leave its place in any of them: not close a tag or a comment, not begin a
 * command of the runner, not mention a person. What is not known has no number. Texts that the renderers make lie in the arena;
 * a full arena or buffer is the only way to fail. docs/gate.md says which file goes where.
 */
#ifndef TSCOPE_CLI_RENDER_GATE_H
#define TSCOPE_CLI_RENDER_GATE_H

#include "analysis/gate/gate.h"

/* JUnit XML: one test case a metric. Only a metric that gates can fail. A regression is a failure; a suspect an error, since the test
 * has not come to an end and the job is red; what is not known or still collected is skipped with its reason, or a failure where
 * the policy says that inconclusive fails. The time of a case is the step time itself, where the metric is one. */
enum ts_status ts_render_gate_junit(const struct ts_verdict *v, struct ts_arena *arena, struct ts_buf *out, struct ts_error *err);

/* Commands of a GitHub runner, one a line: ::error of what fails, ::warning, ::notice. GitHub shows ten of a kind a step. */
enum ts_status ts_render_gate_github(const struct ts_verdict *v, struct ts_arena *arena, struct ts_buf *out, struct ts_error *err);

/* Metrics in the text form of OpenMetrics, for GitLab's metrics report. GitLab compares values as text, so they are rounded to
 * three digits, and what is not known is left out. */
enum ts_status ts_render_gate_gitlab(const struct ts_verdict *v, struct ts_arena *arena, struct ts_buf *out, struct ts_error *err);

enum { TS_GATE_COMMENT_MAX = 65536 }; /* characters that GitHub takes in a comment */

/* Markdown for a comment (marker: its first line is hidden and the same for every verdict of the workload, so that the comment can
 * be found and written anew) or a step summary. At most TS_GATE_COMMENT_MAX bytes, whatever the verdict holds. again: the words of
 * the command that made the verdict, or NULL. */
struct ts_gate_again {
	const char *const *words; /* "tscope", "gate", ...; without files to write; none: not known */
	size_t n;
};
enum ts_status ts_render_gate_markdown(const struct ts_verdict *v, const struct ts_gate_again *again, bool marker,
				       struct ts_arena *arena, struct ts_buf *out, struct ts_error *err);

/* What a suspect asks for, for a script: a line a run in the order in which they are to be run, "base 1 COMMIT NAME" and "candidate
 * 1 COMMIT NAME" in turn, COMMIT - where it is not recorded, and before them comments (#), the last of which is the command to gate again.
 * Nothing but a comment where nothing is asked for. Names are without a project. */
enum ts_status ts_render_gate_request(const struct ts_verdict *v, const struct ts_gate_again *again, struct ts_arena *arena,
				      struct ts_buf *out, struct ts_error *err);
/* The name under which a run of a pair is pushed: "pair-<candidate>-2-base"; pair counts from 1. NULL when the arena is full. */
const char *ts_gate_pair_name(const struct ts_gate_ask *ask, uint64_t pair, bool base, struct ts_arena *arena);
/* The first pair that is asked for: those that the verdict has, also those that do not count, are counted before it. */
uint64_t ts_gate_first_pair(const struct ts_verdict *v);
/* The command to gate again with the pairs, ready for a shell; NULL when the arena is full. */
const char *ts_gate_again_line(const struct ts_verdict *v, const struct ts_gate_again *again, struct ts_arena *arena);

#endif
