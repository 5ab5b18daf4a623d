#include "cli/report/svg_areas.h"

#include "cli/report/svg.h"
#include "cli/report/svg_frame.h"
#include "cli/view/show_value.h"

enum { WIDE = 800, HIGH = 400, TOP = 18, BOTTOM = 46, FONT = 28, RIGHT = 10, Y_TICKS = 6, X_TICKS = 6, ROW = 12, STRIP = 4 };

struct figure {
	const struct ts_areas *a;
	struct ts_svg_frame frame;
	double high; /* the greatest value */
	struct ts_arena *arena;
	struct ts_buf *out;
};

static double x_of(const struct figure *f, double x)
{
	double place = (x - f->a->first) / (f->a->last - f->a->first);

	return ts_svg_frame_x(&f->frame, place > 0 ? (place < 1 ? place : 1) : 0);
}

static double y_of(const struct figure *f, double y)
{
	double place = y / f->high;

	return ts_svg_frame_y(&f->frame, place > 0 ? (place < 1 ? place : 1) : 0);
}

static double greatest(const struct ts_areas *a)
{
	double high = 0;

	for (size_t i = 0; i < a->n; i++) {
		double sum = 0;

		for (size_t k = 0; k < a->n_parts; k++)
			sum += a->values[i * a->n_parts + k];
		high = fmax(high, sum);
		if (a->line)
			high = fmax(high, a->line[i]);
	}
	return high;
}

static const char *in_unit(const struct figure *f, double value)
{
	struct ts_measure m = {.unit = f->a->unit, .known = true, .value = value};
	const char *text = ts_show_measure(&m, f->arena);

	return text ? text : "?";
}

/* Bytes are shown in binary units, so their ticks are round in those. */
static double unit_of(const struct figure *f)
{
	return f->a->unit == TS_UNIT_BYTES && f->high >= 1024 ? pow(1024, floor(log2(f->high) / 10)) : 1;
}

static void fit(struct figure *f)
{
	struct ts_svg_marks *x = &f->frame.x, *y = &f->frame.y;
	double ticks[TS_SVG_TICKS], unit = unit_of(f);

	f->frame = (struct ts_svg_frame){.width = WIDE,
					 .height = HIGH + ROW * f->a->n_rows,
					 .font = FONT,
					 .right = WIDE - RIGHT,
					 .top = TOP,
					 .bottom = HIGH - BOTTOM,
					 .strip = STRIP + ROW * f->a->n_rows};
	y->n = ts_svg_ticks(0, f->high / unit, Y_TICKS, ticks);
	for (size_t i = 0; i < y->n; i++) {
		y->place[i] = ticks[i] * unit / f->high;
		y->labels[i] = in_unit(f, ticks[i] * unit);
	}
	x->n = ts_svg_ticks(f->a->first, f->a->last, X_TICKS, ticks);
	for (size_t i = 0; i < x->n; i++) {
		const char *label = ts_show_count((uint64_t)fmax(ticks[i], 0), f->arena);

		x->place[i] = (ticks[i] - f->a->first) / (f->a->last - f->a->first);
		x->labels[i] = label ? label : "?";
	}
	ts_svg_frame_fit(&f->frame);
}

/* From the left along the upper edge of a part, and back along the lower one. */
static void part(const struct figure *f, size_t part)
{
	const struct ts_areas *a = f->a;
	bool any = false;

	for (size_t i = 0; i < a->n; i++)
		any |= a->values[i * a->n_parts + part] > 0;
	if (!any)
		return;
	ts_buf_printf(f->out, "<path class=\"p%d\" d=\"", a->colours[part]);
	for (size_t pass = 0; pass < 2; pass++)
		for (size_t i = 0; i < a->n; i++) {
			size_t at = pass ? a->n - 1 - i : i;
			double sum = 0;

			for (size_t k = 0; k < part + (pass == 0); k++)
				sum += a->values[at * a->n_parts + k];
			ts_buf_printf(f->out, "%s%.1f %.1f", pass || i ? "L" : "M", x_of(f, a->x[at]), y_of(f, sum));
		}
	ts_buf_str(f->out, "Z\"/>\n");
}

