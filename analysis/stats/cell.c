/* cell.c - see cell.h. */
#include "analysis/stats/cell.h"

#include <math.h>
#include <stdbool.h>
#include <string.h>

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

/* Chains of operations that do not wait for each other are several times as fast as one. */
enum { LANES = 4 };

/* The cell of n values, which is a multiple of LANES. False: some of them are not finite, or their sum is not. */
static bool take_lanes(const double *values, size_t n, struct ts_cell *ret_cell)
{
	struct ts_cell cell = ts_cell_open;
	double sum[LANES], min[LANES], max[LANES];

	memcpy(sum, values, sizeof sum);
	memcpy(min, values, sizeof min);
	memcpy(max, values, sizeof max);
	for (size_t i = LANES; i < n; i += LANES)
#pragma GCC unroll 4
		for (size_t k = 0; k < LANES; k++) {
			double v = values[i + k];

			sum[k] += v;
			min[k] = v < min[k] ? v : min[k];
			max[k] = v > max[k] ? v : max[k];
		}
	for (size_t k = 0; k < LANES; k++) {
		take(&cell, min[k], max[k]);
		cell.sum = cell.count ? cell.sum + sum[k] : sum[k];
		cell.count += n / LANES;
	}
	*ret_cell = cell;
	return isfinite(cell.sum);
}

struct ts_cell ts_cell_of(const double *values, size_t n, double first, double last)
{
	struct ts_cell cell = ts_cell_open;
	size_t done = n / LANES * LANES;

	if (done && !take_lanes(values, done, &cell)) {
		cell = ts_cell_open;
		done = 0;
	}
	for (size_t i = done; i < n; i++)
		ts_cell_add(&cell, first, values[i]);
	if (n)
		place(&cell, first, last);
	return cell;
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
