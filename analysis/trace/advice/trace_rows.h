/* trace_rows.h - what a trace says as rows of measures, which rules, bound and playbook read: group "trace".
 *
 * A time is the sum over the devices of the trace, each of which counts by itself, so of one device it is that of timeline.h and
 * idle.h. Shares are of the sum of the devices' spans; those of fills and elementwise kernels are sums of durations, as kernel_sums.h
 * has them, and their shares are of the sum of all work; so are those of convolutions, of products that stay in float32 and of kernels
 * that a compiler generated. Fills are kernels that fill and memsets. A time of a step is the mean over the
 * steps of the trace, and the share that of all of them of their time on the host. Without an event of a device, each row is unknown.
 * What was idle after waits of the host (host_waits.h) is a part of what was idle by cause; their source is where calls that ran a
 * device dry stand most often, among equals the first by name. What one trace cannot say, TS_TIME_EXPOSED_WAITING, has no row here.
 */
#ifndef TSCOPE_ANALYSIS_TRACE_ADVICE_TRACE_ROWS_H
#define TSCOPE_ANALYSIS_TRACE_ADVICE_TRACE_ROWS_H

#include "analysis/answer/measure.h"
#include "base/error.h"

struct ts_trace;
struct ts_trace_about;
struct ts_trace_answer;

struct ts_device_times {
	uint64_t ns[TS_TRACE_TIMES]; /* the largest number where a sum has more than 64 bits */
	uint64_t work_ns;	     /* the sum of all durations */
};

struct ts_device_times ts_device_times(const struct ts_trace_answer *answer);

/* Appends the rows of a trace: to those of a trace that stands alone, or to those of the rank of a run that recorded it. */
enum ts_status ts_trace_rows(const struct ts_trace_answer *answer, struct ts_arena *arena, struct ts_measures *io_rows,
			     struct ts_error *err);
/* The same of a trace of which nothing else is asked: computes only what the rows need. The scratch arena holds what they are made
 * of. */
enum ts_status ts_trace_rows_of(const struct ts_trace *trace, struct ts_arena *scratch, struct ts_arena *arena,
				struct ts_measures *io_rows, struct ts_error *err);
/* Appends the rows of a trace whose events were not read: what it says of itself, and times that are unknown for this reason, which is
 * not copied. */
enum ts_status ts_trace_rows_unread(const struct ts_trace_about *about, const char *reason, struct ts_arena *arena,
				    struct ts_measures *io_rows, struct ts_error *err);

#endif
