/* work_parts.h - what files of this folder share: forward operators, formulas of operations, shapes of inputs, attention in
 * single operations. Threads: one at a time.
 */
#ifndef TSCOPE_ANALYSIS_TRACE_WORK_WORK_PARTS_H
#define TSCOPE_ANALYSIS_TRACE_WORK_WORK_PARTS_H

#include "analysis/trace/device/device_events.h"
#include "analysis/trace/device/nest.h"
#include "analysis/trace/work/trace_work.h"
#include "base/arena.h"
#include "base/span.h"

/* --- forward_ops.c ---
 *
 * n log n to find, log n to ask.
 */

struct ts_forward_ops {
	const struct ts_trace *trace;
	struct ts_device_event *ops; /* forward operators by sequence number, thread and begin: group is the number */
	size_t n_ops;
	struct ts_device_event *threads; /* by Fwd thread id, which is group: row is the thread */
	size_t n_threads;
};

enum ts_status ts_forward_ops_find(const struct ts_trace *trace, struct ts_arena *arena, struct ts_forward_ops *ret,
				   struct ts_error *err);
/* Of a row of operators, a node. TS_NEST_NONE: none, or it is not known which. */
uint32_t ts_forward_op_of(const struct ts_forward_ops *f, size_t node);
/* Whether the row of operators is a node of autograd. */
bool ts_is_autograd_node(const struct ts_trace_operators *o, size_t row);

/* --- input_shapes.c ---
 *
 * Threads: safe.
 */

enum { TS_SHAPE_DIMENSIONS = 8 };

struct ts_input_shape {
	uint64_t at[TS_SHAPE_DIMENSIONS];
	size_t n;
};

/* The shapes of the first n inputs. False: there are fewer, or one of them is something else than a tensor of so few dimensions. */
bool ts_input_shapes(struct ts_span text, struct ts_input_shape *ret, size_t n);

/* --- flops.c ---
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
 * The math attention has none, because the products within it have.
 *
 * Bytes are those of each input and of the output once, as if a cache held all that is used again: so the intensity is the most, and
 * the bandwidth the least. The output has the type of the first input; that of _scaled_mm is not known. What addmm and baddbmm add is
 * read where beta is known and not 0. convolution_backward reads the gradient of the output, and for each gradient that it writes the
 * weights or the input; attention backward reads q, k, v and the gradient of the output and writes three.
 * TraceLens counts the same, but what is added always, and the gradient of an output once for each gradient. Pure. Threads: safe.
 */

/* Whether there is a formula for the operator, and of which of its inputs the type is that of the arithmetic. */
bool ts_flops_known(struct ts_span name, size_t *ret_input);
/* shapes is "Input Dims", inputs "Concrete Inputs", which convolutions, attention of packed sequences and beta need. False: there is
 * no formula, or they do not say enough, do not fit together, or give more than 64 bits hold. types is "Input type", by which
 * *ret_bytes are what the operator has to read and write at least, each tensor once; 0: they are not known. */
bool ts_flops_of(struct ts_span name, struct ts_span shapes, struct ts_span types, struct ts_span inputs, uint64_t *ret,
		 uint64_t *ret_bytes);

/* --- moves.c ---
 *
 * Elementwise operators and norms, which memory bounds: each tensor is read or written once, and counts with the size of its elements.
 *
 *	copy, clamp, relu, silu, gelu, pow, ...		what goes in and what comes out; an operation an element
 *	add, sub, mul, div, silu_backward, ...		two inputs, and what comes out, which has the shape of both together
 *	native_, cudnn_, miopen_batch_norm,		input, weights and statistics, and what comes out; 5 operations an element
 *	native_layer_norm, native_group_norm,		(_fused_rms_norm 4)
 *	_fused_rms_norm
 *	..._norm_backward				gradient and input, weights and statistics, and the gradient that comes out; 9
 *
 * Operations are those that TraceLens counts. It takes a batch norm for one in training whatever the argument says (it asks the text
 * "False", which is not empty), and adds six numbers a channel, of a layer norm, too; here the weights count that are there. Threads:
 * safe.
 */

/* As ts_flops_known and ts_flops_of. */
bool ts_moves_known(struct ts_span name, size_t *ret_input);
bool ts_moves_of(struct ts_span name, struct ts_span shapes, struct ts_span types, struct ts_span inputs, uint64_t *ret,
		 uint64_t *ret_bytes);

/* --- single_attention.c ---
 *
 * The trace says no data flow, but the shapes of inputs: aten::bmm or aten::baddbmm of [b,n,k] and [b,k,m] gives [b,n,m]; an
 * aten::_softmax of that, whatever its first dimensions are if they multiply to b; and the next product of the thread takes [b,n,m]
 * first. Nothing that a fused attention or the math attention launched is one. It counts what the thread launched from the begin of
 * the first product to the end of the second: the scaling, the mask and dropout are among it, its backward pass is not. Where one of
 * the three does not say its shapes, a product, a softmax and a product may be attention or not, and are counted apart.
 *
 * Linear.
 */

struct ts_single_attention {
	uint64_t count;
	struct ts_work_sum sum;
	uint64_t unsaid; /* that may be attention: their shapes are not recorded */
};

/* within: by span, whether it stands in an attention that has a name. The arena holds what is needed meanwhile. */
enum ts_status ts_single_attention(const struct ts_trace *trace, const struct ts_nest *nest, const struct ts_device_work *work,
				   const uint8_t *within, struct ts_arena *arena, struct ts_single_attention *ret,
				   struct ts_error *err);

#endif
