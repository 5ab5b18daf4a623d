/* conduct.h - what a client does on one connection, judged by the frame headers of both directions.
 *
 *	ts_conduct_init(&conduct, now_ns)
 *	cause = ts_conduct_up(&conduct, bytes, now_ns)		bytes that the client sent, before C-core sees them
 *	ts_conduct_down(&conduct, bytes, now_ns)		bytes that the server has sent
 *	cause = ts_conduct_overdue(&conduct, now_ns)		about once a second
 *	ts_conduct_take(&conduct, &calls, &resets)		what the peer has earned and spent since the last time
 *
 * Frames that cost the server more than the client have budgets. A flat budget would cut honest clients, since C-core's sends a
 * WINDOW_UPDATE with nearly every call; so budgets are earned by calls that end well and by bytes. Frames count for their connection;
 * resets count for the peer, which would otherwise connect again.
 * After a cause other than TS_CUTOFF_NONE nothing more is asked. Pure; threads: its owner's lock.
 */
#ifndef TSCOPE_SERVICE_RPC_GUARD_CONDUCT_H
#define TSCOPE_SERVICE_RPC_GUARD_CONDUCT_H

#include "service/rpc/guard/allowance.h"
#include "service/rpc/guard/cutoff.h"
#include "service/rpc/guard/frames.h"
#include "service/rpc/guard/streams.h"

struct ts_conduct {
	struct ts_frames up, down;
	struct ts_streams streams;
	struct ts_allowance pings, settings, windows, odd;
	uint32_t last_stream;
	int64_t window, initial_window; /* how much the client lets the server send on the connection, and on a new stream */

	uint32_t block; /* the stream of a block of headers that was begun and has not ended; 0 = none */
	uint32_t block_bytes, block_pieces;
	int64_t block_since_ns;

	int64_t began_ns;
	int64_t idle_since_ns;	  /* when the last stream ended */
	int64_t blocked_since_ns; /* since when the server waits for the client to take something; 0 = it does not */
	uint64_t sent, sent_before; /* bytes of the server, and what they were when overdue was last asked */
	bool full;		  /* the kernel takes no more bytes for this client */

	unsigned calls, resets;
};

void ts_conduct_init(struct ts_conduct *conduct, int64_t now_ns);
enum ts_cutoff ts_conduct_up(struct ts_conduct *conduct, struct ts_span bytes, int64_t now_ns);
void ts_conduct_down(struct ts_conduct *conduct, struct ts_span bytes, int64_t now_ns);
enum ts_cutoff ts_conduct_overdue(struct ts_conduct *conduct, int64_t now_ns);
/* The calls that ended well, and the resets of both sides. */
void ts_conduct_take(struct ts_conduct *conduct, unsigned *ret_calls, unsigned *ret_resets);

/* Seconds to begin: the TLS handshake, the preface, and a block of headers that was begun. And seconds for which a client may take
 * less than a kilobyte a second of what it asked for. */
enum { TS_BEGIN_SECONDS = 10, TS_TAKE_SECONDS = 20 };

#endif
