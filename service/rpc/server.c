#include "service/rpc/server.h"

#include "base/alloc.h"
#include "base/clock.h"
#include "base/held.h"
#include "base/limits.h"
#include "base/log.h"
#include "base/system.h"
#include "service/rpc/core.h"
#include "service/rpc/server_call.h"

#include <grpc/grpc_posix.h>
#include <grpc/grpc_security.h>
#include <grpc/support/log.h>
#include <stdio.h>

/* Turns messages that C-core logs into log lines of tscoped. */
static void log_core(gpr_log_func_args *args)
{
	struct ts_log line;

	ts_log_begin(&line, args->severity == GPR_LOG_SEVERITY_ERROR ? TS_LOG_WARNING : TS_LOG_DEBUG, "grpc");
	ts_log_str(&line, "message", args->message);
	ts_log_end(&line);
}

/* ---- making a server ---- */

static grpc_server *create_core(void)
{
	grpc_arg args[] = {
		ts_core_int(GRPC_ARG_MAX_RECEIVE_MESSAGE_LENGTH, TS_MESSAGE_MAX),
		/* Compression is off: C-core decompresses before it checks the size. */
		ts_core_int(GRPC_COMPRESSION_CHANNEL_ENABLED_ALGORITHMS_BITSET, 1),
		ts_core_int(GRPC_ARG_MAX_CONCURRENT_STREAMS, TS_CONNECTION_CALLS),
		ts_core_int(GRPC_ARG_MAX_CONNECTION_IDLE_MS, TS_IDLE_SECONDS * 1000),
		/* The pings detect a machine that vanished, so that no call and no connection of it remains; the
		 * clients ping as often. */
		ts_core_int(GRPC_ARG_KEEPALIVE_TIME_MS, 60000),
		ts_core_int(GRPC_ARG_KEEPALIVE_TIMEOUT_MS, 20000),
		ts_core_int(GRPC_ARG_HTTP2_MIN_RECV_PING_INTERVAL_WITHOUT_DATA_MS, 10000),
		ts_core_int(GRPC_ARG_KEEPALIVE_PERMIT_WITHOUT_CALLS, 1),
		ts_core_int(GRPC_ARG_ALLOW_REUSEPORT, 0),
	};
	grpc_channel_args all = {.num_args = sizeof args / sizeof args[0], .args = args};

	return grpc_server_create(&all, NULL);
}

static void add_method(struct ts_server *server, const char *service, const struct ts_handler *handler, enum ts_rpc_kind kind)
{
	struct ts_rpc_method *method = &server->methods[server->n_methods++];

	method->handler = *handler;
	method->kind = kind;
	method->is_health = strcmp(service, TS_HEALTH_PATH) == 0;
	if (kind == TS_RPC_UNKNOWN)
		return;
	(void)snprintf(method->path, sizeof method->path, "%s%s", service, handler->method);
	method->registered = grpc_server_register_method(server->core, method->path, NULL,
							 handler->flags & TS_METHOD_STREAM_UP
								 ? GRPC_SRM_PAYLOAD_NONE
								 : GRPC_SRM_PAYLOAD_READ_INITIAL_BYTE_BUFFER,
							 0);
}

static enum ts_status add_methods(struct ts_server *server, struct ts_error *err)
{
	static const struct ts_handler watch = {.method = "Watch", .flags = TS_METHOD_STREAM_DOWN};
	static const struct ts_handler unknown = {.method = "unknown"};
	const struct ts_server_options *options = &server->options;

	server->methods = ts_alloc_array(options->n_handlers + 5, sizeof server->methods[0]);
	if (!server->methods)
		return ts_error_set(err, TS_NO_MEMORY, "out of memory for the table of methods");
	for (size_t i = 0; i < options->n_handlers; i++)
		add_method(server, TS_SERVICE_PATH, &options->handlers[i], TS_RPC_HANDLER);
	add_method(server, TS_HEALTH_PATH, &ts_health_check, TS_RPC_HANDLER);
	add_method(server, TS_HEALTH_PATH, &watch, TS_RPC_WATCH);
	add_method(server, TS_REFLECTION_PATH, &ts_reflection, TS_RPC_HANDLER);
	add_method(server, TS_REFLECTION_ALPHA_PATH, &ts_reflection, TS_RPC_HANDLER);
	add_method(server, "", &unknown, TS_RPC_UNKNOWN);
	for (size_t i = 0; i + 1 < server->n_methods; i++) {
		if (!server->methods[i].registered)
			return ts_error_set(err, TS_INTERNAL, "method %s is twice in the table",
					    server->methods[i].path);
	}
	return TS_OK;
}

