/* replay.h - one device's allocations, replayed from the events of a snapshot: what lived when, the peak, and what was there before.
 *
 * A life is one allocation: from its event `alloc` to `free_completed`, or from before the first event, or to after the last. Every
 * block that the snapshot shows in use is one, so the lives at the end are exactly the blocks, or the replay says by how many bytes
 * they are not.
 *
 *	requested(t)  the bytes asked for by the lives at t
 *	baseline      those of before the first event: requested at the end, less what the events add, plus what they free
 *	peak	      the largest requested(t) from before the first event to after the last
 *	baseline_error  the bytes by which events and blocks contradict each other: an address given out twice, or freed twice, a life
 *		      that no block shows, a block in use at an address that the events freed last, a size that differs. 0 for a
 *		      snapshot that was taken while its history was recorded. Else it is no bound: what was allocated after recording
 *		      ended cannot be told from what was there before, unless an address was freed in the events.
 *
 * Recording may leave kinds of events out (skip_actions of torch). Without a single free_completed a life ends where its memory
 * was let go of: `events` has such a free_requested as free_completed. Recorded with context="alloc", a free has the stack of its
 * allocation; where all frees do, `events` has none for them, because it does not say who freed.
 *
 * Times are the numbers of events, TS_REPLAY_BEFORE and TS_REPLAY_NEVER. All memory is the arena's. Pure; any thread.
 * Source: docs/memory.md.
 */
#ifndef TSCOPE_ANALYSIS_SNAPSHOT_REPLAY_H
#define TSCOPE_ANALYSIS_SNAPSHOT_REPLAY_H

#include "base/arena.h"
#include "run/snapshot.h"

#define TS_REPLAY_BEFORE UINT32_MAX /* of a life's birth, and of the peak: before the first event */
#define TS_REPLAY_NEVER UINT32_MAX  /* of its end */

struct ts_life {
	uint64_t address;
	uint64_t requested;
	uint64_t size;	 /* of its block, if it lives at the end; else 0: what it takes is not written down */
	uint32_t born;	 /* event, or TS_REPLAY_BEFORE */
	uint32_t let_go; /* event free_requested, or TS_REPLAY_NEVER */
	uint32_t died;	 /* event free_completed, or TS_REPLAY_NEVER */
	uint32_t stack;	 /* where it was allocated; TS_SNAPSHOT_NONE: before recording, or without stacks */
};

/* A piece of the timeline, of some events that follow one another. */
struct ts_replay_point {
	uint32_t first;					     /* event */
	int64_t time_us;				     /* of that event; INT64_MIN: the snapshot has no times */
	uint64_t requested_min, requested_max, reserved_max; /* in it */
};

struct ts_replay {
	const struct ts_snapshot *snapshot;
	const struct ts_snapshot_event *events; /* of this device; a copy where frees are changed, as said above */
	uint32_t n_events;
	uint16_t device;
	struct ts_life *lives;
	uint32_t n_lives;

	/* At the end, from segments and blocks. */
	uint64_t reserved, allocated, active, requested;
	uint64_t rounding; /* of blocks in use: their size less what was requested */
	uint32_t n_segments, n_in_use;

	/* From the events. */
	uint64_t n_of[TS_ACTIONS]; /* as the file has them */
	int64_t net;	       /* bytes allocated less bytes freed */
	uint64_t freed_before; /* bytes of lives from before the first event that the events free */
	uint32_t n_freed_before;
	uint64_t baseline, baseline_error;
	uint64_t peak;	     /* valid if n_events > 0 */
	uint32_t peak_event; /* after which it is reached first, or TS_REPLAY_BEFORE */
	uint64_t reserved_peak;
	uint32_t reserved_peak_event;
	uint32_t n_confirmed;			     /* lives that events began and blocks show */
	uint32_t n_unconfirmed, n_reused, n_resized; /* contradictions: see baseline_error */
	uint32_t n_unseen;			     /* one more: lives whose allocation must have been in the events, and is not */
	uint32_t n_back;			     /* events whose time lies before the one in front of them */
	struct ts_replay_point *points;
	size_t n_points;
};

/* Lives and points lie among the events, none ends before it begins, and what is counted of lives is no more than there are. */
bool ts_replay_holds(const struct ts_replay *r);

/* TS_TOO_LARGE: more events or blocks than 2^31. The snapshot must outlive the replay. */
enum ts_status ts_replay_device(const struct ts_snapshot *s, uint16_t device, struct ts_arena *arena, struct ts_replay *ret_replay,
				struct ts_error *err);

/* What is requested and reserved after an event, in bytes; TS_REPLAY_BEFORE: before the first. */
void ts_replay_level(const struct ts_replay *r, uint32_t event, uint64_t *ret_requested, uint64_t *ret_reserved);

/* What is requested after each event: n_events values. */
void ts_replay_requested(const struct ts_replay *r, uint64_t *ret_after);

/* Whether a life is there after this event; TS_REPLAY_BEFORE: before the first. */
static inline bool ts_life_at(const struct ts_life *life, uint32_t event)
{
	if (event == TS_REPLAY_BEFORE)
		return life->born == TS_REPLAY_BEFORE;
	return (life->born == TS_REPLAY_BEFORE || life->born <= event) && life->died > event;
}

#endif
