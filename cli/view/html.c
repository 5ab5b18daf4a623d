#include "cli/view/html.h"

#include "base/escape.h"

void ts_html_text(struct ts_buf *out, const char *text)
{
	ts_html_escape(out, ts_span_str(text));
}

void ts_html_link(struct ts_buf *out, const char *links, const char *to, const char *text)
{
	ts_buf_str(out, "<a href=\"");
	ts_html_text(out, links);
	ts_html_text(out, to);
	ts_buf_str(out, "\">");
	ts_html_text(out, text);
	ts_buf_str(out, "</a>");
}

void ts_html_field(struct ts_buf *out, const char *name, const char *value)
{
	ts_buf_str(out, "<dl><dt>");
	ts_html_text(out, name);
	ts_buf_str(out, "</dt><dd>");
	ts_html_text(out, value);
	ts_buf_str(out, "</dd></dl>\n");
}

void ts_html_heading(struct ts_buf *out, const char *heading)
{
	ts_buf_str(out, "</section>\n<section><h2>");
	ts_html_text(out, heading);
	ts_buf_str(out, "</h2>\n");
}

void ts_html_paragraph(struct ts_buf *out, enum ts_style style, const char *text)
{
	ts_buf_str(out, style == TS_STYLE_DIM ? "<p class=\"dim\">" : "<p>");
	ts_html_text(out, text);
	ts_buf_str(out, "</p>\n");
}
