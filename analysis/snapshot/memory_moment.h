/* memory_moment.h - a device's memory as it was after one event: what was in use and for what, the segments, and the blocks around it.
 *
 * The sums by kind and by function add up to `requested`. Segments are those of heap.h. Of a request that was refused, the blocks shown
 * are those around the largest gap that could have served it. All memory is the arena's. Pure; any thread.
 */
#ifndef TSCOPE_ANALYSIS_SNAPSHOT_MEMORY_MOMENT_H
#define TSCOPE_ANALYSIS_SNAPSHOT_MEMORY_MOMENT_H

#include "analysis/snapshot/heap.h"
#include "analysis/snapshot/memory_who.h"

enum {
	TS_MOMENT_PIECES = 17, /* blocks and gaps shown around the event */
	TS_MOMENT_RANGES = 8,
	TS_MOMENT_CALLS = 512, /* frames of the event's stack */
	TS_MOMENT_CELLS = 60, /* of the map of a range */
};

struct ts_moment_kind {
	enum ts_memory_kind kind;
	uint64_t bytes, count;
};

/* A block in use, or a gap, at an offset in its range. */
struct ts_moment_piece {
	uint64_t offset, bytes; /* a block's bytes are those that it takes, as far as that is known */
	bool used, here;	/* here: the event is about it */
	struct ts_memory_who who;
	uint64_t born; /* event, where `recorded` */
	bool recorded;
};

struct ts_moment_range {
	struct ts_heap_range range;
	bool here;				     /* the event's address lies in it */
	uint8_t used_percent[TS_MOMENT_CELLS];	     /* of each part of equal size; what is used at all is at least 1 */
};

struct ts_moment {
	uint64_t device;
	uint32_t event;			     /* or TS_REPLAY_BEFORE */
	const struct ts_snapshot_event *row; /* NULL: before the first */
	enum ts_snapshot_action action;	     /* its */
	enum ts_memory_phase phase;
	struct ts_span annotation; /* the innermost of the profiler that was open then; empty: none */
	struct ts_span *calls;	   /* its stack with all frames, "f (a.py:3)", the innermost first */
	bool *python;		   /* of each: whether it is a frame of Python */
	size_t n_calls, more_calls;
	bool has_life; /* of an event that allocates or frees: of that memory */
	struct ts_memory_who life;
	uint64_t life_born, life_died; /* valid with their flags: else before the first event, and never */
	bool born_recorded, died_recorded;
	uint64_t requested, reserved, count; /* of the lives; count: lives */
	struct ts_moment_kind kinds[TS_MEMORY_KINDS];
	struct ts_memory_whos by_function, by_stack;
	bool known; /* what follows is */
	uint64_t n_ranges, free, largest;
	struct ts_moment_range *ranges; /* that of the event, then the largest */
	size_t n_shown;
	struct ts_moment_piece *pieces; /* of the first of these, by address */
	size_t n_pieces;
	uint64_t before, after; /* pieces of it that are not shown */
};

/* event: below n_events, or TS_REPLAY_BEFORE. */
enum ts_status ts_moment_of(const struct ts_memory *m, uint32_t event, struct ts_arena *arena, struct ts_moment *ret_moment,
			    struct ts_error *err);

#endif
