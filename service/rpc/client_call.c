#include "service/rpc/client_call.h"

#include "base/clock.h"
#include "base/limits.h"
#include "service/rpc/core.h"
#include "service/rpc/dial.h"
#include "service/rpc/status.h"
#include "service/rpc/tunnel.h"

#include <grpc/byte_buffer.h>
#include <grpc/grpc_posix.h>
#include <grpc/grpc_security.h>
#include <grpc/slice.h>
#include <grpc/support/log.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>

/* Allows for different clocks of two machines, and for the rounding of a deadline in transit. */
enum { DEADLINE_SLACK_NS = 50 * 1000 * 1000 };

/* How often a call with one reply looks whether somebody waits for it. */
enum { STOP_LOOK_NS = 20 * 1000 * 1000 };

/* ---- the status of a call ---- */

void ts_client_end_init(struct ts_client_end *end, grpc_op *op)
{
	*end = (struct ts_client_end){.details = grpc_empty_slice()};
	grpc_metadata_array_init(&end->trailing);
	*op = (grpc_op){.op = GRPC_OP_RECV_STATUS_ON_CLIENT};
	op->data.recv_status_on_client.status = &end->code;
	op->data.recv_status_on_client.status_details = &end->details;
	op->data.recv_status_on_client.trailing_metadata = &end->trailing;
}

void ts_client_end_finish(struct ts_client_end *end)
{
	grpc_slice_unref(end->details);
	grpc_metadata_array_destroy(&end->trailing);
}

static struct ts_span trailer(const struct ts_client_end *end, const char *key)
{
	for (size_t i = 0; i < end->trailing.count; i++) {
		if (ts_span_is(ts_core_span(&end->trailing.metadata[i].key), key))
			return ts_core_span(&end->trailing.metadata[i].value);
	}
	return ts_span_of(NULL, 0);
}

void ts_client_disconnect(struct ts_client *client)
{
	if (client->core)
		grpc_channel_destroy(client->core);
	client->core = NULL;
	client->stale = false;
}

/* The status did not come from the handler, but from C-core on this side or the other. No caller cancels a call and
 * then asks for its status: a server answers CANCELLED when it sees the deadline of a call first, or when the call came
 * in during a shutdown. */
static enum ts_status transport_status(enum ts_status status, int64_t deadline_ns)
{
	if (status != TS_CANCELLED)
		return status;
	return deadline_ns != INT64_MAX && ts_now_mono_ns() >= deadline_ns - DEADLINE_SLACK_NS ? TS_DEADLINE
											       : TS_UNAVAILABLE;
}

/* Failures about which the log of the server may say more; the others are answers to what was asked. */
static bool is_of_the_server(enum ts_status status)
{
	return status == TS_DAMAGED || status == TS_NO_MEMORY || status == TS_IO || status == TS_FULL || status == TS_INTERNAL;
}

enum ts_status ts_client_end_status(struct ts_client *client, const struct ts_client_end *end, const char *method,
				    int64_t deadline_ns, struct ts_error *err)
{
	struct ts_span word = trailer(end, TS_STATUS_KEY), text = ts_core_span(&end->details);
	enum ts_status status = ts_status_from_grpc(end->code, word);

	client->refused = status != TS_OK && word.len > 0;
	client->busy = client->refused && end->code == GRPC_STATUS_RESOURCE_EXHAUSTED && status == TS_UNAVAILABLE;
	if (status == TS_OK)
		return TS_OK;
	if (word.len == 0)
		status = transport_status(status, deadline_ns);
	/* This holds even when the server itself sent the status: it is shutting down, and another may start. */
	if (status == TS_UNAVAILABLE && !client->busy)
		client->stale = true;
	if (word.len > 0 && status == TS_DENIED && client->login.token)
		return ts_error_set(err, status,
				    client->bearer[0] ? "%.*s (asked with the token of %s)"
						      : "%.*s (the token of %s was not sent, because others can read plain TCP)",
				    TS_SPAN_ARG(text), client->login.from);
	if (word.len > 0 && status == TS_DENIED && client->address.kind == TS_ADDRESS_TLS)
		return ts_error_set(err, status, "%.*s (asked without a token: tscope login keeps one, or TSCOPE_TOKEN)",
				    TS_SPAN_ARG(text));
	if (word.len > 0 && is_of_the_server(status) && trailer(end, TS_CALL_KEY).len)
		return ts_error_set(err, status, "%.*s (call %.*s in the log of the server)", TS_SPAN_ARG(text),
				    TS_SPAN_ARG(trailer(end, TS_CALL_KEY)));
	if (word.len > 0)
		return ts_error_set(err, status, "%.*s", TS_SPAN_ARG(text));
	if (status == TS_UNAVAILABLE)
		return ts_error_set(err, status, "the connection to tscoped at %s broke (%.*s)", client->where,
				    TS_SPAN_ARG(text));
	if (status == TS_DEADLINE)
		return ts_error_set(err, status, "tscoped at %s did not answer %s in time", client->where, method);
	return ts_error_set(err, status, "%s at %s: %.*s", method, client->where, TS_SPAN_ARG(text));
}

