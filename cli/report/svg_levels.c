/* svg_levels.c - levels of a series of runs as a figure of a page; see level_chart.h. */
#include "cli/report/level_chart.h"

#include "cli/report/svg_frame.h"
#include "cli/view/show_value.h"

enum { HEIGHT = 260, TOP = 34, BOTTOM = 34, TICKS = 5, FONT = 23, RIGHT = 8 };

struct axes {
	const struct ts_levels *levels;
	double low, high;
	struct ts_svg_frame frame;
	struct ts_arena *arena;
};

static double x_of(const struct axes *a, double i)
{
	return ts_svg_frame_x(&a->frame, i / (double)a->levels->n);
}

static double place_of(const struct axes *a, double value)
{
	return fmin(fmax((value / 2 - a->low / 2) / (a->high / 2 - a->low / 2), 0), 1);
}

static double y_of(const struct axes *a, double value)
{
	return ts_svg_frame_y(&a->frame, place_of(a, value));
}

static const char *in_unit(const struct axes *a, double value, double step)
{
	struct ts_measure m = {.unit = a->levels->unit, .known = true, .value = value};
	const char *text = ts_show_measure_apart(&m, step, a->arena);

	return text ? text : "?";
}

static bool is_far(const struct axes *a, double value)
{
	return value < a->low || value > a->high;
}

/* Draws all points as one line with segments of length 0, whose round ends make them dots. Ten thousand runs need only
 * one element. */
static void dots(struct ts_buf *out, const struct axes *a, bool far)
{
	bool open = false;

	for (size_t i = 0; i < a->levels->n; i++) {
		double v = a->levels->values[i];

		if (!isfinite(v) || is_far(a, v) != far)
			continue;
		if (!open)
			ts_buf_printf(out, "<path class=\"%s\" d=\"", far ? "far" : "dots");
		open = true;
		ts_buf_printf(out, "M%.1f %.1fh0", x_of(a, (double)i + 0.5), y_of(a, v));
	}
	if (open)
		ts_buf_str(out, far ? "\"><title>this value is outside the drawn range</title></path>\n" : "\"/>\n");
}

/* Each dot is a link. */
static void linked_dots(struct ts_buf *out, const struct axes *a, const char *links)
{
	for (size_t i = 0; i < a->levels->n; i++) {
		double v = a->levels->values[i];

		if (!isfinite(v))
			continue;
		ts_buf_str(out, "<a href=\"");
		ts_html_text(out, links);
		ts_html_text(out, a->levels->to[i]);
		ts_buf_str(out, "\" aria-label=\"");
		ts_html_text(out, a->levels->texts[i]);
		ts_buf_printf(out, "\"><path class=\"%s\" d=\"M%.1f %.1fh0\"/><title>", is_far(a, v) ? "far" : "dots",
			      x_of(a, (double)i + 0.5), y_of(a, v));
		ts_html_text(out, a->levels->texts[i]);
		ts_buf_str(out, is_far(a, v) ? ", outside the drawn range</title></a>\n" : "</title></a>\n");
	}
}

static void levels(struct ts_buf *out, const struct axes *a)
{
	for (size_t k = 0; k < a->levels->n_items; k++) {
		const struct ts_level *level = &a->levels->items[k];

		ts_buf_printf(out, "<path class=\"level\" d=\"M%.1f %.1fH%.1f\"/>\n", x_of(a, (double)level->first),
			      y_of(a, level->value), x_of(a, (double)level->end));
	}
}

/* A mark that would cover the one before is left out, but its line is drawn. */
static void changes(struct ts_buf *out, const struct axes *a)
{
	double free_from = 0;

	for (size_t k = 0; k < a->levels->n_items; k++) {
		const struct ts_level *level = &a->levels->items[k];
		double x = x_of(a, (double)level->first);

		if (!*level->mark)
			continue;
		ts_buf_printf(out, "<path class=\"%s\" d=\"M%.1f %dV%d\"><title>",
			      level->style == TS_STYLE_A   ? "worse"
			      : level->style == TS_STYLE_B ? "better"
							   : "accepted",
			      x, TOP - 6, HEIGHT - BOTTOM);
		ts_html_text(out, level->text);
		ts_buf_str(out, "</title></path>\n");
		if (x < free_from)
			continue;
		free_from = x + 16;
		ts_buf_printf(out, "<text text-anchor=\"middle\" x=\"%.1f\" y=\"%d\">%s</text>\n", fmin(fmax(x, 8), TS_SVG_WIDTH - 8),
			      TOP - 10, level->mark);
	}
}

/* The labels of the horizontal axis are those of its two ends. */
static void fit_frame(struct axes *a)
{
	double ticks[TS_SVG_TICKS];

	a->frame = (struct ts_svg_frame){.width = TS_SVG_WIDTH, .height = HEIGHT, .font = FONT, .right = TS_SVG_WIDTH - RIGHT,
					 .top = TOP, .bottom = HEIGHT - BOTTOM,
					 .x = {.place = {0, 1}, .labels = {a->levels->first, a->levels->last}, .n = 2}};
	a->frame.y.n = ts_svg_ticks(a->low, a->high, TICKS, ticks);
	for (size_t i = 0; i < a->frame.y.n; i++) {
		a->frame.y.place[i] = place_of(a, ticks[i]);
		a->frame.y.labels[i] = in_unit(a, ticks[i], a->frame.y.n > 1 ? ticks[1] - ticks[0] : a->high - a->low);
	}
	ts_svg_frame_fit(&a->frame);
}

void ts_svg_levels(struct ts_buf *out, const struct ts_levels *in, const char *title, const char *links, struct ts_arena *arena)
{
	struct axes a = {.levels = in, .arena = arena};
	bool linked = links && in->to;

	if (!ts_levels_range(in, arena, &a.low, &a.high))
		return;
	if (!(a.low < a.high)) {
		double pad = fabs(a.low) > 0 ? fabs(a.low) / 10 : 1;

		a.low -= pad;
		a.high += pad;
	}
	fit_frame(&a);
	ts_buf_printf(out, "<svg viewBox=\"0 0 %d %d\" role=\"%s\" aria-label=\"", TS_SVG_WIDTH, HEIGHT, linked ? "group" : "img");
	ts_html_text(out, title);
	ts_buf_str(out, "\"><title>");
	ts_html_text(out, title);
	ts_buf_printf(out, "</title><desc>%zu runs, oldest first, and %zu levels</desc>\n", in->n, in->n_items);
	ts_svg_frame_draw(out, &a.frame);
	changes(out, &a);
	if (!linked) {
		dots(out, &a, false);
		dots(out, &a, true);
	}
	levels(out, &a);
	if (linked)
		linked_dots(out, &a, links);
	ts_buf_str(out, "</svg>\n");
}
