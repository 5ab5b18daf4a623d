/* lanes_page.c - the lanes of a trace on a page: a row of cells for each stream and thread, which say what they are when pointed at.
 * They need no script. */
#include "analysis/trace/host/lanes_view.h"
#include "cli/report/page.h"
#include "cli/trace/page_trace.h"
#include "cli/trace/trace_cells.h"
#include "cli/trace/trace_timeline.h"
#include "cli/view/show_value.h"

enum { HEIGHT = 30, SHADES = 4, NAME_BYTES = 80 };

static const int colours[TS_LANE_PARTS] = {[TS_LANE_COMPUTATION] = 0, [TS_LANE_COMMUNICATION] = 2, [TS_LANE_COPIES] = 3,
					   [TS_LANE_OPERATORS] = 7,   [TS_LANE_CALLS] = 8,	    [TS_LANE_WAITS] = 4};

/* From 1 to SHADES: how much of the cell was busy. */
static uint64_t shade(const struct ts_lanes_view *v, const struct ts_lane_cell *c)
{
	uint64_t part = (SHADES * c->busy_ns + v->cell_ns - 1) / v->cell_ns;

	return part < SHADES ? part : SHADES;
}

static bool alike(const struct ts_lanes_view *v, const struct ts_lane_cell *a, const struct ts_lane_cell *b)
{
	return a->part == b->part && a->name == b->name && a->begin_ns == b->begin_ns && a->longest_ns && b->longest_ns &&
	       shade(v, a) == shade(v, b);
}

/* A stretch of cells that say the same. */
static void stretch(struct ts_cli *cli, const struct ts_lanes_view *v, const struct ts_lane_view *lane, size_t i, size_t end,
		    struct ts_buf *out)
{
	const struct ts_lane_cell *c = &lane->cells[i];
	struct ts_span name = v->names[c->name], shown = ts_name_cut(name, NAME_BYTES);
	const char *text = ts_show_text(shown, &cli->arena);

	ts_buf_printf(out, "<rect class=\"p%d\" x=\"%zu\" width=\"%zu\" height=\"%d\" fill-opacity=\"%.2f\"><title>", colours[c->part],
		      i, end - i, HEIGHT, (double)shade(v, c) / SHADES);
	ts_page_element(out, "", ts_trace_ms(cli, v->from_ns + i * v->cell_ns), " to ");
	ts_page_element(out, "", ts_trace_ms(cli, v->from_ns + end * v->cell_ns), ": ");
	ts_page_element(out, "", ts_lane_part_word((enum ts_lane_part)c->part), "&#10;");
	ts_page_element(out, "", text, shown.len < name.len ? "…</title></rect>\n" : "</title></rect>\n");
}

static void row(struct ts_cli *cli, const struct ts_lanes_view *v, const struct ts_lane_view *lane, struct ts_buf *out)
{
	const char *said = ts_lane_label(cli, v, lane);

	ts_page_element(out, "<p class=\"dim\">", said, "</p>\n");
	ts_buf_printf(out,
		      "<svg viewBox=\"0 0 %zu %d\" preserveAspectRatio=\"none\" shape-rendering=\"crispEdges\" role=\"img\" "
		      "aria-label=\"",
		      v->n_cells, HEIGHT);
	ts_page_element(out, "", said, "\">");
	ts_buf_printf(out, "<rect class=\"rest\" width=\"%zu\" height=\"%d\"/>\n", v->n_cells, HEIGHT);
	for (size_t i = 0, end; i < v->n_cells; i = end) {
		for (end = i + 1; end < v->n_cells && alike(v, &lane->cells[i], &lane->cells[end]); end++)
			;
		if (lane->cells[i].longest_ns)
			stretch(cli, v, lane, i, end, out);
	}
	if (v->has_mark && v->mark_ns >= v->from_ns && (v->mark_ns - v->from_ns) / v->cell_ns < v->n_cells)
		ts_buf_printf(out, "<rect class=\"broken\" x=\"%" PRIu64 "\" width=\"1\" height=\"%d\"/>\n",
			      (v->mark_ns - v->from_ns) / v->cell_ns, HEIGHT);
	ts_buf_str(out, "</svg>\n");
}

