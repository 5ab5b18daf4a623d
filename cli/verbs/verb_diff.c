/* verb_diff.c - tscope diff: finds where two runs begin to differ. */
#include "cli/core/ask.h"
#include "cli/core/diff_view.h"
#include "cli/core/find_repeats.h"
#include "cli/core/names.h"
#include "cli/core/policy_file.h"
#include "cli/json/json_diff.h"
#include "cli/report/render_report.h"
#include "cli/report/report.h"
#include "cli/snapshot/analyze_snapshot.h"
#include "cli/snapshot/diff_snapshot.h"
#include "cli/text/reproduce.h"
#include "cli/text/text_diff.h"
#include "cli/text/text_matrix.h"
#include "cli/trace/analyze_trace.h"
#include "cli/trace/diff_ranks.h"
#include "cli/trace/diff_stored.h"
#include "cli/trace/diff_trace.h"
#include "cli/trace/folder.h"
#include "cli/traceml/diff_traceml.h"
#include "cli/verbs/verbs.h"

static enum ts_status ignored(const struct ts_cli *cli, struct ts_arena *arena, struct ts_diff_request *request,
			      struct ts_error *err)
{
	const char *glob;

	request->ignore = ts_arena_array(arena, cli->args.n + 1, sizeof *request->ignore);
	if (!request->ignore)
		return ts_arena_error(arena, err);
	while ((glob = ts_args_nth(&cli->args, "ignore", request->n_ignore)))
		request->ignore[request->n_ignore++] = ts_span_str(glob);
	return TS_OK;
}

static bool series_differ(const struct ts_diff *diff, const char *const *prefixes, size_t n)
{
	for (size_t i = 0; i < diff->n_series; i++) {
		if (diff->series[i].state == TS_SERIES_SAME)
			continue;
		for (size_t k = 0; k < n; k++)
			if (ts_span_starts(diff->series[i].name, ts_span_str(prefixes[k])))
				return true;
	}
	return false;
}

/* Returns whether the diff found one of the differences that --exit-on names. */
static bool asked_for_differs(const struct ts_cli *cli, const struct ts_diff *diff)
{
	static const char *const times[] = {"timestamp", "phases."};
	static const char *const memory[] = {"memory."};
	const char *what;

	for (size_t i = 0; (what = ts_args_nth(&cli->args, "exit-on", i)); i++) {
		if (strcmp(what, "facts") == 0 && diff->n_facts > 0)
			return true;
		if (strcmp(what, "times") == 0 && series_differ(diff, times, 2))
			return true;
		if (strcmp(what, "memory") == 0 && series_differ(diff, memory, 1))
			return true;
	}
	return false;
}

static int exit_code(const struct ts_cli *cli, const struct ts_diff *diff)
{
	if (diff->verdict == TS_DIFF_DIFFERENT || asked_for_differs(cli, diff))
		return TS_EXIT_NO;
	return diff->verdict == TS_DIFF_SAME ? TS_EXIT_YES : TS_EXIT_INCONCLUSIVE;
}

/* traces: those of both runs, if both have some; else it has no pairs. */
static enum ts_status answer(struct ts_cli *cli, const struct ts_diff *diff, const struct ts_reproduce *how,
			     const struct ts_rank_diff *traces, struct ts_error *err)
{
	struct ts_diff_view view = {ts_args_has(&cli->args, "first"), ts_args_has(&cli->args, "all")};
	struct ts_report report;
	bool answered = false;
	enum ts_status status = ts_report_of_diff(diff, view.all, how, &cli->arena, &report, err);

	report.links = cli->term.links;
	if (!status)
		status = ts_render_report_page(cli, &report, &answered, err);
	if (status || answered)
		return status;
	if (cli->json)
		return ts_render_diff_json(cli, diff, view, how, traces->n ? &traces->diff : NULL, err);
	if (view.first)
		return ts_render_diff_first(cli, diff, err);
	if (ts_render_report_text(cli, &report, err))
		return err->status;
	return traces->n ? ts_stored_diff_section(cli, traces, err) : TS_OK;
}

