#include "service/members.h"

#include "base/alloc.h"
#include "base/limits.h"
#include "base/system.h"
#include "service/member.h"
#include "service/rpc/address_list.h"

struct members {
	struct ts_members base; /* must be first: members are cast to it */
	struct ts_members_options options;
	struct ts_address_list list;
	size_t n;
	struct ts_member all[TS_ROUTE_SERVERS];
	struct ts_budget budget; /* of jobs: they may outlive the budget of their call */
};

/* --- whose an item is --- */

/* The member that the run belongs to; NULL: this server. */
static struct ts_member *home_of(struct members *m, const struct ts_id *run)
{
	const struct ts_route_key key = ts_route_key_of(run);
	size_t order[TS_ROUTE_SERVERS];

	ts_route_order(m->list.at, m->n, &key, order);
	for (size_t i = 0; i < m->n; i++) {
		struct ts_member *member = &m->all[order[i]];

		if (atomic_load(&member->self))
			return NULL;
		if (!ts_member_is_away(member))
			return member;
	}
	return NULL;
}

/* --- a job --- */

static enum ts_status add_part(struct ts_member_job *job, const struct ts_share_work *work, struct ts_member *member,
			       const size_t *items, size_t n, struct ts_error *err)
{
	struct ts_member_part *part = &job->parts[job->n_parts];
	struct ts_buf request = TS_BUF_INIT(TS_MESSAGE_MAX);
	enum ts_status status = work->request(work->ctx, items, n, &request, err);

	*part = (struct ts_member_part){.job = job, .member = member, .items = items, .n = n,
					.request = ts_arena_span(&job->arena, ts_buf_view(&request))};
	ts_buf_finish(&request);
	if (!status && !part->request.data)
		status = ts_arena_error(&job->arena, err);
	if (status)
		return status;
	ts_arena_init(&part->arena, TS_CALL_ARENA);
	job->n_parts++;
	return TS_OK;
}

/* Cuts the items of each member into parts; homes has the home of each item. */
static enum ts_status cut(struct members *m, struct ts_member_job *job, const struct ts_share_work *work, struct ts_member **homes,
			  struct ts_error *err)
{
	size_t *items = ts_arena_array(&job->arena, work->n, sizeof *items), at = 0;

	job->parts = ts_arena_array(&job->arena, work->n, sizeof *job->parts);
	if (!items || !job->parts)
		return ts_arena_error(&job->arena, err);
	for (size_t k = 0; k < m->n; k++) {
		size_t from = at;

		for (size_t i = 0; i < work->n; i++)
			if (homes[i] == &m->all[k])
				items[at++] = i;
		for (; from < at; from += TS_SHARE_PART)
			if (add_part(job, work, &m->all[k], items + from, at - from < TS_SHARE_PART ? at - from : TS_SHARE_PART, err))
				return err->status;
	}
	return TS_OK;
}

static enum ts_status make_job(struct members *m, const struct ts_call *call, const struct ts_share_work *work,
			       struct ts_member **homes, struct ts_member_job **ret_job, struct ts_error *err)
{
	struct ts_arena arena;
	struct ts_member_job *job;

	ts_arena_init(&arena, TS_CALL_ARENA);
	job = ts_arena_array(&arena, 1, sizeof *job);
	if (!job) {
		(void)ts_arena_error(&arena, err);
		ts_arena_finish(&arena);
		return err->status;
	}
	*job = (struct ts_member_job){.refs = 1, .method = work->method, .deadline_ns = call->deadline_ns, .arena = arena};
	pthread_mutex_init(&job->mutex, NULL);
	if (cut(m, job, work, homes, err)) {
		ts_member_job_release(job);
		return err->status;
	}
	*ret_job = job;
	return TS_OK;
}

/* Gives each part to its member. From here on other threads have them. */
static void give_parts(struct ts_member_job *job)
{
	job->refs += job->n_parts;
	for (size_t i = 0; i < job->n_parts; i++)
		ts_member_give(job->parts[i].member, &job->parts[i]);
}

static void end_job(struct ts_member_job *job)
{
	atomic_store(&job->over, true);
	ts_member_job_release(job);
}

/* --- what is done here --- */

static enum ts_status do_item(const struct ts_call *call, const struct ts_share_work *work, size_t item, struct ts_error *err)
{
	if (work->done[item])
		return TS_OK;
	if (ts_call_check(call, err) || work->own(work->ctx, item, err))
		return err->status;
	work->done[item] = true;
	return TS_OK;
}

