/* server.h - serves the handlers over gRPC C-core, with one or several queue threads and a pool of threads.
 *
 *	ts_server_create(&options, &server, err)	binds and serves
 *	ts_server_address(server, 0)			its address, with the port that was taken
 *	ts_server_stop(server, drain_ns)		takes no new connections and calls; running calls may finish until the last two
 *							seconds (or quarter) of drain_ns, then they are cancelled; returns when the
 *							last has ended
 *	ts_server_destroy(server)
 *
 * Queue threads move bytes and run the handlers marked cheap; every other handler runs on a thread of its lane, only one at a time
 * for a call. A streamed upload occupies a thread only while one of its messages is handled, and is ended if none comes for upload_ns.
 * A peer has a share of the calls, of the threads of each lane and of the memory; what is more is refused, or waits for its turn.
 * Unknown methods are answered with UNIMPLEMENTED at once. grpc.health.v1 Check and Watch are built in. Each call is logged as one line
 * when it ends.
 *
 * Ownership: options and the tables they point at must outlive the server; the engine is not owned.
 * Threads: create, stop and destroy from one thread. No fork between create and destroy (C-core does not survive it).
 */
#ifndef TSCOPE_SERVICE_RPC_SERVER_H
#define TSCOPE_SERVICE_RPC_SERVER_H

#include "service/auth/shared_policy.h"
#include "service/handlers/core/handler.h"
#include "service/rpc/listen.h"
#include "service/rpc/meter.h"

struct ts_server_options {
	struct ts_engine *engine;
	const struct ts_server_facts *facts; /* read_only refuses methods that write */
	const struct ts_handler *handlers;   /* ts_handlers(), or a table of a test */
	size_t n_handlers;
	struct ts_shared_policy *policy; /* who may do what; the server becomes an owner. NULL: everyone may do everything, for tests */
	const struct ts_listener *listeners;
	size_t n_listeners;
	struct ts_tls_files tls; /* for listeners by TLS */
	unsigned queue_threads;	  /* 0 = 1: the fastest on two cores */
	unsigned pool_threads;	  /* of each lane; 0 = 4 */
	unsigned max_connections; /* 0 = TS_SERVER_CONNECTIONS */
	unsigned peer_connections; /* 0 = a quarter of max_connections */
	unsigned max_calls;	  /* 0 = TS_SERVER_CALLS; peers share them (service/auth/shares.h) */
	size_t memory;		  /* of all calls together, in bytes; 0 = no limit */
	int64_t upload_ns;	  /* 0 = TS_UPLOAD_SECONDS */
	bool quiet;		  /* calls are not logged */
};

struct ts_server;

enum ts_status ts_server_create(const struct ts_server_options *options, struct ts_server **ret_server,
				struct ts_error *err);
/* The address of the i-th listener; NULL beyond the last. */
const char *ts_server_address(const struct ts_server *server, size_t i);
/* What its calls came to. Belongs to the server. */
struct ts_meter *ts_server_meter(struct ts_server *server);
/* Reads the files of TLS again; *ret_tls: there are some. On failure the certificate of before stays in use. */
enum ts_status ts_server_reload(struct ts_server *server, bool *ret_tls, struct ts_error *err);
/* Who may do what from the next call on; calls that run keep the policy that they began with. The server becomes an owner of it. */
void ts_server_set_policy(struct ts_server *server, struct ts_shared_policy *policy);
/* The connections, and those that were refused or cut. */
void ts_server_connections(struct ts_server *server, struct ts_guard_counts *ret_counts);
/* How many calls are running. */
unsigned ts_server_calls(const struct ts_server *server);
/* How many bytes the arenas and messages of all calls hold, and may hold (0: any number). */
size_t ts_server_memory(const struct ts_server *server, size_t *ret_limit);
void ts_server_stop(struct ts_server *server, int64_t drain_ns);
/* Frees the server; if it was not stopped, stops it first, with no time to drain. NULL is allowed. */
void ts_server_destroy(struct ts_server *server);

#endif
