/* mirror.c - Follow: sends a store that follows this one what it lacks. */
#include "service/handlers/core/methods.h"

TS_REPLIER(follow_part, ts_follow_part);

static enum ts_status send(void *ctx, struct ts_span chunk, struct ts_error *err)
{
	struct ts_call *call = ctx;

	if (ts_call_check(call, err))
		return err->status;
	return reply_follow_part(call, &(struct ts_follow_part){chunk}, err);
}

enum ts_status ts_handle_follow(struct ts_call *call, void *state, struct ts_span in, struct ts_error *err)
{
	struct ts_follow_request request;

	(void)state;
	if (ts_wire_unpack_follow_request(in, call->arena, &request, err))
		return err->status;
	return call->engine->ops->mirror(call->engine, request.holds, send, call, err);
}
