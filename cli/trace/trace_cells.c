#include "cli/trace/trace_cells.h"

#include "analysis/trace/device/kernel.h"
#include "base/text.h"
#include "cli/text/show_value.h"
#include "cli/text/text_parts.h"
#include "run/trace.h"

const char *ts_trace_ms(struct ts_cli *cli, uint64_t ns)
{
	const char *text = ts_arena_printf(&cli->arena, "%" PRIu64 ".%06" PRIu64 " ms", ns / 1000000, ns % 1000000);

	return text ? text : "";
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

const char *ts_trace_stream(struct ts_cli *cli, int32_t n, bool all)
{
	return ts_trace_place(cli, n, all ? "all" : "unknown");
}

void ts_trace_heading(struct ts_cli *cli, const char *text)
{
	ts_text_heading(cli, text ? text : "");
}

void ts_trace_cell(struct ts_grid *grid, const char *text)
{
	ts_grid_text(grid, TS_STYLE_PLAIN, text);
}

struct ts_span ts_trace_cut(struct ts_span text, size_t most)
{
	size_t at = 0, n;
	uint32_t point;

	if (text.len <= most)
		return text;
	while ((n = ts_utf8_next(ts_span_from(text, at), &point)) != 0 && at + n <= most)
		at += n;
	return ts_span_part(text, 0, at);
}

void ts_trace_name(struct ts_cli *cli, struct ts_grid *grid, struct ts_span name)
{
	struct ts_span part = ts_trace_cut(name, TS_TRACE_NAME_BYTES);

	if (part.len < name.len)
		ts_trace_cell(grid, ts_arena_printf(&cli->arena, "%.*s…", TS_SPAN_ARG(part)));
	else
		ts_grid_span(grid, TS_STYLE_PLAIN, name);
}

/* How many bytes of what stands at `at` are one of the words that most names have. */
static size_t common_word(struct ts_span name, size_t at)
{
	static const char *const words[] = {"void ", "at::native::", "at::detail::", "c10::", "(anonymous namespace)::"};
	struct ts_span rest = ts_span_from(name, at);

	if (at && (ts_is_alnum(name.data[at - 1]) || name.data[at - 1] == '_'))
		return 0;
	for (size_t i = 0; i < sizeof words / sizeof words[0]; i++)
		if (ts_span_starts(rest, ts_span_str(words[i])))
			return strlen(words[i]);
	return 0;
}

void ts_trace_kernel(struct ts_cli *cli, struct ts_grid *grid, struct ts_span name)
{
	struct ts_span bare = ts_trace_cut(ts_kernel_without_arguments(name), 2 * TS_TRACE_NAME_BYTES);
	uint8_t *text = ts_arena_alloc(&cli->arena, bare.len + 1);
	size_t n = 0;

	for (size_t at = 0; at < bare.len && text;) {
		size_t word = common_word(bare, at);

		if (!word)
			text[n++] = bare.data[at++];
		at += word;
	}
	/* Names of common words alone stay as they are. */
	ts_trace_name(cli, grid, n ? ts_span_of(text, n) : bare);
}

void ts_trace_more(struct ts_cli *cli, size_t n, size_t shown, const char *what)
{
	if (n > shown)
		ts_text_wrapped(cli, TS_STYLE_DIM, 2,
				ts_arena_printf(&cli->arena, "and %s; --json has all", ts_trace_plural(cli, n - shown, what)));
}