enum ts_status ts_client_refused(const char *method, grpc_call_error e, struct ts_error *err)
{
	return ts_error_set(err, TS_INTERNAL, "%s could not be called: %s", method, grpc_call_error_to_string(e));
}

enum ts_status ts_client_take(grpc_byte_buffer **buffer, struct ts_arena *arena, struct ts_span *ret_bytes,
			      struct ts_error *err)
{
	struct ts_span copy;
	grpc_slice bytes;
	bool flat = ts_core_flatten(*buffer, &bytes);

	grpc_byte_buffer_destroy(*buffer);
	*buffer = NULL;
	if (!flat)
		return ts_error_set(err, TS_DAMAGED, "the server sent a compressed reply, which tscope does not read");
	copy = ts_arena_span(arena, ts_core_span(&bytes));
	grpc_slice_unref(bytes);
	if (!copy.data)
		return ts_arena_error(arena, err);
	*ret_bytes = copy;
	return TS_OK;
}

/* ---- connecting ---- */

static void log_nothing(gpr_log_func_args *args)
{
	(void)args;
}

/* The connected socket is handed over, so there is no resolver, no proxy from the environment, and no reconnecting in
 * the background: a failure is reported here with its reason. With TLS C-core itself connects, and checks the server's name. */
static enum ts_status make_channel(struct ts_client *client, int fd, struct ts_error *err)
{
	bool tls = client->address.kind == TS_ADDRESS_TLS;
	grpc_channel_credentials *credentials;
	grpc_arg args[] = {
		ts_core_int(GRPC_ARG_MAX_RECEIVE_MESSAGE_LENGTH, TS_MESSAGE_MAX),
		ts_core_int(GRPC_COMPRESSION_CHANNEL_ENABLED_ALGORITHMS_BITSET, 1),
		ts_core_int(GRPC_ARG_ENABLE_HTTP_PROXY, 0),
		ts_core_int(GRPC_ARG_ENABLE_RETRIES, 0),
		/* The pings detect that the other machine vanished while a stream waits. */
		ts_core_int(GRPC_ARG_KEEPALIVE_TIME_MS, 60000),
		ts_core_int(GRPC_ARG_KEEPALIVE_TIMEOUT_MS, 20000),
		{.type = GRPC_ARG_STRING,
		 .key = (char *)(uintptr_t)GRPC_ARG_DEFAULT_AUTHORITY,
		 .value.string = (char *)(uintptr_t) "tscoped"},
	};
	/* The last one would be compared with the name in the server's certificate. */
	grpc_channel_args all = {.num_args = sizeof args / sizeof args[0] - tls, .args = args};

	if (tls)
		return ts_client_tls(client, &all, err);
	credentials = grpc_insecure_credentials_create();
	client->core = grpc_channel_create_from_fd(client->where, fd, credentials, &all);
	grpc_channel_credentials_release(credentials);
	return TS_OK;
}

/* A server that does not answer at all is detected here, not after the time limit of the first long call. */
static enum ts_status probe(struct ts_client *client, struct ts_error *err)
{
	int64_t until = ts_now_mono_ns() + TS_CONNECT_SECONDS * INT64_C(1000000000);
	struct ts_error why;
	struct ts_span reply;
	struct ts_arena arena;
	enum ts_status status;

