#include "cli/text/html.h"

void ts_html_text(struct ts_buf *out, const char *text)
{
	for (; *text; text++) {
		switch (*text) {
		case '&':
			ts_buf_str(out, "&amp;");
			break;
		case '<':
			ts_buf_str(out, "&lt;");
			break;
		case '>':
			ts_buf_str(out, "&gt;");
			break;
		case '"':
			ts_buf_str(out, "&quot;");
			break;
		case '\'':
			ts_buf_str(out, "&#39;");
			break;
		default:
			ts_buf_char(out, *text);
			break;
		}
	}
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

/* --- tables --- */

static void head(struct ts_buf *out, const struct ts_grid *grid)
{
	ts_buf_str(out, "<thead><tr>");
	for (size_t c = 0; c < grid->n_columns; c++) {
		ts_buf_str(out, grid->columns[c].align == TS_ALIGN_RIGHT ? "<th scope=\"col\">" : "<th scope=\"col\" class=\"text\">");
		ts_html_text(out, grid->columns[c].head ? grid->columns[c].head : "");
		ts_buf_str(out, "</th>");
	}
	ts_buf_str(out, "</tr></thead>\n");
}

/* Only a long cell may break. Where the rows become cards, a value bears the heading of its column, if it is there. */
static void cell(struct ts_buf *out, const struct ts_grid *grid, size_t row, size_t column, bool cards)
{
	enum { LONG = 32 };
	const struct ts_grid_cell *cell = &grid->cells[row * grid->n_columns + column];
	const char *text = (const char *)cell->text.data;

	ts_buf_printf(out, "<td class=\"%s%s%s\"", grid->columns[column].align == TS_ALIGN_RIGHT ? "" : "text ",
		      cell->width > LONG ? "long " : "", cell->style == TS_STYLE_DIM ? "dim" : "");
	if (cards && cell->text.len && grid->columns[column].head && *grid->columns[column].head) {
		ts_buf_str(out, " data-head=\"");
		ts_html_text(out, grid->columns[column].head);
		ts_buf_char(out, '"');
	}
	ts_buf_char(out, '>');
	for (; text && *text == ' '; text++) /* a part of what stands above */
		ts_buf_str(out, "&#160;&#160;");
	ts_html_text(out, text);
	ts_buf_str(out, "</td>");
}

void ts_html_grid(struct ts_buf *out, const struct ts_grid *grid)
{
	enum { CARDS_FROM = 6 };
	bool headed = ts_grid_has_heading(grid), cards = headed && grid->n_columns >= CARDS_FROM;

	ts_buf_printf(out, "<div class=\"scroll\"><table class=\"sheet exact%s\">\n", cards ? " cards" : "");
	if (headed)
		head(out, grid);
	ts_buf_str(out, "<tbody>\n");
	for (size_t r = 0; r < ts_grid_rows(grid); r++) {
		ts_buf_str(out, "<tr>");
		for (size_t c = 0; c < grid->n_columns; c++)
			cell(out, grid, r, c, cards);
		ts_buf_str(out, "</tr>\n");
	}
	ts_buf_str(out, "</tbody></table></div>\n");
}
