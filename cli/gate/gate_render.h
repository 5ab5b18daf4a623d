/* gate_render.h - a verdict in the forms that continuous integration shows: JUnit, GitHub, GitLab, Markdown, and the
 * request for pairs.
 *
 * Foreign text (names of runs, facts, reasons) cannot break out of its place in any of them: it cannot close a tag or a comment,
 * begin a command of the runner, or mention a person. A value that is not known has no number. Texts that the renderers make lie
 * in the arena; a full arena or buffer is the only way to fail. docs/gate.md tells which file goes where.
 */
#ifndef TSCOPE_CLI_GATE_GATE_RENDER_H
#define TSCOPE_CLI_GATE_GATE_RENDER_H

#include "analysis/gate/gate.h"

/* JUnit XML: one test case per metric. Only a metric that decides can fail. A regression is a failure. A suspect metric is an error,
 * since the test is not finished and the job is red. A metric that is inconclusive or lacks baselines is skipped with its reason; with
 * GATE.inconclusive = fail, inconclusive is a failure. Where the metric is a time, it is also the time of its test case. */
enum ts_status ts_render_gate_junit(const struct ts_verdict *v, struct ts_arena *arena, struct ts_buf *out, struct ts_error *err);

/* Commands of a GitHub runner, one per line: ::error for a failure, ::warning, ::notice. GitHub shows ten of each kind per step. */
enum ts_status ts_render_gate_github(const struct ts_verdict *v, struct ts_arena *arena, struct ts_buf *out, struct ts_error *err);

/* Metrics in the text form of OpenMetrics, for GitLab's metrics report. GitLab compares values as text, so they are rounded to
 * three digits. A metric that is not known is left out. */
enum ts_status ts_render_gate_gitlab(const struct ts_verdict *v, struct ts_arena *arena, struct ts_buf *out, struct ts_error *err);

enum { TS_GATE_COMMENT_MAX = 65536 }; /* characters that GitHub accepts in a comment */

/* Markdown for a comment or a step summary, at most TS_GATE_COMMENT_MAX bytes, whatever the verdict holds. marker: the first line is
 * hidden and the same for every verdict of the workload, so that a script can find the comment and replace it. again: the words of
 * the command that made the verdict, or NULL. */
struct ts_gate_again {
	const char *const *words; /* "tscope", "gate", ..., without the options that name files to write; n = 0: not known */
	size_t n;
};
enum ts_status ts_render_gate_markdown(const struct ts_verdict *v, const struct ts_gate_again *again, bool marker,
				       struct ts_arena *arena, struct ts_buf *out, struct ts_error *err);

/* The runs that a suspect verdict asks for, in a form for scripts: first comments (#), the last of which is the command to gate again,
 * then one line per run in the order in which they have to run, "base 1 COMMIT NAME" and "candidate 1 COMMIT NAME" in turn. COMMIT is -
 * where the run does not record it. Where no runs are needed there is only a comment. Names are without a project. */
enum ts_status ts_render_gate_request(const struct ts_verdict *v, const struct ts_gate_again *again, struct ts_arena *arena,
				      struct ts_buf *out, struct ts_error *err);
/* The name under which a run of a pair is pushed: "pair-<candidate>-2-base"; pair counts from 1. NULL when the arena is full. */
const char *ts_gate_pair_name(const struct ts_gate_ask *ask, uint64_t pair, bool base, struct ts_arena *arena);
/* The number of the first pair to run: it follows those that the verdict has, including those that do not count. */
uint64_t ts_gate_first_pair(const struct ts_verdict *v);
/* The command that gates again with the pairs, quoted for a shell; NULL when the arena is full. */
const char *ts_gate_again_line(const struct ts_verdict *v, const struct ts_gate_again *again, struct ts_arena *arena);

#endif
