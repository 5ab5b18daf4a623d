/* launch_rows.h - how long it took from a call to the event that it launched, and how much was queued: of each device and stream.
 *
 * The population are the events whose launching call the trace has; the others are in `events` alone.
 *
 *	delay	begin of the event less the end of its call. It is below 0 where the event began before the call returned, which is
 *		frequent; HTA counts such a delay as 0, and so do `delay` and `sum_ns` here, but `unclipped` does not. Of several
 *		events of one call, which a CUDA graph makes, only the one that began first has a delay (of those that began at once,
 *		that of the lowest device and stream): the others waited for it, not for the host.
 *	quantile	the least value that is not below the given share of all (nearest rank): always one that occurred
 *	long		delays above 100 us, calls above 50 us, kernels that are shorter than their call on the host: the bounds of
 *			HTA
 *	queued		an event from the begin of its call to its own begin: +1 at the launch, -1 at the begin, as HTA's queue length
 *	outstanding	the same to its end
 *	full		from 1,024 on, as HTA has it. Devices are found to hold calls from some fewer on: what calls took that began
 *			with 1,000 and more queued is measured beside
 *	window		from the first begin of a call or event to the last end of an event; times of depth are parts of it
 *
 * An event that began before its call did, which clocks that disagree make, is never queued, and counted in `before_call`.
 */
#ifndef TSCOPE_ANALYSIS_TRACE_HOST_LAUNCH_ROWS_H
#define TSCOPE_ANALYSIS_TRACE_HOST_LAUNCH_ROWS_H

#include "analysis/trace/device/nest.h"

enum { TS_LAUNCH_LONG_NS = 100000, TS_CALL_LONG_NS = 50000, TS_QUEUE_FULL = 1024, TS_QUEUE_NEARLY_FULL = 1000 };

struct ts_launch_times {
	int64_t least_ns, median_ns, p95_ns, most_ns;
};

struct ts_queue {
	uint64_t most;
	uint64_t sum_ns;   /* depth x time: by the window it is the mean */
	uint64_t empty_ns; /* at depth 0 */
	uint64_t full_ns;  /* at TS_QUEUE_FULL and more */
};

struct ts_launch_row {
	int32_t device, stream; /* stream: TS_TRACE_NO_DEVICE of the whole device, and if not known */
	bool all_streams;
	uint64_t events, launched, before_call;
	uint64_t delays; /* calls that launched: what follows is of them, and valid if there are any */
	struct ts_launch_times delay, unclipped;
	uint64_t sum_ns;
	uint64_t early; /* delays below 0 */
	uint64_t long_delays, long_calls, short_kernels;
	uint64_t window_ns;
	struct ts_queue queued, outstanding;
	uint64_t calls_ns;		    /* how long the calls took */
	uint64_t full_calls, full_calls_ns; /* those that began with TS_QUEUE_NEARLY_FULL and more queued: a full queue holds them */
};

/* A row for each device, and behind it one for each of its streams. They lie in the arena. */
enum ts_status ts_launch_rows(const struct ts_trace *trace, const struct ts_nest *nest, struct ts_arena *arena,
			      struct ts_launch_row **ret, size_t *ret_n, struct ts_error *err);

#endif
