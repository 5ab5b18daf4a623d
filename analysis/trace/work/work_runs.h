/* work_runs.h - long runs of small work on one stream: storms of elementwise kernels, and stretches that the rate of launches bounds.
 *
 * Events of a stream are in the order of their begin. A storm is a run of at least TS_RUN_LEAST consecutive kernels of the category
 * elementwise (kernel.h), nothing else between them; kernels that Inductor fused are not of that category. A launch-bound stretch is a
 * run of at least TS_RUN_LEAST consecutive events, each of which lasts less than the call that launched it took, and each but the first
 * of which was asked for only when the stream had nothing left to do: its call began when all earlier events of the stream had ended
 * (a gap of the causes host and launch, idle.h). An event without its call ends a stretch. Times of a run: from the begin of its first
 * event to the end of its last, and the sum of its events. n log n. Threads: one at a time.
 */
#ifndef TSCOPE_ANALYSIS_TRACE_WORK_WORK_RUNS_H
#define TSCOPE_ANALYSIS_TRACE_WORK_WORK_RUNS_H

#include "analysis/trace/work/device_work.h"

enum { TS_RUN_LEAST = 16 };

struct ts_run_sum {
	uint64_t runs, span_ns;	 /* how many, from first begin to last end of each */
	struct ts_work_sum work; /* the events in them */
	uint64_t most;		 /* events of the run that has most */
	int64_t most_at_ns;	 /* its begin; valid if there are runs */
	int32_t most_device, most_stream;
};

struct ts_run_sums {
	struct ts_run_sum storms, launch_bound;
	struct ts_work_sum elementwise; /* all kernels of the category */
	struct ts_work_sum called;	/* all events whose call the trace has */
};

enum ts_status ts_run_sums(const struct ts_trace *trace, const struct ts_nest *nest, struct ts_arena *arena, struct ts_run_sums *ret,
			   struct ts_error *err);

#endif
