/* svg.h - the figures of a page as SVG: a series with its range and events, a heat map of ranks, a bar of shares.
 *
 * The figures need no script, and the page must not load anything; so no library is used. Each figure is 640 units wide and
 * fills the width of its place on the page; svg_frame.h keeps labels off the data. Colours, and text sizes for narrow screens, are
 * classes of the page's style sheet. Every figure has a title and a description for screen readers. Foreign text is escaped; NaN and
 * infinities never become coordinates.
 */
#ifndef TSCOPE_CLI_REPORT_SVG_H
#define TSCOPE_CLI_REPORT_SVG_H

#include "analysis/answer/event.h"
#include "analysis/answer/plot.h"
#include "base/buf.h"
#include "cli/view/html.h"

enum { TS_SVG_WIDTH = 640, TS_SVG_TICKS = 12 };

/* Finds round numbers (1, 2 or 5 times a power of ten) from low to high, at most `most` (2 to TS_SVG_TICKS), and returns how many.
 * It returns 0 if low or high is not finite or low is not below high. */
size_t ts_svg_ticks(double low, double high, size_t most, double ret_ticks[TS_SVG_TICKS]);

/* Draws the mean of each cell as a line over the range from its least to its greatest value, and events as marks that say what they
 * are when pointed at. The scale is logarithmic where the values are above zero and span more than two decades; the function then
 * returns true. A plot without a finite value draws nothing. The arena holds working memory. */
bool ts_svg_series(struct ts_buf *out, const struct ts_plot *plot, const struct ts_events *events, const char *title,
		   struct ts_arena *arena);

/* Draws two series of one grid in one figure (b NULL: a alone), with a line where they begin to differ. Returns true if the scale
 * is logarithmic, as above. */
bool ts_svg_curves(struct ts_buf *out, const struct ts_plot *a, const struct ts_plot *b, int64_t split, const char *title,
		   struct ts_arena *arena);

/* Draws a heat map with one row per plot and one column per cell. The plots must have cells of one grid (first step, width). The
 * colour shows the mean of the cell: below, at or above 1. */
void ts_svg_heat(struct ts_buf *out, const struct ts_plot *const *rows, size_t n, const char *title, struct ts_arena *arena);

struct ts_svg_part {
	const char *label;
	double share; /* a part whose share is not above 0 is left out */
	int colour;   /* class "p0" to "p11" */
	const char *text; /* what it says when the pointer is there; NULL: its label and share */
};

/* Draws a bar of parts side by side; a share of 1 is the whole width. */
void ts_svg_parts(struct ts_buf *out, const struct ts_svg_part *parts, size_t n, const char *title);

#endif
