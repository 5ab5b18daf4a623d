/* server_call.h - the inside of the server, which server.c (threads, start, stop) and server_call.c (one call) share.
 *
 * A call is armed (lent to C-core, which fills it in when a client calls), handled and finished; then it frees itself. The
 * server counts its calls. `armed_or_live` must be 0 before a queue may be shut down, because starting a batch on a queue that
 * is shut down aborts the process. `live` counts the calls for which a client waits.
 *
 * Lock order: the server's mutex, then a call's.
 */
#ifndef TSCOPE_SERVICE_RPC_SERVER_CALL_H
#define TSCOPE_SERVICE_RPC_SERVER_CALL_H

#include "proto/health.h"
#include "service/auth/shares.h"
#include "service/rpc/pool.h"
#include "service/rpc/server.h"

#include <grpc/grpc.h>
#include <pthread.h>
#include <stdatomic.h>

struct ts_rpc_call;

/* The tag that C-core returns when a batch is done. */
struct ts_rpc_tag {
	void (*done)(void *owner, bool ok);
	void *owner;
};

enum ts_rpc_kind { TS_RPC_HANDLER, TS_RPC_WATCH, TS_RPC_UNKNOWN };

struct ts_rpc_method {
	struct ts_handler handler; /* TS_RPC_UNKNOWN and TS_RPC_WATCH have only its name */
	enum ts_rpc_kind kind;
	void *registered; /* NULL for TS_RPC_UNKNOWN */
	bool is_health;
	char path[96];
};

struct ts_rpc_queue {
	struct ts_server *server;
	grpc_completion_queue *core;
	pthread_t thread;
	bool running;
};

struct ts_server {
	struct ts_server_options options;
	grpc_server *core;
	struct ts_rpc_method *methods; /* those of the handlers, those of health, and last the one for unknown methods */
	size_t n_methods;
	struct ts_rpc_queue *queues;
	size_t n_queues;
	struct ts_pool *lanes[TS_LANES];
	struct ts_shares *shares;
	struct ts_listen *listen;
	struct ts_meter *meter; /* methods by their place in `methods` */
	struct ts_shared_policy *policy; /* under the mutex */
	struct ts_rpc_tag shut_down;

	atomic_bool draining;	/* new calls are refused */
	atomic_bool cancelling; /* running calls should stop */
	atomic_uint live;
	atomic_uint calls;  /* so far, for their ids */
	unsigned started; /* begins the ids, so that those of two starts differ */

	pthread_mutex_t mutex;
	pthread_cond_t changed; /* monotonic; signalled when live or armed_or_live falls to 0 or core_down is set */
	unsigned armed_or_live;
	bool core_down;
	struct ts_rpc_call *lasting; /* uploads and watches, which may last as long as their clients like */
	pthread_t sweeper;
	bool sweeping, swept_out;
	pthread_cond_t sweep;
};

/* Arms a new call for this method. False: no memory. */
bool ts_rpc_call_arm(struct ts_rpc_queue *queue, const struct ts_rpc_method *method);
/* Ends every health Watch, because the server is going away. */
void ts_rpc_end_watchers(struct ts_server *server);
/* Ends every upload that could have gone on for upload_ns and did not. */
void ts_rpc_end_stalled(struct ts_server *server);
/* Ends calls whose token was revoked or has expired, or whose connection shows a certificate that was revoked. */
void ts_rpc_end_revoked(struct ts_server *server);

/* reflection.c */
extern const struct ts_handler ts_reflection;
/* health.c */
extern const struct ts_handler ts_health_check;
/* Checks which service a HealthCheckRequest names. TS_OK: this one. TS_NOT_FOUND: another one. TS_INVALID: the request is
 * malformed. */
enum ts_status ts_health_service(struct ts_span request, struct ts_arena *arena, struct ts_error *err);

#endif
