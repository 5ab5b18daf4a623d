/* reflection.c - answers grpc.reflection.v1 and v1alpha, by which grpcurl and its like learn the methods and messages. */
#include "base/limits.h"
#include "proto/reflection.h"
#include "service/rpc/server_call.h"

static enum ts_status reflect(struct ts_call *call, void *state, struct ts_span in, struct ts_error *err)
{
	struct ts_buf reply = TS_BUF_INIT(TS_MESSAGE_MAX);
	struct ts_reflection_request request;
	enum ts_status status;

	(void)state;
	status = ts_wire_unpack_reflection_request(in, call->arena, &request, err);
	if (!status)
		status = ts_wire_pack_reflection_reply(&request, &reply, err);
	if (!status)
		status = call->reply(call, ts_buf_view(&reply), err);
	ts_buf_finish(&reply);
	return status;
}

const struct ts_handler ts_reflection = {.method = "ServerReflectionInfo",
					 .needs = TS_AUTH_READ,
					 .lane = TS_LANE_WRITE, /* it may wait for its client, as an upload */
					 .flags = TS_METHOD_STREAM_UP | TS_METHOD_STREAM_DOWN,
					 .message = reflect};
