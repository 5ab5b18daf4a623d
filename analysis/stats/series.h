/* series.h - the arrays that analyses work on: keys (steps, strictly increasing) and values of the same length. */
#ifndef TSCOPE_ANALYSIS_STATS_SERIES_H
#define TSCOPE_ANALYSIS_STATS_SERIES_H

#include "base/span.h"

struct ts_series {
	struct ts_span name;
	const int64_t *keys;
	const double *values;
	size_t n;
};

#endif
