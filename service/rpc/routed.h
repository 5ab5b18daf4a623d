/* routed.h - a channel to several servers of one store: "tls:a:7443,tls:b:7443,tls:c:7443".
 *
 * Each call goes to the server that has the run's blocks in its cache (route.h); what is about no run goes to one of them, the same for
 * all calls of a channel. A server that cannot be reached is asked last for TS_ROUTE_AWAY_SECONDS, and the next one in the order of
 * the call is asked. A call that was begun and whose answer was lost is made again at the next one only if it changes nothing; else it
 * ends with TS_UNAVAILABLE, as with one server. An upload goes to one server to its end. Connections are made when they are first
 * needed. Threads: as channel.h.
 */
#ifndef TSCOPE_SERVICE_RPC_ROUTED_H
#define TSCOPE_SERVICE_RPC_ROUTED_H

#include "service/rpc/client.h"

enum { TS_ROUTE_AWAY_SECONDS = 5 };

/* Of one address it opens the channel of client.h; so it does of a path with a comma, unless what follows the comma is an address, too.
 * login may be NULL, and is that of all; its texts must outlive the channel. TS_UNAVAILABLE: no server can be reached, with the reason
 * of the last one that was tried. */
enum ts_status ts_routed_open(const char *addresses, const struct ts_client_login *login, struct ts_channel **ret_channel,
			      struct ts_error *err);

#endif
