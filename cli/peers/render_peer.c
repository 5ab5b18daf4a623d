/* render_peer.c - a page of another tool: its lines as it prints them, and behind those with wrong numbers the right ones. */
#include "cli/json/json_parts.h"
#include "cli/peers/as_peer.h"
#include "cli/text/show_value.h"

enum { WIDE = 100 };

/* Characters of a text, not bytes. */
static int wide(const char *text)
{
	int n = 0;

	for (; *text; text++)
		n += (*text & 0xc0) != 0x80;
	return n;
}

static size_t wrong_numbers(const struct ts_peer_answer *a)
{
	size_t n = 0;

	for (size_t i = 0; i < a->n_lines; i++)
		for (size_t k = 0; k < a->lines[i].n_numbers; k++)
			n += a->lines[i].numbers[k].why != NULL;
	return n;
}

/* How wide the lines with something behind them are, those that are very wide left out. */
static int column(const struct ts_peer_answer *a)
{
	int most = 0;

	for (size_t i = 0; i < a->n_lines; i++) {
		int n = wide(a->lines[i].text);

		if (a->lines[i].right && n > most && n <= WIDE)
			most = n;
	}
	return most;
}

static void line(struct ts_cli *cli, const struct ts_peer_line *l, int at)
{
	const char *text = ts_show_text(ts_span_str(l->text), &cli->arena);
	int pad = text ? at - wide(text) : 0;

	if (l->right)
		ts_buf_printf(&cli->out, "%s%*s  | %s\n", text ? text : "", pad > 0 ? pad : 0, "", l->right);
	else
		ts_buf_printf(&cli->out, "%s\n", text ? text : "");
}

enum ts_status ts_render_peer(struct ts_cli *cli, const struct ts_peer_answer *a, struct ts_error *err)
{
	const char *count = ts_show_plural(wrong_numbers(a), "number", &cli->arena);
	int at = column(a);

	if (cli->json)
		return ts_json_answer(cli, &ts_shape_peer, a, err);
	for (size_t i = 0; i < a->n_lines; i++)
		line(cli, &a->lines[i], at);
	ts_buf_printf(&cli->out, "%s of this %s wrong; behind | stands what is right, and why in a word (docs/peers.md).\n",
		      count ? count : "", wrong_numbers(a) == 1 ? "is" : "are");
	return ts_arena_check(&cli->arena, err);
}
