/* lanes.h - what each stream of a device and each thread of the host did over time: the picture of a timeline, in cells of one length.
 *
 * A lane has the work of a stream, or the outermost operators and calls of a thread; a call that waits for a device is a wait. A cell
 * has how much of it was covered, and which span covered most of it: where two overlap, the one that began first. Spans that began
 * together go by their order in the trace. Lanes of devices come first, by device and stream, then threads, as host_threads.c orders
 * their kinds. Of more than TS_LANES_MOST lanes the first are shown. Everything lies in the arena. Pure; one thread at a time.
 */
#ifndef TSCOPE_ANALYSIS_TRACE_HOST_LANES_H
#define TSCOPE_ANALYSIS_TRACE_HOST_LANES_H

#include "analysis/trace/device/nest.h"
#include "analysis/trace/host/trace_host.h"

enum { TS_LANES_MOST = 16, TS_LANES_CELLS_MOST = 2000 };

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

struct ts_lane_cell {
	uint64_t busy_ns;
	uint64_t longest_ns; /* 0: nothing ran */
	uint32_t longest;    /* the row of spans that covered so much of it */
	uint8_t part;	     /* enum ts_lane_part, of that row */
};

struct ts_lane {
	bool host;
	int32_t device, stream;	       /* unless it is of the host */
	uint32_t thread;	       /* of the trace, else */
	enum ts_host_thread_kind kind; /* of that */
	uint64_t busy_ns;
	struct ts_lane_cell *cells;
};

struct ts_lanes {
	int64_t begin_ns;
	uint64_t cell_ns;
	size_t n_cells; /* 0: nothing is known of any time */
	struct ts_lane *items;
	size_t n, left_out;
};

/* cells: at most so many, at least 1 and at most TS_LANES_CELLS_MOST. */
enum ts_status ts_lanes(const struct ts_trace *trace, const struct ts_nest *nest, const struct ts_host_names *names,
			const bool *waiting, size_t cells, struct ts_arena *arena, struct ts_lanes *ret, struct ts_error *err);

#endif
