/* connections.h - the connections that the guard knows, by descriptor, and what passes through each.
 *
 * C-core owns a descriptor once it has it: it alone receives, sends and closes there, and never closes while it does either. So a
 * pointer that was found by descriptor inside these calls is valid for as long as they run. Whoever else looks at a connection finds it
 * under the table's lock (ts_connections_each, ts_connections_peer). A connection has one lock of its own.
 * Lock order: the table's, then a connection's, then the peers'. Threads: safe.
 */
#ifndef TSCOPE_SERVICE_RPC_GUARD_CONNECTIONS_H
#define TSCOPE_SERVICE_RPC_GUARD_CONNECTIONS_H

#include "service/auth/peer.h"
#include "service/rpc/guard/conduct.h"

#include <pthread.h>
#include <stdatomic.h>
#include <sys/socket.h>

struct ts_guard;
struct ssl_st;

struct ts_connection {
	/* These do not change while C-core has the descriptor. */
	int fd;
	struct ts_guard *guard;
	struct ts_peer peer;
	unsigned place; /* of the peer in the guard's peers */
	bool arriving;	/* C-core does not have it yet; of the guard's thread */
	const char *refused; /* whose certificate is wrong and how, while the connection is cut for that; else NULL */

	pthread_mutex_t mutex;
	bool ended;   /* cut: C-core is told that the connection is gone */
	bool sending; /* a sendmsg is running, so nobody knows where in a frame it stands */
	bool called;  /* a call has ended well */
	bool shaken;  /* the TLS handshake is over */
	atomic_int_least64_t revoked_ns; /* since when its certificate is known to be revoked; 0: it is not */
	unsigned key_updates; /* of TLS, that were not judged yet */
	struct ts_allowance keys;
	struct ssl_st *ssl; /* NULL: no TLS */
	struct ts_conduct conduct;
};

enum { TS_DESCRIPTORS_MAX = 65536 };

/* Whether the program is linked with preempt.c, without which nothing passes through here. */
extern const char ts_preempt_is_linked __attribute__((weak));
bool ts_connections_preempted(void);

/* NULL: none of the guard's. */
struct ts_connection *ts_connections_at(int fd);
/* NULL: no memory. fd is below TS_DESCRIPTORS_MAX. The guard counts the connection from now on, which owns ssl (NULL: no TLS). */
struct ts_connection *ts_connections_add(struct ts_guard *guard, int fd, const struct ts_peer *peer, unsigned place,
					 struct ssl_st *ssl);
/* Forgets the connection, because its descriptor is being closed. */
void ts_connections_forget(int fd);
/* Who is behind the descriptor; false: none of the guard's. */
bool ts_connections_peer(int fd, struct ts_peer *ret_peer);
bool ts_connections_revoked(int fd);
/* Calls fn for each connection of the guard, with its lock held. */
void ts_connections_each(struct ts_guard *guard, void (*fn)(void *ctx, struct ts_connection *connection), void *ctx);

/* As recvmsg and sendmsg of a nonblocking socket. A connection that was cut fails with ECONNRESET. */
ssize_t ts_connections_receive(struct ts_connection *connection, struct msghdr *message, int flags);
ssize_t ts_connections_send(struct ts_connection *connection, const struct msghdr *message, int flags);

/* Ends a connection; the caller holds its lock. The client is told why where a frame may stand, and C-core or the guard's thread
 * finds the connection ended, and closes it. */
void ts_connections_cut(struct ts_connection *connection, enum ts_cutoff cause, int64_t now_ns);
/* Tells a client why it is refused, before anything was said. */
void ts_connections_refuse(int fd, enum ts_cutoff cause);

#endif
