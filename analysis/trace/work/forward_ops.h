/* forward_ops.h - the forward operator of a node of autograd (the rule: module_sums.h).
 *
 * n log n to find, log n to ask. Threads: one at a time.
 */
#ifndef TSCOPE_ANALYSIS_TRACE_WORK_FORWARD_OPS_H
#define TSCOPE_ANALYSIS_TRACE_WORK_FORWARD_OPS_H

#include "analysis/trace/device/device_events.h"
#include "analysis/trace/device/nest.h"

struct ts_forward_ops {
	const struct ts_trace *trace;
	struct ts_device_event *ops; /* forward operators by sequence number, thread and begin: group is the number */
	size_t n_ops;
	struct ts_device_event *threads; /* by Fwd thread id, which is group: row is the thread */
	size_t n_threads;
};

enum ts_status ts_forward_ops_find(const struct ts_trace *trace, struct ts_arena *arena, struct ts_forward_ops *ret,
				   struct ts_error *err);
/* Of a row of operators, a node. TS_NEST_NONE: none, or it is not known which. */
uint32_t ts_forward_op_of(const struct ts_forward_ops *f, size_t node);
/* Whether the row of operators is a node of autograd. */
bool ts_is_autograd_node(const struct ts_trace_operators *o, size_t row);

#endif
