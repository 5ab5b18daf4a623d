/* find_names.c - FindNames: what words that people typed stand for. */
#include "service/handlers/core/methods.h"
#include "service/handlers/core/resolve.h"

TS_REPLIER(find_reply, ts_find_reply);

enum ts_status ts_handle_find_names(struct ts_call *call, void *state, struct ts_span in, struct ts_error *err)
{
	struct ts_find_request request;
	struct ts_find_reply reply;

	(void)state;
	if (ts_wire_unpack_find_request(in, call->arena, &request, err))
		return err->status;
	if (!request.project.len || ts_span_through(request.project, '/').len)
		return ts_error_set(err, TS_INVALID, "the project of the words is missing, or has a /");
	reply = (struct ts_find_reply){.names = ts_arena_array(call->arena, request.n, sizeof *reply.names), .n = request.n};
	if (!reply.names)
		return ts_arena_error(call->arena, err);
	if (ts_find_names(call, &request, reply.names, err))
		return err->status;
	return reply_find_reply(call, &reply, err);
}
