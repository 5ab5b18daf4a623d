/* trace_work.h - what the devices worked on: by operator, module and step, operations a second, copies and fills, and what
 * stands out: recomputation, optimizer, attention, compilations, small kernels.
 *
 * Threads: one at a time.
 */
#ifndef TSCOPE_ANALYSIS_TRACE_TRACE_WORK_H
#define TSCOPE_ANALYSIS_TRACE_TRACE_WORK_H

#include "analysis/trace/flop_sums.h"
#include "analysis/trace/kernel_use.h"
#include "analysis/trace/module_sums.h"
#include "analysis/trace/operator_sums.h"
#include "analysis/trace/step_sums.h"
#include "analysis/trace/transfer_sums.h"
#include "analysis/trace/work_marks.h"
#include "analysis/trace/work_runs.h"

struct ts_trace_work {
	struct ts_work_sum all, known, unknown; /* events of devices: all, those whose operator is known, the others */
	struct ts_operator_sum *operators;
	size_t n_operators;
	struct ts_module_sums modules;
	struct ts_flop_sums flops;
	struct ts_kernel_uses use;
	struct ts_transfers transfers;
	struct ts_work_marks marks;
	struct ts_run_sums runs;
	struct ts_step_sums steps;
};

/* Everything lies in the arena but texts, which are the trace's. */
enum ts_status ts_trace_work(const struct ts_trace *trace, const struct ts_nest *nest, const struct ts_timelines *lines,
			     struct ts_arena *arena, struct ts_trace_work *ret, struct ts_error *err);

#endif
