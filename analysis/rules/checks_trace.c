/* checks_trace.c - rules on what devices did, by the rows of a trace. */
#include "analysis/rules/check.h"

static bool value_of(const struct ts_check *c, enum ts_measure_name what, const char *of, double *ret)
{
	return ts_measure_value(c->measures, what, ts_span_str(of), ret) && isfinite(*ret);
}

/* At least a quarter of the launches of the recording were captured for graphs and ran nothing: what devices did, and what the host
 * did around it, is how a program begins, and no sample of its work. */
bool ts_trace_is_capture(const struct ts_measures *rows)
{
	double share;

	return ts_measure_value(rows, TS_M_TRACE_CAPTURED, TS_NO_SUBJECT, &share) && share >= TS_TRACE_CAPTURED_LEAST;
}

/* There is a trace, of work as it always is; otherwise the rule does not apply, or says why it says nothing. */
static bool has_trace(struct ts_check *c)
{
	if (!ts_measure_find(c->measures, TS_M_TRACE_SHARE, ts_span_str(ts_trace_times[TS_TIME_SPAN]))) {
		ts_check_applies_not(c);
		return false;
	}
	if (!ts_trace_is_capture(c->measures))
		return true;
	ts_check_leave(c, "the trace records the capture of CUDA graphs, which is no sample of the work");
	return false;
}

/* The share of a time and the time itself. */
static bool need_time(struct ts_check *c, enum ts_trace_time what, double *ret_share, double *ret_seconds)
{
	return ts_check_need_of(c, TS_M_TRACE_SHARE, ts_trace_times[what], ret_share) &&
	       ts_check_need_of(c, TS_M_TRACE_TIME, ts_trace_times[what], ret_seconds);
}

/* The trace itself may know of ranks or of communication that the run does not tell of. */
static bool may_communicate(struct ts_check *c)
{
	double n;

	return (value_of(c, TS_M_TRACE_WORLD_SIZE, "", &n) && n > 1) ||
	       (value_of(c, TS_M_TRACE_TIME, ts_trace_times[TS_TIME_COMMUNICATION], &n) && n > 0) || ts_check_ranks(c);
}

void ts_check_exposed_comm(struct ts_check *c)
{
	double share, seconds, span, overlapped;
	const char *rest = "", *waiting = "";

	if (!may_communicate(c))
		return;
	if (!ts_measure_find(c->measures, TS_M_TRACE_SHARE, ts_span_str(ts_trace_times[TS_TIME_SPAN]))) {
		ts_check_leave(c, "there is no trace of the PyTorch profiler, which the rule needs");
		return;
	}
	if (!has_trace(c) || !need_time(c, TS_TIME_EXPOSED_COMMUNICATION, &share, &seconds) ||
	    !ts_check_need_of(c, TS_M_TRACE_TIME, ts_trace_times[TS_TIME_SPAN], &span))
		return;
	if (share < ts_check_threshold(c, "min_share"))
		return;
	if (ts_check_want(c, TS_M_TRACE_OVERLAP, &overlapped))
		rest = ts_arena_phrase(c->arena, "; %s of the communication is overlapped", ts_say_percent(overlapped).text);
	if (!ts_measure_find(c->measures, TS_M_TRACE_SHARE, ts_span_str(ts_trace_times[TS_TIME_EXPOSED_WAITING])))
		waiting = "; how much of that is waiting for other ranks, traces of all ranks in one folder would tell";
	ts_check_worse(c, share);
	ts_check_fire(c, ts_severity_from(share, ts_check_threshold(c, "high_share")),
		      "Communication that overlaps with no computation takes %s of the devices' time, %s of %s%s%s",
		      ts_say_percent(share).text, ts_say_seconds(seconds).text, ts_say_seconds(span).text, rest,
		      waiting);
}

/* Why a device was idle is known only of events whose launching call the trace has. */
static bool knows_calls(struct ts_check *c)
{
	double without, events;

	if (!ts_check_need(c, TS_M_TRACE_EVENTS, &events) || !ts_check_need(c, TS_M_TRACE_UNLAUNCHED, &without))
		return false;
	if (events < ts_check_threshold(c, "min_events")) {
		ts_check_leave(c, "the trace has only %s of devices, and the rule needs %s", ts_say_plural(events, "event").text,
			       ts_say_count(ts_check_threshold(c, "min_events")).text);
		return false;
	}
	if (without <= ts_check_threshold(c, "max_unlaunched"))
		return true;
	ts_check_leave(c, "the trace lacks the calls that launched %s of its events", ts_say_percent(without).text);
	return false;
}

