/* chart_band.h - the spread of several lines of a chart: of each column of the picture the median of the runs, and a range around it.
 *
 * A run counts in a column with the mean of its values there, or, between two columns that its line joins, with the value of the line.
 * Where fewer than two runs count there is no band. The range is from the least to the greatest run; of ten runs or more it is from the
 * 10 % to the 90 % quantile (Hyndman and Fan's type 7).
 */
#ifndef TSCOPE_ANALYSIS_ANSWER_CHART_BAND_H
#define TSCOPE_ANALYSIS_ANSWER_CHART_BAND_H

#include "analysis/answer/chart.h"

enum { TS_BAND_DECILES_FROM = 10 };

struct ts_chart_band {
	double *low, *middle, *high; /* of each column; NaN where no run counts, low and high also where only one does */
	size_t runs;		     /* that are drawn */
	size_t most, least; /* runs that count in the column with most and in that with fewest of them, but at least one */
	bool deciles;
};

/* lines: places in chart->lines, n of them. */
enum ts_status ts_chart_band_of(const struct ts_chart *chart, const size_t *lines, size_t n, struct ts_arena *arena,
				struct ts_chart_band *ret_band, struct ts_error *err);

#endif
