#include "cli/report/chart_text.h"

#include "base/text.h"
#include "cli/report/dots.h"
#include "cli/view/view.h"

#include <math.h>

enum {
	LEFT = 11, /* the labels of the vertical axis, and the axis */
	RIGHT = 4, /* the letters of lines */
	WIDTH = 80,
	ROWS_LEAST = 10,
	ROWS_MOST = 20,
	COLUMNS_LEAST = 4,
	ROWS_A_TICK = 4,
	COLUMNS_A_TICK = 12,
	SAMPLE = 5,
	COLOURS = 6,
	DASHES = 5,	     /* 30 lines are told apart by colour and dashes */
	LETTERS = RIGHT - 1, /* in one row */
	MIDDLE_DOTS_LEFT = 2,
	MIDDLE_DOTS_RIGHT = 16,
};

struct drawing {
	const struct ts_chart_view *v;
	const struct ts_term *term;
	struct ts_arena *arena;
	struct ts_buf *out;
	struct ts_dots dots;
	struct ts_ticks x, y;
};

static int width_of(const struct ts_term *term)
{
	return term->width ? term->width : WIDTH;
}

static size_t columns_of(const struct ts_term *term)
{
	int columns = width_of(term) - LEFT - RIGHT;

	return columns < COLUMNS_LEAST ? COLUMNS_LEAST : (size_t)columns;
}

size_t ts_chart_text_columns(const struct ts_term *term)
{
	size_t dots = columns_of(term) * (term->utf8 ? 2 : 1);

	return dots < TS_M4_COLUMNS_MAX ? dots : TS_M4_COLUMNS_MAX;
}

static size_t rows_of(const struct ts_term *term)
{
	int rows = width_of(term) / 5;

	return rows < ROWS_LEAST ? ROWS_LEAST : rows > ROWS_MOST ? ROWS_MOST : (size_t)rows;
}

/* --- how lines look --- */

static enum ts_style style_of(const struct drawing *d, int line)
{
	static const enum ts_style styles[COLOURS] = {TS_STYLE_CYAN,	TS_STYLE_YELLOW, TS_STYLE_GREEN,
							 TS_STYLE_MAGENTA, TS_STYLE_RED,    TS_STYLE_BLUE};

	if (line >= 0 && d->v->some_lit && !d->v->lines[line].lit)
		return TS_STYLE_DIM;
	return line < 0 ? TS_STYLE_PLAIN : styles[line % COLOURS];
}

/* With colour the dashes change once the colours are used up, else from line to line. Letters and bands need none. */
static struct ts_dash dash_of(const struct drawing *d, int line)
{
	static const struct ts_dash dashes[DASHES] = {{1, 0}, {4, 3}, {1, 2}, {9, 3}, {2, 6}};

	if (d->dots.wide == 1 || d->v->lines[line].low || d->v->lines[line].lit)
		return dashes[0];
	return dashes[(d->term->colour ? line / COLOURS : line) % DASHES];
}

/* --- the picture --- */

static long dot_x(const struct drawing *d, double x)
{
	struct ts_m4_grid grid = ts_chart_grid(d->v->chart);

	grid.n = d->dots.columns * d->dots.wide;
	return (long)ts_m4_column(&grid, x);
}

static long dot_y(const struct drawing *d, double y)
{
	return lround((1 - ts_scale_place(&d->v->y, y)) * (double)(d->dots.rows * d->dots.high - 1));
}

static void draw_path(struct drawing *d, const struct ts_m4_path *path, int line, struct ts_dash dash)
{
	static const struct ts_dash dot = {1, 0};

	for (size_t i = 0; i < path->n; i++) {
		bool from = i > 0 && !isnan(path->y[i - 1]), to = i + 1 < path->n && !isnan(path->y[i + 1]);
		long x = dot_x(d, path->x[i]), y;

		if (isnan(path->y[i]))
			continue;
		y = dot_y(d, path->y[i]);
		if (from)
			ts_dots_line(&d->dots, dot_x(d, path->x[i - 1]), dot_y(d, path->y[i - 1]), x, y, line, dash);
		else if (!to)
			ts_dots_line(&d->dots, x, y, x, y, line, dot);
	}
}

