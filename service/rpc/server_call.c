/* One call of the server, from the moment it is lent to C-core until it is freed.
 *
 *	ARMED ──► WORKING ──► FINISHING ──► OVER
 *	  │       ▲     │        ▲
 *	  │       │     ▼        │
 *	  ├──► READING ──────────┤
 *	  ├──► WATCHING ─────────┤
 *	  └──────────────────────┘	also ARMED ──► OVER: the server shuts down
 *
 *	ARMED	   C-core owns it; nobody else touches it
 *	READING	   an upload that waits for a message, the end or a cancellation; no thread works on it
 *	WORKING	   in the queue of its lane or on one thread, which alone touches the handler's state and call.arena
 *	WATCHING   health Watch; no thread works on it
 *	FINISHING  the status is on its way; freed once no batch is outstanding
 *	OVER	   being freed
 *
 * Invariants: (1) state, pending, receiving, sending change under the mutex; (2) a batch is started under the mutex and
 * counted in pending, so that FINISHING with pending == 0 has no other owner; (3) at most one send and one receive are
 * outstanding; (4) whoever moves to FINISHING does not touch the call after it lets go of the mutex; (5) cheap methods and quick
 * answers run on the queue thread, which is WORKING and holds the mutex, before any batch is started; a quick answer that was
 * not to be had leaves the call as it came, request included, and the call goes on to its lane.
 */
#include "service/rpc/server_call.h"

#include "base/alloc.h"
#include "base/clock.h"
#include "base/held.h"
#include "base/limits.h"
#include "base/log.h"
#include "base/number.h"
#include "base/system.h"
#include "base/version.h"
#include "service/rpc/bearer.h"
#include "service/rpc/core.h"
#include "service/rpc/status.h"

#include <assert.h>
#include <grpc/byte_buffer.h>
#include <grpc/slice.h>
#include <grpc/support/alloc.h>
#include <stdio.h>

enum call_state { ARMED, READING, WORKING, WATCHING, FINISHING, OVER, STATES };

static const char REVOKED[] = "the token or certificate that this call (%s) was let in by is revoked or has expired";
static const char STALLED[] = "nothing came of this upload (%s) for so long that the server ended it";

static const uint8_t allowed[STATES] = {
	[ARMED] = 1 << READING | 1 << WORKING | 1 << WATCHING | 1 << FINISHING | 1 << OVER,
	[READING] = 1 << WORKING | 1 << FINISHING,
	[WORKING] = 1 << READING | 1 << FINISHING,
	[WATCHING] = 1 << FINISHING,
	[FINISHING] = 1 << OVER,
	[OVER] = 0,
};

struct ts_rpc_call {
	struct ts_pool_task task;
	struct ts_server *server;
	struct ts_rpc_queue *queue;
	const struct ts_rpc_method *method;

	/* C-core fills these when a call arrives. */
	grpc_call *core;
	gpr_timespec deadline;
	grpc_metadata_array metadata;
	grpc_call_details details; /* only for the catch-all */

	struct ts_rpc_tag arrived, closed, received, sent;
	int core_cancelled;

	pthread_mutex_t mutex;
	pthread_cond_t changed;
	enum call_state state;
	unsigned pending;
	bool receiving, sending;
	bool closing;	   /* the batch that reports a cancellation is started */
	bool initial_sent; /* the headers are sent */
	bool send_failed;
	bool ended;	   /* the client has sent everything, or is gone */
	bool stalled;	   /* the server ended it, because nothing came */
	atomic_bool revoked; /* the server ended it, because what it was let in by is revoked */
	int64_t reading_ns; /* since when it is READING */
	bool rearm;	   /* there was no memory to arm another call: this one is armed again at its end */
	grpc_byte_buffer *input, *output;
	grpc_byte_buffer *reply; /* the reply of a method that does not stream replies */
	atomic_bool cancelled;

	struct ts_share *share;	 /* the place that it has among the calls of its peer; NULL: it was refused, or needs none */
	struct ts_budget memory; /* what its arenas and the message that waits to be handled hold */

	/* Only the thread that works on the call uses these. */
	struct ts_call call;
	void *handler_state;
	bool opened;

	/* These are for the log. */
	char id[24];
	enum ts_status outcome;
	int64_t started_ns, pushed_ns, waited_ns; /* pushed: to the queue of its lane */
	uint64_t bytes_in, bytes_out;
	int fd; /* of its connection; -1: not known */
	struct ts_peer peer;
	struct ts_shared_policy *policy; /* NULL: none, or no client has called yet */
	struct ts_identity who;
	struct ts_token token; /* if who has one */
	struct ts_rpc_call *next_lasting;
};

static struct ts_pool *lane_of(const struct ts_rpc_call *call)
{
	return call->server->lanes[call->method->handler.lane];
}

/* Whether it can be there when the server looks for calls that it ends: all but those that are answered at once. */
static bool may_last(const struct ts_rpc_call *call)
{
	return call->method->kind == TS_RPC_WATCH || !(call->method->handler.flags & TS_METHOD_CHEAP);
}

