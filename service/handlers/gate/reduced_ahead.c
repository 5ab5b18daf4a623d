#include "service/handlers/gate/reduced_ahead.h"

#include "analysis/analysis.h"
#include "analysis/policy.h"
#include "base/limits.h"

enum ts_status ts_reduced_policy(struct ts_span metric, const struct ts_policy *items, struct ts_arena *arena,
				 struct ts_gate_policy *ret_policy, enum ts_metric *ret_metric, struct ts_error *err)
{
	const char *name = ts_arena_printf(arena, "%.*s", TS_SPAN_ARG(metric));

	ts_gate_policy_default(ret_policy);
	if (!name)
		return ts_arena_error(arena, err);
	if (ts_policy_of_gate(items, arena, ret_policy, err))
		return err->status;
	if (!*name)
		return ts_error_set(err, TS_INVALID, "the request names no metric");
	*ret_metric = ts_gate_policy_only(ret_policy, name);
	return TS_OK;
}

void ts_reduced_ahead_begin(struct ts_reduced_ahead *a, struct ts_fetch *f, const struct ts_reduce_request *request,
			    const struct ts_gate_policy *policy)
{
	const struct ts_members *members = f->call->server->members;

	*a = (struct ts_reduced_ahead){.f = f, .policy = policy, .request = *request};
	a->request.from = members ? members->own : 0;
	a->request.analysis_version = TS_ANALYSIS_VERSION;
	ts_arena_init(&a->arena, TS_ANALYSIS_ARENA);
}

void ts_reduced_ahead_end(struct ts_reduced_ahead *a)
{
	ts_arena_finish(&a->arena);
}

/* --- the work --- */

static enum ts_status put_request(void *ctx, const size_t *items, size_t n, struct ts_buf *out, struct ts_error *err)
{
	struct ts_reduced_ahead *a = ctx;
	struct ts_reduce_request request = a->request;
	struct ts_id ids[TS_SHARE_PART];

	for (size_t i = 0; i < n; i++)
		ids[i] = a->ids[items[i]];
	request.ids = ids;
	request.n = n;
	return ts_wire_pack_reduce_request(&request, out, err);
}

/* Whether it has the series of the policy: a member that knows them by another order is no help. */
static bool has_series(const struct ts_reduced_ahead *a, const struct ts_reduction *r)
{
	bool same = r->n_series == a->policy->n_logged;

	for (size_t i = 0; same && i < r->n_series; i++)
		same = ts_span_is(r->series[i].name, a->policy->logged[i]);
	return same;
}

static void take_run(struct ts_reduced_ahead *a, const struct ts_gate_run *run, bool *done)
{
	for (size_t i = 0; i < a->n; i++) {
		if (done[i] || !ts_id_eq(&a->ids[i], &run->id))
			continue;
		a->runs[i].run.workload = run->workload;
		a->runs[i].run.reduction = run->reduction;
		done[i] = true;
	}
}

static void take_reply(void *ctx, struct ts_span bytes, bool *done, bool *ret_self)
{
	struct ts_reduced_ahead *a = ctx;
	struct ts_span kept = ts_arena_span(&a->arena, bytes);
	struct ts_reduce_reply reply;
	struct ts_error ignored;

	*ret_self = false;
	if (!kept.data || ts_wire_unpack_reduce_reply(kept, &a->arena, &reply, &ignored))
		return;
	*ret_self = reply.self;
	for (size_t i = 0; i < reply.n; i++)
		if (has_series(a, &reply.runs[i].reduction))
			take_run(a, &reply.runs[i], done);
}

static enum ts_status reduce_here(void *ctx, size_t item, struct ts_error *err)
{
	struct ts_reduced_ahead *a = ctx;

	return ts_branch_reduce(a->f, a->policy, &a->arena, &a->runs[item], err);
}

/* --- entry by entry --- */

static enum ts_status read_on(struct ts_reduced_ahead *a, const struct ts_branch_run *entries, size_t from, size_t n,
			      struct ts_error *err)
{
	struct ts_share_work work = {.method = "ReduceRuns", .n = n, .ctx = a, .request = put_request, .take = take_reply,
				     .own = reduce_here};

	ts_arena_reset(&a->arena);
	a->runs = ts_arena_array(&a->arena, n, sizeof *a->runs);
	a->ids = ts_arena_array(&a->arena, n, sizeof *a->ids);
	a->done = ts_arena_array(&a->arena, n, sizeof *a->done);
	if (!a->runs || !a->ids || !a->done)
		return ts_arena_error(&a->arena, err);
	for (size_t i = 0; i < n; i++) {
		a->runs[i] = entries[from + i];
		a->ids[i] = entries[from + i].run.id;
	}
	a->from = from;
	a->n = n;
	work.runs = a->ids;
	work.done = a->done;
	return ts_members_share(a->f->call, &work, err);
}

enum ts_status ts_reduced_ahead_entry(struct ts_reduced_ahead *a, const struct ts_branch_run *entries, size_t n, size_t i,
				      struct ts_arena *arena, struct ts_branch_run *ret_run, struct ts_error *err)
{
	size_t left = n - i < TS_SHARE_ITEMS ? n - i : TS_SHARE_ITEMS;

	*ret_run = entries[i];
	if (!a->request.from || (i >= a->from + a->n && left < TS_SHARE_LEAST))
		return ts_branch_reduce(a->f, a->policy, arena, ret_run, err);
	if (i >= a->from + a->n && read_on(a, entries, i, left, err))
		return err->status;
	*ret_run = a->runs[i - a->from];
	return TS_OK;
}
