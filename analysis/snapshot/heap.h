/* heap.h - the segments of a device as they were after an event: those of the end, with the events behind it undone; and what was
 * free in them.
 *
 * Where a block ended then is known if it lives to the end; else its requested bytes are rounded up to 512, the least that the
 * allocator gives. So a gap may be shown larger than it was, never smaller. All memory is the arena's. Pure; any thread.
 */
#ifndef TSCOPE_ANALYSIS_SNAPSHOT_HEAP_H
#define TSCOPE_ANALYSIS_SNAPSHOT_HEAP_H

#include "analysis/snapshot/replay.h"

/* Undoing an event looks at all ranges: events times ranges at most, which takes a tenth of a second. */
enum { TS_HEAP_WORK_MAX = 1 << 26 };

struct ts_heap_range {
	uint64_t begin, end, stream;
	bool small;		      /* for blocks of up to 1 MiB */
	bool pooled;		      /* of a private pool */
	uint64_t used, free, largest; /* bytes; the largest gap */
	uint32_t n_used;	      /* lives */
	uint32_t biggest;	      /* the life of most bytes; UINT32_MAX: none */
};

struct ts_heap {
	struct ts_heap_range *ranges; /* by address */
	uint32_t n, room;
	bool known; /* false: too many events of segments follow; then there are no ranges */
};

enum ts_status ts_heap_after(const struct ts_replay *r, uint32_t event, struct ts_arena *arena, struct ts_heap *ret_heap,
			     struct ts_error *err);

#endif
