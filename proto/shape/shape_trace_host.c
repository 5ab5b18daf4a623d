/* shape_trace_host.c - the tables of what a trace says of the host: launches, queues, waits, times. JSON alone. */
#include "analysis/trace/host/trace_host.h"
#include "proto/shape/shape_rows.h"

enum { MANY_ROWS = 1 << 25, TEXT_MAX_BYTES = 4096 };

#define TYPE struct ts_launch_times
static const struct ts_shape_field times_rows[] = {
	{NULL, "least_ns", I64(least_ns), HEAD("least")},
	{NULL, "median_ns", I64(median_ns), HEAD("median")},
	{NULL, "p95_ns", I64(p95_ns), HEAD("95 %")},
	{NULL, "longest_ns", I64(most_ns), HEAD("longest")},
};
static const struct ts_shape ts_shape_launch_times = {JSON_SHAPE("trace_launch_times", times_rows)};
#undef TYPE

#define TYPE struct ts_queue
static const struct ts_shape_field queue_rows[] = {
	{NULL, "most_count", U64(most), HEAD("most")},
	{NULL, "sum_ns", U64(sum_ns), ABOUT("depth times time; divided by the window it is the mean depth")},
	{NULL, "empty_ns", U64(empty_ns), ABOUT("at depth 0")},
	{NULL, "full_ns", U64(full_ns), ABOUT("at a depth of 1,024 and more")},
};
static const struct ts_shape ts_shape_queue = {JSON_SHAPE("trace_queue", queue_rows)};
#undef TYPE

#define TYPE struct ts_launch_row
static bool of_stream(const void *in)
{
	return ((const TYPE *)in)->stream != TS_TRACE_NO_DEVICE;
}

static bool of_device(const void *in)
{
	return ((const TYPE *)in)->device != TS_TRACE_NO_DEVICE;
}

static const char *no_stream(const void *in)
{
	return ((const TYPE *)in)->all_streams ? "all" : "unknown";
}

static bool has_delays(const void *in)
{
	return ((const TYPE *)in)->delays > 0;
}

static bool has_launched(const void *in)
{
	return ((const TYPE *)in)->launched > 0;
}

static const struct ts_shape_field launch_rows[] = {
	{NULL, "device", I32(device), WHEN(of_device), HEAD("device"), LEFT},
	{NULL, "stream", I32(stream), WHEN(of_stream), HEAD("stream"), LEFT, ABSENT_OF(no_stream),
	 ABOUT("null: the whole device, or unknown")},
	{NULL, "all_streams", BOOL(all_streams), ABOUT("false and no stream: the trace does not say the stream")},
	{NULL, "event_count", U64(events)},
	{NULL, "launched_count", U64(launched), ABOUT("events whose call the trace has: the population of what follows")},
	{NULL, "before_call_count", U64(before_call), ABOUT("of them, those that began before their call: the clocks disagree")},
	{NULL, "call_count", U64(delays), HEAD("calls"),
	 ABOUT("calls that launched them; each has one delay, to the first event that it launched")},
	{NULL, "delay", ONE(delay, ts_shape_launch_times), WHEN(has_delays),
	 ABOUT("from the end of the call to the begin of the event; what is below 0 counts as 0")},
	{NULL, "unclipped_delay", ONE(unclipped, ts_shape_launch_times), WHEN(has_delays), ABOUT("the same, below 0 too")},
	{NULL, "call_ns", U64(calls_ns), ABOUT("how long these calls took")},
	{NULL, "delay_sum_ns", U64(sum_ns)},
	{NULL, "early_count", U64(early), HEAD("below 0"), ABOUT("events that began before their call returned: delays below 0")},
	{NULL, "long_delay_count", U64(long_delays), HEAD("over 100 us"), ABOUT("delays above 100 us")},
	{NULL, "long_call_count", U64(long_calls), HEAD("calls over 50 us"), ABOUT("calls above 50 us")},
	{NULL, "short_kernel_count", U64(short_kernels), HEAD("short kernels"), ABOUT("kernels that are shorter than their call")},
	{NULL, "window_ns", U64(window_ns), ABOUT("from the first call to the last end of an event; depths are over it")},
	{NULL, "queued", ONE(queued, ts_shape_queue), WHEN(has_launched), ABOUT("events that were launched and had not begun")},
	{NULL, "outstanding", ONE(outstanding, ts_shape_queue), WHEN(has_launched),
	 ABOUT("events that were launched and had not ended")},
	{NULL, "full_call_count", U64(full_calls), ABOUT("calls that began while 1,000 and more were queued")},
	{NULL, "full_call_ns", U64(full_calls_ns), ABOUT("how long these took")},
};
const struct ts_shape ts_shape_trace_launches = {JSON_SHAPE("trace_launches", launch_rows)};
#undef TYPE

