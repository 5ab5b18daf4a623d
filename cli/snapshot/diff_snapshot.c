#include "cli/snapshot/diff_snapshot.h"

#include "analysis/snapshot/memory_diff.h"
#include "cli/json/json_parts.h"
#include "cli/snapshot/snapshot_parts.h"
#include "cli/text/grid.h"
#include "cli/text/show_value.h"
#include "cli/text/text_parts.h"
#include "ingest/snapshot/snapshot_read.h"

enum { ROWS_SHOWN = 12, NAME_WIDTH = 24 };

static void cell(struct ts_grid *grid, const char *text)
{
	ts_grid_text(grid, TS_STYLE_PLAIN, text);
}

static const char *bytes(struct ts_cli *cli, uint64_t n)
{
	return ts_show_bytes((double)n, &cli->arena);
}

static const char *change(struct ts_cli *cli, int64_t n)
{
	const char *text = ts_show_bytes(n < 0 ? -(double)n : (double)n, &cli->arena);

	return text ? ts_arena_printf(&cli->arena, "%s%s", n < 0 ? "-" : (n ? "+" : ""), text) : NULL;
}

static void place(struct ts_cli *cli, struct ts_grid *grid, const struct ts_memory_diff_row *row)
{
	int64_t line = row->match == TS_MATCH_ONLY_A ? row->a.line : row->b.line;
	const char *file = ts_show_text(ts_snap_short_file(row->file), &cli->arena);

	if (!row->function.len)
		cell(grid, "no stack");
	else
		ts_grid_span(grid, TS_STYLE_PLAIN, row->function);
	if (file && line > 0)
		file = ts_arena_printf(&cli->arena, "%s:%" PRId64, file, line);
	ts_grid_text(grid, TS_STYLE_DIM, file);
}

static const char *how(struct ts_cli *cli, const struct ts_memory_diff_row *row)
{
	if (row->match == TS_MATCH_ONLY_A)
		return "gone";
	if (row->match == TS_MATCH_ONLY_B)
		return "new";
	if (row->scales && row->ratio != 1)
		return ts_arena_printf(&cli->arena, "largest x %.2f", row->ratio);
	return row->match == TS_MATCH_LINES ? "other lines" : "";
}

static enum ts_status rows(struct ts_cli *cli, const struct ts_memory_diff_moment *m, const char *title, bool all, struct ts_error *err)
{
	static const struct ts_grid_column columns[] = {{"A", TS_ALIGN_RIGHT, 0},
							{"B", TS_ALIGN_RIGHT, 0},
							{"difference", TS_ALIGN_RIGHT, 0},
							{"", TS_ALIGN_LEFT, 0},
							{"kind", TS_ALIGN_LEFT, 0},
							{"function", TS_ALIGN_LEFT, NAME_WIDTH},
							{"where", TS_ALIGN_LEFT, NAME_WIDTH}};
	size_t n = all ? m->n : m->n_differ, shown = all || n < ROWS_SHOWN ? n : ROWS_SHOWN;
	struct ts_grid grid;
	int64_t rest = m->difference;
	const char *text;

	if (!m->known || !n)
		return TS_OK;
	text = ts_arena_printf(&cli->arena, "%s, by stack: %s of %s differ", title, ts_show_count(m->n_differ, &cli->arena),
			       ts_show_count(m->n, &cli->arena));
	ts_text_heading(cli, text ? text : "");
	ts_grid_init(&grid, columns, 7, &cli->arena);
	for (size_t i = 0; i < shown; i++) {
		const struct ts_memory_diff_row *row = &m->rows[i];

		cell(&grid, bytes(cli, row->a.bytes));
		cell(&grid, bytes(cli, row->b.bytes));
		cell(&grid, change(cli, row->difference));
		cell(&grid, how(cli, row));
		cell(&grid, ts_memory_kind_word(row->kind));
		place(cli, &grid, row);
		rest -= row->difference;
	}
	if (ts_grid_print(&grid, &cli->term, 2, &cli->out, err))
		return err->status;
	text = n > shown ? ts_arena_printf(&cli->arena, "and %s, together %s; --all shows them",
					   ts_show_plural(n - shown, "row", &cli->arena), change(cli, rest))
			 : NULL;
	if (text)
		ts_text_wrapped(cli, TS_STYLE_DIM, 2, text);
	return TS_OK;
}

static enum ts_status kinds(struct ts_cli *cli, const struct ts_memory_diff_device *d, struct ts_error *err)
{
	static const struct ts_grid_column columns[] = {{"kind", TS_ALIGN_LEFT, 0},	  {"peak A", TS_ALIGN_RIGHT, 0},
							{"peak B", TS_ALIGN_RIGHT, 0},	  {"difference", TS_ALIGN_RIGHT, 0},
							{"end A", TS_ALIGN_RIGHT, 0},	  {"end B", TS_ALIGN_RIGHT, 0},
							{"difference", TS_ALIGN_RIGHT, 0}};
	struct ts_grid grid;

