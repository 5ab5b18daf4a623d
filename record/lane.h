/* lane.h - a sequence of chunks with one writer: where frames are put, complete or not at all.
 *
 *	uint8_t *frame = ts_lane_room(lane, size)	NULL: there is no room, or the recording has stopped
 *	... the bytes from TS_FRAME_HEADER on ...
 *	ts_lane_put(lane, frame, kind, size)		from here on the keeper copies it, also if this process is killed
 *
 * size is a multiple of 8 and at most TS_LANE_FRAME_MAX. A frame that is not put is written over by the next. Threads: one at a time.
 */
#ifndef TSCOPE_RECORD_LANE_H
#define TSCOPE_RECORD_LANE_H

#include "record/area.h"
#include "record/crc32c.h"
#include "record/frame.h"

#include <string.h>

enum {
	TS_LANE_TAIL = TS_FRAME_END_SIZE, /* bytes of a chunk that are kept free in lane 0 for the END frame */
	TS_LANE_FRAME_MAX = TS_FRAME_CHUNK - TS_FRAME_FILE_HEADER - TS_FRAME_CHUNK_HEADER - TS_LANE_TAIL,
};

struct ts_companion;

struct ts_lane {
	uint8_t *at;	/* where the next frame goes */
	uint8_t *limit; /* where frames of this chunk have to end */
	uint8_t *base;	/* of the slot */
	struct ts_area *area;
	struct ts_slot *slot; /* NULL before the first */
	struct ts_companion *companion; /* who is asked for room; NULL: nobody, and no room is none */
	uint32_t number;
	uint32_t chunks; /* that it had */
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

/* Takes the next chunk. Returns false if there is none. */
bool ts_lane_next(struct ts_lane *lane);

static inline uint8_t *ts_lane_room(struct ts_lane *lane, size_t size)
{
	if (atomic_load_explicit(&lane->area->stopped, memory_order_relaxed))
		return NULL;
	if ((size_t)(lane->limit - lane->at) < size && !ts_lane_next(lane))
		return NULL;
	return lane->at;
}

static inline void ts_lane_seal(uint8_t *frame, enum ts_frame_kind kind, size_t size)
{
	ts_put32(frame, (uint32_t)size | (uint32_t)kind << 24);
	ts_put32(frame + 4, ts_crc32c(ts_crc32c(0, frame, 4), frame + TS_FRAME_HEADER, size - TS_FRAME_HEADER));
}

static inline void ts_lane_put(struct ts_lane *lane, uint8_t *frame, enum ts_frame_kind kind, size_t size)
{
	ts_lane_seal(frame, kind, size);
	lane->at = frame + size;
	ts_area_fill(lane->slot, (size_t)(lane->at - lane->base));
}

/* The cells of a row, as STEP and LATE have them: the columns, then the values. */
static inline size_t ts_cells_size(uint32_t count)
{
	return TS_FRAME_ALIGNED(2 * (size_t)count) + 8 * (size_t)count;
}

static inline void ts_put_cells(uint8_t *p, const uint16_t *columns, const uint64_t *values, uint32_t count)
{
	uint8_t *end = p + TS_FRAME_ALIGNED(2 * (size_t)count);

	for (uint32_t i = 0; i < count; i++, p += 2)
		ts_put16(p, columns[i]);
	for (; p < end; p++)
		*p = 0;
	for (uint32_t i = 0; i < count; i++, p += 8)
		ts_put64(p, values[i]);
}

/* Puts values that a step that has ended gets now. Returns false if there is no room. */
bool ts_lane_late(struct ts_lane *lane, int64_t step, const uint16_t *columns, const uint64_t *values, uint32_t count);

#endif
