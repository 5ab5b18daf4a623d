#include "cli/snapshot/stored_snapshot.h"

#include "cli/core/ask.h"
#include "cli/core/kept_files.h"
#include "cli/text/text_parts.h"
#include "cli/view/show_value.h"
#include "cli/view/view.h"
#include "run/head.h"
#include "run/run_index.h"
#include "run/snapshot_columns.h"

enum { NAMES_MOST = 8 /* in an error */ };

/* The file of this name. */
static enum ts_status named(const struct ts_get_reply *run, const struct ts_snapshot_choice *choice, struct ts_run_trace *ret,
			    struct ts_error *err)
{
	const struct ts_file_info *found = NULL;

	for (size_t i = 0; i < run->n_files; i++) {
		if (!ts_span_is(run->files[i].name, choice->name) || (choice->has_rank && run->files[i].rank != choice->rank))
			continue;
		if (found)
			return ts_error_set(err, TS_INVALID, "ranks %d and %d have a file %s; say which with --rank", (int)found->rank,
					    (int)run->files[i].rank, choice->name);
		found = &run->files[i];
	}
	if (!found)
		return ts_error_set(err, TS_INVALID, "the run has no file %s; tscope show lists those that it has", choice->name);
	if (!found->has_columns)
		return ts_error_set(err, TS_INVALID, "%s could not be read as a memory snapshot when it was pushed", choice->name);
	*ret = (struct ts_run_trace){found->rank, found->name, found->size, found->columns};
	return TS_OK;
}

static bool unread(const struct ts_get_reply *run)
{
	for (size_t i = 0; i < run->n_files; i++)
		if (!run->files[i].has_columns)
			return true;
	return false;
}

/* The only snapshot. */
static enum ts_status only(struct ts_cli *cli, const struct ts_get_reply *run, const struct ts_snapshot_choice *choice,
			   struct ts_run_trace *ret, struct ts_error *err)
{
	struct ts_run_trace *all = NULL;
	size_t n = 0, fit = 0;
	const char *names = "";

	if (ts_cli_kept_files(cli, run, TS_TABLE_SNAPSHOT_ABOUT, &all, &n, err))
		return err->status;
	for (size_t i = 0; i < n; i++) {
		const char *name = ts_show_text(all[i].name, &cli->arena), *of;

		if (choice->has_rank && all[i].rank != choice->rank)
			continue;
		*ret = all[i];
		if (fit++ >= NAMES_MOST)
			continue;
		of = all[i].rank == TS_RANK_JOB ? "of the job" : ts_arena_printf(&cli->arena, "of rank %d", (int)all[i].rank);
		names = name && of ? ts_arena_printf(&cli->arena, "%s%s%s %s", names, fit > 1 ? ", " : "", name, of) : NULL;
		if (!names)
			return ts_arena_error(&cli->arena, err);
	}
	if (!fit && !n && unread(run))
		return ts_error_set(err, TS_INVALID,
				    "the run has no memory snapshot that could be read when it was pushed; "
				    "tscope analyze names the files that were not");
	if (!fit)
		return ts_error_set(err, TS_INVALID, n ? "this rank has no memory snapshot" : "the run has no memory snapshot");
	if (fit > 1)
		return ts_error_set(err, TS_INVALID, "there are %zu memory snapshots, of which --snapshot and --rank choose one: %s%s",
				    fit, names, fit > NAMES_MOST ? ", ..." : "");
	return TS_OK;
}

/* What the facts of the rank say of a device's memory. A file of the job has the head's. */
static enum ts_status capacity(struct ts_cli *cli, const struct ts_get_reply *run, int32_t rank, struct ts_stored_snapshot *ret,
			       struct ts_error *err)
{
	struct ts_facts facts;
	struct ts_index index;
	struct ts_head head;

	if (ts_head_decode(run->head, &cli->arena, &head, err))
		return err->status;
	facts = head.facts;
	for (size_t i = 0; i < head.n_ranks && rank != TS_RANK_JOB; i++)
		if (head.ranks[i].rank == rank &&
		    (ts_run_index(ts_stored_object, cli, &head.ranks[i].index, rank, &cli->arena, &index, err) ||
		     ts_facts_whole(&head.facts, &index.facts, &cli->arena, &facts, err)))
			return err->status;
	return ts_capacity_of_facts(&facts, &cli->arena, &ret->capacity, err);
}

enum ts_status ts_stored_snapshot(struct ts_cli *cli, const struct ts_get_reply *run, const struct ts_snapshot_choice *choice,
				  struct ts_stored_snapshot *ret, struct ts_error *err)
{
	struct ts_run_trace file = {.rank = 0};

	*ret = (struct ts_stored_snapshot){.name = NULL};
	if (choice->name ? named(run, choice, &file, err) : only(cli, run, choice, &file, err))
		return err->status;
	ret->name = ts_arena_printf(&cli->arena, "%.*s", TS_SPAN_ARG(file.name));
	if (!ret->name)
		return ts_arena_error(&cli->arena, err);
	if (ts_stored_columns_prefetch(cli, &file.columns, 1, err) ||
	    ts_snapshot_columns_load(ts_stored_object, cli, &file.columns, &cli->arena, &ret->snapshot, err))
		return err->status;
	return capacity(cli, run, file.rank, ret, err);
}

enum ts_status ts_list_stored_snapshots(struct ts_cli *cli, const char *run, const struct ts_run_trace *all, size_t n,
					struct ts_error *err)
{
	static const struct ts_view_column columns[] = {TS_LEFT("snapshot", 16), TS_LEFT("rank", 0), TS_RIGHT("size")};
	struct ts_view view;

	ts_view_init(&view, TS_VIEW_COLUMNS(columns), &cli->arena);
	for (size_t i = 0; i < n; i++) {
		ts_view_row(&view, NULL);
		ts_view_set_span(&view, "snapshot", TS_STYLE_PLAIN, all[i].name);
		ts_view_set(&view, "rank", TS_STYLE_PLAIN,
			    all[i].rank == TS_RANK_JOB ? "job" : ts_arena_printf(&cli->arena, "%d", (int)all[i].rank));
		ts_view_set(&view, "size", TS_STYLE_PLAIN, ts_show_bytes((double)all[i].size, &cli->arena));
	}
	if (ts_view_print(&view, &cli->term, 0, &cli->out, err))
		return err->status;
	ts_buf_char(&cli->out, '\n');
	ts_text_wrapped(cli, TS_STYLE_PLAIN, 0,
			ts_arena_printf(&cli->arena,
					"The run has memory snapshots and no steps: tscope analyze %s --snapshot NAME shows what one "
					"says; --rank says whose, where several ranks have one of this name.",
					run));
	return ts_arena_check(&cli->arena, err);
}
