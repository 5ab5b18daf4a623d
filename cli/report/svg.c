/* svg.c - see svg.h. */
#include "cli/report/svg.h"

#include "cli/report/svg_frame.h"
#include "cli/view/show_value.h"

#include <float.h>

enum {
	HEIGHT = 240,
	TOP = 14,
	BOTTOM = 34,
	FONT = 23, /* of the largest text, on a phone; the style sheet says the same */
	RIGHT = 8,
	Y_TICKS = 4,
	X_TICKS = 5,
	HEAT_LABEL = 84,
	HEAT_MOST = 520,
	HEAT_ROW = 28,
	HEAT_LEAST = 3,
	LABEL_TOP = 14
};

/* The values are halved, because their difference may exceed the range of a double. */
static double half_span(double low, double high)
{
	return high / 2 - low / 2;
}

size_t ts_svg_ticks(double low, double high, size_t most, double ret_ticks[TS_SVG_TICKS])
{
	static const double nice[] = {1, 2, 5, 10};
	double step = 0, first, power;
	size_t n = 0;

	if (!isfinite(low) || !isfinite(high) || !(low < high) || most < 2)
		return 0;
	most = most > TS_SVG_TICKS ? TS_SVG_TICKS : most;
	power = pow(10, floor(log10(half_span(low, high) / (double)most * 2)));
	for (size_t i = 0; i < sizeof nice / sizeof nice[0]; i++) {
		step = nice[i] * power;
		if (step > 0 && floor(high / step) - ceil(low / step) + 1 <= (double)most)
			break;
	}
	first = ceil(low / step);
	if (!isfinite(first) || !(step > 0))
		return 0;
	for (double k = first; n < most && k * step <= high; k++) {
		ret_ticks[n++] = k * step == 0 ? 0 : k * step; /* avoids -0 */
		if (k + 1 == k)
			break; /* the step is below the resolution of a double */
	}
	return n;
}

static void open_svg(struct ts_buf *out, int height, const char *more, const char *title, const char *description)
{
	ts_buf_printf(out, "<svg viewBox=\"0 0 %d %d\"%s role=\"img\" aria-label=\"", TS_SVG_WIDTH, height, more);
	ts_html_text(out, title);
	ts_buf_str(out, "\"><title>");
	ts_html_text(out, title);
	ts_buf_str(out, "</title><desc>");
	ts_html_text(out, description ? description : "");
	ts_buf_str(out, "</desc>\n");
}

static const char *in_unit(enum ts_unit unit, double value, struct ts_arena *arena)
{
	struct ts_measure m = {.unit = unit, .known = true, .value = value};
	const char *text = ts_show_measure(&m, arena);

	return text ? text : "?";
}

/* --- axes --- */

struct axes {
	const struct ts_plot *plot;
	double low, high; /* the range of the values, or of their logarithms if log is set */
	bool log;
	struct ts_svg_frame frame;
	struct ts_arena *arena;
};

/* Finds the least and the greatest finite value. Returns false if there is none. */
static bool range_of(const struct ts_plot *plot, double *ret_low, double *ret_high)
{
	double low = HUGE_VAL, high = -HUGE_VAL;

	for (size_t i = 0; i < plot->n; i++) {
		if (plot->count[i] == 0 || !isfinite(plot->min[i]) || !isfinite(plot->max[i]))
			continue;
		low = plot->min[i] < low ? plot->min[i] : low;
		high = plot->max[i] > high ? plot->max[i] : high;
	}
	*ret_low = low;
	*ret_high = high;
	return low <= high;
}

static double clamp(double x, double low, double high)
{
	return x > low ? (x < high ? x : high) : low; /* NaN becomes low */
}

/* Where a value, or its logarithm on a logarithmic scale, lies between the ends. */
static double place_of(const struct axes *a, double v)
{
	return clamp(half_span(a->low, v) / half_span(a->low, a->high), 0, 1);
}

static void y_ticks(struct axes *a)
{
	struct ts_svg_marks *y = &a->frame.y;
	double ticks[TS_SVG_TICKS];

	y->n = ts_svg_ticks(a->low, a->high, Y_TICKS, ticks);
	for (size_t i = 0; i < y->n; i++) {
		y->place[i] = place_of(a, ticks[i]);
		y->labels[i] = in_unit(a->plot->unit, a->log ? pow(10, ticks[i]) : ticks[i], a->arena);
	}
}

/* Ticks of steps are integers. */
static void x_ticks(struct axes *a)
{
	double first = (double)a->plot->first_step, last = first + (double)a->plot->n * (double)a->plot->width - 1;
	struct ts_svg_marks *x = &a->frame.x;
	double ticks[TS_SVG_TICKS];
	size_t n = ts_svg_ticks(first, last, X_TICKS, ticks);

	for (size_t i = 0; i < n; i++) {
		const char *label = ticks[i] == floor(ticks[i]) ? ts_arena_printf(a->arena, "%.0f", ticks[i]) : NULL;

		if (!label)
			continue;
		x->place[x->n] = (ticks[i] - first + 0.5) / (last - first + 1);
		x->labels[x->n++] = label;
	}
}

