/* svg.h - the figures of a page as SVG: a series with its range and events, a heat map of ranks, a bar of shares.
 *
 * Ours, and no library: three figures that need no script, and a page that must not load anything. Each is
 * 640 wide in its own units and as wide as its place on the page; colours, and sizes of text for narrow screens, are classes of
 * the page's style sheet. Every figure has a title and a description for those who do not see it. Foreign text is escaped; a
 * value that is no number is never a coordinate.
 */
#ifndef TSCOPE_CLI_REPORT_SVG_H
#define TSCOPE_CLI_REPORT_SVG_H

#include "analysis/answer/event.h"
#include "analysis/answer/plot.h"
#include "base/buf.h"

enum { TS_SVG_WIDTH = 640, TS_SVG_TICKS = 12 };

/* Text between tags or in a quoted attribute. */
void ts_html_text(struct ts_buf *out, const char *text);

/* Round numbers (1, 2, 5 times a power of ten) from low to high, at most `most` (2 to TS_SVG_TICKS); how many. 0 where the ends are
 * not finite or low is not below high. */
size_t ts_svg_ticks(double low, double high, size_t most, double ret_ticks[TS_SVG_TICKS]);

/* The mean of each cell as a line over the range from its least to its greatest value; events as marks that say what they are when
 * pointed at. Logarithmic where the values are above zero and span more than two decades: true. Nothing is drawn for a
 * plot without a finite value; arena holds what is worked with. */
bool ts_svg_series(struct ts_buf *out, const struct ts_plot *plot, const struct ts_events *events, const char *title,
		   struct ts_arena *arena);

/* Two series of one grid over each other (b NULL: a alone), with a line where they part; logarithmic as above: true. */
bool ts_svg_curves(struct ts_buf *out, const struct ts_plot *a, const struct ts_plot *b, int64_t split, const char *title,
		   struct ts_arena *arena);

/* A row a plot, a column a cell; plots must have cells of one grid (first step, width). The colour is the mean: below, at or
 * above 1. */
void ts_svg_heat(struct ts_buf *out, const struct ts_plot *const *rows, size_t n, const char *title, struct ts_arena *arena);

struct ts_svg_part {
	const char *label;
	double share; /* what is not above 0 is left out */
	int colour;   /* class "p0" to "p7" */
};

/* Parts side by side; a share of 1 is the whole width. */
void ts_svg_parts(struct ts_buf *out, const struct ts_svg_part *parts, size_t n, const char *title);

#endif
