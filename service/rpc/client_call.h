/* client_call.h - the inside of the client: its connection, the begin and end of a call, and a call with one request and one
 * reply. */
#ifndef TSCOPE_SERVICE_RPC_CLIENT_CALL_H
#define TSCOPE_SERVICE_RPC_CLIENT_CALL_H

#include "service/rpc/address.h"
#include "service/rpc/client.h"
#include "service/rpc/route.h"

#include <grpc/grpc.h>

struct ts_tunnel;

enum { TS_CLIENT_WHERE = 400 };

struct ts_client {
	struct ts_channel base; /* must be first: a channel is cast to its client */
	struct ts_address address;
	struct ts_client_login login;
	char bearer[128]; /* the value of the header of a token; empty = none is sent */
	grpc_metadata headers[2]; /* made of it, and of the key, for the batches that are open */
	struct ts_route_key key;  /* of the call with one request that is made now, for balancers */
	struct ts_tunnel *tunnel;
	bool core_up;		/* grpc_init was called */
	grpc_channel *core;	/* NULL = not connected */
	bool stale;		/* the connection broke, or the server is going away: connect again before the next call */
	bool refused;		/* the last call failed, and the status came from a tscoped itself */
	bool busy;		/* the last call was not begun, because others have the server: trying again later helps */
	bool begun;		/* the last call reached a connection, so the server may have done what it asks */
	unsigned uploads;	/* how many uploads are open on the connection */
	grpc_completion_queue *queue; /* for unary calls and downloads */
	char where[TS_CLIENT_WHERE];
};

/* The status that the server sent at the end of a call. */
struct ts_client_end {
	grpc_status_code code;
	grpc_slice details;
	grpc_metadata_array trailing;
};

/* ts_client_end_init prepares the op that receives the status; ts_client_end_finish frees it once the batch is done. */
void ts_client_end_init(struct ts_client_end *end, grpc_op *op);
void ts_client_end_finish(struct ts_client_end *end);
/* Returns TS_OK, or the handler's status and text. It notes in client->stale when the connection is gone. deadline_ns is the
 * call's, monotonic. */
enum ts_status ts_client_end_status(struct ts_client *client, const struct ts_client_end *end, const char *method,
				    int64_t deadline_ns, struct ts_error *err);

/* Connects the client if it is not connected; begun and busy are of the call that is about to begin then. TS_CANCELLED: it was
 * stopped. */
enum ts_status ts_client_connect(struct ts_client *client, struct ts_error *err);
void ts_client_disconnect(struct ts_client *client);
/* Connects the client if needed and begins a call. deadline_ns is monotonic; queue NULL = the client's own queue. */
enum ts_status ts_client_begin(struct ts_client *client, const char *path, int64_t deadline_ns,
			       grpc_completion_queue *queue, grpc_call **ret_call, struct ts_error *err);
/* Sets the error for a batch that C-core refuses, which is a bug in tscope. */
enum ts_status ts_client_refused(const char *method, grpc_call_error e, struct ts_error *err);
/* Copies a received message into the arena, destroys the buffer and sets *buffer to NULL. */
enum ts_status ts_client_take(grpc_byte_buffer **buffer, struct ts_arena *arena, struct ts_span *ret_bytes,
			      struct ts_error *err);

/* Fills in the ops that send one request and returns how many there are; ops has room for four. */
size_t ts_client_request_ops(struct ts_client *client, grpc_op *ops, grpc_byte_buffer *message, grpc_metadata_array *initial);
/* The op that sends the headers, with the token if the client has one, and the key (NULL: none), which must outlive it. */
grpc_op ts_client_headers_op(struct ts_client *client, const struct ts_route_key *key);
/* Takes events from the client's queue until the one with this tag; returns whether that operation succeeded. */
bool ts_client_wait(struct ts_client *client, void *tag);
enum ts_status ts_client_roundtrip(struct ts_client *client, const char *path, const char *method,
				   struct ts_span request, int64_t deadline_ns, struct ts_arena *arena,
				   struct ts_span *ret_reply, struct ts_error *err);

/* client_tls.c: makes client->core. TS_INVALID, TS_NOT_FOUND: a file of the login is not what it should be. */
enum ts_status ts_client_tls(struct ts_client *client, const grpc_channel_args *args, struct ts_error *err);

/* client_upload.c */
enum ts_status ts_client_upload_open(struct ts_channel *ch, const char *method, struct ts_upload **ret_upload,
				     struct ts_error *err);
enum ts_status ts_client_upload_send(struct ts_upload *upload, struct ts_span message, struct ts_error *err);
enum ts_status ts_client_upload_finish(struct ts_upload *upload, struct ts_arena *arena, struct ts_span *ret_reply,
				       struct ts_error *err);
void ts_client_upload_cancel(struct ts_upload *upload);

#endif
