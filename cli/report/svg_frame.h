/* svg_frame.h - the axes of a figure: their labels stand beside the data, never on it or on each other.
 *
 * A style sheet makes text larger on narrow screens, so room is kept for the largest size. The width of a text is estimated: no font is
 * known here, and digits of usual fonts are narrower than the estimate.
 */
#ifndef TSCOPE_CLI_REPORT_SVG_FRAME_H
#define TSCOPE_CLI_REPORT_SVG_FRAME_H

#include "cli/report/svg.h"

/* Ticks of one axis. place: from 0 at its low end (left, bottom) to 1 at its high end. */
struct ts_svg_marks {
	double place[TS_SVG_TICKS];
	const char *labels[TS_SVG_TICKS];
	size_t n;
};

struct ts_svg_frame {
	double width, height; /* of the figure */
	double font;	      /* the largest size of its text */
	double left, right, top, bottom; /* the rectangle of the data; top is above bottom, so it is smaller */
	double strip;			 /* from the bottom of the data to the horizontal axis */
	struct ts_svg_marks x, y;
};

struct ts_svg_box {
	double left, right, top, bottom;
};

/* Sets left of a frame with all other members so that the labels of the vertical axis fit beside the data. */
void ts_svg_frame_fit(struct ts_svg_frame *frame);
double ts_svg_text_width(const char *text, double font);
/* Where the label of a tick stands. False: it is not drawn, because it would meet the one before it. */
bool ts_svg_label_x(const struct ts_svg_frame *frame, size_t i, struct ts_svg_box *ret_box);
bool ts_svg_label_y(const struct ts_svg_frame *frame, size_t i, struct ts_svg_box *ret_box);
/* Draws lines across the data at the ticks of the vertical axis, both axes, and their labels. It is drawn before the data. */
void ts_svg_frame_draw(struct ts_buf *out, const struct ts_svg_frame *frame);
double ts_svg_frame_x(const struct ts_svg_frame *frame, double place);
double ts_svg_frame_y(const struct ts_svg_frame *frame, double place);

#endif
