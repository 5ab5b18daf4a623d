#include "cli/report/page.h"

#include "base/base64.h"
#include "base/digest.h"
#include "base/file.h"
#include "base/path.h"
#include "base/version.h"
#include "cli/report/page_links.h"
#include "cli/report/svg.h"
#include "cli/view/show_value.h"

#include <assert.h>
#include <stdio.h>
#include <sys/stat.h>

#define POLICY "<meta http-equiv=\"Content-Security-Policy\" content=\""
#define POLICY_STYLE "; style-src "
#define POLICY_SCRIPT "; script-src "
#define POLICY_END "\"/>\n"

/* No foreign text reaches a style or a tag: it passes through ts_html_text. Everything else is our own text or a number. */
static const char *const style[] = {
#include "cli/report/page_style.inc"

};

static void script_text(struct ts_buf *out, const struct ts_page_script *script)
{
	ts_buf_char(out, '\n');
	for (size_t i = 0; i < script->n; i++)
		ts_buf_str(out, script->pieces[i]);
}

void ts_page_element(struct ts_buf *out, const char *open, const char *text, const char *close)
{
	ts_buf_str(out, open);
	ts_html_text(out, text ? text : "");
	ts_buf_str(out, close);
}

/* Source: W3C, Content Security Policy Level 3, 2.3.1: 'sha256-' and the digest, in base64, of what stands between the tags. */
static void digest_of(struct ts_buf *out, struct ts_buf *text)
{
	struct ts_id digest;

	ts_digest(ts_buf_view(text), &digest);
	ts_buf_str(out, "'sha256-");
	ts_base64_print(out, ts_id_span(&digest));
	ts_buf_char(out, '\'');
	ts_buf_lacks(out, text);
	ts_buf_finish(text);
}

static void style_text(struct ts_buf *out)
{
	ts_buf_char(out, '\n');
	for (size_t i = 0; i < sizeof style / sizeof style[0]; i++)
		ts_buf_str(out, style[i]);
}

static void policy(struct ts_buf *out, const struct ts_page_script *script)
{
	struct ts_buf text = TS_BUF_INIT(TS_PAGE_MAX_BYTES);

	ts_buf_str(out, POLICY "default-src 'none'; base-uri 'none'; form-action 'none'" POLICY_STYLE);
	style_text(&text);
	digest_of(out, &text);
	if (script) {
		text = TS_BUF_INIT(TS_PAGE_MAX_BYTES);
		script_text(&text, script);
		ts_buf_str(out, POLICY_SCRIPT);
		digest_of(out, &text);
	}
	ts_buf_str(out, POLICY_END);
}

void ts_page_run(struct ts_buf *out, const struct ts_page_script *script)
{
	ts_buf_str(out, "<script>");
	script_text(out, script);
	ts_buf_str(out, "</script>\n");
}

void ts_page_open(struct ts_buf *out, const char *name, const struct ts_page_script *script)
{
	ts_page_element(out, ts_page_begin, name, "</title>\n");
	policy(out, script);
	ts_buf_str(out, "<style>");
	style_text(out);
	ts_buf_str(out, "</style></head>\n<body>");
	ts_buf_str(out, ts_page_place);
}

void ts_page_close(struct ts_buf *out, const char *foot)
{
	ts_page_element(out, "<footer>tscope ", ts_version(), ", ");
	ts_page_element(out, "", foot, "</footer></body></html>\n");
}

void ts_page_of_text(struct ts_buf *out, const char *title, struct ts_span parts)
{
	ts_page_open(out, title, NULL);
	ts_page_element(out, "<header><h1>", title, "</h1></header>\n<main><section>\n");
	ts_buf_span(out, parts);
	ts_buf_str(out, "</section></main>\n");
	ts_page_close(out, "web");
}

/* What a policy names behind a word, up to the next part. */
static void named(struct ts_span policy_text, const char *word, char ret[TS_PAGE_DIGEST])
{
	size_t at = ts_page_find(policy_text, word, 0);
	struct ts_span rest = at == SIZE_MAX ? ts_span_of("", 0) : ts_span_from(policy_text, at + strlen(word));
	size_t n = ts_page_find(rest, ";", 0);

	(void)snprintf(ret, TS_PAGE_DIGEST, "%.*s", TS_SPAN_ARG(ts_span_part(rest, 0, n == SIZE_MAX ? rest.len : n)));
}

