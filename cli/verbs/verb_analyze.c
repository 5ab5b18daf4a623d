/* verb_analyze.c - tscope analyze: shows what limits the speed of a run, what is wrong with it, and why. */
#include "base/limits.h"
#include "cli/core/ask.h"
#include "cli/core/device_memory.h"
#include "cli/core/kept_files.h"
#include "cli/core/names.h"
#include "cli/core/policy_file.h"
#include "cli/json/json_parts.h"
#include "cli/report/render_report.h"
#include "cli/report/report.h"
#include "cli/snapshot/analyze_snapshot.h"
#include "cli/text/text_rows.h"
#include "cli/trace/analyze_trace.h"
#include "cli/trace/folder.h"
#include "cli/trace/stored_trace.h"
#include "cli/verbs/analyze_options.h"
#include "cli/verbs/verbs.h"
#include "ingest/nsys/nsys_read.h"
#include "ingest/trace/trace_foreign.h"
#include "ingest/trace/trace_sniff.h"

static enum ts_status numbers(const struct ts_args *args, struct ts_analyze_request *request, struct ts_error *err)
{
	uint64_t rank = 0, microbatches = 0;
	double tflops = 0;

	if (ts_args_uint(args, "warmup", INT64_MAX, &request->has_warmup, &request->warmup, err) ||
	    ts_args_uint(args, "rank", INT32_MAX, &request->has_rank, &rank, err) ||
	    ts_args_above_zero(args, "flops-per-step", &request->has_flops_per_step, &request->flops_per_step, err) ||
	    ts_args_above_zero(args, "peak-tflops", &request->has_peak_flops_per_s, &tflops, err) ||
	    ts_args_uint(args, "microbatches", UINT32_MAX, &request->has_microbatches, &microbatches, err) ||
	    ts_device_memory_option(args, &request->has_device_bytes, &request->device_bytes, err))
		return err->status;
	request->rank = (int32_t)rank;
	request->peak_flops_per_s = tflops * 1e12;
	request->microbatches = (uint32_t)microbatches;
	if (request->has_peak_flops_per_s && !isfinite(request->peak_flops_per_s))
		return ts_error_set(err, TS_INVALID,
				    "--peak-tflops %g cannot be the peak of a device; it is in 10^12 operations per second", tflops);
	if (request->has_microbatches && microbatches == 0)
		return ts_error_set(err, TS_INVALID, "--microbatches must be a whole number of at least 1");
	return TS_OK;
}

static enum ts_status options(struct ts_cli *cli, struct ts_analyze_request *request, struct ts_error *err)
{
	const char *dtype = ts_args_text(&cli->args, "dtype");
	enum ts_status status = numbers(&cli->args, request, err);

	if (!status && dtype && !*dtype)
		status = ts_error_set(err, TS_INVALID, "--dtype needs a name, such as bf16");
	if (!status)
		status = ts_check_page_option(cli, "rows", err);
	if (!status)
		status = ts_policy_file(cli, &request->policy, err);
	if (dtype)
		request->dtype = ts_span_str(dtype);
	request->fresh = ts_args_has(&cli->args, "fresh");
	return status ? ts_error_prefix(err, "analyze") : TS_OK;
}

static enum ts_status answer(struct ts_cli *cli, const struct ts_analysis *analysis, struct ts_error *err)
{
	struct ts_report report;
	bool answered = false;
	enum ts_status status = ts_report_of(analysis, &cli->arena, &report, err);

	if (!status)
		status = ts_render_report_page(cli, &report, &answered, err);
	if (status || answered)
		return status;
	if (cli->json)
		return ts_json_answer(cli, &ts_shape_analysis, analysis, err);
	if (ts_args_has(&cli->args, "rows"))
		return ts_render_rows_text(cli, analysis, err);
	return ts_render_report_text(cli, &report, err);
}

static enum ts_status of_snapshot(struct ts_cli *cli, const char *path, struct ts_error *err)
{
	struct ts_findings findings;

	if (ts_analyze_refuse(cli, TS_OF_SNAPSHOTS, path, err))
		return err->status;
	if (ts_analyze_snapshot(cli, path, &findings, err))
		return err->status;
	cli->exit_code = ts_fails_on(cli, &findings) ? TS_EXIT_NO : TS_EXIT_YES;
	return TS_OK;
}

static enum ts_status of_trace(struct ts_cli *cli, const char *path, bool folder, struct ts_error *err)
{
	if (ts_analyze_refuse(cli, folder ? TS_OF_FOLDERS : TS_OF_TRACES, path, err))
		return err->status;
	return folder ? ts_analyze_trace_folder(cli, path, err) : ts_analyze_trace(cli, path, err);
}

static bool is_file_of_trace(const char *path)
{
	struct ts_error none;
	bool is = false;

	return !ts_trace_sniff(path, &is, &none) && is;
}

