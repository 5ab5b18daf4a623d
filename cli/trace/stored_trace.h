/* stored_trace.h - `tscope analyze RUN --trace NAME`: a trace that was pushed, by its columns. */
#ifndef TSCOPE_CLI_TRACE_STORED_TRACE_H
#define TSCOPE_CLI_TRACE_STORED_TRACE_H

#include "cli/core/context.h"
#include "proto/wire.h"
#include "run/trace_columns.h"
#include "run/trace_list.h"

/* The traces of the run. */
enum ts_status ts_stored_traces(struct ts_cli *cli, const struct ts_get_reply *run, struct ts_run_trace **ret_traces, size_t *ret_n,
				struct ts_error *err);
/* Loads one, with what reading it noticed. The caller calls ts_trace_finish. */
enum ts_status ts_stored_load(struct ts_cli *cli, const struct ts_run_trace *stored, struct ts_arena *arena, struct ts_trace *ret_trace,
			      struct ts_trace_record *ret_record, struct ts_error *err);
/* The one of this name, unless that is NULL, and of this rank, unless has_rank is false. TS_NOT_FOUND and TS_AMBIGUOUS name those that
 * there are. */
enum ts_status ts_stored_choose(struct ts_cli *cli, const struct ts_run_trace *traces, size_t n, const char *name, bool has_rank,
				int32_t rank, const struct ts_run_trace **ret_trace, struct ts_error *err);
/* Shows which traces there are, as a table, and how to ask for one: several of one rank, which are no job. run: the word that
 * named it. */
enum ts_status ts_show_stored(struct ts_cli *cli, const char *run, const struct ts_run_trace *traces, size_t n, struct ts_error *err);
/* Says, in a line behind what is shown, that the run has no steps, and how to ask for one trace. */
enum ts_status ts_point_to_stored(struct ts_cli *cli, const char *run, struct ts_error *err);
/* Whether the traces are of more than one rank. */
bool ts_stored_is_job(const struct ts_run_trace *traces, size_t n);
/* Shows them as the ranks of a job, as ts_analyze_trace_folder does of a folder. word: that named the run. */
enum ts_status ts_analyze_stored_job(struct ts_cli *cli, const char *word, const struct ts_get_reply *run,
				     const struct ts_run_trace *traces, size_t n, struct ts_error *err);
/* Names in a line behind what is shown the files of the run that could not be read when it was pushed; nothing, if all could. And in
 * another one the traces of which it keeps summaries alone. traces: that it has. */
enum ts_status ts_mention_unread(struct ts_cli *cli, const char *word, const struct ts_get_reply *run,
				 const struct ts_run_trace *traces, size_t n_traces, struct ts_error *err);
/* Names the traces of the run in a line behind what is said of its steps, or its memory snapshots. what, option: "trace" and "--trace",
 * or "memory snapshot" and "--snapshot". */
enum ts_status ts_mention_stored(struct ts_cli *cli, const char *run, const char *what, const char *option,
				 const struct ts_run_trace *files, size_t n, struct ts_error *err);
/* Shows what the trace says, as ts_analyze_trace does of a file. */
enum ts_status ts_analyze_stored(struct ts_cli *cli, const struct ts_run_trace *trace, struct ts_error *err);

#endif
