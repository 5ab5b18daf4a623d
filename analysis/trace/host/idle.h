/* idle.h - why a stream was idle, and a device: the time between its events by cause. The causes of a row add up to its idle time, to
 * the nanosecond.
 *
 * A gap lies between the end of all earlier events and the begin of the next, N. With b, the begin of the call that launched N; where
 * several events begin there at once, of the call that began first, because from then on the host was no longer waited for:
 *
 *	host	the part before b: the stream was empty, and the host had not asked for N yet
 *	launch	if b lies in the gap, the part from b on: what it took from the call to the begin of N
 *	behind	if b lies before the gap, so that N was queued: the part during which other streams of the device were busy. N may have
 *		waited for one of them, for a free processor, or, where that is communication, for another rank
 *	queued	of such a gap, the part during which the whole device was idle: a dependency, a wait of the driver, or the time
 *		from one kernel to the next
 *	unknown	the gap before events whose calls the trace does not have
 *
 * HTA's three causes are of whole gaps: its host_wait is our host + launch, its kernel_wait the short ones among queued.
 */
#ifndef TSCOPE_ANALYSIS_TRACE_HOST_IDLE_H
#define TSCOPE_ANALYSIS_TRACE_HOST_IDLE_H

#include "base/arena.h"
#include "run/trace.h"

struct ts_idle {
	int32_t device, stream; /* stream: TS_TRACE_NO_DEVICE of the whole device, and if not known */
	bool all_streams;
	uint64_t gaps;
	uint64_t idle_ns, host_ns, launch_ns, behind_ns, queued_ns, unknown_ns;
	uint64_t loading_ns;   /* of host_ns: while some thread of the host was in a data loader (host_steps.h) */
	uint64_t longest_ns;   /* gap */
	int64_t longest_at_ns; /* its begin; valid if there are gaps */
};

/* A row for each device, and behind it one for each of its streams. They lie in the arena. */
enum ts_status ts_idle_rows(const struct ts_trace *trace, struct ts_arena *arena, struct ts_idle **ret, size_t *ret_n,
			    struct ts_error *err);

#endif