/* --trace NAME: one trace of the run instead of its steps; a name that none has may be the path of one that was not pushed with it. */
static enum ts_status of_stored(struct ts_cli *cli, const char *name, const struct ts_analyze_request *request, struct ts_error *err)
{
	const struct ts_run_trace *chosen = NULL;
	struct ts_run_trace *traces = NULL;
	struct ts_get_reply run;
	struct ts_span spec;
	size_t n = 0;

	if (ts_analyze_refuse(cli, TS_OF_STORED, name, err) || ts_cli_run(cli, ts_cli_word(cli, 0), &spec, err) ||
	    ts_ask_get(cli->target.channel, spec, &cli->arena, &run, err) || ts_stored_traces(cli, &run, &traces, &n, err))
		return err->status;
	if (!ts_stored_choose(cli, traces, n, name, request->has_rank, request->rank, &chosen, err))
		return ts_analyze_stored(cli, chosen, err);
	return err->status == TS_NOT_FOUND && is_file_of_trace(name) ? ts_analyze_trace(cli, name, err) :
								       ts_error_prefix(err, "analyze");
}

static enum ts_status of_chosen_snapshot(struct ts_cli *cli, const struct ts_get_reply *run, const struct ts_snapshot_choice *choice,
					 struct ts_error *err)
{
	struct ts_findings findings;

	if (ts_analyze_stored_snapshot(cli, run, choice, &findings, err))
		return err->status;
	cli->exit_code = ts_fails_on(cli, &findings) ? TS_EXIT_NO : TS_EXIT_YES;
	return TS_OK;
}

/* --snapshot NAME: one snapshot of the run's files. */
static enum ts_status of_stored_snapshot(struct ts_cli *cli, const char *name, struct ts_error *err)
{
	struct ts_snapshot_choice choice = {.name = name};
	struct ts_get_reply run;
	uint64_t rank = 0;
	struct ts_span spec;

	if (ts_args_has(&cli->args, "trace"))
		return ts_error_set(err, TS_INVALID, "analyze: --trace and --snapshot ask about different files");
	if (ts_args_uint(&cli->args, "rank", INT32_MAX, &choice.has_rank, &rank, err))
		return ts_error_prefix(err, "analyze");
	choice.rank = (int32_t)rank;
	if (ts_analyze_refuse(cli, TS_OF_STORED_SNAPSHOTS, name, err) || ts_cli_run(cli, ts_cli_word(cli, 0), &spec, err) ||
	    ts_ask_get(cli->target.channel, spec, &cli->arena, &run, err))
		return err->status;
	return of_chosen_snapshot(cli, &run, &choice, err);
}

static enum ts_status mention_snapshots(struct ts_cli *cli, const struct ts_get_reply *run, struct ts_error *err)
{
	struct ts_run_trace *snapshots = NULL;
	size_t n = 0;

	if (ts_cli_kept_files(cli, run, TS_TABLE_SNAPSHOT_ABOUT, &snapshots, &n, err))
		return err->status;
	return n ? ts_mention_stored(cli, ts_cli_word(cli, 0), "memory snapshot", "--snapshot", snapshots, n, err) : TS_OK;
}

/* The traces and memory snapshots of a run with steps, which its answer does not show. */
static enum ts_status mention_files(struct ts_cli *cli, const struct ts_get_reply *run, const struct ts_run_trace *traces,
				    size_t n_traces, struct ts_error *err)
{
	if (n_traces && ts_mention_stored(cli, ts_cli_word(cli, 0), "trace", "--trace", traces, n_traces, err))
		return err->status;
	return mention_snapshots(cli, run, err);
}

/* The same of the snapshots of a run that has no steps and no traces. */
static enum ts_status snapshots_of(struct ts_cli *cli, const struct ts_get_reply *run, bool *ret_answered, struct ts_error *err)
{
	const struct ts_snapshot_choice only = {.name = NULL};
	struct ts_run_trace *all = NULL;
	size_t n = 0;

	if (!run->n_files || !ts_analyze_allows(cli, TS_OF_STORED_SNAPSHOTS))
		return TS_OK;
	if (ts_cli_kept_files(cli, run, TS_TABLE_SNAPSHOT_ABOUT, &all, &n, err))
		return err->status;
	*ret_answered = n == 1 || (n && !cli->json);
	if (n != 1)
		return *ret_answered ? ts_list_stored_snapshots(cli, ts_cli_word(cli, 0), all, n, err) : TS_OK;
	return of_chosen_snapshot(cli, run, &only, err);
}

/* Whether lines may follow the answer: it is neither JSON nor a page. */
static bool is_lines(const struct ts_cli *cli)
{
	const char *page = ts_args_text(&cli->args, "html");

	return !cli->json && !(page && strcmp(page, "-") == 0);
}

