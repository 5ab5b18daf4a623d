/* operator_arguments.h - what the profiler wrote of the inputs of one operator: "Input Dims", "Input type" and "Concrete Inputs", read.
 *
 * Pure. Threads: any.
 */
#ifndef TSCOPE_ANALYSIS_TRACE_WORK_OPERATOR_ARGUMENTS_H
#define TSCOPE_ANALYSIS_TRACE_WORK_OPERATOR_ARGUMENTS_H

#include "base/span.h"

#include <stdbool.h>
#include <stdint.h>

enum { TS_ARGUMENTS_MAX = 16, TS_DIMENSIONS_MAX = 8 };

/* Sizes of a tensor, or the numbers of an argument; n < 0: it is something else. */
struct ts_numbers {
	int64_t v[TS_DIMENSIONS_MAX];
	int n;
};

struct ts_arguments {
	struct ts_numbers shapes[TS_ARGUMENTS_MAX], inputs[TS_ARGUMENTS_MAX]; /* of inputs True is 1 and False 0 */
	bool counts[TS_ARGUMENTS_MAX];				 /* each input is a number that is not 0 */
	uint64_t sizes[TS_ARGUMENTS_MAX];			 /* of an element of each input; 0: of a type that is not known */
	size_t n_shapes, n_inputs, n_sizes;
};

/* False: the shapes are not said, or something is no JSON. Types that cannot be read are not known. */
bool ts_arguments_of(struct ts_span shapes, struct ts_span types, struct ts_span inputs, struct ts_arguments *ret);
/* Whether an input has been given: a tensor with a shape. */
bool ts_argument_given(const struct ts_arguments *a, size_t input);
/* Add so many times the bytes of a tensor to *io. False: the shape or the size of an element is not known, or 64 bits do not hold
 * it. */
bool ts_bytes_add(uint64_t *io, const struct ts_numbers *shape, uint64_t size, uint64_t times);
/* The same of an input, which is read, or a gradient of its shape and type, which is written. */
bool ts_bytes_add_input(const struct ts_arguments *a, size_t input, uint64_t times, uint64_t *io);

#endif
