/* diff_view.h - which part of a diff the options ask for, and the row that decides. */
#ifndef TSCOPE_CLI_CORE_DIFF_VIEW_H
#define TSCOPE_CLI_CORE_DIFF_VIEW_H

#include "analysis/diverge/diff.h"

struct ts_diff_view {
	bool first; /* only the first step at which they part */
	bool all;
};

/* The row that decides: the first that parts and is no observation. NULL without one. */
const struct ts_series_row *ts_diff_first(const struct ts_diff *diff);

#endif