/* "ListRuns" of our own service, "grpc.health.v1.Health/Check" of others. */
static const char *name_of(const struct ts_rpc_method *method)
{
	size_t ours = strlen(TS_SERVICE_PATH);

	if (!method->path[0])
		return method->handler.method;
	return strncmp(method->path, TS_SERVICE_PATH, ours) == 0 ? method->path + ours : method->path + 1;
}

static enum ts_status add_meter(struct ts_server *server, struct ts_error *err)
{
	const char **names = ts_alloc_array(server->n_methods, sizeof names[0]);
	enum ts_status status;

	if (!names)
		return ts_error_set(err, TS_NO_MEMORY, "out of memory for the counters");
	for (size_t i = 0; i < server->n_methods; i++)
		names[i] = name_of(&server->methods[i]);
	status = ts_meter_create(names, server->n_methods, &server->meter, err);
	ts_free(names);
	return status;
}

static enum ts_status add_queues(struct ts_server *server, struct ts_error *err)
{
	server->queues = ts_alloc_array(server->options.queue_threads, sizeof server->queues[0]);
	if (!server->queues)
		return ts_error_set(err, TS_NO_MEMORY, "out of memory for the queues");
	for (; server->n_queues < server->options.queue_threads; server->n_queues++) {
		struct ts_rpc_queue *queue = &server->queues[server->n_queues];

		queue->server = server;
		queue->core = grpc_completion_queue_create_for_next(NULL);
		grpc_server_register_completion_queue(server->core, queue->core, NULL);
	}
	return TS_OK;
}

static void *queue_loop(void *arg)
{
	struct ts_rpc_queue *queue = arg;

	for (;;) {
		grpc_event event = grpc_completion_queue_next(queue->core, gpr_inf_future(GPR_CLOCK_MONOTONIC), NULL);
		struct ts_rpc_tag *tag = event.tag;

		if (event.type == GRPC_QUEUE_SHUTDOWN)
			return NULL;
		if (event.type == GRPC_OP_COMPLETE)
			tag->done(tag->owner, event.success);
	}
}

static enum ts_status start_queues(struct ts_server *server, struct ts_error *err)
{
	for (size_t i = 0; i < server->n_queues; i++) {
		struct ts_rpc_queue *queue = &server->queues[i];
		int errnum;

		for (size_t m = 0; m < server->n_methods; m++) {
			if (!ts_rpc_call_arm(queue, &server->methods[m]))
				return ts_error_set(err, TS_NO_MEMORY, "out of memory for the first calls");
		}
		errnum = pthread_create(&queue->thread, NULL, queue_loop, queue);
		if (errnum)
			return ts_error_errno(err, errnum, "start a queue thread");
		queue->running = true;
	}
	return TS_OK;
}

/* From here on, C-core owns the connection. */
static void on_connection(void *ctx, int fd)
{
	struct ts_server *server = ctx;
	grpc_server_credentials *credentials = grpc_insecure_server_credentials_create();

	grpc_server_add_channel_from_fd(server->core, fd, credentials);
	grpc_server_credentials_release(credentials);
}

static void on_core_down(void *owner, bool ok)
{
	struct ts_server *server = owner;

	(void)ok;
	pthread_mutex_lock(&server->mutex);
	server->core_down = true;
	pthread_cond_broadcast(&server->changed);
	pthread_mutex_unlock(&server->mutex);
}

static struct ts_server *new_server(const struct ts_server_options *options)
{
	struct ts_server *server = ts_alloc_array(1, sizeof *server);

	if (!server)
		return NULL;
	server->options = *options;
	server->policy = ts_shared_policy_hold(options->policy);
	server->started = (unsigned)(ts_now_real_ns() / 1000000000) & 0xffff;
	if (!server->options.queue_threads)
		server->options.queue_threads = 1;
	if (!server->options.pool_threads)
		server->options.pool_threads = 4;
	if (!server->options.max_connections)
		server->options.max_connections = TS_SERVER_CONNECTIONS;
	if (!server->options.peer_connections)
		server->options.peer_connections = (server->options.max_connections + 3) / 4;
	if (!server->options.max_calls)
		server->options.max_calls = TS_SERVER_CALLS;
	if (!server->options.upload_ns)
		server->options.upload_ns = TS_UPLOAD_SECONDS * INT64_C(1000000000);
	server->shut_down = (struct ts_rpc_tag){on_core_down, server};
	pthread_mutex_init(&server->mutex, NULL);
	ts_system_cond_init(&server->changed);
	ts_system_cond_init(&server->sweep);
	return server;
}

/* Who waits for a small answer, or for a diff, waits for cores that are busy with uploads or analyses. So these stand behind; an
 * upload waits mostly for its client and the disk anyway. */
static const struct {
	const char *name;
	int step;
} lanes[TS_LANES] = {
	[TS_LANE_READ] = {"tscoped-read", 0},
	[TS_LANE_DOWN] = {"tscoped-down", 0},
	[TS_LANE_LONG] = {"tscoped-long", TS_LONG_STEP},
	[TS_LANE_WRITE] = {"tscoped-write", TS_WRITE_STEP},
};

