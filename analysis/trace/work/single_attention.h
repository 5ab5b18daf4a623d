/* single_attention.h - attention that a program wrote in single operations, which compute all scores as the math attention does: a
 * batched product, a softmax of what it gave, and a batched product of that.
 *
 * The trace says no data flow, but the shapes of inputs: aten::bmm or aten::baddbmm of [b,n,k] and [b,k,m] gives [b,n,m]; an
 * aten::_softmax of that, whatever its first dimensions are if they multiply to b; and the next product of the thread takes [b,n,m]
 * first. Nothing that a fused attention or the math attention launched is one. It counts what the thread launched from the begin of
 * the first product to the end of the second: the scaling, the mask and dropout are among it, its backward pass is not. Where one of
 * the three does not say its shapes, a product, a softmax and a product may be attention or not, and are counted apart.
 *
 * Linear. Threads: one at a time.
 */
#ifndef TSCOPE_ANALYSIS_TRACE_WORK_SINGLE_ATTENTION_H
#define TSCOPE_ANALYSIS_TRACE_WORK_SINGLE_ATTENTION_H

#include "analysis/trace/work/device_work.h"

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
