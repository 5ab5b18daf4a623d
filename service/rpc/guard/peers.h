/* peers.h - what all connections of one peer may do together: how many they are, how often they come, how many streams are reset.
 *
 *	cause = ts_peers_connect(&peers, key, now_ns, &place)
 *	fine = ts_peers_settle(&peers, place, calls, first, resets, now_ns)
 *	ts_peers_leave(&peers, place)
 *
 * Memory is bounded: a peer without connections is forgotten when another needs its place, and a peer with connections keeps it, so
 * that `place` is valid from connect to leave. Threads: safe.
 */
#ifndef TSCOPE_SERVICE_RPC_GUARD_PEERS_H
#define TSCOPE_SERVICE_RPC_GUARD_PEERS_H

#include "service/rpc/guard/allowance.h"
#include "service/rpc/guard/cutoff.h"

#include <pthread.h>

enum { TS_PEERS_MAX = 1024 };

struct ts_peers_entry {
	uint64_t key; /* 0 = free */
	unsigned connections;
	int64_t used_ns;
	struct ts_allowance connects, resets;
};

struct ts_peers {
	pthread_mutex_t mutex;
	unsigned most; /* connections of one peer */
	struct ts_peers_entry all[TS_PEERS_MAX];
};

void ts_peers_init(struct ts_peers *peers, unsigned most);
void ts_peers_finish(struct ts_peers *peers);
/* *ret_place is also set for TS_CUTOFF_PEER_CONNECTIONS. */
enum ts_cutoff ts_peers_connect(struct ts_peers *peers, uint64_t key, int64_t now_ns, unsigned *ret_place);
/* Moves a connection that turned out, after its handshake, to be another peer's. */
enum ts_cutoff ts_peers_move(struct ts_peers *peers, uint64_t key, int64_t now_ns, unsigned *place);
void ts_peers_leave(struct ts_peers *peers, unsigned place);
/* Calls that ended well earn resets, and the first of a connection earns the next connection. False: too many resets. */
bool ts_peers_settle(struct ts_peers *peers, unsigned place, unsigned calls, bool first, unsigned resets, int64_t now_ns);
unsigned ts_peers_connections(struct ts_peers *peers, unsigned place);
/* The place of the peer that has most connections. */
unsigned ts_peers_largest(struct ts_peers *peers);

#endif
