#include "cli/report/list_page.h"

#include "cli/report/chart_scale.h"
#include "cli/report/list_served.h"
#include "cli/report/page.h"
#include "cli/text/text_list.h"
#include "cli/view/html.h"
#include "cli/view/show_value.h"

#include <math.h>
#include <string.h>

enum { WIDE = 140, HIGH = 34, EDGE = 3 };

/* The range of the values of a line, which has at least one point. */
static struct ts_scale range_of(const struct ts_chart_line *line)
{
	double low = INFINITY, high = -INFINITY;

	for (size_t i = 0; i < line->n; i++) {
		low = line->y[i] < low ? line->y[i] : low;
		high = line->y[i] > high ? line->y[i] : high;
	}
	return ts_scale_of(low, high, false);
}

static void spark(struct ts_buf *out, const struct ts_chart *chart)
{
	const struct ts_chart_line *line = &chart->lines[0];
	struct ts_scale x = ts_scale_of(chart->low, chart->high, false), y = range_of(line);

	ts_buf_printf(out, "<svg class=\"spark\" viewBox=\"0 0 %d %d\" role=\"img\" aria-label=\"loss\">", WIDE, HIGH);
	ts_buf_str(out, "<path class=\"run l0\" d=\"");
	for (size_t i = 0; i < line->n; i++) {
		bool first = i == 0 || isnan(line->y[i - 1]), last = i + 1 == line->n || isnan(line->y[i + 1]);

		if (!isnan(line->y[i]))
			ts_buf_printf(out, "%s%.1f %.1f%s", first ? "M" : "L",
				      EDGE + ts_scale_place(&x, line->x[i]) * (WIDE - 2 * EDGE),
				      HIGH - EDGE - ts_scale_place(&y, line->y[i]) * (HIGH - 2 * EDGE), first && last ? "h0" : "");
	}
	ts_buf_str(out, "\"/></svg>");
}

/* The curve, the last value, and how many values have no place in it. */
static void loss_cell(struct ts_buf *out, const struct ts_list_page *page, size_t row, struct ts_arena *arena)
{
	const struct ts_chart_line *line = row < page->n_curves && page->curves[row].n ? &page->curves[row].lines[0] : NULL;

	ts_buf_str(out, "<td class=\"text\" data-head=\"loss\">");
	if (line && line->n) {
		struct ts_measure last = {.unit = TS_UNIT_NONE, .known = true, .value = line->y[line->n - 1]};

		spark(out, &page->curves[row]);
		ts_page_element(out, " ", ts_show_measure(&last, arena), "");
	} else {
		ts_buf_char(out, '-');
	}
	if (line && line->odd)
		ts_page_element(out, " <span class=\"dim\">", ts_show_count(line->odd, arena), " not finite</span>");
	ts_buf_str(out, "</td>");
}

/* The last loss stands beside the curve, and what is not finite behind it; so they need no columns that nobody asked for. */
static bool is_shown(const struct ts_listing *list, size_t column)
{
	struct ts_span name = list->columns[column];

	return !list->by_default || !(ts_span_is(name, "loss.last") || ts_span_is(name, "loss.nonfinite"));
}

static void head_row(struct ts_buf *out, const struct ts_list_page *page, struct ts_arena *arena)
{
	const struct ts_listing *list = page->list;

	ts_buf_str(out, "<thead><tr>");
	for (size_t c = 0; c < list->n_columns; c++)
		if (is_shown(list, c) && page->served)
			ts_list_served_head(out, page, c, arena);
		else if (is_shown(list, c))
			ts_page_element(out, ts_list_is_numeric(list, c) ? "<th scope=\"col\">" : "<th scope=\"col\" class=\"text\">",
					ts_show_text(list->columns[c], arena), "</th>");
	if (page->served)
		ts_list_served_loss(out, page, arena);
	else
		ts_buf_str(out, "<th scope=\"col\" class=\"text\">loss</th>");
	ts_buf_str(out, "</tr></thead>\n");
}

