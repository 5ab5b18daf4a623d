/* shape_trace_job.c - the tables of what analyze says of a folder of traces, the ranks of a job. They are JSON only. */
#include "analysis/trace/advice/trace_answer.h"
#include "analysis/trace/ranks/job.h"
#include "proto/shape/shape_rows.h"
#include "proto/shape/shapes.h"

enum { MANY_ROWS = 1 << 30, TEXT_MAX = 4096 };

WORD_OF(file_word, enum ts_job_file_state, ts_job_file_word);
static const struct ts_shape_words file_states = {0, TS_JOB_FILE_OTHER, .word = file_word};

#define TYPE struct ts_job_file
static bool has_why(const void *in)
{
	return ((const TYPE *)in)->why;
}

static const struct ts_shape_field file_rows[] = {
	{NULL, "file", STRING(name)},
	{NULL, "state", WORD(state, file_states),
	 ABOUT("read; no_rank: read, but it names no rank; same_time: left out, because it covers the time of another trace of its "
	       "rank; "
	       "failed: a trace that cannot be read; no_trace")},
	{NULL, "reason", STRING(why), WHEN(has_why)},
	{NULL, "cut", BOOL(cut), ABOUT("the file ends too early")},
};
const struct ts_shape ts_shape_trace_file = {JSON_SHAPE("trace_job_file", file_rows)};
#undef TYPE

#define TYPE struct ts_job_spread
static const struct ts_shape_field spread_rows[] = {
	{NULL, "figure", STRING(figure)},
	{NULL, "sum_ns", U64(sum_ns), ABOUT("over ranks")},
	{NULL, "mean_ns", U64(mean_ns), ABOUT("the sum by the number of ranks, rounded down")},
	{NULL, "least_ns", U64(least_ns)},
	{NULL, "least_rank", I64(least_rank), ABOUT("the lowest of those")},
	{NULL, "most_ns", U64(most_ns)},
	{NULL, "most_rank", I64(most_rank)},
};
static const struct ts_shape shape_spread = {JSON_SHAPE("trace_job_spread", spread_rows)};
#undef TYPE

#define TYPE struct ts_job_clock
static const struct ts_shape_field clock_rows[] = {
	{NULL, "connected", BOOL(connected),
	 ABOUT("it shares collectives with the reference, the first rank, perhaps by way of others")},
	{NULL, "corrected", BOOL(corrected), ABOUT("false: its clock is taken for that of the reference")},
	{NULL, "offset_ns", I64(offset_ns), HEAD("add"), SHOW(NS_CHANGE),
	 ABOUT("to be added to its times, at the begin of the first rank's trace")},
	{NULL, "drift_ppb", I64(drift_ppb), ABOUT("and so many nanoseconds for each second since")},
	{NULL, "error_low_ns", I64(low_ns), HAS(bounded), HEAD("error from"), SHOW(NS_CHANGE), ABSENT("unknown"),
	 ABOUT("what could still be added to its times, at least, if no rank ends a collective before the last has begun it; null: the "
	       "collectives allow no correction at all")},
	{NULL, "error_high_ns", I64(high_ns), HAS(bounded), HEAD("to"), SHOW(NS_CHANGE), ABSENT("unknown"), ABOUT("and at most")},
	{NULL, "residual_ns", U64(residual_ns), HEAD("residual"), SHOW(NS),
	 ABOUT("median distance of the ends of its collectives from those of the rank that it was compared with, after correction")},
};
static const struct ts_shape shape_clock = {JSON_SHAPE("trace_job_clock", clock_rows)};
#undef TYPE

#define TYPE struct ts_job_kind
static bool has_rule(const void *in)
{
	return ((const TYPE *)in)->matched > ts_job_without_rule(in);
}

static bool has_transfer(const void *in)
{
	return has_rule(in) || ((const TYPE *)in)->transfer_ns;
}

