#include "service/handlers/core/shared_work.h"

#include "base/door.h"

enum ts_status ts_members_share(const struct ts_call *call, const struct ts_share_work *work, struct ts_error *err)
{
	struct ts_members *members = call->server->members;

	TS_DOOR(work->n <= TS_SHARE_ITEMS);
	if (members && work->n >= TS_SHARE_LEAST)
		return members->share(members, call, work, err);
	for (size_t i = 0; i < work->n; i++) {
		if (ts_call_check(call, err) || work->own(work->ctx, i, err))
			return err->status;
		work->done[i] = true;
	}
	return TS_OK;
}