/* What a few gaps alone make, such as a compilation in the recording, may be what no step has again: without them the share must be as
 * much. doing: "idle for the host". */
static bool is_few_gaps(struct ts_check *c, enum ts_trace_time longest_of, double share, const char *doing)
{
	double longest, seconds, least = ts_check_threshold(c, "min_share");

	if (!value_of(c, TS_M_TRACE_SHARE, ts_trace_times[longest_of], &longest) ||
	    !value_of(c, TS_M_TRACE_TIME, ts_trace_times[longest_of], &seconds) || share - longest >= least)
		return false;
	ts_check_leave(c, "without the longest gaps, %s, the device is %s for %s of its time, which is below the threshold of %s",
		       ts_say_seconds(seconds).text, doing, ts_say_percent(share - longest > 0 ? share - longest : 0).text,
		       ts_say_percent(least).text);
	return true;
}

/* A part of the time in which the device waits for the host; when: "while the host is in a data loader". */
static void idle_for_host(struct ts_check *c, enum ts_trace_time what, enum ts_trace_time longest_of, const char *when)
{
	double share, seconds;

	if (!has_trace(c) || !need_time(c, what, &share, &seconds) || !knows_calls(c))
		return;
	if (share < ts_check_threshold(c, "min_share") || is_few_gaps(c, longest_of, share, "idle for the host"))
		return;
	ts_check_worse(c, share);
	ts_check_fire(c, ts_severity_from(share, ts_check_threshold(c, "high_share")), "The device is idle for %s of its time, %s, %s",
		      ts_say_percent(share).text, ts_say_seconds(seconds).text, when);
}

void ts_check_host_bound(struct ts_check *c)
{
	idle_for_host(c, TS_TIME_IDLE_HOST, TS_TIME_IDLE_HOST_LONGEST, "before the host asks for the next work");
}

void ts_check_loader(struct ts_check *c)
{
	idle_for_host(c, TS_TIME_IDLE_LOADING, TS_TIME_IDLE_LOADING_LONGEST, "while the host is in a data loader");
}

void ts_check_sync(struct ts_check *c)
{
	double share, seconds;
	struct ts_span source;
	const char *rest = "";

	if (!has_trace(c) || !need_time(c, TS_TIME_IDLE_AFTER_WAITS, &share, &seconds) || !knows_calls(c))
		return;
	if (share < ts_check_threshold(c, "min_share") ||
	    is_few_gaps(c, TS_TIME_IDLE_AFTER_WAITS_LONGEST, share, "idle after waits of the host"))
		return;
	source = ts_check_text(c, TS_M_TRACE_WAIT_SOURCE);
	if (source.len)
		rest = ts_arena_phrase(c->arena, "; most often it waited at %.*s", TS_SPAN_ARG(source));
	ts_check_worse(c, share);
	ts_check_fire(c, ts_severity_from(share, ts_check_threshold(c, "high_share")),
		      "The device is idle for %s of its time, %s, after the host waited for it%s", ts_say_percent(share).text,
		      ts_say_seconds(seconds).text, rest);
}

void ts_check_launch_bound(struct ts_check *c)
{
	double share, seconds, mean;
	const char *rest = "";

	if (!has_trace(c) || !need_time(c, TS_TIME_IDLE_LAUNCH, &share, &seconds) || !knows_calls(c))
		return;
	if (share < ts_check_threshold(c, "min_share") || is_few_gaps(c, TS_TIME_IDLE_LAUNCH_LONGEST, share, "idle during launches"))
		return;
	if (ts_check_want(c, TS_M_TRACE_KERNEL_MEAN, &mean))
		rest = ts_arena_phrase(c->arena, "; a kernel takes %s on average", ts_say_seconds(mean).text);
	ts_check_worse(c, share);
	ts_check_fire(c, ts_severity_from(share, ts_check_threshold(c, "high_share")),
		      "From the call to the begin of the work the device is idle for %s of its time, %s%s", ts_say_percent(share).text,
		      ts_say_seconds(seconds).text, rest);
}

