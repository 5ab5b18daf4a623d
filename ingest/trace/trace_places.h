/* trace_places.h - numbers of devices and streams for the columns, which have 32 bits: some platforms write pointers as streams.
 *
 * A number from 0 to 2^31 - 1 stays as it is. Of any other the low 31 bits count, below 0, so that -1 stays -1 and streams of one
 * region of memory keep their order; one that another has already becomes the next that is free. Threads: one at a time.
 */
#ifndef TSCOPE_INGEST_TRACE_TRACE_PLACES_H
#define TSCOPE_INGEST_TRACE_TRACE_PLACES_H

#include "run/trace.h"

enum { TS_TRACE_PLACES_MAX = 1024 }; /* that do not stay: real traces have some dozens */

/* Zeros are an empty one. */
struct ts_trace_places {
	struct ts_trace_place_no {
		int64_t said;
		int32_t number;
	} items[TS_TRACE_PLACES_MAX]; /* by `said` */
	size_t n;
};

/* The number of one that does not stay; *ret_new: it was not asked for before. TS_TRACE_NO_DEVICE: there are too many. */
int32_t ts_trace_place_number(struct ts_trace_places *places, int64_t said, bool *ret_new);

#endif
