/* fragments.h - the free memory of a device's segments at the end of a snapshot: what empty_cache would give back, and what not.
 *
 *	whole	  of segments in which nothing is in use
 *	cached	  of those, what empty_cache returns to the device: all but the segments of private pools
 *	pages	  whole free pages of expandable segments in use, which it unmaps
 *	stuck	  the other free bytes of segments in use: fragmentation that empty_cache does not cure
 *
 * Nothing of a private pool (of a CUDA graph, of torch.cuda.MemPool) is returned while the pool lives: its free bytes count as stuck,
 * and stand in `in_pools`, too. A block is pinned if it is small, in use, and has free ones on both sides. Pure; any thread.
 */
#ifndef TSCOPE_ANALYSIS_SNAPSHOT_FRAGMENTS_H
#define TSCOPE_ANALYSIS_SNAPSHOT_FRAGMENTS_H

#include "base/arena.h"
#include "run/snapshot.h"

enum {
	TS_FRAGMENT_SMALL_PAGE = 2 << 20,  /* c10: kSmallBuffer, the page of an expandable segment of small blocks */
	TS_FRAGMENT_LARGE_PAGE = 20 << 20, /* kLargeBuffer */
	TS_FRAGMENT_PINNED_MAX = 2 << 20,
	TS_FRAGMENT_GAPS = 10,
	TS_FRAGMENT_CLASSES = 5,
};

struct ts_fragment_gap {
	uint32_t segment, block; /* the free block */
	uint64_t bytes;
	uint32_t before, after; /* stacks of the blocks in use beside it, or TS_SNAPSHOT_NONE */
};

/* Segments of a size: below 2 MiB, 64 MiB, 256 MiB, 1 GiB, and from there on. */
struct ts_fragment_class {
	uint32_t n;
	uint64_t reserved, free;
};

struct ts_fragments {
	uint64_t free, whole, cached, pages, stuck, in_pools;
	uint32_t n_whole, n_cached, n_used; /* segments */
	uint64_t largest;		    /* free block, of any segment */
	uint32_t n_pinned;
	uint64_t pinned; /* bytes of those blocks */
	uint32_t n_expandable, n_private;
	uint64_t expandable, in_private; /* bytes reserved */
	struct ts_fragment_class classes[TS_FRAGMENT_CLASSES];
	struct ts_fragment_gap gaps[TS_FRAGMENT_GAPS]; /* of segments in use, the largest first */
	uint32_t n_gaps;
};

void ts_fragments_of(const struct ts_snapshot *s, uint16_t device, struct ts_fragments *ret_fragments);

#endif
