/* layers.h - which layers of a model take most time, by what the recorder measured of each at some steps (`run.layers`).
 *
 *	ts_layers_rows(layers, n, arena, measures, err)
 *
 * A layer's time is that of its forward and its backward, each the median over the steps at which it was measured, so that the first
 * step, which compiles and allocates, does not decide. Shares are of the time of all layers, which is not that of the step: layers run
 * beside others on a device, and what is no layer is in none. Pure.
 */
#ifndef TSCOPE_ANALYSIS_RANK_LAYERS_H
#define TSCOPE_ANALYSIS_RANK_LAYERS_H

#include "analysis/answer/measure.h"

enum { TS_LAYERS_SHOWN = 5 };

struct ts_layer {
	struct ts_span name;	     /* "encoder.3" */
	double forward_s, backward_s; /* medians; NaN: not measured */
	uint64_t steps;		     /* at which its forward, or else its backward, was measured */
};

/* Adds the rows of the layers that take most, TS_LAYERS_SHOWN of them, and how many there are; none if n = 0. Reorders layers. */
enum ts_status ts_layers_rows(struct ts_layer *layers, size_t n, struct ts_arena *arena, struct ts_measures *m, struct ts_error *err);

#endif
