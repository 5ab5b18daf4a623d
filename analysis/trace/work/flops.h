/* flops.h - the floating-point operations of one operator, by its shapes and arguments as the profiler wrote them.
 *
 * The formulas are those of torch.utils.flop_counter: a multiplication and an addition are two, and biases, softmax and masks count
 * nothing, so that causal attention counts as if it were whole.
 *
 *	mm, addmm, _addmm_activation, _scaled_mm	2 m k n
 *	bmm, baddbmm					2 b m k n
 *	convolution, _convolution			2 batch positions weights; positions of the output; if transposed of the input
 *	convolution_backward				the same for each gradient that is asked for, of the input and of the weights
 *	_scaled_dot_product_*_attention			2 batch heads queries keys (d_q + d_v), with the heads of the queries
 *	_scaled_dot_product_*_attention_backward	2 batch heads queries keys (3 d_q + 2 d_v)
 *	_flash_, _efficient_attention_forward		as attention, where no sequences are packed
 *
 * Of attention flash, efficient, cudnn and flash for CPUs. Where flop_counter is wrong, these are not: it multiplies the gradient of
 * the weights by the groups of a convolution once too often, takes the sequence of the last two for their heads, and does not know
 * _addmm_activation and the attention of CPUs.
 *
 * The math attention has none, because the products within it have. Pure. Threads: safe.
 */
#ifndef TSCOPE_ANALYSIS_TRACE_WORK_FLOPS_H
#define TSCOPE_ANALYSIS_TRACE_WORK_FLOPS_H

#include "base/arena.h"

/* Whether there is a formula for the operator, and of which of its inputs the type is that of the arithmetic. */
bool ts_flops_known(struct ts_span name, size_t *ret_input);
/* shapes is "Input Dims", inputs "Concrete Inputs", which only convolutions and attention of packed sequences need. False: there is
 * no formula, or they do not say enough, do not fit together, or give more than 64 bits hold. */
bool ts_flops_of(struct ts_span name, struct ts_span shapes, struct ts_span inputs, uint64_t *ret);

#endif