/* Waits for a thread of its own lane, for a disk or for its client. */
static bool waits(const struct ts_rpc_call *call)
{
	return call->method->kind == TS_RPC_WATCH || call->method->handler.lane != TS_LANE_READ;
}

static void move(struct ts_rpc_call *call, enum call_state to)
{
	assert(allowed[call->state] & 1 << to);
	call->state = to;
	if (to == READING)
		call->reading_ns = ts_now_mono_ns();
}

/* Nobody waits for the answer any more. */
static void give_up(struct ts_rpc_call *call)
{
	atomic_store(&call->cancelled, true);
	ts_budget_revoke(&call->memory);
}

/* Nobody touches the call after this but the thread that takes it. */
static void push(struct ts_rpc_call *call)
{
	call->pushed_ns = ts_now_mono_ns();
	ts_pool_push(lane_of(call), &call->task);
}

/* ---- batches ---- */

/* The caller holds the mutex. */
static bool start(struct ts_rpc_call *call, const grpc_op *ops, size_t n, struct ts_rpc_tag *tag)
{
	TS_DOOR_HELD(&call->mutex);
	grpc_call_error e = grpc_call_start_batch(call->core, ops, n, tag, NULL);

	if (e == GRPC_CALL_OK) {
		call->pending++;
		return true;
	}
	/* This is a bug of tscoped, and the client must not wait forever because of it. */
	struct ts_log line;

	ts_log_begin(&line, TS_LOG_ERROR, "batch_refused");
	ts_log_str(&line, "method", call->method->handler.method);
	ts_log_str(&line, "reason", grpc_call_error_to_string(e));
	ts_log_end(&line);
	(void)grpc_call_cancel(call->core, NULL);
	return false;
}

static grpc_op close_op(struct ts_rpc_call *call)
{
	grpc_op op = {.op = GRPC_OP_RECV_CLOSE_ON_SERVER};

	op.data.recv_close_on_server.cancelled = &call->core_cancelled;
	call->closing = true;
	return op;
}

/* The caller holds the mutex. Asks C-core to report when the client goes away. */
static void start_closing(struct ts_rpc_call *call)
{
	TS_DOOR_HELD(&call->mutex);
	grpc_op op = close_op(call);

	(void)start(call, &op, 1, &call->closed);
}

/* The caller holds the mutex. */
static void start_receiving(struct ts_rpc_call *call)
{
	TS_DOOR_HELD(&call->mutex);
	grpc_op op = {.op = GRPC_OP_RECV_MESSAGE};

	op.data.recv_message.recv_message = &call->input;
	call->receiving = start(call, &op, 1, &call->received);
	if (!call->receiving) {
		call->ended = true;
		give_up(call);
	}
}

static size_t add_initial(struct ts_rpc_call *call, grpc_op *ops, size_t n)
{
	if (call->initial_sent)
		return n;
	call->initial_sent = true;
	ops[n] = (grpc_op){.op = GRPC_OP_SEND_INITIAL_METADATA};
	return n + 1;
}

static size_t add_message(struct ts_rpc_call *call, grpc_op *ops, size_t n, grpc_byte_buffer *message)
{
	if (!message)
		return n;
	call->output = message;
	call->bytes_out += grpc_byte_buffer_length(message);
	ops[n] = (grpc_op){.op = GRPC_OP_SEND_MESSAGE};
	ops[n].data.send_message.send_message = message;
	return n + 1;
}

/* ---- ending a call ---- */

/* A token by its name, an address without its port: each connection has another. */
static void metered_name(const struct ts_rpc_call *call, char out[TS_IDENTITY_TEXT])
{
	char *port;

	(void)snprintf(out, TS_IDENTITY_TEXT, "%s", call->who.token ? call->who.name : call->peer.name);
	port = !call->who.token && call->peer.kind == TS_PEER_ADDRESS ? strrchr(out, ':') : NULL;
	if (port)
		*port = '\0';
}

static void meter_call(const struct ts_rpc_call *call)
{
	char name[TS_IDENTITY_TEXT];

	metered_name(call, name);
	ts_meter_count(call->server->meter, &(struct ts_metered_call){.method = (size_t)(call->method - call->server->methods),
								      .status = call->outcome,
								      .caller = name,
								      .duration_ns = ts_now_mono_ns() - call->started_ns,
								      .waited_ns = call->waited_ns,
								      .bytes_in = call->bytes_in,
								      .bytes_out = call->bytes_out});
}

static void log_call(const struct ts_rpc_call *call)
{
	struct ts_log line;

	if (call->server->options.quiet)
		return;
	ts_log_begin(&line, call->method->is_health ? TS_LOG_DEBUG : TS_LOG_INFO, "call");
	if (call->method->kind == TS_RPC_UNKNOWN)
		ts_log_span(&line, "method", ts_core_span(&call->details.method));
	else
		ts_log_str(&line, "method", call->method->handler.method);
	ts_log_str(&line, "peer", call->peer.name);
	if (call->who.token)
		ts_log_str(&line, "token", call->token.name);
	ts_log_str(&line, "id", call->id);
	ts_log_str(&line, "status", ts_status_word(call->outcome));
	ts_log_ms(&line, "ms", ts_now_mono_ns() - call->started_ns);
	ts_log_i64(&line, "in", (int64_t)call->bytes_in);
	ts_log_i64(&line, "out", (int64_t)call->bytes_out);
	ts_log_end(&line);
}

