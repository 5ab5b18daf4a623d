/* sketch_group.h - what a whole group of tensors has in common where two runs part: a factor, the gradients of the step before, or an
 * optimizer that is set otherwise for some parameters.
 *
 *	gradients	all of one run are one factor times those of the other	the loss is scaled
 *	clipped		those of parameters are, while those of outputs agree	they are scaled before the optimizer's step
 *	accumulated	those of parameters hold those of the step before	zero_grad is left out
 *	updates		all are one factor times the others, gradients agree	the learning rate
 *	settings	some differ though their gradients are equal to the bit	a group of the optimizer's
 *	outliers	most of parameters are one factor times, some are not	these, and clipping scales the rest
 *
 * A factor f counts where what is left of every tensor, |b - f a| / |b|, is below a twentieth of |f - 1|, and rounding below a
 * hundredth
 * of it in half of the group at least. So small a factor as 1.0007 is seen, which no tensor shows by its distance alone.
 * Threads: any.
 */
#ifndef TSCOPE_ANALYSIS_DIVERGE_SKETCH_GROUP_H
#define TSCOPE_ANALYSIS_DIVERGE_SKETCH_GROUP_H

#include "analysis/diverge/sketch_tensor.h"

/* Gradients of parameters in the step before, in the order of the first run; n is 0 where that step was not sketched. */
struct ts_sketch_before {
	struct ts_span *names;
	struct tscope_sketch *a, *b;
	size_t n;
};

struct ts_sketch_found {
	enum ts_sketch_group group; /* TS_SKETCH_ALONE: none */
	size_t first;		    /* the row that it begins with */
	double factor;		    /* of the second run's over the first's; NaN where there is none */
	double norm_a, norm_b;	    /* of all gradients of parameters */
	bool in_first;		    /* it is the first run that has what should not be there */
	double rounding;	    /* that was left to the first; 0: what was measured of it */
	uint64_t n, of;		    /* tensors that have it, and that there are of their kind */
};

/* rows are judged, in order; first is the first of them that is above rounding, n if there is none. */
void ts_sketch_group_find(struct ts_sketch_tensor *const *tensors, const struct ts_sketch_row *rows, size_t n, size_t first,
			  const struct ts_sketch_before *before, struct ts_sketch_found *ret);

/* "all gradients of the second run are 192 times those of the first, at step 3", and what does that; NULL: the arena is full. */
const char *ts_sketch_group_claims(const struct ts_sketch_found *found, const struct ts_sketch_row *row, struct ts_arena *arena);
const char *ts_sketch_group_why(const struct ts_sketch_found *found, struct ts_arena *arena);

#endif
