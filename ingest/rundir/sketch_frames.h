/* sketch_frames.h - reads sketches.tscope (docs/sketches.md) into a builder: each tensor is a row of TS_TABLE_SKETCHES, as a line of
 * sketches.jsonl is.
 *
 *	file	16 bytes: "tssketch", u32 version 1, u32 0; then frames
 *	frame	u32 length, u32 CRC-32C of the length and the payload, payload: i64 step, then tensors
 *	tensor	u8 kind, u8 type, u8 flags, u8 0, u16 length of name, u16 length of same, name, same; without same u64 count, f64
 *	squares,
 *		with the flag 4 u64 elements that are not finite, 256 f64 sums
 *
 * Integers are little-endian. A frame that is cut off or damaged ends the file, with a notice; a tensor that is none (sketch_frames.c)
 * ends its frame. Nothing of a frame is used before its checksum agrees. Threads: one at a time.
 */
#ifndef TSCOPE_INGEST_RUNDIR_SKETCH_FRAMES_H
#define TSCOPE_INGEST_RUNDIR_SKETCH_FRAMES_H

#include "ingest/rundir/emit.h"

/* A frame that says that it is longer is damaged. */
enum { TS_SKETCH_FRAME_MAX = 16 << 20 };

/* record: of the form TS_RECORD_SKETCH, whose columns are made; first: the key of the first row. */
enum ts_status ts_sketch_frames_read(const struct ts_source *source, struct ts_record *record, struct ts_emit *emit, uint64_t first,
				     struct ts_notices *notices, struct ts_error *err);

#endif