/* The caller holds the server's mutex. */
static void forget_lasting(struct ts_rpc_call *call)
{
	struct ts_rpc_call **at = &call->server->lasting;

	TS_DOOR_HELD(&call->server->mutex);
	while (*at && *at != call)
		at = &(*at)->next_lasting;
	if (*at)
		*at = call->next_lasting;
}

/* No batch is outstanding and no thread works on the call. */
static void destroy(struct ts_rpc_call *call)
{
	struct ts_server *server = call->server;

	if (call->input)
		grpc_byte_buffer_destroy(call->input);
	if (call->output)
		grpc_byte_buffer_destroy(call->output);
	if (call->reply)
		grpc_byte_buffer_destroy(call->reply);
	grpc_metadata_array_destroy(&call->metadata);
	grpc_call_details_destroy(&call->details);
	if (call->core)
		grpc_call_unref(call->core);
	ts_shared_policy_release(call->policy);
	/* Who walks the list of lasting calls holds this mutex, and locks those of the calls. */
	pthread_mutex_lock(&server->mutex);
	if (may_last(call))
		forget_lasting(call);
	pthread_mutex_destroy(&call->mutex);
	pthread_cond_destroy(&call->changed);
	ts_free(call);
	if (--server->armed_or_live == 0)
		pthread_cond_broadcast(&server->changed);
	pthread_mutex_unlock(&server->mutex);
}

static void release_input(struct ts_rpc_call *call, grpc_byte_buffer *input)
{
	ts_budget_give(&call->memory, grpc_byte_buffer_length(input));
	grpc_byte_buffer_destroy(input);
}

static void end(struct ts_rpc_call *call)
{
	struct ts_server *server = call->server;

	meter_call(call);
	log_call(call);
	if (call->input)
		release_input(call, call->input);
	call->input = NULL;
	if (call->share)
		ts_shares_leave(server->shares, call->share, waits(call));
	if (call->rearm && !atomic_load(&server->draining))
		(void)ts_rpc_call_arm(call->queue, call->method);
	if (atomic_fetch_sub(&server->live, 1) == 1 && atomic_load(&server->draining)) {
		pthread_mutex_lock(&server->mutex);
		pthread_cond_broadcast(&server->changed);
		pthread_mutex_unlock(&server->mutex);
	}
	destroy(call);
}

/* The caller holds the mutex; this function releases it. If this was the last owner, the call is freed afterwards. */
static void settle(struct ts_rpc_call *call)
{
	bool over = call->state == FINISHING && call->pending == 0;

	TS_DOOR_HELD(&call->mutex);
	if (over)
		move(call, OVER);
	pthread_mutex_unlock(&call->mutex);
	if (over)
		end(call);
}

/* The caller holds the mutex; this function releases it. Nothing is being sent. Sends the rest: headers, one reply, the
 * status. */
static void finish_as(struct ts_rpc_call *call, grpc_status_code code, enum ts_status status, const char *text)
{
	TS_DOOR_HELD(&call->mutex);
	grpc_metadata words[2] = {
		{.key = grpc_slice_from_static_string(TS_STATUS_KEY), .value = grpc_slice_from_static_string(ts_status_word(status))},
		{.key = grpc_slice_from_static_string(TS_CALL_KEY), .value = grpc_slice_from_copied_string(call->id)}};
	grpc_slice details = status ? grpc_slice_from_copied_string(text) : grpc_empty_slice();
	grpc_byte_buffer *reply = call->reply;
	grpc_op ops[4];
	size_t n = 0;

	call->reply = NULL;
	call->outcome = status;
	n = add_initial(call, ops, n);
	n = add_message(call, ops, n, reply);
	if (!call->closing)
		ops[n++] = close_op(call);
	ops[n] = (grpc_op){.op = GRPC_OP_SEND_STATUS_FROM_SERVER};
	ops[n].data.send_status_from_server.status = code;
	ops[n].data.send_status_from_server.status_details = status ? &details : NULL;
	ops[n].data.send_status_from_server.trailing_metadata = words;
	ops[n].data.send_status_from_server.trailing_metadata_count = status ? 2 : 0;
	move(call, FINISHING);
	call->sending = start(call, ops, n + 1, &call->sent);
	grpc_slice_unref(details);
	grpc_slice_unref(words[1].value);
	settle(call);
}

static void finish(struct ts_rpc_call *call, enum ts_status status, const char *text)
{
	finish_as(call, ts_status_to_grpc(status), status, text);
}

/* ---- the call interface of handlers ---- */

