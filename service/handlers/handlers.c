/* handlers.c - the table of methods. */
#include "service/handlers/core/methods.h"

/* A new method stands last: the first byte of a call of fuzz_handlers is its place here. HasObjects is in the lane of writes because
 * it renews leases. */
static const struct ts_handler rows[] = {
	{.method = "ServerInfo", .needs = TS_AUTH_READ, .flags = TS_METHOD_CHEAP, .message = ts_handle_server_info},
	{.method = "HasObjects", .needs = TS_AUTH_READ, .lane = TS_LANE_WRITE,
	 .message = ts_handle_has_objects, .quick = ts_quick_has_objects},
	{.method = "PutObjects",
	 .needs = TS_AUTH_PUSH,
	 .lane = TS_LANE_WRITE,
	 .flags = TS_METHOD_STREAM_UP | TS_METHOD_WRITES,
	 .open = ts_put_open,
	 .message = ts_handle_put_objects,
	 .close = ts_put_close,
	 .drop = ts_put_drop},
	{.method = "CommitRun", .needs = TS_AUTH_PUSH, .lane = TS_LANE_WRITE,
	 .flags = TS_METHOD_WRITES, .message = ts_handle_commit_run},
	{.method = "UpdateRef", .needs = TS_AUTH_PUSH, .lane = TS_LANE_WRITE,
	 .flags = TS_METHOD_WRITES, .message = ts_handle_update_ref},
	{.method = "RefLog", .needs = TS_AUTH_READ, .message = ts_handle_ref_log},
	{.method = "FindNames", .needs = TS_AUTH_READ, .message = ts_handle_find_names},
	{.method = "SetNote", .needs = TS_AUTH_PUSH, .lane = TS_LANE_WRITE, .flags = TS_METHOD_WRITES, .message = ts_handle_set_note},
	{.method = "ListRuns", .needs = TS_AUTH_READ, .message = ts_handle_list_runs},
	{.method = "GetRun", .needs = TS_AUTH_READ, .message = ts_handle_get_run},
	{.method = "GetObjects", .needs = TS_AUTH_READ, .lane = TS_LANE_DOWN,
	 .flags = TS_METHOD_STREAM_DOWN, .message = ts_handle_get_objects},
	{.method = "Analyze", .needs = TS_AUTH_READ, .lane = TS_LANE_LONG, .message = ts_handle_analyze},
	{.method = "Diff", .needs = TS_AUTH_READ, .lane = TS_LANE_LONG, .message = ts_handle_diff},
	{.method = "DiffMatrix", .needs = TS_AUTH_READ, .lane = TS_LANE_LONG, .message = ts_handle_diff_matrix},
	{.method = "CheckResume", .needs = TS_AUTH_READ, .lane = TS_LANE_LONG, .message = ts_handle_check_resume},
	{.method = "Gate", .needs = TS_AUTH_READ, .lane = TS_LANE_LONG, .message = ts_handle_gate},
	{.method = "Baseline", .needs = TS_AUTH_READ, .lane = TS_LANE_LONG, .message = ts_handle_baseline},
	{.method = "Trend", .needs = TS_AUTH_READ, .lane = TS_LANE_LONG, .message = ts_handle_trend},
	{.method = "Verify", .needs = TS_AUTH_ADMIN, .lane = TS_LANE_LONG, .flags = TS_METHOD_STREAM_DOWN, .message = ts_handle_verify},
	{.method = "CollectGarbage", .needs = TS_AUTH_ADMIN, .lane = TS_LANE_LONG,
	 .flags = TS_METHOD_WRITES, .message = ts_handle_collect_garbage},
	{.method = "Chart", .needs = TS_AUTH_READ, .lane = TS_LANE_LONG, .message = ts_handle_chart},
	{.method = "ListRemoved", .needs = TS_AUTH_READ, .message = ts_handle_list_removed},
	{.method = "RestoreRef", .needs = TS_AUTH_PUSH, .lane = TS_LANE_WRITE,
	 .flags = TS_METHOD_WRITES, .message = ts_handle_restore_ref},
	{.method = "MakeToken", .needs = TS_AUTH_ADMIN, .lane = TS_LANE_WRITE,
	 .flags = TS_METHOD_WRITES, .message = ts_handle_make_token},
	{.method = "ListTokens", .needs = TS_AUTH_ADMIN, .message = ts_handle_list_tokens},
	{.method = "RevokeToken", .needs = TS_AUTH_ADMIN, .lane = TS_LANE_WRITE,
	 .flags = TS_METHOD_WRITES, .message = ts_handle_revoke_token},
	{.method = "GetUsage", .needs = TS_AUTH_READ, .message = ts_handle_get_usage},
	{.method = "Retain", .needs = TS_AUTH_ADMIN, .lane = TS_LANE_LONG, .flags = TS_METHOD_WRITES, .message = ts_handle_retain},
	{.method = "Follow", .needs = TS_AUTH_ADMIN, .lane = TS_LANE_DOWN, .flags = TS_METHOD_STREAM_DOWN, .message = ts_handle_follow},
	{.method = "ReduceRuns", .needs = TS_AUTH_READ, .lane = TS_LANE_LONG, .message = ts_handle_reduce_runs},
};

enum { METHODS = sizeof rows / sizeof rows[0] };

const struct ts_handler *ts_handlers(size_t *ret_n)
{
	*ret_n = METHODS;
	return rows;
}

const struct ts_handler *ts_handler_find(struct ts_span method)
{
	for (size_t i = 0; i < METHODS; i++)
		if (ts_span_is(method, rows[i].method))
			return &rows[i];
	return NULL;
}
