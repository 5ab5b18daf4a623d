/* growth.h - the steps that a recording got since it was last asked, for whoever watches it grow.
 *
 *	ts_growth_init(&g)
 *	ts_growth_read(&g, fd, size, take, ctx, err)	again and again: only what is new is read
 *	ts_growth_finish(&g)
 *
 * Frames are given chunk after chunk, and in a chunk in the order in which they were written, each once; so rows of one lane are in
 * order, and a value that comes late may stand before its step where another thread wrote it. A frame that is not whole yet is waited
 * for. Behind one that stays damaged the rest of its chunk (at most 64 KiB) is passed over and counted. Nothing here is for an answer
 * that has to be right to the last frame: that is recording.h.
 *
 * Every byte is foreign. Memory: one chunk, and 16 bytes for each chunk of the file. Threads: one at a time.
 */
#ifndef TSCOPE_INGEST_RECORDING_GROWTH_H
#define TSCOPE_INGEST_RECORDING_GROWTH_H

#include "ingest/recording/columns.h"

struct ts_growth_cell {
	struct ts_declared_column *column; /* its member `number` is the caller's */
	double value;			   /* durations in seconds */
};

struct ts_growth_row {
	bool late; /* values of a step that has ended */
	int64_t step;
	double time; /* Unix seconds of its end */
	const struct ts_growth_cell *cells;
	size_t n;
};

typedef void ts_growth_take(void *ctx, const struct ts_growth_row *row);

struct ts_growth_chunk {
	uint32_t lane, ordinal;
	uint32_t at; /* where the next frame is expected; 0: its header was not there yet */
	bool done;
	bool stuck;	/* a row waits for the names of its columns */
	uint8_t waited; /* how often in a row what stands there was no whole frame */
};

struct ts_growth {
	bool has_header;
	int32_t rank;
	int64_t unix_ns, mono_ns;
	struct ts_declared columns;
	struct ts_growth_chunk *chunks;
	size_t n, cap;
	uint8_t *data; /* one chunk */
	struct ts_growth_cell *cells;
	size_t cap_cells;
	bool waiting;	  /* a chunk is stuck */
	uint64_t taken;	  /* bytes of frames */
	uint64_t damaged; /* chunks of which the rest was passed over */
	bool ended;	  /* it has its END frame */
};

void ts_growth_init(struct ts_growth *g);
void ts_growth_finish(struct ts_growth *g);
/* size: of the file now. *ret_rows: how many rows were taken. TS_INVALID: no recording, or one of another version. */
enum ts_status ts_growth_read(struct ts_growth *g, int fd, uint64_t size, ts_growth_take *take, void *ctx, uint64_t *ret_rows,
			      struct ts_error *err);
/* Whether a process of this machine still holds the recording. */
bool ts_growth_held(int fd);

#endif
