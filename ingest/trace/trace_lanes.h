/* trace_lanes.h - what spans without a category are, by the names of their process and thread, as XLA's profiler writes them for
 * JAX and TensorFlow (trace.json.gz beside the xplane.pb).
 *
 *	/device:GPU:N	a thread "Stream #14(Compute)" has kernels of stream 14, and copies and fills by their names
 *	/device:TPU:N	the thread "XLA Ops" has what the device ran, as stream 0; a loop, a branch and a call have what they run within
 *			them, so that they are annotations of the device, and only that is work
 *	/host:CPU	names that begin with $ are functions of Python, those of calls are calls of the runtime, the rest annotations
 *
 * Other threads of a device (modules, steps, scopes) say the same time again, and are none of these. The names stand before the spans,
 * as this profiler writes them: what comes before its name stays without a kind. Threads: one at a time.
 */
#ifndef TSCOPE_INGEST_TRACE_TRACE_LANES_H
#define TSCOPE_INGEST_TRACE_TRACE_LANES_H

#include "ingest/trace/trace_event.h"

enum ts_trace_lane_what { TS_TRACE_LANE_NONE = 0, TS_TRACE_LANE_DEVICE, TS_TRACE_LANE_HOST };

struct ts_trace_lane {
	uint8_t what; /* enum ts_trace_lane_what */
	int32_t device, stream;
};

enum { TS_TRACE_LANE_PROCESSES = 256 }; /* that have lanes; a host has some 20 */

struct ts_trace_lanes {
	struct ts_trace_lane_process {
		int64_t pid;
		uint8_t what;
		bool ops; /* only its thread "XLA Ops" is work */
		int32_t device;
	} processes[TS_TRACE_LANE_PROCESSES];
	size_t n_processes;
	struct ts_trace_lane *of; /* of each thread that was named, by its number */
	size_t cap;
};

void ts_trace_lanes_finish(struct ts_trace_lanes *lanes);
/* A process was named. */
void ts_trace_lane_process(struct ts_trace_lanes *lanes, const struct ts_trace_event *e);
/* A thread was named, which has this number. */
enum ts_status ts_trace_lane_thread(struct ts_trace_lanes *lanes, const struct ts_trace_event *e, uint32_t thread,
				    struct ts_error *err);
/* Of a span without a category on this thread; NULL: it lies in no lane. */
const struct ts_trace_lane *ts_trace_lane_of(const struct ts_trace_lanes *lanes, uint32_t thread);
/* What a span of this name is in the lane: a kind of run/trace.h. */
uint8_t ts_trace_lane_kind(const struct ts_trace_lane *lane, struct ts_trace_text name);

#endif
