/* guard_state.h - the inside of the guard, which guard.c (its thread) and connections.c (what passes through) share. */
#ifndef TSCOPE_SERVICE_RPC_GUARD_GUARD_STATE_H
#define TSCOPE_SERVICE_RPC_GUARD_GUARD_STATE_H

#include "service/rpc/guard/guard.h"
#include "service/rpc/guard/peers.h"

#include <stdatomic.h>

struct ts_guard {
	struct ts_guard_options options;
	struct ts_peers peers;
	pthread_t thread;
	bool running;
	int poll; /* an epoll of those that arrive, and of wake */
	int wake; /* an eventfd that stops the thread */

	atomic_uint references;	 /* its owner's, and one of each connection that is known */
	atomic_uint connections; /* that are known and were not cut */
	atomic_uint moved;	 /* goes up when bytes move or a connection is gone: a minute without is a quiet one */
	atomic_uint cut;	 /* goes up when one is cut */
	atomic_uint_fast64_t counts[TS_CUTOFFS];
	atomic_uint_fast64_t resets; /* of streams */

	pthread_mutex_t log_mutex;
	struct ts_allowance lines[TS_CUTOFFS]; /* of each cause, so that a flood of one hides no other */
	unsigned unlogged[TS_CUTOFFS];
};

/* Counts and logs a connection that is refused or cut. certificate: whose is wrong, and how; NULL: none. */
void ts_guard_note(struct ts_guard *guard, const struct ts_peer *peer, enum ts_cutoff cause, const char *certificate, int64_t now_ns);

#endif
