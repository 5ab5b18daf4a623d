/* svg_chart.c - the figure of a chart: see chart_page.h. */
#include "cli/report/chart_page.h"

#include <math.h>

enum {
	WIDE = 800,
	HIGH = 400,
	FONT = 28, /* of the largest text, on a phone; the style sheet says the same */
	TOP = 16,
	BOTTOM = 46,
	STRIP = 4,	 /* between the data and the axis */
	MARKS_STRIP = 20, /* the same with marks in it */
	LETTER_FONT = 22,
	LEADER = 16, /* from the end of a line to its letter */
	LETTER = LEADER + 22,
	Y_TICKS = 6,
	X_TICKS = 7,
	DASHES = 4,
};

/* --- lines --- */

/* Neighbouring lines differ in colour and dashes; the dashes of a colour differ from round to round. */
static void classes(struct ts_buf *out, size_t line)
{
	ts_buf_printf(out, "l%zu d%zu", line % TS_CHART_COLOURS, (line + line / TS_CHART_COLOURS) % DASHES);
}

static struct ts_svg_marks marks_of(const struct ts_ticks *ticks, const struct ts_scale *scale)
{
	struct ts_svg_marks marks = {.n = ticks->n};

	for (size_t i = 0; i < ticks->n; i++) {
		marks.place[i] = ts_scale_place(scale, ticks->at[i]);
		marks.labels[i] = ticks->labels[i] ? ticks->labels[i] : "";
	}
	return marks;
}

struct ts_svg_frame ts_svg_chart_frame(const struct ts_chart_view *view, struct ts_arena *arena)
{
	struct ts_ticks x = ts_chart_view_ticks(view, X_TICKS, arena), y = ts_scale_ticks(&view->y, view->chart->unit, Y_TICKS, arena);
	struct ts_svg_frame frame = {
		.width = WIDE,
		.height = HIGH,
		.font = FONT,
		.right = WIDE - LETTER,
		.top = TOP,
		.bottom = HIGH - BOTTOM - (view->marked ? MARKS_STRIP : STRIP),
		.strip = view->marked ? MARKS_STRIP : STRIP,
		.x = marks_of(&x, &view->x),
		.y = marks_of(&y, &view->y),
	};

	ts_svg_frame_fit(&frame);
	return frame;
}

struct drawing {
	const struct ts_chart_view *v;
	struct ts_svg_frame frame;
	struct ts_buf *out;
};

static double x_of(const struct drawing *d, double x)
{
	return ts_svg_frame_x(&d->frame, ts_scale_place(&d->v->x, x));
}

static double y_of(const struct drawing *d, double y)
{
	return ts_svg_frame_y(&d->frame, ts_scale_place(&d->v->y, y));
}

static void title(const struct drawing *d, size_t line, const char *more)
{
	ts_buf_str(d->out, "<title>");
	ts_html_text(d->out, d->v->lines[line].name);
	ts_html_text(d->out, more);
	ts_buf_str(d->out, "</title>");
}

/* The stretch of the band that begins with point `from` of the middle path; returns its end. */
static size_t band_stretch(const struct drawing *d, const struct ts_view_line *line, size_t from)
{
	struct ts_m4_grid grid = ts_chart_grid(d->v->chart);
	const struct ts_m4_path *p = &line->path;
	size_t end = from;

	while (end < p->n && !isnan(p->y[end]) && !isnan(line->low[ts_m4_column(&grid, p->x[end])]))
		end++;
	if (end == from)
		return from + 1;
	for (size_t i = from; i < end; i++)
		ts_buf_printf(d->out, "%s%.1f %.1f", i == from ? "M" : "L", x_of(d, p->x[i]),
			      y_of(d, line->high[ts_m4_column(&grid, p->x[i])]));
	for (size_t i = end; i > from; i--)
		ts_buf_printf(d->out, "L%.1f %.1f", x_of(d, p->x[i - 1]), y_of(d, line->low[ts_m4_column(&grid, p->x[i - 1])]));
	ts_buf_char(d->out, 'Z');
	return end;
}

static void band(const struct drawing *d, size_t number)
{
	const struct ts_view_line *line = &d->v->lines[number];

	ts_buf_printf(d->out, "<path class=\"spread f%zu\" d=\"", number % TS_CHART_COLOURS);
	for (size_t i = 0; i < line->path.n;)
		i = band_stretch(d, line, i);
	ts_buf_str(d->out, "\"/>\n");
}

/* A point that no other is joined to is a dot: a segment of length 0 with round ends. */
static void path(const struct drawing *d, size_t number)
{
	const struct ts_m4_path *p = &d->v->lines[number].path;

	if (p->n == 0)
		return;
	ts_buf_str(d->out, "<path class=\"run ");
	classes(d->out, number);
	ts_buf_str(d->out, "\" d=\"");
	for (size_t i = 0; i < p->n; i++) {
		bool first = i == 0 || isnan(p->y[i - 1]), last = i + 1 == p->n || isnan(p->y[i + 1]);

		if (!isnan(p->y[i]))
			ts_buf_printf(d->out, "%s%.1f %.1f%s", first ? "M" : "L", x_of(d, p->x[i]), y_of(d, p->y[i]),
				      first && last ? "h0" : "");
	}
	ts_buf_str(d->out, "\">");
	title(d, number, "");
	ts_buf_str(d->out, "</path>\n");
}

