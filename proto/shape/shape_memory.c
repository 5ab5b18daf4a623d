/* shape_memory.c - the tables of the answer about a memory snapshot, which has only JSON: it is made where the file lies. */
#include "analysis/snapshot/memory_answer.h"
#include "analysis/snapshot/scaling.h"
#include "proto/shape/shape_rows.h"

static const char *kind_word(int value)
{
	return ts_memory_kind_word((enum ts_memory_kind)value);
}
const struct ts_shape_words ts_words_memory_kind = {0, TS_MEMORY_KINDS - 1, 0, .word = kind_word};

#define TYPE struct ts_memory_who
static bool has_line(const void *in)
{
	return ((const struct ts_memory_who *)in)->line > 0;
}
static bool has_size(const void *in)
{
	return ((const struct ts_memory_who *)in)->size > 0;
}
static const struct ts_shape_field source_rows[] = {
	{NULL, "function", BYTES(function, 0), OR_NULL, HEAD("function"), NARROW(20)},
	{NULL, "file", BYTES(file, 0), OR_NULL},
	{NULL, "line", I64(line), WHEN(has_line)},
	{NULL, "module", BYTES(module, 0), OR_NULL},
};
static const struct ts_shape source_shape = {JSON_SHAPE("memory_source", source_rows)};
static const struct ts_shape_field who_rows[] = {
	{NULL, FLAT, HERE(source_shape)},
	{NULL, "kind", WORD(kind, ts_words_memory_kind), HEAD("kind"), ABOUT("of most of the bytes")},
	{NULL, "bytes", U64(bytes), HEAD("bytes"), STRONG},
	{NULL, "count", U64(count), HEAD("in")},
	{NULL, "largest_bytes", U64(largest)},
	{NULL, "calls", BYTES(calls, 0), OR_NULL, ABOUT("in a list by stack: its Python frames, the innermost first")},
	{NULL, "size_bytes", U64(size), WHEN(has_size), ABOUT("in a list by size: of each")},
};
const struct ts_shape ts_shape_memory_who = {JSON_SHAPE("memory_holder", who_rows)};
#undef TYPE

#define TYPE struct ts_memory_whos
static const struct ts_shape_field whos_rows[] = {
	{NULL, "rows", MANY(items, n, ts_shape_memory_who, TS_MEMORY_HOLDERS)},
	{NULL, "more_count", SIZE(more), ABOUT("smaller ones that are not listed")},
};
const struct ts_shape ts_shape_memory_whos = {JSON_SHAPE("memory_holders", whos_rows)};
#undef TYPE

#define TYPE struct ts_memory_kind_sum
static const struct ts_shape_field kind_rows[] = {
	{NULL, "kind", WORD(kind, ts_words_memory_kind)},
	{NULL, "at_peak_bytes", U64(at_peak), HAS(traced)},
	{NULL, "at_end_bytes", U64(at_end)},
	{NULL, "churned_bytes", U64(churned), HAS(traced)},
};
static const struct ts_shape kind_shape = {JSON_SHAPE("memory_kind", kind_rows)};
#undef TYPE

#define TYPE struct ts_replay_point
static bool point_timed(const void *in)
{
	return ((const struct ts_replay_point *)in)->time_us != INT64_MIN;
}
static const struct ts_shape_field point_rows[] = {
	{NULL, "event", U32(first)},
	{NULL, "time_us", I64(time_us), WHEN(point_timed)},
	{NULL, "requested_min_bytes", U64(requested_min)},
	{NULL, "requested_max_bytes", U64(requested_max)},
	{NULL, "reserved_max_bytes", U64(reserved_max)},
};
static const struct ts_shape point_shape = {JSON_SHAPE("memory_point", point_rows)};
#undef TYPE

#define TYPE struct ts_replay
static bool in_events(const void *in)
{
	return ((const struct ts_replay *)in)->n_events > 0;
}
static bool peak_in_events(const void *in)
{
	return ((const struct ts_replay *)in)->peak_event != TS_REPLAY_BEFORE;
}
static const struct ts_shape_field end_rows[] = {
	{NULL, "reserved_bytes", U64(reserved)},
	{NULL, "allocated_bytes", U64(allocated)},
	{NULL, "active_bytes", U64(active)},
	{NULL, "requested_bytes", U64(requested)},
	{NULL, "rounding_bytes", U64(rounding)},
	{NULL, "segment_count", U32(n_segments)},
	{NULL, "in_use_count", U32(n_in_use)},
};
static const struct ts_shape end_shape = {JSON_SHAPE("memory_end", end_rows)};
static const struct ts_shape_field history_rows[] = {
	{NULL, "event_count", U32(n_events)},
	{NULL, "baseline_bytes", U64(baseline), WHEN(in_events), ABOUT("requested before the first event")},
	{NULL, "baseline_error_bytes", U64(baseline_error), WHEN(in_events), ABOUT("by which events and blocks contradict each other")},
	{NULL, "peak_bytes", U64(peak), WHEN(in_events), ABOUT("requested")},
	{NULL, "peak_event", U32(peak_event), WHEN(peak_in_events), ABOUT("null: it was there before the first event")},
	{NULL, "reserved_peak_bytes", U64(reserved_peak), WHEN(in_events)},
	{NULL, "freed_before_bytes", U64(freed_before), WHEN(in_events),
	 ABOUT("of lives from before the first event that the events free")},
	{NULL, "backward_time_count", U32(n_back), ABOUT("events whose time lies before the one in front of them")},
	{NULL, "timeline", MANY(points, n_points, point_shape, 480)},
};
static const struct ts_shape history_shape = {JSON_SHAPE("memory_history", history_rows)};
#undef TYPE