/* Which of diff's own options apply to what is given beside two runs; the last is NULL. */
static const char *const of_many[] = {"all", NULL};
static const char *const of_traces[] = {"all", "html", "force", "warmup", NULL};
static const char *const of_files_of_memory[] = {"all", "html", "force", NULL};
static const char *const of_snapshots[] = {"all", "html", "force", "snapshot", NULL};

static bool is_one_of(const char *name, const char *const *names)
{
	while (*names && strcmp(*names, name) != 0)
		names++;
	return *names;
}

static enum ts_status refuse_options(const struct ts_cli *cli, const char *given, const char *const *but, struct ts_error *err)
{
	for (size_t i = 0; i < cli->args.n; i++) {
		const char *name = cli->args.items[i].option->name;

		for (const struct ts_option *own = cli->verb->options; own->name; own++)
			if (strcmp(own->name, name) == 0 && !is_one_of(name, but))
				return ts_error_set(err, TS_INVALID, "diff: --%s works with %s, and %s", name,
						    strcmp(name, "warmup") == 0 ? "two traces, or two runs that have some" : "two runs",
						    given);
	}
	return TS_OK;
}

/* Compares the memory snapshots of two runs that have nothing else, unless an option asks for what only a diff of runs has. */
static enum ts_status snapshots_alone(struct ts_cli *cli, const struct ts_diff *diff, bool *ret_done, struct ts_error *err)
{
	struct ts_error refused;

	*ret_done = false;
	if (diff->a.steps || diff->b.steps || ts_id_eq(&diff->a.id, &diff->b.id) || refuse_options(cli, "", of_snapshots, &refused))
		return TS_OK;
	return ts_diff_stored_snapshots(cli, &diff->a.id, &diff->b.id, NULL, ret_done, err);
}

/* --snapshot NAME: compares the memory snapshots of this name, and nothing else. */
static enum ts_status snapshots_named(struct ts_cli *cli, const struct ts_diff *diff, const char *name, struct ts_error *err)
{
	bool done = false;

	if (refuse_options(cli, "--snapshot compares memory snapshots", of_snapshots, err) ||
	    ts_diff_stored_snapshots(cli, &diff->a.id, &diff->b.id, name, &done, err))
		return err->status;
	if (!done)
		return ts_error_set(err, TS_NOT_FOUND,
				    "diff: %s and %s have no memory snapshot %s of the same rank; tscope show lists what they have",
				    ts_cli_word(cli, 0), ts_cli_word(cli, 1), name);
	return TS_OK;
}

/* Compares the traces of both runs, or their memory snapshots, and nothing else where neither has steps. */
static enum ts_status with_traces(struct ts_cli *cli, const struct ts_diff *diff, const struct ts_reproduce *how, struct ts_error *err)
{
	const char *snapshot = ts_args_text(&cli->args, "snapshot");
	struct ts_rank_diff traces = {0};
	bool done = false;

	if (snapshot)
		return snapshots_named(cli, diff, snapshot, err);
	if (!ts_args_has(&cli->args, "first") && ts_stored_diff(cli, &diff->a.id, &diff->b.id, &traces, err))
		return err->status;
	if (traces.n && !diff->a.steps && !diff->b.steps) {
		cli->exit_code = ts_trace_diff_exit(traces.verdict);
		return ts_stored_diff_alone(cli, &traces, err);
	}
	if (!traces.n && snapshots_alone(cli, diff, &done, err))
		return err->status;
	if (done)
		return TS_OK;
	if (!traces.n && ts_args_has(&cli->args, "warmup"))
		return ts_error_set(err, TS_INVALID, "diff: --warmup is for traces, and these runs have none of the same rank");
	cli->exit_code = exit_code(cli, diff);
	if (answer(cli, diff, how, &traces, err))
		return err->status;
	if (cli->json || ts_args_has(&cli->args, "first") || ts_id_eq(&diff->a.id, &diff->b.id))
		return TS_OK;
	return ts_mention_snapshots(cli, &diff->a.id, &diff->b.id, err);
}

/* Chooses the curves. On a screen only the part around the split is drawn, which costs no more than the diff did. */
static enum ts_plots_wanted plots_of(const struct ts_cli *cli)
{
	if (ts_args_has(&cli->args, "curves") || ts_args_has(&cli->args, "html"))
		return TS_PLOTS_ALL;
	return cli->json || ts_args_has(&cli->args, "first") ? TS_PLOTS_NONE : TS_PLOTS_AROUND;
}