/* What is said of a run without steps, by its traces. */
static enum ts_status traces_alone(struct ts_cli *cli, const struct ts_get_reply *run, const struct ts_run_trace *traces, size_t n,
				   const struct ts_analysis *analysis, struct ts_error *err)
{
	bool job = ts_stored_is_job(traces, n), one = n == 1 && ts_analyze_allows(cli, TS_OF_STORED);
	const char *word = ts_cli_word(cli, 0);
	enum ts_status status;

	if (job && ts_analyze_refuse(cli, TS_OF_STORED_JOBS, word, err))
		return err->status;
	if (!job && !one && (n < 2 || !is_lines(cli) || !ts_analyze_allows(cli, TS_OF_STORED)))
		return answer(cli, analysis, err);
	if (job) /* names what is not read itself */
		status = ts_analyze_stored_job(cli, word, run, traces, n, err);
	else
		status = one ? ts_analyze_stored(cli, &traces[0], err) : ts_show_stored(cli, word, traces, n, err);
	if (!status && is_lines(cli))
		status = mention_snapshots(cli, run, err);
	return status || job || !is_lines(cli) ? status : ts_mention_unread(cli, word, run, traces, n, err);
}

/* Shows what is said of the run, and of its traces: all, where it has no steps; else which there are. */
static enum ts_status answer_run(struct ts_cli *cli, struct ts_span spec, const struct ts_analysis *analysis, struct ts_error *err)
{
	bool plain = is_lines(cli) && ts_analyze_allows(cli, TS_OF_STORED), answered = false;
	struct ts_run_trace *traces = NULL;
	struct ts_get_reply run;
	size_t n = 0;

	if (ts_args_has(&cli->args, "rows") || (analysis->run.steps && !plain))
		return answer(cli, analysis, err);
	if (ts_ask_get(cli->target.channel, spec, &cli->arena, &run, err) || ts_stored_traces(cli, &run, &traces, &n, err))
		return err->status;
	if (!analysis->run.steps && n)
		return traces_alone(cli, &run, traces, n, analysis, err);
	if (!analysis->run.steps && snapshots_of(cli, &run, &answered, err))
		return err->status;
	if (answered)
		return TS_OK;
	if (answer(cli, analysis, err) || (plain && mention_files(cli, &run, traces, n, err)))
		return err->status;
	return plain ? ts_mention_unread(cli, ts_cli_word(cli, 0), &run, traces, n, err) : TS_OK;
}

/* A file of another profiler is named, with what to record instead. */
static enum ts_status refuse_foreign(const char *word, struct ts_error *err)
{
	const char *what = NULL;

	if (!word || !ts_is_path(word) || ts_nsys_is(word))
		return TS_OK;
	if (ts_trace_foreign(word, &what, err))
		return err->status;
	return what ? ts_error_set(err, TS_UNSUPPORTED, "%s is %s", word, what) : TS_OK;
}

/* A name that no run has is told before an option that does not go with runs. */
static enum ts_status refuse_run(struct ts_cli *cli, struct ts_error *err)
{
	const char *word = ts_cli_word(cli, 0);
	struct ts_get_reply run;
	struct ts_error refusal;
	struct ts_span spec;

	if (!ts_analyze_refuse(cli, TS_OF_RUNS, word, &refusal))
		return TS_OK;
	if (ts_cli_run(cli, word, &spec, err) || ts_ask_get(cli->target.channel, spec, &cli->arena, &run, err))
		return err->status;
	*err = refusal;
	return err->status;
}

enum ts_status ts_verb_analyze(struct ts_cli *cli, struct ts_error *err)
{
	struct ts_analyze_request request = {0};
	struct ts_analysis analysis;
	const char *name = ts_args_text(&cli->args, "trace"), *snapshot = ts_args_text(&cli->args, "snapshot");
	enum ts_status status;
	bool trace = false, folder = false;

	if (ts_cli_settle(cli, err))
		return err->status;
	if (snapshot)
		return of_stored_snapshot(cli, snapshot, err);
	if (ts_is_snapshot(ts_cli_word(cli, 0)))
		return of_snapshot(cli, ts_cli_word(cli, 0), err);
	status = options(cli, &request, err);
	if (!status)
		status = refuse_foreign(ts_cli_word(cli, 0), err);
	if (!status)
		status = ts_is_trace(ts_cli_word(cli, 0), &trace, err);
	if (!status && !trace && !name)
		status = ts_is_trace_folder(cli, ts_cli_word(cli, 0), &folder, err);
	if (!status && (trace || folder))
		return of_trace(cli, ts_cli_word(cli, 0), folder, err);
	if (!status && name)
		return of_stored(cli, name, &request, err);
	if (!status)
		status = refuse_run(cli, err);
	if (!status)
		status = ts_cli_run(cli, ts_cli_word(cli, 0), &request.spec, err);
	if (!status)
		status = ts_ask_analyze(cli->target.channel, &request, &cli->arena, &analysis, err);
	if (status)
		return status;
	ts_cli_call_run(cli, ts_cli_word(cli, 0), &analysis.run);
	/* Where traces alone are shown, their own findings set it. */
	cli->exit_code = ts_fails_on(cli, &analysis.findings) ? TS_EXIT_NO : TS_EXIT_YES;
	return answer_run(cli, request.spec, &analysis, err);
}
