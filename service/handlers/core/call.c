/* call.c - whether a call should go on. See handler.h. */
#include "service/handlers/core/handler.h"

#include "base/clock.h"

enum ts_status ts_call_check(const struct ts_call *call, struct ts_error *err)
{
	if (call->deadline_ns != INT64_MAX && ts_now_mono_ns() >= call->deadline_ns)
		return ts_error_set(err, TS_DEADLINE, "the time given for this call is over");
	if (call->cancelled && call->cancelled(call))
		return ts_error_set(err, TS_CANCELLED, "the call was cancelled");
	return TS_OK;
}
