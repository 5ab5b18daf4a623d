/* torch_flops.h - the FLOPs that torch.profiler counts for an operator with with_flops=True (torch/csrc/profiler/util.cpp), by the
 * shapes that a trace has: matrix products, one for each element of the first input of mul and add, and convolutions of two dimensions,
 * which need their arguments ("Concrete Inputs", which traces of 2021 lack) and count nothing with a padding in words. Threads: safe.
 */
#ifndef TSCOPE_ANALYSIS_PEERS_TORCH_FLOPS_H
#define TSCOPE_ANALYSIS_PEERS_TORCH_FLOPS_H

#include "base/span.h"

enum ts_torch_flops { TS_FLOPS_NONE, TS_FLOPS_GEMM, TS_FLOPS_ADDMM, TS_FLOPS_BMM, TS_FLOPS_BADDBMM, TS_FLOPS_EACH, TS_FLOPS_CONV };

/* How it counts an operator of this name. */
enum ts_torch_flops ts_torch_flops_kind(struct ts_span name);
/* By "Input Dims" and "Concrete Inputs" as JSON without spaces. 0 where those are missing or do not fit, or the number has more than 63
 * bits. */
uint64_t ts_torch_flops(enum ts_torch_flops kind, struct ts_span shapes, struct ts_span inputs);

#endif
