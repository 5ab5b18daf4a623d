/* copied.c - see copied.h. */
#include "service/handlers/core/copied.h"

enum ts_status ts_call_copied(const struct ts_call *call, struct ts_copy *ret_copy, struct ts_error *err)
{
	const struct ts_server_facts *server = call->server;
	struct ts_mirrored mirrored;
	enum ts_status status;
	const char *of;

	*ret_copy = (struct ts_copy){.held_ns = 0};
	if (server->leader) {
		ret_copy->of = ts_span_str(server->leader);
		ret_copy->held_ns = atomic_load(server->held_ns);
	}
	if (!server->mirror)
		return TS_OK;
	status = ts_mirrored_get(server->mirror, call->arena, &mirrored, err);
	if (status == TS_DAMAGED) /* whoever reads is told of the damage by what is read, and nothing is written there */
		return TS_OK;
	if (status || !mirrored.of.len)
		return status;
	of = ts_arena_printf(call->arena, "%.*s%s%.*s%s", TS_SPAN_ARG(mirrored.of), mirrored.part.len ? " (" : "",
			     TS_SPAN_ARG(mirrored.part), mirrored.part.len ? ")" : "");
	if (!of)
		return ts_arena_error(call->arena, err);
	*ret_copy = (struct ts_copy){.of = ts_span_str(of), .held_ns = mirrored.held_ns};
	return TS_OK;
}

enum ts_status ts_copy_refuse(const struct ts_copy *copy, struct ts_error *err)
{
	return ts_error_set(err, TS_DENIED, "this store is a read-only copy of %.*s; write there", TS_SPAN_ARG(copy->of));
}
