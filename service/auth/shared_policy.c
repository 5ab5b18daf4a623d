#include "service/auth/shared_policy.h"

#include "base/alloc.h"

enum { POLICY_ARENA = 1 << 20 };

enum ts_status ts_shared_policy_create(struct ts_shared_policy **ret_policy, struct ts_error *err)
{
	struct ts_shared_policy *policy = ts_alloc_array(1, sizeof *policy);

	if (!policy)
		return ts_error_set(err, TS_NO_MEMORY, "out of memory for the grants");
	ts_arena_init(&policy->arena, POLICY_ARENA);
	atomic_init(&policy->owners, 1);
	*ret_policy = policy;
	return TS_OK;
}

struct ts_shared_policy *ts_shared_policy_hold(struct ts_shared_policy *policy)
{
	if (policy)
		atomic_fetch_add(&policy->owners, 1);
	return policy;
}

void ts_shared_policy_release(struct ts_shared_policy *policy)
{
	if (!policy || atomic_fetch_sub(&policy->owners, 1) > 1)
		return;
	ts_arena_finish(&policy->arena);
	ts_free(policy);
}
