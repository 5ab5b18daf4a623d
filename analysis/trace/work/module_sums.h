/* module_sums.h - what the modules of a model had devices do, forward and backward.
 *
 * A module is a Python function "nn.Module: NAME", where the trace has some; else the text "Module Hierarchy" of operators. An event
 * counts, as forward, for the innermost module around its launch. What the backward pass launched has none around it: it counts, as
 * backward, for the module around the forward operator of the innermost node of autograd around its launch. A node is an operator with
 * a "Fwd thread id" above 0. Its forward operator is the last-begun one of the same "Sequence number", as PyTorch has it (emit_nvtx):
 * on the thread that a flow "fwdbwd" to any node of this Fwd thread id comes from, else on the only thread that has the number. Where
 * two threads have it and no flow says which, nothing is linked, and that is counted.
 *
 * Own is of the module itself, total with the modules within; of those of one name within each other the outermost counts. Texts of
 * operators do not say what is within what, so that total is own.
 *
 * n log n. Threads: one at a time.
 */
#ifndef TSCOPE_ANALYSIS_TRACE_WORK_MODULE_SUMS_H
#define TSCOPE_ANALYSIS_TRACE_WORK_MODULE_SUMS_H

#include "analysis/trace/work/device_work.h"

enum ts_module_source { TS_MODULES_NONE, TS_MODULES_FRAMES, TS_MODULES_TEXTS };

/* "not_recorded", "python_functions", "module_hierarchy". */
const char *ts_module_source_word(enum ts_module_source source);

struct ts_module_sum {
	struct ts_span name;
	uint64_t count; /* functions, or operators that name it */
	struct ts_work_sum own_forward, own_backward, total_forward, total_backward;
};

struct ts_module_sums {
	enum ts_module_source source;
	struct ts_module_sum *items; /* the most own time first */
	size_t n;
	struct ts_work_sum forward, backward; /* all that has a module */
	struct ts_work_sum unlinked;	      /* launched within a node whose forward operator is not known */
	struct ts_work_sum outside; /* the rest: outside of modules, forward operators outside too, or no launch that is known */
};

enum ts_status ts_module_sums(const struct ts_trace *trace, const struct ts_nest *nest, const struct ts_device_work *work,
			      struct ts_arena *arena, struct ts_module_sums *ret, struct ts_error *err);

#endif
