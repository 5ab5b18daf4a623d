/* tfrecord.h - reads the records of a TFRecord file through a window. A record is:
 *
 *	u64 length, u32 masked CRC-32C of it, the bytes, u32 masked CRC-32C of those; little-endian
 *
 *	ts_tfrecord_open(&t, top, path, err)	top: base/below.h
 *	while (ts_tfrecord_next(&t, &record, &end, err) == TS_OK && end == TS_TFRECORD_MORE) ...
 *	ts_tfrecord_close(&t)
 *
 * The file is read up to the size it had when it was opened. A file that is still being written ends inside a record (CUT). The
 * format has no mark by which to find the next record, so reading ends at a wrong checksum (DAMAGED). A record of more than
 * TS_TFRECORD_MAX bytes is checked but not returned (LONG), and the next call goes on after it. Threads: one at a time.
 */
#ifndef TSCOPE_INGEST_TENSORBOARD_TFRECORD_H
#define TSCOPE_INGEST_TENSORBOARD_TFRECORD_H

#include "base/buf.h"
#include "record/crc32c.h"

enum { TS_TFRECORD_MAX = 16 << 20 };

enum ts_tfrecord_end {
	TS_TFRECORD_MORE, /* a record */
	TS_TFRECORD_LONG, /* a record was too long and is skipped; call again */
	TS_TFRECORD_END,
	TS_TFRECORD_CUT,     /* the file ends inside a record */
	TS_TFRECORD_DAMAGED, /* a checksum is wrong */
};

struct ts_tfrecord {
	int fd;
	uint64_t size;
	uint64_t at; /* place in the file of the next record; at CUT and DAMAGED, of the bad one */
	uint64_t filled; /* place in the file of the window's end */
	struct ts_buf window;
	size_t used;
};

enum ts_status ts_tfrecord_open(struct ts_tfrecord *t, const char *top, const char *path, struct ts_error *err);
void ts_tfrecord_close(struct ts_tfrecord *t);
/* Reads the next record, which is valid until the next call. */
enum ts_status ts_tfrecord_next(struct ts_tfrecord *t, struct ts_span *ret_record, enum ts_tfrecord_end *ret_end, struct ts_error *err);

/* How a TFRecord stores a CRC-32C: rotated, with an offset, so that a checksum over bytes that contain checksums works. */
static inline uint32_t ts_tfrecord_masked(uint32_t crc)
{
	return (crc >> 15 | crc << 17) + UINT32_C(0xa282ead8);
}

#endif
