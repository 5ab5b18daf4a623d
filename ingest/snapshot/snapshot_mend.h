/* snapshot_mend.h - what rows of segments and blocks say of each other, where one of them does not say it itself.
 *
 * Blocks tile their segment: one begins where the one before it ends. So an address, a size and the sums of a segment that the file
 * lacks, or has as a value that cannot be, follow from the rest. What does not follow is 0 (of a block that asked for less than it got:
 * its whole size), and was counted when its row was read. Threads: any.
 */
#ifndef TSCOPE_INGEST_SNAPSHOT_SNAPSHOT_MEND_H
#define TSCOPE_INGEST_SNAPSHOT_SNAPSHOT_MEND_H

#include "run/snapshot.h"

/* blocks: all of the segment. *io_bytes: all sizes of the snapshot together, which stay below 2^63. */
void ts_snapshot_mend(struct ts_snapshot_segment *segment, struct ts_snapshot_block *blocks, uint64_t *io_bytes);

/* Gives segments whose device is TS_NO_SEGMENT_DEVICE that of their neighbours, which torch writes device by device, if those before
 * and behind have one; leaves others as they are. */
void ts_snapshot_mend_devices(struct ts_snapshot_segment *segments, size_t n);

#endif
