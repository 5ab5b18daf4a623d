/* chart_page.h - a chart as a page, and its figure alone. */
#ifndef TSCOPE_CLI_REPORT_CHART_PAGE_H
#define TSCOPE_CLI_REPORT_CHART_PAGE_H

#include "cli/report/chart_view.h"
#include "cli/report/svg_frame.h"

enum {
	TS_CHART_PAGE_COLUMNS = 720, /* columns of pixels that the figure of a page shows */
	TS_CHART_COLOURS = 8,	     /* classes l0 to l7 and f0 to f7 of the style sheet: of lines, and of areas and text */
};

/* A figure is drawn for wide screens and for phones; the style sheet shows one of them. */
enum ts_chart_shape { TS_CHART_WIDE, TS_CHART_NARROW };

/* The axes of the figure of a view. */
struct ts_svg_frame ts_svg_chart_frame(const struct ts_chart_view *view, enum ts_chart_shape which, struct ts_arena *arena);
/* The letter of a line stands right of the data, and a leader goes to it from the line's end. */
struct ts_svg_letter {
	size_t line;
	double end, y; /* of the line, and of the middle of the letter */
	struct ts_svg_box box;
};
/* Places the letters of the lines, from the top down; none if there is no room for all. */
enum ts_status ts_svg_chart_letters(const struct ts_chart_view *view, const struct ts_svg_frame *frame, struct ts_arena *arena,
				    struct ts_svg_letter **ret_letters, size_t *ret_n, struct ts_error *err);
/* Draws all lines, their bands and marks over the axes, and the letters: in both figures, of which the second has the curves of the
 * first. */
enum ts_status ts_svg_chart(struct ts_buf *out, const struct ts_chart_view *view, struct ts_arena *arena, struct ts_error *err);
/* A short line drawn as that one is, with its band, for a legend. */
void ts_svg_chart_sample(struct ts_buf *out, const struct ts_chart_view *view, size_t line);

/* The whole page; what is a struct ts_chart_view. It fits ts_page_fn. */
enum ts_status ts_chart_page(const void *what, struct ts_arena *arena, struct ts_buf *out, struct ts_error *err);

#endif
