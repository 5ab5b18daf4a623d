/* m4.h - a series of any length reduced to what a picture of it can show: the first, last, least and greatest point of each column
 * of pixels.
 *
 * A line through these four points covers the same pixels as a line through all points of the column (Jugel, Jerzak, Hackenbroich
 * and Markl, M4: a visualization-oriented time series data aggregation, VLDB 2014). Points may come in any order; they are drawn in
 * the order of x, and at one x as they came. A point without a place on the picture (NaN, an infinity) and a gap break the line: it
 * never passes over a break. If a column has a break between two of its four points, the other points between them are not drawn.
 */
#ifndef TSCOPE_ANALYSIS_STATS_M4_H
#define TSCOPE_ANALYSIS_STATS_M4_H

#include "base/arena.h"

enum { TS_M4_COLUMNS_MAX = 1024 };

/* The horizontal axis of a picture: n columns of equal width from low to high; of equal ratio if log is set, and low is above 0. */
struct ts_m4_grid {
	double low, high; /* finite; the columns of equal values of both all lie in the first */
	size_t n;	  /* 1 to TS_M4_COLUMNS_MAX */
	bool log;
};

/* The column of x; the nearest one if x lies outside of the grid. */
size_t ts_m4_column(const struct ts_m4_grid *grid, double x);

struct ts_m4_point {
	double x, y;
	uint64_t at; /* its place among all that was added */
};

struct ts_m4_column {
	bool any, broken;
	struct ts_m4_point first, last, least, greatest; /* if any */
	double mean;
	uint64_t n;
	struct ts_m4_point break_first, break_last; /* if broken; y is not used */
};

struct ts_m4 {
	struct ts_m4_grid grid;
	struct ts_m4_column *columns;
	uint64_t at;
};

/* The points to draw, in order. Where y is NaN the line is interrupted; such an entry never stands first, last or twice. */
struct ts_m4_path {
	double *x, *y;
	size_t n;
};

enum ts_status ts_m4_begin(struct ts_m4 *m4, const struct ts_m4_grid *grid, struct ts_arena *arena, struct ts_error *err);
/* x and y are finite. */
void ts_m4_add(struct ts_m4 *m4, double x, double y);
/* Interrupts the line at x, after the points of the same x that were added before. */
void ts_m4_break(struct ts_m4 *m4, double x);
enum ts_status ts_m4_path(const struct ts_m4 *m4, struct ts_arena *arena, struct ts_m4_path *ret_path, struct ts_error *err);

#endif
