/* shared_work.h - the other servers of a store: how a call that was asked of one of them has each do a share of the work.
 *
 *	ts_members_share(call, &work, err)	each item of the work is done, by `own` or by `take`
 *
 * Work is a number of items, each about one run. What an item comes to does not depend on who does it, so an answer has the same bytes
 * whoever did what. An item belongs to the member that rendezvous hashing of its run says (service/rpc/route.h), so that its blocks are
 * in the cache of one member. The items of a member are sent in parts, one after another, by ordinary calls of a method which does them
 * and asks nobody. Meanwhile the server that was asked does its own items, then those that no member has begun, then also those that a
 * member has begun and not answered. So nobody waits for a member: one that is away, slow, older or refuses takes as long as none.
 *
 * Who is not a member of several, or has only few items, does all of them itself. Nothing is sent but ids of runs that the caller of
 * the call may read, and no member is told who that is: an answer is given to the server that asks, by whose token members may read.
 * Threads: ts_members_share is safe; functions of the work are called by the thread of the call alone.
 */
#ifndef TSCOPE_SERVICE_HANDLERS_CORE_SHARED_WORK_H
#define TSCOPE_SERVICE_HANDLERS_CORE_SHARED_WORK_H

#include "service/handlers/core/handler.h"

/* What one call asks of all items together; fewer than TS_SHARE_LEAST are not worth the calls. */
enum { TS_SHARE_LEAST = 32, TS_SHARE_ITEMS = 256, TS_SHARE_PART = 16 };

struct ts_share_work {
	const char *method;	  /* that members are asked */
	const struct ts_id *runs; /* of the items */
	size_t n;		  /* of items, at most TS_SHARE_ITEMS */
	bool *done;		  /* of each item; false at first, and all true at the end */
	void *ctx;
	/* Appends the request for these items. */
	enum ts_status (*request)(void *ctx, const size_t *items, size_t n, struct ts_buf *out, struct ts_error *err);
	/* Takes from an answer what is not done, and marks it as done. An answer that is no good, or lacks items, takes less. *ret_self
	 * is whether the answer says that the member is the server that asks. */
	void (*take)(void *ctx, struct ts_span reply, bool *done, bool *ret_self);
	/* Does one item here. */
	enum ts_status (*own)(void *ctx, size_t item, struct ts_error *err);
};

/* How members are reached; service/members.h is the one that there is. */
struct ts_members {
	uint64_t own; /* a number that this server has from its start on: a request with it comes from this server itself */
	enum ts_status (*share)(struct ts_members *members, const struct ts_call *call, const struct ts_share_work *work,
				struct ts_error *err);
};

enum ts_status ts_members_share(const struct ts_call *call, const struct ts_share_work *work, struct ts_error *err);

#endif
