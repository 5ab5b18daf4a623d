/* client_upload.c - sends a stream of messages to a server, as a push does: the caller packs the next ones while a
 * thread sends those before.
 *
 * C-core moves bytes only while somebody waits on the queue, and takes one message at a time.
 *
 *	open ──► send... ──► finish	the ring holds at most TS_UPLOAD_AHEAD messages; send blocks while it is full
 *
 * Under the mutex: the ring, what is outstanding, and starting batches. No batch is started once the status has come
 * (`over`), so that the queue can be shut down then. The status may come at any time: a server refuses early.
 */
#include "service/rpc/client_call.h"

#include "base/alloc.h"
#include "base/clock.h"
#include "base/held.h"
#include "base/limits.h"
#include "base/system.h"
#include "service/rpc/core.h"

#include <grpc/byte_buffer.h>
#include <pthread.h>
#include <stdio.h>

struct ts_upload {
	struct ts_client *client;
	char method[64];
	grpc_call *call;
	grpc_completion_queue *queue;
	pthread_t thread;

	pthread_mutex_t mutex;
	pthread_cond_t changed; /* ts_system_cond_init */
	grpc_byte_buffer *ring[TS_UPLOAD_AHEAD];
	size_t first, n;
	bool sending;	/* a message, or the end of the stream, is being sent */
	bool complete;	/* the caller has sent everything */
	bool end_sent;
	bool over;	/* the status has arrived */

	grpc_byte_buffer *outgoing, *reply;
	grpc_metadata_array initial;
	struct ts_client_end end;
};

/* The caller holds the mutex. */
static void start_send(struct ts_upload *upload, grpc_op *op)
{
	TS_DOOR_HELD(&upload->mutex);
	upload->sending = grpc_call_start_batch(upload->call, op, 1, &upload->sending, NULL) == GRPC_CALL_OK;
	if (!upload->sending)
		(void)grpc_call_cancel(upload->call, NULL); /* the status then arrives and reports it */
}

/* The caller holds the mutex. Sends what can be sent now. */
static void push_on(struct ts_upload *upload)
{
	TS_DOOR_HELD(&upload->mutex);
	grpc_op op = {.op = GRPC_OP_SEND_MESSAGE};

	if (upload->sending || upload->over)
		return;
	if (upload->n > 0) {
		upload->outgoing = upload->ring[upload->first];
		upload->first = (upload->first + 1) % TS_UPLOAD_AHEAD;
		upload->n--;
		op.data.send_message.send_message = upload->outgoing;
		start_send(upload, &op);
	} else if (upload->complete && !upload->end_sent) {
		upload->end_sent = true;
		op = (grpc_op){.op = GRPC_OP_SEND_CLOSE_FROM_CLIENT};
		start_send(upload, &op);
	}
}

static void on_event(struct ts_upload *upload, void *tag)
{
	pthread_mutex_lock(&upload->mutex);
	if (tag == &upload->sending) {
		upload->sending = false;
		if (upload->outgoing)
			grpc_byte_buffer_destroy(upload->outgoing);
		upload->outgoing = NULL;
	} else if (tag == &upload->over) {
		upload->over = true;
	}
	push_on(upload);
	pthread_cond_broadcast(&upload->changed);
	pthread_mutex_unlock(&upload->mutex);
}

static void *pump(void *arg)
{
	struct ts_upload *upload = arg;

	for (;;) {
		grpc_event event = grpc_completion_queue_next(upload->queue, gpr_inf_future(GPR_CLOCK_MONOTONIC), NULL);

		if (event.type == GRPC_QUEUE_SHUTDOWN)
			return NULL;
		if (event.type == GRPC_OP_COMPLETE)
			on_event(upload, event.tag);
	}
}

/* ---- starting and ending an upload ---- */

