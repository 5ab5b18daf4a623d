/* summary_file.h - the summaries that a run keeps in the place of its traces (run/kernel_summary.h). */
#ifndef TSCOPE_CLI_TRACE_SUMMARY_FILE_H
#define TSCOPE_CLI_TRACE_SUMMARY_FILE_H

#include "cli/core/context.h"
#include "proto/wire.h"
#include "run/kernel_summary.h"
#include "run/trace.h"
#include "run/trace_list.h"

/* The summary of a trace as text: a ts_summarize of ingest/core/reader.h. Empty: the trace has no work of a device. */
enum ts_status ts_summarize_trace(const struct ts_trace *trace, struct ts_arena *arena, struct ts_span *ret_text, struct ts_error *err);

/* Of the summaries that the run has, those whose traces are not among these, by rank and name: the trace's name, and no columns. */
enum ts_status ts_run_summaries(struct ts_cli *cli, const struct ts_get_reply *run, const struct ts_run_trace *traces, size_t n_traces,
				struct ts_run_trace **ret_summaries, size_t *ret_n, struct ts_error *err);
/* Reads one of them. run: the id of the run's head. */
enum ts_status ts_summary_load(struct ts_cli *cli, const struct ts_id *run, const struct ts_run_trace *summary, struct ts_arena *arena,
			       struct ts_kernel_summary *ret, struct ts_error *err);

#endif