static bool call_cancelled(const struct ts_call *handler_call)
{
	const struct ts_rpc_call *call = handler_call->driver;

	return atomic_load_explicit(&call->cancelled, memory_order_relaxed) ||
	       atomic_load_explicit(&call->server->cancelling, memory_order_relaxed) ||
	       (handler_call->deadline_ns != INT64_MAX && ts_now_mono_ns() >= handler_call->deadline_ns);
}

static enum ts_status why_stopped(const struct ts_rpc_call *call, struct ts_error *err)
{
	if (atomic_load(&call->server->cancelling))
		return ts_error_set(err, TS_UNAVAILABLE, "the server is shutting down");
	if (call->revoked)
		return ts_error_set(err, TS_DENIED, REVOKED, call->method->handler.method);
	if (call->stalled)
		return ts_error_set(err, TS_UNAVAILABLE, STALLED, call->method->handler.method);
	if (call->call.deadline_ns != INT64_MAX && ts_now_mono_ns() >= call->call.deadline_ns)
		return ts_error_set(err, TS_DEADLINE, "the time for %s is over", call->method->handler.method);
	return ts_error_set(err, TS_CANCELLED, "the client closed the call");
}

/* The caller holds the mutex. A client that receives nothing is given up after TS_STALL_SECONDS; cancelling makes the
 * batch complete. */
static void wait_sent(struct ts_rpc_call *call)
{
	int64_t limit_ns = ts_now_mono_ns() + TS_STALL_SECONDS * INT64_C(1000000000);
	struct timespec limit = ts_system_cond_limit(limit_ns);
	bool given_up = false;

	TS_DOOR_HELD(&call->mutex);
	while (call->sending) {
		if (given_up)
			pthread_cond_wait(&call->changed, &call->mutex);
		else if (pthread_cond_timedwait(&call->changed, &call->mutex, &limit) != 0) {
			given_up = true;
			(void)grpc_call_cancel(call->core, NULL);
		}
	}
}

static enum ts_status keep_reply(struct ts_rpc_call *call, struct ts_span message, struct ts_error *err)
{
	if (call->reply)
		return ts_error_set(err, TS_INTERNAL, "%s replied twice", call->method->handler.method);
	call->reply = ts_core_message(message);
	return TS_OK;
}

/* Waits for the previous message, not for this one: the handler makes the next message while this one is sent. */
static enum ts_status send_reply(struct ts_rpc_call *call, struct ts_span message, struct ts_error *err)
{
	grpc_op ops[2];
	size_t n = 0;
	bool ok;

	pthread_mutex_lock(&call->mutex);
	wait_sent(call);
	ok = !call->send_failed && !call_cancelled(&call->call);
	if (ok) {
		n = add_initial(call, ops, n);
		n = add_message(call, ops, n, ts_core_message(message));
		ok = call->sending = start(call, ops, n, &call->sent);
	}
	pthread_mutex_unlock(&call->mutex);
	return ok ? TS_OK : why_stopped(call, err);
}

static enum ts_status call_reply(struct ts_call *handler_call, struct ts_span message, struct ts_error *err)
{
	struct ts_rpc_call *call = handler_call->driver;

	if (message.len > TS_MESSAGE_MAX)
		return ts_error_set(err, TS_TOO_LARGE, "the reply has %zu bytes, and the limit is %d", message.len, TS_MESSAGE_MAX);
	if (call->method->handler.flags & TS_METHOD_STREAM_DOWN)
		return send_reply(call, message, err);
	return keep_reply(call, message, err);
}

static void fill_handler_call(struct ts_rpc_call *call)
{
	call->call = (struct ts_call){
		.engine = call->server->options.engine,
		.server = call->server->options.facts,
		.peer = &call->peer,
		.who = &call->who,
		.caller = ts_span_str(call->who.name),
		.deadline_ns = ts_core_deadline_ns(call->method->kind == TS_RPC_UNKNOWN ? call->details.deadline
											 : call->deadline),
		.cancelled = call_cancelled,
		.reply = call_reply,
		.driver = call,
	};
}

/* ---- running handlers ---- */

static enum ts_status handle_bytes(struct ts_rpc_call *call, grpc_byte_buffer *input, struct ts_error *err)
{
	const struct ts_handler *h = &call->method->handler;
	enum ts_status status;
	grpc_slice bytes;

	if (!ts_core_flatten(input, &bytes))
		return ts_error_set(err, TS_INVALID, "the server does not accept compressed messages");
	call->bytes_in += GRPC_SLICE_LENGTH(bytes);
	status = h->message(&call->call, call->handler_state, ts_core_span(&bytes), err);
	if (status)
		status = ts_call_explain(&call->call, err);
	grpc_slice_unref(bytes);
	ts_arena_reset(call->call.arena);
	return status;
}

/* Handles one message, or the end, or both. input is released. */
static enum ts_status step(struct ts_rpc_call *call, grpc_byte_buffer *input, bool ended, struct ts_error *err)
{
	const struct ts_handler *h = &call->method->handler;
	const struct ts_budget *lacking;
	enum ts_status status = TS_OK;

