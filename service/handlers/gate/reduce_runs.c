/* reduce_runs.c - ReduceRuns: what another server of the same store, which was asked for a trend, needs of some runs (shared_work.h).
 *
 * It asks no member. What cannot be reduced, or may not be read, is left out: whoever asks does it itself, and finds out why.
 */
#include "analysis/analysis.h"
#include "base/limits.h"
#include "service/handlers/core/methods.h"
#include "service/handlers/gate/reduced_ahead.h"

TS_REPLIER(reduce_reply, ts_reduce_reply);

static enum ts_status add_run(struct ts_fetch *f, const struct ts_id *id, const struct ts_gate_policy *policy, struct ts_arena *arena,
			      struct ts_reduce_reply *io, struct ts_error *err)
{
	struct ts_gate_run run = {.role = TS_GATE_CANDIDATE, .id = *id};
	struct ts_error unread;
	bool sees;

	if (ts_call_check(f->call, err) || ts_call_sees(f->call, id, &sees, err))
		return err->status;
	if (sees && !ts_logged_reduce(f, id, policy, arena, &run, &unread))
		io->runs[io->n++] = run;
	return TS_OK;
}

static enum ts_status answer(struct ts_fetch *f, const struct ts_reduce_request *request, struct ts_arena *arena,
			     struct ts_reduce_reply *ret_reply, struct ts_error *err)
{
	struct ts_reduce_reply reply = {.runs = ts_arena_array(arena, request->n, sizeof *reply.runs)};
	const struct ts_members *members = f->call->server->members;
	struct ts_gate_policy policy;
	enum ts_metric metric;

	if (!reply.runs)
		return ts_arena_error(arena, err);
	reply.self = members && members->own == request->from;
	if (request->analysis_version != TS_ANALYSIS_VERSION)
		return ts_error_set(err, TS_UNSUPPORTED, "this server reduces runs by analysis version %u, and %u was asked for",
				    (unsigned)TS_ANALYSIS_VERSION, (unsigned)request->analysis_version);
	if (ts_reduced_policy(request->metric, &request->policy, arena, &policy, &metric, err))
		return err->status;
	for (size_t i = 0; !reply.self && i < request->n; i++)
		if (add_run(f, &request->ids[i], &policy, arena, &reply, err))
			return err->status;
	*ret_reply = reply;
	return TS_OK;
}

enum ts_status ts_handle_reduce_runs(struct ts_call *call, void *state, struct ts_span in, struct ts_error *err)
{
	struct ts_reduce_request request;
	struct ts_reduce_reply reply;
	struct ts_arena arena;
	struct ts_fetch f;
	enum ts_status status;

	(void)state;
	if (ts_wire_unpack_reduce_request(in, call->arena, &request, err))
		return err->status;
	ts_arena_init(&arena, TS_ANALYSIS_ARENA);
	ts_fetch_init(&f, call);
	status = answer(&f, &request, &arena, &reply, err);
	if (!status)
		status = reply_reduce_reply(call, &reply, err);
	ts_fetch_finish(&f);
	ts_arena_finish(&arena);
	return status;
}