static enum ts_status add_lanes(struct ts_server *server, struct ts_error *err)
{
	unsigned threads = server->options.pool_threads, down = threads * TS_DOWN_THREADS_EACH;

	if (down > TS_DOWN_THREADS)
		down = threads > TS_DOWN_THREADS ? threads : TS_DOWN_THREADS;
	for (int lane = 0; lane < TS_LANES; lane++) {
		if (ts_pool_create(lanes[lane].name, lane == TS_LANE_DOWN ? down : threads, lanes[lane].step, &server->lanes[lane],
				   err))
			return err->status;
	}
	return TS_OK;
}

/* Looks every second, or several times in each upload_ns, for calls that came to nothing or are no longer allowed. */
static void *sweep(void *arg)
{
	struct ts_server *server = arg;
	int64_t every_ns = server->options.upload_ns / 8 + 1;

	if (every_ns > INT64_C(1000000000))
		every_ns = INT64_C(1000000000);

	pthread_mutex_lock(&server->mutex);
	while (!server->swept_out) {
		int64_t until_ns = ts_now_mono_ns() + every_ns;
		struct timespec until = ts_system_cond_limit(until_ns);

		(void)pthread_cond_timedwait(&server->sweep, &server->mutex, &until);
		pthread_mutex_unlock(&server->mutex);
		ts_rpc_end_stalled(server);
		ts_rpc_end_revoked(server);
		pthread_mutex_lock(&server->mutex);
	}
	pthread_mutex_unlock(&server->mutex);
	return NULL;
}

static enum ts_status start_sweeper(struct ts_server *server, struct ts_error *err)
{
	int errnum = pthread_create(&server->sweeper, NULL, sweep, server);

	server->sweeping = errnum == 0;
	return errnum ? ts_error_errno(err, errnum, "start the thread that ends stalled calls") : TS_OK;
}

static void stop_sweeper(struct ts_server *server)
{
	if (!server->sweeping)
		return;
	pthread_mutex_lock(&server->mutex);
	server->swept_out = true;
	pthread_cond_broadcast(&server->sweep);
	pthread_mutex_unlock(&server->mutex);
	pthread_join(server->sweeper, NULL);
	server->sweeping = false;
}

static enum ts_status start(struct ts_server *server, struct ts_error *err)
{
	const struct ts_server_options *options = &server->options;
	struct ts_guard_options guard = {.max_connections = options->max_connections, .peer_connections = options->peer_connections,
					 .hand_over = on_connection, .ctx = server};

	if (ts_listen_open(options->listeners, options->n_listeners, &options->tls, &server->listen, err))
		return err->status;
	gpr_set_log_function(log_core);
	grpc_init();
	server->core = create_core();
	if (add_methods(server, err) || add_meter(server, err) || add_queues(server, err) || add_lanes(server, err) ||
	    ts_shares_create(options->max_calls, options->memory, &server->shares, err))
		return err->status;
	grpc_server_start(server->core);
	if (start_queues(server, err) || start_sweeper(server, err))
		return err->status;
	return ts_listen_start(server->listen, &guard, err);
}

enum ts_status ts_server_create(const struct ts_server_options *options, struct ts_server **ret_server, struct ts_error *err)
{
	struct ts_server *server = new_server(options);

	if (!server)
		return ts_error_set(err, TS_NO_MEMORY, "out of memory for the server");
	if (start(server, err)) {
		ts_server_destroy(server);
		return err->status;
	}
	*ret_server = server;
	return TS_OK;
}

const char *ts_server_address(const struct ts_server *server, size_t i)
{
	return ts_listen_address(server->listen, i);
}

struct ts_meter *ts_server_meter(struct ts_server *server)
{
	return server->meter;
}

enum ts_status ts_server_reload(struct ts_server *server, bool *ret_tls, struct ts_error *err)
{
	return ts_listen_reload(server->listen, ret_tls, err);
}

void ts_server_set_policy(struct ts_server *server, struct ts_shared_policy *policy)
{
	struct ts_shared_policy *before;

	pthread_mutex_lock(&server->mutex);
	before = server->policy;
	server->policy = ts_shared_policy_hold(policy);
	pthread_mutex_unlock(&server->mutex);
	ts_shared_policy_release(before);
}

void ts_server_connections(struct ts_server *server, struct ts_guard_counts *ret_counts)
{
	ts_listen_count(server->listen, ret_counts);
}

unsigned ts_server_calls(const struct ts_server *server)
{
	return atomic_load(&server->live);
}

size_t ts_server_memory(const struct ts_server *server, size_t *ret_limit)
{
	const struct ts_budget *memory = ts_shares_memory(server->shares);

	*ret_limit = memory->limit;
	return atomic_load(&memory->used);
}

