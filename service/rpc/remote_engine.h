/* remote_engine.h - the objects of a server as an engine that can only be read: what an overlay in memory stands on.
 *
 *	ts_remote_engine_open(channel, &engine, err)	the channel is not owned
 *
 * get and has_many work, and find_prefix of a whole id; lists of names are empty, everything else about names is
 * TS_UNSUPPORTED: a server resolves names by its own methods.
 * An object that is fetched is kept, up to TS_REMOTE_CACHE bytes; when it is full, everything is let go.
 * Threads: safe; one question is asked at a time.
 */
#ifndef TSCOPE_SERVICE_RPC_REMOTE_ENGINE_H
#define TSCOPE_SERVICE_RPC_REMOTE_ENGINE_H

#include "service/handlers/channel.h"

enum ts_status ts_remote_engine_open(struct ts_channel *channel, struct ts_engine **ret_engine, struct ts_error *err);

#endif
