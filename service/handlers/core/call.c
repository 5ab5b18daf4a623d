/* call.c - whether a call should go on, and what its caller may do. See handler.h. */
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

enum ts_status ts_call_may_sweep(const struct ts_call *call, uint64_t lease_s, uint64_t removed_s, struct ts_error *err)
{
	uint64_t least_s = call->server->gc_lease_min_s, keep_s = call->server->keep_removed_s;

	if (lease_s < least_s)
		return ts_error_set(err, TS_DENIED,
				    "gc with a lease of %" PRIu64 " s could free objects of pushes that are still under way, and this "
				    "server honours leases for %" PRIu64 " s; leave --lease out, or have its gc-lease-min changed",
				    lease_s, least_s);
	if (least_s && removed_s < keep_s)
		return ts_error_set(err, TS_DENIED,
				    "this server keeps removed names for %" PRIu64 " days, and others may want theirs back; leave "
				    "--removed out, or have the server's keep-removed changed",
				    keep_s / 86400);
	return TS_OK;
}
