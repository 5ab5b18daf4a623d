/* allocator.h - what the allocator itself cost: memory taken from the device and given back, retries, requests that it refused.
 *
 * A retry is a request for which the allocator gave cached segments back to the device and asked it again: events `segment_free` (or
 * `segment_unmap`) with one stack, right before a `segment_alloc`, `segment_map` or `oom` with the same. Each costs a synchronisation
 * of the device. Stacks tell it from empty_cache; where none were recorded, none is counted. Pure; any thread.
 */
#ifndef TSCOPE_ANALYSIS_SNAPSHOT_ALLOCATOR_H
#define TSCOPE_ANALYSIS_SNAPSHOT_ALLOCATOR_H

#include "analysis/snapshot/heap.h"

enum { TS_OOMS_MAX = 8 };

/* A request that was refused, and what stood in its way: of the ranges that could have served it (its stream, its pool, its
 * size class), the free bytes and the largest gap. */
struct ts_oom {
	uint32_t event;
	uint64_t requested, device_free;
	uint64_t live, reserved; /* requested bytes of lives, and bytes of all ranges, then */
	bool known;		 /* what follows is */
	uint64_t free, largest;
	bool private; /* it was asked of a private pool */
	uint64_t pool[2];
	uint64_t elsewhere; /* free bytes of ranges that could not serve it, because some of them are: */
	bool of_other_pools, of_other_streams, of_other_sizes;
	uint64_t cached;    /* of elsewhere: ranges of the common pool in which nothing was in use */
	uint64_t segment;   /* what the allocator would have taken of the device for it */
	uint64_t before;    /* of live: from before the first event */
	uint64_t waiting;   /* of live: the program had let go of them, another stream had not */
	/* The range with most free bytes that something in use keeps from being whole. */
	uint64_t pinned_range, pinned_free, pinned_used; /* bytes; 0: there is none */
	uint32_t pinned_by;				 /* the life of most bytes in it */
	uint32_t n_pinned;				 /* lives in it */
};

struct ts_allocator {
	uint64_t n_taken, taken, n_given, given; /* events and bytes: segment_alloc and segment_map; segment_free and segment_unmap */
	uint64_t n_retries, retried;		 /* and the bytes that they gave back */
	/* Events have one time each, so how long a call took is only bounded. */
	bool timed;	  /* the events have times */
	int64_t most_us;  /* the time between each event of segments and the one before it, where it is the later; all together */
	int64_t retry_us; /* of retries: from the first event of what is given back to the one that asks again; all together */
	uint64_t n_ooms;
	struct ts_oom ooms[TS_OOMS_MAX]; /* the first ones */
};

/* Bytes by which all that was free in ranges that could have served it, and what the device had left, is too little for it. */
static inline uint64_t ts_oom_lacks(const struct ts_oom *o)
{
	uint64_t had = o->free > UINT64_MAX - o->device_free ? UINT64_MAX : o->free + o->device_free;

	return o->requested > had ? o->requested - had : 0;
}

enum ts_status ts_allocator_of(const struct ts_replay *r, struct ts_arena *arena, struct ts_allocator *ret_allocator,
			       struct ts_error *err);

#endif
