/* lanes.h - what each stream of a device and each thread of the host did, span by span: what a timeline shows (lanes_view.h).
 *
 * A lane has the work of a stream, or the outermost operators and calls of a thread; a call that waits for a device is a wait. What one
 * span covers belongs to it alone: where two overlap, to the one that began first, and spans that began together go by their order in
 * the trace. One that is covered whole, or took no time, has no place. Lanes of devices come first, by device and stream, then threads,
 * as host_threads.c orders their kinds. Of more than TS_LANES_MOST lanes the first are there.
 *
 * Times are nanoseconds of the trace's clock. Everything lies in the arena, but texts of names, which are the trace's. Pure; one thread
 * at a time, and any number that only read.
 */
#ifndef TSCOPE_ANALYSIS_TRACE_HOST_LANES_H
#define TSCOPE_ANALYSIS_TRACE_HOST_LANES_H

#include "analysis/trace/device/nest.h"
#include "analysis/trace/host/trace_host.h"

enum { TS_LANES_MOST = 16, TS_LANE_RUN = 64 };

enum ts_lane_part {
	TS_LANE_COMPUTATION,
	TS_LANE_COMMUNICATION,
	TS_LANE_COPIES,
	TS_LANE_OPERATORS,
	TS_LANE_CALLS,
	TS_LANE_WAITS,
	TS_LANE_PARTS,
};

const char *ts_lane_part_word(enum ts_lane_part part);

struct ts_lane_span {
	int64_t begin_ns, end_ns; /* as it was recorded */
	int64_t from_ns;	  /* from there to its end it is what the lane shows */
	uint32_t name;		  /* of ts_lanes.names */
	uint8_t part;		  /* enum ts_lane_part */
};

/* What TS_LANE_RUN spans of a lane, one behind the other, come to: so a long stretch is summed up without a look at each. */
struct ts_lane_run {
	uint64_t busy_ns;
	size_t longest; /* of spans: the first of those that show longest */
};

/* Whose lane it is. */
struct ts_lane_place {
	bool host;
	int32_t device, stream;	       /* unless it is of the host */
	int64_t tid;		       /* of the host: the number that the trace gives the thread, or TS_TRACE_NONE */
	enum ts_host_thread_kind kind; /* of that */
};

struct ts_lane {
	struct ts_lane_place place;
	uint64_t busy_ns;
	struct ts_lane_span *spans; /* by time */
	size_t n;
	struct ts_lane_run *runs; /* one for each TS_LANE_RUN spans, and one for the rest */
};

struct ts_lanes {
	int64_t begin_ns, end_ns; /* of the first and the last event of all lanes; the same, where nothing is known of any time */
	struct ts_lane *items;
	size_t n, left_out;
	const struct ts_span *names;
	size_t n_names;
};

enum ts_status ts_lanes(const struct ts_trace *trace, const struct ts_nest *nest, const struct ts_host_names *names,
			const bool *waiting, struct ts_arena *arena, struct ts_lanes *ret, struct ts_error *err);

/* A copy that needs nothing of the trace: it has the names alone that its spans have. bytes_most: TS_TOO_LARGE, if the copy would take
 * more. */
enum ts_status ts_lanes_copy(const struct ts_lanes *lanes, size_t bytes_most, struct ts_arena *arena, struct ts_lanes *ret,
			     struct ts_error *err);

#endif
