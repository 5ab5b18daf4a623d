/* lanes_page.c - the lanes of a trace on a page: a row of cells for each stream and thread, which say what they are when pointed at.
 * They need no script. */
#include "analysis/trace/host/lanes.h"
#include "cli/report/page.h"
#include "cli/trace/page_trace.h"
#include "cli/trace/trace_cells.h"
#include "cli/view/show_value.h"

enum { HEIGHT = 30, SHADES = 4, NAME_BYTES = 80 };

static const int colours[TS_LANE_PARTS] = {[TS_LANE_COMPUTATION] = 0, [TS_LANE_COMMUNICATION] = 2, [TS_LANE_COPIES] = 3,
					   [TS_LANE_OPERATORS] = 7,   [TS_LANE_CALLS] = 8,	    [TS_LANE_WAITS] = 4};

/* "main thread 8821", by the number that the trace gives it. */
static const char *thread(struct ts_cli *cli, const struct ts_trace *trace, const struct ts_lane *lane)
{
	int64_t tid = trace->threads[lane->thread].tid;

	if (tid == TS_TRACE_NONE)
		return ts_arena_printf(&cli->arena, "%s thread", ts_host_thread_word(lane->kind));
	return ts_arena_printf(&cli->arena, "%s thread %" PRId64, ts_host_thread_word(lane->kind), tid);
}

static const char *label(struct ts_cli *cli, const struct ts_trace *trace, const struct ts_lanes *l, const struct ts_lane *lane)
{
	double share = (double)lane->busy_ns / ((double)l->cell_ns * (double)l->n_cells);
	const char *busy = ts_arena_printf(&cli->arena, "%s, %.1f %%", ts_trace_ms(cli, lane->busy_ns), 100 * share);

	if (lane->host)
		return ts_arena_printf(&cli->arena, "host, %s: %s", thread(cli, trace, lane), busy ? busy : "");
	if (lane->stream == TS_TRACE_NO_DEVICE)
		return ts_arena_printf(&cli->arena, "device %" PRId32 ": %s", lane->device, busy ? busy : "");
	return ts_arena_printf(&cli->arena, "device %" PRId32 ", stream %" PRId32 ": %s", lane->device, lane->stream, busy ? busy : "");
}

/* From 1 to SHADES: how much of the cell was busy. */
static uint64_t shade(const struct ts_lanes *l, const struct ts_lane_cell *c)
{
	uint64_t part = (SHADES * c->busy_ns + l->cell_ns - 1) / l->cell_ns;

	return part < SHADES ? part : SHADES;
}

static bool alike(const struct ts_lanes *l, const struct ts_lane_cell *a, const struct ts_lane_cell *b)
{
	return a->part == b->part && a->longest == b->longest && shade(l, a) == shade(l, b);
}

/* A stretch of cells that say the same. */
static void stretch(struct ts_cli *cli, const struct ts_trace *trace, const struct ts_lanes *l, const struct ts_lane *lane, size_t i,
		    size_t end, struct ts_buf *out)
{
	const struct ts_lane_cell *c = &lane->cells[i];
	struct ts_span name = trace->names[trace->rows.spans.name[c->longest]], shown = ts_name_cut(name, NAME_BYTES);
	const char *text = ts_show_text(shown, &cli->arena);

	ts_buf_printf(out, "<rect class=\"p%d\" x=\"%zu\" width=\"%zu\" height=\"%d\" fill-opacity=\"%.2f\"><title>",
		      colours[c->part], i, end - i, HEIGHT, (double)shade(l, c) / SHADES);
	ts_page_element(out, "", ts_trace_ms(cli, i * l->cell_ns), " to ");
	ts_page_element(out, "", ts_trace_ms(cli, end * l->cell_ns), ": ");
	ts_page_element(out, "", ts_lane_part_word((enum ts_lane_part)c->part), "&#10;");
	ts_page_element(out, "", text, shown.len < name.len ? "…</title></rect>\n" : "</title></rect>\n");
}

static void row(struct ts_cli *cli, const struct ts_trace *trace, const struct ts_lanes *l, const struct ts_lane *lane,
		struct ts_buf *out)
{
	const char *said = label(cli, trace, l, lane);

	ts_page_element(out, "<p class=\"dim\">", said, "</p>\n");
	ts_buf_printf(out,
		      "<svg viewBox=\"0 0 %zu %d\" preserveAspectRatio=\"none\" shape-rendering=\"crispEdges\" role=\"img\" "
		      "aria-label=\"",
		      l->n_cells, HEIGHT);
	ts_page_element(out, "", said, "\">");
	ts_buf_printf(out, "<rect class=\"rest\" width=\"%zu\" height=\"%d\"/>\n", l->n_cells, HEIGHT);
	for (size_t i = 0, end; i < l->n_cells; i = end) {
		for (end = i + 1; end < l->n_cells && alike(l, &lane->cells[i], &lane->cells[end]); end++)
			;
		if (lane->cells[i].longest_ns)
			stretch(cli, trace, l, lane, i, end, out);
	}
	ts_buf_str(out, "</svg>\n");
}

static void key(const struct ts_lanes *l, struct ts_buf *out)
{
	bool used[TS_LANE_PARTS] = {false};

	for (size_t k = 0; k < l->n; k++)
		for (size_t i = 0; i < l->n_cells; i++)
			if (l->items[k].cells[i].longest_ns)
				used[l->items[k].cells[i].part] = true;
	ts_buf_str(out, "<div class=\"key\">");
	for (int i = 0; i < TS_LANE_PARTS; i++)
		if (used[i])
			ts_buf_printf(out, "<span><i class=\"p%d\"></i>%s</span>", colours[i], ts_lane_part_word((enum ts_lane_part)i));
	ts_buf_str(out, "</div>\n");
}

enum ts_status ts_lanes_page(struct ts_cli *cli, const struct ts_trace *trace, const struct ts_lanes *l, struct ts_buf *out,
			     struct ts_error *err)
{
	if (!l->n_cells)
		return TS_OK;
	ts_buf_str(out, "</section>\n<section><h2>Timeline: what each stream and thread did</h2>\n");
	ts_page_element(out, "<p class=\"dim\">From the first event to the last, ", ts_trace_ms(cli, l->n_cells * l->cell_ns), "");
	ts_page_element(out, ". A cell is ", ts_trace_ms(cli, l->cell_ns),
			"; the paler, the less of it is covered. Pointing at it says what covers most of it.</p>\n");
	ts_buf_str(out, "<div class=\"figures whole\"><figure>\n");
	for (size_t i = 0; i < l->n; i++)
		row(cli, trace, l, &l->items[i], out);
	key(l, out);
	ts_buf_str(out, "</figure></div>\n");
	if (l->left_out)
		ts_page_element(out, "<p class=\"dim\">Not drawn: ", ts_show_plural(l->left_out, "lane", &cli->arena), ".</p>\n");
	return ts_arena_check(&cli->arena, err);
}
