/* address.h - parses the address of a server as people write it.
 *
 *	unix:/path	a socket file; unix:///path and a bare /path mean the same
 *	tls:HOST:PORT	TCP with TLS; HOST is compared with the server's certificate
 *	HOST:PORT	TCP; an IPv6 address stands in brackets: [::1]:7443
 *	ssh://[user@]HOST[:PORT][/path/to/socket]	the socket file on HOST, reached by the user's own ssh (client only)
 *
 * The text is split and checked here, once; a host that begins with '-' is refused, so that no command takes it for an option.
 */
#ifndef TSCOPE_SERVICE_RPC_ADDRESS_H
#define TSCOPE_SERVICE_RPC_ADDRESS_H

#include "base/error.h"

enum ts_address_kind { TS_ADDRESS_UNIX, TS_ADDRESS_TCP, TS_ADDRESS_TLS, TS_ADDRESS_SSH };

/* Where a system-wide server listens, and so the socket that ssh://HOST connects to. */
#define TS_DEFAULT_SOCKET "/run/tscope/tscoped.sock"

struct ts_address {
	enum ts_address_kind kind;
	char user[64];	/* SSH; empty = ssh's own choice */
	char host[256]; /* TCP, TLS, SSH */
	char port[8];	/* TCP, TLS; SSH: empty = ssh's own choice */
	char path[256]; /* UNIX: no longer than a sockaddr_un can hold; SSH: the path on the other machine */
};

enum ts_status ts_address_parse(const char *text, struct ts_address *ret_address, struct ts_error *err);

#endif
