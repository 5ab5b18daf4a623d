#include "cli/trace/trace_cells.h"

#include "cli/text/text_parts.h"
#include "cli/view/show_name.h"
#include "cli/view/show_value.h"
#include "run/trace.h"

const char *ts_trace_ms(struct ts_cli *cli, uint64_t ns)
{
	const char *text = ts_show_exact(ns, &cli->arena);

	return text ? text : "";
}

const char *ts_trace_percent(struct ts_cli *cli, uint64_t part, uint64_t of)
{
	return ts_show_share(part, of, &cli->arena);
}

const char *ts_trace_plural(struct ts_cli *cli, uint64_t n, const char *word)
{
	const char *text = ts_show_plural(n, word, &cli->arena);

	return text ? text : "";
}

const char *ts_trace_count(struct ts_cli *cli, uint64_t n)
{
	const char *text = ts_show_count(n, &cli->arena);

	return text ? text : "";
}

const char *ts_trace_place(struct ts_cli *cli, int32_t n, const char *none)
{
	return n == TS_TRACE_NO_DEVICE ? none : ts_arena_printf(&cli->arena, "%" PRId32, n);
}

void ts_trace_heading(struct ts_cli *cli, const char *text)
{
	ts_text_heading(cli, text ? text : "");
}

enum ts_status ts_trace_print(struct ts_cli *cli, const struct ts_view *view, struct ts_error *err)
{
	return ts_view_print(view, &cli->term, 2, &cli->out, err);
}

enum ts_status ts_trace_table(struct ts_cli *cli, const struct ts_first_rows *rows, struct ts_error *err)
{
	struct ts_view view;

	ts_view_of(&view, rows->shape, rows->keys, &cli->arena);
	view.whole = rows->whole;
	ts_view_rows(&view, rows->rows, rows->n < rows->most ? rows->n : rows->most);
	if (ts_trace_print(cli, &view, err))
		return err->status;
	ts_trace_more(cli, rows->n, rows->most, rows->what);
	return TS_OK;
}

void ts_trace_more(struct ts_cli *cli, size_t n, size_t shown, const char *what)
{
	if (n > shown)
		ts_text_wrapped(cli, TS_STYLE_DIM, 2,
				ts_arena_printf(&cli->arena, "and %s; --json has all", ts_trace_plural(cli, n - shown, what)));
}
