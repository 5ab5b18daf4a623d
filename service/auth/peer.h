/* peer.h - who is at the other end of a call, as far as the connection itself proves it.
 *
 * The kernel proves the user behind a unix socket, a verified certificate proves the name in it, and an address proves nothing but
 * where packets come from. What a peer may do, and whether a token says more about it, is decided elsewhere. Nothing here comes from
 * a header that a client wrote. Pure; thread-safe.
 */
#ifndef TSCOPE_SERVICE_AUTH_PEER_H
#define TSCOPE_SERVICE_AUTH_PEER_H

#include "base/span.h"

#include <stdbool.h>
#include <stdint.h>

enum ts_peer_kind {
	TS_PEER_UNKNOWN,     /* the connection is gone or told nothing */
	TS_PEER_LOCAL,	     /* the command itself: no connection lies between */
	TS_PEER_USER,	     /* a user of this machine, over a unix socket */
	TS_PEER_CERTIFICATE, /* TLS, and a certificate that a CA of the configuration signed */
	TS_PEER_ADDRESS,     /* TCP, with or without TLS */
};

enum { TS_PEER_TEXT = 80, TS_PEER_GROUPS = 64 };

struct ts_peer {
	enum ts_peer_kind kind;
	bool private_line;	 /* nobody between can read what is sent: a unix socket, TLS, one process. Tokens are taken only here */
	uint32_t uid;		 /* of a TS_PEER_USER */
	unsigned n_groups;	 /* of a TS_PEER_USER: its group and the further ones; of more than these, none but its own */
	uint32_t groups[TS_PEER_GROUPS];
	uint64_t key;		 /* the same for all connections of one peer: limits count by it. Never 0 but for TS_PEER_UNKNOWN */
	char name[TS_PEER_TEXT]; /* "ada", "uid 1000", "127.0.0.1:5123": for logs, and as the author of changes */
};

/* The key of a user, of a host's address (4 or 16 bytes; of IPv6 the first 64 bits, which one site has to itself), of a certificate's
 * digest. Keys of different kinds differ but by chance. */
uint64_t ts_peer_key(enum ts_peer_kind kind, struct ts_span bytes);

#endif
