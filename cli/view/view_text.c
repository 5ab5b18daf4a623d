/* view_text.c - a table as text: which columns shrink or fold, and what is cut. See view.h. */
#include "cli/view/view.h"

#include "base/text.h"

enum { GAP = 2, GAP_LEAST = 1, FOLD = 4, INDENT = 2, BELOW = 6 /* rows whose first cell has a line of its own */ };

struct ts_span ts_text_cut(struct ts_span text, int width, struct ts_arena *arena)
{
	size_t at = 0;
	int used = 0;
	char *copy;

	if (ts_text_width(text) <= width || width < 1)
		return text;
	while (at < text.len) {
		uint32_t point;
		size_t n = ts_utf8_next(ts_span_of(text.data + at, text.len - at), &point);
		int w = ts_text_width(ts_span_of(text.data + at, n ? n : 1));

		if (used + w > width - 1)
			break;
		used += w;
		at += n ? n : 1;
	}
	copy = ts_arena_printf(arena, "%.*s…", (int)at, (const char *)text.data);
	return copy ? ts_span_str(copy) : ts_span_of(text.data, at);
}

/* Whether the text names a line of a file, such as "lab/net.py:54". */
static bool is_place(struct ts_span text)
{
	size_t at = text.len;

	while (at && ts_is_digit(text.data[at - 1]))
		at--;
	return at > 1 && at < text.len && text.data[at - 1] == ':' && memchr(text.data, '.', at);
}

/* What says most of a place is its end. */
static struct ts_span cut_start(struct ts_span text, int width, struct ts_arena *arena)
{
	int over = ts_text_width(text) - (width - 1);
	const char *copy;

	if (over <= 1 || width < 1)
		return text;
	while (text.len && over > 0) {
		uint32_t point;
		size_t n = ts_utf8_next(text, &point);

		over -= ts_text_width(ts_span_of(text.data, n ? n : 1));
		text = ts_span_from(text, n ? n : 1);
	}
	copy = ts_arena_printf(arena, "…%.*s", TS_SPAN_ARG(text));
	return copy ? ts_span_str(copy) : text;
}

/* Of two names that begin alike the end tells which is which: so much is kept of both. */
static struct ts_span cut_middle(struct ts_span text, int width, struct ts_arena *arena)
{
	struct ts_span begin, end;
	const char *copy;

	if (ts_text_width(text) <= width || width < 5)
		return ts_text_cut(text, width, arena);
	begin = ts_text_cut(text, width / 2 + 1, arena); /* ends in … */
	end = cut_start(text, width - width / 2, arena); /* begins with … */
	copy = ts_arena_printf(arena, "%.*s%.*s", TS_SPAN_ARG(begin), TS_SPAN_ARG(ts_span_from(end, strlen("…"))));
	return copy ? ts_span_str(copy) : begin;
}

static struct ts_span cut(const struct ts_view_column *column, struct ts_span text, int width, struct ts_arena *arena)
{
	if (column->align == TS_ALIGN_NAME)
		return cut_middle(text, width, arena);
	return is_place(text) ? cut_start(text, width, arena) : ts_text_cut(text, width, arena);
}

static int width_of_head(const struct ts_view *view, size_t c)
{
	return view->columns[c].head ? ts_text_width(ts_span_str(view->columns[c].head)) : 0;
}

static void natural_widths(const struct ts_view *view, int *widths)
{
	for (size_t c = 0; c < view->n_columns; c++)
		widths[c] = width_of_head(view, c);
	for (size_t i = 0; i < ts_view_n(view) * view->n_columns; i++)
		if (view->cells[i].width > widths[i % view->n_columns])
			widths[i % view->n_columns] = view->cells[i].width;
}

/* Columns side by side, from a first one up to an end. */
static int total_of(const int *widths, size_t from, size_t to, int gap)
{
	int total = -gap;

	for (size_t c = from; c < to; c++)
		total += widths[c] + gap;
	return total;
}