	client->refused = false;
	ts_arena_init(&arena, 4096);
	status = ts_client_roundtrip(client, TS_HEALTH_PATH "Check", "Check", ts_span_of(NULL, 0), until, &arena,
				     &reply, err);
	ts_arena_finish(&arena);
	if (!status)
		return TS_OK;
	ts_client_disconnect(client);
	why = *err;
	/* It is a tscoped, and its answer says why it accepts no call: it is shutting down, or is full. */
	if (client->refused)
		return ts_error_set(err, why.status, "tscoped at %s: %s", client->where, why.text);
	if (why.status == TS_NO_MEMORY) /* on this side */
		return why.status;
	if (client->address.kind == TS_ADDRESS_SSH)
		return ts_error_set(err, TS_UNAVAILABLE,
				    "ssh reaches %s, but no tscoped answers at %s there; is it running? (%s)",
				    client->address.host, client->address.path, why.text);
	if (client->address.kind == TS_ADDRESS_TLS)
		return ts_error_set(err, TS_UNAVAILABLE,
				    "no tscoped answers over TLS at %s, or its certificate is not signed by a CA of %s, or is not "
				    "for this name%s%s: %s",
				    client->where, client->login.ca ? client->login.ca : "this system (TSCOPE_CA names others)",
				    client->login.cert ? ", or its log says why it refuses " : "",
				    client->login.cert ? client->login.cert : "", why.text);
	return ts_error_set(err, TS_UNAVAILABLE,
			    "the program that listens at %s does not answer like a tscoped "
			    "(%s)",
			    client->where, why.text);
}

/* The socket of a tunnel is there a moment before ssh listens at it. */
static enum ts_status dial(const struct ts_client *client, const struct ts_address *address, int64_t until, int *ret_fd,
			   struct ts_error *err)
{
	enum ts_status status = ts_dial(address, until, ret_fd, err);

	while (client->tunnel && status == TS_UNAVAILABLE && ts_now_mono_ns() < until) {
		(void)poll(NULL, 0, 5);
		status = ts_dial(address, until, ret_fd, err);
	}
	return status;
}

static enum ts_status connect_client(struct ts_client *client, struct ts_error *err)
{
	int64_t until = ts_now_mono_ns() + TS_CONNECT_SECONDS * INT64_C(1000000000);
	struct ts_address address = client->address;
	int fd = -1;

	if (client->tunnel) {
		address.kind = TS_ADDRESS_UNIX;
		(void)snprintf(address.path, sizeof address.path, "%s", ts_tunnel_path(client->tunnel));
	}
	/* With TLS C-core connects, with the first call. */
	if (address.kind != TS_ADDRESS_TLS && dial(client, &address, until, &fd, err)) {
		struct ts_error why = *err;

		return why.status == TS_DENIED
			       ? ts_error_set(err, why.status, "%s: %s", client->where, why.text)
			       : ts_error_set(err, why.status, "no tscoped answers at %s: %s; is it running?", client->where, why.text);
	}
	if (!client->core_up) {
		/* C-core writes to stderr by itself; users who want that set GRPC_VERBOSITY. */
		if (!getenv("GRPC_VERBOSITY"))
			gpr_set_log_function(log_nothing);
		grpc_init();
		client->core_up = true;
		client->queue = grpc_completion_queue_create_for_next(NULL);
	}
	return make_channel(client, fd, err) ? err->status : probe(client, err);
}

enum ts_status ts_client_connect(struct ts_client *client, struct ts_error *err)
{
	enum ts_status status = TS_OK;

	/* From here on they are about this call, and not about the one before. */
	client->begun = client->busy = false;
	if (ts_channel_stopped(&client->base))
		return ts_error_set(err, TS_CANCELLED, "the call was cancelled");
	/* Destroying a channel breaks the calls that still use it. */
	if (client->stale && client->uploads == 0)
		ts_client_disconnect(client);
	if (!client->core)
		status = connect_client(client, err);
	client->begun = false; /* the probe may have been, but not the call */
	return status;
}

enum ts_status ts_client_begin(struct ts_client *client, const char *path, int64_t deadline_ns,
			       grpc_completion_queue *queue, grpc_call **ret_call, struct ts_error *err)
{
	grpc_slice name;

	if (ts_client_connect(client, err))
		return err->status;
	client->begun = true;
	name = grpc_slice_from_copied_string(path);
	*ret_call = grpc_channel_create_call(client->core, NULL, GRPC_PROPAGATE_DEFAULTS, queue ? queue : client->queue,
					     name, NULL, ts_core_deadline(deadline_ns), NULL);
	grpc_slice_unref(name);
	return TS_OK;
}

/* ---- one request, one reply ---- */

bool ts_client_wait(struct ts_client *client, void *tag)
{
	for (;;) {
		grpc_event event = grpc_completion_queue_next(client->queue, gpr_inf_future(GPR_CLOCK_MONOTONIC), NULL);

		if (event.tag == tag)
			return event.success;
	}
}

