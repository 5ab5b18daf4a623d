/* spark.h - draws a plot of any length as one line of block characters (a sparkline), without losing its spikes.
 *
 * A column of the line stands for one or several cells of the plot. It shows the mean of their values; it shows their maximum
 * instead if the maximum exceeds the mean by more than is usual for the columns of this line plus six robust standard
 * deviations. So no spike is lost, and noise hides no slope. The levels range from the least to the greatest value shown. A
 * column without values is a space; a column with a cell that has only NaN and infinities is a cross.
 */
#ifndef TSCOPE_CLI_REPORT_SPARK_H
#define TSCOPE_CLI_REPORT_SPARK_H

#include "analysis/answer/plot.h"

enum {
	TS_SPARK_MAX = 120,  /* columns */
	TS_SPARK_EMPTY = -1, /* levels below 0 have no height: no value here */
	TS_SPARK_NONFINITE = -2,
	TS_SPARK_LEVELS = 8,
};

struct ts_spark {
	double low, high; /* range of all values; NaN if there is none */
	size_t n;	  /* columns */
	int levels[TS_SPARK_MAX];
};

/* The sparkline has at most `columns` columns (1 to TS_SPARK_MAX), and no more than the plot has cells. */
struct ts_spark ts_spark_of(const struct ts_plot *plot, size_t columns);
/* The character for a level, as UTF-8. */
const char *ts_spark_glyph(int level);

#endif
