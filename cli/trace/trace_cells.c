#include "cli/trace/trace_cells.h"

#include "cli/text/show_value.h"
#include "cli/text/text_parts.h"
#include "run/trace.h"

const char *ts_trace_ms(struct ts_cli *cli, uint64_t ns)
{
	return ts_arena_printf(&cli->arena, "%" PRIu64 ".%06" PRIu64 " ms", ns / 1000000, ns % 1000000);
}

const char *ts_trace_percent(struct ts_cli *cli, uint64_t part, uint64_t of)
{
	return of ? ts_arena_printf(&cli->arena, "%.1f %%", 100.0 * (double)part / (double)of) : "-";
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

void ts_trace_cell(struct ts_grid *grid, const char *text)
{
	ts_grid_text(grid, TS_STYLE_PLAIN, text);
}

void ts_trace_more(struct ts_cli *cli, size_t n, size_t shown, const char *what)
{
	if (n > shown)
		ts_text_wrapped(cli, TS_STYLE_DIM, 2,
				ts_arena_printf(&cli->arena, "and %s; --json has all", ts_trace_plural(cli, n - shown, what)));
}
