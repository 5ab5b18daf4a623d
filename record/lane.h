/* lane.h - a sequence of chunks with one writer: where frames are put, complete or not at all.
 *
 *	uint8_t *frame = ts_lane_room(lane, size)	NULL: there is no space any more
 *	... the bytes from TS_FRAME_HEADER on ...
 *	ts_lane_put(lane, frame, kind, size)		from here on readers see it, and SIGKILL does not take it away
 *
 * size is a multiple of 8 and at most TS_LANE_FRAME_MAX. A frame that is not put is written over by the next. Threads: one at a time.
 */
#ifndef TSCOPE_RECORD_LANE_H
#define TSCOPE_RECORD_LANE_H

#include "record/crc32c.h"
#include "record/frame.h"
#include "record/space.h"

#include <string.h>

enum {
	TS_LANE_TAIL = TS_FRAME_END_SIZE, /* bytes of a chunk that are kept free in lane 0 for the END frame */
	TS_LANE_FRAME_MAX = TS_FRAME_CHUNK - TS_FRAME_FILE_HEADER - TS_FRAME_CHUNK_HEADER - TS_LANE_TAIL,
};

struct ts_lane {
	_Atomic(uint8_t *) at; /* where the next frame goes */
	uint8_t *limit;	       /* where frames of this chunk have to end */
	struct ts_space *space;
	struct ts_chunk chunk; /* .extent is NULL before the first */
	uint32_t number;
	uint32_t chunks;	   /* that it had */
	_Atomic uint64_t put;	   /* frames */
};

/* Compilers make one store of these bytes, but not of a loop over them. */
static inline void ts_put16(uint8_t *p, uint16_t v)
{
	p[0] = (uint8_t)v;
	p[1] = (uint8_t)(v >> 8);
}

static inline void ts_put32(uint8_t *p, uint32_t v)
{
	p[0] = (uint8_t)v;
	p[1] = (uint8_t)(v >> 8);
	p[2] = (uint8_t)(v >> 16);
	p[3] = (uint8_t)(v >> 24);
}

static inline void ts_put64(uint8_t *p, uint64_t v)
{
	p[0] = (uint8_t)v;
	p[1] = (uint8_t)(v >> 8);
	p[2] = (uint8_t)(v >> 16);
	p[3] = (uint8_t)(v >> 24);
	p[4] = (uint8_t)(v >> 32);
	p[5] = (uint8_t)(v >> 40);
	p[6] = (uint8_t)(v >> 48);
	p[7] = (uint8_t)(v >> 56);
}

static inline uint8_t *ts_lane_at(const struct ts_lane *lane)
{
	return atomic_load_explicit(&lane->at, memory_order_relaxed);
}

/* Takes the next chunk. Returns false if there is none. */
bool ts_lane_next(struct ts_lane *lane);

static inline uint8_t *ts_lane_room(struct ts_lane *lane, size_t size)
{
	if (atomic_load_explicit(&lane->space->stopped, memory_order_relaxed))
		return NULL;
	if ((size_t)(lane->limit - ts_lane_at(lane)) < size && !ts_lane_next(lane))
		return NULL;
	return ts_lane_at(lane);
}

/* The word comes last: until then, readers see zeros. */
static inline void ts_lane_publish(uint8_t *frame, uint32_t word)
{
	uint32_t stored;
	uint8_t bytes[4];

	ts_put32(bytes, word);
	memcpy(&stored, bytes, 4);
	atomic_store_explicit((_Atomic uint32_t *)(void *)frame, stored, memory_order_release);
}

static inline void ts_lane_put(struct ts_lane *lane, uint8_t *frame, enum ts_frame_kind kind, size_t size)
{
	uint32_t word = (uint32_t)size | (uint32_t)kind << 24;
	uint8_t bytes[4];

	ts_put32(bytes, word);
	ts_put32(frame + 4, ts_crc32c(ts_crc32c(0, bytes, 4), frame + TS_FRAME_HEADER, size - TS_FRAME_HEADER));
	ts_lane_publish(frame, word);
	atomic_store_explicit(&lane->at, frame + size, memory_order_relaxed);
	atomic_store_explicit(&lane->put, atomic_load_explicit(&lane->put, memory_order_relaxed) + 1, memory_order_relaxed);
}

#endif
