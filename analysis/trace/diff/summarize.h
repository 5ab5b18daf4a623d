/* summarize.h - what is kept of a trace where the trace itself is not: the summary of its kernels, and a summary as a side of a
 * comparison (trace_diff.h).
 *
 * A summary has every step that the trace marks, the first ones too, so that a comparison leaves out of it what it leaves out of the
 * trace. Its sums are exact, and so are the parts of the time of steps.
 *
 * All memory is the arena's, and texts may be the trace's. Pure; one thread at a time.
 */
#ifndef TSCOPE_ANALYSIS_TRACE_DIFF_SUMMARIZE_H
#define TSCOPE_ANALYSIS_TRACE_DIFF_SUMMARIZE_H

#include "run/kernel_summary.h"
#include "run/trace.h"

/* Somebody has said what the kernels of the trace are (kernel_table.h). */
enum ts_status ts_summarize_kernels(const struct ts_trace *trace, struct ts_arena *arena, struct ts_kernel_summary *ret,
				    struct ts_error *err);

#endif
