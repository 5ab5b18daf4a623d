/* lanes_view.h - a stretch of lanes in cells of one length: the picture of a timeline, however far somebody has zoomed into it.
 *
 * A cell has how much of it is covered, and which span covers most of it; of spans that cover equally much the first. Times are
 * nanoseconds since lanes.begin_ns, so that no number loses digits in a browser. Everything lies in the arena, texts are those of the
 * lanes. The cells cost what the stretch has of spans up to TS_LANE_RUN a cell, not what the trace has. Pure; any thread.
 */
#ifndef TSCOPE_ANALYSIS_TRACE_HOST_LANES_VIEW_H
#define TSCOPE_ANALYSIS_TRACE_HOST_LANES_VIEW_H

#include "analysis/trace/host/lanes.h"

enum { TS_LANES_CELLS_MOST = 2000 };

struct ts_lane_cell {
	uint64_t busy_ns;
	uint64_t longest_ns;		/* how much of the cell one span covers; 0: nothing ran, and what follows says nothing */
	uint64_t begin_ns, duration_ns; /* of that span, as it was recorded */
	uint64_t name;			/* of ts_lanes_view.names */
	uint64_t part;			/* enum ts_lane_part */
};

struct ts_lane_view {
	struct ts_lane_place place;
	struct ts_lane_cell *cells;
	size_t n_cells;	  /* those of the view */
	uint64_t busy_ns; /* of the stretch */
};

struct ts_lanes_view {
	const char *path;	   /* of the trace, for the caller to set */
	uint64_t length_ns;	   /* of all lanes; 0: nothing is known of any time, and there are no cells */
	uint64_t from_ns, cell_ns;
	uint64_t to_ns;		   /* where the last cell ends, or the lanes */
	uint64_t mark_ns;	   /* the time that was asked about; valid if has_mark: it lies within the lanes */
	bool has_mark;
	size_t n_cells;
	struct ts_lane_view *lanes;
	size_t n, left_out;
	struct ts_span *names; /* those that cells have, each once */
	size_t n_names;
	struct ts_span parts[TS_LANE_PARTS]; /* their words */
};

/* A stretch of the timeline, in nanoseconds since its begin, or the hundredth of it around a time of the trace's clock. */
struct ts_stretch {
	bool given; /* else it is that around at_ns, or all, if there is no such time */
	uint64_t from_ns, to_ns;
	bool has_at; /* marked in either case */
	int64_t at_ns;
};

enum { TS_STRETCH_PART = 100 };

/* The view of what of the stretch lies within the lanes; of one that has nothing of them it is that of all. cells: at most so many, at
 * least 1 and at most TS_LANES_CELLS_MOST. It refers to nothing of the lanes. */
enum ts_status ts_lanes_view(const struct ts_lanes *lanes, struct ts_stretch stretch, size_t cells, struct ts_arena *arena,
			     struct ts_lanes_view *ret, struct ts_error *err);

#endif