	if (call_cancelled(&call->call))
		status = why_stopped(call, err);
	if (!status && !call->opened && h->open)
		status = h->open(&call->call, &call->handler_state, err);
	call->opened = call->opened || !status;
	if (!status && input && (lacking = ts_budget_lacks(&call->memory, 0)))
		status = ts_budget_error(lacking, err);
	if (!status && input)
		status = handle_bytes(call, input, err);
	if (!status && ended && h->close) {
		status = h->close(&call->call, call->handler_state, err);
		ts_arena_reset(call->call.arena);
	}
	if (input)
		release_input(call, input);
	/* What the handler met is then a consequence of that: its arenas give it nothing more. */
	if (status && call_cancelled(&call->call))
		status = why_stopped(call, err);
	return status;
}

static void drop(struct ts_rpc_call *call)
{
	if (call->opened && call->method->handler.drop)
		call->method->handler.drop(call->handler_state);
	call->opened = false;
}

static size_t arena_ceiling(const struct ts_handler *h)
{
	return strcmp(h->method, "Analyze") == 0 || strcmp(h->method, "Diff") == 0 ? TS_ANALYSIS_ARENA : TS_CALL_ARENA;
}

/* The caller holds the mutex. After an error no reply that was prepared is sent, and no further message is read. */
static void finish_work(struct ts_rpc_call *call, enum ts_status status, const char *text)
{
	TS_DOOR_HELD(&call->mutex);
	wait_sent(call);
	if (status && call->reply) {
		grpc_byte_buffer_destroy(call->reply);
		call->reply = NULL;
	}
	finish(call, status, text);
}

/* The call may be freed as soon as another thread can go on with it: what its arena drew is given back before that. */
static void leave_budget(struct ts_arena *arena, struct ts_budget *before)
{
	ts_arena_finish(arena);
	(void)ts_budget_enter(before);
}

/* Handles what has arrived; while the handler is busy with it, the next message of an upload is already read. */
static void work(struct ts_pool_task *task)
{
	struct ts_rpc_call *call = (struct ts_rpc_call *)task; /* task is its first member */
	struct ts_budget *before = ts_budget_enter(&call->memory);
	struct ts_arena arena;
	struct ts_error err;
	enum call_state next;
	enum ts_status status;
	bool ended;

	call->waited_ns += ts_now_mono_ns() - call->pushed_ns;
	ts_arena_init(&arena, arena_ceiling(&call->method->handler));
	call->call.arena = &arena;
	pthread_mutex_lock(&call->mutex);
	do {
		grpc_byte_buffer *input = call->input;

		call->input = NULL;
		ended = call->ended;
		if (!ended)
			start_receiving(call);
		pthread_mutex_unlock(&call->mutex);
		status = step(call, input, ended, &err);
		if (status || ended) {
			drop(call);
			leave_budget(&arena, before);
			pthread_mutex_lock(&call->mutex);
			finish_work(call, status, err.text);
			return;
		}
		pthread_mutex_lock(&call->mutex);
	} while (!call->receiving && !ts_pool_waits(lane_of(call)));
	leave_budget(&arena, before);
	/* Who has sent the next message already goes on with it, unless others wait for the thread. */
	next = call->receiving ? READING : WORKING;
	if (next == READING)
		move(call, READING);
	pthread_mutex_unlock(&call->mutex);
	if (next == WORKING)
		push(call);
}

/* ---- events, on the queue thread ---- */

static void on_closed(void *owner, bool ok)
{
	struct ts_rpc_call *call = owner;

	(void)ok;
	pthread_mutex_lock(&call->mutex);
	call->pending--;
	if (call->core_cancelled)
		give_up(call);
	pthread_cond_broadcast(&call->changed);
	if (call->state == WATCHING && !call->sending)
		finish(call, TS_CANCELLED, "the client closed the call");
	else
		settle(call);
}

static void on_received(void *owner, bool ok)
{
	struct ts_rpc_call *call = owner;
	bool wake;

	pthread_mutex_lock(&call->mutex);
	call->pending--;
	call->receiving = false;
	if (call->input)
		ts_budget_force(&call->memory, grpc_byte_buffer_length(call->input));
	if (!call->input) {
		call->ended = true;
		/* A missing message means that the client ended its upload, or is gone. */
		if (!ok || grpc_call_failed_before_recv_message(call->core))
			give_up(call);
	}
	wake = call->state == READING;
	if (wake)
		move(call, WORKING);
	settle(call);
	if (wake)
		push(call);
}

static void on_sent(void *owner, bool ok)
{
	struct ts_rpc_call *call = owner;

	pthread_mutex_lock(&call->mutex);
	call->pending--;
	call->sending = false;
	call->send_failed |= !ok;
	if (call->output)
		grpc_byte_buffer_destroy(call->output);
	call->output = NULL;
	pthread_cond_broadcast(&call->changed);
	if (call->state == WATCHING && (atomic_load(&call->cancelled) || !ok))
		finish(call, TS_CANCELLED, "the client closed the call");
	else if (call->state == WATCHING && atomic_load(&call->server->draining))
		finish(call, TS_UNAVAILABLE, "the server is shutting down");
	else
		settle(call);
}

/* ---- arrival of calls ---- */

