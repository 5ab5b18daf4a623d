/* work_marks.h - work of devices by what the host was about: recomputation, optimizer, attention, compiled regions, CUDA graphs.
 *
 * An event counts for the mark that is innermost around its launch. A mark is what the trace names, and nothing is guessed:
 *
 * Recomputation: what was launched below an operator "CheckpointFunctionBackward", a Python function `recompute_fn`, `unpack_hook` or
 * `recompute` of checkpoint.py, or an annotation with "recompute" in it, until a node of autograd within it (an operator
 * "autograd::engine::evaluate_function: ...", or one with a "Fwd thread id") ends that. Apart from it, where none is so named:
 * operators with a "Sequence number" that run within a node of autograd. Those build a graph during the backward pass, which
 * checkpoints do, and backward(create_graph=True).
 *
 * Optimizer: annotations "Optimizer.step#NAME.step". What they launched within an operator aten::_fused_... is fused, within one
 * aten::_foreach_... or by a kernel named multi_tensor... for several tensors at once, the rest one by one or unknown.
 *
 * Attention: operators of one implementation that stand in none of the same one. Math is aten::_scaled_dot_product_attention_math,
 * which computes the scores in full; what its backward pass launches is not among it. Single operations that do the same are found by
 * their shapes (single_attention.h).
 *
 * Compiled: annotations and operators "Torch-Compiled Region: FRAME/N"; N counts the compilations of the frame before it. Behind a
 * graph break a region stands within another one; work counts for the innermost.
 * Compiling: time of the host in annotations and operators with "(dynamo_timed)", and in Python functions of _dynamo/convert_frame.py
 * that compile, the outermost.
 *
 * Linear but for sorts. Threads: one at a time.
 */
#ifndef TSCOPE_ANALYSIS_TRACE_WORK_WORK_MARKS_H
#define TSCOPE_ANALYSIS_TRACE_WORK_WORK_MARKS_H

#include "analysis/trace/work/device_work.h"
#include "analysis/trace/work/graph_breaks.h"

struct ts_optimizer_sum {
	struct ts_span name; /* "Optimizer.step#AdamW.step" */
	uint64_t count;	     /* how often it ran */
	struct ts_work_sum sum, fused, foreach, each;
};

enum ts_attention {
	TS_ATTENTION_NONE,
	TS_ATTENTION_FLASH,
	TS_ATTENTION_FLASH_BACKWARD,
	TS_ATTENTION_EFFICIENT,
	TS_ATTENTION_EFFICIENT_BACKWARD,
	TS_ATTENTION_CUDNN,
	TS_ATTENTION_CUDNN_BACKWARD,
	TS_ATTENTION_MATH,
	TS_ATTENTION_SINGLE, /* operations that make up attention */
	TS_ATTENTIONS,
};

/* "flash", "flash_backward". */
const char *ts_attention_word(enum ts_attention attention);

struct ts_attention_sum {
	enum ts_attention attention;
	uint64_t count; /* operators; of single operations, softmaxes */
	struct ts_work_sum sum;
};

struct ts_region_sum {
	struct ts_span name; /* "Torch-Compiled Region: 0/1" */
	int64_t compilation; /* the 1; -1: the name does not say it */
	uint64_t count;
	struct ts_work_sum sum;
};

struct ts_work_marks {
	struct ts_work_sum recomputed;	     /* below what names a checkpoint */
	struct ts_work_sum rebuilt;	     /* by forward operators within nodes of autograd, not among the above */
	bool has_sequences;		     /* some operator says its sequence number; else rebuilt is not known */
	struct ts_optimizer_sum *optimizers; /* the longest first */
	size_t n_optimizers;
	struct ts_attention_sum *found; /* attention, the implementations that occur */
	size_t n_found;
	uint64_t unsaid_attention;     /* what may be single operations of attention: their shapes are not recorded */
	struct ts_region_sum *regions; /* the longest first, then by name */
	size_t n_regions;
	uint64_t recompiled;		/* regions that are not their frame's first compilation */
	struct ts_graph_breaks breaks;
	uint64_t compiling, compile_ns; /* on the host */
	uint64_t graph_launches;	/* cudaGraphLaunch, hipGraphLaunch */
};

enum ts_status ts_work_marks(const struct ts_trace *trace, const struct ts_nest *nest, const struct ts_device_work *work,
			     struct ts_arena *arena, struct ts_work_marks *ret, struct ts_error *err);

#endif
