/* info.c - ServerInfo: who answers here and how much it keeps. */
#include "proto/capability.h"
#include "run/kind.h"
#include "service/handlers/core/copied.h"
#include "service/handlers/core/methods.h"

TS_REPLIER(info_reply, ts_info_reply);

enum ts_status ts_handle_server_info(struct ts_call *call, void *state, struct ts_span in, struct ts_error *err)
{
	struct ts_buf may = TS_BUF_INIT(4000);
	struct ts_info_reply reply = {
		.version = ts_span_str(call->server->version),
		.format_version = TS_FORMAT_VERSION,
		.store = ts_span_str(call->server->store),
		.started_ns = call->server->started_ns,
		.read_only = call->server->read_only,
		.capabilities = ts_span_str(ts_capability_names()),
	};

	enum ts_status status;

	(void)state;
	(void)in; /* the request has no fields yet */
	status = ts_call_copied(call, &reply.copy, err);
	reply.read_only = reply.read_only || reply.copy.of.len > 0;
	if (!status)
		status = call->engine->ops->stats(call->engine, &reply.stats, err);
	if (!status && call->who) {
		ts_identity_print(call->who, &may);
		reply.who = ts_span_str(call->who->name);
		reply.may = ts_buf_view(&may);
		if (call->who->token && call->who->token->expires_ns != INT64_MAX)
			reply.token_expires_ns = call->who->token->expires_ns;
	}
	if (!status)
		status = reply_info_reply(call, &reply, err);
	ts_buf_finish(&may);
	return status;
}
