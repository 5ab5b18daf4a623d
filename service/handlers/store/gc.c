/* gc.c - CollectGarbage: what no name, log entry or lease reaches goes, and runs without metrics get them. */
#include "base/clock.h"
#include "base/limits.h"
#include "service/handlers/core/methods.h"
#include "service/handlers/core/scores.h"

TS_REPLIER(gc_reply, ts_gc_reply);

enum { PAGE = 256 };

/* Makes the scores of one run that has none. A run that cannot be read gets none; verify says why. */
static enum ts_status score(struct ts_fetch *f, const struct ts_id *id, uint64_t *io_scored, struct ts_error *err)
{
	struct ts_error why;
	struct ts_arena arena;
	struct ts_run run;
	enum ts_status status;
	bool has = false, made = false;

	if (ts_scores_kept(f, id, &has, err))
		return err->status;
	if (has)
		return TS_OK;
	ts_arena_init(&arena, TS_ANALYSIS_ARENA);
	status = ts_run_open(f, id, &arena, &run, &why);
	if (!status)
		status = ts_scores_keep(f, &run, &made, &why);
	ts_arena_finish(&arena);
	*io_scored += made;
	return status ? ts_call_check(f->call, err) : TS_OK;
}

/* Goes through the names of one kind; pages has room for one page after the other. */
static enum ts_status score_kind(struct ts_fetch *f, enum ts_ref_kind kind, struct ts_arena pages[2], uint64_t *io_scored,
				 struct ts_error *err)
{
	struct ts_engine *engine = f->call->engine;
	struct ts_ref_query query = {.kind = kind, .order = TS_ORDER_NAME, .limit = PAGE};
	int turn = 0;

	do {
		struct ts_ref *refs;
		struct ts_span next;
		size_t n;

		turn = !turn;
		ts_arena_reset(&pages[turn]); /* the token of the page before is in the other */
		if (ts_call_check(f->call, err) || engine->ops->ref_list(engine, &query, &pages[turn], &refs, &n, &next, err))
			return err->status;
		for (size_t i = 0; i < n; i++)
			if (score(f, &refs[i].id, io_scored, err))
				return err->status;
		query.after = next;
	} while (query.after.len);
	return TS_OK;
}

static enum ts_status score_all(struct ts_call *call, uint64_t *io_scored, struct ts_error *err)
{
	static const enum ts_ref_kind kinds[] = {TS_REF_RUN, TS_REF_TAG, TS_REF_BRANCH};
	struct ts_arena pages[2];
	enum ts_status status = TS_OK;
	struct ts_fetch f;

	ts_fetch_init(&f, call);
	ts_arena_init(&pages[0], TS_CALL_ARENA);
	ts_arena_init(&pages[1], TS_CALL_ARENA);
	for (size_t i = 0; i < sizeof kinds / sizeof kinds[0] && !status; i++)
		status = score_kind(&f, kinds[i], pages, io_scored, err);
	ts_arena_finish(&pages[0]);
	ts_arena_finish(&pages[1]);
	ts_fetch_finish(&f);
	return status;
}

enum ts_status ts_handle_collect_garbage(struct ts_call *call, void *state, struct ts_span in, struct ts_error *err)
{
	struct ts_gc_request request;
	struct ts_gc_reply reply = {.scored = 0};
	int64_t lease_ns;

	(void)state;
	if (ts_wire_unpack_gc_request(in, call->arena, &request, err))
		return err->status;
	lease_ns = (int64_t)(request.has_lease ? request.lease_s : TS_LEASE_SECONDS) * 1000000000;
	if (call->engine->ops->sweep(call->engine, ts_now_real_ns(), lease_ns, request.dry_run, &reply.swept, err))
		return err->status;
	if (!request.dry_run && score_all(call, &reply.scored, err))
		return err->status;
	return reply_gc_reply(call, &reply, err);
}
