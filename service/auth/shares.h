/* shares.h - how many calls each peer has on a server, and how much memory they hold, so that nobody takes what the others need.
 *
 *	ts_shares_create(256, 3 << 30, &shares, err)
 *	ts_shares_enter(shares, &peer, waits, &share, err)	counts a call, or refuses it with limit and number
 *	... ts_share_memory(share) ...				the budget of the peer, on which the call's may draw
 *	ts_shares_leave(shares, share, waits)
 *
 * Of the calls that others leave, a peer may have TS_SHARE_CALLS percent: alone it has half of the server, the next one half of the
 * rest, so there is always a place for who comes next. Of its own share, at most TS_SHARE_WAITING percent may be calls that wait for a
 * thread, a disk or a client (`waits`): so its small questions are answered whatever else it does. Memory is shared by
 * TS_SHARE_MEMORY in the same way.
 * A peer is its key; nothing is kept of one that has no call. The table has a place for each call, so it is never full.
 * Threads: all functions are safe.
 */
#ifndef TSCOPE_SERVICE_AUTH_SHARES_H
#define TSCOPE_SERVICE_AUTH_SHARES_H

#include "base/budget.h"
#include "service/auth/peer.h"

struct ts_shares;
struct ts_share;

/* memory: bytes for all peers together; 0: no limit. */
enum ts_status ts_shares_create(unsigned calls, size_t memory, struct ts_shares **ret_shares, struct ts_error *err);
void ts_shares_destroy(struct ts_shares *shares); /* NULL is allowed; nobody has a call any more */

/* TS_UNAVAILABLE: the share is used up, or the server is full; trying again later helps. */
enum ts_status ts_shares_enter(struct ts_shares *shares, const struct ts_peer *peer, bool waits, struct ts_share **ret_share,
			       struct ts_error *err);
void ts_shares_leave(struct ts_shares *shares, struct ts_share *share, bool waits);

/* What the calls of all peers hold, and may. */
const struct ts_budget *ts_shares_memory(const struct ts_shares *shares);
/* Lives until the last call of the peer leaves. */
struct ts_budget *ts_share_memory(struct ts_share *share);

#endif
