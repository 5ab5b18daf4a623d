/* info.c - ServerInfo: who answers here and how much it keeps. */
#include "run/kind.h"
#include "service/handlers/core/methods.h"

TS_REPLIER(info_reply, ts_info_reply);

enum ts_status ts_handle_server_info(struct ts_call *call, void *state, struct ts_span in, struct ts_error *err)
{
	struct ts_info_reply reply = {
		.version = ts_span_str(call->server->version),
		.format_version = TS_FORMAT_VERSION,
		.store = ts_span_str(call->server->store),
		.started_ns = call->server->started_ns,
		.read_only = call->server->read_only,
	};

	(void)state;
	(void)in; /* the request has no fields yet */
	if (call->engine->ops->stats(call->engine, &reply.stats, err))
		return err->status;
	return reply_info_reply(call, &reply, err);
}
