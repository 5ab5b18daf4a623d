/* view_html.c - a table as HTML. On a narrow screen each row of a wide table becomes a card, whose values bear the headings of their
 * columns. See view.h. */
#include "cli/view/html.h"
#include "cli/view/view.h"

#include "base/text.h"

static const char *style_class(enum ts_style style)
{
	switch (style) {
	case TS_STYLE_BOLD:
		return "strong";
	case TS_STYLE_DIM:
		return "dim";
	case TS_STYLE_A:
		return "a";
	case TS_STYLE_B:
		return "b";
	case TS_STYLE_MARK:
		return "mark";
	case TS_STYLE_PLAIN:
	case TS_STYLE_RED:
	case TS_STYLE_GREEN:
	case TS_STYLE_YELLOW:
	case TS_STYLE_CYAN:
	case TS_STYLE_MAGENTA:
	case TS_STYLE_BLUE:
		break;
	}
	return "";
}

static void attribute(struct ts_buf *out, const char *name, const char *value)
{
	ts_buf_printf(out, " %s=\"", name);
	ts_html_text(out, value);
	ts_buf_char(out, '"');
}

static void heading(const struct ts_view *view, struct ts_buf *out)
{
	ts_buf_str(out, "<thead><tr>");
	for (size_t c = 0; c < view->n_columns; c++) {
		const char *head = view->columns[c].head;

		if (!head || !*head) { /* a heading without a word would be read aloud as one */
			ts_buf_str(out, "<td></td>");
			continue;
		}
		ts_buf_str(out, view->columns[c].align == TS_ALIGN_RIGHT ? "<th scope=\"col\">" : "<th scope=\"col\" class=\"text\">");
		ts_html_text(out, head);
		ts_buf_str(out, "</th>");
	}
	ts_buf_str(out, "</tr></thead>\n");
}

/* The columns of text that the longest cells take beside each other. */
static int width_of(const struct ts_view *view)
{
	int total = 0;

	for (size_t c = 0; c < view->n_columns; c++) {
		int widest = 0;

		for (size_t i = c; i < view->n; i += view->n_columns)
			widest = view->cells[i].width > widest ? view->cells[i].width : widest;
		total += widest;
	}
	return total;
}

/* Only a long cell with foreign text may break. Blanks before a text say of what it is a part. */
static void cell(const struct ts_view *view, size_t i, const char *head, const char *links, struct ts_buf *out)
{
	enum { LONG = 32 };
	const struct ts_view_cell *cell = &view->cells[i];
	const char *text = (const char *)cell->text.data;

	ts_buf_printf(out, "<td class=\"%s%s%s\"", view->columns[i % view->n_columns].align == TS_ALIGN_RIGHT ? "" : "text ",
		      !view->mono && cell->width > LONG ? "long " : "", style_class(cell->style));
	if (head && *head && cell->text.len)
		attribute(out, "data-head", head);
	ts_buf_char(out, '>');
	for (; !view->mono && *text == ' '; text++)
		ts_buf_str(out, "&#160;&#160;");
	if (links && cell->to)
		ts_html_link(out, links, cell->to, text);
	else
		ts_html_text(out, text);
	ts_buf_str(out, "</td>");
}

void ts_view_html(const struct ts_view *view, const char *links, struct ts_buf *out)
{
	enum { CARDS_FROM = 6, CARDS_WIDTH = 48 /* some 340 px of text */ };
	bool headed = ts_view_has_heading(view);
	bool cards = headed && !view->mono && (view->n_columns >= CARDS_FROM || width_of(view) > CARDS_WIDTH);

	if (view->failed) {
		out->failed = TS_NO_MEMORY;
		return;
	}
	ts_buf_printf(out, TS_HTML_SCROLL "<table class=\"sheet%s\">\n",
		      view->mono ? " mono"
		      : !headed	 ? " loose"
		      : cards	 ? " cards"
				 : "");
	if (headed)
		heading(view, out);
	ts_buf_str(out, "<tbody>\n");
	for (size_t r = 0; r < ts_view_n(view); r++) {
		ts_buf_str(out, "<tr>");
		for (size_t c = 0; c < view->n_columns; c++)
			cell(view, r * view->n_columns + c, cards && c ? view->columns[c].head : NULL, links, out);
		ts_buf_str(out, "</tr>\n");
	}
	ts_buf_str(out, "</tbody></table></div>\n");
	if (view->more)
		ts_buf_printf(out, "<p class=\"dim\">and %zu more%s</p>\n", view->more, view->counted ? "" : "; --all shows them");
}
