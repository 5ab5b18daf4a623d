#include "analysis/rank/epochs.h"

#include "base/door.h"

#include <math.h>

static const double ROUNDED = 1e-6; /* of an epoch: what a sum of fractions may exceed a whole number by */

static bool all_whole(const struct ts_series *column)
{
	for (size_t i = 0; i < column->n; i++)
		if (isfinite(column->values[i]) && column->values[i] != floor(column->values[i]))
			return false;
	return true;
}

enum ts_status ts_epochs_of_column(const struct ts_series *column, struct ts_arena *arena, int64_t **ret_steps, size_t *ret_n,
				   struct ts_error *err)
{
	bool whole = all_whole(column);
	double before = INFINITY;

	TS_DOOR(ts_series_holds(column));
	*ret_n = 0;
	*ret_steps = ts_arena_array(arena, column->n, sizeof **ret_steps);
	if (!*ret_steps)
		return ts_arena_error(arena, err);
	for (size_t i = 0; i < column->n; i++) {
		double epoch = whole ? column->values[i] : ceil(column->values[i] - ROUNDED);

		if (!isfinite(epoch))
			continue;
		if (epoch > before)
			(*ret_steps)[(*ret_n)++] = column->keys[i];
		before = epoch;
	}
	return TS_OK;
}

enum ts_status ts_epochs_of_length(const int64_t *steps, size_t n, uint64_t length, struct ts_arena *arena, int64_t **ret_steps,
				   size_t *ret_n, struct ts_error *err)
{
	int64_t from = n && steps[0] == 1;

	*ret_n = 0;
	*ret_steps = ts_arena_array(arena, n, sizeof **ret_steps);
	if (!*ret_steps)
		return ts_arena_error(arena, err);
	for (size_t i = 1; i < n; i++)
		if (steps[i] >= from && (uint64_t)(steps[i] - from) % length == 0)
			(*ret_steps)[(*ret_n)++] = steps[i];
	return TS_OK;
}
