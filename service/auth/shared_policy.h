/* shared_policy.h - a policy that several own: the server gets another one while calls go on with that which they began with.
 *
 *	ts_shared_policy_create(&policy, err)	one owner; fill in policy->auth, with memory of policy->arena
 *	ts_shared_policy_hold(policy)		one more
 *	ts_shared_policy_release(policy)		the last one frees it
 *
 * Threads: hold and release are safe; from the first hold on nobody changes it.
 */
#ifndef TSCOPE_SERVICE_AUTH_SHARED_POLICY_H
#define TSCOPE_SERVICE_AUTH_SHARED_POLICY_H

#include "base/arena.h"
#include "service/auth/identity.h"

#include <stdatomic.h>

struct ts_shared_policy {
	struct ts_auth_policy auth;
	struct ts_arena arena;
	atomic_uint owners;
};

enum ts_status ts_shared_policy_create(struct ts_shared_policy **ret_policy, struct ts_error *err);
struct ts_shared_policy *ts_shared_policy_hold(struct ts_shared_policy *policy); /* returns it; NULL is allowed */
void ts_shared_policy_release(struct ts_shared_policy *policy);	    /* NULL is allowed */

#endif