#define COUNT(why) PLAIN(U64, uint64_t, no_rule[why])
static const struct ts_shape_field kind_rows[] = {
	{NULL, "kind", WORD(kind, ts_words_collective), HEAD("kind")},
	{NULL, "kernel_count", U64(kernels), HEAD("kernels")},
	{NULL, "sum_ns", U64(ns), HEAD("time"), ABOUT("of these kernels")},
	{NULL, "matched_count", U64(matched), HEAD("matched"),
	 ABOUT("kernels whose collective is known on all ranks, or whose send or receive is")},
	{NULL, "no_root_count", COUNT(TS_JOB_NO_ROOT), ABOUT("of these, such of which no waiting is known: the traces name no root")},
	{NULL, "no_clock_count", COUNT(TS_JOB_NO_CLOCK), ABOUT("clocks of their ranks cannot be compared")},
	{NULL, "no_rule_count", COUNT(TS_JOB_NO_KIND), ABOUT("no rule says who waits in collectives of this kind")},
	{NULL, "waiting_ns", U64(waiting_ns), WHEN(has_rule), HEAD("waiting"), ABSENT("unknown"),
	 ABOUT("for a rank that had not come, without which they could not end")},
	{NULL, "transfer_ns", U64(transfer_ns), WHEN(has_transfer), HEAD("transfer"), ABSENT("unknown"), ABOUT("after all had come")},
	{NULL, "unknown_ns", U64(unknown_ns), HEAD("unknown"),
	 ABOUT("the rest: waiting or transfer, and of kernels that are not matched all")},
};
#undef COUNT
const struct ts_shape ts_shape_job_kind = {JSON_SHAPE("trace_job_kind", kind_rows)};
#undef TYPE

#define TYPE struct ts_job_rank
#define FIGURE(of, figure) PLAIN(U64, uint64_t, of[figure])
static bool has_steps(const void *in)
{
	return ((const TYPE *)in)->steps > 0;
}

static bool is_tested(const void *in)
{
	return ((const TYPE *)in)->tested;
}

static const struct ts_shape_field mean_rows[] = {
	{NULL, "span_ns", FIGURE(step_ns, TS_JOB_SPAN)},
	{NULL, "busy_ns", FIGURE(step_ns, TS_JOB_BUSY), HEAD("busy")},
	{NULL, "idle_ns", FIGURE(step_ns, TS_JOB_IDLE)},
	{NULL, "computation_ns", FIGURE(step_ns, TS_JOB_COMPUTATION), HEAD("computation")},
	{NULL, "communication_ns", FIGURE(step_ns, TS_JOB_COMMUNICATION), HEAD("communication")},
	{NULL, "exposed_communication_ns", FIGURE(step_ns, TS_JOB_EXPOSED), HEAD("exposed")},
	{NULL, "memory_ns", FIGURE(step_ns, TS_JOB_MEMORY)},
	{NULL, "on_the_host_ns", U64(host_step_ns), HEAD("on the host")},
};
static const struct ts_shape shape_mean = {JSON_SHAPE("trace_job_step", mean_rows)};

