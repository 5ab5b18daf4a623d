/* spark.h - a plot of any length as one line of block characters, with its spikes.
 *
 * A column of the line stands for one or several cells of the plot. It shows the mean of their values, or the greatest where that
 * stands out: further above the mean than six robust standard deviations beyond what is usual for the columns of this line.
 * So no spike is lost, and noise hides no slope. Levels go from the least to the greatest that is shown. A column
 * without values is a space; one that has a cell of nothing but NaN and infinities is a cross.
 */
#ifndef TSCOPE_CLI_REPORT_SPARK_H
#define TSCOPE_CLI_REPORT_SPARK_H

#include "analysis/answer/plot.h"

enum {
	TS_SPARK_MAX = 120,  /* columns */
	TS_SPARK_EMPTY = -1, /* levels below 0 */
	TS_SPARK_NONFINITE = -2,
	TS_SPARK_LEVELS = 8,
};

struct ts_spark {
	double low, high; /* of all values; NaN without any */
	size_t n;	  /* columns */
	int levels[TS_SPARK_MAX];
};

/* At most `columns` columns (1 to TS_SPARK_MAX), and no more than the plot has cells. */
struct ts_spark ts_spark_of(const struct ts_plot *plot, size_t columns);
/* The character of a level, UTF-8. */
const char *ts_spark_glyph(int level);

#endif