	ts_text_heading(cli, "By kind");
	ts_grid_init(&grid, columns, 7, &cli->arena);
	for (int i = 1; i <= TS_MEMORY_KINDS; i++) {
		const struct ts_memory_diff_kind *peak = &d->peak.kinds[i % TS_MEMORY_KINDS], *end = &d->end.kinds[i % TS_MEMORY_KINDS];

		if (!peak->a && !peak->b && !end->a && !end->b)
			continue;
		cell(&grid, ts_memory_kind_word(end->kind));
		cell(&grid, d->peak.known ? bytes(cli, peak->a) : "unknown");
		cell(&grid, d->peak.known ? bytes(cli, peak->b) : "unknown");
		cell(&grid, d->peak.known ? change(cli, peak->difference) : "unknown");
		cell(&grid, bytes(cli, end->a));
		cell(&grid, bytes(cli, end->b));
		cell(&grid, change(cli, end->difference));
	}
	return ts_grid_print(&grid, &cli->term, 2, &cli->out, err);
}

static enum ts_status gauges(struct ts_cli *cli, const struct ts_memory_diff_device *d, struct ts_error *err)
{
	static const char *const words[TS_MEMORY_GAUGES] = {
		"peak, requested",     "there before recording",	 "most that was reserved",
		"reserved at the end", "allocated at the end",		 "requested at the end",
		"lost to rounding",    "cache that empty_cache returns", "fragments that it does not"};
	static const struct ts_grid_column columns[] = {
		{"", TS_ALIGN_LEFT, 0}, {"A", TS_ALIGN_RIGHT, 0}, {"B", TS_ALIGN_RIGHT, 0}, {"difference", TS_ALIGN_RIGHT, 0}};
	struct ts_grid grid;

	ts_grid_init(&grid, columns, 4, &cli->arena);
	for (int i = 0; i < TS_MEMORY_GAUGES; i++) {
		const struct ts_memory_diff_gauge *g = &d->gauges[i];

		cell(&grid, words[i]);
		cell(&grid, g->known_a ? bytes(cli, g->a) : "unknown");
		cell(&grid, g->known_b ? bytes(cli, g->b) : "unknown");
		cell(&grid, g->known_a && g->known_b ? change(cli, g->b >= g->a ? (int64_t)(g->b - g->a) : -(int64_t)(g->a - g->b))
						     : "unknown");
	}
	return ts_grid_print(&grid, &cli->term, 2, &cli->out, err);
}

static enum ts_status text(struct ts_cli *cli, const struct ts_memory_diff *d, struct ts_error *err)
{
	bool all = ts_args_has(&cli->args, "all");

	ts_text_field(cli, "A", d->path_a);
	ts_text_field(cli, "B", d->path_b);
	if (d->only_a || d->only_b)
		ts_text_field(cli, "devices",
			      ts_arena_printf(&cli->arena, "%s only in A, %s only in B, which are not compared",
					      ts_show_count(d->only_a, &cli->arena), ts_show_count(d->only_b, &cli->arena)));
	if (!d->n)
		ts_text_wrapped(cli, TS_STYLE_PLAIN, 0, "The snapshots have no device in common.");
	for (size_t i = 0; i < d->n; i++) {
		const struct ts_memory_diff_device *device = &d->devices[i];
		const char *heading = ts_arena_printf(&cli->arena, "Device %" PRIu64, device->device);

		ts_text_heading(cli, heading ? heading : "");
		ts_text_wrapped(cli, TS_STYLE_BOLD, 0, ts_show_text(device->sentence, &cli->arena));
		if (gauges(cli, device, err) || kinds(cli, device, err) || rows(cli, &device->peak, "At the peak", all, err) ||
		    rows(cli, &device->end, "At the end", all, err))
			return err->status;
	}
	return ts_arena_check(&cli->arena, err);
}

enum ts_status ts_diff_snapshots(struct ts_cli *cli, const char *path_a, const char *path_b, struct ts_error *err)
{
	struct ts_snapshot a, b;
	struct ts_memory_diff diff;

	if (ts_snapshot_load(path_a, &cli->arena, &a, err) || ts_snapshot_load(path_b, &cli->arena, &b, err) ||
	    ts_memory_diff(&a, &b, &cli->arena, &diff, err))
		return err->status;
	diff.path_a = path_a;
	diff.path_b = path_b;
	if (cli->json ? ts_json_answer(cli, &ts_shape_memory_diff, &diff, err) : text(cli, &diff, err))
		return err->status;
	cli->exit_code = diff.same ? TS_EXIT_YES : (diff.n ? TS_EXIT_NO : TS_EXIT_INCONCLUSIVE);
	return TS_OK;
}
