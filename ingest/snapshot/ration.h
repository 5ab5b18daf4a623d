/* ration.h - arrays that grow, and what all of them together may take.
 *
 * A pickle of a few bytes can ask for any amount of memory. So what the reader holds may be TS_RATION_TIMES as much as the bytes that
 * it has read, and TS_RATION_FREE beside that: a real snapshot takes less than twice its size. The first failure is remembered.
 * Threads: one at a time.
 */
#ifndef TSCOPE_INGEST_SNAPSHOT_RATION_H
#define TSCOPE_INGEST_SNAPSHOT_RATION_H

#include "base/error.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { TS_RATION_FREE = 16 << 20, TS_RATION_TIMES = 4 };

struct ts_ration {
	uint64_t read; /* bytes that were read so far */
	uint64_t held;
	uint64_t most;	       /* that were ever held */
	enum ts_status failed; /* TS_NO_MEMORY or TS_TOO_LARGE */
};

struct ts_vector {
	void *data;
	size_t n, cap;
};

/* Makes room for `more` items behind the n that v has. False: no memory, or more than is allowed. */
bool ts_vector_room(struct ts_ration *a, struct ts_vector *v, size_t item, size_t more);
void ts_vector_finish(struct ts_ration *a, struct ts_vector *v, size_t item);

/* Counts memory that is held elsewhere; false if that is more than is allowed. */
bool ts_ration_take(struct ts_ration *a, uint64_t bytes);
void ts_ration_give(struct ts_ration *a, uint64_t bytes);

#endif