#define TYPE struct ts_fragment_class
static const struct ts_shape_field class_rows[] = {
	{NULL, "segment_count", U32(n)},
	{NULL, "reserved_bytes", U64(reserved)},
	{NULL, "free_bytes", U64(free)},
};
static const struct ts_shape class_shape = {JSON_SHAPE("memory_segments", class_rows)};
#undef TYPE

#define TYPE struct ts_fragments
static const struct ts_shape_field fragment_rows[] = {
	{NULL, "free_bytes", U64(free)},
	{NULL, "cached_bytes", U64(cached), ABOUT("empty_cache returns them")},
	{NULL, "page_bytes", U64(pages), ABOUT("of expandable segments, which empty_cache unmaps")},
	{NULL, "stuck_bytes", U64(stuck), ABOUT("fragmentation that empty_cache does not cure")},
	{NULL, "private_pool_bytes", U64(in_pools), ABOUT("of the stuck ones")},
	{NULL, "largest_bytes", U64(largest)},
	{NULL, "cached_segment_count", U32(n_cached)},
	{NULL, "pinned_count", U32(n_pinned), ABOUT("blocks in use of less than 2 MiB between two free ones")},
	{NULL, "pinned_bytes", U64(pinned)},
	{NULL, "expandable_segment_count", U32(n_expandable)},
	{NULL, "expandable_reserved_bytes", U64(expandable)},
	{NULL, "segments_by_size", FIXED(ONE, classes), OF(class_shape),
	 ABOUT("below 2 MiB, 64 MiB, 256 MiB and 1 GiB, and from there on")},
};
static const struct ts_shape fragments_shape = {JSON_SHAPE("memory_free", fragment_rows)};
#undef TYPE

#define TYPE struct ts_memory_gap
static const struct ts_shape_field gap_rows[] = {
	{NULL, "bytes", U64(bytes)},
	{NULL, "segment_bytes", U64(segment)},
	{NULL, "before", ONE(before, source_shape)},
	{NULL, "after", ONE(after, source_shape)},
};
static const struct ts_shape gap_shape = {JSON_SHAPE("memory_gap", gap_rows)};
#undef TYPE

#define TYPE struct ts_allocator
static const struct ts_shape_field allocator_rows[] = {
	{NULL, "taken_count", U64(n_taken), ABOUT("segment_alloc and segment_map")},
	{NULL, "taken_bytes", U64(taken)},
	{NULL, "given_back_count", U64(n_given), ABOUT("segment_free and segment_unmap")},
	{NULL, "given_back_bytes", U64(given)},
	{NULL, "retry_count", U64(n_retries)},
	{NULL, "retried_bytes", U64(retried)},
	{NULL, "device_most_us", I64(most_us), HAS(timed), ABOUT("between each of these events and the one before it, together")},
	{NULL, "retry_least_us", I64(retry_us), HAS(timed), ABOUT("from the first segment given back to the one asked for, together")},
	{NULL, "oom_count", U64(n_ooms)},
};
static const struct ts_shape allocator_shape = {JSON_SHAPE("memory_allocator", allocator_rows)};
#undef TYPE

#define TYPE struct ts_spans
static bool has_times(const void *in)
{
	return ((const struct ts_spans *)in)->timed;
}
static bool has_spans(const void *in)
{
	return ((const struct ts_spans *)in)->n > 0;
}
static const struct ts_shape_field span_rows[] = {
	{NULL, "count", U32(n)},
	{NULL, "median_us", I64(median_us), WHEN(has_times)},
	{NULL, "p99_us", I64(p99_us), WHEN(has_times)},
	{NULL, "longest_us", I64(longest_us), WHEN(has_times)},
	{NULL, "median_events", U32(median_events), WHEN(has_spans)},
	{NULL, "p99_events", U32(p99_events), WHEN(has_spans)},
	{NULL, "longest_events", U32(longest_events), WHEN(has_spans)},
	{NULL, "short_count", U32(n_short), ABOUT("within 16 events")},
	{NULL, "short_bytes", U64(short_bytes)},
	{NULL, "step_count", U32(steps), ABOUT("ends of steps among the events")},
};
static const struct ts_shape spans_shape = {JSON_SHAPE("memory_spans", span_rows)};
#undef TYPE

