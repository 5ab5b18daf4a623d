/* shape_trace.c - the tables of what analyze says of a profiler's trace that stands alone. They are JSON only: the command reads the
 * file itself. */
#include "analysis/trace/advice/trace_answer.h"
#include "analysis/trace/device/kernel_units.h"
#include "proto/shape/shape_rows.h"

enum { MANY_ROWS = 1 << 25, PATH_MAX_BYTES = 4096 };

#define TYPE struct ts_timeline_collective
static const struct ts_shape_field collective_rows[] = {
	{NULL, "kind", WORD(kind, ts_words_collective), HEAD("kind")},
	{NULL, "event_count", U64(events), HEAD("events")},
	{NULL, "busy_ns", U64(ns), HEAD("time"), ABOUT("the union of its events")},
	{NULL, "exposed_ns", U64(exposed_ns), HEAD("exposed"), ABOUT("that less computation")},
};
const struct ts_shape ts_shape_trace_collective = {JSON_SHAPE("trace_collective", collective_rows)};
#undef TYPE

#define TYPE struct ts_timeline
static bool has_events(const void *in)
{
	return ((const TYPE *)in)->events > 0;
}

static bool has_communication(const void *in)
{
	return ((const TYPE *)in)->communications > 0;
}

static const struct ts_shape_field timeline_rows[] = {
	{NULL, "event_count", U64(events), HEAD("events"), ABOUT("kernels, copies and fills of memory")},
	{NULL, "computation_count", U64(computations), ABOUT("kernels that are no communication, and fills")},
	{NULL, "communication_count", U64(communications)},
	{NULL, "copy_count", U64(copies)},
	{NULL, "fill_count", U64(fills)},
	{NULL, "begin_ns", I64(begin_ns), WHEN(has_events), ABOUT("since base_ns; null: there are no events")},
	{NULL, "end_ns", I64(end_ns), WHEN(has_events)},
	{NULL, "span_ns", U64(span_ns), HEAD("span"), ABOUT("from the first begin to the last end")},
	{NULL, "busy_ns", U64(busy_ns), HEAD("busy"), ABOUT("the union of all events")},
	{NULL, "idle_ns", U64(idle_ns), ABOUT("the span less busy")},
	{NULL, "sum_ns", U64(sum_ns), ABOUT("of all durations, what ran at once counted twice")},
	{NULL, "computation_ns", U64(computation_ns), HEAD("computation")},
	{NULL, "communication_ns", U64(communication_ns), HEAD("communication")},
	{NULL, "exposed_communication_ns", U64(exposed_communication_ns), HEAD("exposed"), ABOUT("communication less computation")},
	{NULL, "overlapped_communication_ns", U64(overlapped_communication_ns)},
	{NULL, "memory_ns", U64(memory_ns), HEAD("copies"), ABOUT("the union of copies")},
	{NULL, "exposed_memory_ns", U64(exposed_memory_ns), ABOUT("copies less computation and communication")},
	{NULL, "collectives", FIXED(ONE, collectives), OF(ts_shape_trace_collective), WHEN(has_communication),
	 ABOUT("by kind; null: there is no communication")},
};
static const struct ts_shape ts_shape_timeline = {JSON_SHAPE("trace_timeline", timeline_rows)};
#undef TYPE

#define TYPE struct ts_timeline_of
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

static const struct ts_shape_field place_rows[] = {
	{NULL, "device", I32(device), WHEN(of_device), HEAD("device"), LEFT},
	{NULL, "stream", I32(stream), WHEN(of_stream), HEAD("stream"), LEFT, ABSENT_OF(no_stream),
	 ABOUT("null: all streams of the device, or unknown")},
	{NULL, "all_streams", BOOL(all_streams), ABOUT("false and no stream: the trace does not say the stream")},
	{NULL, "timeline", ONE(timeline, ts_shape_timeline)},
};
const struct ts_shape ts_shape_trace_place = {JSON_SHAPE("trace_place", place_rows)};
#undef TYPE

static const char *phase_word(int value)
{
	return ts_step_phase_word((enum ts_step_phase)value);
}
static const struct ts_shape_words step_phases = {0, TS_STEP_PHASES - 1, 0, .word = phase_word};