/* For three runs or more, shows the first different step of each two runs. */
static enum ts_status matrix(struct ts_cli *cli, struct ts_error *err)
{
	struct ts_matrix_request request = {.n = cli->args.n_words};
	struct ts_diff_matrix m;
	const char *given = ts_arena_printf(&cli->arena, "%zu are given", cli->args.n_words);
	enum ts_status status;

	if (!given)
		return ts_arena_error(&cli->arena, err);
	if (refuse_options(cli, given, of_many, err))
		return err->status;
	request.runs = ts_arena_array(&cli->arena, request.n, sizeof *request.runs);
	if (!request.runs)
		return ts_arena_error(&cli->arena, err);
	status = ts_cli_runs(cli, cli->args.words, request.n, request.runs, err);
	if (!status)
		status = ts_ask_matrix(cli->target.channel, &request, &cli->arena, &m, err);
	if (status)
		return status;
	for (size_t i = 0; i < m.n; i++)
		ts_cli_call_run(cli, cli->args.words[i], &m.runs[i]);
	status = cli->json ? ts_render_matrix_json(cli, &m, err)
			   : ts_render_matrix_text(cli, &m, ts_args_has(&cli->args, "all"), err);
	if (!status)
		cli->exit_code = ts_matrix_count(&m).verdict;
	return status;
}

/* If both runs are summaries of TraceML, tells the user that --as shows what TraceML's compare would say. Without --as,
 * their facts are shown like others. */
static void hint(const struct ts_cli *cli, const struct ts_diff *diff)
{
	for (size_t i = 0; i < diff->n_facts; i++)
		if (ts_span_is(diff->facts[i].path, TS_TRACEML_FACTS "generated_at") && diff->facts[i].a && diff->facts[i].b) {
			ts_cli_say(cli, "both are summaries of TraceML; --as traceml compares them by its rules, and shows what those "
					"rules ignore");
			return;
		}
}

/* Puts the run of --rounding behind the other words, so that all of them are completed at once. */
static enum ts_status add_rounding(struct ts_cli *cli, const char *rounding, struct ts_repeat_words *io, struct ts_error *err)
{
	const char **words;

	if (!rounding)
		return TS_OK;
	words = ts_arena_array(&cli->arena, io->n + 1, sizeof(char *));
	if (!words)
		return ts_arena_error(&cli->arena, err);
	memcpy(words, io->words, io->n * sizeof(char *));
	words[io->n] = rounding;
	*io = (struct ts_repeat_words){words, io->n + 1};
	return TS_OK;
}

static enum ts_status two_runs(struct ts_cli *cli, struct ts_error *err)
{
	struct ts_diff_request request = {.plots = plots_of(cli), .outcomes = !ts_args_has(&cli->args, "first")};
	const char *axis = ts_args_text(&cli->args, "by"), *rounding = ts_args_text(&cli->args, "rounding");
	bool reproduce = ts_args_has(&cli->args, "reproduce");
	struct ts_reproduce how;
	struct ts_repeat_words words;
	struct ts_span *specs;
	struct ts_diff diff;
	enum ts_status status = ts_check_page_option(cli, "first", err) ? ts_error_prefix(err, "diff") : TS_OK;

	if (!status)
		status = ts_policy_file(cli, &request.policy, err) ? ts_error_prefix(err, "diff") : TS_OK;
	if (!status)
		status = ignored(cli, &cli->arena, &request, err);
	if (!status)
		status = ts_find_repeats(cli, &request, &words, err);
	if (!status)
		status = add_rounding(cli, rounding, &words, err);
	if (status)
		return status;
	specs = ts_arena_array(&cli->arena, words.n, sizeof *specs);
	if (!specs)
		return ts_arena_error(&cli->arena, err);
	status = ts_cli_runs(cli, words.words, words.n, specs, err);
	if (status)
		return status;
	if (rounding)
		request.rounding = specs[--words.n];
	ts_take_specs(specs, words.n, &request);
	if (axis)
		request.axis = ts_span_str(axis);
	if (ts_ask_diff(cli->target.channel, &request, &cli->arena, &diff, err))
		return err->status;
	ts_cli_call_run(cli, words.words[0], &diff.a);
	ts_cli_call_run(cli, words.words[1], &diff.b);
	if (reproduce)
		status = ts_reproduce_ask(cli, words.words[0], specs[0], &how.a, err);
	if (!status && reproduce)
		status = ts_reproduce_ask(cli, words.words[1], specs[1], &how.b, err);
	if (!status)
		status = with_traces(cli, &diff, reproduce ? &how : NULL, err);
	if (!status && !cli->json)
		hint(cli, &diff);
	return status;
}

