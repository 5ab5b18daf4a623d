/* course.h - the memory of a device over its events, by kind, in as many states as a picture can show; and its largest blocks.
 *
 * The events are cut into pieces of equal number. Of each piece two states stay: where least and where most was in use; so the peak is
 * there, and every state is one that the device really had, whose kinds add up to its total. The first state is that before the first
 * event, the last that after the last one. All memory is the arena's. Pure; any thread.
 */
#ifndef TSCOPE_ANALYSIS_SNAPSHOT_COURSE_H
#define TSCOPE_ANALYSIS_SNAPSHOT_COURSE_H

#include "analysis/snapshot/memory_who.h"

enum {
	TS_COURSE_PIECES = 400,
	TS_COURSE_HOLDS = 3,	   /* the largest blocks of a state */
	TS_COURSE_LARGEST = 15,	   /* of all events */
	TS_COURSE_LOOKED_AT = 4096 /* the blocks of a state are among so many of the largest of all */
};

struct ts_course_state {
	uint32_t event; /* after which; TS_REPLAY_BEFORE: before the first */
	uint64_t kinds[TS_MEMORY_KINDS];
	uint64_t total;	   /* requested by lives: the sum of kinds */
	uint64_t reserved, reserved_most; /* then, and the most in its piece */
	uint32_t holds[TS_COURSE_HOLDS]; /* lives, the largest first */
	uint32_t n_holds;
};

struct ts_course {
	struct ts_course_state *states; /* by event */
	size_t n;
	uint32_t largest[TS_COURSE_LARGEST]; /* lives of most bytes, whenever they were there */
	size_t n_largest;
};

enum ts_status ts_course_of(const struct ts_memory *m, struct ts_arena *arena, struct ts_course *ret_course, struct ts_error *err);

#endif