static const struct ts_shape_field rank_rows[] = {
	{NULL, "rank", I64(rank), HEAD("rank"), LEFT},
	{NULL, "file", STRING(file), ABOUT("the first, if its profiler wrote several")},
	{NULL, "file_count", SIZE(files), ABOUT("cycles of its profiler")},
	{NULL, "host", BYTES(host, TEXT_MAX), OR_NULL, ABOUT("as the trace says, or the name of a file HOST_PID.TIME.pt.trace.json")},
	{NULL, "device_name", BYTES(device_name, TEXT_MAX), OR_NULL},
	{NULL, "recorded", ONE(recorded, ts_shape_trace_recorded), ABOUT("as its first trace says")},
	{NULL, "event_count", U64(events), HEAD("events"), ABOUT("kernels, copies and fills of memory")},
	{NULL, "span_ns", FIGURE(ns, TS_JOB_SPAN), HEAD("span"),
	 ABOUT("this and the next six: of all devices of the rank, as for one trace")},
	{NULL, "busy_ns", FIGURE(ns, TS_JOB_BUSY), HEAD("busy")},
	{NULL, "idle_ns", FIGURE(ns, TS_JOB_IDLE), HEAD("idle")},
	{NULL, "computation_ns", FIGURE(ns, TS_JOB_COMPUTATION), HEAD("computation")},
	{NULL, "communication_ns", FIGURE(ns, TS_JOB_COMMUNICATION), HEAD("communication")},
	{NULL, "exposed_communication_ns", FIGURE(ns, TS_JOB_EXPOSED), HEAD("exposed")},
	{NULL, "memory_ns", FIGURE(ns, TS_JOB_MEMORY)},
	{NULL, "waiting_ns", FIGURE(ns, TS_JOB_WAITING), HEAD("waiting"),
	 ABOUT("in matched collectives and receives, for a rank that had not come; a sum over kernels")},
	{NULL, "exposed_waiting_ns", FIGURE(ns, TS_JOB_EXPOSED_WAITING), HEAD("exposed waiting"),
	 ABOUT("the part of it in which the rank computed nothing; a union")},
	{NULL, "step_count", U64(steps), HEAD("steps")},
	{NULL, "step_mean", HERE(shape_mean), WHEN(has_steps), ABOUT("means over its steps, each of what the step launched")},
	{NULL, "own_step_ns", U64(own_ns), WHEN(is_tested), HEAD("own time"),
	 ABOUT("mean over the steps that all ranks have: the step as devices saw it, less exposed waiting")},
	{NULL, "in_time_step_ns", U64(in_time_ns), WHEN(is_tested), HEAD("step if in time"),
	 ABOUT("at least so long would a step of the job (step_ns) be if this rank came to collectives with the next to last")},
	{NULL, "clock", ONE(clock, shape_clock)},
	{NULL, "collective_count", U64(collectives), HEAD("of"), ABOUT("matched ones in which ranks wait for the last, and pairs")},
	{NULL, "last_count", U64(last), HEAD("last"), ABOUT("of these, how often it began last")},
	{NULL, "caused_ns", U64(caused_ns), HEAD("others waited"), ABOUT("what the other ranks waited when it was last")},
	{NULL, "behind_next_ns", U64(behind_ns), HEAD("behind the next"), ABOUT("how far it then came behind the next to last")},
	{NULL, "lateness_ns", U64(lateness_ns), HEAD("behind the first"),
	 ABOUT("how far it came behind the first, over all of these collectives")},
	{NULL, "kinds", FIXED(ONE, kinds), OF(ts_shape_job_kind)},
	{NULL, "straggler", BOOL(straggler), WHEN(is_tested)},
	{NULL, "slowdown_ratio", F64(slowdown), OR_NULL, ABOUT("own time above the median of the other ranks, as a share of that")},
	{NULL, "p_value", F64(p), OR_NULL, ABOUT("null: it cannot be decided")},
};
const struct ts_shape ts_shape_job_rank = {JSON_SHAPE("trace_job_rank", rank_rows)};
#undef TYPE

#define TYPE struct ts_job_group
static bool has_waits(const void *in)
{
	return ((const TYPE *)in)->waits > 0;
}

static bool has_last(const void *in)
{
	return ((const TYPE *)in)->last_times > 0;
}

static bool has_example(const void *in)
{
	return ((const TYPE *)in)->example;
}

static bool has_size(const void *in)
{
	return ((const TYPE *)in)->is.size != TS_TRACE_NONE;
}

static bool is_unnamed(const void *in)
{
	return ((const TYPE *)in)->is.ordinal >= 0 && ((const TYPE *)in)->is.stream != TS_TRACE_NO_DEVICE;
}

static const struct ts_shape_field unmatched_rows[] = {
	{NULL, "missing", FIGURE(unmatched, TS_JOB_MISSING), ABOUT("the trace of a member lacks it")},
	{NULL, "counts_differ", FIGURE(unmatched, TS_JOB_COUNTS)},
	{NULL, "kinds_differ", FIGURE(unmatched, TS_JOB_KINDS)},
	{NULL, "sizes_differ", FIGURE(unmatched, TS_JOB_SIZES)},
	{NULL, "launched_before", FIGURE(unmatched, TS_JOB_BEFORE), ABOUT("without sequence number, launched before the recording")},
	{NULL, "alone", FIGURE(unmatched, TS_JOB_ALONE), ABOUT("no other member's trace is here")},
	{NULL, "no_peer", FIGURE(unmatched, TS_JOB_PEER),
	 ABOUT("sends and receives that do not say with whom, or which of both they are")},
	{NULL, "not_one_group", FIGURE(unmatched, TS_JOB_CONTRADICTED),
	 ABOUT("of an unnamed group: some end on a rank before they begin on another")},
};
static const struct ts_shape shape_unmatched = {JSON_SHAPE("trace_job_unmatched", unmatched_rows)};