/* The two edges of a band, dotted. The middle path has the places of its columns. */
static void draw_band(struct drawing *d, const struct ts_view_line *line, int number)
{
	const struct ts_m4_path *middle = &line->path;
	struct ts_m4_grid grid = ts_chart_grid(d->v->chart);

	for (size_t i = 0; i < middle->n; i++) {
		size_t column = ts_m4_column(&grid, middle->x[i]);

		if (isnan(middle->y[i]) || isnan(line->low[column]) || column % 2)
			continue;
		ts_dots_set(&d->dots, dot_x(d, middle->x[i]), dot_y(d, line->low[column]), number);
		ts_dots_set(&d->dots, dot_x(d, middle->x[i]), dot_y(d, line->high[column]), number);
	}
}

/* The first line is drawn last, over the others, and what is highlighted over all. */
static void draw_lines(struct drawing *d)
{
	for (size_t i = d->v->n; i-- > 0;)
		if (d->v->lines[i].low)
			draw_band(d, &d->v->lines[i], (int)i);
	for (int lit = 0; lit < 2; lit++)
		for (size_t i = d->v->n; i-- > 0;)
			if (d->v->lines[i].lit == (lit == 1))
				draw_path(d, &d->v->lines[i].path, (int)i, dash_of(d, (int)i));
}

static void put_cell(struct drawing *d, size_t at)
{
	int line = d->dots.line[at];
	char glyph[4];

	if (line == TS_DOTS_NONE) {
		ts_buf_char(d->out, ' ');
	} else if (d->dots.wide > 1) {
		ts_styled(d->out, d->term, style_of(d, line), ts_dots_braille(d->dots.bits[at], glyph));
	} else {
		glyph[0] = line == TS_DOTS_SEVERAL ? '*' : d->v->lines[line].letter[0];
		glyph[1] = '\0';
		ts_styled(d->out, d->term, style_of(d, line), glyph);
	}
}

/* --- labels --- */

/* The lines whose letters stand right of one row, from the left. */
struct letters {
	int lines[LETTERS];
	int n;
};

static void put_first(struct letters *row, int line)
{
	memmove(row->lines + 1, row->lines, (size_t)row->n * sizeof *row->lines);
	row->lines[0] = line;
	row->n++;
}

/* Lines are in the order of their ends, from the top down, and so are their letters: from the bottom up each stands in the row where
 * its line ends, or above the ones that fill that row. What is left over at the top has none. */
static enum ts_status place_letters(struct drawing *d, struct letters **ret_letters, struct ts_error *err)
{
	size_t rows = d->dots.rows;
	struct letters *letters = ts_arena_array(d->arena, rows, sizeof *letters);
	long lowest = (long)rows - 1;

	if (!letters)
		return ts_arena_error(d->arena, err);
	for (size_t i = d->v->n; i-- > 0 && lowest >= 0;) {
		const struct ts_m4_path *path = &d->v->lines[i].path;
		long row = path->n ? dot_y(d, path->y[path->n - 1]) / (long)d->dots.high : 0;

		if (!path->n)
			continue;
		lowest = row < lowest ? row : lowest;
		if (letters[lowest].n == LETTERS)
			lowest--;
		if (lowest >= 0)
			put_first(&letters[lowest], (int)i);
	}
	*ret_letters = letters;
	return TS_OK;
}

/* The label of the tick in this row of characters, or NULL. */
static const char *y_label(const struct drawing *d, size_t row)
{
	for (size_t i = 0; i < d->y.n; i++)
		if ((size_t)dot_y(d, d->y.at[i]) / d->dots.high == row)
			return d->y.labels[i];
	return NULL;
}

