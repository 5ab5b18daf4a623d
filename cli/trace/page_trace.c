#include "cli/trace/page_trace.h"

#include "cli/report/page.h"
#include "cli/report/page_links.h"
#include "cli/trace/analyze_trace.h"
#include "cli/trace/diff_trace.h"

/* answer is of a trace, or job of the ranks of one. */
struct drawing {
	struct ts_cli *cli;
	const struct ts_trace_answer *answer;
	const struct ts_trace_job *job;
	struct ts_flame flame;
	struct ts_lanes_view lanes;
};

static enum ts_status say(struct ts_cli *cli, const void *what, struct ts_error *err)
{
	const struct drawing *d = what;

	return d->job ? ts_render_trace_job_text(cli, d->job, err) : ts_render_trace_text(cli, d->answer, err);
}

/* Where the sections end that say whose trace it is, what to try and what was found: no figure stands before these. */
static size_t verdict_end(struct ts_span text)
{
	static const char found[] = "<h2>Findings", end[] = "</section>\n";
	size_t at = ts_page_find(text, found, 0);

	at = ts_page_find(text, end, at == SIZE_MAX ? 0 : at);
	return at == SIZE_MAX ? text.len : at;
}

/* The timeline and the flame graphs stand right behind the verdict: further down nobody on a phone would find them. */
static enum ts_status whole(const struct drawing *d, struct ts_span text, struct ts_buf *out, struct ts_error *err)
{
	size_t first = verdict_end(text);

	ts_buf_span(out, ts_span_part(text, 0, first));
	ts_buf_str(out, "</section>\n<section>");
	if (ts_lanes_page(d->cli, &d->lanes, out, err) || ts_flame_page(d->cli, &d->flame, out, err))
		return err->status;
	ts_buf_span(out, ts_span_from(text, first));
	return TS_OK;
}

static enum ts_status draw(const void *what, struct ts_arena *arena, struct ts_buf *out, struct ts_error *err)
{
	const struct drawing *d = what;
	const char *name = d->job ? d->job->path : d->answer->path;
	struct ts_buf text;
	enum ts_status status = ts_page_said(d->cli, say, d, &text, err);
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
	struct ts_lanes lanes;
	struct ts_nest nest;

	if (!ts_args_has(&cli->args, "html"))
		return TS_OK;
	if (ts_nest(trace, &cli->arena, &nest, err) || ts_host_names(trace, &cli->arena, &names, err) ||
	    ts_flame(trace, &nest, &names, answer->host.waits.waiting, &cli->arena, &d.flame, err) ||
	    ts_lanes(trace, &nest, &names, answer->host.waits.waiting, &cli->arena, &lanes, err) ||
	    ts_lanes_view(&lanes, (struct ts_stretch){.given = false}, TS_PAGE_LANE_CELLS, &cli->arena, &d.lanes, err))
		return err->status;
	return ts_page_write(cli, draw, &d, ret_answered, err);
}

enum ts_status ts_trace_job_page(struct ts_cli *cli, const struct ts_trace_job *job, bool *ret_answered, struct ts_error *err)
{
	struct drawing d = {.cli = cli, .job = job};

	return ts_args_has(&cli->args, "html") ? ts_page_write(cli, draw, &d, ret_answered, err) : TS_OK;
}

struct said_diff {
	const struct ts_trace_diff *diff;
	bool all;
};

static enum ts_status say_diff(struct ts_cli *cli, const void *what, struct ts_error *err)
{
	const struct said_diff *d = what;

	return ts_render_trace_diff_text(cli, d->diff, d->all, err);
}

enum ts_status ts_trace_diff_page(struct ts_cli *cli, const struct ts_trace_diff *diff, bool *ret_answered, struct ts_error *err)
{
	struct said_diff what = {diff, ts_args_has(&cli->args, "all")};
	const char *title = ts_page_title_of_two(diff->path_a, diff->path_b, &cli->arena);
	struct ts_said_page page = {.title = title, .foot = "the difference of two profiler's traces", .say = say_diff, .what = &what};

	return title ? ts_page_write_said(cli, &page, ret_answered, err) : ts_arena_error(&cli->arena, err);
}