#define TYPE struct ts_oom
static bool oom_known(const void *in)
{
	return ((const struct ts_oom *)in)->known;
}
static const struct ts_shape_field oom_rows[] = {
	{NULL, "requested_bytes", U64(requested)},
	{NULL, "device_free_bytes", U64(device_free)},
	{NULL, "in_use_bytes", U64(live), ABOUT("requested by what was in use")},
	{NULL, "reserved_bytes", U64(reserved), WHEN(oom_known)},
	{NULL, "free_bytes", U64(free), WHEN(oom_known), ABOUT("of segments that could have served it")},
	{NULL, "largest_bytes", U64(largest), WHEN(oom_known)},
	{NULL, "free_elsewhere_bytes", U64(elsewhere), WHEN(oom_known)},
	{NULL, "pinned_segment_bytes", U64(pinned_range), WHEN(oom_known)},
	{NULL, "pinned_free_bytes", U64(pinned_free), WHEN(oom_known)},
	{NULL, "pinned_used_bytes", U64(pinned_used), WHEN(oom_known)},
};
static const struct ts_shape oom_shape = {JSON_SHAPE("memory_oom", oom_rows)};
#undef TYPE

#define TYPE struct ts_memory_refused
static bool refused_timed(const void *in)
{
	return ((const struct ts_memory_refused *)in)->time_us != INT64_MIN;
}
static const struct ts_shape_field refused_rows[] = {
	{NULL, "event", U64(event)},
	{NULL, "time_us", I64(time_us), WHEN(refused_timed)},
	{NULL, FLAT, ONE(oom, oom_shape)},
	{NULL, "lines", FIXED(BYTES, lines)},
};
static const struct ts_shape refused_shape = {JSON_SHAPE("memory_refused", refused_rows)};
#undef TYPE

#define TYPE struct ts_memory_annotation
static bool annotation_known(const void *in)
{
	return ((const struct ts_memory_annotation *)in)->known;
}
static const struct ts_shape_field annotation_rows[] = {
	{NULL, "name", BYTES(name, 0), HEAD("name"), NARROW(20)},
	{NULL, "count", U64(count), HEAD("times"), ABOUT("stretches of events, from START to END")},
	{NULL, "event_count", U64(events)},
	{NULL, "peak_bytes", U64(peak), WHEN(annotation_known), HEAD("peak"), ABOUT("the most that was requested in any of them")},
	{NULL, "kept_bytes", I64(kept), WHEN(annotation_known), HEAD("kept"), SHOW(CHANGE), STRONG,
	 ABOUT("requested after less before, all together")},
};
const struct ts_shape ts_shape_memory_annotation = {JSON_SHAPE("memory_annotation", annotation_rows)};
#undef TYPE

