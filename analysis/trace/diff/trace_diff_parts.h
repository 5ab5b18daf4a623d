/* trace_diff_parts.h - what trace_diff.c is made of: which kernel took whose place, and the sentence. */
#ifndef TSCOPE_ANALYSIS_TRACE_DIFF_TRACE_DIFF_PARTS_H
#define TSCOPE_ANALYSIS_TRACE_DIFF_TRACE_DIFF_PARTS_H

#include "analysis/trace/diff/trace_diff.h"
#include "base/arena.h"

#include <stdint.h>

/* Sets category of the rows of kernels, and for those that B lacks replaced_by. */
enum ts_status ts_trace_diff_replaced(struct ts_trace_diff *d, const struct ts_trace_side sides[2], struct ts_arena *arena,
				      struct ts_error *err);
/* Sets the sentence. */
enum ts_status ts_trace_diff_say(struct ts_trace_diff *d, struct ts_arena *arena, struct ts_error *err);

/* --- moments.c ---
 *
 * Events stand in layers. A moment belongs to the lowest layer that has an event then, and there to the event that began first, until
 * it ends. So the stretches do not overlap, and those of one layer together are what that layer covers less what lower ones do: with
 * computation, communication and copies as layers they are computation, exposed communication and exposed copies (timeline.h).
 */

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
