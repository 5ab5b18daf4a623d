/* web_parts.c - see web_parts.h. */
#include "cli/verbs/web_parts.h"

#include "base/escape.h"
#include "base/limits.h"
#include "base/text.h"
#include "base/uri.h"
#include "cli/core/ask.h"
#include "cli/core/names.h"
#include "cli/report/page.h"
#include "cli/report/page_links.h"
#include "cli/text/reproduce.h"
#include "cli/text/text_parts.h"
#include "cli/trace/stored_trace.h"
#include "cli/trace/timeline_link.h"
#include "cli/verbs/answer.h"
#include "cli/verbs/verbs.h"
#include "cli/view/show_value.h"
#include "run/head.h"

static const char end[] = "</main>", head_end[] = "</header>", begin[] = "<main>";

struct parts {
	struct ts_target *target;
	const char *const *words; /* of the question */
	size_t n;
	const char *project, *name; /* project: the word "--project=NAME", or NULL */
	struct ts_buf out;
};

static const char project_option[] = "--project=";

/* What the question gives an option, which ends with '='; empty: nothing. */
static const char *given(const struct parts *p, const char *option)
{
	for (size_t i = 1; i + 1 < p->n; i++)
		if (strncmp(p->words[i], option, strlen(option)) == 0)
			return p->words[i] + strlen(option);
	return "";
}

/* Text of several sections closes and opens them itself; other text is folded away where it is long. */
static void put_section(struct ts_buf *out, const char *title, struct ts_span text, bool folds)
{
	bool one = ts_page_find(text, "</section>", 0) == SIZE_MAX;

	if (folds && one) {
		ts_page_element(out, "<section><details><summary><h2>", title, "</h2></summary>\n");
		ts_buf_span(out, text);
		ts_buf_str(out, "</details></section>\n");
		return;
	}
	ts_page_element(out, "<section><h2>", title, "</h2>\n");
	ts_buf_span(out, text);
	ts_buf_str(out, "</section>\n");
}

/* What a verb with the run's or the branch's name, and one option or none, says; or another function with its words. */
static void ask_verb(struct parts *p, const char *verb, const char *option,
		     enum ts_status (*instead)(struct ts_cli *cli, void *ctx, struct ts_error *err), struct ts_answer *ret)
{
	const char *words[5];
	size_t n = 0;

	words[n++] = verb;
	if (p->project)
		words[n++] = p->project;
	if (option)
		words[n++] = option;
	words[n++] = "--";
	words[n++] = p->name;
	ts_answer(&(struct ts_asked){.words = words, .n = n, .target = p->target, .page = true, .instead = instead}, ret);
}

static void put_verb(struct parts *p, const char *title, const char *verb, const char *option, bool folds)
{
	struct ts_answer answer;

	ask_verb(p, verb, option, NULL, &answer);
	if (!answer.status && answer.out.len)
		put_section(&p->out, title, ts_buf_view(&answer.out), folds);
	ts_buf_finish(&answer.out);
	ts_buf_finish(&answer.said);
}

static void put_commands(struct ts_buf *out, const struct ts_reproduce_side *side)
{
	ts_buf_str(out, "<section id=\"again\"><h2>TO RUN IT AGAIN</h2>\n");
	if (side->n)
		ts_buf_str(out, "<pre>");
	for (size_t i = 0; i < side->n; i++)
		ts_page_element(out, "", side->commands[i], "\n");
	if (side->n)
		ts_buf_str(out, "</pre>\n");
	for (size_t i = 0; i < side->n_missing; i++)
		ts_page_element(out, "<p class=\"dim\">Not known: ", side->missing[i], ".</p>\n");
	ts_buf_str(out, "</section>\n");
}

static enum ts_status show_again(struct ts_cli *cli, void *ctx, struct ts_error *err)
{
	const char *name = cli->args.words[0];
	struct ts_reproduce_side side;
	struct ts_span spec;

	(void)ctx;
	if (ts_cli_run(cli, name, &spec, err) || ts_reproduce_ask(cli, name, spec, &side, err))
		return err->status;
	put_commands(&cli->out, &side);
	return TS_OK;
}

enum { TRACES_SHOWN = 64 };

/* Links to the timelines of the run's traces; nothing, if it has none. */
static enum ts_status show_timelines(struct ts_cli *cli, void *ctx, struct ts_error *err)
{
	const char *name = cli->args.words[0];
	struct ts_run_trace *traces = NULL;
	struct ts_get_reply run;
	struct ts_span spec;
	size_t n = 0;

