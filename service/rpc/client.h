/* client.h - a channel to a tscoped over gRPC, with the same methods as a channel within this process.
 *
 *	ts_client_open("unix:/run/tscope/tscoped.sock", &login, &ch, err)	connects, and checks that the server is healthy
 *	ch->ops->call(ch, "Diff", request, &arena, &reply, err)
 *	ch->ops->destroy(ch)
 *
 * address.h describes addresses, routed.h lists of them; for ssh:// the user's ssh is started first. gRPC is not started before
 * ts_client_open is called, and then only after ssh. If the server cannot be reached, the call fails within TS_CONNECT_SECONDS
 * (ssh: TS_SSH_SECONDS), with the reason. If a connection breaks, the calls on it fail with TS_UNAVAILABLE, and the next call
 * connects again. A call that the server refuses because its user or all users have too many is made again for some seconds; a
 * push does so itself.
 *
 * An ordinary call has TS_CALL_SECONDS, a call that may read much data (and the reply of an upload) TS_LONG_CALL_SECONDS. A
 * stream has no limit while messages flow, but the server must take each message of an upload within TS_STALL_SECONDS. Threads:
 * one command at a time, as in channel.h. One upload may be open while the same thread makes other calls.
 */
#ifndef TSCOPE_SERVICE_RPC_CLIENT_H
#define TSCOPE_SERVICE_RPC_CLIENT_H

#include "service/handlers/channel.h"

/* Who the client says it is. All may be NULL. */
struct ts_client_login {
	const char *token; /* sent with each call, but never over plain TCP */
	const char *from;  /* where the token stands, for texts: "TSCOPE_TOKEN", "~/.config/tscope/credentials" */
	const char *ca;	   /* tls: a PEM file of the CAs that may have signed the server's certificate; NULL: those of the system */
	const char *cert, *key; /* tls: PEM files of a certificate of one's own */
};

/* login may be NULL; its texts must outlive the channel. */
enum ts_status ts_client_open(const char *address, const struct ts_client_login *login, struct ts_channel **ret_channel,
			      struct ts_error *err);

/* Makes a unary call with the caller's time limit (0 = the ordinary one), for tests and probes. */
enum ts_status ts_client_call(struct ts_channel *channel, const char *method, struct ts_span request, int64_t limit_ns,
			      struct ts_arena *arena, struct ts_span *ret_reply, struct ts_error *err);

#endif
