/* guard.h - what stands between clients and C-core: floods are ended before C-core sees them, and so are those that do not begin.
 *
 *	ts_guard_start(&options, &guard, err)
 *	ts_guard_take(guard, fd, &peer, tls)	owns fd: refuses it, or options.hand_over gets it once it speaks HTTP/2
 *	ts_guard_peer(fd, &peer)		who is behind a descriptor that was handed over
 *	ts_guard_stop(guard)			hands nothing over any more; connections that C-core has stay guarded
 *	ts_guard_release(guard)			it is freed when C-core has closed the last of them
 *
 * A thread of its own shakes hands with those that arrive by TLS, waits for the first bytes of HTTP/2, and looks once a second for
 * those that stall. A connection that is cut is logged with its peer and the cause, a few lines a second at most, and counted. Then
 * memory is given back to the system, which C-core's allocations would otherwise keep for good.
 * When a peer or the server has as many connections as it may, the one that was idle longest, of the peer that has most, makes room.
 *
 * Threads: ts_guard_take, ts_guard_peer and ts_guard_count are safe; the rest belongs to one thread. hand_over is called by the
 * guard's thread.
 */
#ifndef TSCOPE_SERVICE_RPC_GUARD_GUARD_H
#define TSCOPE_SERVICE_RPC_GUARD_GUARD_H

#include "base/error.h"
#include "service/auth/peer.h"
#include "service/rpc/guard/cutoff.h"
#include "service/rpc/guard/tls.h"

struct ts_guard_options {
	unsigned max_connections;
	unsigned peer_connections; /* of one peer */
	struct ts_tls *tls; /* NULL: none. It outlives the guard's stop, and is loaded again when its files change */
	void (*hand_over)(void *ctx, int fd);
	void *ctx;
};

struct ts_guard_counts {
	unsigned connections;	   /* that are open and were not cut */
	uint64_t ended[TS_CUTOFFS]; /* refused or cut, by cause */
	uint64_t resets;	   /* of streams that had not ended, by either side */
};

struct ts_guard;

enum ts_status ts_guard_start(const struct ts_guard_options *options, struct ts_guard **ret_guard, struct ts_error *err);
/* tls: the connection begins with a handshake of TLS. A certificate that was verified makes the connection another peer's. */
void ts_guard_take(struct ts_guard *guard, int fd, const struct ts_peer *peer, bool tls);
void ts_guard_peer(int fd, struct ts_peer *ret_peer);
/* Whether the certificate that was shown on a connection was revoked since: its calls are to end, and it is cut some seconds later. */
bool ts_guard_is_revoked(int fd);
void ts_guard_count(struct ts_guard *guard, struct ts_guard_counts *ret_counts);
void ts_guard_stop(struct ts_guard *guard);
void ts_guard_release(struct ts_guard *guard); /* NULL is allowed */

#endif
