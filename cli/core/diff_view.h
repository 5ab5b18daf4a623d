/* diff_view.h - which part of a diff the options ask for, and the row that decides. */
#ifndef TSCOPE_CLI_CORE_DIFF_VIEW_H
#define TSCOPE_CLI_CORE_DIFF_VIEW_H

#include "analysis/diverge/diff.h"

struct ts_diff_view {
	bool first; /* show only the first step at which the runs differ */
	bool all;   /* show every row */
};

/* The row that decides the verdict: the first that differs and is not an observation. NULL if there is none. */
const struct ts_series_row *ts_diff_first(const struct ts_diff *diff);

#endif
