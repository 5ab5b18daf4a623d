/* pattern_factor.h - the loss and the gradient norm of one run are those of the other times one number: the objective, or its gradient,
 * is multiplied.
 *
 * A loss that is summed over 8 micro-batches or ranks instead of averaged is 8 times as large, and so is its gradient; a gradient that
 * is summed instead of averaged, or logged before it was unscaled, is so beside an equal loss. A whole number (or one over it) at the
 * first step that both have is enough, because the training goes another way from there on; any other number counts only where it
 * holds at every step. Under optimizers that scale their updates, as Adam does, both runs may stay together for long.
 */
#ifndef TSCOPE_ANALYSIS_DIVERGE_PATTERN_FACTOR_H
#define TSCOPE_ANALYSIS_DIVERGE_PATTERN_FACTOR_H

#include "analysis/diverge/evidence.h"

enum ts_factor_of {
	TS_FACTOR_NONE = 0,
	TS_FACTOR_OBJECTIVE = 1, /* loss and gradient norm */
	TS_FACTOR_GRADIENT = 2,	 /* the gradient norm alone; the loss agrees at the first step */
};

struct ts_pattern_factor {
	enum ts_factor_of of;
	double factor;	  /* at least 1 */
	bool whole;	  /* a whole number */
	bool second;	  /* the second run has the greater values; else the first */
	bool throughout;  /* at every step that was looked at; else at the first */
	uint64_t points;  /* steps that were looked at; if throughout */
	int64_t step;	  /* the first */
	/* A recorded number that differs by the same factor: accumulation steps, ranks, a loss scale. NULL: none does. */
	const struct ts_fact_row *fact;
};

struct ts_pattern_factor ts_pattern_factor_find(const struct ts_evidence *e);

#endif
