/* sketch_bound.h - how far rounding may take a tensor, estimated from its type and from where it stands, for those who recorded no run
 * that shows it.
 *
 *	forward		u * (TS_SKETCH_BOUND_BASE + TS_SKETCH_BOUND_STEP * sqrt(place)) * length
 *	backward	the same; place goes on behind the last output
 *	parameters	the same at the place of the last gradient of an output, times |g| / |gradient| where g is the gradient of the
 *			output of its module, and larger: what cancels leaves its rounding
 *	length		1 + log2(elements) / 16: sums of more elements round more often, and are added in a tree
 *
 * u is the unit roundoff of the coarsest type so far. Valid only where both runs had the same parameters and the same batch: in the
 * first step that both recorded, and in those behind it while every sketch is equal. Updates have no bound: an optimizer that
 * divides by
 * a root of squares makes much of little. docs/sketches.md says how the constants were chosen, and how often it is wrong.
 */
#ifndef TSCOPE_ANALYSIS_DIVERGE_SKETCH_BOUND_H
#define TSCOPE_ANALYSIS_DIVERGE_SKETCH_BOUND_H

#include <stdint.h>

#define TS_SKETCH_BOUND_BASE 4.0
#define TS_SKETCH_BOUND_STEP 2.0

/* An update of at least 256 units of its parameter is rounded by this share of itself at most. */
#define TS_SKETCH_UPDATE_UNITS 0x1p-9

/* place: how many tensors were computed before this one. Relative, as a distance. */
double ts_sketch_bound(double roundoff, uint64_t place, uint64_t elements);

#endif
