#include "cli/core/diff_view.h"

const struct ts_series_row *ts_diff_first(const struct ts_diff *diff)
{
	for (size_t i = 0; i < diff->n_series; i++)
		if (diff->series[i].state == TS_SERIES_PARTS && diff->series[i].role != TS_ROLE_OBSERVATION)
			return &diff->series[i];
	return NULL;
}
