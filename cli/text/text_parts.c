#include "cli/text/text_parts.h"

#include "base/text.h"
#include "cli/view/html.h"
#include "cli/view/show_value.h"

#include <string.h>

/* Writes foreign text behind a name and wraps it to the terminal. Further lines begin below the beginning of the text. */
void ts_text_link(struct ts_cli *cli, const char *text, const char *to)
{
	if (!cli->term.links || !cli->term.page || !to)
		return;
	ts_buf_str(&cli->out, "<p>");
	ts_html_link(&cli->out, cli->term.links, to, text);
	ts_buf_str(&cli->out, "</p>\n");
}

void ts_text_field(struct ts_cli *cli, const char *name, const char *value)
{
	enum { COLUMN = 10 };
	struct ts_buf safe = TS_BUF_INIT((size_t)8 << 20), wrapped = TS_BUF_INIT((size_t)16 << 20);
	int width = cli->term.width ? cli->term.width : 100;

	ts_escape(&safe, ts_span_str(value ? value : "(out of memory)"));
	ts_buf_char(&safe, '\0');
	if (cli->term.page) {
		ts_html_field(&cli->out, name, safe.failed ? "" : (const char *)safe.data);
		ts_buf_lacks(&cli->out, &safe);
		ts_buf_finish(&safe);
		return;
	}
	if (!safe.failed)
		ts_wrap(&wrapped, (const char *)safe.data, width, COLUMN);
	ts_style_on(&cli->out, &cli->term, TS_STYLE_DIM);
	ts_buf_str(&cli->out, name);
	ts_style_off(&cli->out, &cli->term, TS_STYLE_DIM);
	for (size_t i = strlen(name); i < COLUMN; i++)
		ts_buf_char(&cli->out, ' ');
	if (!wrapped.failed && wrapped.len > COLUMN)
		ts_buf_bytes(&cli->out, wrapped.data + COLUMN, wrapped.len - COLUMN);
	else
		ts_buf_char(&cli->out, '\n');
	ts_buf_lacks(&cli->out, &safe);
	ts_buf_lacks(&cli->out, &wrapped);
	ts_buf_finish(&safe);
	ts_buf_finish(&wrapped);
}

void ts_text_heading(struct ts_cli *cli, const char *heading)
{
	if (cli->term.page) {
		ts_html_heading(&cli->out, heading);
		return;
	}
	ts_buf_char(&cli->out, '\n');
	ts_text_wrapped(cli, TS_STYLE_BOLD, 0, heading);
}

const char *ts_show_run(const struct ts_run_ref *run, struct ts_arena *arena)
{
	const char *id = ts_show_id(&run->id, arena), *steps = ts_show_plural(run->steps, "step", arena);
	const char *ranks = ts_show_plural(run->ranks, "rank", arena), *name = ts_show_text(run->own_name, arena);
	const char *range = run->steps ? ts_show_range(run->first_step, run->last_step, arena) : NULL;

	if (!id || !steps || !ranks || !name)
		return NULL;
	return ts_arena_printf(arena, "%s%s%s  %s%s%s%s, %s", name, *name ? "  " : "", id, steps, range ? " (" : "", range ? range : "",
			       range ? ")" : "", ranks);
}

void ts_text_wrapped(struct ts_cli *cli, enum ts_style style, int indent, const char *text)
{
	struct ts_buf out = TS_BUF_INIT(1 << 16);
	const char *safe = text ? ts_show_text(ts_span_str(text), &cli->arena) : NULL;

	if (cli->term.page) {
		ts_html_paragraph(&cli->out, style, safe ? safe : "(out of memory)");
		return;
	}
	if (safe && cli->term.width)
		ts_wrap(&out, safe, cli->term.width, indent);
	else
		ts_buf_printf(&out, "%*s%s\n", indent, "", safe ? safe : "(out of memory)");
	for (size_t at = 0; !out.failed && at < out.len;) {
		const uint8_t *end = memchr(out.data + at, '\n', out.len - at);
		size_t len = end ? (size_t)(end - out.data) - at : out.len - at;

		ts_style_on(&cli->out, &cli->term, style);
		ts_buf_bytes(&cli->out, out.data + at, len);
		ts_style_off(&cli->out, &cli->term, style);
		ts_buf_char(&cli->out, '\n');
		at += len + 1;
	}
	ts_buf_lacks(&cli->out, &out);
	ts_buf_finish(&out);
}

enum ts_status ts_text_list(struct ts_cli *cli, const struct ts_shape *shape, const void *answer, const char *list, const char *keys,
			    struct ts_error *err)
{
	struct ts_view view;

	ts_view_list(&view, shape, answer, list, keys, &cli->arena);
	return ts_view_print(&view, &cli->term, 0, &cli->out, err);
}
