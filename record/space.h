/* space.h - the chunks of a recording: made ahead of their use, an extent at a time, and taken without a lock.
 *
 *	ts_space_open(&s, fd)			with the first extent
 *	ts_space_take(&s, &chunk)		any thread, the next free chunk; ts_space_give_back when it is full
 *	ts_space_ahead(&s)			the keeper, now and then: makes extents until enough are ready
 *	ts_space_flush(&s)			the keeper: what was written is on the disk; full extents are unmapped
 *	ts_space_close(&s)			cuts the file behind the last chunk that was taken
 *
 * The keeper is the library's own thread. A taker that finds no chunk ready makes an extent itself, under a lock, and is counted. Once
 * an extent cannot be made, what is ready is still given, and then the space has stopped.
 */
#ifndef TSCOPE_RECORD_SPACE_H
#define TSCOPE_RECORD_SPACE_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
	TS_SPACE_EXTENT = 16,	/* chunks: 1 MiB */
	TS_SPACE_AHEAD = 16,	/* chunks that are ready at first, some 10,000 steps; twice as many after each wait, up to ... */
	TS_SPACE_AHEAD_MAX = 256, /* ... 16 MiB */
	TS_SPACE_RING = 32,	/* extents that may be ready at once */
};

struct ts_extent {
	struct ts_extent *next; /* made before this one */
	uint8_t *map;
	uint32_t first;		   /* number of its first chunk */
	_Atomic uint32_t finished; /* chunks that are full */
};

struct ts_chunk {
	struct ts_extent *extent;
	uint8_t *at;
	uint32_t number;
};

struct ts_space {
	int fd;
	_Atomic int error;	  /* errno of the first extent that could not be made, or of what stopped it; 0: none */
	_Atomic bool stopped;	  /* nothing is to be written any more */
	_Atomic uint32_t taken;	  /* the number of the next chunk to be given */
	_Atomic uint32_t made;	  /* chunks in the file */
	_Atomic uint32_t ahead;
	_Atomic uint64_t waits;	  /* chunks that their taker made */
	_Atomic(struct ts_extent *) ring[TS_SPACE_RING];
	pthread_mutex_t lock;	  /* of making and unmapping, and of: */
	struct ts_extent *extents; /* that are mapped, the newest first */
};

/* Returns 0 or errno; then there is nothing to close. */
int ts_space_open(struct ts_space *s, int fd);
/* Returns false if there is no space any more. */
bool ts_space_take(struct ts_space *s, struct ts_chunk *ret_chunk);
static inline void ts_space_give_back(struct ts_chunk *chunk)
{
	atomic_fetch_add_explicit(&chunk->extent->finished, 1, memory_order_release);
}
void ts_space_ahead(struct ts_space *s);
void ts_space_flush(struct ts_space *s);
/* The keeper, after a flush: the next `len` bytes from `at` on, where a lane writes now, will be written soon. */
void ts_space_warm(struct ts_space *s, uint8_t *at, size_t len);
/* Looks whether the file is still as long as it was made, and still in a directory; else the space has stopped (ESTALE). */
void ts_space_check(struct ts_space *s);
void ts_space_close(struct ts_space *s);

#endif