static void put_row(struct drawing *d, size_t row, const struct letters *letters)
{
	const char *label = y_label(d, row);
	struct ts_span cut = ts_text_cut(ts_span_str(label ? label : ""), LEFT - 2, d->arena);
	size_t end = d->dots.columns;

	ts_buf_spaces(d->out, LEFT - 2 - ts_text_width(cut));
	ts_buf_span(d->out, cut);
	ts_buf_str(d->out, d->term->utf8 ? (label ? " ┤" : " │") : (label ? " +" : " |"));
	while (!letters->n && end > 0 && d->dots.line[row * d->dots.columns + end - 1] == TS_DOTS_NONE)
		end--;
	for (size_t c = 0; c < end; c++)
		put_cell(d, row * d->dots.columns + c);
	if (letters->n)
		ts_buf_char(d->out, ' ');
	for (int i = 0; i < letters->n; i++)
		ts_styled(d->out, d->term, style_of(d, letters->lines[i]), d->v->lines[letters->lines[i]].letter);
	ts_buf_char(d->out, '\n');
}

/* One row of marks where values could not be drawn. */
static void put_marks(struct drawing *d)
{
	int16_t *at = ts_arena_array(d->arena, d->dots.columns, sizeof *at);
	size_t end = 0;

	if (!d->v->marked || !at)
		return;
	for (size_t i = 0; i < d->v->n; i++)
		for (size_t k = 0; k < d->v->lines[i].n_marks; k++) {
			size_t c = (size_t)dot_x(d, d->v->lines[i].marks[k].x) / d->dots.wide;

			at[c] = (int16_t)(at[c] && at[c] != (int)i + 1 ? TS_DOTS_SEVERAL : (int)i + 1);
			end = c + 1 > end ? c + 1 : end;
		}
	ts_buf_str(d->out, d->term->utf8 ? "not drawn │" : "not drawn |");
	for (size_t c = 0; c < end; c++)
		if (at[c])
			ts_styled(d->out, d->term, style_of(d, at[c] - 1), "x");
		else
			ts_buf_char(d->out, ' ');
	ts_buf_char(d->out, '\n');
}

/* A line of its own, in the middle of `width` columns behind `left`, and cut if it does not fit the terminal. */
static void put_centred(struct drawing *d, int left, int width, const char *text)
{
	struct ts_span cut = ts_text_cut(ts_span_str(text), width_of(d->term), d->arena);
	int wide = ts_text_width(cut), at = left + (width - wide) / 2, most = width_of(d->term) - wide;

	at = at > most ? most : at;
	ts_buf_spaces(d->out, at > 0 ? at : 0);
	ts_buf_span(d->out, cut);
	ts_buf_char(d->out, '\n');
}

/* Puts text so that it begins at that column. */
static void put_at(struct drawing *d, int *io_column, int column, const char *text)
{
	ts_buf_spaces(d->out, column - *io_column);
	ts_buf_str(d->out, text);
	*io_column = column + ts_text_width(ts_span_str(text));
}

static bool is_tick(const struct drawing *d, size_t column)
{
	for (size_t i = 0; i < d->x.n; i++)
		if ((size_t)dot_x(d, d->x.at[i]) / d->dots.wide == column)
			return true;
	return false;
}

static void put_x_axis(struct drawing *d)
{
	int column = 0, edge = LEFT + (int)d->dots.columns + RIGHT;

	ts_buf_spaces(d->out, LEFT - 1);
	ts_buf_str(d->out, d->term->utf8 ? "└" : "+");
	for (size_t c = 0; c < d->dots.columns; c++)
		ts_buf_str(d->out, d->term->utf8 ? (is_tick(d, c) ? "┬" : "─") : (is_tick(d, c) ? "+" : "-"));
	ts_buf_char(d->out, '\n');
	for (size_t i = 0; i < d->x.n; i++) {
		int wide = ts_text_width(ts_span_str(d->x.labels[i]));
		int at = LEFT + (int)dot_x(d, d->x.at[i]) / (int)d->dots.wide - wide / 2;

		at = at + wide > edge ? edge - wide : at;
		if (column == 0 || at >= column + 2)
			put_at(d, &column, at > 0 ? at : 0, d->x.labels[i]);
	}
	ts_buf_char(d->out, '\n');
	put_centred(d, LEFT, (int)d->dots.columns, d->v->x_title);
}

