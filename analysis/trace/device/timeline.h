/* timeline.h - what devices did: busy and idle, computation, communication and copies, and what of them is exposed; to the nanosecond.
 *
 * Definitions (docs/trace.md). The events are kernels, copies and fills of memory. Communication are the kernels that kernel.h calls
 * so, memory are copies, and computation is everything else, fills too. A time of several events is the length of the union of their
 * intervals: what runs twice at once counts once. So:
 *
 *	span = last end - first begin		idle = span - busy, busy = union of all events
 *	exposed communication = communication less computation; overlapped = communication - exposed
 *	exposed memory = memory less computation and communication
 *
 * which is what AMD's TraceLens defines; its gpu_timeline.csv agrees. Each figure is of one population of events, which it names: all
 * devices, one device, one stream, or what one step launched. An event belongs to the step during which the call that launched it
 * began; if the trace lacks that call, to the step during which the event itself began, and it is counted in `unlaunched`. Of steps
 * that last at once it is the one that began last.
 */
#ifndef TSCOPE_ANALYSIS_TRACE_DEVICE_TIMELINE_H
#define TSCOPE_ANALYSIS_TRACE_DEVICE_TIMELINE_H

#include "analysis/trace/device/kernel.h"
#include "analysis/trace/device/trace_steps.h"
#include "base/arena.h"
#include "run/trace.h"

struct ts_timeline {
	uint64_t events, communications, computations, copies, fills; /* computations count fills */
	int64_t begin_ns, end_ns;				      /* of the first and the last; valid if there are events */
	uint64_t span_ns, busy_ns, idle_ns;
	uint64_t sum_ns; /* of all durations, whether at once or not */
	uint64_t computation_ns, communication_ns, memory_ns;
	uint64_t exposed_communication_ns, overlapped_communication_ns, exposed_memory_ns;
	struct ts_timeline_collective {
		enum ts_collective kind;
		uint64_t events, ns, exposed_ns;
	} collectives[TS_COLLECTIVES];
};

/* device and stream: TS_TRACE_NO_DEVICE if not known, and the stream in a row over all of them. */
struct ts_timeline_of {
	int32_t device, stream;
	bool all_streams;
	struct ts_timeline timeline;
};

struct ts_timeline_step {
	int64_t number; /* as trace_steps.h has it: of ProfilerStep#N the N */
	uint32_t row;	/* of spans: its annotation */
	struct ts_step_said said;
	int64_t start_ns;
	uint64_t duration_ns;	     /* of the step on the host */
	struct ts_timeline timeline; /* of what it launched, on all devices */
};

/* The steps of one phase (trace_steps.h), added up; has_tokens: each of them says how many it computed. */
struct ts_step_phase_sum {
	enum ts_step_phase phase;
	uint64_t steps, host_ns, busy_ns; /* on the host; devices busy with what they launched */
	bool has_requests, has_tokens;
	uint64_t requests, tokens;
};

/* From this moment on, until the next one of these, a step lasts: its place plus 1; 0: none. */
struct ts_timeline_turn {
	int64_t time_ns;
	size_t step;
};

struct ts_timelines {
	struct ts_timeline all;
	struct ts_timeline_of *devices; /* by device */
	size_t n_devices;
	struct ts_timeline_of *streams; /* by device and stream */
	size_t n_streams;
	struct ts_timeline_step *steps; /* by time */
	size_t n_steps;
	struct ts_step_phase_sum *phases; /* those that occur, in the order of the enum; none where no step says its phase */
	size_t n_phases;
	struct ts_timeline_turn *turns; /* by time */
	size_t n_turns;
	struct ts_timeline between;  /* what no step launched */
	struct ts_timeline launched; /* the events whose launching call the trace has */
	uint64_t unlaunched;	     /* how many have none: they were launched before the recording began */
};

/* Everything lies in the arena. */
enum ts_status ts_timelines(const struct ts_trace *trace, struct ts_arena *arena, struct ts_timelines *ret, struct ts_error *err);
/* The place among the steps of the one during which this time lies, plus 1; of several the one that began last. 0: none. */
size_t ts_timelines_step_at(const struct ts_timelines *lines, int64_t time);

#endif
