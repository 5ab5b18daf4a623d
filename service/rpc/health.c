/* health.c - answers grpc.health.v1.Health, which asks whether the server is up.
 *
 * Check is an ordinary handler; Watch is kept open by server_call.c.
 */
#include "service/rpc/server_call.h"

enum ts_status ts_health_service(struct ts_span request, struct ts_arena *arena, struct ts_error *err)
{
	struct ts_span service;

	if (ts_wire_unpack_health_request(request, arena, &service, err))
		return err->status;
	if (service.len == 0 || ts_span_is(service, "tscope.v1.Tscope"))
		return TS_OK;
	return ts_error_set(err, TS_NOT_FOUND, "this server has no such service");
}

static enum ts_status check(struct ts_call *call, void *state, struct ts_span request, struct ts_error *err)
{
	struct ts_buf reply = TS_BUF_INIT(64);
	enum ts_status status;

	(void)state;
	status = ts_health_service(request, call->arena, err);
	if (!status)
		status = ts_wire_pack_health_reply(TS_HEALTH_SERVING, &reply, err);
	if (!status)
		status = call->reply(call, ts_buf_view(&reply), err);
	ts_buf_finish(&reply);
	return status;
}

const struct ts_handler ts_health_check = {.method = "Check", .flags = TS_METHOD_CHEAP, .message = check};