/* The status must have arrived, or nothing must have been started. */
static void destroy(struct ts_upload *upload, bool pumping)
{
	upload->client->uploads--;
	grpc_completion_queue_shutdown(upload->queue);
	if (pumping)
		pthread_join(upload->thread, NULL);
	else
		(void)pump(upload);
	for (; upload->n > 0; upload->n--) {
		grpc_byte_buffer_destroy(upload->ring[upload->first]);
		upload->first = (upload->first + 1) % TS_UPLOAD_AHEAD;
	}
	if (upload->outgoing)
		grpc_byte_buffer_destroy(upload->outgoing);
	if (upload->reply)
		grpc_byte_buffer_destroy(upload->reply);
	ts_client_end_finish(&upload->end);
	grpc_metadata_array_destroy(&upload->initial);
	if (upload->call)
		grpc_call_unref(upload->call);
	grpc_completion_queue_destroy(upload->queue);
	pthread_cond_destroy(&upload->changed);
	pthread_mutex_destroy(&upload->mutex);
	ts_free(upload);
}

static struct ts_upload *new_upload(struct ts_client *client, const char *method)
{
	struct ts_upload *upload = ts_alloc_array(1, sizeof *upload);

	if (!upload)
		return NULL;
	upload->client = client;
	client->uploads++;
	(void)snprintf(upload->method, sizeof upload->method, "%s", method);
	pthread_mutex_init(&upload->mutex, NULL);
	ts_system_cond_init(&upload->changed);
	upload->queue = grpc_completion_queue_create_for_next(NULL);
	return upload;
}

/* Starts two batches: one for the headers, and one for what the server sends. */
static enum ts_status start_call(struct ts_upload *upload, grpc_op *end_op, struct ts_error *err)
{
	grpc_op headers = ts_client_headers_op(upload->client, NULL);
	grpc_op back[3] = {{.op = GRPC_OP_RECV_INITIAL_METADATA}, {.op = GRPC_OP_RECV_MESSAGE}, *end_op};
	grpc_call_error e;

	back[0].data.recv_initial_metadata.recv_initial_metadata = &upload->initial;
	back[1].data.recv_message.recv_message = &upload->reply;
	e = grpc_call_start_batch(upload->call, back, 3, &upload->over, NULL);
	if (e == GRPC_CALL_OK) {
		e = grpc_call_start_batch(upload->call, &headers, 1, &upload->sending, NULL);
		upload->sending = e == GRPC_CALL_OK;
		if (!upload->sending)
			(void)grpc_call_cancel(upload->call, NULL);
	}
	return e == GRPC_CALL_OK ? TS_OK : ts_client_refused(upload->method, e, err);
}

enum ts_status ts_client_upload_open(struct ts_channel *ch, const char *method, struct ts_upload **ret_upload,
				     struct ts_error *err)
{
	struct ts_client *client = (struct ts_client *)ch;
	struct ts_upload *upload;
	char path[96];
	grpc_op end_op;
	int errnum;

	(void)snprintf(path, sizeof path, "%s%.64s", TS_SERVICE_PATH, method);
	/* The client connects first if necessary: queues exist only while C-core runs. */
	if (ts_client_connect(client, err))
		return err->status;
	upload = new_upload(client, method);
	if (!upload)
		return ts_error_set(err, TS_NO_MEMORY, "out of memory for an upload");
	grpc_metadata_array_init(&upload->initial);
	ts_client_end_init(&upload->end, &end_op);
	if (ts_client_begin(client, path, INT64_MAX, upload->queue, &upload->call, err) ||
	    start_call(upload, &end_op, err)) {
		destroy(upload, false);
		return err->status;
	}
	errnum = pthread_create(&upload->thread, NULL, pump, upload);
	if (errnum) {
		ts_error_errno(err, errnum, "start a sending thread");
		(void)grpc_call_cancel(upload->call, NULL);
		upload->over = true;
		destroy(upload, false);
		return err->status;
	}
	*ret_upload = upload;
	return TS_OK;
}