static void fit_frame(struct axes *a)
{
	a->frame = (struct ts_svg_frame){.width = TS_SVG_WIDTH, .height = HEIGHT, .font = FONT, .right = TS_SVG_WIDTH - RIGHT,
					 .top = TOP, .bottom = HEIGHT - BOTTOM};
	y_ticks(a);
	x_ticks(a);
	ts_svg_frame_fit(&a->frame);
}

/* If other is not NULL, it is drawn in the same axes. */
static bool axes_of(const struct ts_plot *plot, const struct ts_plot *other, struct ts_arena *arena, struct axes *ret)
{
	struct axes a = {.plot = plot, .arena = arena};
	double low, high;
	bool any = range_of(plot, &a.low, &a.high);

	if (other && range_of(other, &low, &high)) {
		a.low = any && a.low < low ? a.low : low;
		a.high = any && a.high > high ? a.high : high;
		any = true;
	}
	if (!any)
		return false;
	a.log = a.low > 0 && a.high / a.low > 100;
	if (a.log) {
		a.low = floor(log10(a.low) * 4) / 4;
		a.high = ceil(log10(a.high) * 4) / 4;
	} else if (a.low > 0 && a.low < a.high / 2) {
		a.low = 0; /* axes of times and bytes begin at 0, unless that would hide the variation */
	} else if (a.low == a.high) {
		double pad = fabs(a.low) > 0 ? fabs(a.low) / 10 : 1;

		a.low = a.low - pad;
		a.high = a.high + pad;
	}
	/* The limits may exceed the range of a double. */
	a.low = isfinite(a.low) ? a.low : -DBL_MAX;
	a.high = isfinite(a.high) ? a.high : DBL_MAX;
	fit_frame(&a);
	*ret = a;
	return true;
}

static double y_of(const struct axes *a, double value)
{
	return ts_svg_frame_y(&a->frame, place_of(a, a->log ? (value > 0 ? log10(value) : a->low) : value));
}

/* The horizontal position of the middle of a step. */
static double x_of(const struct axes *a, int64_t step)
{
	double span = (double)a->plot->n * (double)a->plot->width;

	return ts_svg_frame_x(&a->frame, clamp(((double)((uint64_t)step - (uint64_t)a->plot->first_step) + 0.5) / span, 0, 1));
}

static double cell_x(const struct axes *a, double cell)
{
	return ts_svg_frame_x(&a->frame, cell / (double)a->plot->n);
}

/* --- a series --- */

static bool drawn(const struct ts_plot *plot, size_t cell)
{
	return plot->count[cell] && isfinite(plot->mean[cell]) && isfinite(plot->min[cell]) &&
	       isfinite(plot->max[cell]);
}

static size_t run_end(const struct ts_plot *plot, size_t from)
{
	while (from < plot->n && drawn(plot, from))
		from++;
	return from;
}

/* Draws the band from the least to the greatest value of each cell: forward along one edge, and back along the other. */
static void band(struct ts_buf *out, const struct axes *a, size_t from, size_t to)
{
	ts_buf_str(out, "<path class=\"band\" d=\"");
	for (size_t i = from; i < to; i++)
		ts_buf_printf(out, "%s%.1f %.1f", i == from ? "M" : "L", cell_x(a, (double)i + 0.5),
			      y_of(a, a->plot->max[i]));
	for (size_t i = to; i > from; i--)
		ts_buf_printf(out, "L%.1f %.1f", cell_x(a, (double)i - 0.5), y_of(a, a->plot->min[i - 1]));
	ts_buf_str(out, "Z\"/>\n");
}

static void line(struct ts_buf *out, const struct axes *a, size_t from, size_t to)
{
	/* A single cell is drawn with its own width. */
	if (to - from == 1) {
		ts_buf_printf(out, "<path class=\"line\" d=\"M%.1f %.1fH%.1f\"/>\n", cell_x(a, (double)from),
			      y_of(a, a->plot->mean[from]), cell_x(a, (double)from + 1));
		return;
	}
	ts_buf_str(out, "<path class=\"line\" d=\"");
	for (size_t i = from; i < to; i++)
		ts_buf_printf(out, "%s%.1f %.1f", i == from ? "M" : "L", cell_x(a, (double)i + 0.5),
			      y_of(a, a->plot->mean[i]));
	ts_buf_str(out, "\"/>\n");
}

