/* named.h - who a verified certificate says its owner is. */
#ifndef TSCOPE_SERVICE_RPC_GUARD_NAMED_H
#define TSCOPE_SERVICE_RPC_GUARD_NAMED_H

#include "service/auth/peer.h"

struct ssl_st;
struct x509_st;

/* Makes *peer the one whom the client's certificate names, after a handshake that verified it; false, and nothing changes, if the
 * client showed none. */
bool ts_identity_of(const struct ssl_st *ssl, struct ts_peer *peer);
/* What is wrong with the client's certificate ("certificate revoked"), and the name in it: after a handshake that failed for it, or one
 * by a ticket of a certificate that has expired since. NULL: nothing is, or there is none. */
const char *ts_identity_refused(const struct ssl_st *ssl, char out[TS_PEER_TEXT]);
/* The name in a certificate: the first URI, else email, else DNS of its alternative names, else its subject (RFC 4514). A name that is
 * too long or not printable ASCII is replaced by "sha256:" and the certificate's digest, so that nobody has another's name by cutting
 * it. */
void ts_identity_name(struct x509_st *cert, char out[TS_PEER_TEXT]);

#endif