static const struct ts_shape_field group_rows[] = {
	{NULL, "name", BYTES(is.name, TEXT_MAX), OR_NULL, ABOUT("null: the traces name no group")},
	{NULL, "description", BYTES(is.about, TEXT_MAX), OR_NULL},
	{NULL, "stream", I32(is.stream), WHEN(is_unnamed),
	 ABOUT("of the first rank, where the group has no name; null: it has one, or its collectives are gloo's")},
	{NULL, "size", I64(is.size), WHEN(has_size)},
	{NULL, "ranks", LIST(I64, members, n_members, MANY_ROWS), ABOUT("that have kernels of it here")},
	{NULL, "absent_count", SIZE(absent), ABOUT("ranks of the group that have none here")},
	{NULL, "by_sequence", BOOL(by_sequence), ABOUT("matched by sequence numbers; false: by the order in each step")},
	{NULL, "matched_count", U64(collectives)},
	{NULL, "pair_count", U64(pairs), ABOUT("sends with their receives")},
	{NULL, "waiting_count", U64(waits), HEAD("collectives"),
	 ABOUT("of the collectives, such that ranks wait for the last; the figures below are of these")},
	{NULL, "skew_mean_ns", U64(skew_mean_ns), WHEN(has_waits), HEAD("mean"), ABOUT("of last begin - first begin, rounded down")},
	{NULL, "skew_p95_ns", U64(skew_p95_ns), WHEN(has_waits), HEAD("95 %"), ABOUT("by the nearest rank")},
	{NULL, "skew_max_ns", U64(skew_max_ns), WHEN(has_waits), HEAD("most")},
	{NULL, "transfer_ns", U64(transfer_ns), WHEN(has_waits), HEAD("transfer"), ABOUT("sum of last end - last begin")},
	{NULL, "last_rank", I64(last_rank), WHEN(has_last), ABOUT("most often last")},
	{NULL, "last_count", U64(last_times)},
	{NULL, "unmatched_kernels", HERE(shape_unmatched), ABOUT("by reason, over all ranks")},
	{NULL, "example", STRING(example), WHEN(has_example), ABOUT("the first of the unmatched, in words")},
};
const struct ts_shape ts_shape_job_group = {JSON_SHAPE("trace_job_group", group_rows)};
#undef TYPE

#define TYPE struct ts_job_collective
static bool has_lateness(const void *in)
{
	return ((const TYPE *)in)->lateness_ns > 0;
}

static const struct ts_shape_field collective_rows[] = {
	{NULL, "group", U32(group), ABOUT("its place in groups")},
	{NULL, "kind", WORD(kind, ts_words_collective), HEAD("kind")},
	{NULL, "sequence", I64(sequence), HAS(has_sequence)},
	{NULL, "step", I64(step), HAS(in_step)},
	{NULL, "begin_ns", I64(begin_ns), HEAD("first began at"), SHOW(NS), ABOUT("the first, by the clock of the first rank's trace")},
	{NULL, "last_rank", I64(last_rank), WHEN(has_lateness), HEAD("rank"), LEFT,
	 ABOUT("that others waited for: the root of a broadcast, else the last to begin; null: nobody waited")},
	{NULL, "lateness_ns", U64(lateness_ns), HEAD("late by"),
	 ABOUT("its begin - the first begin; of a reduce - the begin of the root")},
	{NULL, "waiting_ns", U64(waiting_ns), HEAD("others waited"), ABOUT("of all other ranks")},
	{NULL, "unknown_ns", U64(unknown_ns), ABOUT("of all ranks, before the last had begun: waiting, or the filling of buffers")},
	{NULL, "transfer_ns", U64(transfer_ns), HEAD("transfer"), ABOUT("last end - last begin")},
};
const struct ts_shape ts_shape_job_collective = {JSON_SHAPE("trace_job_collective", collective_rows)};
#undef TYPE

#define TYPE struct ts_finding
static const struct ts_shape_field advice_rows[] = {
	{NULL, "code", BYTES(code, TEXT_MAX), ABOUT("of the finding")},
	{NULL, "what", BYTES(title, TEXT_MAX)},
	{NULL, "how", BYTES(advice, TEXT_MAX)},
};
static const struct ts_shape shape_advice = {JSON_SHAPE("trace_job_advice", advice_rows)};
#undef TYPE

