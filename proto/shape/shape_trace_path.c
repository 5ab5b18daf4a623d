/* shape_trace_path.c - the tables of the critical path of a profiler's trace, as JSON. */
#include "analysis/trace/path/critical_path.h"
#include "proto/shape/shape_rows.h"

enum { MANY_ROWS = 1 << 25, NAME_MAX_BYTES = 4096 };

WORD_OF(group_word, enum ts_path_group, ts_path_group_word);
static const struct ts_shape_words groups = {0, TS_PATH_GROUPS - 1, .word = group_word};

static const char *what_word(int value)
{
	return ts_path_what_word((uint32_t)value);
}
static const struct ts_shape_words whats = {0, TS_PATH_WHATS - 1, .word = what_word};

#define WHAT(member) .kind = TS_SHAPE_WORD, AT(member), .words = &whats

#define TYPE struct ts_path_window
static const struct ts_shape_field window_rows[] = {
	{NULL, "step", I64(step), HAS(is_step), HEAD("step"), LEFT, ABOUT("null: the whole recording")},
	{NULL, "begin_ns", I64(begin_ns), ABOUT("when everything of the steps before was done")},
	{NULL, "length_ns", U64(ns), HEAD("path"), ABOUT("the sum of what follows")},
	{NULL, "computation_ns", U64(groups[TS_PATH_OF_COMPUTATION]), SHARE("computation")},
	{NULL, "communication_ns", U64(groups[TS_PATH_OF_COMMUNICATION]), SHARE("communication")},
	{NULL, "copies_ns", U64(groups[TS_PATH_OF_COPIES]), SHARE("copies")},
	{NULL, "launch_ns", U64(groups[TS_PATH_OF_LAUNCH]), SHARE("launch")},
	{NULL, "queue_ns", U64(groups[TS_PATH_OF_QUEUE]), SHARE("queue")},
	{NULL, "host_ns", U64(groups[TS_PATH_OF_HOST]), SHARE("host")},
	{NULL, "data_loading_ns", U64(groups[TS_PATH_OF_DATA]), SHARE("data")},
	{NULL, "wait_ns", U64(groups[TS_PATH_OF_WAIT]), SHARE("wait")},
	{NULL, "unknown_ns", U64(groups[TS_PATH_OF_UNKNOWN]), SHARE("unknown")},
};
const struct ts_shape ts_shape_path_window = {JSON_SHAPE("trace_path_window", window_rows)};
#undef TYPE

#define TYPE struct ts_path_row
static const struct ts_shape_field row_rows[] = {
	{NULL, "group", WORD(group, groups)},
	{NULL, "what", WHAT(what), ABOUT("docs/trace.md has what each means")},
	{NULL, "length_ns", U64(ns), HEAD("time"), SHARE("share")},
	{NULL, "count", U64(count), HEAD("stretches"), ABOUT("stretches")},
	{NULL, "longest_ns", U64(longest_ns), HEAD("longest")},
};
const struct ts_shape ts_shape_path_row = {JSON_SHAPE("trace_path_row", row_rows)};
#undef TYPE

#define TYPE struct ts_path_stretch
static const struct ts_shape_field stretch_rows[] = {
	{NULL, "what", WHAT(piece.what)},
	{NULL, "name", BYTES(name, NAME_MAX_BYTES), OR_NULL, HEAD("name"), SHOW(KERNEL), NARROW(20), ABSENT(""),
	 ABOUT("null: the trace has no span there")},
	{NULL, "begin_ns", I64(piece.begin_ns)},
	{NULL, "length_ns", U64(piece.ns), HEAD("longest stretches")},
};
const struct ts_shape ts_shape_path_stretch = {JSON_SHAPE("trace_path_stretch", stretch_rows)};
#undef TYPE

#define TYPE struct ts_what_if
static const char *ideal_word(int value)
{
	static const char *const words[] = {"what", "group", "quickest_collectives", "shorter"};

	return words[value];
}
static const struct ts_shape_words ideals = {0, TS_IDEAL_SHORTER, .word = ideal_word};

static bool of_what(const void *in)
{
	return ((const TYPE *)in)->ideal == TS_IDEAL_WHAT;
}

static bool of_group(const void *in)
{
	return ((const TYPE *)in)->ideal < TS_IDEAL_SHORTER;
}

static const struct ts_shape_field if_rows[] = {
	{NULL, "ideal", WORD(ideal, ideals), ABOUT("what takes no time: one kind of stretch, or a group of them")},
	{NULL, "what", WHAT(what), WHEN(of_what)},
	{NULL, "group", WORD(group, groups), WHEN(of_group)},
	{NULL, "length_ns", U64(ns), HEAD("path"), ABOUT("of all windows")},
	{NULL, "saved_ns", U64(saved_ns), HEAD("saved"), SHARE("")},
};
const struct ts_shape ts_shape_what_if = {JSON_SHAPE("trace_what_if", if_rows)};
#undef TYPE

#define TYPE struct ts_critical_path
static bool has_length(const void *in)
{
	return ((const TYPE *)in)->ns > 0;
}

static const struct ts_shape_field path_rows[] = {
	{NULL, "windows", MANY(windows, n_windows, ts_shape_path_window, MANY_ROWS),
	 ABOUT("steps, or the whole recording; end to end")},
	{NULL, "length_ns", U64(ns), ABOUT("of all windows")},
	{NULL, "bound", WORD(bound, groups), WHEN(has_length), ABOUT("the group with most of the length")},
	{NULL, "rows", MANY(rows, n_rows, ts_shape_path_row, MANY_ROWS), ABOUT("the longest first; they add up to length_ns")},
	{NULL, "longest", MANY(longest, n_longest, ts_shape_path_stretch, MANY_ROWS)},
	{NULL, "what_if", MANY(ifs, n_ifs, ts_shape_what_if, MANY_ROWS), ABOUT("what saves most first")},
	{NULL, "error_ns", U64(error_ns), ABOUT("of the model behind what_if: of a replay without a change")},
	{NULL, "inferred_count", U64(inferred), ABOUT("links that only times tell")},
	{NULL, "early_count", U64(early), ABOUT("work that began before its call did, whose launch so is no link")},
};
const struct ts_shape ts_shape_trace_path = {JSON_SHAPE("trace_path", path_rows)};
#undef TYPE