/* ---- stopping a server ---- */

enum {
	PARTING_NS = 500000000,
	ENDING_NS = 2000000000, /* of the time to drain, at most a quarter: for calls that have not finished, and must now end */
};

/* The caller holds the mutex. Waits until no client waits for a call, or until the given time. Returns true when no
 * client waits. */
static bool wait_calls(struct ts_server *server, int64_t until_ns)
{
	struct timespec until = ts_system_cond_limit(until_ns);

	TS_DOOR_HELD(&server->mutex);
	while (atomic_load(&server->live) > 0) {
		if (pthread_cond_timedwait(&server->changed, &server->mutex, &until) != 0)
			return atomic_load(&server->live) == 0;
	}
	return true;
}

/* The caller holds the mutex. Waits until C-core is down, or until the given time. */
static bool wait_core(struct ts_server *server, int64_t until_ns)
{
	struct timespec until = ts_system_cond_limit(until_ns);

	TS_DOOR_HELD(&server->mutex);
	while (!server->core_down || server->armed_or_live > 0) {
		if (pthread_cond_timedwait(&server->changed, &server->mutex, &until) != 0)
			return server->core_down && server->armed_or_live == 0;
	}
	return true;
}

/* The order matters. Calls are finished first, while their queues still run; then C-core returns the armed calls. A
 * queue may be shut down only when none is left: a batch that is started after that would abort the process.
 * C-core asks each client whether it has seen the end, and waits up to 20 s for its answer: who does not answer in PARTING_NS is not
 * waited for. */
static void stop_core(struct ts_server *server, int64_t drain_ns)
{
	int64_t ending_ns = drain_ns / 4 < ENDING_NS ? drain_ns / 4 : ENDING_NS;
	int64_t until_ns = ts_now_mono_ns() + drain_ns - ending_ns, parting_ns;
	bool drained;

	ts_rpc_end_watchers(server);
	pthread_mutex_lock(&server->mutex);
	drained = wait_calls(server, until_ns);
	pthread_mutex_unlock(&server->mutex);
	if (!drained)
		atomic_store(&server->cancelling, true);
	grpc_server_shutdown_and_notify(server->core, server->queues[0].core, &server->shut_down);
	parting_ns = ts_now_mono_ns() + PARTING_NS;
	pthread_mutex_lock(&server->mutex);
	drained = drained && wait_core(server, parting_ns < until_ns ? parting_ns : until_ns);
	pthread_mutex_unlock(&server->mutex);
	if (!drained)
		grpc_server_cancel_all_calls(server->core);
	pthread_mutex_lock(&server->mutex);
	(void)wait_core(server, INT64_MAX);
	pthread_mutex_unlock(&server->mutex);
}

/* A server whose start failed half-way may lack threads: then this thread takes their events. */
static void stop_queues(struct ts_server *server)
{
	for (size_t i = 0; i < server->n_queues; i++)
		grpc_completion_queue_shutdown(server->queues[i].core);
	for (size_t i = 0; i < server->n_queues; i++) {
		struct ts_rpc_queue *queue = &server->queues[i];

		if (queue->running)
			pthread_join(queue->thread, NULL);
		else
			queue_loop(queue);
		grpc_completion_queue_destroy(queue->core);
	}
	server->n_queues = 0;
}

static bool any_missing(const struct ts_server *server)
{
	for (size_t i = 0; i < server->n_queues; i++) {
		if (!server->queues[i].running)
			return true;
	}
	return server->n_queues == 0;
}

void ts_server_stop(struct ts_server *server, int64_t drain_ns)
{
	if (!server->core)
		return;
	atomic_store(&server->draining, true);
	ts_listen_stop(server->listen);
	if (any_missing(server)) {
		if (server->n_queues > 0)
			grpc_server_shutdown_and_notify(server->core, server->queues[0].core, &server->shut_down);
	} else {
		stop_core(server, drain_ns);
	}
	stop_sweeper(server);
	for (int lane = 0; lane < TS_LANES; lane++) {
		ts_pool_destroy(server->lanes[lane]);
		server->lanes[lane] = NULL;
	}
	stop_queues(server);
	grpc_server_destroy(server->core);
	server->core = NULL;
	grpc_shutdown_blocking();
}

void ts_server_destroy(struct ts_server *server)
{
	if (!server)
		return;
	ts_server_stop(server, 0);
	ts_listen_destroy(server->listen);
	ts_meter_destroy(server->meter);
	ts_shares_destroy(server->shares);
	ts_shared_policy_release(server->policy);
	ts_free(server->queues);
	ts_free(server->methods);
	pthread_cond_destroy(&server->changed);
	pthread_cond_destroy(&server->sweep);
	pthread_mutex_destroy(&server->mutex);
	ts_free(server);
}
