/* input_shapes.h - the shapes of inputs of an operator, as the profiler writes them: "[[2,3],[3,4],[]]". Threads: safe. */
#ifndef TSCOPE_ANALYSIS_TRACE_WORK_INPUT_SHAPES_H
#define TSCOPE_ANALYSIS_TRACE_WORK_INPUT_SHAPES_H

#include "base/span.h"

enum { TS_SHAPE_DIMENSIONS = 8 };

struct ts_input_shape {
	uint64_t at[TS_SHAPE_DIMENSIONS];
	size_t n;
};

/* The shapes of the first n inputs. False: there are fewer, or one of them is something else than a tensor of so few dimensions. */
bool ts_input_shapes(struct ts_span text, struct ts_input_shape *ret, size_t n);

#endif
