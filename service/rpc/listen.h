/* listen.h - the sockets of a server and the thread that accepts on them.
 *
 * C-core's own listener never accepts again after one EMFILE (CVE-2023-4785), and it does not tell which user is at the other
 * end of a unix socket. So connections are accepted here and handed over as descriptors:
 *
 *	ts_listen_open(options, n, &listen, err)	binds the sockets, takes the lock beside each socket file
 *	ts_listen_start(listen, &guard_options, err)	connections go to the guard, which hands over those that speak HTTP/2
 *	ts_listen_stop(listen)				accepts no more connections, removes the socket files
 *	ts_listen_destroy(listen)
 *
 * A connection that the guard refuses is accepted and closed at once, so that its client learns of it. When descriptors run out, the
 * same is done with one kept in reserve. Threads: ts_listen_count is safe; the rest belongs to one thread.
 */
#ifndef TSCOPE_SERVICE_RPC_LISTEN_H
#define TSCOPE_SERVICE_RPC_LISTEN_H

#include "base/error.h"
#include "service/rpc/address.h"
#include "service/rpc/guard/guard.h"

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

struct ts_listener {
	const char *address; /* unix:/path, tls:HOST:PORT or tcp:HOST:PORT; port 0 takes a free port */
	mode_t socket_mode;  /* of a socket file; 0 = 0660 */
	bool allow_remote;   /* allow a tcp: address that other machines can reach, where everybody between can read what is sent */
};

enum { TS_LISTENERS_MAX = 8 };

struct ts_listen;

/* Reads the address of a listener; *ret_tls: tls:HOST:PORT. HOST:PORT alone is refused, since it does not say whether others can read
 * what is sent. */
enum ts_status ts_listen_parse(const char *text, struct ts_address *ret_address, bool *ret_tls, struct ts_error *err);
/* Refuses listeners that ts_listen_open would refuse in every state of this machine, without opening anything. Host names are
 * looked up. TS_DENIED: plain TCP that other machines reach. TS_CONFLICT: two listeners take the same port. */
enum ts_status ts_listen_check(const struct ts_listener *listeners, size_t n, struct ts_error *err);
/* TS_CONFLICT: another server holds the lock or the port. TS_DENIED: plain TCP that other machines reach.
 * tls: the files for listeners by TLS; none if its cert is NULL or empty. */
enum ts_status ts_listen_open(const struct ts_listener *listeners, size_t n, const struct ts_tls_files *tls,
			      struct ts_listen **ret_listen, struct ts_error *err);
/* options->tls is not used. */
enum ts_status ts_listen_start(struct ts_listen *listen, const struct ts_guard_options *options, struct ts_error *err);
/* After ts_listen_start. */
void ts_listen_count(struct ts_listen *listen, struct ts_guard_counts *ret_counts);
/* Reads the files of TLS again; *ret_tls: there are some. */
enum ts_status ts_listen_reload(struct ts_listen *listen, bool *ret_tls, struct ts_error *err);
/* The address of the i-th listener as clients write it, with the port that was taken; NULL beyond the last. */
const char *ts_listen_address(const struct ts_listen *listen, size_t i);
void ts_listen_stop(struct ts_listen *listen);
void ts_listen_destroy(struct ts_listen *listen); /* NULL is allowed */

#endif
