/* tls.h - what a server needs for TLS, from files that may change while it runs.
 *
 *	ts_tls_create(&files, &tls, err)
 *	ssl = ts_tls_session(tls, fd)		for one connection; its handshake is the guard's
 *	if (ts_tls_changed(tls)) ts_tls_reload(tls, err)
 *	ts_tls_destroy(tls)
 *
 * TLS 1.2 and 1.3, h2 by ALPN, no renegotiation, no session kept in memory. A reload that fails leaves what was; connections that are
 * open keep what they began with. Keys of tickets are kept over a reload, so that clients resume, unless the CA of clients changed: a
 * ticket stands for a certificate that was verified by the old one. So it is for the lists of revoked certificates, and when one of
 * them expires.
 * Threads: safe, but for create and destroy.
 */
#ifndef TSCOPE_SERVICE_RPC_GUARD_TLS_H
#define TSCOPE_SERVICE_RPC_GUARD_TLS_H

#include "base/error.h"

#include <stdbool.h>
#include <stdint.h>

enum ts_tls_client { TS_TLS_CLIENT_NONE, TS_TLS_CLIENT_OPTIONAL, TS_TLS_CLIENT_REQUIRED };

struct ts_tls_files {
	const char *cert;      /* the server's certificate and those between it and the CA, PEM; NULL or empty = no TLS */
	const char *key;       /* its private key, PEM, without a password */
	const char *client_ca; /* the CAs that sign certificates of clients, PEM */
	const char *crl;       /* lists of revoked certificates, one of each CA of client_ca, PEM; NULL or empty = none are asked for */
	enum ts_tls_client client;
};

struct ts_tls;
struct ssl_st;

/* The strings of files must outlive it. Errors name the setting and the file. */
enum ts_status ts_tls_create(const struct ts_tls_files *files, struct ts_tls **ret_tls, struct ts_error *err);
bool ts_tls_changed(struct ts_tls *tls);
enum ts_status ts_tls_reload(struct ts_tls *tls, struct ts_error *err);
struct ssl_st *ts_tls_session(struct ts_tls *tls, int fd); /* NULL: no memory */
unsigned ts_tls_reloads(struct ts_tls *tls);		   /* how often the files were taken anew */
/* Whether the certificate that a client showed is on the lists that hold now. ssl: after its handshake. */
bool ts_tls_revoked(struct ts_tls *tls, const struct ssl_st *ssl);
void ts_tls_destroy(struct ts_tls *tls);		   /* NULL is allowed */

/* "none", "optional", "required". */
bool ts_tls_client_word(const char *word, enum ts_tls_client *ret_client);
enum { TS_TLS_TEXT = 512 };
struct ts_tls_found {
	char cert[TS_TLS_TEXT];	   /* whose certificate it is, and until when it is valid */
	char clients[TS_TLS_TEXT]; /* which certificates clients show */
	char crl[TS_TLS_TEXT];	   /* how many of them are revoked, and when the lists expire; empty = there is no list */
};
/* TS_INVALID: something is wrong with the files, or has expired. */
enum ts_status ts_tls_check(const struct ts_tls_files *files, int64_t now_real_ns, struct ts_tls_found *ret_found,
			    struct ts_error *err);

#endif
