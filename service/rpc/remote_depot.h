/* remote_depot.h - the objects of a server, for an engine in memory that is laid over them.
 *
 *	ts_remote_depot_open(channel, &depot, err)	the channel is not owned
 *	ts_memory_over(depot, &engine, err)
 *
 * Names stay the server's: it resolves them by its own methods.
 * Fetched objects are cached, up to TS_REMOTE_CACHE bytes; when the cache is full, it is emptied.
 * Threads: safe; requests to the server are made one at a time.
 */
#ifndef TSCOPE_SERVICE_RPC_REMOTE_DEPOT_H
#define TSCOPE_SERVICE_RPC_REMOTE_DEPOT_H

#include "service/handlers/channel.h"

enum ts_status ts_remote_depot_open(struct ts_channel *channel, struct ts_depot **ret_depot, struct ts_error *err);

#endif