/* --- the legend --- */

static const char *sample(const struct drawing *d, int line)
{
	struct ts_dash dash = dash_of(d, line);
	char text[3 * SAMPLE + 1], glyph[4];
	size_t n = 0;

	for (long c = 0; c < SAMPLE; c++) {
		uint8_t bits = 0;
		const char *shown;

		for (long side = 0; side < 2; side++)
			if (dash.off == 0 || (2 * c + side) % (dash.on + dash.off) < dash.on)
				bits |= side ? MIDDLE_DOTS_RIGHT : MIDDLE_DOTS_LEFT;
		shown = ts_dots_braille(bits, glyph);
		for (; *shown; shown++)
			text[n++] = *shown;
	}
	text[n] = '\0';
	return ts_arena_printf(d->arena, "%s %s", d->v->lines[line].letter, text);
}

static enum ts_status put_legend(struct drawing *d, struct ts_error *err)
{
	static const struct ts_view_column columns[] = {{.key = "letter"}, {.key = "name", .least = 12}, {.key = "said", .least = 20}};
	struct ts_view view;

	ts_view_init(&view, TS_VIEW_COLUMNS(columns), d->arena);
	for (size_t i = 0; i < d->v->n; i++) {
		ts_view_row(&view, NULL);
		ts_view_set(&view, "letter", style_of(d, (int)i), d->dots.wide > 1 ? sample(d, (int)i) : d->v->lines[i].letter);
		ts_view_set(&view, "name", d->v->lines[i].lit ? TS_STYLE_BOLD : TS_STYLE_PLAIN, d->v->lines[i].name);
		ts_view_set(&view, "said", TS_STYLE_DIM, d->v->lines[i].said);
	}
	return ts_view_print(&view, d->term, 2, d->out, err);
}

static enum ts_status put_picture(struct drawing *d, struct ts_error *err)
{
	size_t rows = rows_of(d->term);
	struct letters *letters = NULL;

	if (ts_dots_begin(&d->dots, columns_of(d->term), rows, d->term->utf8, d->arena, err))
		return err->status;
	d->x = ts_chart_view_ticks(d->v, 2 + d->dots.columns / COLUMNS_A_TICK, d->arena);
	d->y = ts_scale_ticks(&d->v->y, d->v->chart->unit, 2 + rows / ROWS_A_TICK, d->arena);
	if (ts_arena_check(d->arena, err))
		return err->status;
	draw_lines(d);
	if (place_letters(d, &letters, err))
		return err->status;
	for (size_t row = 0; row < rows; row++)
		put_row(d, row, &letters[row]);
	put_marks(d);
	put_x_axis(d);
	ts_buf_char(d->out, '\n');
	return put_legend(d, err);
}

enum ts_status ts_chart_text(const struct ts_chart_view *view, const struct ts_term *term, struct ts_arena *arena, struct ts_buf *out,
			     struct ts_error *err)
{
	struct drawing d = {.v = view, .term = term, .arena = arena, .out = out};

	ts_style_on(out, term, TS_STYLE_BOLD);
	ts_buf_span(out, ts_text_cut(ts_span_str(view->title), width_of(term), arena));
	ts_style_off(out, term, TS_STYLE_BOLD);
	ts_buf_char(out, '\n');
	if (view->n && put_picture(&d, err))
		return err->status;
	for (size_t i = 0; i < view->n_notes; i++)
		ts_wrap(out, view->notes[i], term->width, 2);
	return ts_arena_check(arena, err);
}
