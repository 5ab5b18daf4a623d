#include "cli/report/chart_page.h"

#include "cli/report/page.h"

static const char *const pieces[] = {
#include "cli/report/chart_script.inc"

};
static const struct ts_page_script script = {pieces, sizeof pieces / sizeof pieces[0]};

enum { SHORT = 24 }; /* a text that stays on one line */

static void legend_row(struct ts_buf *out, const struct ts_chart_view *view, size_t i)
{
	const struct ts_view_line *line = &view->lines[i];

	ts_buf_printf(out, "<tr data-k=\"%zu\" data-line=\"%zu\"%s><td class=\"text f%zu\">", i, line->nth,
		      line->lit ? " class=\"on\"" : "", i % TS_CHART_COLOURS);
	ts_html_text(out, line->letter);
	ts_buf_str(out, "</td><td class=\"text\">");
	ts_svg_chart_sample(out, view, i);
	ts_page_element(out, "</td><th scope=\"row\" class=\"text\">", line->name, "</th>");
	ts_page_element(out, strlen(line->said) < SHORT ? "<td class=\"text dim short\">" : "<td class=\"text dim\">", line->said,
			"</td></tr>\n");
}

static enum ts_status figure(struct ts_buf *out, const struct ts_chart_view *view, struct ts_arena *arena, struct ts_error *err)
{
	ts_page_element(out, "<figure class=\"plot\"><figcaption>", view->y_title, "</figcaption>\n");
	if (ts_svg_chart(out, view, arena, err))
		return err->status;
	ts_page_element(out, "<figcaption class=\"below\">", view->x_title,
			"</figcaption><p class=\"tip\" hidden=\"\"></p></figure>\n");
	ts_buf_str(out, "<table class=\"legend\"><tbody>\n");
	for (size_t i = 0; i < view->n; i++)
		legend_row(out, view, i);
	ts_buf_str(out, "</tbody></table>\n");
	return TS_OK;
}

enum ts_status ts_chart_page(const void *what, struct ts_arena *arena, struct ts_buf *out, struct ts_error *err)
{
	const struct ts_chart_view *view = what;

	ts_page_open(out, view->title, view->n ? &script : NULL);
	ts_page_element(out, "<header><h1>", view->title, "</h1></header>\n<main><section>\n");
	if (view->n && figure(out, view, arena, err))
		return err->status;
	for (size_t i = 0; i < view->n_notes; i++)
		ts_page_element(out, "<p>", view->notes[i], "</p>\n");
	ts_buf_str(out, "</section></main>\n");
	if (view->n)
		ts_page_run(out, &script);
	ts_page_close(out, "plot");
	return ts_buf_check(out, err) ? err->status : ts_arena_check(arena, err);
}
