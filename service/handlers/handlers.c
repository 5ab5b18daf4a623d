/* handlers.c - the table of methods. */
#include "base/clock.h"
#include "service/handlers/methods.h"

static const struct ts_handler rows[] = {
	{"ServerInfo", TS_METHOD_CHEAP, NULL, ts_handle_server_info, NULL, NULL},
	{"HasObjects", 0, NULL, ts_handle_has_objects, NULL, NULL},
	{"PutObjects", TS_METHOD_STREAM_UP | TS_METHOD_WRITES, ts_put_open, ts_handle_put_objects, ts_put_close,
	 ts_put_drop},
	{"CommitRun", TS_METHOD_WRITES, NULL, ts_handle_commit_run, NULL, NULL},
	{"UpdateRef", TS_METHOD_WRITES, NULL, ts_handle_update_ref, NULL, NULL},
	{"RefLog", 0, NULL, ts_handle_ref_log, NULL, NULL},
	{"SetNote", TS_METHOD_WRITES, NULL, ts_handle_set_note, NULL, NULL},
	{"ListRuns", 0, NULL, ts_handle_list_runs, NULL, NULL},
	{"GetRun", 0, NULL, ts_handle_get_run, NULL, NULL},
	{"GetObjects", TS_METHOD_STREAM_DOWN, NULL, ts_handle_get_objects, NULL, NULL},
	{"Analyze", 0, NULL, ts_handle_analyze, NULL, NULL},
	{"Diff", 0, NULL, ts_handle_diff, NULL, NULL},
	{"Verify", TS_METHOD_STREAM_DOWN, NULL, ts_handle_verify, NULL, NULL},
	{"CollectGarbage", TS_METHOD_WRITES, NULL, ts_handle_collect_garbage, NULL, NULL},
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

enum ts_status ts_call_check(const struct ts_call *call, struct ts_error *err)
{
	if (call->deadline_ns != INT64_MAX && ts_now_mono_ns() >= call->deadline_ns)
		return ts_error_set(err, TS_DEADLINE, "the time given for this call is over");
	if (call->cancelled && call->cancelled(call))
		return ts_error_set(err, TS_CANCELLED, "the call was cancelled");
	return TS_OK;
}
