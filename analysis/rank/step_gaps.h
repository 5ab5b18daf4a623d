/* step_gaps.h - steps that are missing in a series which otherwise has a value at every step, or at every k-th.
 *
 * The usual distance of a series is the one between most of its neighbours. A gap is a distance of twice that or more. A series of at
 * least TS_GAP_LEAST values is regular where nine of ten distances are the usual one; a series that is not has no gaps, for nobody can
 * say which steps it lacks. Before and behind the longest gap TS_GAP_BESIDE values have to lie at the usual distance: a logger that
 * begins densely and goes on seldom has no gap there. Threads: any.
 */
#ifndef TSCOPE_ANALYSIS_RANK_STEP_GAPS_H
#define TSCOPE_ANALYSIS_RANK_STEP_GAPS_H

#include <stddef.h>
#include <stdint.h>

enum { TS_GAP_LEAST = 20, TS_GAP_BESIDE = 5 };

struct ts_step_gaps {
	uint64_t gaps;	   /* 0: none, or the series is not regular */
	uint64_t missing;  /* values in all of them, at the usual distance */
	uint64_t longest;  /* values in the longest one, */
	int64_t from, to;  /* at the steps from here to here */
	int64_t every;	   /* the usual distance */
};

/* The steps ascend. */
void ts_step_gaps_find(const int64_t *steps, size_t n, struct ts_step_gaps *ret_gaps);

#endif