/* The policy that judges calls now, for one more owner; NULL if there is none. */
static struct ts_shared_policy *policy_of(struct ts_server *server)
{
	struct ts_shared_policy *policy;

	pthread_mutex_lock(&server->mutex);
	policy = ts_shared_policy_hold(server->policy);
	pthread_mutex_unlock(&server->mutex);
	return policy;
}

static void identify(struct ts_rpc_call *call)
{
	char *name = grpc_call_get_peer(call->core);
	int64_t fd = -1;

	/* C-core names a connection that it was given "fd:17". The stream keeps it open, so 17 is still the same connection. */
	if (!name || strncmp(name, "fd:", 3) != 0 || !ts_parse_i64(ts_span_str(name + 3), &fd) || fd > INT32_MAX)
		fd = -1;
	gpr_free(name);
	ts_guard_peer((int)fd, &call->peer);
	call->fd = (int)fd;
	call->policy = policy_of(call->server);
	ts_identify(call->policy ? &call->policy->auth : NULL, &call->peer, &call->who);
}

/* What is answered at once from memory needs no place among the calls of its peer. */
static enum ts_status take_share(struct ts_rpc_call *call, struct ts_error *err)
{
	bool cheap = call->method->handler.flags & TS_METHOD_CHEAP;
	struct ts_peer sharer;

	ts_identity_sharer(&call->who, &sharer);
	call->task.peer = sharer.key;
	if (!cheap && ts_shares_enter(call->server->shares, &sharer, waits(call), &call->share, err))
		return err->status;
	ts_budget_init(&call->memory, cheap ? NULL : ts_share_memory(call->share), "this call", 0, 0);
	if (call->input)
		ts_budget_force(&call->memory, grpc_byte_buffer_length(call->input));
	return TS_OK;
}

/* Who calls, where a token says it. One that is not known has no share of its own: it is refused before it takes any. */
static enum ts_status take_token(struct ts_rpc_call *call, struct ts_error *err)
{
	bool shown = false;

	if (call->method->is_health || !call->policy)
		return TS_OK;
	if (ts_bearer_take(call->server->options.engine, &call->metadata, &call->peer, &call->token, &shown, err))
		return err->status;
	if (shown) {
		ts_identify_token(&call->policy->auth, &call->peer, &call->token, &call->who);
		call->call.caller = ts_span_str(call->who.name);
	}
	return TS_OK;
}

/* Whether it may call this method. Health needs no right. */
static enum ts_status admit(struct ts_rpc_call *call, struct ts_error *err)
{
	return call->method->is_health ? TS_OK : ts_call_begin(&call->call, &call->method->handler, err);
}

/* The caller holds the mutex. */
static void refuse_write(struct ts_rpc_call *call)
{
	const struct ts_server_facts *facts = call->server->options.facts;
	char text[400];

	if (facts->leader)
		(void)snprintf(text, sizeof text, "this server follows %.300s and is only read; write there", facts->leader);
	finish(call, TS_DENIED, facts->leader ? text : "this server is read-only");
}

/* The caller holds the mutex; this function releases it. */
static bool refuse(struct ts_rpc_call *call)
{
	const struct ts_server *server = call->server;
	struct ts_error err;
	char text[160];

	TS_DOOR_HELD(&call->mutex);
	if (call->method->kind == TS_RPC_UNKNOWN) {
		(void)snprintf(text, sizeof text, "tscoped %s has no such method", ts_version());
		finish(call, TS_UNSUPPORTED, text);
	} else if (atomic_load(&server->draining)) {
		finish(call, TS_UNAVAILABLE, "the server is shutting down");
	} else if (take_token(call, &err)) {
		finish(call, err.status, err.text);
	} else if (take_share(call, &err)) {
		finish_as(call, GRPC_STATUS_RESOURCE_EXHAUSTED, err.status, err.text);
	} else if (call->rearm) {
		finish(call, TS_NO_MEMORY, "the server is out of memory; try again");
	} else if (call->method->handler.flags & TS_METHOD_WRITES && server->options.facts && server->options.facts->read_only) {
		refuse_write(call);
	} else if (admit(call, &err)) {
		finish(call, err.status, err.text);
	} else if (!(call->method->handler.flags & TS_METHOD_STREAM_UP) && !call->input) {
		/* The call was reset before its message came, or the message is longer than the limit: C-core has told
		 * the client already. */
		finish(call, TS_INVALID, "the call has no request message");
	} else {
		return false;
	}
	return true;
}

/* The caller holds the mutex; this function releases it. */
static void run_inline(struct ts_rpc_call *call)
{
	TS_DOOR_HELD(&call->mutex);
	grpc_byte_buffer *input = call->input;
	struct ts_arena arena;
	struct ts_error err;
	enum ts_status status;

	move(call, WORKING);
	call->input = NULL;
	ts_arena_init(&arena, TS_CALL_ARENA);
	call->call.arena = &arena;
	status = step(call, input, true, &err);
	drop(call);
	ts_arena_finish(&arena);
	finish_work(call, status, err.text);
}