#define TYPE struct ts_host_wait_sum
static const struct ts_shape_field wait_sum_rows[] = {
	{NULL, "call_count", U64(calls), HEAD("calls")},
	{NULL, "sum_ns", U64(ns), HEAD("waited"), ABOUT("over all threads")},
	{NULL, "longest_ns", U64(max_ns), HEAD("longest")},
	{NULL, "outstanding_count", U64(outstanding), ABOUT("events launched and not ended when a call began, of all calls together")},
	{NULL, "outstanding_ns", U64(outstanding_ns), ABOUT("from there until the last of them ended")},
	{NULL, "drained_count", U64(drained), HEAD("ran dry"), ABOUT("calls at whose end the device had nothing left to do")},
	{NULL, "idle_ns", U64(idle_ns), HEAD("idle after"), ABOUT("how long it then had nothing to do")},
};
static const struct ts_shape ts_shape_wait_sum = {JSON_SHAPE("trace_wait_sum", wait_sum_rows)};
#undef TYPE

#define TYPE struct ts_host_wait
static const struct ts_shape_field wait_rows[] = {
	{NULL, "call", BYTES(call, TEXT_MAX_BYTES), HEAD("call"), SHOW(NAME), NARROW(12)},
	{NULL, "operator", BYTES(in_operator, TEXT_MAX_BYTES), OR_NULL, ABOUT("the innermost one around the call")},
	{NULL, "outer_operator", BYTES(in_outer, TEXT_MAX_BYTES), OR_NULL, ABOUT("the outermost one around it")},
	{NULL, "source", BYTES(source, TEXT_MAX_BYTES), OR_NULL, HEAD("asked by"), SHOW(NAME), NARROW(12),
	 ABOUT("the innermost Python frame around it that is not torch's")},
	{NULL, "waited", ONE(sum, ts_shape_wait_sum)},
};
const struct ts_shape ts_shape_trace_wait = {JSON_SHAPE("trace_wait", wait_rows)};
#undef TYPE

#define TYPE struct ts_host_wait_step
static const struct ts_shape_field wait_step_rows[] = {
	{NULL, "step", I64(number)},
	{NULL, "call_count", U64(calls), ABOUT("that began during the step")},
	{NULL, "sum_ns", U64(ns)},
};
static const struct ts_shape ts_shape_wait_step = {JSON_SHAPE("trace_wait_step", wait_step_rows)};
#undef TYPE

#define TYPE struct ts_host_waits
static const struct ts_shape_field waits_rows[] = {
	{NULL, "all", ONE(all, ts_shape_wait_sum), ABOUT("of all calls of the host that wait for a device")},
	{NULL, "has_sources", BOOL(has_sources), ABOUT("the trace has Python functions or call stacks")},
	{NULL, "has_work", BOOL(has_work), ABOUT("it has events of devices; else outstanding, drained and idle are not known")},
	{NULL, "by_asker", MANY(items, n, ts_shape_trace_wait, MANY_ROWS), ABOUT("the longest first")},
	{NULL, "steps", MANY(steps, n_steps, ts_shape_wait_step, MANY_ROWS)},
};
static const struct ts_shape ts_shape_waits = {JSON_SHAPE("trace_waits", waits_rows)};
#undef TYPE

#define TYPE struct ts_host_step
static const struct ts_shape_field step_rows[] = {
	{NULL, "step", I64(number), HEAD("step"), LEFT, ABOUT("the N of ProfilerStep#N; 0 of the whole trace")},
	{NULL, "begin_ns", I64(begin_ns)},
	{NULL, "wall_ns", U64(wall_ns), HEAD("wall"), ABOUT("the sum of the seven below")},
	{NULL, "loading_ns", U64(parts[TS_HOST_LOADING]), HEAD("data loading"), SHOW(SOME),
	 ABOUT("within an annotation of a data loader")},
	{NULL, "waits_ns", U64(parts[TS_HOST_WAITS]), HEAD("waits"), SHOW(SOME), ABOUT("within a call that waits for a device")},
	{NULL, "calls_ns", U64(parts[TS_HOST_CALLS]), HEAD("calls"), SHOW(SOME), ABOUT("in any other call of the runtime")},
	{NULL, "operators_ns", U64(parts[TS_HOST_OPERATORS]), HEAD("operators"), SHOW(SOME)},
	{NULL, "backward_ns", U64(parts[TS_HOST_BACKWARD_PASS]), HEAD("backward"), SHOW(SOME),
	 ABOUT("in Python or nothing, while a backward thread was at work")},
	{NULL, "python_ns", U64(parts[TS_HOST_PYTHON]), HEAD("Python"), SHOW(SOME)},
	{NULL, "nothing_ns", U64(parts[TS_HOST_NOTHING]), HEAD("nothing recorded"), SHOW(SOME), ABOUT("nothing was recorded")},
};
const struct ts_shape ts_shape_host_step = {JSON_SHAPE("trace_host_step", step_rows)};
#undef TYPE