/* What a word may be the path of beside a run directory. */
enum file { NO_FILE, TRACE, SNAPSHOT, FOLDER };
static const struct {
	const char *one, *options;
	enum ts_status (*diff)(struct ts_cli *cli, const char *path_a, const char *path_b, struct ts_error *err);
} files[] = {[TRACE] = {"a profiler's trace", "these are traces", ts_diff_traces},
	     [SNAPSHOT] = {"a memory snapshot", "these are memory snapshots", ts_diff_snapshots},
	     [FOLDER] = {"a folder of profiler's traces", "these are folders of profiler's traces", ts_diff_trace_folders}};

static enum ts_status file_of(struct ts_cli *cli, const char *word, enum file *ret, struct ts_error *err)
{
	bool trace = false, folder = false;

	*ret = ts_is_snapshot(word) ? SNAPSHOT : NO_FILE;
	if (*ret == NO_FILE && ts_is_trace(word, &trace, err))
		return err->status;
	if (*ret == NO_FILE && !trace && ts_is_trace_folder(cli, word, &folder, err))
		return err->status;
	*ret = trace ? TRACE : (folder ? FOLDER : *ret);
	return TS_OK;
}

/* Compares two files of a kind that stand alone, or two folders. *ret_done: they are such. One file alone is no run, and so an error;
 * one folder may be read as a run. */
static enum ts_status two_files(struct ts_cli *cli, bool *ret_done, struct ts_error *err)
{
	const char *words[2] = {ts_cli_word(cli, 0), ts_cli_word(cli, 1)};
	enum file of[2];

	for (size_t i = 0; i < 2; i++)
		if (file_of(cli, words[i], &of[i], err))
			return err->status;
	*ret_done = of[0] != NO_FILE && of[0] == of[1];
	if (*ret_done)
		return refuse_options(cli, files[of[0]].options, of[0] != SNAPSHOT ? of_traces : of_files_of_memory, err)
			       ? err->status
			       : files[of[0]].diff(cli, words[0], words[1], err);
	if (of[0] + of[1] == NO_FILE + FOLDER && (of[0] == NO_FILE || of[1] == NO_FILE))
		return TS_OK;
	if (of[0] != of[1]) {
		size_t k = of[0] == NO_FILE;

		return ts_error_set(err, TS_INVALID, "diff: %s is %s, and %s is none; give two of a kind", words[k], files[of[k]].one,
				    words[!k]);
	}
	return TS_OK;
}

/* A matrix shows where values of steps part, which files of these kinds do not have: all would look the same, or apart. */
static enum ts_status refuse_files(struct ts_cli *cli, struct ts_error *err)
{
	for (size_t i = 0; i < cli->args.n_words; i++) {
		const char *word = ts_cli_word(cli, i);
		enum file of;

		if (file_of(cli, word, &of, err))
			return err->status;
		if (of != NO_FILE)
			return ts_error_set(err, TS_INVALID, "diff: %s is %s, of which two are compared at a time", word,
					    files[of].one);
	}
	return TS_OK;
}

enum ts_status ts_verb_diff(struct ts_cli *cli, struct ts_error *err)
{
	const char *as = ts_args_text(&cli->args, "as");
	bool done = false;

	if (ts_cli_settle(cli, err))
		return err->status;
	if (cli->args.n_words == 2 && two_files(cli, &done, err))
		return err->status;
	if (done)
		return TS_OK;
	if (cli->args.n_words > 2)
		return refuse_files(cli, err) ? err->status : matrix(cli, err);
	return as ? ts_diff_traceml(cli, err) : two_runs(cli, err);
}