	(void)ctx;
	if (ts_cli_run(cli, name, &spec, err) || ts_ask_get(cli->target.channel, spec, &cli->arena, &run, err) ||
	    ts_stored_traces(cli, &run, &traces, &n, err))
		return err->status;
	if (!n)
		return TS_OK;
	ts_buf_str(&cli->out, "<section id=\"timelines\"><h2>TIMELINES OF ITS TRACES</h2>\n");
	for (size_t i = 0; i < n && i < TRACES_SHOWN; i++) {
		const char *trace = ts_show_text(traces[i].name, &cli->arena);
		const char *rank = traces[i].rank == TS_RANK_JOB ? "" : ts_arena_phrase(&cli->arena, ", rank %" PRId32, traces[i].rank);

		ts_text_link(cli, ts_arena_phrase(&cli->arena, "%s%s", trace ? trace : "", rank),
			     ts_timeline_link(cli, name, &traces[i], NULL));
	}
	if (n > TRACES_SHOWN)
		ts_page_element(&cli->out, "<p class=\"dim\">And ", ts_show_plural(n - TRACES_SHOWN, "trace", &cli->arena), ".</p>\n");
	ts_buf_str(&cli->out, "</section>\n");
	return TS_OK;
}

/* How the run stands, which is what one looks for first: the state that is noted, and what was recorded of the end. */
static enum ts_status show_state(struct ts_cli *cli, void *ctx, struct ts_error *err)
{
	const char *state = "unknown";
	struct ts_get_reply run;
	struct ts_span spec;

	(void)ctx;
	if (ts_cli_run(cli, cli->args.words[0], &spec, err) || ts_ask_get(cli->target.channel, spec, &cli->arena, &run, err))
		return err->status;
	for (size_t i = 0; i < run.n_notes; i++)
		if (ts_span_is(run.notes[i].key, "state"))
			state = ts_show_text(run.notes[i].value, &cli->arena);
	ts_page_element(&cli->out, "<p id=\"state\">state: <span class=\"strong\">", state, "</span>");
	if (run.ending.sentence.len)
		ts_page_element(&cli->out, "; ", ts_show_text(run.ending.sentence, &cli->arena), "");
	ts_buf_str(&cli->out, "</p>\n");
	return TS_OK;
}

/* What a function makes of the run. */
static void put_of(struct parts *p, enum ts_status (*show)(struct ts_cli *cli, void *ctx, struct ts_error *err))
{
	struct ts_answer answer;

	ask_verb(p, "show", NULL, show, &answer);
	if (!answer.status)
		ts_buf_span(&p->out, ts_buf_view(&answer.out));
	ts_buf_finish(&answer.out);
	ts_buf_finish(&answer.said);
}

/* Links to how the run stands beside a branch, whose name is a line of what list printed. */
static void put_beside(struct parts *p, struct ts_span branch)
{
	struct ts_span project = ts_span_from(ts_span_str(p->project), strlen(project_option)), name = ts_span_str(p->name);

	if (ts_span_starts(branch, project) && branch.len > project.len && branch.data[project.len] == '/')
		branch = ts_span_from(branch, project.len + 1);
	ts_buf_str(&p->out, "<p><span class=\"strong\">");
	ts_html_escape(&p->out, branch);
	ts_buf_str(&p->out, "</span>: <a href=\"/p/");
	ts_uri_encode(&p->out, project, false);
	ts_buf_str(&p->out, "/diff?a=branch:");
	ts_uri_encode(&p->out, branch, false);
	ts_buf_str(&p->out, "&amp;b=");
	ts_uri_encode(&p->out, name, false);
	ts_buf_str(&p->out, "\">what differs from its newest run</a>, <a href=\"/p/");
	ts_uri_encode(&p->out, project, false);
	ts_buf_str(&p->out, "/gate/");
	ts_uri_encode_name(&p->out, name);
	ts_buf_str(&p->out, "?baseline=branch:");
	ts_uri_encode(&p->out, branch, false);
	ts_buf_str(&p->out, "\">whether it is slower than its runs</a></p>\n");
}

static void put_branches(struct parts *p)
{
	const char *words[] = {"list", p->project, "--branches", "--names", "--limit=8"};
	struct ts_answer answer;
	struct ts_span lines;

	if (!p->project)
		return;
	ts_answer(&(struct ts_asked){.words = words, .n = sizeof words / sizeof words[0], .target = p->target, .page = true}, &answer);
	lines = ts_buf_view(&answer.out);
	if (!answer.status && lines.len) {
		ts_buf_str(&p->out, "<section id=\"beside\"><h2>BESIDE A BRANCH</h2>\n");
		while (lines.len) {
			struct ts_span line = ts_trim(ts_span_next_line(&lines));

			if (line.len)
				put_beside(p, line);
		}
		ts_buf_str(&p->out, "</section>\n");
	}
	ts_buf_finish(&answer.out);
	ts_buf_finish(&answer.said);
}

