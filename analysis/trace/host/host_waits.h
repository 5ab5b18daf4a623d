/* host_waits.h - the calls with which the host waits for a device: how often, how long, for how much, and who asked.
 *
 * What waits: synchronizations of a device, stream, event or context; synchronous copies; calls that free memory of a device, which
 * waits for it; and, as found, a copy whose call ended after the copy did, though it is called asynchronous, as those from and to
 * memory that is not pinned are. A call within a call that waits is a part of it. Times are sums over all threads.
 *
 *	outstanding	what devices had to do when the call began: events whose call had begun and that had not ended, and the time
 *			until the last of them ended. An event without its call, or that began before it, counts from its begin on.
 *			What the call launched itself does not
 *	drained		calls at whose end nothing was left of what had been launched until then, if anything had: the device ran dry
 *	idle		after such a call, from the end of the last event, or from the begin of the call if that was later, to the
 *			begin of the next event. Of several calls in one gap the first has it. A gap at the end of the trace is none
 *	operator	the innermost one that encloses the call, and the outermost
 *	source		of the Python functions that enclose the call, the innermost one that is not torch's own; where there is none,
 *			the innermost such frame of the call stack of an operator
 */
#ifndef TSCOPE_ANALYSIS_TRACE_HOST_HOST_WAITS_H
#define TSCOPE_ANALYSIS_TRACE_HOST_HOST_WAITS_H

#include "analysis/trace/device/nest.h"
#include "analysis/trace/device/timeline.h"

struct ts_host_wait_sum {
	uint64_t calls, ns, max_ns;
	uint64_t outstanding, outstanding_ns;
	uint64_t drained, idle_ns;
};

struct ts_host_wait {
	struct ts_span call, in_operator, in_outer, source; /* empty: none */
	struct ts_host_wait_sum sum;
};

struct ts_host_waits {
	struct ts_host_wait_sum all;
	struct ts_host_wait *items; /* by call, operators and source; the longest first */
	size_t n;
	struct ts_host_wait_step { /* the calls that began during it, on all threads */
		int64_t number;
		uint64_t calls, ns;
	} * steps; /* one for each of the timelines */
	size_t n_steps;
	const bool *waiting; /* of each span: it waits, or stands within a call that does */
	bool has_sources;    /* the trace has Python functions or call stacks */
	bool has_work;	     /* it has events of devices; else outstanding, drained and idle mean nothing */
};

/* Whether a call of this name waits; copies that are called asynchronous are judged by their time. */
bool ts_call_waits(struct ts_span name);
/* Whether a Python function ("torch/nn/modules/module.py(1501): _call_impl") is torch's own, built in, or without a file. */
bool ts_is_torch_frame(struct ts_span name);

/* Everything lies in the arena but texts, which are the trace's. */
enum ts_status ts_host_waits(const struct ts_trace *trace, const struct ts_nest *nest, const struct ts_timelines *lines,
			     struct ts_arena *arena, struct ts_host_waits *ret, struct ts_error *err);

#endif
