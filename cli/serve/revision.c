/* revision.c - see revision.h. */
#include "cli/serve/revision.h"

#include "cli/serve/rpc.h"

/* Those of a session that agree on what is used here, the newest first. 2025-03-26 has lists of messages, which are not read. */
static const char *const of_sessions[] = {"2025-11-25", "2025-06-18", "2024-11-05"};
static const char *const of_requests[] = {"2026-07-28"};

static const char *const kept_by_clients[] = {"server/discover", "tools/list", "resources/list", "resources/templates/list",
					      "resources/read"};

enum {
	OF_SESSIONS = sizeof of_sessions / sizeof of_sessions[0],
	OF_REQUESTS = sizeof of_requests / sizeof of_requests[0],
	KEPT = sizeof kept_by_clients / sizeof kept_by_clients[0],
};

enum ts_request_revision ts_request_revision(struct ts_span params, struct ts_arena *arena, struct ts_span *ret_named)
{
	static const char name[] = "io.modelcontextprotocol/protocolVersion";
	struct ts_span meta, value;

	*ret_named = ts_span_of(NULL, 0);
	if (!params.len || !ts_rpc_member(params, "_meta", &meta) || !ts_rpc_member(meta, name, &value))
		return TS_REQUEST_OF_SESSION;
	if (!ts_rpc_text(meta, name, arena, ret_named))
		return TS_REQUEST_NAMES_OTHER;
	for (size_t i = 0; i < OF_REQUESTS; i++)
		if (ts_span_is(*ret_named, of_requests[i]))
			return TS_REQUEST_NAMES_ONE;
	return TS_REQUEST_NAMES_OTHER;
}

const char *ts_revision_of_session(struct ts_span wanted)
{
	for (size_t i = 0; i < OF_SESSIONS; i++)
		if (ts_span_is(wanted, of_sessions[i]))
			return of_sessions[i];
	return of_sessions[0];
}

void ts_revisions_put(struct ts_json *j)
{
	ts_json_array(j);
	for (size_t i = 0; i < OF_REQUESTS; i++)
		ts_json_string(j, of_requests[i]);
	ts_json_end(j);
}

const char *ts_revision_members(struct ts_span method)
{
	for (size_t i = 0; i < KEPT; i++)
		if (ts_span_is(method, kept_by_clients[i]))
			return "\"resultType\":\"complete\",\"ttlMs\":300000,\"cacheScope\":\"private\"";
	return "\"resultType\":\"complete\"";
}
