/* streams.h - the streams that are open on one connection, and how much the client lets the server send on each.
 *
 * A fixed number of places: C-core refuses what is more than TS_CONNECTION_CALLS, so what does not fit is not worth a place.
 * Pure; threads: its owner's lock.
 */
#ifndef TSCOPE_SERVICE_RPC_GUARD_STREAMS_H
#define TSCOPE_SERVICE_RPC_GUARD_STREAMS_H

#include "base/limits.h"

#include <stdbool.h>
#include <stdint.h>

enum { TS_STREAMS_MAX = TS_CONNECTION_CALLS + 28 };

struct ts_stream {
	uint32_t id;
	bool ended; /* by the client: it sends nothing more */
	int64_t window;
};

struct ts_streams {
	unsigned n;
	struct ts_stream all[TS_STREAMS_MAX];
};

struct ts_stream *ts_streams_find(struct ts_streams *streams, uint32_t id); /* NULL: it is not open */
bool ts_streams_open(struct ts_streams *streams, uint32_t id, bool ended, int64_t window); /* false: no place */
/* False: it was not open. *ret_ended: the client had sent everything. */
bool ts_streams_close(struct ts_streams *streams, uint32_t id, bool *ret_ended);
/* Adds to the windows of all, because the client changed its initial window. */
void ts_streams_widen(struct ts_streams *streams, int64_t by);
/* Whether a stream has a window below `least`. */
bool ts_streams_narrow(const struct ts_streams *streams, int64_t least);

#endif
