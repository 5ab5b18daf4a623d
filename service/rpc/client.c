#include "service/rpc/client.h"

#include "base/alloc.h"
#include "base/clock.h"
#include "base/limits.h"
#include "service/rpc/client_call.h"
#include "service/rpc/core.h"
#include "service/rpc/tunnel.h"

#include <grpc/byte_buffer.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

static bool is_long(const char *method)
{
	static const char *const names[] = {"Analyze", "Chart", "Diff", "DiffMatrix", "Verify", "CollectGarbage"};

	for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
		if (strcmp(method, names[i]) == 0)
			return true;
	}
	return false;
}

/* A call that the server did not begin is made again after 0.1, 0.2, ... and 3.2 s, if its time limit allows. */
enum { BUSY_TRIES = 6 };

static bool wait_while_busy(const struct ts_client *client, int tried, int64_t until_ns)
{
	int64_t wait_ns = INT64_C(100000000) << tried;
	struct timespec wait = {.tv_sec = wait_ns / 1000000000, .tv_nsec = wait_ns % 1000000000};

	if (!client->busy || tried == BUSY_TRIES || (until_ns != INT64_MAX && ts_now_mono_ns() >= until_ns - wait_ns))
		return false;
	(void)nanosleep(&wait, NULL);
	return true;
}

static enum ts_status check_request(const char *method, struct ts_span request, char path[96], struct ts_error *err)
{
	if (request.len > TS_MESSAGE_MAX)
		return ts_error_set(err, TS_TOO_LARGE, "the request has %zu bytes, and the limit is %d", request.len, TS_MESSAGE_MAX);
	if (snprintf(path, 96, "%s%s", TS_SERVICE_PATH, method) >= 96)
		return ts_error_set(err, TS_INVALID, "no method has such a long name");
	return TS_OK;
}

enum ts_status ts_client_call(struct ts_channel *channel, const char *method, struct ts_span request, int64_t limit_ns,
			      struct ts_arena *arena, struct ts_span *ret_reply, struct ts_error *err)
{
	struct ts_client *client = (struct ts_client *)channel;
	enum ts_status status;
	int64_t until_ns;
	char path[96];
	int tried = 0;

	if (check_request(method, request, path, err))
		return err->status;
	if (!limit_ns)
		limit_ns = (is_long(method) ? TS_LONG_CALL_SECONDS : TS_CALL_SECONDS) * INT64_C(1000000000);
	until_ns = ts_now_mono_ns() + limit_ns;
	do
		status = ts_client_roundtrip(client, path, method, request, until_ns, arena, ret_reply, err);
	while (status && wait_while_busy(client, tried++, until_ns));
	return status;
}

static enum ts_status client_call(struct ts_channel *ch, const char *method, struct ts_span request, struct ts_arena *arena,
				  struct ts_span *ret_reply, struct ts_error *err)
{
	return ts_client_call(ch, method, request, 0, arena, ret_reply, err);
}

/* ---- a stream from the server ---- */

static enum ts_status give(grpc_byte_buffer **buffer, ts_message_fn *fn, void *ctx, struct ts_error *err)
{
	enum ts_status status;
	grpc_slice bytes;
	bool flat = ts_core_flatten(*buffer, &bytes);

	grpc_byte_buffer_destroy(*buffer);
	*buffer = NULL;
	if (!flat)
		return ts_error_set(err, TS_DAMAGED, "the server sent a compressed message, which tscope does not read");
	status = fn(ctx, ts_core_span(&bytes), err);
	grpc_slice_unref(bytes);
	return status;
}

/* Receives messages until the stream ends or fn needs no more. */
static enum ts_status receive_all(struct ts_client *client, grpc_call *call, const char *method, ts_message_fn *fn,
				  void *ctx, struct ts_error *err)
{
	grpc_byte_buffer *message = NULL;
	grpc_op op = {.op = GRPC_OP_RECV_MESSAGE};
	grpc_call_error e;

	op.data.recv_message.recv_message = &message;
	for (;;) {
		e = grpc_call_start_batch(call, &op, 1, &message, NULL);
		if (e != GRPC_CALL_OK)
			return ts_client_refused(method, e, err);
		(void)ts_client_wait(client, &message);
		if (!message)
			return TS_OK;
		if (give(&message, fn, ctx, err))
			return err->status;
	}
}