/* Takes the answer of a part, if it is there and was not taken. */
static void take_answer(struct ts_member_part *part, const struct ts_share_work *work)
{
	size_t before = 0, after = 0;
	bool self;

	if (!ts_member_part_move(part, TS_PART_ANSWERED, TS_PART_TAKEN))
		return;
	for (size_t i = 0; i < part->n; i++)
		before += work->done[part->items[i]];
	work->take(work->ctx, part->answer, work->done, &self);
	for (size_t i = 0; i < part->n; i++)
		after += work->done[part->items[i]];
	atomic_fetch_add(&part->member->items, after - before);
	if (self)
		atomic_store(&part->member->self, true);
}

/* Does the items of a part that no answer has, as long as none comes. */
static enum ts_status do_part(const struct ts_call *call, const struct ts_share_work *work, struct ts_member_part *part,
			      struct ts_error *err)
{
	for (size_t i = 0; i < part->n; i++) {
		take_answer(part, work);
		if (do_item(call, work, part->items[i], err))
			return err->status;
	}
	return TS_OK;
}

/* This server's own items, then what no member has begun, then the rest. */
static enum ts_status do_job(const struct ts_call *call, const struct ts_share_work *work, struct ts_member **homes,
			     struct ts_member_job *job, struct ts_error *err)
{
	for (size_t i = 0; i < work->n; i++)
		if (!homes[i] && do_item(call, work, i, err))
			return err->status;
	for (size_t i = job->n_parts; i-- > 0;)
		if (ts_member_part_move(&job->parts[i], TS_PART_WAITS, TS_PART_TAKEN) && do_part(call, work, &job->parts[i], err))
			return err->status;
	for (size_t i = 0; i < job->n_parts; i++)
		if (do_part(call, work, &job->parts[i], err))
			return err->status;
	return TS_OK;
}

static enum ts_status share(struct ts_members *members, const struct ts_call *call, const struct ts_share_work *work,
			    struct ts_error *err)
{
	struct members *m = (struct members *)members;
	struct ts_member *homes[TS_SHARE_ITEMS];
	struct ts_budget *before;
	struct ts_member_job *job = NULL;
	enum ts_status status;

	for (size_t i = 0; i < work->n; i++)
		homes[i] = home_of(m, &work->runs[i]);
	before = ts_budget_enter(&m->budget);
	status = make_job(m, call, work, homes, &job, err);
	(void)ts_budget_enter(before);
	if (status)
		return status;
	give_parts(job);
	status = do_job(call, work, homes, job, err);
	end_job(job);
	return status;
}

/* --- start and end --- */

enum ts_status ts_members_start(const struct ts_members_options *options, struct ts_members **ret_members, struct ts_error *err)
{
	struct members *m = ts_alloc_array(1, sizeof *m);

	if (!m)
		return ts_error_set(err, TS_NO_MEMORY, "out of memory for the members");
	m->base = (struct ts_members){.share = share};
	m->options = *options;
	ts_budget_init(&m->budget, NULL, "members", 0, 0);
	if (ts_system_random(&m->base.own, sizeof m->base.own, err) || ts_address_list_parse(options->addresses, &m->list, err)) {
		ts_free(m);
		return ts_error_prefix(err, "members");
	}
	m->base.own |= 1; /* 0 is no number */
	for (; m->n < m->list.n; m->n++) {
		if (ts_span_starts(ts_span_str(m->list.at[m->n]), ts_span_str("ssh:")))
			(void)ts_error_set(err, TS_INVALID, "members: a server starts no ssh; name tls:HOST:PORT or unix:PATH");
		else if (!ts_member_start(&m->all[m->n], m->list.at[m->n], &m->options, err))
			continue;
		(void)ts_members_stop(&m->base);
		return err->status;
	}
	*ret_members = &m->base;
	return TS_OK;
}

bool ts_members_look(const struct ts_members *members, size_t i, struct ts_member_state *ret_state)
{
	const struct members *m = (const struct members *)members;

	if (!m || i >= m->n)
		return false;
	*ret_state = (struct ts_member_state){.address = m->all[i].address, .self = atomic_load(&m->all[i].self),
					      .items = atomic_load(&m->all[i].items), .failures = atomic_load(&m->all[i].failures)};
	return true;
}

bool ts_members_stop(struct ts_members *members)
{
	struct members *m = (struct members *)members;
	bool ended = true;

	for (size_t i = 0; m && i < m->n; i++)
		ended &= ts_member_stop(&m->all[i]);
	if (ended)
		ts_free(m);
	return ended;
}