#define TYPE struct ts_host_steps
static bool has_main(const void *in)
{
	return ((const TYPE *)in)->all.wall_ns > 0;
}

static const struct ts_shape_field steps_rows[] = {
	{NULL, "all", ONE(all, ts_shape_host_step), WHEN(has_main), ABOUT("the main thread over the whole trace")},
	{NULL, "steps", MANY(items, n, ts_shape_host_step, MANY_ROWS), ABOUT("each on the thread of its annotation")},
};
static const struct ts_shape ts_shape_host_steps = {JSON_SHAPE("trace_host_steps", steps_rows)};
#undef TYPE

WORD_OF(thread_word, enum ts_host_thread_kind, ts_host_thread_word);
static const struct ts_shape_words thread_kinds = {0, TS_HOST_THREAD_KINDS - 1, .word = thread_word};

#define TYPE struct ts_host_sum
static const struct ts_shape_field sum_rows[] = {
	{NULL, "thread_kind", WORD(on, thread_kinds), HEAD("thread")},
	{NULL, "name", BYTES(name, TEXT_MAX_BYTES), HEAD("name"), SHOW(NAME), NARROW(20)},
	{NULL, "count", U64(count), HEAD("count")},
	{NULL, "self_ns", U64(self_ns), HEAD("self"), SHARE("of the wall"),
	 ABOUT("that nothing on its thread covers that stands within it")},
	{NULL, "total_ns", U64(total_ns), HEAD("total"), ABOUT("without what stands within another of its name")},
	{NULL, "longest_ns", U64(longest_ns), HEAD("longest")},
};
const struct ts_shape ts_shape_trace_host_sum = {JSON_SHAPE("trace_host_sum", sum_rows)};
#undef TYPE

#define TYPE struct ts_host_thread
static bool has_id(const void *in)
{
	return ((const TYPE *)in)->id != TS_TRACE_NONE;
}

static const struct ts_shape_field thread_rows[] = {
	{NULL, "thread_kind", WORD(kind, thread_kinds)},
	{NULL, "id", I64(id), WHEN(has_id)},
	{NULL, "span_count", U64(spans)},
	{NULL, "begin_ns", I64(begin_ns)},
	{NULL, "end_ns", I64(end_ns)},
	{NULL, "operator_self_ns", U64(operator_ns)},
	{NULL, "python_self_ns", U64(python_ns)},
	{NULL, "call_self_ns", U64(call_ns)},
};
static const struct ts_shape ts_shape_host_thread = {JSON_SHAPE("trace_host_thread", thread_rows)};
#undef TYPE

#define TYPE struct ts_trace_host
static const struct ts_shape_field host_rows[] = {
	{NULL, "launches", MANY(launches, n_launches, ts_shape_trace_launches, MANY_ROWS),
	 ABOUT("a row for each device and each stream")},
	{NULL, "waits", ONE(waits, ts_shape_waits)},
	{NULL, "time", ONE(steps, ts_shape_host_steps), ABOUT("where it went, on the thread of each step")},
	{NULL, "operators", MANY(sums.operators, sums.n_operators, ts_shape_trace_host_sum, MANY_ROWS),
	 ABOUT("by kind of thread and self time")},
	{NULL, "python", MANY(sums.python, sums.n_python, ts_shape_trace_host_sum, MANY_ROWS),
	 ABOUT("by kind of thread and self time")},
	{NULL, "threads", MANY(sums.threads, sums.n_threads, ts_shape_host_thread, MANY_ROWS)},
};
const struct ts_shape ts_shape_trace_host = {JSON_SHAPE("trace_host", host_rows)};
#undef TYPE