#define TYPE struct ts_step_phase_sum
static const struct ts_shape_field step_phase_rows[] = {
	{NULL, "phase", WORD(phase, step_phases), HEAD("phase"), LEFT},
	{NULL, "step_count", U64(steps), HEAD("steps")},
	{NULL, "request_count", U64(requests), HAS(has_requests), HEAD("requests"), ABOUT("of all steps; null: one does not say it")},
	{NULL, "token_count", U64(tokens), HAS(has_tokens), HEAD("tokens"), ABOUT("of all steps; null: one does not say it")},
	{NULL, "host_ns", U64(host_ns), HEAD("on the host"), ABOUT("of all steps, on the host")},
	{NULL, "busy_ns", U64(busy_ns), HEAD("devices busy"), ABOUT("with what each step launched, added up")},
};
const struct ts_shape ts_shape_step_phase = {JSON_SHAPE("trace_step_phase", step_phase_rows)};
#undef TYPE

#define TYPE struct ts_timeline_step
static const struct ts_shape_field step_rows[] = {
	{NULL, "step", I64(number), HEAD("step"), LEFT, ABOUT("the N of ProfilerStep#N; iterations of a server count from 0")},
	{NULL, "phase", WORD(said.phase, step_phases), HEAD("phase")},
	{NULL, "request_count", U64(said.requests), HAS(said.has_requests), HEAD("requests")},
	{NULL, "token_count", U64(said.tokens), HAS(said.has_tokens), HEAD("tokens")},
	{NULL, "start_ns", I64(start_ns)},
	{NULL, "duration_ns", U64(duration_ns), HEAD("on the host"), ABOUT("on the host")},
	{NULL, "timeline", ONE(timeline, ts_shape_timeline), ABOUT("of what the step launched, on all devices")},
};
const struct ts_shape ts_shape_trace_step = {JSON_SHAPE("trace_step", step_rows)};
#undef TYPE

#define TYPE struct ts_idle
static bool idle_of_stream(const void *in)
{
	return ((const TYPE *)in)->stream != TS_TRACE_NO_DEVICE;
}

static bool idle_of_device(const void *in)
{
	return ((const TYPE *)in)->device != TS_TRACE_NO_DEVICE;
}

static const char *idle_no_stream(const void *in)
{
	return ((const TYPE *)in)->all_streams ? "all" : "unknown";
}

static bool has_gaps(const void *in)
{
	return ((const TYPE *)in)->gaps > 0;
}

static const struct ts_shape_field idle_rows[] = {
	{NULL, "device", I32(device), WHEN(idle_of_device), HEAD("device"), LEFT},
	{NULL, "stream", I32(stream), WHEN(idle_of_stream), HEAD("stream"), LEFT, ABSENT_OF(idle_no_stream),
	 ABOUT("null: the whole device, or unknown")},
	{NULL, "all_streams", BOOL(all_streams), ABOUT("false and no stream: the trace does not say the stream")},
	{NULL, "gap_count", U64(gaps), HEAD("gaps")},
	{NULL, "idle_ns", U64(idle_ns), HEAD("idle"), ABOUT("the sum of the five below")},
	{NULL, "host_ns", U64(host_ns), HEAD("host"), ABOUT("before the host asked for the next event")},
	{NULL, "launch_ns", U64(launch_ns), HEAD("launch"), ABOUT("from the call to the begin of the event, where nothing was queued")},
	{NULL, "behind_ns", U64(behind_ns), HEAD("behind others"),
	 ABOUT("the event was queued, and other streams of the device were busy")},
	{NULL, "queued_ns", U64(queued_ns), HEAD("queued"), ABOUT("the event was queued, and the device was idle")},
	{NULL, "unknown_ns", U64(unknown_ns), HEAD("unknown"), ABOUT("the trace does not have the call")},
	{NULL, "longest_ns", U64(longest_ns)},
	{NULL, "longest_at_ns", I64(longest_at_ns), WHEN(has_gaps)},
};
const struct ts_shape ts_shape_trace_idle = {JSON_SHAPE("trace_idle", idle_rows)};
#undef TYPE

static const char *category_word(int value)
{
	return ts_sum_category_word((uint32_t)value);
}
static const struct ts_shape_words categories = {0, TS_SUM_CATEGORIES - 1, .word = category_word};

#define TYPE struct ts_kernel_sum
static bool has_bytes(const void *in)
{
	return ((const TYPE *)in)->category >= TS_SUM_COPY && ((const TYPE *)in)->bytes;
}

static bool has_category(const void *in)
{
	return ((const TYPE *)in)->name.data && ((const TYPE *)in)->category < TS_SUM_COPY;
}