void ts_check_first_launch(struct ts_check *c)
{
	double share, seconds;

	if (!has_trace(c) || !need_time(c, TS_TIME_IDLE_FIRST_LAUNCH, &share, &seconds))
		return;
	if (share < ts_check_threshold(c, "min_share"))
		return;
	ts_check_worse(c, share);
	ts_check_fire(
		c, TS_SEVERITY_LOW,
		"For calls of a millisecond and more that load the modules of kernels at their first launch, or set the device up, "
		"the device waited for %s of its time, %s",
		ts_say_percent(share).text, ts_say_seconds(seconds).text);
}

void ts_check_copies(struct ts_check *c)
{
	double share, seconds;

	if (!has_trace(c) || !need_time(c, TS_TIME_EXPOSED_COPIES, &share, &seconds))
		return;
	if (share < ts_check_threshold(c, "min_share"))
		return;
	ts_check_worse(c, share);
	ts_check_fire(c, ts_severity_from(share, ts_check_threshold(c, "high_share")),
		      "Copies that overlap with no other work take %s of the devices' time, %s", ts_say_percent(share).text,
		      ts_say_seconds(seconds).text);
}

/* takes: "Fills of memory take". */
static void part_of_work(struct ts_check *c, enum ts_trace_time what, enum ts_severity severity, const char *takes)
{
	double share, seconds;

	if (!has_trace(c) || !need_time(c, what, &share, &seconds))
		return;
	if (share < ts_check_threshold(c, "min_share"))
		return;
	ts_check_worse(c, share);
	ts_check_fire(c, severity, "%s %s of the sum of all work, %s", takes, ts_say_percent(share).text, ts_say_seconds(seconds).text);
}

void ts_check_fills(struct ts_check *c)
{
	part_of_work(c, TS_TIME_FILLS, TS_SEVERITY_LOW, "Fills of memory take");
}

void ts_check_elementwise(struct ts_check *c)
{
	part_of_work(c, TS_TIME_ELEMENTWISE, TS_SEVERITY_LOW,
		     "Elementwise kernels, casts and transposes among them, that nothing fused take");
}

void ts_check_math_attention(struct ts_check *c)
{
	part_of_work(c, TS_TIME_MATH_ATTENTION, TS_SEVERITY_MEDIUM, "Attention that computes all scores takes");
}

void ts_check_recompiled(struct ts_check *c)
{
	double share, seconds, regions;
	const char *rest = "";

	if (!has_trace(c) || !ts_check_need(c, TS_M_TRACE_COMPILE_SHARE, &share) ||
	    !ts_check_need(c, TS_M_TRACE_COMPILE_TIME, &seconds))
		return;
	if (share < ts_check_threshold(c, "min_share"))
		return;
	if (ts_check_want(c, TS_M_TRACE_RECOMPILED, &regions) && regions > 0)
		rest = ts_arena_phrase(c->arena, "; of what ran compiled, %s come from a function that had been compiled before",
				       ts_say_plural(regions, "region").text);
	ts_check_worse(c, share);
	ts_check_fire(c, ts_severity_from(share, ts_check_threshold(c, "high_share")),
		      "The host compiles for %s of the time of the trace, %s%s", ts_say_percent(share).text,
		      ts_say_seconds(seconds).text, rest);
}

/* Only the traces of several ranks say it. */
void ts_check_waiting(struct ts_check *c)
{
	double share, seconds, rank, part;
	const char *rest = "";

	if (!ts_measure_find(c->measures, TS_M_TRACE_SHARE, ts_span_str(ts_trace_times[TS_TIME_EXPOSED_WAITING]))) {
		ts_check_applies_not(c);
		return;
	}
	if (!need_time(c, TS_TIME_EXPOSED_WAITING, &share, &seconds) || share < ts_check_threshold(c, "min_share"))
		return;
	if (ts_check_want(c, TS_M_TRACE_WAITED_RANK, &rank) && ts_check_want(c, TS_M_TRACE_WAITED_SHARE, &part))
		rest = ts_arena_phrase(c->arena,
				       "; of all ranks, rank %.0f is the one that others waited for longest: %s of all their waiting",
				       rank, ts_say_percent(part).text);
	ts_check_worse(c, share);
	ts_check_fire(c, ts_severity_from(share, ts_check_threshold(c, "high_share")),
		      "The device waits in communication for ranks that have not come, and computes nothing, for %s of its time, %s%s",
		      ts_say_percent(share).text, ts_say_seconds(seconds).text, rest);
}