static const char *said(const struct axes *a, const struct ts_event *e)
{
	const char *value = in_unit(a->plot->unit, e->value, a->arena), *text;

	if (e->first_step == e->last_step)
		text = ts_arena_printf(a->arena, "%s at step %" PRId64 ": %s", ts_event_word(e->kind), e->first_step,
				       value);
	else
		text = ts_arena_printf(a->arena, "%s at steps %" PRId64 " to %" PRId64 ": %s", ts_event_word(e->kind),
				       e->first_step, e->last_step, value);
	if (text && !isnan(e->expected))
		text = ts_arena_printf(a->arena, "%s, expected %s", text,
				       in_unit(a->plot->unit, e->expected, a->arena));
	return text ? text : "";
}

static void mark(struct ts_buf *out, const struct axes *a, const struct ts_event *e)
{
	double x = x_of(a, e->first_step), end = x_of(a, e->last_step);
	bool point = e->kind == TS_EVENT_SPIKE || e->kind == TS_EVENT_DIP;

	if (point && isfinite(e->value))
		ts_buf_printf(out, "<circle class=\"spike\" cx=\"%.1f\" cy=\"%.1f\" r=\"5\">", (x + end) / 2,
			      y_of(a, e->value));
	else if (e->kind == TS_EVENT_NONFINITE)
		ts_buf_printf(out, "<rect class=\"broken\" x=\"%.1f\" y=\"%d\" width=\"%.1f\" height=\"%d\">", x - 1,
			      TOP, end - x + 2, HEIGHT - BOTTOM - TOP);
	else
		ts_buf_printf(out, "<path class=\"%s\" d=\"M%.1f %dV%d\">",
			      e->kind == TS_EVENT_BLOW_UP ? "blow" : "shift", x, TOP, HEIGHT - BOTTOM);
	ts_buf_str(out, "<title>");
	ts_html_text(out, said(a, e));
	ts_buf_str(out, point && isfinite(e->value)	? "</title></circle>\n"
			: e->kind == TS_EVENT_NONFINITE ? "</title></rect>\n"
							: "</title></path>\n");
}

bool ts_svg_series(struct ts_buf *out, const struct ts_plot *plot, const struct ts_events *events, const char *title,
		   struct ts_arena *arena)
{
	double low, high;
	struct axes a;
	size_t marks = 0;

	if (!axes_of(plot, NULL, arena, &a))
		return false;
	range_of(plot, &low, &high);
	for (size_t i = 0; i < events->n; i++)
		marks += ts_span_eq(events->items[i].group, plot->group) &&
			 ts_span_eq(events->items[i].subject, plot->subject);
	open_svg(out, HEIGHT, "", title,
		 ts_arena_printf(arena,
				 "%zu cells of %" PRIu64 " steps, from step %" PRId64
				 " on; smallest value %s, largest value %s; %zu events",
				 plot->n, plot->width, plot->first_step, in_unit(plot->unit, low, arena),
				 in_unit(plot->unit, high, arena), marks));
	ts_svg_frame_draw(out, &a.frame);
	for (size_t from = 0; from < plot->n; from = run_end(plot, from)) {
		while (from < plot->n && !drawn(plot, from))
			from++;
		if (from == plot->n)
			break;
		if (plot->width > 1 && run_end(plot, from) - from > 1)
			band(out, &a, from, run_end(plot, from));
		line(out, &a, from, run_end(plot, from));
	}
	for (size_t i = 0; i < events->n; i++)
		if (ts_span_eq(events->items[i].group, plot->group) &&
		    ts_span_eq(events->items[i].subject, plot->subject))
			mark(out, &a, &events->items[i]);
	ts_buf_str(out, "</svg>\n");
	return a.log;
}

/* --- two series --- */

/* Draws a curve as a single series would be drawn, with a CSS class of its own. */
static void curve(struct ts_buf *out, const struct axes *a, const char *class)
{
	const struct ts_plot *plot = a->plot;

	ts_buf_printf(out, "<g class=\"%s\">", class);
	for (size_t from = 0; from < plot->n; from = run_end(plot, from)) {
		while (from < plot->n && !drawn(plot, from))
			from++;
		if (from == plot->n)
			break;
		if (plot->width > 1 && run_end(plot, from) - from > 1)
			band(out, a, from, run_end(plot, from));
		line(out, a, from, run_end(plot, from));
	}
	ts_buf_str(out, "</g>\n");
}

bool ts_svg_curves(struct ts_buf *out, const struct ts_plot *a, const struct ts_plot *b, int64_t split, const char *title,
		   struct ts_arena *arena)
{
	uint64_t cell = ((uint64_t)split - (uint64_t)a->first_step) / a->width;
	struct axes axes;

