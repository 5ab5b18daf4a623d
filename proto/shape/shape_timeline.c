/* shape_timeline.c - the tables of a stretch of a trace's timeline in cells (analysis/trace/host/lanes_view.h), JSON alone. */
#include "analysis/trace/host/lanes_view.h"
#include "proto/shape/shape_rows.h"

WORD_OF(thread_word, enum ts_host_thread_kind, ts_host_thread_word);
static const struct ts_shape_words threads = {TS_HOST_MAIN, TS_HOST_OTHER, TS_HOST_MAIN, .word = thread_word};

#define TYPE struct ts_lane_view
static bool is_of_host(const void *in)
{
	return ((const TYPE *)in)->place.host;
}

static bool is_of_device(const void *in)
{
	return !is_of_host(in) && ((const TYPE *)in)->place.device != TS_TRACE_NO_DEVICE;
}

static bool is_of_stream(const void *in)
{
	return !is_of_host(in) && ((const TYPE *)in)->place.stream != TS_TRACE_NO_DEVICE;
}

static bool has_tid(const void *in)
{
	return is_of_host(in) && ((const TYPE *)in)->place.tid != TS_TRACE_NONE;
}

#define CELLS(kind, member) COLUMN(kind, cells, struct ts_lane_cell, member, n_cells, TS_LANES_CELLS_MOST)
static const struct ts_shape_field lane_rows[] = {
	{NULL, "device", I32(place.device), WHEN(is_of_device), ABOUT("null: a thread of the host")},
	{NULL, "stream", I32(place.stream), WHEN(is_of_stream)},
	{NULL, "thread", ENUM(place.kind, threads), WHEN(is_of_host)},
	{NULL, "tid", I64(place.tid), WHEN(has_tid)},
	{NULL, "busy_ns", U64(busy_ns), ABOUT("of the stretch")},
	{NULL, "cell_busy_ns", CELLS(U64, busy_ns), ABOUT("how much of each cell is covered")},
	{NULL, "cell_longest_ns", CELLS(U64, longest_ns), AS_MANY,
	 ABOUT("how much of it the event covers that covers most; 0: none does, and what follows says nothing of the cell")},
	{NULL, "cell_begin_ns", CELLS(U64, begin_ns), AS_MANY, ABOUT("when that event began, since the first of the trace")},
	{NULL, "cell_duration_ns", CELLS(U64, duration_ns), AS_MANY, ABOUT("and how long it took")},
	{NULL, "cell_name", CELLS(U64, name), AS_MANY, ABOUT("its place in names")},
	{NULL, "cell_part", CELLS(U64, part), AS_MANY, ABOUT("its place in parts")},
};
static const struct ts_shape lane_shape = {JSON_SHAPE("timeline_lane", lane_rows)};
#undef TYPE

#define TYPE struct ts_lanes_view
static const struct ts_shape_field view_rows[] = {
	{NULL, "trace", STRING(path)},
	{NULL, "length_ns", U64(length_ns), ABOUT("from the first event that a lane has to the last")},
	{NULL, "from_ns", U64(from_ns), ABOUT("where the first cell begins, since the first event")},
	{NULL, "cell_ns", U64(cell_ns), ABOUT("how long a cell is; 0: there are none, as nothing is known of any time")},
	{NULL, "cell_count", SIZE(n_cells)},
	{NULL, "mark_ns", U64(mark_ns), HAS(has_mark), ABOUT("the time that --at names, since the first event; null: none")},
	{NULL, "names", LIST(BYTES, names, n_names, 0), ABOUT("those of the events that cells name")},
	{NULL, "parts", FIXED(BYTES, parts), ABOUT("what an event is")},
	{NULL, "lanes", MANY(lanes, n, lane_shape, TS_LANES_MOST),
	 ABOUT("streams of devices, then threads of the host, of which a lane has the outermost operators and calls")},
	{NULL, "left_out_count", SIZE(left_out), ABOUT("lanes behind these")},
};
const struct ts_shape ts_shape_lanes = {JSON_SHAPE("timeline", view_rows)};
#undef TYPE
