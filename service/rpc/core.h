/* core.h - the few conversions between gRPC C-core's types and ours that client and server share.
 *
 * Included only inside service/rpc. Threads: safe. Functions that allocate do it inside C-core, which aborts when there is
 * no memory; what they allocate is bounded by TS_MESSAGE_MAX.
 */
#ifndef TSCOPE_SERVICE_RPC_CORE_H
#define TSCOPE_SERVICE_RPC_CORE_H

#include "base/span.h"

#include <grpc/grpc.h>

#define TS_SERVICE_PATH "/tscope.v1.Tscope/"
#define TS_HEALTH_PATH "/grpc.health.v1.Health/"

/* What the receiver is told beside the gRPC code: the word of our own status, which is finer. */
#define TS_STATUS_KEY "tscope-status"

/* A copy of bytes as a message. The caller destroys it. */
grpc_byte_buffer *ts_core_message(struct ts_span bytes);

/* The message in one piece: *ret_slice holds it and is released by grpc_slice_unref. False when it is compressed, which
 * we never allow. The buffer still is the caller's. */
bool ts_core_flatten(grpc_byte_buffer *buffer, grpc_slice *ret_slice);

static inline struct ts_span ts_core_span(const grpc_slice *slice)
{
	return ts_span_of(GRPC_SLICE_START_PTR(*slice), GRPC_SLICE_LENGTH(*slice));
}

/* A number as a channel argument. key outlives it. */
static inline grpc_arg ts_core_int(const char *key, int value)
{
	grpc_arg arg = {.type = GRPC_ARG_INTEGER, .key = (char *)(uintptr_t)key};

	arg.value.integer = value;
	return arg;
}

/* Monotonic nanoseconds; INT64_MAX = never. */
int64_t ts_core_deadline_ns(gpr_timespec when);
gpr_timespec ts_core_deadline(int64_t mono_ns);

#endif