static enum ts_status run_download(struct ts_client *client, grpc_call *call, const char *method, struct ts_span request,
				   ts_message_fn *fn, void *ctx, struct ts_error *err)
{
	grpc_byte_buffer *message = ts_core_message(request);
	grpc_metadata_array initial;
	struct ts_client_end end;
	enum ts_status status, told;
	struct ts_error end_err;
	grpc_call_error e;
	grpc_op ops[5];
	size_t n;

	grpc_metadata_array_init(&initial);
	client->key = ts_route_key(method, request);
	n = ts_client_request_ops(client, ops, message, &initial);
	ts_client_end_init(&end, &ops[n]);
	/* The status comes last, so that events of messages can be received while this batch is open. */
	e = grpc_call_start_batch(call, ops, n, &initial, NULL);
	if (e == GRPC_CALL_OK) {
		(void)ts_client_wait(client, &initial);
		status = receive_all(client, call, method, fn, ctx, err);
		if (status)
			(void)grpc_call_cancel(call, NULL);
		e = grpc_call_start_batch(call, &ops[n], 1, &end, NULL);
	}
	if (e == GRPC_CALL_OK) {
		(void)ts_client_wait(client, &end);
		told = ts_client_end_status(client, &end, method, INT64_MAX, &end_err);
		if (!status && told) {
			*err = end_err;
			status = told;
		}
	} else {
		status = ts_client_refused(method, e, err);
	}
	ts_client_end_finish(&end);
	grpc_metadata_array_destroy(&initial);
	grpc_byte_buffer_destroy(message);
	return status;
}

static enum ts_status client_download(struct ts_channel *ch, const char *method, struct ts_span request, ts_message_fn *fn,
				      void *ctx, struct ts_error *err)
{
	struct ts_client *client = (struct ts_client *)ch;
	enum ts_status status;
	grpc_call *call;
	char path[96];
	int tried = 0;

	if (check_request(method, request, path, err))
		return err->status;
	do {
		if (ts_client_begin(client, path, INT64_MAX, NULL, &call, err))
			return err->status;
		status = run_download(client, call, method, request, fn, ctx, err);
		grpc_call_unref(call);
	} while (status && wait_while_busy(client, tried++, INT64_MAX));
	return status;
}

/* ---- the channel ---- */

static void client_destroy(struct ts_channel *ch)
{
	struct ts_client *client = (struct ts_client *)ch;

	ts_client_disconnect(client);
	if (client->queue) {
		grpc_completion_queue_shutdown(client->queue);
		while (grpc_completion_queue_next(client->queue, gpr_inf_future(GPR_CLOCK_MONOTONIC), NULL).type !=
		       GRPC_QUEUE_SHUTDOWN)
			continue;
		grpc_completion_queue_destroy(client->queue);
	}
	if (client->core_up)
		grpc_shutdown_blocking();
	ts_tunnel_close(client->tunnel);
	ts_free(client);
}

static const struct ts_channel_ops client_ops = {
	.call = client_call,
	.upload_open = ts_client_upload_open,
	.upload_send = ts_client_upload_send,
	.upload_finish = ts_client_upload_finish,
	.upload_cancel = ts_client_upload_cancel,
	.download = client_download,
	.destroy = client_destroy,
};

enum ts_status ts_client_open(const char *address, const struct ts_client_login *login, struct ts_channel **ret_channel,
			      struct ts_error *err)
{
	struct ts_client *client = ts_alloc_array(1, sizeof *client);

	if (!client)
		return ts_error_set(err, TS_NO_MEMORY, "out of memory for a channel");
	client->base = (struct ts_channel){.ops = &client_ops, .where = client->where};
	if (login)
		client->login = *login;
	if (ts_address_parse(address, &client->address, err)) {
		client_destroy(&client->base);
		return err->status;
	}
	if (client->address.kind == TS_ADDRESS_UNIX)
		(void)snprintf(client->where, sizeof client->where, "unix:%s", client->address.path);
	else
		(void)snprintf(client->where, sizeof client->where, "%s", address);
	if (client->login.token && client->address.kind != TS_ADDRESS_TCP)
		(void)snprintf(client->bearer, sizeof client->bearer, "Bearer %s", client->login.token);
	if (client->address.kind == TS_ADDRESS_SSH && ts_tunnel_open(&client->address, &client->tunnel, err)) {
		client_destroy(&client->base);
		return err->status;
	}
	if (ts_client_connect(client, err)) {
		client_destroy(&client->base);
		return err->status;
	}
	*ret_channel = &client->base;
	return TS_OK;
}
