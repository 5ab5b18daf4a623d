/* svg_chart.c - the figure of a chart: see chart_page.h. */
#include "cli/report/chart_page.h"

#include <math.h>

enum {
	TOP = 16,
	STRIP = 4,	  /* between the data and the axis */
	MARKS_STRIP = 20, /* the same with marks in it */
	DASHES = 4,
};

/* A figure for wide screens and one for phones, which are drawn of the same curves. */
struct shape {
	const char *class;
	double width, height, highest; /* with many lines it is higher, so that their letters have room */
	double font;		       /* of the largest text; the style sheet says the same */
	double bottom;		       /* below the strip */
	double letter, leader;	       /* the size of a letter, and the way to it from the end of the data */
	size_t x_ticks, y_ticks;
};

static const struct shape shapes[] = {
	[TS_CHART_WIDE] = {"chart wide", 800, 400, 760, 16, 30, 16, 16, 7, 6},
	[TS_CHART_NARROW] = {"chart narrow", 400, 400, 620, 15, 28, 15, 12, 4, 6},
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

static bool has_letter(const struct ts_chart_view *view, size_t i)
{
	return view->lines[i].path.n && strlen(view->lines[i].letter) == 1; /* others are known by a number */
}

static size_t count_letters(const struct ts_chart_view *view)
{
	size_t n = 0;

	for (size_t i = 0; i < view->n; i++)
		n += has_letter(view, i);
	return n;
}

static double letter_room(double font)
{
	return 1.15 * font; /* an m is that wide */
}

struct ts_svg_frame ts_svg_chart_frame(const struct ts_chart_view *view, enum ts_chart_shape which, struct ts_arena *arena)
{
	const struct shape *shape = &shapes[which];
	struct ts_ticks x = ts_chart_view_ticks(view, shape->x_ticks, arena);
	struct ts_ticks y = ts_scale_ticks(&view->y, view->chart->unit, shape->y_ticks, arena);
	double strip = view->marked ? MARKS_STRIP : STRIP, letters = (double)count_letters(view);
	double needed = TOP + letters * shape->letter + strip + shape->bottom;
	double height = fmin(fmax(shape->height, needed), shape->highest);
	struct ts_svg_frame frame = {
		.width = shape->width,
		.height = height,
		.font = shape->font,
		.right = shape->width - shape->leader - fmin(letters, shape->leader) - letter_room(shape->letter),
		.top = TOP,
		.bottom = height - shape->bottom - strip,
		.strip = strip,
		.x = marks_of(&x, &view->x),
		.y = marks_of(&y, &view->y),
	};

	ts_svg_frame_fit(&frame);
	return frame;
}

struct drawing {
	const struct ts_chart_view *v;
	struct ts_svg_frame frame; /* of the wide figure, in whose units the curves are */
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
	ts_buf_printf(d->out, "%s\" data-k=\"%zu\" d=\"", d->v->lines[number].lit ? " on" : "", number);
	for (size_t i = 0; i < p->n; i++) {
		bool first = i == 0 || isnan(p->y[i - 1]), last = i + 1 == p->n || isnan(p->y[i + 1]);

		if (!isnan(p->y[i]))
			ts_buf_printf(d->out, "%s%.2f %.2f%s", first ? "M" : "L", x_of(d, p->x[i]), y_of(d, p->y[i]),
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

static double end_y(const struct ts_chart_view *view, const struct ts_svg_frame *frame, size_t i)
{
	const struct ts_m4_path *p = &view->lines[i].path;

	return ts_svg_frame_y(frame, ts_scale_place(&view->y, p->y[p->n - 1]));
}

enum ts_status ts_svg_chart_letters(const struct ts_chart_view *view, const struct ts_svg_frame *frame, struct ts_arena *arena,
				    struct ts_svg_letter **ret_letters, size_t *ret_n, struct ts_error *err)
{
	double font = frame->font;
	struct ts_svg_letter *letters = ts_arena_array(arena, view->n, sizeof *letters);
	size_t most = (size_t)((frame->bottom + font / 2 - frame->top) / font), n = 0;
	double free_to = frame->bottom + font / 2;

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
		letters[i].y = i && letters[i - 1].y + font > letters[i].end ? letters[i - 1].y + font : letters[i].end;
	for (size_t i = n; i-- > 0; free_to = letters[i].y - font / 2)
		letters[i].y = fmin(letters[i].y, free_to - font / 2);
	for (size_t i = 0; i < n; i++)
		letters[i].box = (struct ts_svg_box){frame->width - letter_room(font), frame->width, letters[i].y - font / 2,
						     letters[i].y + font / 2};
	*ret_letters = letters;
	*ret_n = n;
	return TS_OK;
}

/* A line that ended before the right edge has a dotted leader: it does not seem to go on. */
static void letter(const struct drawing *d, const struct ts_svg_frame *frame, const struct ts_svg_letter *l)
{
	const struct ts_m4_path *p = &d->v->lines[l->line].path;
	double from = ts_svg_frame_x(frame, ts_scale_place(&d->v->x, p->x[p->n - 1]));
	size_t colour = l->line % TS_CHART_COLOURS;

	if (from < frame->right - 1)
		ts_buf_printf(d->out, "<path class=\"leader gone l%zu\" d=\"M%.1f %.1fH%.1f\"/>", colour, from, l->end, frame->right);
	ts_buf_printf(d->out, "<path class=\"leader l%zu\" d=\"M%.1f %.1fh3L%.1f %.1f\"/>", colour, frame->right, l->end,
		      l->box.left - 2, l->y);
	ts_buf_printf(d->out, "<text class=\"letter f%zu\" x=\"%.1f\" y=\"%.1f\" dy=\".27em\">", colour, l->box.left, l->y);
	ts_html_text(d->out, d->v->lines[l->line].letter);
	ts_buf_str(d->out, "</text>\n");
}

/* All that is drawn of values, with what a script needs to read them back: the rectangle of the data and what its edges stand for. */
static void curves(const struct drawing *d)
{
	const struct ts_chart_view *v = d->v;

	ts_buf_printf(d->out, "<g id=\"curves\"%s data-box=\"%.1f %.1f %.1f %.1f\"", v->some_lit ? " class=\"some\"" : "",
		      d->frame.left, d->frame.top, d->frame.right, d->frame.bottom);
	ts_buf_printf(d->out, " data-x=\"%.17g %.17g %d\" data-y=\"%.17g %.17g %d\" data-xunit=\"%g\"", v->x.low, v->x.high, v->x.log,
		      v->y.low, v->y.high, v->y.log, v->x_unit);
	ts_buf_printf(d->out, " data-axis=\"%s\" data-unit=\"%s\">\n", ts_chart_axis_word(v->chart->axis),
		      v->chart->unit == TS_UNIT_BYTES	  ? "bytes"
		      : v->chart->unit == TS_UNIT_SECONDS ? "s"
							  : "");
	for (size_t i = v->n; i-- > 0;)
		if (v->lines[i].low)
			band(d, i);
	for (int lit = 0; lit < 2; lit++)
		for (size_t i = v->n; i-- > 0;)
			if (v->lines[i].lit == (lit == 1))
				path(d, i);
	for (size_t i = 0; i < v->n; i++)
		marks(d, i);
	ts_buf_str(d->out, "</g>\n");
}

/* The curves of the other figure, in this one's frame. */
struct map {
	double x, y, wide, high;
};

static struct map map_of(const struct ts_svg_frame *from, const struct ts_svg_frame *to)
{
	double wide = (to->right - to->left) / (from->right - from->left), high = (to->bottom - to->top) / (from->bottom - from->top);

	return (struct map){to->left - from->left * wide, to->top - from->top * high, wide, high};
}

static enum ts_status figure(struct drawing *d, enum ts_chart_shape which, struct ts_arena *arena, struct ts_error *err)
{
	struct ts_svg_frame frame = ts_svg_chart_frame(d->v, which, arena);
	struct map map = map_of(&d->frame, &frame);
	struct ts_svg_letter *letters;
	size_t n;

	if (ts_svg_chart_letters(d->v, &frame, arena, &letters, &n, err))
		return err->status;
	ts_buf_printf(d->out, "<svg class=\"%s\" viewBox=\"0 0 %.0f %.0f\" data-map=\"%.4f %.4f %.6f %.6f\" role=\"img\" aria-label=\"",
		      shapes[which].class, frame.width, frame.height, map.x, map.y, map.wide, map.high);
	ts_html_text(d->out, d->v->title);
	ts_buf_str(d->out, "\"><title>");
	ts_html_text(d->out, d->v->title);
	ts_buf_printf(d->out, "</title><desc>%zu line%s; the table below names them</desc>\n", d->v->n, d->v->n == 1 ? "" : "s");
	ts_svg_frame_draw(d->out, &frame);
	for (size_t i = 0; i < n; i++)
		letter(d, &frame, &letters[i]);
	if (which == TS_CHART_WIDE)
		curves(d);
	else
		ts_buf_printf(d->out, "<use href=\"#curves\" transform=\"matrix(%.6f 0 0 %.6f %.4f %.4f)\"/>\n", map.wide, map.high,
			      map.x, map.y);
	ts_buf_str(d->out, "<path class=\"guide\" d=\"\"/></svg>\n");
	return TS_OK;
}

enum ts_status ts_svg_chart(struct ts_buf *out, const struct ts_chart_view *view, struct ts_arena *arena, struct ts_error *err)
{
	struct drawing d = {.v = view, .frame = ts_svg_chart_frame(view, TS_CHART_WIDE, arena), .out = out};

	if (figure(&d, TS_CHART_WIDE, arena, err) || figure(&d, TS_CHART_NARROW, arena, err))
		return err->status;
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
