#include "cli/report/svg_frame.h"

#include "base/text.h"

enum { TICK = 5, GAP = 8 };

/* Shares of the size of a font: the mean width of its characters, and how far they reach above and below their line. */
#define WIDTH 0.62
#define ASCENT 0.78
#define DESCENT 0.24

double ts_svg_text_width(const char *text, double font)
{
	return ts_text_width(ts_span_str(text)) * font * WIDTH;
}

void ts_svg_frame_fit(struct ts_svg_frame *frame)
{
	double widest = 0;

	for (size_t i = 0; i < frame->y.n; i++)
		widest = fmax(widest, ts_svg_text_width(frame->y.labels[i], frame->font));
	frame->left = widest + GAP;
}

double ts_svg_frame_x(const struct ts_svg_frame *frame, double place)
{
	return frame->left + place * (frame->right - frame->left);
}

double ts_svg_frame_y(const struct ts_svg_frame *frame, double place)
{
	return frame->bottom - place * (frame->bottom - frame->top);
}

/* A label at the end of the axis is moved into the figure. */
static struct ts_svg_box box_x(const struct ts_svg_frame *frame, size_t i)
{
	double wide = ts_svg_text_width(frame->x.labels[i], frame->font);
	double left = fmin(fmax(ts_svg_frame_x(frame, frame->x.place[i]) - wide / 2, 0), frame->width - wide);
	double line = frame->bottom + frame->strip + GAP + frame->font * ASCENT;

	return (struct ts_svg_box){left, left + wide, line - frame->font * ASCENT, line + frame->font * DESCENT};
}

bool ts_svg_label_x(const struct ts_svg_frame *frame, size_t i, struct ts_svg_box *ret_box)
{
	double free_from = 0;

	for (size_t k = 0; k <= i; k++) {
		struct ts_svg_box box = box_x(frame, k);
		bool fits = box.left >= free_from;

		if (k == i) {
			*ret_box = box;
			return fits;
		}
		free_from = fits ? box.right + frame->font / 2 : free_from;
	}
	return false;
}

/* The middle of a label stands at its tick, but no part of it below the axis. */
static struct ts_svg_box box_y(const struct ts_svg_frame *frame, size_t i)
{
	double high = frame->font * (ASCENT + DESCENT);
	double top = fmin(fmax(ts_svg_frame_y(frame, frame->y.place[i]) - high / 2, 0), frame->bottom - high + TICK);
	double right = frame->left - GAP;

	return (struct ts_svg_box){right - ts_svg_text_width(frame->y.labels[i], frame->font), right, top, top + high};
}

bool ts_svg_label_y(const struct ts_svg_frame *frame, size_t i, struct ts_svg_box *ret_box)
{
	double free_to = frame->height;

	for (size_t k = 0; k <= i; k++) {
		struct ts_svg_box box = box_y(frame, k);
		bool fits = box.bottom <= free_to;

		if (k == i) {
			*ret_box = box;
			return fits;
		}
		free_to = fits ? box.top : free_to;
	}
	return false;
}

static void y_axis(struct ts_buf *out, const struct ts_svg_frame *frame)
{
	struct ts_svg_box box;

	for (size_t i = 0; i < frame->y.n; i++) {
		ts_buf_printf(out, "<path class=\"grid\" d=\"M%.1f %.1fH%.1f\"/>", frame->left,
			      ts_svg_frame_y(frame, frame->y.place[i]), frame->right);
		if (!ts_svg_label_y(frame, i, &box))
			continue;
		/* Centred in its box, whatever the size of the text is. */
		ts_buf_printf(out, "<text text-anchor=\"end\" x=\"%.1f\" y=\"%.1f\" dy=\".27em\">", box.right,
			      (box.top + box.bottom) / 2);
		ts_html_text(out, frame->y.labels[i]);
		ts_buf_str(out, "</text>\n");
	}
}

static void x_axis(struct ts_buf *out, const struct ts_svg_frame *frame)
{
	double axis = frame->bottom + frame->strip;
	struct ts_svg_box box;

	ts_buf_printf(out, "<path class=\"axis\" d=\"M%.1f %.1fH%.1f\"/>", frame->left, axis, frame->right);
	for (size_t i = 0; i < frame->x.n; i++) {
		ts_buf_printf(out, "<path class=\"axis\" d=\"M%.1f %.1fv%d\"/>", ts_svg_frame_x(frame, frame->x.place[i]), axis, TICK);
		if (!ts_svg_label_x(frame, i, &box))
			continue;
		/* What was moved to an edge stays there, also where the text is smaller than its box. */
		if (box.left <= 0)
			ts_buf_str(out, "<text class=\"x\" x=\"0\"");
		else if (box.right >= frame->width)
			ts_buf_printf(out, "<text class=\"x\" text-anchor=\"end\" x=\"%.1f\"", frame->width);
		else
			ts_buf_printf(out, "<text class=\"x\" text-anchor=\"middle\" x=\"%.1f\"", (box.left + box.right) / 2);
		ts_buf_printf(out, " y=\"%.1f\">", box.top + frame->font * ASCENT);
		ts_html_text(out, frame->x.labels[i]);
		ts_buf_str(out, "</text>\n");
	}
}

void ts_svg_frame_draw(struct ts_buf *out, const struct ts_svg_frame *frame)
{
	y_axis(out, frame);
	x_axis(out, frame);
}
