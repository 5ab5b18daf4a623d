/* web_parts.c - see web_parts.h. */
#include "cli/verbs/web_parts.h"

#include "base/limits.h"
#include "cli/core/names.h"
#include "cli/report/page.h"
#include "cli/report/page_links.h"
#include "cli/text/reproduce.h"
#include "cli/verbs/answer.h"
#include "cli/verbs/verbs.h"

static const char end[] = "</main>";

struct parts {
	struct ts_target *target;
	const char *project, *name;
	struct ts_buf out;
};

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

static void put_verb(struct parts *p, const char *title, const char *verb, const char *option, bool folds)
{
	const char *words[5];
	struct ts_answer answer;
	size_t n = 0;

	words[n++] = verb;
	if (p->project)
		words[n++] = p->project;
	if (option)
		words[n++] = option;
	words[n++] = "--";
	words[n++] = p->name;
	ts_answer(&(struct ts_asked){.words = words, .n = n, .target = p->target, .page = true}, &answer);
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

static enum ts_status ask_again(struct ts_cli *cli, const struct parts *p, struct ts_reproduce_side *ret_side, struct ts_error *err)
{
	struct ts_span spec;

	if (ts_args_parse(&cli->args, cli->verb->options, ts_common_options, p->project ? 1 : 0, &p->project, false, &cli->arena,
			  err) ||
	    ts_cli_run(cli, p->name, &spec, err))
		return err->status;
	return ts_reproduce_ask(cli, p->name, spec, ret_side, err);
}

static void put_again(struct parts *p)
{
	struct ts_buf said = TS_BUF_INIT(TS_TEXT_MAX);
	struct ts_cli cli = {.verb = ts_verb_find("show"), .names_only = true, .served = true, .said = &said, .target = *p->target};
	struct ts_reproduce_side side;
	struct ts_error ignored;

	ts_arena_init(&cli.arena, TS_ANALYSIS_ARENA);
	if (!ask_again(&cli, p, &side, &ignored))
		put_commands(&p->out, &side);
	ts_prefetch_finish(&cli.target.prefetch);
	*p->target = cli.target;
	ts_arena_finish(&cli.arena);
	ts_buf_finish(&said);
}

static void put_of_run(struct parts *p)
{
	put_verb(p, "WHAT IT HOLDS", "show", NULL, false);
	put_verb(p, "ITS MACHINE", "show", "--machine", false);
	put_verb(p, "WHAT IT PRINTED LAST", "show", "--output", true);
	put_again(p);
	put_verb(p, "FACTS", "facts", NULL, true);
	put_verb(p, "WHAT THE NAME POINTED AT", "log", NULL, true);
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

void ts_web_parts_put(struct ts_target *target, const char *verb, const char *project, const char *name, struct ts_buf *io_page)
{
	struct parts p = {.target = target, .project = project, .name = name, .out = TS_BUF_INIT(TS_ANSWER_MAX)};
	bool run = strcmp(verb, "analyze") == 0, branch = strcmp(verb, "trend") == 0;
	size_t at = run || branch ? ts_page_find(ts_buf_view(io_page), end, 0) : SIZE_MAX;

	if (at == SIZE_MAX)
		return;
	ts_buf_span(&p.out, ts_span_part(ts_buf_view(io_page), 0, at));
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
