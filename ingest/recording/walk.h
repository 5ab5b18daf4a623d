/* walk.h - gives the sound frames of a recording lane by lane, in the order in which each lane wrote them (docs/recording.md).
 *
 *	ts_chunks_find(&source, &chunks, err)
 *	ts_frame_walk_init(&w, &source, &chunks, TS_WALK_ALL, notices)	the first walk says what is damaged, and learns what is where
 *	while (ts_frame_walk_next(&w, &frame, &more, err) == TS_OK && more) ... frame
 *	ts_frame_walk_finish(&w)
 *	ts_frame_walk_init(&w, &source, &chunks, 1u << TS_FRAME_STEP, NULL)	later ones read the same frames, of some kinds
 *
 * A file that grows is fine: a walk ends in each chunk where nothing was written yet, and a later walk ends at the same places. Behind
 * a hole or a damaged frame the walk looks for the next sound one. Every byte is foreign: what a frame says fits into it.
 * Memory: one chunk, and 40 bytes for each chunk of the file. Threads: one at a time.
 */
#ifndef TSCOPE_INGEST_RECORDING_WALK_H
#define TSCOPE_INGEST_RECORDING_WALK_H

#include "base/cursor.h"
#include "ingest/core/notice.h"
#include "ingest/core/source.h"
#include "record/frame.h"

#define TS_LANE_NONE UINT32_MAX /* of a chunk whose header is damaged: it is a lane of its own */
#define TS_TIME_NONE INT64_MIN	/* of a frame without a time in a lane that has none before it */

enum { TS_WALK_ALL = 0 };

struct ts_chunk {
	uint32_t number; /* its place in the file */
	uint32_t lane;
	uint32_t ordinal; /* which of its lane */
	bool sound;	  /* its header was sound; without a lane it is then the second one of its lane and ordinal */
	bool learnt;	  /* the first walk has been here */
	bool damaged;	  /* and found a hole or a damaged frame: later walks look for them again */
	uint32_t end;	  /* where its frames end; until then the end of the chunk */
	uint32_t kinds;	  /* bit k: it has frames of kind k; until then all */
	int64_t time;	  /* of the lane where the chunk begins */
};

struct ts_chunks {
	struct ts_chunk *items; /* by lane, then ordinal; those without a lane last */
	size_t n;
	uint64_t missing; /* chunks that lanes lack in front of others that they have */
};

struct ts_frame {
	uint32_t kind;
	uint32_t lane;
	uint64_t at; /* where it begins in the file */
	uint32_t chunk;
	const uint8_t *bytes; /* until the next call */
	size_t len;
	int64_t time; /* when it was recorded, ns; of a frame without a time that of the frame with one before it */
};

/* What frames of columns and values have: n columns of u16, and n values of 8 bytes. */
struct ts_frame_cells {
	const uint8_t *columns, *values;
	uint32_t n;
};

struct ts_frame_walk {
	const struct ts_source *source;
	struct ts_chunks *chunks;
	struct ts_notices *notices;
	uint32_t kinds;
	size_t next;
	struct ts_chunk *chunk; /* the current one or the last one */
	bool open;
	uint8_t *data;
	size_t len, at;
	bool again; /* the chunk was read once more because of what stands at `at` */
	int64_t time;
};

/* The chunks that are in use or may be. TS_IO, TS_NO_MEMORY. The caller frees with ts_chunks_finish. */
enum ts_status ts_chunks_find(const struct ts_source *source, struct ts_chunks *ret_chunks, struct ts_error *err);
void ts_chunks_finish(struct ts_chunks *chunks);
/* Whether these TS_FRAME_CHUNK_HEADER bytes are the header of the chunk with this number. */
bool ts_chunk_header_sound(const uint8_t *header, uint32_t number);
/* Where the header of a chunk begins in it. */
static inline size_t ts_chunk_header_at(uint32_t number)
{
	return number == 0 ? TS_FRAME_FILE_HEADER : 0;
}

/* kinds: of which kinds frames are given; TS_WALK_ALL: all of them, unknown ones, too. notices may be NULL. */
void ts_frame_walk_init(struct ts_frame_walk *w, const struct ts_source *source, struct ts_chunks *chunks, uint32_t kinds,
		  struct ts_notices *notices);
enum ts_status ts_frame_walk_next(struct ts_frame_walk *w, struct ts_frame *ret_frame, bool *ret_more, struct ts_error *err);
void ts_frame_walk_finish(struct ts_frame_walk *w);

/* Whether a frame of a known kind is as long as what it holds. */
bool ts_frame_fits(const uint8_t *frame, size_t len);
/* Those of a STEP or LATE frame. */
struct ts_frame_cells ts_frame_cells(uint32_t kind, const uint8_t *frame);

static inline int64_t ts_frame_i64(const uint8_t *frame, size_t at)
{
	return (int64_t)ts_load_le(frame + at, 8);
}

static inline uint32_t ts_frame_u16(const uint8_t *frame, size_t at)
{
	return (uint32_t)ts_load_le(frame + at, 2);
}

/* a + b and a - b of times, which any bytes may be: they wrap. */
static inline int64_t ts_time_add(int64_t a, int64_t b)
{
	return (int64_t)((uint64_t)a + (uint64_t)b);
}

#endif
