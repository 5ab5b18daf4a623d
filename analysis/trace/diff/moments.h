/* moments.h - to which event each moment of a time belongs, so that the parts of a time add up to it.
 *
 * Events stand in layers. A moment belongs to the lowest layer that has an event then, and there to the event that began first, until
 * it ends. So the stretches do not overlap, and those of one layer together are what that layer covers less what lower ones do:
 * with computation, communication and copies as layers they are computation, exposed communication and exposed copies (timeline.h).
 */
#ifndef TSCOPE_ANALYSIS_TRACE_DIFF_MOMENTS_H
#define TSCOPE_ANALYSIS_TRACE_DIFF_MOMENTS_H

#include "base/arena.h"

#include <stdint.h>

enum { TS_LAYERS = 3 };

struct ts_layered {
	int64_t begin, end;
	uint32_t row;  /* what the event was given as */
	uint8_t layer; /* below TS_LAYERS */
};

/* Makes stretches of events that are sorted by begin: *ret are in the arena, by time, none of them empty. */
enum ts_status ts_moments(const struct ts_layered *events, size_t n, struct ts_arena *arena, struct ts_layered **ret, size_t *ret_n,
			  struct ts_error *err);

#endif