/* A long name or text goes on in a second line, so that it does not push the other columns out of the window. */
static const char *cell_class(const struct ts_listing *list, size_t column, const char *text)
{
	enum { LONG = 40 };
	bool is_long = text && strlen(text) > LONG; /* NULL: the arena is out of memory */

	if (ts_list_is_numeric(list, column))
		return "<td";
	if (column == 0)
		return is_long ? "<td class=\"text strong long\"" : "<td class=\"text strong\"";
	return is_long ? "<td class=\"text long\"" : "<td class=\"text\"";
}

static void row(struct ts_buf *out, const struct ts_list_page *page, size_t r, struct ts_arena *arena)
{
	const struct ts_listing *list = page->list;

	ts_buf_str(out, "<tr>");
	for (size_t c = 0; c < list->n_columns; c++) {
		const char *text;

		if (!is_shown(list, c))
			continue;
		text = ts_list_cell_text(list, &list->rows[r], c, arena);
		ts_buf_str(out, cell_class(list, c, text));
		if (c > 0)
			ts_page_element(out, " data-head=\"", ts_show_text(list->columns[c], arena), "\"");
		if (page->served && ts_span_is(list->columns[c], "name")) {
			ts_buf_char(out, '>');
			ts_list_served_name(out, page, r, text, arena);
			ts_buf_str(out, "</td>");
		} else {
			ts_page_element(out, ">", text, "</td>");
		}
	}
	loss_cell(out, page, r, arena);
	ts_buf_str(out, "</tr>\n");
}

static const char *title_of(const struct ts_listing *list, struct ts_arena *arena)
{
	const char *what = ts_show_plural(list->n, list->kind == TS_REF_TAG ? "tag" : "run", arena);

	if (list->kind == TS_REF_BRANCH)
		what = list->n == 1 ? "1 branch" : ts_arena_printf(arena, "%s branches", ts_show_count(list->n, arena));
	if (list->next_token.len) /* these are not all */
		what = list->kind == TS_REF_RUN ? "Runs" : list->kind == TS_REF_TAG ? "Tags" : "Branches";
	if (list->project.len == 0)
		return ts_arena_printf(arena, "%s of all projects", what);
	return ts_arena_printf(arena, "%s of project %s", what, ts_show_text(list->project, arena));
}

enum ts_status ts_list_page(const void *what, struct ts_arena *arena, struct ts_buf *out, struct ts_error *err)
{
	const struct ts_list_page *page = what;
	const struct ts_listing *list = page->list;
	const char *title = title_of(list, arena);

	ts_page_open(out, title, NULL);
	ts_page_element(out, "<header><h1>", title, "</h1></header>\n<main><section>\n");
	if (page->served)
		ts_list_served_form(out, page, arena);
	ts_buf_printf(out, "%s<table class=\"sheet cards%s\">\n", TS_HTML_SCROLL, page->served ? " sorts" : "");
	head_row(out, page, arena);
	ts_buf_str(out, "<tbody>\n");
	for (size_t r = 0; r < list->n; r++)
		row(out, page, r, arena);
	ts_buf_str(out, "</tbody></table></div>\n");
	if (page->served && !list->n)
		ts_list_served_none(out, page, arena);
	else if (list->filtered)
		ts_buf_str(out, "<p class=\"dim\">Only runs that match the filter are listed.</p>\n");
	if (page->served)
		ts_list_served_foot(out, page, arena);
	if (list->next_token.len && !page->served)
		ts_buf_str(out, "<p class=\"dim\">There are more; --all lists all of them.</p>\n");
	if (page->n_curves < list->n)
		ts_buf_printf(out, "<p class=\"dim\">The loss is drawn of the first %zu.</p>\n", page->n_curves);
	ts_buf_str(out, "</section></main>\n");
	ts_page_close(out, "list");
	return ts_buf_check(out, err) ? err->status : ts_arena_check(arena, err);
}
