/* grid.c - see grid.h. */
#include "cli/text/grid.h"

#include "base/text.h"
#include "cli/text/html.h"

enum { GAP = 2, GAP_LEAST = 1, FOLD = 4 };

void ts_grid_init(struct ts_grid *grid, const struct ts_grid_column *columns, size_t n, struct ts_arena *arena)
{
	*grid = (struct ts_grid){.columns = columns, .n_columns = n, .arena = arena, .failed = n > TS_GRID_COLUMNS};
}

static bool make_room(struct ts_grid *grid)
{
	size_t cap = grid->cap ? grid->cap * 2 : 64;
	struct ts_grid_cell *cells;

	if (grid->n < grid->cap)
		return true;
	cells = ts_arena_array(grid->arena, cap, sizeof *cells);
	if (!cells)
		return false;
	if (grid->n)
		memcpy(cells, grid->cells, grid->n * sizeof *cells);
	grid->cells = cells;
	grid->cap = cap;
	return true;
}

void ts_grid_span(struct ts_grid *grid, enum ts_style style, struct ts_span text)
{
	struct ts_buf safe = TS_BUF_INIT((size_t)8 << 20);
	struct ts_span copy;

	ts_escape(&safe, text);
	copy = ts_arena_span(grid->arena, ts_buf_view(&safe));
	if (safe.failed || !copy.data || !make_room(grid))
		grid->failed = true;
	else
		grid->cells[grid->n++] = (struct ts_grid_cell){copy, ts_text_width(copy), style};
	ts_buf_finish(&safe);
}

void ts_grid_text(struct ts_grid *grid, enum ts_style style, const char *text)
{
	if (text)
		ts_grid_span(grid, style, ts_span_str(text));
	else
		grid->failed = true;
}

size_t ts_grid_rows(const struct ts_grid *grid)
{
	return grid->n / grid->n_columns;
}

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

static struct ts_span cut(const struct ts_grid_column *column, struct ts_span text, int width, struct ts_arena *arena)
{
	if (column->align == TS_ALIGN_NAME)
		return cut_middle(text, width, arena);
	return is_place(text) ? cut_start(text, width, arena) : ts_text_cut(text, width, arena);
}

