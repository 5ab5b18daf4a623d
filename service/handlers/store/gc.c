/* gc.c - CollectGarbage: what no name, log entry or lease reaches goes, and runs without metrics get them. */
#include "base/clock.h"
#include "base/limits.h"
#include "service/handlers/core/each_ref.h"
#include "service/handlers/core/methods.h"
#include "service/handlers/core/scores.h"

TS_REPLIER(gc_reply, ts_gc_reply);

enum { TOGETHER = 256, WAITING_MAX = 8 << 20, SECONDS_MAX = 1000000000 /* 31 years */ };

/* Runs whose scores were made and wait to be kept, so that many are written at once. */
struct scoring {
	struct ts_fetch f;
	struct ts_arena arena; /* of their extracts */
	struct ts_extracts runs[TOGETHER];
	size_t n;
	uint64_t scored;
};

/* An engine that cannot keep them says no: they are made again when they are asked for. */
static void keep(struct scoring *s)
{
	struct ts_engine *engine = s->f.call->engine;
	struct ts_error ignored;

	if (s->n && !engine->ops->extracts_put(engine, s->runs, s->n, &ignored))
		s->scored += s->n;
	s->n = 0;
	ts_arena_reset(&s->arena);
}

static bool waits(const struct scoring *s, const struct ts_id *id)
{
	for (size_t i = 0; i < s->n; i++)
		if (ts_id_eq(&s->runs[i].id, id))
			return true;
	return false;
}

static enum ts_status make(struct scoring *s, const struct ts_id *id, struct ts_extract **ret_extracts, size_t *ret_n,
			   struct ts_error *err)
{
	struct ts_scores scores;
	struct ts_arena arena;
	struct ts_run run;
	enum ts_status status;

	ts_arena_init(&arena, TS_ANALYSIS_ARENA);
	status = ts_run_open(&s->f, id, &arena, &run, err);
	if (!status)
		status = ts_scores_make(&s->f, &run, &arena, &scores, err);
	if (!status)
		status = ts_scores_extracts(&scores, &s->arena, ret_extracts, ret_n, err);
	ts_arena_finish(&arena);
	return status;
}

/* A ts_ref_visit: makes the scores of one run that has none. A run that cannot be read gets none; verify says why. */
static enum ts_status score(void *ctx, const struct ts_ref *ref, bool *ret_enough, struct ts_error *err)
{
	const struct ts_id *id = &ref->id;
	struct scoring *s = ctx;
	struct ts_extract *extracts;
	struct ts_error why;
	bool has = false;
	size_t n;

	(void)ret_enough;
	if (ts_scores_kept(&s->f, id, &has, err))
		return err->status;
	if (has || waits(s, id))
		return TS_OK;
	if (make(s, id, &extracts, &n, &why))
		return ts_call_check(s->f.call, err);
	s->runs[s->n++] = (struct ts_extracts){*id, extracts, n};
	if (s->n == TOGETHER || s->arena.used > WAITING_MAX)
		keep(s);
	return TS_OK;
}

static enum ts_status score_all(struct ts_call *call, uint64_t *ret_scored, struct ts_error *err)
{
	static const enum ts_ref_kind kinds[] = {TS_REF_RUN, TS_REF_TAG, TS_REF_BRANCH};
	struct scoring *s = ts_arena_array(call->arena, 1, sizeof *s);
	enum ts_status status = TS_OK;

	if (!s)
		return ts_arena_error(call->arena, err);
	ts_fetch_init(&s->f, call);
	ts_arena_init(&s->arena, TS_ANALYSIS_ARENA);
	for (size_t i = 0; i < sizeof kinds / sizeof kinds[0] && !status; i++)
		status = ts_each_ref(call, call->engine, kinds[i], ts_span_of(NULL, 0), TS_ORDER_NAME, score, s, err);
	if (!status)
		keep(s);
	*ret_scored = s->scored;
	ts_arena_finish(&s->arena);
	ts_fetch_finish(&s->f);
	return status;
}

static int64_t ns_of(uint64_t seconds)
{
	return (int64_t)(seconds < SECONDS_MAX ? seconds : SECONDS_MAX) * 1000000000;
}

enum ts_status ts_handle_collect_garbage(struct ts_call *call, void *state, struct ts_span in, struct ts_error *err)
{
	struct ts_gc_request request;
	struct ts_gc_reply reply = {.scored = 0};
	struct ts_sweep_clock clock;
	struct ts_sweep_options options = {.now_ns = ts_now_real_ns(), .clock = &clock};
	uint64_t lease_s, removed_s;

	(void)state;
	if (ts_wire_unpack_gc_request(in, call->arena, &request, err))
		return err->status;
	lease_s = request.has_lease ? request.lease_s : TS_LEASE_SECONDS;
	removed_s = request.has_removed ? request.removed_s : call->server->keep_removed_s;
	if (!request.dry_run && ts_call_may_sweep(call, lease_s, removed_s, err))
		return err->status;
	ts_sweep_clock_read(call->server->gc_lease_min_s == 0, &clock);
	options.lease_ns = ns_of(lease_s);
	options.removed_ns = ns_of(removed_s);
	options.dry_run = request.dry_run;
	if (call->engine->ops->sweep(call->engine, &options, &reply.swept, err))
		return err->status;
	if (!request.dry_run && score_all(call, &reply.scored, err))
		return err->status;
	return reply_gc_reply(call, &reply, err);
}
