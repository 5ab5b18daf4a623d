/* client.h - a channel to a tscoped: the same methods as in this process, over gRPC.
 *
 *	ts_client_open("unix:/run/tscope/tscoped.sock", &ch, err)	connects, and hears that the server is well
 *	ch->ops->call(ch, "Diff", request, &arena, &reply, err)
 *	ch->ops->destroy(ch)
 *
 * Addresses are those of address.h; ssh:// starts the user's ssh first. Nothing of gRPC is started before this is called, and
 * ssh before gRPC. A server that cannot be reached is reported within TS_CONNECT_SECONDS (ssh: TS_SSH_SECONDS), with the
 * reason. A connection that broke fails the calls on it with TS_UNAVAILABLE; the next call connects again.
 *
 * Time limits: TS_CALL_SECONDS an ordinary call, TS_LONG_CALL_SECONDS for those that may read much (and for the reply of an
 * upload); a stream has none while it moves, and TS_STALL_SECONDS for each message of an upload to be taken.
 * Threads: as channel.h says. One upload may be open while other calls are made, from the same thread.
 */
#ifndef TSCOPE_SERVICE_RPC_CLIENT_H
#define TSCOPE_SERVICE_RPC_CLIENT_H

#include "service/handlers/channel.h"

enum ts_status ts_client_open(const char *address, struct ts_channel **ret_channel, struct ts_error *err);

/* As ts_channel.call with a time limit of the caller's (0 = the ordinary one): for tests and probes. */
enum ts_status ts_client_call(struct ts_channel *channel, const char *method, struct ts_span request, int64_t limit_ns,
			      struct ts_arena *arena, struct ts_span *ret_reply, struct ts_error *err);

#endif