static void natural_widths(const struct ts_grid *grid, int *widths)
{
	for (size_t c = 0; c < grid->n_columns; c++)
		widths[c] = grid->columns[c].head ? ts_text_width(ts_span_str(grid->columns[c].head)) : 0;
	for (size_t i = 0; i < ts_grid_rows(grid) * grid->n_columns; i++)
		if (grid->cells[i].width > widths[i % grid->n_columns])
			widths[i % grid->n_columns] = grid->cells[i].width;
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
static int gap_of(const struct ts_grid *grid, const int *widths, int width)
{
	size_t n = grid->n_columns;

	return total_of(widths, 0, n, GAP) > width && total_of(widths, 0, n, GAP_LEAST) <= width ? GAP_LEAST : GAP;
}

/* Narrows the widest column that may still shrink, one column of characters at a time, until the line fits. */
static void shrink(const struct ts_grid *grid, int *widths, size_t from, size_t to, int width, int gap)
{
	int total = total_of(widths, from, to, gap);

	while (total > width) {
		size_t widest = to;

		for (size_t c = from; c < to; c++) {
			int least = grid->columns[c].least;

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
static void fold(const struct ts_grid *grid, const int *natural, int *widths, int width, int gap)
{
	size_t from = 0;

	while (from < grid->n_columns) {
		int room = from ? width - FOLD : width;
		size_t to = from + 1;

		while (to < grid->n_columns && total_of(widths, from, to + 1, gap) <= room)
			to++;
		memcpy(widths + from, natural + from, (to - from) * sizeof *widths);
		shrink(grid, widths, from, to, room, gap);
		from = to;
	}
}

/* The widths of columns and the gap between them in a terminal of this width; 0 is one that never ends. */
static int lay_out(const struct ts_grid *grid, int *widths, int width)
{
	int natural[TS_GRID_COLUMNS];
	int gap;

	natural_widths(grid, natural);
	memcpy(widths, natural, sizeof natural);
	if (!width)
		return GAP;
	gap = gap_of(grid, natural, width);
	shrink(grid, widths, 0, grid->n_columns, width, gap);
	if (total_of(widths, 0, grid->n_columns, gap) > width)
		fold(grid, natural, widths, width, gap);
	return gap;
}

static void drop_trailing(struct ts_buf *out, size_t from)
{
	while (out->len > from && out->data[out->len - 1] == ' ')
		out->len--;
}

static bool any_from(const struct ts_grid *grid, const struct ts_grid_cell *cells, size_t c)
{
	while (c < grid->n_columns && !cells[c].text.len)
		c++;
	return c < grid->n_columns;
}

/* Prints one row (or the heading) from cells. It goes on in further lines where the columns do not fit side by side. */
static void print_row(const struct ts_grid *grid, const struct ts_grid_cell *cells, const int *widths, int between,
		      const struct ts_term *term, int indent, struct ts_buf *out)
{
	int limit = term->width ? term->width : 1 << 28;
	int column = indent;
	size_t start = out->len;
	int gap = 0;

	ts_buf_spaces(out, indent);
	for (size_t c = 0; c < grid->n_columns; c++) {
		const struct ts_grid_cell *cell = &cells[c];
		struct ts_span text = cut(&grid->columns[c], cell->text, widths[c], grid->arena);
		int fill = widths[c] - ts_text_width(text);

		if (c && column + between + widths[c] > limit && !any_from(grid, cells, c))
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
		if (grid->columns[c].align == TS_ALIGN_RIGHT)
			ts_buf_spaces(out, fill);
		ts_style_on(out, term, cell->style);
		ts_buf_span(out, text);
		ts_style_off(out, term, cell->style);
		if (grid->columns[c].align != TS_ALIGN_RIGHT)
			ts_buf_spaces(out, fill);
		gap = between;
	}
	drop_trailing(out, start);
	ts_buf_char(out, '\n');
}

bool ts_grid_fits(const struct ts_grid *grid, const struct ts_term *term, int indent)
{
	int widths[TS_GRID_COLUMNS];
	int gap;

	if (grid->failed || !term->width)
		return true;
	gap = lay_out(grid, widths, term->width - indent);
	return total_of(widths, 0, grid->n_columns, gap) <= term->width - indent;
}

bool ts_grid_has_heading(const struct ts_grid *grid)
{
	for (size_t c = 0; c < grid->n_columns; c++)
		if (grid->columns[c].head && grid->columns[c].head[0])
			return true;
	return false;
}

enum ts_status ts_grid_print(const struct ts_grid *grid, const struct ts_term *term, int indent, struct ts_buf *out,
			     struct ts_error *err)
{
	struct ts_grid_cell heads[TS_GRID_COLUMNS];
	int widths[TS_GRID_COLUMNS];
	int gap;

	if (grid->failed)
		return ts_error_set(err, TS_NO_MEMORY, "not enough memory to lay out the table");
	if (term->page) {
		ts_html_grid(out, grid);
		return TS_OK;
	}
	gap = lay_out(grid, widths, term->width ? term->width - indent : 0);
	if (ts_grid_has_heading(grid)) {
		for (size_t c = 0; c < grid->n_columns; c++) {
			struct ts_span head = ts_span_str(grid->columns[c].head ? grid->columns[c].head : "");

			heads[c] = (struct ts_grid_cell){head, ts_text_width(head), TS_STYLE_BOLD};
		}
		print_row(grid, heads, widths, gap, term, indent, out);
	}
	for (size_t r = 0; r < ts_grid_rows(grid); r++)
		print_row(grid, grid->cells + r * grid->n_columns, widths, gap, term, indent, out);
	return TS_OK;
}
