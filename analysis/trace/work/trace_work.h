/* trace_work.h - what the devices worked on: by operator, module and step, operations a second, copies and fills, and what
 * stands out: recomputation, optimizer, attention, compilations, small kernels.
 *
 * Threads: one at a time.
 */
#ifndef TSCOPE_ANALYSIS_TRACE_WORK_TRACE_WORK_H
#define TSCOPE_ANALYSIS_TRACE_WORK_TRACE_WORK_H

#include "analysis/trace/work/flop_sums.h"
#include "analysis/trace/work/kernel_use.h"
#include "analysis/trace/work/module_sums.h"
#include "analysis/trace/work/operator_sums.h"
#include "analysis/trace/work/step_sums.h"
#include "analysis/trace/work/transfer_sums.h"
#include "analysis/trace/work/work_marks.h"
#include "analysis/trace/work/work_runs.h"

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
