/* shape_moment.c - the tables of a moment of a memory snapshot, which has only JSON, as shape_memory.c. */
#include "analysis/snapshot/memory_moment.h"
#include "proto/shape/shape_rows.h"

#define TYPE struct ts_moment_kind
static const struct ts_shape_field kind_rows[] = {
	{NULL, "kind", WORD(kind, ts_words_memory_kind)},
	{NULL, "bytes", U64(bytes)},
	{NULL, "count", U64(count)},
};
static const struct ts_shape kind_shape = {JSON_SHAPE("moment_kind", kind_rows)};
#undef TYPE

#define TYPE struct ts_moment_piece
static const struct ts_shape_field piece_rows[] = {
	{NULL, "offset_bytes", U64(offset), ABOUT("in its segment")},
	{NULL, "bytes", U64(bytes), HEAD("bytes"), STRONG},
	{NULL, "in_use", BOOL(used)},
	{NULL, "here", BOOL(here), ABOUT("the event is about it")},
	{NULL, "who", ONE(who, ts_shape_memory_who), HAS(used)},
	{NULL, "born_event", U64(born), HAS(recorded)},
};
const struct ts_shape ts_shape_moment_piece = {JSON_SHAPE("moment_piece", piece_rows)};
#undef TYPE

#define TYPE struct ts_moment_range
static const struct ts_shape_field range_rows[] = {
	{NULL, "address", U64(range.begin)},
	{NULL, "end_address", U64(range.end)},
	{NULL, "stream", U64(range.stream)},
	{NULL, "in_use_bytes", U64(range.used), HEAD("in use")},
	{NULL, "free_bytes", U64(range.free), HEAD("free")},
	{NULL, "largest_gap_bytes", U64(range.largest), HEAD("largest gap")},
	{NULL, "in_use_count", U32(range.n_used)},
	{NULL, "small", BOOL(range.small)},
	{NULL, "private_pool", BOOL(range.pooled)},
	{NULL, "expandable", BOOL(range.expandable)},
	{NULL, "here", BOOL(here), ABOUT("that of the event")},
};
const struct ts_shape ts_shape_moment_segment = {JSON_SHAPE("moment_segment", range_rows)};
#undef TYPE

#define TYPE struct ts_snapshot_event
static bool has_time(const void *in)
{
	return ((const struct ts_snapshot_event *)in)->time_us != INT64_MIN;
}
static const struct ts_shape_field event_rows[] = {
	{NULL, "address", U64(address), ABOUT("of oom: the bytes that the device had free")},
	{NULL, "bytes", U64(size)},
	{NULL, "stream", U64(stream)},
	{NULL, "time_us", I64(time_us), WHEN(has_time)},
};
static const struct ts_shape event_shape = {JSON_SHAPE("moment_event", event_rows)};
#undef TYPE

#define TYPE struct ts_moment
static const char *action_word(int value)
{
	return value == TS_ACTION_OTHER ? "other" : ts_snapshot_actions[value];
}
static const struct ts_shape_words words_action = {0, TS_ACTIONS - 1, 0, .word = action_word};
WORD_OF(phase_word, enum ts_memory_phase, ts_memory_phase_word);
static const struct ts_shape_words words_phase = {0, TS_PHASE_OPTIMIZER, 0, .word = phase_word};
static bool has_event(const void *in)
{
	return ((const struct ts_moment *)in)->row != NULL;
}
static bool has_born(const void *in)
{
	return ((const struct ts_moment *)in)->has_life && ((const struct ts_moment *)in)->born_recorded;
}
static bool has_died(const void *in)
{
	return ((const struct ts_moment *)in)->has_life && ((const struct ts_moment *)in)->died_recorded;
}
static const struct ts_shape_field moment_rows[] = {
	{NULL, "device", U64(device)},
	{NULL, "event", U32(event), WHEN(has_event), ABOUT("null: before the first")},
	{NULL, "action", WORD(action, words_action), WHEN(has_event)},
	{NULL, "about", PTR(row, event_shape)},
	{NULL, "phase", WORD(phase, words_phase), ABOUT("by the event's stack")},
	{NULL, "annotation", BYTES(annotation, 0), OR_NULL},
	{NULL, "calls", LIST(BYTES, calls, n_calls, TS_MOMENT_CALLS), ABOUT("the event's stack, the innermost call first")},
	{NULL, "more_calls_count", SIZE(more_calls)},
	{NULL, "memory", ONE(life, ts_shape_memory_who), HAS(has_life), ABOUT("what the event allocated or freed")},
	{NULL, "memory_born_event", U64(life_born), WHEN(has_born)},
	{NULL, "memory_died_event", U64(life_died), WHEN(has_died)},
	{NULL, "requested_bytes", U64(requested)},
	{NULL, "reserved_bytes", U64(reserved)},
	{NULL, "in_use_count", U64(count)},
	{NULL, "kinds", FIXED(ONE, kinds), OF(kind_shape)},
	{NULL, "by_function", ONE(by_function, ts_shape_memory_whos)},
	{NULL, "by_stack", ONE(by_stack, ts_shape_memory_whos)},
	{NULL, "segment_count", U64(n_ranges), HAS(known)},
	{NULL, "free_bytes", U64(free), HAS(known)},
	{NULL, "largest_gap_bytes", U64(largest), HAS(known)},
	{NULL, "segments", MANY(ranges, n_shown, ts_shape_moment_segment, TS_MOMENT_RANGES),
	 ABOUT("that of the event, then the largest")},
	{NULL, "around", MANY(pieces, n_pieces, ts_shape_moment_piece, TS_MOMENT_PIECES),
	 ABOUT("the event, in the first of these, by address")},
};
const struct ts_shape ts_shape_moment = {JSON_SHAPE("moment", moment_rows)};
#undef TYPE