static void put_of_run(struct parts *p)
{
	put_of(p, show_timelines);
	put_branches(p);
	put_verb(p, "WHAT IT HOLDS", "show", NULL, false);
	put_verb(p, "ITS MACHINE", "show", "--machine", false);
	put_verb(p, "WHAT IT PRINTED LAST", "show", "--output", true);
	put_of(p, show_again);
	put_verb(p, "FACTS", "facts", NULL, true);
	put_verb(p, "WHAT THE NAME POINTED AT", "log", NULL, true);
}

/* What the address has beside the fields of the form, such as across, which is written there by hand: it stays. */
static void put_hidden(struct parts *p)
{
	for (size_t i = 1; i + 1 < p->n; i++) {
		struct ts_span value = ts_span_str(p->words[i]), name;
		size_t n = strcspn(p->words[i], "=");

		if (!ts_span_skip(&value, "--") || n + 1 >= strlen(p->words[i]))
			continue;
		name = ts_span_part(value, 0, n - 2);
		if (ts_span_is(name, "project") || ts_span_is(name, "metric") || ts_span_is(name, "better") ||
		    ts_span_is(name, "like"))
			continue;
		ts_buf_str(&p->out, "<input type=\"hidden\" name=\"");
		ts_buf_span(&p->out, name);
		ts_page_element(&p->out, "\" value=\"", p->words[i] + n + 1, "\"/>\n");
	}
}

/* Which trend of the branch is shown. What is better belongs to the metric, so that it is seen beside it. */
static void put_choice(struct parts *p)
{
	ts_page_element(&p->out,
			"\n<section><form class=\"filter\" method=\"get\"><label for=\"metric\">Trend of</label> "
			"<input id=\"metric\" name=\"metric\" size=\"16\" list=\"metrics\" placeholder=\"step_time\" value=\"",
			given(p, "--metric="), "\"/>\n");
	ts_page_element(&p->out,
			"<datalist id=\"metrics\"><option>step_time</option><option>step_time_p95</option><option>tokens_per_s</option>"
			"<option>mfu</option><option>peak_memory</option><option>loss</option></datalist>\n"
			"<label for=\"better\">better if</label> <input id=\"better\" name=\"better\" size=\"6\" list=\"betters\" "
			"placeholder=\"known\" value=\"",
			given(p, "--better="), "\"/>\n");
	ts_page_element(&p->out,
			"<datalist id=\"betters\"><option>lower</option><option>higher</option></datalist>\n"
			"<label for=\"like\">of runs like</label> <input id=\"like\" name=\"like\" size=\"16\" "
			"placeholder=\"the newest\" value=\"",
			given(p, "--like="), "\"/>\n");
	put_hidden(p);
	ts_buf_str(&p->out, "<button>Show</button></form></section>\n");
}

static void put_of_branch(struct parts *p)
{
	struct ts_arena arena;
	const char *baseline;

	ts_arena_init(&arena, TS_TEXT_MAX);
	if (!strchr(p->name, ':'))
		p->name = ts_arena_printf(&arena, "branch:%s", p->name);
	baseline = p->name ? ts_arena_printf(&arena, "--baseline=%s", p->name) : NULL;
	if (baseline) { /* as a candidate, a branch is its newest run */
		put_verb(p, "THE GATE OF ITS NEWEST RUN", "gate", baseline, false);
		put_verb(p, "ITS RUNS, NEWEST FIRST", "log", NULL, false);
	}
	ts_arena_finish(&arena);
}

void ts_web_parts_put(struct ts_target *target, const char *const *words, size_t n, struct ts_buf *io_page)
{
	bool project = n > 1 && strncmp(words[1], project_option, strlen(project_option)) == 0;
	struct parts p = {.target = target, .words = words, .n = n, .project = project ? words[1] : NULL, .name = words[n - 1],
			  .out = TS_BUF_INIT(TS_ANSWER_MAX)};
	bool run = strcmp(words[0], "analyze") == 0, branch = strcmp(words[0], "trend") == 0;
	size_t at = run || branch ? ts_page_find(ts_buf_view(io_page), end, 0) : SIZE_MAX, head;

	if (at == SIZE_MAX)
		return;
	head = ts_page_find(ts_buf_view(io_page), run ? head_end : begin, 0);
	if (head > at)
		return;
	head += run ? 0 : strlen(begin);
	ts_buf_span(&p.out, ts_span_part(ts_buf_view(io_page), 0, head));
	if (run)
		put_of(&p, show_state);
	else
		put_choice(&p);
	ts_buf_span(&p.out, ts_span_part(ts_span_from(ts_buf_view(io_page), head), 0, at - head));
	if (run)
		put_of_run(&p);
	else
		put_of_branch(&p);
	ts_buf_span(&p.out, ts_span_from(ts_buf_view(io_page), at));
	if (p.out.failed) { /* what the verb drew is a page, too */
		ts_buf_finish(&p.out);
		return;
	}
	ts_buf_finish(io_page);
	*io_page = p.out;
}
