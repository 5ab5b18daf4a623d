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

/* Its keys increase. */
static inline bool ts_series_holds(const struct ts_series *s)
{
	for (size_t i = 0; i < s->n; i++)
		if ((i && s->keys[i - 1] >= s->keys[i]) || !s->values)
			return false;
	return true;
}

/* The number of steps between two keys, from <= to; the difference of two of them may be too large for an int64_t. */
static inline double ts_key_distance(int64_t from, int64_t to)
{
	return (double)((uint64_t)to - (uint64_t)from);
}

/* Leaves out what lies before the step. */
static inline void ts_series_from(struct ts_series *io, int64_t step)
{
	while (io->n && io->keys[0] < step) {
		io->keys++;
		io->values++;
		io->n--;
	}
}

/* The first of n values that lies in block b of `blocks`: n * b / blocks without overflow. */
static inline size_t ts_block_start(size_t n, size_t blocks, size_t b)
{
	return n / blocks * b + n % blocks * b / blocks;
}

#endif