/* The first of the two headers is the token, and uploads need it while other calls are made: they read the same bytes. */
grpc_op ts_client_headers_op(struct ts_client *client, const struct ts_route_key *key)
{
	grpc_op op = {.op = GRPC_OP_SEND_INITIAL_METADATA};
	bool keyed = key && key->hex[0];

	if (client->bearer[0]) {
		client->headers[0].key = grpc_slice_from_static_string("authorization");
		client->headers[0].value = grpc_slice_from_static_string(client->bearer);
	}
	if (keyed) {
		client->headers[1].key = grpc_slice_from_static_string(TS_ROUTE_HEADER);
		client->headers[1].value = grpc_slice_from_static_string(key->hex);
	}
	op.data.send_initial_metadata.metadata = &client->headers[client->bearer[0] ? 0 : 1];
	op.data.send_initial_metadata.count = (size_t)(client->bearer[0] != 0) + keyed;
	return op;
}

size_t ts_client_request_ops(struct ts_client *client, grpc_op *ops, grpc_byte_buffer *message, grpc_metadata_array *initial)
{
	memset(ops, 0, 4 * sizeof *ops);
	ops[0] = ts_client_headers_op(client, &client->key);
	ops[1].op = GRPC_OP_SEND_MESSAGE;
	ops[1].data.send_message.send_message = message;
	ops[2].op = GRPC_OP_SEND_CLOSE_FROM_CLIENT;
	ops[3].op = GRPC_OP_RECV_INITIAL_METADATA;
	ops[3].data.recv_initial_metadata.recv_initial_metadata = initial;
	return 4;
}

/* Waits for the end of a call; one that nobody waits for any more is cancelled, so that its server stops, too. */
static void wait_or_cancel(struct ts_client *client, grpc_call *call)
{
	bool cancelled = false;

	if (!client->base.stop) {
		(void)ts_client_wait(client, call);
		return;
	}
	for (;;) {
		gpr_timespec soon = ts_core_deadline(ts_now_mono_ns() + STOP_LOOK_NS);
		grpc_event event = grpc_completion_queue_next(client->queue, soon, NULL);

		if (event.type == GRPC_OP_COMPLETE && event.tag == call)
			return;
		if (!cancelled && ts_channel_stopped(&client->base))
			(void)grpc_call_cancel(call, NULL);
		cancelled = ts_channel_stopped(&client->base);
	}
}

/* The status of a call that was cancelled here says nothing of the connection. */
static enum ts_status end_of(struct ts_client *client, const struct ts_client_end *end, const char *method, int64_t deadline_ns,
			     struct ts_error *err)
{
	if (end->code != GRPC_STATUS_CANCELLED || !ts_channel_stopped(&client->base))
		return ts_client_end_status(client, end, method, deadline_ns, err);
	client->refused = client->busy = false;
	return ts_error_set(err, TS_CANCELLED, "the call was cancelled");
}

enum ts_status ts_client_roundtrip(struct ts_client *client, const char *path, const char *method,
				   struct ts_span request, int64_t deadline_ns, struct ts_arena *arena,
				   struct ts_span *ret_reply, struct ts_error *err)
{
	grpc_byte_buffer *message, *reply = NULL;
	grpc_metadata_array initial;
	struct ts_client_end end;
	enum ts_status status;
	grpc_call_error e;
	grpc_call *call;
	grpc_op ops[6];
	size_t n;

	if (ts_client_begin(client, path, deadline_ns, NULL, &call, err))
		return err->status;
	message = ts_core_message(request);
	grpc_metadata_array_init(&initial);
	client->key = ts_route_key(method, request);
	n = ts_client_request_ops(client, ops, message, &initial);
	ops[n] = (grpc_op){.op = GRPC_OP_RECV_MESSAGE};
	ops[n].data.recv_message.recv_message = &reply;
	ts_client_end_init(&end, &ops[n + 1]);
	e = grpc_call_start_batch(call, ops, n + 2, call, NULL);
	if (e == GRPC_CALL_OK) {
		wait_or_cancel(client, call);
		status = end_of(client, &end, method, deadline_ns, err);
	} else {
		status = ts_client_refused(method, e, err);
	}
	if (!status && !reply)
		status = ts_error_set(err, TS_DAMAGED, "%s at %s: no reply came with the status ok", method,
				      client->where);
	if (!status)
		status = ts_client_take(&reply, arena, ret_reply, err);
	if (reply)
		grpc_byte_buffer_destroy(reply);
	ts_client_end_finish(&end);
	grpc_metadata_array_destroy(&initial);
	grpc_byte_buffer_destroy(message);
	grpc_call_unref(call);
	return status;
}
