/* gc.c - CollectGarbage: what no name, log entry or lease reaches goes. */
#include "base/clock.h"
#include "service/handlers/core/methods.h"

TS_REPLIER(gc_reply, ts_sweep_report);

enum ts_status ts_handle_collect_garbage(struct ts_call *call, void *state, struct ts_span in, struct ts_error *err)
{
	struct ts_gc_request request;
	struct ts_sweep_report report;
	int64_t lease_ns;

	(void)state;
	if (ts_wire_unpack_gc_request(in, call->arena, &request, err))
		return err->status;
	lease_ns = (int64_t)(request.has_lease ? request.lease_s : TS_LEASE_SECONDS) * 1000000000;
	if (call->engine->ops->sweep(call->engine, ts_now_real_ns(), lease_ns, request.dry_run, &report, err))
		return err->status;
	return reply_gc_reply(call, &report, err);
}
