/* outcomes.h - what two runs came to, side by side, from their reductions.
 *
 *	ts_outcomes_of(&a, &b, arena, &items, &n, err)
 *
 * Rows: loss (mean of the last tenth), best loss, mean and median step time, steps and tokens per second, peak memory, MFU, steps,
 * wall time. A row that neither run has is left out. Times of two sources (timestamps, phases) are not compared, and neither are
 * two MFUs whose peak or FLOP convention differs.
 *
 * The noise of a change is the half width of a 95 % interval by Welch's t, from the standard errors within both runs (reduction.h): it
 * says whether a difference stands out from how steps vary, not whether a run of the same code would differ by less. `quality outcomes`
 * measures how often it holds.
 */
#ifndef TSCOPE_ANALYSIS_GATE_OUTCOMES_H
#define TSCOPE_ANALYSIS_GATE_OUTCOMES_H

#include "analysis/answer/outcome.h"
#include "analysis/gate/reduction.h"

struct ts_outcome_of {
	const struct ts_reduction *reduction;
	uint64_t steps; /* that the run recorded */
};

/* items lie in the arena; their texts point into it, into the reductions, or are constant. */
enum ts_status ts_outcomes_of(const struct ts_outcome_of *a, const struct ts_outcome_of *b, struct ts_arena *arena,
			      struct ts_outcome **ret_items, size_t *ret_n, struct ts_error *err);

/* Sets what an outcome says of both values, which are known: the change, and its noise. */
void ts_outcome_compare(const struct ts_reduced *a, const struct ts_reduced *b, struct ts_outcome *io);

#endif
