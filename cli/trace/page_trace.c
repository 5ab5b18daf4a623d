#include "cli/trace/page_trace.h"

#include "cli/report/page.h"
#include "cli/trace/analyze_trace.h"

/* answer is of a trace, or job of the ranks of one. */
struct drawing {
	struct ts_cli *cli;
	const struct ts_trace_answer *answer;
	const struct ts_trace_job *job;
	struct ts_flame flame;
};

/* The text of the answer, drawn as parts of a page. It goes through the command's output, which is put back. */
static enum ts_status sections(const struct drawing *d, struct ts_buf *ret, struct ts_error *err)
{
	struct ts_cli *cli = d->cli;
	struct ts_term term = cli->term;
	struct ts_buf out = cli->out;
	enum ts_status status;

	cli->out = TS_BUF_INIT(TS_PAGE_MAX_BYTES);
	cli->term = (struct ts_term){.page = true, .utf8 = true};
	status = d->job ? ts_render_trace_job_text(cli, d->job, err) : ts_render_trace_text(cli, d->answer, err);
	*ret = cli->out;
	cli->out = out;
	cli->term = term;
	return status;
}

/* The flame graphs stand behind the first section, which says whose trace it is: further down nobody on a phone would find them. */
static enum ts_status whole(const struct drawing *d, struct ts_span text, struct ts_buf *out, struct ts_error *err)
{
	static const char end[] = "</section>\n";
	size_t first = 0;

	while (first < text.len && !ts_span_starts(ts_span_from(text, first), ts_span_str(end)))
		first++;
	ts_buf_span(out, ts_span_part(text, 0, first));
	if (ts_flame_page(d->cli, &d->flame, out, err))
		return err->status;
	ts_buf_span(out, ts_span_from(text, first));
	return TS_OK;
}

static enum ts_status draw(const void *what, struct ts_arena *arena, struct ts_buf *out, struct ts_error *err)
{
	const struct drawing *d = what;
	const char *name = d->job ? d->job->path : d->answer->path;
	struct ts_buf text;
	enum ts_status status = sections(d, &text, err);
	bool flames = !d->job && ts_flame_is_drawn(&d->flame);

	if (!status) {
		ts_page_open(out, name, flames ? &ts_flame_script : NULL);
		ts_page_element(out, "<header><h1>", name, "</h1></header>\n<main><section>\n");
		if (d->job)
			ts_buf_span(out, ts_buf_view(&text));
		else
			status = whole(d, ts_buf_view(&text), out, err);
		ts_buf_str(out, "</section></main>\n");
		if (flames)
			ts_page_run(out, &ts_flame_script);
		ts_page_close(out, d->job ? "a profiler's traces of the ranks of a job" : "a profiler's trace");
		ts_buf_lacks(out, &text);
	}
	if (!status)
		status = ts_buf_check(out, err) ? err->status : ts_arena_check(arena, err);
	ts_buf_finish(&text);
	return status;
}

enum ts_status ts_trace_page(struct ts_cli *cli, const struct ts_trace *trace, const struct ts_trace_answer *answer, bool *ret_answered,
			     struct ts_error *err)
{
	struct drawing d = {.cli = cli, .answer = answer};
	struct ts_host_names names;
	struct ts_nest nest;

	if (!ts_args_has(&cli->args, "html"))
		return TS_OK;
	if (ts_nest(trace, &cli->arena, &nest, err) || ts_host_names(trace, &cli->arena, &names, err) ||
	    ts_flame(trace, &nest, &names, answer->host.waits.waiting, &cli->arena, &d.flame, err))
		return err->status;
	return ts_page_write(cli, draw, &d, ret_answered, err);
}

enum ts_status ts_trace_job_page(struct ts_cli *cli, const struct ts_trace_job *job, bool *ret_answered, struct ts_error *err)
{
	struct drawing d = {.cli = cli, .job = job};

	return ts_args_has(&cli->args, "html") ? ts_page_write(cli, draw, &d, ret_answered, err) : TS_OK;
}