/* The caller holds the mutex; this function releases it if it answered. */
static bool answer_quickly(struct ts_rpc_call *call)
{
	const struct ts_handler *h = &call->method->handler;
	struct ts_arena arena;
	grpc_slice bytes;
	bool done;

	TS_DOOR_HELD(&call->mutex);
	if (!h->quick || grpc_byte_buffer_length(call->input) > TS_QUICK_BYTES || call_cancelled(&call->call) ||
	    !ts_core_flatten(call->input, &bytes))
		return false;
	ts_arena_init(&arena, TS_CALL_ARENA);
	call->call.arena = &arena;
	done = h->quick(&call->call, ts_core_span(&bytes));
	ts_arena_finish(&arena);
	assert(done == (call->reply != NULL));
	if (done)
		call->bytes_in += GRPC_SLICE_LENGTH(bytes);
	grpc_slice_unref(bytes);
	if (done)
		finish_work(call, TS_OK, "");
	return done;
}

/* Returns an empty message, which clients read as status unknown, when there is no memory. */
static grpc_byte_buffer *health_message(enum ts_health health)
{
	struct ts_buf bytes = TS_BUF_INIT(64);
	grpc_byte_buffer *message;
	struct ts_error err;

	(void)ts_wire_pack_health_reply(health, &bytes, &err);
	message = ts_core_message(ts_buf_view(&bytes));
	ts_buf_finish(&bytes);
	return message;
}

/* The caller holds the mutex; this function releases it. */
static void begin_watch(struct ts_rpc_call *call)
{
	enum ts_health health = TS_HEALTH_SERVING;
	struct ts_arena arena;
	struct ts_error err;
	grpc_slice bytes;
	grpc_op ops[2];
	size_t n = 0;

	TS_DOOR_HELD(&call->mutex);
	ts_arena_init(&arena, TS_CALL_ARENA);
	if (ts_core_flatten(call->input, &bytes)) {
		if (ts_health_service(ts_core_span(&bytes), &arena, &err))
			health = TS_HEALTH_SERVICE_UNKNOWN;
		grpc_slice_unref(bytes);
	}
	ts_arena_finish(&arena);
	move(call, WATCHING);
	start_closing(call);
	n = add_initial(call, ops, n);
	n = add_message(call, ops, n, health_message(health));
	call->sending = start(call, ops, n, &call->sent);
	pthread_mutex_unlock(&call->mutex);
}

static void dispatch(struct ts_rpc_call *call)
{
	unsigned flags = call->method->handler.flags;

	pthread_mutex_lock(&call->mutex);
	if (refuse(call))
		return;
	if (call->method->kind == TS_RPC_WATCH) {
		begin_watch(call);
		return;
	}
	if (flags & TS_METHOD_CHEAP && !(flags & (TS_METHOD_STREAM_UP | TS_METHOD_STREAM_DOWN))) {
		run_inline(call);
		return;
	}
	if (flags & TS_METHOD_STREAM_UP) {
		start_closing(call);
		move(call, READING);
		start_receiving(call);
		if (call->receiving) {
			pthread_mutex_unlock(&call->mutex);
			return;
		}
		move(call, WORKING);
	} else {
		move(call, WORKING);
		if (answer_quickly(call))
			return;
		start_closing(call);
		call->ended = true;
	}
	pthread_mutex_unlock(&call->mutex);
	push(call);
}

static void add_lasting(struct ts_rpc_call *call)
{
	pthread_mutex_lock(&call->server->mutex);
	call->next_lasting = call->server->lasting;
	call->server->lasting = call;
	pthread_mutex_unlock(&call->server->mutex);
}

static void on_arrived(void *owner, bool ok)
{
	struct ts_rpc_call *call = owner;

	if (!ok) {
		destroy(call);
		return;
	}
	(void)snprintf(call->id, sizeof call->id, "%04x-%x", call->server->started, atomic_fetch_add(&call->server->calls, 1) + 1);
	call->started_ns = ts_now_mono_ns();
	atomic_fetch_add(&call->server->live, 1);
	call->rearm = !ts_rpc_call_arm(call->queue, call->method);
	identify(call);
	fill_handler_call(call);
	if (may_last(call))
		add_lasting(call);
	dispatch(call);
}

static struct ts_rpc_call *new_call(struct ts_rpc_queue *queue, const struct ts_rpc_method *method)
{
	struct ts_rpc_call *call = ts_alloc_array(1, sizeof *call);

	if (!call)
		return NULL;
	call->task.run = work;
	call->server = queue->server;
	call->queue = queue;
	call->method = method;
	call->arrived = (struct ts_rpc_tag){on_arrived, call};
	call->closed = (struct ts_rpc_tag){on_closed, call};
	call->received = (struct ts_rpc_tag){on_received, call};
	call->sent = (struct ts_rpc_tag){on_sent, call};
	grpc_metadata_array_init(&call->metadata);
	grpc_call_details_init(&call->details);
	pthread_mutex_init(&call->mutex, NULL);
	ts_system_cond_init(&call->changed);
	return call;
}

