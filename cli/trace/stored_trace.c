#include "cli/trace/stored_trace.h"

#include "cli/core/ask.h"
#include "cli/core/kept_files.h"
#include "cli/text/text_parts.h"
#include "cli/trace/analyze_trace.h"
#include "cli/view/show_value.h"
#include "cli/trace/kernels_file.h"
#include "cli/trace/summary_file.h"
#include "cli/view/view.h"
#include "run/head.h"
#include "run/trace_columns.h"

enum ts_status ts_stored_traces(struct ts_cli *cli, const struct ts_get_reply *run, struct ts_run_trace **ret_traces, size_t *ret_n,
				struct ts_error *err)
{
	return ts_cli_kept_files(cli, run, TS_TABLE_ABOUT, ret_traces, ret_n, err);
}

enum ts_status ts_stored_load(struct ts_cli *cli, const struct ts_run_trace *stored, struct ts_arena *arena, struct ts_trace *ret_trace,
			      struct ts_trace_record *ret_record, struct ts_error *err)
{
	if (ts_stored_columns_prefetch(cli, &stored->columns, 1, err))
		return err->status;
	if (ts_trace_columns_load(ts_stored_object, cli, &stored->columns, arena, ret_trace, ret_record, err))
		return err->status;
	if (!ts_know_kernels(cli, ret_trace, arena, err))
		return TS_OK;
	ts_trace_finish(ret_trace);
	return err->status;
}

static const char *rank_of(struct ts_cli *cli, int32_t rank)
{
	return rank == TS_RANK_JOB ? "the job" : ts_arena_printf(&cli->arena, "rank %d", (int)rank);
}

/* "trace.json (rank 0), trace.json (rank 1) and 6 more" */
static const char *names_of(struct ts_cli *cli, const struct ts_run_trace *traces, size_t n)
{
	enum { SHOWN = 4 };
	const char *text = "";

	for (size_t i = 0; text && i < n && i < SHOWN; i++) {
		const char *name = ts_show_text(traces[i].name, &cli->arena), *rank = rank_of(cli, traces[i].rank);

		text = name && rank ? ts_arena_printf(&cli->arena, "%s%s%s (%s)", text, i ? ", " : "", name, rank) : NULL;
	}
	if (text && n > SHOWN)
		text = ts_arena_printf(&cli->arena, "%s and %zu more", text, n - SHOWN);
	return text;
}

enum ts_status ts_stored_choose(struct ts_cli *cli, const struct ts_run_trace *traces, size_t n, const char *name, bool has_rank,
				int32_t rank, const struct ts_run_trace **ret_trace, struct ts_error *err)
{
	const struct ts_run_trace *found = NULL;
	const char *names = names_of(cli, traces, n), *of_rank = has_rank ? ts_arena_printf(&cli->arena, " of rank %d", (int)rank) : "";

	if (!names || !of_rank)
		return ts_arena_error(&cli->arena, err);
	for (size_t i = 0; i < n; i++) {
		if ((name && !ts_span_is(traces[i].name, name)) || (has_rank && traces[i].rank != rank))
			continue;
		if (found && !name)
			return ts_error_set(err, TS_AMBIGUOUS, "the run has several traces%s; say which by its name: %s", of_rank,
					    names);
		if (found)
			return ts_error_set(err, TS_AMBIGUOUS, "several ranks have a trace %s; say which with --rank: %s", name, names);
		found = &traces[i];
	}
	if (!found && !n && name)
		return ts_error_set(err, TS_NOT_FOUND, "the run has no trace that could be read, and %s is no file of one", name);
	if (!found && !n)
		return ts_error_set(err, TS_NOT_FOUND, "the run has no trace that could be read");
	if (!found)
		return ts_error_set(err, TS_NOT_FOUND, "the run has no trace%s%s%s that could be read; it has %s", name ? " " : "",
				    name ? name : "", of_rank, names);
	*ret_trace = found;
	return TS_OK;
}

static const char *number_or_dash(struct ts_cli *cli, int64_t n)
{
	return n == TS_TRACE_NONE ? "-" : ts_arena_printf(&cli->arena, "%" PRId64, n);
}

static enum ts_status trace_row(struct ts_cli *cli, struct ts_view *view, const struct ts_run_trace *trace, struct ts_error *err)
{
	struct ts_trace_record record;
	struct ts_trace_about about;
	struct ts_arena arena;
	enum ts_status status;
	uint64_t skipped = 0;

	ts_arena_init(&arena, 0);
	status = ts_trace_columns_about(ts_stored_object, cli, &trace->columns, &arena, &about, &record, err);
	if (!status) {
		for (size_t i = 0; i < record.n_notices; i++)
			skipped += record.notices[i].skipped ? record.notices[i].count : 0;
		ts_view_row(view, NULL);
		ts_view_set_span(view, "trace", TS_STYLE_PLAIN, trace->name);
		ts_view_set(view, "rank", TS_STYLE_PLAIN,
			    trace->rank == TS_RANK_JOB ? "job" : ts_arena_printf(&cli->arena, "%d", (int)trace->rank));
		ts_view_set(view, "says rank", TS_STYLE_PLAIN, number_or_dash(cli, about.rank));
		ts_view_set(view, "of", TS_STYLE_PLAIN, number_or_dash(cli, about.world_size));
		ts_view_set(view, "events", TS_STYLE_PLAIN, ts_show_count(record.events, &cli->arena));
		ts_view_set(view, "left out", TS_STYLE_PLAIN, ts_show_count(skipped, &cli->arena));
		ts_view_set(view, "size", TS_STYLE_PLAIN, ts_show_bytes((double)trace->size, &cli->arena));
	}
	ts_arena_finish(&arena);
	return status;
}