	if (!axes_of(a, b, arena, &axes))
		return false;
	open_svg(out, HEIGHT, "", title,
		 ts_arena_printf(arena,
				 "%zu cells of %" PRIu64 " steps, from step %" PRId64
				 " on; the runs first differ at step %" PRId64,
				 a->n, a->width, a->first_step, split));
	ts_svg_frame_draw(out, &axes.frame);
	if (split >= a->first_step && cell < a->n) {
		ts_buf_printf(out, "<path class=\"split\" d=\"M%.1f %dV%d\"><title>", cell_x(&axes, (double)cell), TOP,
			      HEIGHT - BOTTOM);
		ts_buf_printf(out, "the runs first differ at step %" PRId64 "</title></path>\n", split);
	}
	curve(out, &axes, b ? "a" : "apart");
	if (b) {
		axes.plot = b;
		curve(out, &axes, "b");
	}
	ts_buf_str(out, "</svg>\n");
	return axes.log;
}

/* --- heat map --- */

/* A value of 1 is equal to the other ranks. The middle class is the noise of a healthy run. */
static int heat_class(double x)
{
	static const double above[] = {0.9, 0.97, 1.03, 1.1, 1.25, 1.5};
	int k = 0;

	while (k < (int)(sizeof above / sizeof above[0]) && x >= above[k])
		k++;
	return k;
}

/* All cells of one class form one path. Neighbours in a row form one rectangle. */
static void heat_cells(struct ts_buf *out, const struct ts_plot *const *rows, size_t n, int class, double height)
{
	bool open = false;

	for (size_t r = 0; r < n; r++) {
		double w = (double)(TS_SVG_WIDTH - HEAT_LABEL) / (double)rows[r]->n;
		size_t end;

		for (size_t i = 0; i < rows[r]->n; i = end) {
			end = i + 1;
			if (!drawn(rows[r], i) || heat_class(rows[r]->mean[i]) != class)
				continue;
			while (end < rows[r]->n && drawn(rows[r], end) && heat_class(rows[r]->mean[end]) == class)
				end++;
			if (!open)
				ts_buf_printf(out, "<path class=\"h%d\" d=\"", class);
			open = true;
			ts_buf_printf(out, "M%.1f %.1fh%.1fv%.1fh-%.1fz", HEAT_LABEL + (double)i * w,
				      (double)r * height, (double)(end - i) * w, height, (double)(end - i) * w);
		}
	}
	if (open)
		ts_buf_str(out, "\"/>\n");
}

void ts_svg_heat(struct ts_buf *out, const struct ts_plot *const *rows, size_t n, const char *title,
		 struct ts_arena *arena)
{
	double height = n ? clamp((double)HEAT_MOST / (double)n, HEAT_LEAST, HEAT_ROW) : 0;
	size_t every = n ? (size_t)ceil(HEAT_ROW / height) : 1;

	if (n == 0)
		return;
	open_svg(out, (int)ceil((double)n * height), "", title,
		 ts_arena_printf(arena, "%zu ranks, one row each: own time divided by the median of all ranks", n));
	for (int class = 0; class < 7; class ++)
		heat_cells(out, rows, n, class, height);
	for (size_t r = 0; r < n; r += every) {
		const char *label = ts_show_text(rows[r]->subject, arena);

		ts_buf_printf(out, "<text class=\"rank\" text-anchor=\"end\" x=\"%d\" y=\"%.1f\">", HEAT_LABEL - 6,
			      fmax(((double)r + 0.5) * height + 5, LABEL_TOP));
		ts_html_text(out, label ? label : "?");
		ts_buf_str(out, "</text>\n");
	}
	ts_buf_str(out, "</svg>\n");
}

/* --- parts --- */

void ts_svg_parts(struct ts_buf *out, const struct ts_svg_part *parts, size_t n, const char *title)
{
	enum { BAR_HEIGHT = 34 };
	double at = 0;

	open_svg(out, BAR_HEIGHT, " preserveAspectRatio=\"none\"", title,
		 "shares of the whole in one bar; the table lists them");
	ts_buf_printf(out, "<rect class=\"rest\" width=\"%d\" height=\"%d\"/>\n", TS_SVG_WIDTH, BAR_HEIGHT);
	for (size_t i = 0; i < n; i++) {
		double share = clamp(parts[i].share, 0, 1 - at);

		if (!(share > 0))
			continue;
		ts_buf_printf(out, "<rect class=\"p%d\" x=\"%.2f\" width=\"%.2f\" height=\"%d\"><title>",
			      parts[i].colour, at * TS_SVG_WIDTH, share * TS_SVG_WIDTH, BAR_HEIGHT);
		ts_html_text(out, parts[i].text ? parts[i].text : parts[i].label);
		if (!parts[i].text)
			ts_buf_printf(out, " %.1f %%", parts[i].share * 100);
		ts_buf_str(out, "</title></rect>\n");
		at += share;
	}
	ts_buf_str(out, "</svg>\n");
}