/* The gap between columns becomes smaller before anything is cut. */
static int gap_of(const struct ts_view *view, const int *widths, int width)
{
	size_t n = view->n_columns;

	return total_of(widths, 0, n, GAP) > width && total_of(widths, 0, n, GAP_LEAST) <= width ? GAP_LEAST : GAP;
}

/* Narrows the widest column that may still shrink, one column of characters at a time, until the line fits. */
static void shrink(const struct ts_view *view, int *widths, size_t from, size_t to, int width, int gap)
{
	int total = total_of(widths, from, to, gap);

	while (total > width) {
		size_t widest = to;

		for (size_t c = from; c < to; c++) {
			int least = view->columns[c].least;

			if (least && widths[c] > least && (widest == to || widths[c] > widths[widest]))
				widest = c;
		}
		if (widest == to)
			return;
		widths[widest]--;
		total--;
	}
}

/* Where rows take several lines, each line has room of its own: its columns shrink no further than that line needs. */
static void fold(const struct ts_view *view, const int *natural, int *widths, int width, int gap)
{
	size_t from = 0;

	while (from < view->n_columns) {
		int room = from ? width - FOLD : width;
		size_t to = from + 1;

		while (to < view->n_columns && total_of(widths, from, to + 1, gap) <= room)
			to++;
		memcpy(widths + from, natural + from, (to - from) * sizeof *widths);
		shrink(view, widths, from, to, room, gap);
		from = to;
	}
}

/* The widths of columns and the gap between them in a terminal of this width; 0 is one that never ends. */
static int lay_out(const struct ts_view *view, int *widths, int width)
{
	int natural[TS_VIEW_COLUMNS_MAX];
	int gap;

	natural_widths(view, natural);
	memcpy(widths, natural, sizeof natural);
	if (!width)
		return GAP;
	gap = gap_of(view, natural, width);
	shrink(view, widths, 0, view->n_columns, width, gap);
	if (total_of(widths, 0, view->n_columns, gap) > width)
		fold(view, natural, widths, width, gap);
	return gap;
}

static void drop_trailing(struct ts_buf *out, size_t from)
{
	while (out->len > from && out->data[out->len - 1] == ' ')
		out->len--;
}

static void put_cell(const struct ts_term *term, enum ts_style style, struct ts_span text, struct ts_buf *out)
{
	ts_style_on(out, term, style);
	ts_buf_span(out, text);
	ts_style_off(out, term, style);
}

static bool any_from(const struct ts_view *view, const struct ts_view_cell *cells, size_t c)
{
	while (c < view->n_columns && !cells[c].text.len)
		c++;
	return c < view->n_columns;
}

/* Prints one row (or the heading) from cells. It goes on in further lines where the columns do not fit side by side. */
static void print_row(const struct ts_view *view, const struct ts_view_cell *cells, const int *widths, int between,
		      const struct ts_term *term, int indent, struct ts_buf *out)
{
	int limit = term->width ? term->width : 1 << 28;
	int column = indent;
	size_t start = out->len;
	int gap = 0;

	ts_buf_spaces(out, indent);
	for (size_t c = 0; c < view->n_columns; c++) {
		const struct ts_view_cell *cell = &cells[c];
		struct ts_span text = cut(&view->columns[c], cell->text, widths[c], view->arena);
		int fill = widths[c] - ts_text_width(text);

		if (c && column + between + widths[c] > limit && !any_from(view, cells, c))
			break;
		if (c && column + between + widths[c] > limit) {
			drop_trailing(out, start);
			ts_buf_char(out, '\n');
			start = out->len;
			ts_buf_spaces(out, indent + FOLD);
			column = indent + FOLD;
			gap = 0;
		}
		ts_buf_spaces(out, gap);
		column += gap + widths[c];
		if (view->columns[c].align == TS_ALIGN_RIGHT)
			ts_buf_spaces(out, fill);
		put_cell(term, cell->style, text, out);
		if (view->columns[c].align != TS_ALIGN_RIGHT)
			ts_buf_spaces(out, fill);
		gap = between;
	}
	drop_trailing(out, start);
	ts_buf_char(out, '\n');
}

