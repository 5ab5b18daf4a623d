#include "analysis/rank/floor.h"

#include "analysis/stats/series.h"
#include "analysis/stats/stats.h"

#include <math.h>

void ts_floor_blocks(const double *x, size_t n, size_t blocks, struct ts_floor *ret)
{
	ret->n = blocks;
	for (size_t b = 0; b < blocks; b++) {
		size_t from = ts_block_start(n, blocks, b), to = ts_block_start(n, blocks, b + 1), least = from;

		for (size_t i = from; i < to; i++)
			least = x[i] < x[least] ? i : least;
		ret->y[b] = x[least];
		ret->at[b] = least;
	}
}

/* Returns how far a value must fall at once for a collection: 8 robust deviations of the differences of neighbours, by second
 * differences, which are sampled: a slope has none, however often it changes, and of white noise they are sqrt(3) times as large. */
static double least_drop(const double *x, size_t n, double *scratch)
{
	size_t m = 0;

	for (size_t i = 2; i < n; i += TS_FLOOR_SAMPLED)
		scratch[m++] = fabs(x[i] - 2 * x[i - 1] + x[i - 2]);
	return m ? 8 * TS_MAD_TO_SD / sqrt(3) * ts_median(scratch, m, scratch) : 0;
}

bool ts_floor_cycles(const double *x, size_t n, double *scratch, struct ts_floor *ret)
{
	double drop = least_drop(x, n, scratch);

	ret->n = 0;
	for (size_t i = 1; i < n; i++) {
		bool begins = x[i - 1] - x[i] > drop;

		if (begins && ret->n == TS_FLOOR_MOST)
			return false;
		ret->n += begins;
		if (begins || (ret->n && x[i] < ret->y[ret->n - 1])) {
			ret->y[ret->n - 1] = x[i];
			ret->at[ret->n - 1] = i;
		}
	}
	return ret->n >= TS_FLOOR_CYCLES;
}
