/* remote_engine.h - a read-only engine over the objects of a server, on which an overlay in memory can be based.
 *
 *	ts_remote_engine_open(channel, &engine, err)	the channel is not owned
 *
 * get and has_many work, and find_prefix with a whole id. Lists of names are empty, and all other functions about names are
 * TS_UNSUPPORTED, since a server resolves names by its own methods.
 * Fetched objects are cached, up to TS_REMOTE_CACHE bytes; when the cache is full, it is emptied.
 * Threads: safe; requests to the server are made one at a time.
 */
#ifndef TSCOPE_SERVICE_RPC_REMOTE_ENGINE_H
#define TSCOPE_SERVICE_RPC_REMOTE_ENGINE_H

#include "service/handlers/channel.h"

enum ts_status ts_remote_engine_open(struct ts_channel *channel, struct ts_engine **ret_engine, struct ts_error *err);

#endif