static void marks(const struct drawing *d, size_t number)
{
	enum { ARM = 5 };
	const struct ts_view_line *line = &d->v->lines[number];

	for (size_t i = 0; i < line->n_marks; i++) {
		ts_buf_str(d->out, "<path class=\"run ");
		ts_buf_printf(d->out, "l%zu\" d=\"M%.1f %.1fl%d %dm0 %dl%d %d\">", number % TS_CHART_COLOURS,
			      x_of(d, line->marks[i].x) - ARM, d->frame.bottom + MARKS_STRIP / 2.0 - ARM, 2 * ARM, 2 * ARM,
			      -2 * ARM, -2 * ARM, 2 * ARM);
		title(d, number, line->marks[i].what == TS_CHART_NOT_ABOVE_ZERO ? ": not above zero" : ": not finite");
		ts_buf_str(d->out, "</path>\n");
	}
}

/* --- letters --- */

/* A line that ends before the right edge has no letter there: it would seem to go on. Nor has one that is known by a number. */
static bool has_letter(const struct ts_chart_view *view, size_t i)
{
	const struct ts_m4_path *p = &view->lines[i].path;

	return p->n && ts_scale_place(&view->x, p->x[p->n - 1]) > 0.98 && strlen(view->lines[i].letter) == 1;
}

static double end_y(const struct ts_chart_view *view, const struct ts_svg_frame *frame, size_t i)
{
	const struct ts_m4_path *p = &view->lines[i].path;

	return ts_svg_frame_y(frame, ts_scale_place(&view->y, p->y[p->n - 1]));
}

enum ts_status ts_svg_chart_letters(const struct ts_chart_view *view, const struct ts_svg_frame *frame, struct ts_arena *arena,
				    struct ts_svg_letter **ret_letters, size_t *ret_n, struct ts_error *err)
{
	struct ts_svg_letter *letters = ts_arena_array(arena, view->n, sizeof *letters);
	size_t most = (size_t)((frame->bottom - frame->top) / LETTER_FONT), n = 0;
	double free_to = frame->bottom + LETTER_FONT / 2.0;

	if (!letters)
		return ts_arena_error(arena, err);
	/* Sorted from the top down. */
	for (size_t i = 0; i < view->n; i++) {
		struct ts_svg_letter letter = {.line = i};
		size_t to = n;

		if (!has_letter(view, i))
			continue;
		letter.end = end_y(view, frame, i);
		for (; to > 0 && letters[to - 1].end > letter.end; to--)
			letters[to] = letters[to - 1];
		letters[to] = letter;
		n++;
	}
	n = n <= most ? n : 0;
	/* Down as far as they need to be apart, then up as far as there is room. */
	for (size_t i = 0; i < n; i++)
		letters[i].y = i && letters[i - 1].y + LETTER_FONT > letters[i].end ? letters[i - 1].y + LETTER_FONT : letters[i].end;
	for (size_t i = n; i-- > 0; free_to = letters[i].y - LETTER_FONT / 2.0)
		letters[i].y = fmin(letters[i].y, free_to - LETTER_FONT / 2.0);
	for (size_t i = 0; i < n; i++)
		letters[i].box = (struct ts_svg_box){frame->right + LEADER + 2, frame->width, letters[i].y - LETTER_FONT / 2.0,
						     letters[i].y + LETTER_FONT / 2.0};
	*ret_letters = letters;
	*ret_n = n;
	return TS_OK;
}

static void letter(const struct drawing *d, const struct ts_svg_letter *l)
{
	size_t colour = l->line % TS_CHART_COLOURS;

	ts_buf_printf(d->out, "<path class=\"leader l%zu\" d=\"M%.1f %.1fh3L%.1f %.1f\"/>", colour, d->frame.right, l->end,
		      d->frame.right + LEADER, l->y);
	ts_buf_printf(d->out, "<text class=\"letter f%zu\" x=\"%.1f\" y=\"%.1f\" dy=\".27em\">", colour, l->box.left, l->y);
	ts_html_text(d->out, d->v->lines[l->line].letter);
	ts_buf_str(d->out, "</text>\n");
}

enum ts_status ts_svg_chart(struct ts_buf *out, const struct ts_chart_view *view, struct ts_arena *arena, struct ts_error *err)
{
	struct drawing d = {.v = view, .frame = ts_svg_chart_frame(view, arena), .out = out};
	struct ts_svg_letter *letters;
	size_t n;

	if (ts_svg_chart_letters(view, &d.frame, arena, &letters, &n, err))
		return err->status;
	ts_buf_printf(out, "<svg class=\"chart\" viewBox=\"0 0 %d %d\" role=\"img\" aria-label=\"", WIDE, HIGH);
	ts_html_text(out, view->title);
	ts_buf_str(out, "\"><title>");
	ts_html_text(out, view->title);
	ts_buf_printf(out, "</title><desc>%zu lines; the table below names them</desc>\n", view->n);
	ts_svg_frame_draw(out, &d.frame);
	for (size_t i = view->n; i-- > 0;)
		if (view->lines[i].low)
			band(&d, i);
	for (size_t i = view->n; i-- > 0;)
		path(&d, i);
	for (size_t i = 0; i < view->n; i++)
		marks(&d, i);
	for (size_t i = 0; i < n; i++)
		letter(&d, &letters[i]);
	ts_buf_str(out, "</svg>\n");
	return ts_arena_check(arena, err);
}

void ts_svg_chart_sample(struct ts_buf *out, const struct ts_chart_view *view, size_t line)
{
	ts_buf_str(out, "<svg class=\"sample\" viewBox=\"0 0 44 12\">");
	if (view->lines[line].low)
		ts_buf_printf(out, "<path class=\"spread f%zu\" d=\"M2 0H42V12H2Z\"/>", line % TS_CHART_COLOURS);
	ts_buf_str(out, "<path class=\"run ");
	classes(out, line);
	ts_buf_str(out, "\" d=\"M2 6H42\"/></svg>");
}