void ts_page_serve(struct ts_buf *out, struct ts_span page, const char *links, char ret_style[TS_PAGE_DIGEST],
		   char ret_script[TS_PAGE_DIGEST])
{
	size_t policy_at = ts_page_find(page, POLICY, 0), at, n;
	struct ts_span policy_text, rest;

	assert(policy_at != SIZE_MAX);
	ts_buf_span(out, ts_span_part(page, 0, policy_at));
	rest = ts_span_from(page, policy_at);
	n = ts_page_find(rest, POLICY_END, 0);
	policy_text = ts_span_part(rest, 0, n);
	rest = ts_span_from(rest, n + strlen(POLICY_END));
	named(policy_text, POLICY_STYLE, ret_style);
	named(policy_text, POLICY_SCRIPT, ret_script);
	at = ts_page_find(rest, ts_page_place, 0);
	assert(at != SIZE_MAX);
	ts_buf_span(out, ts_span_part(rest, 0, at));
	ts_buf_str(out, links);
	ts_buf_span(out, ts_span_from(rest, at + strlen(ts_page_place)));
}

static enum ts_status write_file(struct ts_cli *cli, ts_page_fn *draw, const void *what, const char *path, struct ts_error *err)
{
	struct ts_buf html = TS_BUF_INIT(TS_PAGE_MAX_BYTES);
	enum ts_status status = draw(what, &cli->arena, &html, err);
	struct ts_page_links links;
	struct stat there;
	size_t linked;

	if (!status && !ts_args_has(&cli->args, "force") && lstat(path, &there) == 0)
		status = ts_error_set(err, TS_INVALID, "%s exists already, and is left as it is; --force replaces it", path);
	if (!status)
		status = ts_page_links_find(path, &cli->arena, &links, err);
	if (!status)
		status = ts_page_links_put(&links, &html, err);
	if (!status)
		status = ts_file_replace(path, ts_buf_view(&html), 0644, err);
	linked = status ? 0 : ts_page_links_spread(&links, ts_buf_view(&html), &cli->arena);
	if (!status && linked)
		ts_cli_say(cli, "wrote %s, and a link to it into %s beside it", path, ts_show_plural(linked, "page", &cli->arena));
	else if (!status)
		ts_cli_say(cli, "wrote %s", path);
	ts_buf_finish(&html);
	return status;
}

enum ts_status ts_page_write(struct ts_cli *cli, ts_page_fn *draw, const void *what, bool *ret_answered, struct ts_error *err)
{
	const char *path = ts_args_text(&cli->args, "html");
	bool answered = path && strcmp(path, "-") == 0;
	enum ts_status status = TS_OK;

	if (answered)
		status = draw(what, &cli->arena, &cli->out, err);
	else if (path)
		status = write_file(cli, draw, what, path, err);
	if (!status)
		*ret_answered = answered;
	return status;
}

enum ts_status ts_page_said(struct ts_cli *cli, ts_say_fn *say, const void *what, struct ts_buf *ret, struct ts_error *err)
{
	struct ts_term term = cli->term;
	struct ts_buf out = cli->out;
	enum ts_status status;

	cli->out = TS_BUF_INIT(TS_PAGE_MAX_BYTES);
	cli->term = (struct ts_term){.page = true, .utf8 = true, .links = term.links};
	status = say(cli, what, err);
	*ret = cli->out;
	cli->out = out;
	cli->term = term;
	return status;
}

struct said {
	struct ts_cli *cli;
	const struct ts_said_page *page;
};

static enum ts_status draw_said(const void *what, struct ts_arena *arena, struct ts_buf *out, struct ts_error *err)
{
	const struct said *s = what;
	struct ts_buf parts;
	enum ts_status status = ts_page_said(s->cli, s->page->say, s->page->what, &parts, err);

	if (!status) {
		ts_page_open(out, s->page->title, NULL);
		ts_page_element(out, "<header><h1>", s->page->title, "</h1></header>\n<main><section>\n");
		ts_buf_span(out, ts_buf_view(&parts));
		ts_buf_str(out, "</section></main>\n");
		ts_page_close(out, s->page->foot);
		ts_buf_lacks(out, &parts);
		status = ts_buf_check(out, err) ? err->status : ts_arena_check(arena, err);
	}
	ts_buf_finish(&parts);
	return status;
}

enum ts_status ts_page_write_said(struct ts_cli *cli, const struct ts_said_page *page, bool *ret_answered, struct ts_error *err)
{
	struct said said = {cli, page};

	return ts_args_has(&cli->args, "html") ? ts_page_write(cli, draw_said, &said, ret_answered, err) : TS_OK;
}

const char *ts_page_title_of_two(const char *a, const char *b, struct ts_arena *arena)
{
	const char *title = ts_arena_printf(arena, "%s and %s", ts_path_last(a), ts_path_last(b));

	return title ? ts_show_text(ts_span_str(title), arena) : NULL;
}
