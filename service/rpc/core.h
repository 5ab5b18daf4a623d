/* core.h - conversions between gRPC C-core's types and ours, which client and server share.
 *
 * Only service/rpc includes it. Threads: safe. Allocations are made inside C-core, which aborts the process when there is no
 * memory; they are limited by TS_MESSAGE_MAX.
 */
#ifndef TSCOPE_SERVICE_RPC_CORE_H
#define TSCOPE_SERVICE_RPC_CORE_H

#include "base/span.h"

#include <grpc/grpc.h>

#define TS_SERVICE_PATH "/tscope.v1.Tscope/"
#define TS_REFLECTION_PATH "/grpc.reflection.v1.ServerReflection/"
#define TS_REFLECTION_ALPHA_PATH "/grpc.reflection.v1alpha.ServerReflection/"
#define TS_HEALTH_PATH "/grpc.health.v1.Health/"

/* The metadata key for the word of our own status, which is finer than the gRPC code beside it. */
#define TS_STATUS_KEY "tscope-status"
#define TS_CALL_KEY "tscope-call" /* what the log of the server calls a call that failed */

/* Copies bytes into a message, which the caller destroys. */
grpc_byte_buffer *ts_core_message(struct ts_span bytes);

/* Gets the message in one piece: *ret_slice holds it; the caller releases it by grpc_slice_unref and still owns the buffer. Returns
 * false if the message is compressed, which is never allowed. */
bool ts_core_flatten(grpc_byte_buffer *buffer, grpc_slice *ret_slice);

static inline struct ts_span ts_core_span(const grpc_slice *slice)
{
	return ts_span_of(GRPC_SLICE_START_PTR(*slice), GRPC_SLICE_LENGTH(*slice));
}

/* Makes a channel argument of a number. key must outlive it. */
static inline grpc_arg ts_core_int(const char *key, int value)
{
	grpc_arg arg = {.type = GRPC_ARG_INTEGER, .key = (char *)(uintptr_t)key};

	arg.value.integer = value;
	return arg;
}

/* Convert between gRPC's time and monotonic nanoseconds; INT64_MAX = never. */
int64_t ts_core_deadline_ns(gpr_timespec when);
gpr_timespec ts_core_deadline(int64_t mono_ns);

#endif