static void key(const struct ts_lanes_view *v, struct ts_buf *out)
{
	bool used[TS_LANE_PARTS] = {false};

	for (size_t k = 0; k < v->n; k++)
		for (size_t i = 0; i < v->n_cells; i++)
			if (v->lanes[k].cells[i].longest_ns)
				used[v->lanes[k].cells[i].part] = true;
	ts_buf_str(out, "<div class=\"key\">");
	for (int i = 0; i < TS_LANE_PARTS; i++)
		if (used[i])
			ts_buf_printf(out, "<span><i class=\"p%d\"></i>%s</span>", colours[i], ts_lane_part_word((enum ts_lane_part)i));
	ts_buf_str(out, "</div>\n");
}

/* "From the first event to the last", or the stretch that is shown. */
static void extent(struct ts_cli *cli, const struct ts_lanes_view *v, struct ts_buf *out)
{
	if (!v->from_ns && v->to_ns == v->length_ns) {
		ts_page_element(out, "<p class=\"dim\">From the first event to the last, ", ts_trace_ms(cli, v->length_ns), "");
		return;
	}
	ts_page_element(out, "<p class=\"dim\">From ", ts_trace_ms(cli, v->from_ns), " to ");
	ts_page_element(out, "", ts_trace_ms(cli, v->to_ns), " behind the first event, of ");
	ts_page_element(out, "", ts_trace_ms(cli, v->length_ns), "");
}

enum ts_status ts_lanes_page(struct ts_cli *cli, const struct ts_lanes_view *v, struct ts_buf *out, struct ts_error *err)
{
	if (!v->n_cells)
		return TS_OK;
	ts_buf_str(out, "<h2>Timeline: what each stream and thread did</h2>\n"
			"<div class=\"figures whole\"><figure>\n<div class=\"lanes\">\n"); /* what static/lanes.js draws itself */
	extent(cli, v, out);
	ts_page_element(out, ". A cell is ", ts_trace_ms(cli, v->cell_ns),
			"; the paler, the less of it is covered. Pointing at it says what covers most of it.</p>\n");
	for (size_t i = 0; i < v->n; i++)
		row(cli, v, &v->lanes[i], out);
	ts_buf_str(out, "</div>\n");
	key(v, out);
	ts_buf_str(out, "</figure></div>\n");
	if (v->left_out)
		ts_page_element(out, "<p class=\"dim\">Not drawn: ", ts_show_plural(v->left_out, "lane", &cli->arena), ".</p>\n");
	return ts_arena_check(&cli->arena, err);
}

struct drawing {
	struct ts_cli *cli;
	const struct ts_lanes_view *view;
};

static enum ts_status draw(const void *what, struct ts_arena *arena, struct ts_buf *out, struct ts_error *err)
{
	const struct drawing *d = what;

	(void)arena;
	ts_page_open(out, d->view->path, NULL);
	ts_page_element(out, "<header><h1>", d->view->path, "</h1></header>\n<main><section>\n");
	if (ts_lanes_page(d->cli, d->view, out, err))
		return err->status;
	ts_buf_str(out, d->view->n_cells ? "</section></main>\n" : "<p>The trace says no time of anything.</p></section></main>\n");
	ts_page_close(out, "the timeline of a profiler's trace");
	return ts_buf_check(out, err);
}

enum ts_status ts_timeline_page(struct ts_cli *cli, const struct ts_lanes_view *view, bool *ret_answered, struct ts_error *err)
{
	struct drawing d = {cli, view};

	return ts_page_write(cli, draw, &d, ret_answered, err);
}
