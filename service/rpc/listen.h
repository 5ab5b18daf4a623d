/* listen.h - the sockets of a server and the thread that accepts on them.
 *
 * C-core's own listener never accepts again after one EMFILE (CVE-2023-4785) and does not say who is behind a unix socket, so
 * connections are accepted here and handed over as descriptors:
 *
 *	ts_listen_open(options, n, &listen, err)	bound, the lock beside each socket file taken; not accepting yet
 *	ts_listen_start(listen, fn, ctx, err)		fn(ctx, fd) gets every connection and owns fd
 *	ts_listen_peer(listen, fd, out)			who is behind a descriptor that fn was given: "uid 1000"
 *	ts_listen_stop(listen)				no more connections; socket files are gone
 *	ts_listen_destroy(listen)
 *
 * A connection over the limit is accepted and closed, so that its client learns at once. When descriptors run out, one
 * kept in reserve does the same. How many connections live is found by looking (fstat), because C-core closes them.
 * Threads: ts_listen_peer is safe; the rest belongs to one thread.
 */
#ifndef TSCOPE_SERVICE_RPC_LISTEN_H
#define TSCOPE_SERVICE_RPC_LISTEN_H

#include "base/error.h"
#include "service/rpc/address.h"

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

enum ts_credentials {
	TS_CREDENTIALS_NONE, /* whoever reaches the socket. TLS and tokens will stand here */
};

struct ts_listener {
	const char *address;		/* unix:/path or HOST:PORT; port 0 takes a free one */
	enum ts_credentials credentials;
	mode_t socket_mode;		/* of a socket file; 0 = 0660 */
	bool allow_remote;		/* an address that is not of this machine; there is no TLS yet */
};

enum { TS_PEER_TEXT = 80, TS_LISTENERS_MAX = 8 };

struct ts_listen;
typedef void ts_accept_fn(void *ctx, int fd);

/* Refuses what ts_listen_open would refuse whatever else this machine does, and opens nothing. TS_DENIED: not a loopback address.
 * TS_CONFLICT: two of them take the same port. Host names are looked up. */
enum ts_status ts_listen_check(const struct ts_listener *listeners, size_t n, struct ts_error *err);
/* TS_CONFLICT: another server holds the lock or the port. TS_DENIED: not a loopback address. */
enum ts_status ts_listen_open(const struct ts_listener *listeners, size_t n, unsigned max_connections,
			      struct ts_listen **ret_listen, struct ts_error *err);
enum ts_status ts_listen_start(struct ts_listen *listen, ts_accept_fn *fn, void *ctx, struct ts_error *err);
void ts_listen_peer(struct ts_listen *listen, int fd, char out[TS_PEER_TEXT]);
/* As clients write it, with the port that was taken; NULL beyond the last. */
const char *ts_listen_address(const struct ts_listen *listen, size_t i);
void ts_listen_stop(struct ts_listen *listen);
void ts_listen_destroy(struct ts_listen *listen); /* NULL is allowed */

#endif
