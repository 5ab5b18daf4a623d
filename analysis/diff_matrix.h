/* diff_matrix.h - the first step at which each two of several runs part. */
#ifndef TSCOPE_ANALYSIS_DIFF_MATRIX_H
#define TSCOPE_ANALYSIS_DIFF_MATRIX_H

#include "analysis/diff.h"

enum ts_pair_state {
	TS_PAIR_SAME = 1,   /* one and the same run, or every trajectory series has the same steps and bits, and nothing unknown differs */
	TS_PAIR_PARTS = 2,  /* some trajectory series differs at a step that both have */
	TS_PAIR_EXTENT = 3, /* common steps agree; steps, series or ranks are missing on a side */
	TS_PAIR_COLUMNS = 4, /* the trajectory is the same, a series of unknown role differs */
	TS_PAIR_APART = 5,  /* no trajectory series has a step that both have */
};

struct ts_pair {
	enum ts_pair_state state;
	int64_t step; /* PARTS: the first step at which a trajectory series of a rank of both differs in bits; otherwise 0 */
};

enum { TS_MATRIX_RUNS_MAX = 256 }; /* 32,640 pairs */

struct ts_diff_matrix {
	struct ts_run_ref *runs;
	size_t n;
	struct ts_pair *pairs; /* n * (n - 1) / 2: (0, 1), (0, 2), ... (1, 2), ... */
};

/* Where the pair of i and j lies; i != j, in either order. */
static inline size_t ts_pair_index(size_t n, size_t i, size_t j)
{
	size_t low = i < j ? i : j, high = i < j ? j : i;

	return low * (2 * n - low - 1) / 2 + high - low - 1;
}

static inline const struct ts_pair *ts_matrix_pair(const struct ts_diff_matrix *m, size_t i, size_t j)
{
	return &m->pairs[ts_pair_index(m->n, i, j)];
}

#endif