#define TYPE struct ts_memory_device
static const struct ts_shape_field device_rows[] = {
	{NULL, "device", U64(device)},
	{NULL, "findings", MANY(findings.items, findings.n, ts_shape_finding, 1024),
	 ABOUT("most severe first; docs/findings.md has the rules")},
	{NULL, "unchecked", MANY(findings.unchecked, findings.n_unchecked, ts_shape_unchecked, 1024),
	 ABOUT("rules that could not be checked")},
	{NULL, "limit", BYTES(advice.sentence, 0), OR_NULL, ABOUT("whether memory limits the run; null: not known")},
	{NULL, "fixes", MANY(advice.fixes, advice.n_fixes, ts_shape_memory_fix, 64),
	 ABOUT("what to try: what saves most at the peak first (docs/playbook.md)")},
	{NULL, "end", PTR(replay, end_shape)},
	{NULL, "history", PTR(replay, history_shape)},
	{NULL, "peak_allocated_least_bytes", U64(peak_allocated), HAS(traced), ABOUT("what the blocks took at the peak, at least")},
	{NULL, "kinds", FIXED(ONE, kinds), OF(kind_shape)},
	{NULL, "at_peak", ONE(at_peak, ts_shape_memory_whos), HAS(traced)},
	{NULL, "at_peak_by_file", ONE(at_peak_files, ts_shape_memory_whos), HAS(traced)},
	{NULL, "at_peak_by_stack", ONE(at_peak_stacks, ts_shape_memory_whos), HAS(traced)},
	{NULL, "at_end", ONE(at_end, ts_shape_memory_whos)},
	{NULL, "at_end_by_file", ONE(at_end_files, ts_shape_memory_whos)},
	{NULL, "at_end_by_stack", ONE(at_end_stacks, ts_shape_memory_whos)},
	{NULL, "churn", ONE(churn, ts_shape_memory_whos), HAS(traced)},
	{NULL, "churn_by_size", ONE(by_size, ts_shape_memory_whos), HAS(traced)},
	{NULL, "carried", ONE(carried, ts_shape_memory_whos), HAS(traced), ABOUT("kept over two ends of steps, by stack")},
	{NULL, "annotations", MANY(annotations, n_annotations, ts_shape_memory_annotation, TS_MEMORY_ANNOTATIONS),
	 ABOUT("of the profiler, those that kept most first")},
	{NULL, "more_annotations_count", SIZE(more_annotations)},
	{NULL, "free", ONE(fragments, fragments_shape)},
	{NULL, "gaps", MANY(gaps, n_gaps, gap_shape, TS_FRAGMENT_GAPS)},
	{NULL, "allocator", ONE(allocator, allocator_shape), HAS(traced)},
	{NULL, "spans", ONE(spans, spans_shape), HAS(traced)},
	{NULL, "refused", MANY(refused, n_refused, refused_shape, TS_OOMS_MAX)},
	{NULL, "capacity_bytes", U64(capacity), HAS(has_capacity)},
	{NULL, "capacity_source", STRING(capacity_source), OR_NULL, ABOUT("of the run's facts; null: it was given, or is not known")},
	{NULL, "headroom_bytes", I64(headroom), HAS(has_capacity), ABOUT("capacity less the most that was reserved")},
};
static const struct ts_shape device_shape = {JSON_SHAPE("memory_device", device_rows)};
#undef TYPE

#define TYPE struct ts_snapshot_setting
static const struct ts_shape_field setting_rows[] = {
	{NULL, "name", BYTES(name, 0)},
	{NULL, "value", BYTES(value, 0)},
};
static const struct ts_shape setting_shape = {JSON_SHAPE("memory_setting", setting_rows)};
#undef TYPE

#define TYPE struct ts_memory_unknown
static const struct ts_shape_field unknown_rows[] = {
	{NULL, "key", BYTES(key, 0)},
	{NULL, "count", U64(n)},
};
static const struct ts_shape unknown_shape = {JSON_SHAPE("memory_unknown_key", unknown_rows)};
static const struct ts_shape_field lost_rows[] = {
	{NULL, "key", BYTES(key, 0)},
	{NULL, "count", U64(n)},
	{NULL, "byte", U64(at), ABOUT("of the pickle, unpacked: the first such value")},
};
static const struct ts_shape lost_shape = {JSON_SHAPE("memory_lost_value", lost_rows)};
#undef TYPE

#define TYPE struct ts_snapshot
static const struct ts_shape_field snapshot_rows[] = {
	{NULL, "pickle_bytes", U64(pickle_bytes)},
	{NULL, "trailing_bytes", U64(trailing_bytes), ABOUT("behind the pickle's end; not looked at")},
	{NULL, "passed_over_count", U64(n_passed), ABOUT("values that no table has a place for, beside unknown keys")},
	{NULL, "cut", BOOL(cut), ABOUT("the file ends too early, or is damaged: what stands before is here")},
	{NULL, "damaged", BOOL(damaged), ABOUT("and cut: what was packed is not what was written, and any number may be wrong")},
	{NULL, "cut_event_count", U64(n_cut_events), ABOUT("events of the history in which it ends, which are left out")},
	{NULL, "stack_count", SIZE(n_stacks)},
	{NULL, "settings", MANY(settings, n_settings, setting_shape, 1024)},
};
static const struct ts_shape snapshot_shape = {JSON_SHAPE("memory_file", snapshot_rows)};
#undef TYPE

#define TYPE struct ts_memory_answer
static const struct ts_shape_field memory_rows[] = {
	{NULL, "snapshot", PTR(snapshot, snapshot_shape)},
	{NULL, "devices", MANY(devices, n, device_shape, 1024)},
	{NULL, "fit", PTR(scaling, ts_shape_scaling), ABOUT("what would fit, where --with and --scale ask for it")},
	{NULL, "unknown_keys", MANY(unknown, n_unknown, unknown_shape, 64)},
	{NULL, "lost_values", MANY(lost, n_lost, lost_shape, 64),
	 ABOUT("of known keys: of another type or out of range, so that what they should say counts as unknown")},
};
const struct ts_shape ts_shape_memory = {JSON_SHAPE("memory", memory_rows)};
#undef TYPE
