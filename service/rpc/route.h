/* route.h - which of several servers of one store a call goes to: the one that has the run's blocks in its cache. Pure.
 *
 *	struct ts_route_key key = ts_route_key("Diff", request);	what the call is about
 *	ts_route_order(addresses, n, &key, order);		order[0] is asked first, order[1] if that one is away, ...
 *
 * Rendezvous hashing (Thaler and Ravishankar, 1998): each server gets a weight from its address and the key, and the heaviest one is
 * asked. All clients who name a run by the same words agree, whatever the order in which they name servers; where a server is lost
 * only what went there goes elsewhere, to all others in equal parts. A name and the id of its run are different words. Threads: safe.
 */
#ifndef TSCOPE_SERVICE_RPC_ROUTE_H
#define TSCOPE_SERVICE_RPC_ROUTE_H

#include "base/digest.h"

enum { TS_ROUTE_SERVERS = 16, TS_ROUTE_HEX = 16 };

/* What calls about the same run have in common, as hexadecimal digits: the value of the header TS_ROUTE_HEADER, by which a balancer
 * routes as this client would. Empty: the call is about no run, and any server may be asked. */
struct ts_route_key {
	char hex[TS_ROUTE_HEX + 1];
};

#define TS_ROUTE_HEADER "tscope-run"

/* Of calls about this run that name it by its id. */
struct ts_route_key ts_route_key_of(const struct ts_id *run);
/* Of a serialized request: the first run that it names. A request that is broken has an empty key; the server says what is wrong. */
struct ts_route_key ts_route_key(const char *method, struct ts_span request);
/* True: the call changes no name and no object, so that it may be made again where its answer was lost. */
bool ts_route_may_repeat(const char *method);
/* Writes the numbers 0 to n - 1 to ret_order, the server that is asked first before. */
void ts_route_order(const char *const *addresses, size_t n, const struct ts_route_key *key, size_t *ret_order);

#endif
