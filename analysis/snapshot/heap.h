/* heap.h - the segments of a device as they were after an event: those of the end, with the events behind it undone; and what was
 * free in them.
 *
 * Where a block ended then is known if it lives to the end; else its requested bytes are rounded up to 512, the least that the
 * allocator gives. So a gap may be shown larger than it was, never smaller. Pages of an expandable segment that lie side by side are
 * one range. All memory is the arena's. Pure; any thread.
 */
#ifndef TSCOPE_ANALYSIS_SNAPSHOT_HEAP_H
#define TSCOPE_ANALYSIS_SNAPSHOT_HEAP_H

#include "analysis/snapshot/replay.h"

/* Undoing an event looks at all ranges: events times ranges at most, which takes a tenth of a second. */
enum { TS_HEAP_WORK_MAX = 1 << 26 };

struct ts_heap_range {
	uint64_t begin, end, stream;
	bool small;		      /* for blocks of up to 1 MiB */
	uint64_t pool[2];	      /* or TS_SNAPSHOT_NO_POOL: given back in a file that does not say it */
	bool pooled;		      /* it is a private one */
	bool expandable;
	uint64_t used, free, largest; /* bytes; the largest gap */
	uint32_t n_used;	      /* lives */
	uint32_t biggest;	      /* the life of most bytes; UINT32_MAX: none */
	size_t first;		      /* its lives in `lives` below, n_used of them */
};

struct ts_heap {
	struct ts_heap_range *ranges; /* by address */
	uint32_t n, room;
	const struct ts_life **lives; /* that are there then, by address */
	size_t n_lives;
	bool known; /* false: too many events of segments follow; then there are no ranges */
};

/* Behind the last byte that a life takes, as far as that is known. */
uint64_t ts_heap_end_of(const struct ts_life *life);
/* What the allocator takes of the device for a request that no gap serves. */
uint64_t ts_heap_segment_for(uint64_t requested);
/* Whether it is a private one: of a graph, or of torch.cuda.MemPool. One that is not said counts as the common one. */
bool ts_heap_private(const uint64_t pool[2]);
/* Whether two pools are one; what is not said counts as the common one. */
bool ts_heap_same_pool(const uint64_t a[2], const uint64_t b[2]);
/* Whether the allocator serves such a request from segments of small blocks. */
bool ts_heap_small(uint64_t requested);
/* Whether a request could have been served from the range: of its stream, its size class and its pool. */
bool ts_heap_serves(const struct ts_heap_range *range, const struct ts_snapshot_event *request);
/* The range of an address; NULL: none. */
const struct ts_heap_range *ts_heap_find(const struct ts_heap *heap, uint64_t address);
enum ts_status ts_heap_after(const struct ts_replay *r, uint32_t event, struct ts_arena *arena, struct ts_heap *ret_heap,
			     struct ts_error *err);

#endif
