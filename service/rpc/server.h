/* server.h - the network around the handlers: gRPC C-core, a queue thread or a few, a pool.
 *
 *	ts_server_create(&options, &server, err)	bound, serving
 *	ts_server_address(server, 0)			where, with the port that was taken
 *	ts_server_stop(server, drain_ns)		no new connections and calls; those that run get drain_ns to finish,
 *							then they are cancelled; returns when the last has ended
 *	ts_server_destroy(server)
 *
 * Queue threads move bytes and run the handlers marked cheap; every other handler runs on a pool thread, one at a time for a
 * call. A streamed upload holds a pool thread only while a message of it is handled. Unknown methods are answered
 * UNIMPLEMENTED at once. grpc.health.v1 Check and Watch are built in. Each call is logged as one line when it ends.
 *
 * Ownership: options and the tables they point at must outlive the server; the engine is not owned.
 * Threads: create, stop and destroy from one thread. No fork between create and destroy (C-core does not survive it).
 */
#ifndef TSCOPE_SERVICE_RPC_SERVER_H
#define TSCOPE_SERVICE_RPC_SERVER_H

#include "service/handlers/core/handler.h"
#include "service/rpc/listen.h"

struct ts_server_options {
	struct ts_engine *engine;
	const struct ts_server_facts *facts; /* read_only refuses methods that write */
	const struct ts_handler *handlers;   /* ts_handlers(), or a table of a test */
	size_t n_handlers;
	const struct ts_listener *listeners;
	size_t n_listeners;
	unsigned queue_threads;	  /* 0 = 1: the fastest on two cores */
	unsigned pool_threads;	  /* 0 = 4 */
	unsigned max_connections; /* 0 = TS_SERVER_CONNECTIONS */
	unsigned max_calls;	  /* 0 = TS_SERVER_CALLS */
	bool quiet;		  /* no line a call */
};

struct ts_server;

enum ts_status ts_server_create(const struct ts_server_options *options, struct ts_server **ret_server,
				struct ts_error *err);
/* NULL beyond the last listener. */
const char *ts_server_address(const struct ts_server *server, size_t i);
/* Calls that run now. */
unsigned ts_server_calls(const struct ts_server *server);
void ts_server_stop(struct ts_server *server, int64_t drain_ns);
/* Stops with no time to drain if it was not stopped. NULL is allowed. */
void ts_server_destroy(struct ts_server *server);

#endif
