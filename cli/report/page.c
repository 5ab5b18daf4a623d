#include "cli/report/page.h"

#include "base/file.h"
#include "base/version.h"
#include "cli/report/page_links.h"
#include "cli/report/svg.h"
#include "cli/text/show_value.h"

/* No foreign text reaches a style or a tag: it passes through ts_html_text. Everything else is our own text or a number. */
static const char *const style[] = {
#include "cli/report/page_style.inc"

};

void ts_page_element(struct ts_buf *out, const char *open, const char *text, const char *close)
{
	ts_buf_str(out, open);
	ts_html_text(out, text ? text : "");
	ts_buf_str(out, close);
}

void ts_page_open(struct ts_buf *out, const char *name)
{
	ts_page_element(out, ts_page_begin, name, "</title>\n<style>\n");
	for (size_t i = 0; i < sizeof style / sizeof style[0]; i++)
		ts_buf_str(out, style[i]);
	ts_buf_str(out, "</style></head>\n<body>");
	ts_buf_str(out, ts_page_place);
}

void ts_page_close(struct ts_buf *out, const char *foot)
{
	ts_page_element(out, "<footer>tscope ", ts_version(), ", ");
	ts_page_element(out, "", foot, "</footer></body></html>\n");
}

static enum ts_status write_file(struct ts_cli *cli, ts_page_fn *draw, const void *what, const char *path, struct ts_error *err)
{
	struct ts_buf html = TS_BUF_INIT(TS_PAGE_MAX_BYTES);
	enum ts_status status = draw(what, &cli->arena, &html, err);
	struct ts_page_links links;
	size_t linked;

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