WORD_OF(by_word, enum ts_kernel_by, ts_kernel_by_word);
WORD_OF(confidence_word, enum ts_kernel_by, ts_kernel_confidence_word);
static const struct ts_shape_words bys = {0, TS_KERNEL_BYS - 1, .word = by_word};
WORD_OF(units_word, enum ts_kernel_units, ts_kernel_units_word);
static const struct ts_shape_words units = {0, TS_UNITS_SINGLE, .word = units_word};
static const struct ts_shape_words confidences = {0, TS_KERNEL_BYS - 1, .word = confidence_word, .prose = true};

static bool says_units(const void *in)
{
	return ((const TYPE *)in)->units != TS_UNITS_UNKNOWN;
}

static const struct ts_shape_field sum_rows[] = {
	{NULL, "name", BYTES(name, PATH_MAX_BYTES), OR_NULL, HEAD("name"), SHOW(KERNEL), NARROW(20),
	 ABOUT("null: all names of the category")},
	{NULL, "category", .kind = TS_SHAPE_WORD, AT(category), .words = &categories, HEAD("category")},
	{NULL, "category_by", WORD(by, bys), WHEN(has_category),
	 ABOUT("what told it: a word of the name, the grammar of a library's names, the operator that launched it, the user's table")},
	{NULL, "category_confidence", .kind = TS_SHAPE_WORD, AT(by), .words = &confidences, WHEN(has_category),
	 ABOUT("high, medium or low")},
	{NULL, "category_evidence", BYTES(evidence, PATH_MAX_BYTES), OR_NULL, WHEN(has_category),
	 ABOUT("the pattern, or the name of the operator; null: nothing told it")},
	{NULL, "units", WORD(units, units), WHEN(says_units),
	 ABOUT("matrix: on tensor cores or matrix cores, single: not; by the name; null: it does not say")},
	{NULL, "count", U64(count), HEAD("count")},
	{NULL, "sum_ns", U64(sum_ns), HEAD("sum"), SHARE("share")},
	{NULL, "max_ns", U64(max_ns), HEAD("longest")},
	{NULL, "byte_count", U64(bytes), WHEN(has_bytes), ABOUT("of copies and fills, where the trace says so")},
};
const struct ts_shape ts_shape_trace_kernel_sum = {JSON_SHAPE("trace_kernel", sum_rows)};
#undef TYPE

#define TYPE struct ts_trace_notice
static const struct ts_shape_field notice_rows[] = {
	{NULL, "code", STRING(code), ABOUT("docs/trace.md has what each means")},
	{NULL, "skipped", BOOL(skipped), ABOUT("true: something is left out; false: nothing was lost")},
	{NULL, "count", U64(count)},
	{NULL, "detail", BYTES(detail, PATH_MAX_BYTES), OR_NULL, ABOUT("of the first case")},
};
static const struct ts_shape ts_shape_notice = {JSON_SHAPE("trace_notice", notice_rows)};
#undef TYPE

#define TYPE struct ts_trace_advice
static const struct ts_shape_field advice_rows[] = {
	{NULL, "code", BYTES(code, PATH_MAX_BYTES), ABOUT("of the finding")},
	{NULL, "what", BYTES(what, PATH_MAX_BYTES)},
	{NULL, "how", BYTES(how, PATH_MAX_BYTES)},
	{NULL, "saves_most_ns", U64(saves_most_ns), ABOUT("of the time of all devices")},
};
static const struct ts_shape ts_shape_advice = {JSON_SHAPE("trace_advice", advice_rows)};
#undef TYPE

#define TYPE struct ts_trace_other
static const struct ts_shape_field other_rows[] = {
	{NULL, "category", BYTES(category, PATH_MAX_BYTES), OR_NULL},
	{NULL, "count", U64(count)},
};
static const struct ts_shape ts_shape_other = {JSON_SHAPE("trace_other", other_rows)};
#undef TYPE

