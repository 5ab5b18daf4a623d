/* verify.c - Verify: progress while everything is read and hashed again, then the report. */
#include "service/handlers/core/methods.h"

TS_REPLIER(verify_event, ts_verify_event);

enum { PROGRESS_OBJECTS = 1024 }; /* one event for about this many: some 10 ms of hashing */

struct progress {
	struct ts_call *call;
	struct ts_error *err;
	enum ts_status status; /* why the walk was stopped */
	uint64_t last;
};

static bool report(void *ctx, uint64_t done, uint64_t total)
{
	struct progress *p = ctx;
	struct ts_verify_event event = {.done = done, .total = total};

	p->status = ts_call_check(p->call, p->err);
	if (p->status)
		return false;
	if (done - p->last < PROGRESS_OBJECTS)
		return true;
	p->last = done;
	p->status = reply_verify_event(p->call, &event, p->err);
	return !p->status;
}

enum ts_status ts_handle_verify(struct ts_call *call, void *state, struct ts_span in, struct ts_error *err)
{
	struct ts_error stopped;
	struct progress p = {.call = call, .err = &stopped};
	struct ts_verify_event event = {.final = true};

	(void)state;
	(void)in; /* the request has no fields yet */
	if (call->engine->ops->verify(call->engine, report, &p, call->arena, &event.report, err)) {
		if (p.status)
			*err = stopped;
		return err->status;
	}
	event.done = event.total = event.report.objects;
	return reply_verify_event(call, &event, err);
}