bool ts_rpc_call_arm(struct ts_rpc_queue *queue, const struct ts_rpc_method *method)
{
	struct ts_rpc_call *call = new_call(queue, method);
	grpc_server *core = queue->server->core;
	bool stream_up = method->handler.flags & TS_METHOD_STREAM_UP;
	grpc_call_error e;

	if (!call)
		return false;
	pthread_mutex_lock(&queue->server->mutex);
	queue->server->armed_or_live++;
	pthread_mutex_unlock(&queue->server->mutex);
	if (method->kind == TS_RPC_UNKNOWN)
		e = grpc_server_request_call(core, &call->core, &call->details, &call->metadata, queue->core, queue->core,
					     &call->arrived);
	else
		e = grpc_server_request_registered_call(core, method->registered, &call->core, &call->deadline,
							&call->metadata, stream_up ? NULL : &call->input, queue->core,
							queue->core, &call->arrived);
	if (e == GRPC_CALL_OK)
		return true;
	destroy(call);
	return false;
}

void ts_rpc_end_watchers(struct ts_server *server)
{
	struct ts_rpc_call *next;

	pthread_mutex_lock(&server->mutex);
	for (struct ts_rpc_call *call = server->lasting; call; call = next) {
		next = call->next_lasting;
		pthread_mutex_lock(&call->mutex);
		if (call->state == WATCHING && !call->sending) {
			call->reply = health_message(TS_HEALTH_NOT_SERVING);
			finish(call, TS_UNAVAILABLE, "the server is shutting down");
		} else {
			pthread_mutex_unlock(&call->mutex);
		}
	}
	pthread_mutex_unlock(&server->mutex);
}

/* Cancelling makes the receive complete, and the call ends by the way of those whose client is gone. */
void ts_rpc_end_stalled(struct ts_server *server)
{
	int64_t before_ns = ts_now_mono_ns() - server->options.upload_ns;
	char text[160];

	pthread_mutex_lock(&server->mutex);
	for (struct ts_rpc_call *call = server->lasting; call; call = call->next_lasting) {
		pthread_mutex_lock(&call->mutex);
		if (call->state == READING && !call->stalled && call->reading_ns < before_ns) {
			call->stalled = true;
			(void)snprintf(text, sizeof text, STALLED, call->method->handler.method);
			(void)grpc_call_cancel_with_status(call->core, GRPC_STATUS_UNAVAILABLE, text, NULL);
		}
		pthread_mutex_unlock(&call->mutex);
	}
	pthread_mutex_unlock(&server->mutex);
}

/* ---- what was revoked ---- */

enum { REVOKED_AT_ONCE = 64 };

struct revoked {
	char tokens[REVOKED_AT_ONCE][TS_TOKEN_ID_HEX + 1];
	size_t n;
};

static bool has_token(const struct revoked *r, const char *id)
{
	for (size_t i = 0; i < r->n; i++)
		if (strcmp(r->tokens[i], id) == 0)
			return true;
	return false;
}

/* The tokens of the calls that are there. More of them are looked at the next time. */
static void list_tokens(struct ts_server *server, struct revoked *ret)
{
	ret->n = 0;
	pthread_mutex_lock(&server->mutex);
	for (struct ts_rpc_call *call = server->lasting; call && ret->n < REVOKED_AT_ONCE; call = call->next_lasting) {
		pthread_mutex_lock(&call->mutex);
		if (call->who.token && !call->revoked && !has_token(ret, call->token.id))
			memcpy(ret->tokens[ret->n++], call->token.id, sizeof call->token.id);
		pthread_mutex_unlock(&call->mutex);
	}
	pthread_mutex_unlock(&server->mutex);
}

/* Keeps those that are no longer good. The store is asked while no lock is held. */
static void keep_dead(struct ts_server *server, struct revoked *r)
{
	size_t kept = 0;

	for (size_t i = 0; i < r->n; i++)
		if (!ts_token_lives(server->options.engine, r->tokens[i], ts_now_real_ns()))
			memmove(r->tokens[kept++], r->tokens[i], sizeof r->tokens[0]);
	r->n = kept;
}

static void end_revoked(struct ts_rpc_call *call)
{
	char text[192];

	call->revoked = true;
	(void)snprintf(text, sizeof text, REVOKED, call->method->handler.method);
	(void)grpc_call_cancel_with_status(call->core, GRPC_STATUS_UNAUTHENTICATED, text, NULL);
	give_up(call);
}

void ts_rpc_end_revoked(struct ts_server *server)
{
	struct revoked r;

	list_tokens(server, &r);
	keep_dead(server, &r);
	pthread_mutex_lock(&server->mutex);
	for (struct ts_rpc_call *call = server->lasting; call; call = call->next_lasting) {
		pthread_mutex_lock(&call->mutex);
		if ((call->state == READING || call->state == WORKING) && !call->revoked &&
		    ((call->who.token && has_token(&r, call->token.id)) || ts_guard_is_revoked(call->fd)))
			end_revoked(call);
		pthread_mutex_unlock(&call->mutex);
	}
	pthread_mutex_unlock(&server->mutex);
}
