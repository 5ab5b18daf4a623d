/* svg_levels.c - levels of a series of runs as a figure of a page; see level_chart.h. */
#include "cli/report/level_chart.h"

#include "cli/report/svg.h"
#include "cli/text/show_value.h"

enum { HEIGHT = 260, TOP = 30, BOTTOM = 30, TICKS = 5 };

struct axes {
	const struct ts_levels *levels;
	double low, high;
	struct ts_arena *arena;
};

static double x_of(const struct axes *a, double i)
{
	return i / (double)a->levels->n * TS_SVG_WIDTH;
}

static double y_of(const struct axes *a, double value)
{
	double share = (value / 2 - a->low / 2) / (a->high / 2 - a->low / 2);

	return HEIGHT - BOTTOM - fmin(fmax(share, 0), 1) * (HEIGHT - BOTTOM - TOP);
}

static const char *in_unit(const struct axes *a, double value)
{
	struct ts_measure m = {.unit = a->levels->unit, .known = true, .value = value};
	const char *text = ts_show_measure(&m, a->arena);

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
			      level->tone == TS_TONE_A ? "worse" : level->tone == TS_TONE_B ? "better" : "accepted", x, TOP - 6,
			      HEIGHT - BOTTOM);
		ts_html_text(out, level->text);
		ts_buf_str(out, "</title></path>\n");
		if (x < free_from)
			continue;
		free_from = x + 16;
		ts_buf_printf(out, "<text text-anchor=\"middle\" x=\"%.1f\" y=\"%d\">%s</text>\n", fmin(fmax(x, 8), TS_SVG_WIDTH - 8),
			      TOP - 10, level->mark);
	}
}

static void axis(struct ts_buf *out, const struct axes *a)
{
	double ticks[TS_SVG_TICKS];
	size_t n = ts_svg_ticks(a->low, a->high, TICKS, ticks);

	for (size_t i = 0; i < n; i++) {
		ts_buf_printf(out, "<path class=\"grid\" d=\"M0 %.1fH%d\"/><text x=\"2\" y=\"%.1f\">", y_of(a, ticks[i]), TS_SVG_WIDTH,
			      y_of(a, ticks[i]) - 3);
		ts_html_text(out, in_unit(a, ticks[i]));
		ts_buf_str(out, "</text>\n");
	}
	ts_buf_printf(out, "<path class=\"axis\" d=\"M0 %dH%d\"/>\n<text class=\"x\" x=\"0\" y=\"%d\">", HEIGHT - BOTTOM, TS_SVG_WIDTH,
		      HEIGHT - 8);
	ts_html_text(out, a->levels->first);
	ts_buf_printf(out, "</text>\n<text class=\"x\" text-anchor=\"end\" x=\"%d\" y=\"%d\">", TS_SVG_WIDTH, HEIGHT - 8);
	ts_html_text(out, a->levels->last);
	ts_buf_str(out, "</text>\n");
}

void ts_svg_levels(struct ts_buf *out, const struct ts_levels *in, const char *title, struct ts_arena *arena)
{
	struct axes a = {.levels = in, .arena = arena};

	if (!ts_levels_range(in, arena, &a.low, &a.high))
		return;
	if (!(a.low < a.high)) {
		double pad = fabs(a.low) > 0 ? fabs(a.low) / 10 : 1;

		a.low -= pad;
		a.high += pad;
	}
	ts_buf_printf(out, "<svg viewBox=\"0 0 %d %d\" role=\"img\" aria-label=\"", TS_SVG_WIDTH, HEIGHT);
	ts_html_text(out, title);
	ts_buf_str(out, "\"><title>");
	ts_html_text(out, title);
	ts_buf_printf(out, "</title><desc>%zu runs, oldest first, and %zu levels</desc>\n", in->n, in->n_items);
	changes(out, &a);
	dots(out, &a, false);
	dots(out, &a, true);
	levels(out, &a);
	axis(out, &a);
	ts_buf_str(out, "</svg>\n");
}
