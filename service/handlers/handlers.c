/* handlers.c - the table of methods. */
#include "service/handlers/core/methods.h"

/* A new method stands last: the first byte of a call of fuzz_handlers is its place here. */
static const struct ts_handler rows[] = {
	{.method = "ServerInfo", .flags = TS_METHOD_CHEAP, .message = ts_handle_server_info},
	{.method = "HasObjects", .message = ts_handle_has_objects, .quick = ts_quick_has_objects},
	{.method = "PutObjects",
	 .flags = TS_METHOD_STREAM_UP | TS_METHOD_WRITES,
	 .open = ts_put_open,
	 .message = ts_handle_put_objects,
	 .close = ts_put_close,
	 .drop = ts_put_drop},
	{.method = "CommitRun", .flags = TS_METHOD_WRITES, .message = ts_handle_commit_run},
	{.method = "UpdateRef", .flags = TS_METHOD_WRITES, .message = ts_handle_update_ref},
	{.method = "RefLog", .message = ts_handle_ref_log},
	{.method = "SetNote", .flags = TS_METHOD_WRITES, .message = ts_handle_set_note},
	{.method = "ListRuns", .message = ts_handle_list_runs},
	{.method = "GetRun", .message = ts_handle_get_run},
	{.method = "GetObjects", .flags = TS_METHOD_STREAM_DOWN, .message = ts_handle_get_objects},
	{.method = "Analyze", .message = ts_handle_analyze},
	{.method = "Diff", .message = ts_handle_diff},
	{.method = "DiffMatrix", .message = ts_handle_diff_matrix},
	{.method = "CheckResume", .message = ts_handle_check_resume},
	{.method = "Gate", .message = ts_handle_gate},
	{.method = "Baseline", .message = ts_handle_baseline},
	{.method = "Trend", .message = ts_handle_trend},
	{.method = "Verify", .flags = TS_METHOD_STREAM_DOWN, .message = ts_handle_verify},
	{.method = "CollectGarbage", .flags = TS_METHOD_WRITES, .message = ts_handle_collect_garbage},
	{.method = "Chart", .message = ts_handle_chart},
	{.method = "ListRemoved", .message = ts_handle_list_removed},
	{.method = "RestoreRef", .flags = TS_METHOD_WRITES, .message = ts_handle_restore_ref},
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
