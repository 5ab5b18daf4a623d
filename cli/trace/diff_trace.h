/* diff_trace.h - `tscope diff ./a.json.gz ./b.json.gz`: what differs between two profiler's traces, without a run and without a
 * server. */
#ifndef TSCOPE_CLI_TRACE_DIFF_TRACE_H
#define TSCOPE_CLI_TRACE_DIFF_TRACE_H

#include "analysis/trace/diff/trace_diff.h"
#include "cli/core/context.h"

/* Compares two traces by the steps that --warmup leaves. name_a, name_b: the traces', for what is refused. */
enum ts_status ts_diff_pair(const struct ts_cli *cli, const struct ts_trace *a, const char *name_a, const struct ts_trace *b,
			    const char *name_b, struct ts_arena *arena, struct ts_trace_diff *ret, struct ts_error *err);
/* Sets the exit code, too: 0 nothing stands out, 1 something does, 3 it cannot be decided. */
enum ts_status ts_diff_traces(struct ts_cli *cli, const char *path_a, const char *path_b, struct ts_error *err);
enum ts_status ts_render_trace_diff_text(struct ts_cli *cli, const struct ts_trace_diff *diff, bool all, struct ts_error *err);
/* Says of which sides only the summary is there. */
const char *ts_summary_words(const struct ts_trace_diff *diff);
/* The same without its sentence. */
enum ts_status ts_trace_diff_tables_text(struct ts_cli *cli, const struct ts_trace_diff *diff, bool all, struct ts_error *err);

#endif
