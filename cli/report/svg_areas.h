/* svg_areas.h - parts of a whole over an axis, as areas that lie on each other, with a line over them, and marks.
 *
 * No script: what is to be said of a place is the title of the stretch of the axis that it lies in, which a browser shows when the
 * pointer is there.
 */
#ifndef TSCOPE_CLI_REPORT_SVG_AREAS_H
#define TSCOPE_CLI_REPORT_SVG_AREAS_H

#include "analysis/answer/measure_name.h"
#include "base/buf.h"

enum { TS_AREAS_PARTS = 12 };

/* A line across the figure at x, or what is said of the axis from x to end. */
struct ts_areas_mark {
	double x, end;
	const char *text;
	int row;      /* of a stretch that is drawn below the data: 0 is the upper one */
	bool serious; /* of a line: it has the colour of what is wrong */
};

struct ts_areas {
	const char *parts[TS_AREAS_PARTS]; /* the lowest first */
	int colours[TS_AREAS_PARTS];	   /* class "p0" to "p11" */
	size_t n_parts;
	enum ts_unit unit;
	double first, last;   /* of the axis; first is below last */
	const char *x_title;  /* "events" */
	const double *x;      /* ascending; n places */
	const double *values; /* n rows of n_parts, none below 0 */
	size_t n;
	const double *line; /* n values; NULL: none */
	const char *line_name;
	const struct ts_areas_mark *lines; /* across the figure */
	size_t n_lines;
	const struct ts_areas_mark *stretches; /* drawn below the data */
	size_t n_stretches;
	int n_rows; /* of them */
	const struct ts_areas_mark *says; /* shown when the pointer is there; they cover the data side by side */
	size_t n_says;
};

/* The figure, and below it what its colours mean. Nothing without a value. */
void ts_svg_areas(struct ts_buf *out, const struct ts_areas *areas, const char *title, struct ts_arena *arena);

#endif
