/* sketch_tensor.h - one tensor of a step as the runs that are compared have it: what sketch_diff.c fills, and sketch_group.c reads.
 *
 * Memory is the walk's scratch: valid until its next step.
 */
#ifndef TSCOPE_ANALYSIS_DIVERGE_SKETCH_TENSOR_H
#define TSCOPE_ANALYSIS_DIVERGE_SKETCH_TENSOR_H

#include "analysis/diverge/sketch_diff.h"

/* What one run has of a tensor. */
struct ts_sketch_held {
	bool has, whole;
	bool idle;	     /* its module gave its input */
	struct ts_span same; /* the module that gave this tensor before; empty: the run has a sketch of its own */
	uint32_t records;    /* that were added up */
	int32_t rank;	     /* the lowest: where it stands in order of execution */
	uint64_t ordinal;    /* on that rank */
	struct ts_span dtype;
	struct tscope_sketch *sketch;
};

struct ts_sketch_tensor {
	struct ts_span name, kind;
	uint64_t occurrence;
	uint32_t called; /* the number of its name and kind */
	enum ts_sketch_part part;
	const struct ts_sketch_tensor *through; /* of the gradient of a parameter: that of its module's output; else NULL */
	struct ts_sketch_held of[TS_SKETCH_SIDES];
	double measured; /* how far rounding goes, without room for jumps; NaN: not known */
	double limit;	 /* of a ratio; NaN where measured is */
};

#endif