#define TYPE struct ts_trace_answer
static const struct ts_shape_field answer_rows[] = {
	{NULL, "trace", STRING(path)},
	{NULL, "rank", I64(rank), HAS(has_rank), ABOUT("null: the trace does not say it")},
	{NULL, "world_size", I64(world_size), HAS(has_world_size)},
	{NULL, "backend", BYTES(backend, PATH_MAX_BYTES), OR_NULL},
	{NULL, "device_name", BYTES(device_name, PATH_MAX_BYTES), OR_NULL, ABOUT("of the first device")},
	{NULL, "recorded", ONE(recorded, ts_shape_trace_recorded), ABOUT("as the trace says")},
	{NULL, "base_ns", I64(base_ns), ABOUT("what is to be added to a time for the nanoseconds since 1970")},
	{NULL, "cut", BOOL(cut), ABOUT("the file ends too early")},
	{NULL, "event_count", U64(events), ABOUT("of all kinds, in the file")},
	{NULL, "warm_up_step_count", U64(warmup.steps), ABOUT("left out of every figure, by --warmup: the first that the trace marks")},
	{NULL, "warm_up_event_count", U64(warmup.events), ABOUT("work of devices that is left out with them")},
	{NULL, "operator_count", U64(operators)},
	{NULL, "python_count", U64(python)},
	{NULL, "annotation_count", U64(annotations)},
	{NULL, "runtime_count", U64(runtime), ABOUT("calls of CUDA, HIP or another platform, or of their drivers")},
	{NULL, "kernel_count", U64(kernels)},
	{NULL, "copy_count", U64(copies)},
	{NULL, "fill_count", U64(fills)},
	{NULL, "others", MANY(others, n_others, ts_shape_other, MANY_ROWS),
	 ABOUT("spans of categories that are not read, which count as no work of a device")},
	{NULL, "flow_count", U64(flows)},
	{NULL, "allocation_count", U64(allocations)},
	{NULL, "counter_count", U64(counters)},
	{NULL, "advice", MANY(verdict.advice, verdict.n_advice, ts_shape_advice, TS_TRACE_ADVICE_MAX), ABOUT("what saves most first")},
	{NULL, "findings", MANY(verdict.findings.items, verdict.findings.n, ts_shape_finding, MANY_ROWS),
	 ABOUT("most severe first; docs/findings.md has the rules")},
	{NULL, "unchecked", MANY(verdict.findings.unchecked, verdict.findings.n_unchecked, ts_shape_unchecked, MANY_ROWS),
	 ABOUT("rules on traces that could not be checked")},
	{NULL, "measures", ONE(verdict.measures, ts_shape_measures)},
	{NULL, "unknown", ONE(verdict.measures, ts_shape_unknown)},
	{NULL, "timeline", ONE(lines.all, ts_shape_timeline), ABOUT("of all devices")},
	{NULL, "launched_timeline", ONE(lines.launched, ts_shape_timeline), ABOUT("of the events whose launching call the trace has")},
	{NULL, "unlaunched_count", U64(lines.unlaunched), ABOUT("events whose call it does not have")},
	{NULL, "devices", MANY(lines.devices, lines.n_devices, ts_shape_trace_place, MANY_ROWS)},
	{NULL, "streams", MANY(lines.streams, lines.n_streams, ts_shape_trace_place, MANY_ROWS)},
	{NULL, "steps", MANY(lines.steps, lines.n_steps, ts_shape_trace_step, MANY_ROWS)},
	{NULL, "phases", MANY(lines.phases, lines.n_phases, ts_shape_step_phase, MANY_ROWS), ABOUT("of the steps of a server")},
	{NULL, "between_steps", ONE(lines.between, ts_shape_timeline), ABOUT("of what no step launched")},
	{NULL, "idle", MANY(idle, n_idle, ts_shape_trace_idle, MANY_ROWS), ABOUT("by cause; a row for each device and each stream")},
	{NULL, "kernel_sum_ns", U64(sums.sum_ns), ABOUT("of all kernels, copies and fills")},
	{NULL, "categories", MANY(sums.categories, sums.n_categories, ts_shape_trace_kernel_sum, MANY_ROWS),
	 ABOUT("the longest first")},
	{NULL, "kernels", MANY(sums.names, sums.n_names, ts_shape_trace_kernel_sum, MANY_ROWS), ABOUT("the longest first")},
	{NULL, "host", ONE(host, ts_shape_trace_host)},
	{NULL, "critical_path", ONE(critical, ts_shape_trace_path)},
	{NULL, "work", ONE(work, ts_shape_trace_work)},
	{NULL, "graphs", ONE(graphs, ts_shape_graph_work), HAS(has_graphs),
	 ABOUT("what graphs ran, by their capture; null: no --capture")},
	{NULL, "memory", MANY(memory, n_memory, ts_shape_allocation_place, MANY_ROWS),
	 ABOUT("what operators allocated, where the profiler recorded it (profile_memory=True)")},
	{NULL, "notices", MANY(notices, n_notices, ts_shape_notice, MANY_ROWS), ABOUT("what was left out or mended")},
};
const struct ts_shape ts_shape_trace = {JSON_SHAPE("trace", answer_rows)};
#undef TYPE
