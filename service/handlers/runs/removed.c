/* removed.c - ListRemoved, RestoreRef: the names that were removed, and how one of them comes back. */
#include "service/handlers/core/methods.h"
#include "service/handlers/core/resolve.h"

TS_REPLIER(removed_reply, ts_removed_reply);
TS_REPLIER(restore_reply, ts_restore_reply);

enum ts_status ts_handle_list_removed(struct ts_call *call, void *state, struct ts_span in, struct ts_error *err)
{
	int64_t keep_ns = (int64_t)call->server->keep_removed_s * 1000000000;
	struct ts_removed_reply reply = {.n = 0};
	struct ts_removed_request request;
	struct ts_removed_query query;
	struct ts_removed_name *names;

	(void)state;
	if (ts_wire_unpack_removed_request(in, call->arena, &request, err))
		return err->status;
	query = (struct ts_removed_query){.prefix = request.prefix, .limit = request.limit ? request.limit : TS_REMOVED_MAX};
	query.limit = query.limit < TS_REMOVED_MAX ? query.limit : TS_REMOVED_MAX;
	if (call->engine->ops->removed_list(call->engine, &query, call->arena, &names, &reply.n, &reply.more, err))
		return err->status;
	reply.removed = ts_arena_array(call->arena, reply.n, sizeof *reply.removed);
	if (!reply.removed)
		return ts_arena_error(call->arena, err);
	for (size_t i = 0; i < reply.n; i++)
		reply.removed[i] = (struct ts_removed_ref){.was = names[i], .expires_ns = names[i].removed_ns + keep_ns};
	return reply_removed_reply(call, &reply, err);
}

/* How many entries are missing in the log of a branch, if it is there. */
static enum ts_status missing_entries(struct ts_call *call, const struct ts_restore_request *request, uint64_t *ret_n,
				      struct ts_error *err)
{
	struct ts_pruned pruned;

	*ret_n = 0;
	if (request->kind != TS_REF_BRANCH)
		return TS_OK;
	if (call->engine->ops->log_pruned(call->engine, request->kind, request->name, call->arena, &pruned, err))
		return err->status == TS_NOT_FOUND ? TS_OK : err->status;
	*ret_n = pruned.entries;
	return TS_OK;
}

enum ts_status ts_handle_restore_ref(struct ts_call *call, void *state, struct ts_span in, struct ts_error *err)
{
	struct ts_restore_request request;
	struct ts_restore_reply reply = {.entries = 0};
	uint64_t before, after;

	(void)state;
	if (ts_wire_unpack_restore_request(in, call->arena, &request, err) || ts_name_check(request.name, err) ||
	    (request.as.len && ts_name_new_check(request.as, err)))
		return err->status;
	if (request.kind == TS_REF_STAGE)
		return ts_error_set(err, TS_INVALID, "a stage is not kept when it is removed; push its ranks again");
	if (missing_entries(call, &request, &before, err) ||
	    call->engine->ops->ref_restore(call->engine, request.kind, request.name, request.as, call->arena, &reply.ref, err) ||
	    missing_entries(call, &request, &after, err))
		return err->status;
	reply.entries = before > after ? before - after : 0;
	return reply_restore_reply(call, &reply, err);
}
