/* diff_folder.c - `tscope diff ./folderA ./folderB`: the traces of the ranks of two jobs (diff_ranks.h). */
#include "base/path.h"
#include "cli/json/json_parts.h"
#include "cli/report/page.h"
#include "cli/report/render_report.h"
#include "cli/text/text_parts.h"
#include "cli/trace/analyze_trace.h"
#include "cli/trace/diff_ranks.h"
#include "cli/trace/diff_trace.h"
#include "cli/trace/folder.h"
#include "cli/view/show_value.h"

enum { FILES_SHOWN = 8 };

/* --- a pair --- */

struct opened {
	struct ts_trace_file file;
	struct ts_trace trace;
};

/* The notices were said when the folder was read. */
static enum ts_status open_trace(struct ts_cli *cli, const char *top, const char *name, struct ts_arena *arena, struct opened *ret,
				 struct ts_error *err)
{
	struct ts_notices notices = {.arena = arena};
	const char *path = ts_path_join(arena, top, name);

	return path ? ts_load_trace(cli, top, path, &notices, &ret->trace, &ret->file, err) : ts_arena_error(arena, err);
}

static void own_row(struct ts_trace_diff_row *row, struct ts_arena *arena)
{
	row->name = ts_arena_span(arena, row->name);
	row->replaced_by = ts_arena_span(arena, row->replaced_by);
	row->replaced_under = ts_arena_span(arena, row->replaced_under);
}

/* Copies the texts of the traces, which will be freed. */
static enum ts_status own(struct ts_trace_diff *d, struct ts_arena *arena, struct ts_error *err)
{
	own_row(&d->step, arena);
	own_row(&d->host, arena);
	for (size_t i = 0; i < d->n_tables; i++)
		for (size_t k = 0; k < d->tables[i].n; k++)
			own_row(&d->tables[i].rows[k], arena);
	return ts_arena_check(arena, err);
}

static enum ts_status compare(struct ts_cli *cli, const void *from, const struct ts_rank_pair *pair, struct ts_arena *arena,
			      struct ts_trace_diff *ret, struct ts_error *err)
{
	const struct ts_rank_diff *of = from;
	const char *const tops[2] = {of->a.path, of->b.path}, *const names[2] = {pair->a.name, pair->b.name};
	struct opened sides[2];
	enum ts_status status = TS_OK;
	int n = 0;

	for (; n < 2 && !status; n += !status)
		status = open_trace(cli, tops[n], names[n], arena, &sides[n], err);
	if (!status)
		status = ts_diff_pair(cli, &sides[0].trace, names[0], &sides[1].trace, names[1], arena, ret, err);
	if (!status)
		status = own(ret, arena, err);
	ret->path_a = pair->a.name;
	ret->path_b = pair->b.name;
	while (n-- > 0) {
		ts_trace_finish(&sides[n].trace);
		ts_trace_file_finish(&sides[n].file);
	}
	return status;
}

/* --- what is said --- */

static void files(struct ts_cli *cli, const char *side, const struct ts_rank_files *of)
{
	size_t left = 0;

	ts_text_field(cli, side, of->path);
	for (size_t i = 0; i < of->n; i++) {
		const struct ts_job_file *f = &of->files[i];
		const char *name = ts_show_text(ts_span_str(f->name), &cli->arena);

		if (f->state == TS_JOB_FILE_READ || left++ >= FILES_SHOWN)
			continue;
		ts_text_field(cli, "note",
			      f->state == TS_JOB_FILE_FAILED
				      ? ts_arena_printf(&cli->arena, "%s of %s was not read: %s", name, side,
							ts_show_text(ts_span_str(f->why), &cli->arena))
				      : ts_arena_printf(&cli->arena, "%s of %s is %s", name, side, f->why ? f->why : "no trace"));
	}
	if (left > FILES_SHOWN)
		ts_text_field(cli, "note",
			      ts_arena_printf(&cli->arena, "and %s of %s that were not read; --json has all",
					      ts_show_plural(left - FILES_SHOWN, "file", &cli->arena), side));
}

static enum ts_status text(struct ts_cli *cli, const struct ts_rank_diff *d, struct ts_error *err)
{
	const char *whose = d->n ? ts_rank_words(cli, &d->pairs[d->worst].a) : NULL;

	ts_text_wrapped(cli, TS_STYLE_BOLD, 0, ts_show_text(d->sentence, &cli->arena));
	files(cli, "A", &d->a);
	files(cli, "B", &d->b);
	if (d->n > 1 || d->n_alone)
		ts_text_heading(cli, "The ranks");
	if (ts_ranks_text(cli, d, err))
		return err->status;
	if (!d->n)
		return TS_OK;
	ts_text_heading(cli, ts_arena_printf(&cli->arena, "Traces of %s", whose ? whose : ""));
	return ts_trace_diff_tables_text(cli, &d->diff, ts_args_has(&cli->args, "all"), err);
}

static enum ts_status say(struct ts_cli *cli, const void *what, struct ts_error *err)
{
	return text(cli, what, err);
}

/* *ret_answered as of ts_page_write. */
static enum ts_status page(struct ts_cli *cli, const struct ts_rank_diff *d, bool *ret_answered, struct ts_error *err)
{
	const char *title = ts_page_title_of_two(d->a.path, d->b.path, &cli->arena);
	struct ts_said_page said = {.title = title, .foot = "the difference of two folders of traces", .say = say, .what = d};

	return title ? ts_page_write_said(cli, &said, ret_answered, err) : ts_arena_error(&cli->arena, err);
}

static enum ts_status read_side(struct ts_cli *cli, const char *path, struct ts_rank_trace **ret, size_t *ret_n,
				struct ts_rank_files *ret_files, struct ts_error *err)
{
	struct ts_trace_folder folder;
	struct ts_rank_trace *out;

	if (ts_trace_folder_read(cli, path, &cli->arena, &folder, err))
		return err->status;
	out = ts_arena_array(&cli->arena, folder.n_traces, sizeof *out);
	if (!out)
		return ts_arena_error(&cli->arena, err);
	for (size_t i = 0; i < folder.n_traces; i++) {
		const struct ts_job_trace *t = &folder.traces[i];

		out[i] = (struct ts_rank_trace){t->file, t->rank, t->has_rank, i};
	}
	*ret = out;
	*ret_n = folder.n_traces;
	*ret_files = (struct ts_rank_files){path, folder.files, folder.n_files};
	return TS_OK;
}

enum ts_status ts_diff_trace_folders(struct ts_cli *cli, const char *path_a, const char *path_b, struct ts_error *err)
{
	struct ts_rank_trace *traces[2];
	struct ts_rank_files sides[2];
	struct ts_rank_diff d;
	bool answered = false;
	size_t n[2];

	if (ts_check_page_option(cli, "json", err))
		return ts_error_prefix(err, "diff");
	if (read_side(cli, path_a, &traces[0], &n[0], &sides[0], err) || read_side(cli, path_b, &traces[1], &n[1], &sides[1], err) ||
	    ts_rank_diff_pairs(traces[0], n[0], traces[1], n[1], &cli->arena, &d, err))
		return err->status;
	d.a = sides[0];
	d.b = sides[1];
	if (ts_diff_ranks(cli, compare, &d, &d, err) || page(cli, &d, &answered, err))
		return err->status;
	cli->exit_code = ts_trace_diff_exit(d.verdict);
	if (answered)
		return TS_OK;
	return cli->json ? ts_json_answer(cli, &ts_shape_trace_ranks, &d, err) : text(cli, &d, err);
}
