/* summary.h - a few bytes stored with each name, from which a page of list is made without opening the head.
 *
 * A summary is a cache of the head, which stays the source of truth: if there is none, or one of another version, the head is
 * opened instead. Its layout, little-endian, is u8 version, u8 flags, u32 ranks, u64 steps, i64 first, i64 last, i64
 * started_ns, u32 world_size, and the own name to the end.
 */
#ifndef TSCOPE_SERVICE_HANDLERS_CORE_SUMMARY_H
#define TSCOPE_SERVICE_HANDLERS_CORE_SUMMARY_H

#include "service/handlers/core/describe.h"

struct ts_summary {
	uint32_t ranks;
	uint64_t steps;
	int64_t first_step, last_step; /* valid if steps > 0 */
	bool has_started, has_world, has_name;
	bool long_name; /* the run has a name that does not fit here; the head has it */
	int64_t started_ns;
	uint32_t world_size;
	struct ts_span own_name; /* if has_name */
};

/* Makes the bytes of a summary, in the arena. */
enum ts_status ts_summary_make(const struct ts_description *d, struct ts_arena *arena, struct ts_span *ret_summary,
			       struct ts_error *err);
/* Reads a summary. False: it has another version. own_name points into bytes. */
bool ts_summary_read(struct ts_span bytes, struct ts_summary *ret_summary);

#endif
