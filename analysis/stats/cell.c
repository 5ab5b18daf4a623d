/* cell.c - see cell.h. */
#include "analysis/stats/cell.h"

#include <math.h>

const struct ts_cell ts_cell_open = {.first = NAN, .last = NAN};

static void place(struct ts_cell *cell, double first, double last)
{
	cell->first = first >= cell->first ? cell->first : first; /* they are NaN at first */
	cell->last = last <= cell->last ? cell->last : last;
}

static void take(struct ts_cell *cell, double min, double max)
{
	cell->min = cell->count == 0 || min < cell->min ? min : cell->min;
	cell->max = cell->count == 0 || max > cell->max ? max : cell->max;
}

void ts_cell_add(struct ts_cell *cell, double x, double value)
{
	if (isfinite(x))
		place(cell, x, x);
	if (!isfinite(value)) {
		cell->odd++;
		return;
	}
	take(cell, value, value);
	cell->sum = cell->count ? cell->sum + value : value;
	cell->count++;
}

void ts_cell_join(struct ts_cell *cell, const struct ts_cell *next)
{
	if (!isnan(next->first))
		place(cell, next->first, next->last);
	cell->odd += next->odd;
	if (next->count == 0)
		return;
	take(cell, next->min, next->max);
	cell->sum = cell->count ? cell->sum + next->sum : next->sum;
	cell->count += next->count;
}

double ts_cell_mean(const struct ts_cell *cell)
{
	double mean = cell->count ? cell->sum / (double)cell->count : (double)NAN;

	return isfinite(mean) ? mean : (double)NAN;
}