/* The caller holds the mutex. Waits for the status; the call is cancelled after limit_s. */
static bool wait_over(struct ts_upload *upload, int64_t limit_s)
{
	int64_t limit_ns = ts_now_mono_ns() + limit_s * 1000000000;
	struct timespec limit = ts_system_cond_limit(limit_ns);
	bool late = false;

	TS_DOOR_HELD(&upload->mutex);
	while (!upload->over) {
		if (late)
			pthread_cond_wait(&upload->changed, &upload->mutex);
		else if (pthread_cond_timedwait(&upload->changed, &upload->mutex, &limit) != 0) {
			late = true;
			(void)grpc_call_cancel(upload->call, NULL);
		}
	}
	return !late;
}

/* The caller holds the mutex. Waits for room in the ring, or for the status. Returns false when the server accepts no
 * more messages. */
static bool wait_room(struct ts_upload *upload)
{
	int64_t limit_ns = ts_now_mono_ns() + TS_STALL_SECONDS * INT64_C(1000000000);
	struct timespec limit = ts_system_cond_limit(limit_ns);

	TS_DOOR_HELD(&upload->mutex);
	while (!upload->over && upload->n == TS_UPLOAD_AHEAD) {
		if (pthread_cond_timedwait(&upload->changed, &upload->mutex, &limit) != 0)
			return false;
	}
	return true;
}

enum ts_status ts_client_upload_send(struct ts_upload *upload, struct ts_span message, struct ts_error *err)
{
	enum ts_status status = TS_OK;

	if (message.len > TS_MESSAGE_MAX)
		return ts_error_set(err, TS_TOO_LARGE, "the message has %zu bytes, and the limit is %d", message.len, TS_MESSAGE_MAX);
	pthread_mutex_lock(&upload->mutex);
	if (!wait_room(upload)) {
		status = ts_error_set(err, TS_DEADLINE, "tscoped at %s has accepted no data of %s for %d s", upload->client->where,
				      upload->method, TS_STALL_SECONDS);
	} else if (upload->over) {
		status = ts_client_end_status(upload->client, &upload->end, upload->method, INT64_MAX, err);
		if (!status)
			status = ts_error_set(err, TS_DAMAGED, "tscoped at %s ended %s before it was complete",
					      upload->client->where, upload->method);
	} else {
		upload->ring[(upload->first + upload->n) % TS_UPLOAD_AHEAD] = ts_core_message(message);
		upload->n++;
		push_on(upload);
	}
	pthread_mutex_unlock(&upload->mutex);
	return status;
}

enum ts_status ts_client_upload_finish(struct ts_upload *upload, struct ts_arena *arena, struct ts_span *ret_reply,
				       struct ts_error *err)
{
	enum ts_status status;
	bool in_time;

	pthread_mutex_lock(&upload->mutex);
	upload->complete = true;
	push_on(upload);
	in_time = wait_over(upload, TS_LONG_CALL_SECONDS);
	pthread_mutex_unlock(&upload->mutex);
	status = ts_client_end_status(upload->client, &upload->end, upload->method, INT64_MAX, err);
	if (!in_time)
		status = ts_error_set(err, TS_DEADLINE, "tscoped at %s has not answered %s within %d s", upload->client->where,
				      upload->method, TS_LONG_CALL_SECONDS);
	if (!status && !upload->reply)
		status = ts_error_set(err, TS_DAMAGED, "%s at %s: no reply came with the status ok", upload->method,
				      upload->client->where);
	if (!status)
		status = ts_client_take(&upload->reply, arena, ret_reply, err);
	destroy(upload, true);
	return status;
}

void ts_client_upload_cancel(struct ts_upload *upload)
{
	if (!upload)
		return;
	(void)grpc_call_cancel(upload->call, NULL);
	pthread_mutex_lock(&upload->mutex);
	(void)wait_over(upload, TS_STALL_SECONDS);
	pthread_mutex_unlock(&upload->mutex);
	destroy(upload, true);
}
