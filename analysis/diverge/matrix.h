/* matrix.h - the first step at which each two of several runs differ. */
#ifndef TSCOPE_ANALYSIS_DIVERGE_MATRIX_H
#define TSCOPE_ANALYSIS_DIVERGE_MATRIX_H

#include "analysis/answer/run_ref.h"
#include "base/arena.h"
#include "run/ending.h"

enum ts_pair_state {
	/* One and the same run, or every trajectory series has the same steps and bits, and nothing of unknown role differs. */
	TS_PAIR_SAME = 1,
	TS_PAIR_PARTS = 2,  /* some trajectory series differs at a step that both have */
	TS_PAIR_EXTENT = 3, /* common steps agree; steps, series or ranks are missing on a side */
	TS_PAIR_COLUMNS = 4, /* the trajectory is the same, a series of unknown role differs */
	TS_PAIR_APART = 5,  /* no trajectory series has a step that both have */
};

struct ts_pair {
	enum ts_pair_state state;
	int64_t step; /* PARTS: the first step at which a trajectory series of a rank of both differs in bits; otherwise 0 */
};

enum { TS_MATRIX_RUNS_MAX = 256, TS_MATRIX_PAIRS_MAX = TS_MATRIX_RUNS_MAX * (TS_MATRIX_RUNS_MAX - 1) / 2 };

/* One series that two runs log under two names, as loss and train/loss. */
struct ts_matrix_alias {
	struct ts_span a, b; /* the name in the first of the two runs, and in the second */
};

enum { TS_MATRIX_ALIASES_MAX = 64 };

struct ts_diff_matrix {
	struct ts_run_ref *runs;
	size_t n;
	struct ts_pair *pairs; /* (0, 1), (0, 2), ... (1, 2), ... */
	size_t n_pairs;	       /* n * (n - 1) / 2 */
	struct ts_matrix_alias *aliases; /* in the order in which they were met; what is more than the limit is not listed */
	size_t n_aliases;
	struct ts_ending *endings; /* how each run ended */
	size_t n_endings;	   /* n; 0: nobody looked */
};

const char *ts_pair_word(enum ts_pair_state state); /* "same", "parts", "extent", "columns", "apart" */

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

/* Groups of runs each two of which are SAME: the number of its group for every run, counted from 0 in order of their first
 * runs. A run joins the first group that it is the same as all of. False when the arena is full. */
bool ts_matrix_groups(const struct ts_diff_matrix *m, struct ts_arena *arena, size_t **ret_groups, size_t *ret_n);

/* What the pairs come to. */
struct ts_matrix_tally {
	enum ts_diff_verdict verdict; /* SAME: all pairs; DIFFERENT: some pair differs */
	size_t pairs, same, parts;
	int64_t first_step, last_step; /* parts > 0: the least and the greatest first step of a pair that differs */
	size_t first_a, first_b, last_a, last_b; /* a pair that does, the first in order */
};
struct ts_matrix_tally ts_matrix_count(const struct ts_diff_matrix *m);

#endif