bool ts_view_fits(const struct ts_view *view, const struct ts_term *term, int indent)
{
	int widths[TS_VIEW_COLUMNS_MAX];
	int gap;

	if (view->failed || !term->width)
		return true;
	gap = lay_out(view, widths, term->width - indent);
	return total_of(widths, 0, view->n_columns, gap) <= term->width - indent;
}

/* --- rows whose first cell has a line of its own --- */

/* A cell with its heading, which a table of facts has not; 0: the value is not known, and left out. */
static int headed_width(const struct ts_view *view, size_t c, struct ts_span text)
{
	int head = width_of_head(view, c);

	return head && ts_span_is(text, "-") ? 0 : head + (head != 0) + ts_text_width(text);
}

/* Returns whether the whole row, with its headings, fits on the line of its name. */
static bool is_short(const struct ts_view *view, const struct ts_view_cell *row, int width)
{
	int used = INDENT + row[0].width;

	for (size_t c = 1; c < view->n_columns; c++) {
		int w = headed_width(view, c, row[c].text);

		used += w ? GAP + w : 0;
	}
	return used <= width;
}

/* Writes "loss" on a line and "rank 0 first step 80" below it, or behind it if there is space. */
static void print_indented(const struct ts_view *view, const struct ts_view_cell *row, const struct ts_term *term, struct ts_buf *out)
{
	int column = BELOW;
	bool first = true;

	ts_buf_spaces(out, INDENT);
	put_cell(term, row[0].style, ts_text_cut(row[0].text, term->width - INDENT, view->arena), out);
	if (is_short(view, row, term->width)) {
		ts_buf_spaces(out, GAP);
		column = INDENT + row[0].width + GAP;
	} else {
		ts_buf_char(out, '\n');
		ts_buf_spaces(out, BELOW);
	}
	for (size_t c = 1; c < view->n_columns; c++) {
		struct ts_span text = ts_text_cut(row[c].text, term->width - BELOW - FOLD, view->arena);
		int w = headed_width(view, c, text);

		if (!w)
			continue;
		if (!first && column + GAP + w > term->width) {
			ts_buf_char(out, '\n');
			ts_buf_spaces(out, BELOW);
			column = BELOW;
		} else if (!first) {
			ts_buf_spaces(out, GAP);
			column += GAP;
		}
		first = false;
		ts_styled(out, term, TS_STYLE_DIM, view->columns[c].head ? view->columns[c].head : "");
		ts_buf_spaces(out, width_of_head(view, c) != 0);
		put_cell(term, row[c].style, text, out);
		column += w;
	}
	ts_buf_char(out, '\n');
}

static void print_table(const struct ts_view *view, const struct ts_term *term, int indent, struct ts_buf *out)
{
	struct ts_view_cell heads[TS_VIEW_COLUMNS_MAX];
	int widths[TS_VIEW_COLUMNS_MAX];
	int gap = lay_out(view, widths, term->width ? term->width - indent : 0);

	if (ts_view_has_heading(view)) {
		for (size_t c = 0; c < view->n_columns; c++) {
			struct ts_span head = ts_span_str(view->columns[c].head ? view->columns[c].head : "");

			heads[c] = (struct ts_view_cell){.text = head, .width = ts_text_width(head), .style = TS_STYLE_BOLD};
		}
		print_row(view, heads, widths, gap, term, indent, out);
	}
	for (size_t r = 0; r < ts_view_n(view); r++)
		print_row(view, view->cells + r * view->n_columns, widths, gap, term, indent, out);
}

enum ts_status ts_view_print(const struct ts_view *view, const struct ts_term *term, int indent, struct ts_buf *out,
			     struct ts_error *err)
{
	if (view->failed)
		return ts_error_set(err, TS_NO_MEMORY, "not enough memory to lay out the table");
	if (term->page) {
		ts_view_html(view, term->links, out);
	} else if (view->indented && !ts_view_fits(view, term, indent)) {
		for (size_t r = 0; r < ts_view_n(view); r++)
			print_indented(view, view->cells + r * view->n_columns, term, out);
	} else {
		print_table(view, term, indent, out);
	}
	return TS_OK;
}