#define TYPE struct ts_trace_job
static bool is_undecided(const void *in)
{
	return ((const TYPE *)in)->undecided;
}

static const struct ts_shape_field job_rows[] = {
	{NULL, "folder", STRING(path), ABOUT("or the run that has the traces, as it was named")},
	{NULL, "world_size", I64(world_size), HAS(has_world_size), ABOUT("the largest that a trace says")},
	{NULL, "worlds_differ", BOOL(worlds_differ), ABOUT("traces say different sizes")},
	{NULL, "backend", BYTES(backend, TEXT_MAX), OR_NULL},
	{NULL, "device_name", BYTES(device_name, TEXT_MAX), OR_NULL, ABOUT("of the first rank that says it")},
	{NULL, "warm_up_step_count", U64(warmup.steps), ABOUT("of each trace, left out of every figure, by --warmup")},
	{NULL, "warm_up_event_count", U64(warmup.events), ABOUT("work of devices that is left out with them, of all traces")},
	{NULL, "missing_count", U64(missing_count), ABOUT("ranks of the world without a trace here")},
	{NULL, "missing_ranks", LIST(I64, missing, n_missing, TS_JOB_MISSING_SHOWN), ABOUT("the first of them")},
	{NULL, "files", MANY(files, n_files, ts_shape_trace_file, MANY_ROWS)},
	{NULL, "findings", MANY(findings.items, findings.n, ts_shape_finding, MANY_ROWS),
	 ABOUT("of the rules on traces, asked of each rank; most severe first; docs/findings.md has the rules")},
	{NULL, "advice", MANY(advice, n_advice, shape_advice, TS_TRACE_ADVICE_MAX),
	 ABOUT("what to try first: of the most severe findings that are about enough time, each time once")},
	{NULL, "unchecked", MANY(findings.unchecked, findings.n_unchecked, ts_shape_unchecked, MANY_ROWS),
	 ABOUT("rules on traces that could not be checked")},
	{NULL, "ranks", MANY(ranks, n_ranks, ts_shape_job_rank, MANY_ROWS)},
	{NULL, "spread", FIXED(ONE, spread), OF(shape_spread), ABOUT("of the times of ranks")},
	{NULL, "recordings_apart", BOOL(apart), ABOUT("the traces of two ranks do not overlap in time, as their clocks have it")},
	{NULL, "close_count", U64(close),
	 ABOUT("collectives in which the last came less behind the next to last than end_spread_p50_ns, so that either may have been "
	       "last")},
	{NULL, "violation_count", U64(violations),
	 ABOUT("collectives and pairs that end on a rank before one begins that it needs, after correction")},
	{NULL, "violation_ns", U64(violation_ns), ABOUT("the worst")},
	{NULL, "end_spread_p50_ns", U64(ends_p50_ns),
	 ABOUT("last end - first end of all-reduce, all-gather and reduce-scatter, after correction")},
	{NULL, "end_spread_p95_ns", U64(ends_p95_ns)},
	{NULL, "end_spread_max_ns", U64(ends_max_ns)},
	{NULL, "groups", MANY(groups, n_groups, ts_shape_job_group, MANY_ROWS), ABOUT("process groups")},
	{NULL, "collectives", MANY(collectives, n_collectives, ts_shape_job_collective, MANY_ROWS),
	 ABOUT("matched ones, and pairs of a send and its receive, of which is known who waits, by begin")},
	{NULL, "step_ns", U64(step_ns), ABOUT("mean over the steps that all ranks have, of the longest rank's step; 0 without any")},
	{NULL, "common_steps", LIST(I64, steps, n_steps, MANY_ROWS), ABOUT("that all ranks have")},
	{NULL, "stragglers_decidable", BOOL(decidable)},
	{NULL, "stragglers_undecided", STRING(undecided), WHEN(is_undecided), ABOUT("why")},
	{NULL, "steps_needed", U64(steps_needed), WHEN(is_undecided), ABOUT("at least")},
};
const struct ts_shape ts_shape_trace_job = {JSON_SHAPE("trace_job", job_rows)};
#undef TYPE
