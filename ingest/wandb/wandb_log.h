/* wandb_log.h - the records of a .wandb file, through a window.
 *
 *	":W&B", u16 0xBEE1, u8 version 0; then blocks of 32 KiB, the first of which those 7 bytes begin
 *	a block: chunks of u32 CRC-32 of type and data, u16 length, u8 type, data; fewer than 7 bytes at its end are padding
 *	a record: one FULL chunk, or FIRST, MIDDLE..., LAST; little-endian
 *
 *	ts_wandb_log_open(&w, path, err)
 *	while (ts_wandb_log_next(&w, &record, &end, err) == TS_OK && end < TS_WANDB_END)
 *		if (end == TS_WANDB_MORE) ...
 *	ts_wandb_log_close(&w)
 *
 * The file is read up to the size it had when it was opened. A tail that is cut is how a file ends that is being written,
 * or whose writer was killed. Where a checksum, a length or a type is wrong, the rest of the block is passed over and
 * reading goes on with the next record that begins behind it: DAMAGED, once for each such place, and the next call goes
 * on. A record of more than TS_WANDB_RECORD_MAX bytes is checked, but not given: LONG. Threads: one at a time.
 */
#ifndef TSCOPE_INGEST_WANDB_WANDB_LOG_H
#define TSCOPE_INGEST_WANDB_WANDB_LOG_H

#include "base/buf.h"

enum { TS_WANDB_RECORD_MAX = 16 << 20, TS_WANDB_BLOCK = 32 << 10, TS_WANDB_PREAMBLE = 7 };

enum ts_wandb_end {
	TS_WANDB_MORE,	  /* a record */
	TS_WANDB_LONG,	  /* one that is too long to be given */
	TS_WANDB_DAMAGED, /* something was passed over */
	TS_WANDB_END,
	TS_WANDB_CUT, /* the file ends inside a record */
};

struct ts_wandb_log {
	int fd;
	uint64_t size;
	uint64_t at;	 /* in the file: of the chunk that comes next */
	uint64_t told;	 /* in the file: where what the last call gave begins */
	uint64_t filled; /* in the file: where the window's end stands */
	struct ts_buf window;
	size_t used;
	struct ts_buf joined; /* of the record in hand, from its FIRST chunk on */
	uint64_t first;	      /* in the file: where that is */
	bool inside, too_long, lost; /* lost: what comes may belong to a record whose beginning was passed over */
};

/* TS_INVALID when it does not begin as such a file does. */
enum ts_status ts_wandb_log_open(struct ts_wandb_log *w, const char *path, struct ts_error *err);
void ts_wandb_log_close(struct ts_wandb_log *w);
/* The record is good until the next call. */
enum ts_status ts_wandb_log_next(struct ts_wandb_log *w, struct ts_span *ret_record, enum ts_wandb_end *ret_end, struct ts_error *err);

#endif
