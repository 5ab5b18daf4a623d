#include "ingest/trace/trace_lanes.h"

#include "base/alloc.h"
#include "base/grow.h"
#include "base/number.h"
#include "base/text.h"

static struct ts_span span_of(struct ts_trace_text text)
{
	return ts_span_of(text.data, text.len);
}

void ts_trace_lanes_finish(struct ts_trace_lanes *lanes)
{
	ts_free(lanes->of);
	lanes->of = NULL;
	lanes->cap = 0;
}

/* The digits at the begin of a text as a number. */
static bool number_at(struct ts_span text, int32_t *ret)
{
	size_t n = 0;
	int64_t number;

	while (n < text.len && ts_is_digit(text.data[n]))
		n++;
	if (!n || !ts_parse_i64(ts_span_of(text.data, n), &number) || number > INT32_MAX)
		return false;
	*ret = (int32_t)number;
	return true;
}

static struct ts_trace_lane_process *process_of(struct ts_trace_lanes *lanes, int64_t pid)
{
	for (size_t i = 0; i < lanes->n_processes; i++)
		if (lanes->processes[i].pid == pid)
			return &lanes->processes[i];
	return NULL;
}

void ts_trace_lane_process(struct ts_trace_lanes *lanes, const struct ts_trace_event *e)
{
	struct ts_trace_lane_process process = {.pid = e->pid.number, .what = TS_TRACE_LANE_DEVICE};
	struct ts_span name = span_of(e->arg_name);

	if (e->pid.number == TS_TRACE_NONE || lanes->n_processes == TS_TRACE_LANE_PROCESSES || process_of(lanes, e->pid.number))
		return;
	if (ts_span_is(name, "/host:CPU")) {
		process.what = TS_TRACE_LANE_HOST;
	} else {
		process.ops = ts_span_skip(&name, "/device:TPU:");
		if ((!process.ops && !ts_span_skip(&name, "/device:GPU:")) || !number_at(name, &process.device))
			return;
	}
	lanes->processes[lanes->n_processes++] = process;
}

enum ts_status ts_trace_lane_thread(struct ts_trace_lanes *lanes, const struct ts_trace_event *e, uint32_t thread,
				    struct ts_error *err)
{
	const struct ts_trace_lane_process *process = process_of(lanes, e->pid.number);
	struct ts_trace_lane lane = {.what = TS_TRACE_LANE_NONE};
	struct ts_span name = span_of(e->arg_name);

	if (e->pid.number == TS_TRACE_NONE || !process)
		return TS_OK;
	lane.device = process->device;
	if (process->what == TS_TRACE_LANE_HOST || (process->ops && ts_span_is(name, "XLA Ops")) ||
	    (!process->ops && ts_span_skip(&name, "Stream #") && number_at(name, &lane.stream)))
		lane.what = process->what;
	if (!TS_GROW(lanes->of, lanes->cap, (size_t)thread + 1, 64))
		return ts_error_set(err, TS_NO_MEMORY, "out of memory for the threads of a trace");
	lanes->of[thread] = lane;
	return TS_OK;
}

const struct ts_trace_lane *ts_trace_lane_of(const struct ts_trace_lanes *lanes, uint32_t thread)
{
	return thread < lanes->cap && lanes->of[thread].what != TS_TRACE_LANE_NONE ? &lanes->of[thread] : NULL;
}

/* "cuLaunchKernelEx", "cudaMemcpyAsync", "hipGraphLaunch": a capital follows the word. */
static bool is_call(struct ts_span name)
{
	return (ts_span_skip(&name, "cuda") || ts_span_skip(&name, "hip") || ts_span_skip(&name, "cu")) && name.len &&
	       name.data[0] >= 'A' && name.data[0] <= 'Z';
}

/* "while.3", "conditional", "call.12": an operation of XLA that only runs others, which stand on the same thread, too. */
static bool is_around_others(struct ts_span name)
{
	return (ts_span_skip(&name, "while") || ts_span_skip(&name, "conditional") || ts_span_skip(&name, "call")) &&
	       (!name.len || name.data[0] == '.');
}

uint8_t ts_trace_lane_kind(const struct ts_trace_lane *lane, struct ts_trace_text text)
{
	struct ts_span name = span_of(text);

	if (lane->what == TS_TRACE_LANE_HOST)
		return ts_span_starts(name, ts_span_str("$")) ? TS_TRACE_PYTHON
		       : is_call(name)			      ? TS_TRACE_RUNTIME
							      : TS_TRACE_ANNOTATION;
	if (ts_span_starts(name, ts_span_str("Memcpy")))
		return TS_TRACE_COPY;
	if (ts_span_starts(name, ts_span_str("Memset")))
		return TS_TRACE_FILL;
	return is_around_others(name) ? TS_TRACE_DEVICE_ANNOTATION : TS_TRACE_KERNEL;
}