static void line(const struct figure *f)
{
	if (!f->a->line)
		return;
	ts_buf_str(f->out, "<path class=\"level\" d=\"");
	for (size_t i = 0; i < f->a->n; i++)
		ts_buf_printf(f->out, "%s%.1f %.1f", i ? "L" : "M", x_of(f, f->a->x[i]), y_of(f, f->a->line[i]));
	ts_buf_str(f->out, "\"/>\n");
}

static void say(const struct figure *f, const char *text)
{
	ts_buf_str(f->out, "<title>");
	ts_html_text(f->out, text);
	ts_buf_str(f->out, "</title>");
}

static void rectangle(const struct figure *f, const char *class, const struct ts_areas_mark *m, double top, double bottom)
{
	double left = x_of(f, m->x), right = x_of(f, m->end);

	ts_buf_printf(f->out, "<rect class=\"%s\" x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%.1f\">", class, left, top,
		      fmax(right - left, 1), bottom - top);
	say(f, m->text);
	ts_buf_str(f->out, "</rect>\n");
}

static void marks(const struct figure *f)
{
	const struct ts_areas *a = f->a;

	for (size_t i = 0; i < a->n_stretches; i++) {
		double top = f->frame.bottom + STRIP + ROW * a->stretches[i].row;

		rectangle(f, "stretch", &a->stretches[i], top, top + ROW - 3);
	}
	for (size_t i = 0; i < a->n_says; i++)
		rectangle(f, "place", &a->says[i], f->frame.top, f->frame.bottom);
	for (size_t i = 0; i < a->n_lines; i++) {
		ts_buf_printf(f->out, "<path class=\"%s\" d=\"M%.1f %.1fV%.1f\">", a->lines[i].serious ? "blow" : "split",
			      x_of(f, a->lines[i].x), f->frame.top, f->frame.bottom);
		say(f, a->lines[i].text);
		ts_buf_str(f->out, "</path>\n");
	}
}

static void key(const struct figure *f)
{
	const struct ts_areas *a = f->a;

	ts_buf_str(f->out, "<div class=\"key\">");
	if (a->line)
		ts_buf_str(f->out, "<span><svg class=\"sample\" viewBox=\"0 0 44 12\"><path class=\"level\" d=\"M2 6H42\"/></svg> ");
	if (a->line) {
		ts_html_text(f->out, a->line_name);
		ts_buf_str(f->out, "</span>");
	}
	for (size_t k = a->n_parts; k-- > 0;) {
		bool any = false;

		for (size_t i = 0; i < a->n; i++)
			any |= a->values[i * a->n_parts + k] > 0;
		if (!any)
			continue;
		ts_buf_printf(f->out, "<span><i class=\"p%d\"></i>", a->colours[k]);
		ts_html_text(f->out, a->parts[k]);
		ts_buf_str(f->out, "</span>");
	}
	for (size_t i = 0; i < a->n_lines; i++) {
		ts_buf_printf(f->out, "<span><svg class=\"sample\" viewBox=\"0 0 44 12\"><path class=\"%s\" d=\"M22 0V12\"/></svg> ",
			      a->lines[i].serious ? "blow" : "split");
		ts_html_text(f->out, a->lines[i].text);
		ts_buf_str(f->out, "</span>");
	}
	ts_buf_str(f->out, "</div>\n");
}

void ts_svg_areas(struct ts_buf *out, const struct ts_areas *areas, const char *title, struct ts_arena *arena)
{
	struct figure f = {.a = areas, .high = greatest(areas), .arena = arena, .out = out};

	if (!areas->n || !(f.high > 0) || !isfinite(f.high) || !(areas->first < areas->last))
		return;
	fit(&f);
	ts_buf_printf(out, "<svg class=\"chart\" viewBox=\"0 0 %d %d\" role=\"img\" aria-label=\"", WIDE, HIGH + ROW * areas->n_rows);
	ts_html_text(out, title);
	ts_buf_str(out, "\"><title>");
	ts_html_text(out, title);
	ts_buf_printf(out, "</title><desc>%zu parts over %s; the greatest sum or line is %s</desc>\n", areas->n_parts, areas->x_title,
		      in_unit(&f, f.high));
	ts_svg_frame_draw(out, &f.frame);
	for (size_t k = 0; k < areas->n_parts; k++)
		part(&f, k);
	line(&f);
	marks(&f);
	ts_buf_str(out, "</svg>\n");
	key(&f);
}
