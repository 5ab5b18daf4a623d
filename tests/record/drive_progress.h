/* drive_progress.h - what record_drive and its keeper say of themselves, in a file that is mapped.
 *
 * What the recording held before the last fdatasync is kept in PROGRESS.synced.
 */
#ifndef TSCOPE_TESTS_RECORD_DRIVE_PROGRESS_H
#define TSCOPE_TESTS_RECORD_DRIVE_PROGRESS_H

#include <stdint.h>

struct progress {
	_Atomic uint64_t steps, regions; /* whose end has returned */
	_Atomic uint64_t syncs;		 /* fdatasyncs */
	_Atomic int64_t last;		 /* monotonic ns when the last began */
};

/* Returns NULL if it cannot be mapped. The keeper, where it is a process, finds the path in $TS_PROGRESS. */
struct progress *progress_open(const char *path);

#endif