/* Below what stands there already. */
static enum ts_status say_below(struct ts_cli *cli, const char *sentence, struct ts_error *err)
{
	ts_buf_char(&cli->out, '\n');
	ts_text_wrapped(cli, TS_STYLE_PLAIN, 0, sentence);
	return ts_arena_check(&cli->arena, err);
}

enum ts_status ts_point_to_stored(struct ts_cli *cli, const char *run, struct ts_error *err)
{
	return say_below(cli,
			 ts_arena_phrase(&cli->arena,
					 "The run has traces and no steps: tscope analyze %s --trace NAME shows what one says.", run),
			 err);
}

enum ts_status ts_show_stored(struct ts_cli *cli, const char *run, const struct ts_run_trace *traces, size_t n, struct ts_error *err)
{
	static const struct ts_view_column columns[] = {TS_LEFT("trace", 16), TS_LEFT("rank", 0), TS_RIGHT("says rank"),
							TS_RIGHT("of"),	      TS_RIGHT("events"), TS_RIGHT("left out"),
							TS_RIGHT("size")};
	struct ts_view view;

	ts_view_init(&view, TS_VIEW_COLUMNS(columns), &cli->arena);
	for (size_t i = 0; i < n; i++)
		if (trace_row(cli, &view, &traces[i], err))
			return err->status;
	if (ts_view_print(&view, &cli->term, 0, &cli->out, err))
		return err->status;
	return ts_point_to_stored(cli, run, err);
}

enum ts_status ts_mention_stored(struct ts_cli *cli, const char *run, const char *what, const char *option,
				 const struct ts_run_trace *files, size_t n, struct ts_error *err)
{
	const char *names = names_of(cli, files, n);

	if (!names)
		return ts_arena_error(&cli->arena, err);
	return say_below(cli,
			 ts_arena_phrase(&cli->arena, "The run also has %s%s%s: %s; tscope analyze %s %s NAME shows what %s.",
					 n == 1 ? "a " : "", what, n == 1 ? "" : "s", names, run, option,
					 n == 1 ? "it says" : "one says"),
			 err);
}

/* Of those whose trace is there, too, nothing is said. */
static enum ts_status mention_summaries(struct ts_cli *cli, const struct ts_get_reply *run, const struct ts_run_trace *traces,
					size_t n_traces, struct ts_error *err)
{
	struct ts_run_trace *summaries = NULL;
	const char *names;
	size_t n = 0;

	if (ts_run_summaries(cli, run, traces, n_traces, &summaries, &n, err))
		return err->status;
	names = names_of(cli, summaries, n);
	if (!names)
		return ts_arena_error(&cli->arena, err);
	if (!n)
		return TS_OK;
	return say_below(cli,
			 ts_arena_phrase(&cli->arena,
					 "Of %s the run keeps only the summary of the kernels, by which tscope diff compares runs: %s.",
					 ts_show_plural(n, "trace", &cli->arena), names),
			 err);
}

enum ts_status ts_mention_unread(struct ts_cli *cli, const char *word, const struct ts_get_reply *run,
				 const struct ts_run_trace *traces, size_t n_traces, struct ts_error *err)
{
	struct ts_run_trace *files = ts_arena_array(&cli->arena, run->n_files, sizeof *files);
	const char *names;
	size_t n = 0;

	if (!files)
		return ts_arena_error(&cli->arena, err);
	if (mention_summaries(cli, run, traces, n_traces, err))
		return err->status;
	for (size_t i = 0; i < run->n_files; i++)
		if (!run->files[i].has_columns && !ts_summary_named(run->files[i].name))
			files[n++] = (struct ts_run_trace){.rank = run->files[i].rank, .name = run->files[i].name};
	names = names_of(cli, files, n);
	if (!names)
		return ts_arena_error(&cli->arena, err);
	if (!n)
		return TS_OK;
	return say_below(cli,
			 ts_arena_phrase(&cli->arena,
					 "%s of the run %s not read when it was pushed: %s; its folder, pushed again, says why, and "
					 "tscope export %s writes %s back.",
					 ts_show_plural(n, "file", &cli->arena), n == 1 ? "was" : "were", names, word,
					 n == 1 ? "it" : "them"),
			 err);
}

enum ts_status ts_analyze_stored(struct ts_cli *cli, const struct ts_run_trace *stored, struct ts_error *err)
{
	const char *path = ts_show_text(stored->name, &cli->arena);
	struct ts_trace_record record;
	struct ts_trace trace;
	enum ts_status status;

	if (!path)
		return ts_arena_error(&cli->arena, err);
	ts_trace_room(cli, stored->size);
	if (ts_stored_load(cli, stored, &cli->arena, &trace, &record, err))
		return err->status;
	status = ts_show_trace(cli, path, &trace, &record, err);
	ts_trace_finish(&trace);
	return status;
}
