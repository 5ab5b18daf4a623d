/* wandb_log.h - reads the records of a .wandb file, or of another log with these frames, through a window. The format of the file:
 *
 *	a file: blocks of 32 KiB; the first begins with 7 bytes: ":W&B", u16 0xBEE1, u8 version 0
 *	a block: chunks of u32 CRC-32 of type and data, u16 length, u8 type, data; fewer than 7 bytes at its end are padding
 *	a record: one FULL chunk, or FIRST, MIDDLE..., LAST; all numbers are little-endian
 *
 *	ts_wandb_log_open(&w, &ts_wandb_kind, top, path, err)	top: base/below.h
 *	while (ts_wandb_log_next(&w, &record, &end, err) == TS_OK && end < TS_WANDB_END)
 *		if (end == TS_WANDB_MORE) ...
 *	ts_wandb_log_close(&w)
 *
 * The file is read up to the size it had when it was opened. A file that is still being written, or whose writer was killed, ends
 * inside a record (CUT). If a checksum, a length or a type is wrong, the result is DAMAGED, once for each such place: the rest of
 * the block is skipped, and the next call goes on with the next record that begins after it. A record of more than
 * TS_WANDB_RECORD_MAX bytes is checked but not returned (LONG). Threads: one at a time.
 */
#ifndef TSCOPE_INGEST_WANDB_WANDB_LOG_H
#define TSCOPE_INGEST_WANDB_WANDB_LOG_H

#include "base/buf.h"

enum { TS_WANDB_RECORD_MAX = 16 << 20, TS_WANDB_BLOCK = 32 << 10, TS_WANDB_PREAMBLE = 7 };

enum ts_wandb_end {
	TS_WANDB_MORE,	  /* a record */
	TS_WANDB_LONG,	  /* a record was too long and is skipped */
	TS_WANDB_DAMAGED, /* a damaged place was skipped */
	TS_WANDB_END,
	TS_WANDB_CUT, /* the file ends inside a record */
};

struct ts_wandb_log {
	int fd;
	uint64_t size;
	uint64_t at;	 /* place in the file of the next chunk */
	uint64_t told;	 /* place in the file where the result of the last call begins */
	uint64_t filled; /* place in the file of the window's end */
	uint64_t damage; /* place in the file of the first damage; UINT64_MAX: none so far */
	uint64_t trusted; /* up to here a reading before this one found every checksum right; a caller may set it after opening */
	struct ts_buf window;
	size_t used;
	struct ts_buf joined; /* data of the current record, from its FIRST chunk on */
	uint64_t first;	      /* place in the file of that FIRST chunk */
	bool inside, too_long, lost; /* lost: the next chunks may belong to a record whose beginning was skipped */
};

/* How a file of the format begins. SwanLab's differ from W&B's in this alone. */
struct ts_wandb_kind {
	const char *name;
	uint8_t preamble[TS_WANDB_PREAMBLE];
};

extern const struct ts_wandb_kind ts_wandb_kind;

/* TS_INVALID: the file does not begin as such a file does. */
enum ts_status ts_wandb_log_open(struct ts_wandb_log *w, const struct ts_wandb_kind *kind, const char *top, const char *path,
				 struct ts_error *err);
void ts_wandb_log_close(struct ts_wandb_log *w);
/* Up to where all that was read has the right checksums. */
uint64_t ts_wandb_log_sound(const struct ts_wandb_log *w);
/* Reads the next record, which is valid until the next call. */
enum ts_status ts_wandb_log_next(struct ts_wandb_log *w, struct ts_span *ret_record, enum ts_wandb_end *ret_end, struct ts_error *err);

#endif
