/* analyze_trace.h - `tscope analyze ./trace.json.gz`: what a profiler's trace says, without a run and without a server. */
#ifndef TSCOPE_CLI_TRACE_ANALYZE_TRACE_H
#define TSCOPE_CLI_TRACE_ANALYZE_TRACE_H

#include "analysis/trace/advice/trace_answer.h"
#include "analysis/trace/device/trace_warmup.h"
#include "analysis/trace/ranks/job.h"
#include "cli/core/context.h"
#include "cli/core/path_run.h"
#include "ingest/trace/trace_read.h"

/* Whether the word is the path of a trace. */
enum ts_status ts_is_trace(const char *word, bool *ret, struct ts_error *err);
/* Gives this command more memory for a trace of millions of events, in proportion to its file, of so many bytes: a small one that
 * unpacks to millions gets no more. At most a third of what the machine has. */
void ts_trace_room(struct ts_cli *cli, uint64_t size);
/* Reads, with that room, a trace that stands at top, or below it (base/below.h). */
enum ts_status ts_load_trace(struct ts_cli *cli, const char *top, const char *path, struct ts_notices *notices,
			     struct ts_trace *trace, struct ts_trace_file *file, struct ts_error *err);
/* --warmup, of analyze and of diff. */
enum ts_status ts_warmup_option(const struct ts_cli *cli, struct ts_warmup_asked *ret, struct ts_error *err);
/* Leaves out of the trace what --warmup says. name: the trace's, for what is refused. */
enum ts_status ts_cut_trace(const struct ts_cli *cli, const char *name, struct ts_trace *io, struct ts_error *err);
enum ts_status ts_analyze_trace(struct ts_cli *cli, const char *path, struct ts_error *err);
/* The traces of a folder as the ranks of a job. */
enum ts_status ts_analyze_trace_folder(struct ts_cli *cli, const char *path, struct ts_error *err);
/* Computes and shows what is said of a trace, as text, JSON or a page, after what --warmup leaves out of it. path: what it is called.
 * --policy moves the limits of its rules, and --fail-on sets the exit code. */
enum ts_status ts_show_trace(struct ts_cli *cli, const char *path, struct ts_trace *trace, const struct ts_trace_record *record,
			     struct ts_error *err);
/* What the host did, and where its time went: text_host.c, text_host_time.c. */
enum ts_status ts_trace_host_text(struct ts_cli *cli, const struct ts_trace_answer *answer, struct ts_error *err);
enum ts_status ts_trace_host_time_text(struct ts_cli *cli, const struct ts_trace_answer *answer, struct ts_error *err);
/* What devices worked on: text_ops.c, and behind it what stands out, text_marks.c. */
enum ts_status ts_trace_ops_text(struct ts_cli *cli, const struct ts_trace_answer *answer, struct ts_error *err);
enum ts_status ts_trace_marks_text(struct ts_cli *cli, const struct ts_trace_work *work, struct ts_error *err);
/* What operators allocated: text_allocations.c. */
enum ts_status ts_trace_allocations_text(struct ts_cli *cli, const struct ts_trace_answer *answer, struct ts_error *err);
/* What is known of torch.compile, of a trace without work of devices. */
void ts_trace_breaks_text(struct ts_cli *cli, const struct ts_graph_breaks *breaks);
/* The critical path: text_path.c. */
enum ts_status ts_trace_path_text(struct ts_cli *cli, const struct ts_critical_path *path, struct ts_error *err);
enum ts_status ts_render_trace_text(struct ts_cli *cli, const struct ts_trace_answer *answer, struct ts_error *err);
enum ts_status ts_render_trace_job_text(struct ts_cli *cli, const struct ts_trace_job *job, struct ts_error *err);
void ts_text_trace_verdict(struct ts_cli *cli, const struct ts_trace_verdict *verdict);
void ts_text_trace_job_verdict(struct ts_cli *cli, const struct ts_trace_job *job);

#endif
