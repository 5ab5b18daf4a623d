/* commit.c - the CommitRun method: once all objects are there, a name points at them.
 *
 * naming.h has the rule, join.h puts ranks together.
 */
#include "base/clock.h"
#include "base/limits.h"
#include "service/handlers/core/fit.h"
#include "service/handlers/core/methods.h"
#include "service/handlers/core/resolve.h"
#include "service/handlers/core/run_ending.h"
#include "service/handlers/core/summary.h"
#include "service/handlers/runs/join.h"
#include "service/handlers/runs/naming.h"
#include "service/handlers/runs/stage_ranks.h"

TS_REPLIER(commit_reply, ts_commit_reply);

struct commit {
	struct ts_call *call;
	struct ts_fetch *f;
	const struct ts_commit_request *request;
	struct ts_span message; /* for the log: with a join, also which ranks whose are */
};

static enum ts_status check_request(const struct ts_commit_request *r, struct ts_error *err)
{
	if (ts_name_new_check(r->name, err))
		return err->status;
	if (r->branch.len && ts_name_new_check(r->branch, err))
		return ts_error_prefix(err, "branch");
	if (r->expose && !r->join)
		return ts_error_set(err, TS_INVALID, "expose can only be used with join");
	return ts_run_state_check(r->state, err);
}

static enum ts_status check_rows(struct commit *c, const struct ts_run *run, struct ts_error *err)
{
	return ts_quota_check_rows(c->call->server->quotas, c->request->name, ts_run_count_rows(run), err);
}

/* Checks that the objects below the head are what it says. A run that the name has was checked before. */
static enum ts_status check_objects(struct commit *c, const struct ts_run *run, struct ts_error *err)
{
	struct ts_arena arena;
	enum ts_status status;
	struct ts_ref ref;
	bool found = false;

	ts_arena_init(&arena, TS_CALL_ARENA);
	status = ts_ref_find(c->call->engine, TS_REF_RUN, c->request->name, &arena, &ref, &found, err);
	found = found && ts_id_eq(&ref.id, &run->id);
	ts_arena_finish(&arena);
	if (status || found)
		return status;
	return check_rows(c, run, err) ? err->status : ts_run_fits(c->f, run, false, NULL, err);
}

/* Checks that the head and its indexes are present and canonical. If not, the sender made an error, and our store is not damaged. What
 * is missing was not sent, or a gc with a short lease freed it: it must be sent again. */
static enum ts_status open_sent(struct commit *c, struct ts_arena *arena, struct ts_run *ret_run, struct ts_error *err)
{
	char hex[TS_ID_HEX + 1];
	bool present;

	if (c->call->engine->ops->has_many(c->call->engine, &c->request->head, 1, &present, err))
		return err->status;
	if (!present)
		return ts_error_set(err, TS_NOT_FOUND, "the store does not have the head %s; its objects must be sent first",
				    ts_id_hex(&c->request->head, hex));
	if (ts_call_proves(c->call, &c->request->head, err))
		return err->status;
	if (!ts_run_open(c->f, &c->request->head, arena, ret_run, err) && !check_objects(c, ret_run, err))
		return TS_OK;
	if (err->status == TS_DAMAGED)
		err->status = c->f->missing ? TS_NOT_FOUND : TS_INVALID;
	return err->status;
}

/* Notes the state of a run whose name did not move. A state that is noted already is not written again: pushing a folder of unchanged
 * runs should cost no write to the disk. A state that nobody chose is no reason to refuse the push where it is another's to write. */
static enum ts_status note_state(struct commit *c, const struct ts_note *state, struct ts_arena *arena, struct ts_error *err)
{
	struct ts_engine *engine = c->call->engine;
	struct ts_note *notes;
	enum ts_status status;
	size_t n;

	if (engine->ops->note_list(engine, c->request->name, arena, NULL, &notes, &n, err))
		return err->status;
	for (size_t i = 0; i < n; i++)
		if (ts_span_eq(notes[i].key, state->key) && ts_span_eq(notes[i].value, state->value))
			return TS_OK;
	status = engine->ops->note_put(engine, c->request->name, state, err);
	return status == TS_DENIED && !c->request->state_said ? TS_OK : status;
}

/* The state that a note gets: the one that a person chose, or else what the run itself records of its end, before what the pusher took
 * from the source. A run whose events cannot be read has the latter: verify says what is damaged. */
static enum ts_status state_of(struct commit *c, const struct ts_run *run, struct ts_arena *arena, struct ts_span *ret_state,
			       struct ts_error *err)
{
	struct ts_ending ending;

	*ret_state = c->request->state;
	if (c->request->state_said || !c->request->state.len)
		return TS_OK;
	if (ts_run_ending(c->f, run, arena, &ending, err))
		return err->status == TS_DAMAGED ? TS_OK : err->status;
	if (ending.state != TS_END_UNKNOWN || ending.cause == TS_END_CUT)
		*ret_state = ts_span_str(ts_end_state_word(ending.state));
	return TS_OK;
}

static void tell_missing(const struct ts_description *d, struct ts_commit_reply *reply)
{
	reply->missing_ranks = d->missing;
	reply->n_missing = d->n_missing;
}

/* Makes run the run that the name points at. The stage, if any, is removed. */
static enum ts_status place(struct commit *c, const struct ts_run *run, const struct ts_ref *stage,
			    struct ts_arena *arena, struct ts_commit_reply *ret_reply, bool *io_raced,
			    struct ts_error *err)
{
	struct ts_note state = {
		.key = ts_span_str("state"),
		.at_ns = ts_now_real_ns(),
		.who = c->call->caller,
		.standing = ts_call_standing(c->call, c->request->name),
	};
	struct ts_placing p = {
		.f = c->f,
		.run = run,
		.name = c->request->name,
		.expect = c->request->expect,
		.expected = c->request->expected,
		.force = c->request->force,
		.branch = c->request->branch,
		.stage = stage,
		.message = c->message,
		.note = c->request->state.len ? &state : NULL,
	};
	struct ts_description d;
	struct ts_placed placed;

	if (state_of(c, run, arena, &state.value, err) || ts_describe(c->f, run, arena, &d, err) ||
	    ts_summary_make(&d, arena, &p.summary, err) || ts_run_place(&p, arena, &placed, io_raced, err))
		return err->status;
	if (p.note && placed.outcome == TS_COMMIT_UNCHANGED && note_state(c, p.note, arena, err))
		return err->status;
	*ret_reply = (struct ts_commit_reply){
		.outcome = placed.outcome,
		.id = run->id,
		.had_previous = placed.had_previous,
		.previous = placed.previous,
		.seq = placed.ref.seq,
		.run = d.run,
	};
	if (c->request->join)
		tell_missing(&d, ret_reply);
	return TS_OK;
}

/* Keeps the ranks received so far under the name's stage. */
static enum ts_status stage_run(struct commit *c, const struct ts_run *run, const struct ts_ref *stage,
				struct ts_arena *arena, struct ts_commit_reply *ret_reply, bool *io_raced,
				struct ts_error *err)
{
	struct ts_engine *engine = c->call->engine;
	struct ts_ref_update u = {
		.kind = TS_REF_STAGE,
		.name = c->request->name,
		.id = run->id,
		.expect = stage ? TS_EXPECT_ID : TS_EXPECT_ABSENT,
		.now_ns = ts_now_real_ns(),
		.who = c->call->caller,
		.standing = ts_call_standing(c->call, c->request->name),
		.message = c->message,
	};
	struct ts_commit_reply reply = {.outcome = TS_COMMIT_STAGED, .id = run->id, .had_previous = stage != NULL};
	struct ts_description d;
	struct ts_ref now;

	if (stage)
		reply.previous = u.expected = stage->id;
	if (ts_describe(c->f, run, arena, &d, err) || ts_summary_make(&d, arena, &u.summary, err))
		return err->status;
	if (stage && ts_id_eq(&stage->id, &run->id)) {
		now = *stage; /* the same ranks were sent again */
	} else if (engine->ops->commit(engine, &u, 1, arena, &now, err)) {
		*io_raced = err->status == TS_CONFLICT;
		return err->status;
	}
	reply.seq = now.seq;
	tell_missing(&d, &reply);
	reply.run = d.run;
	*ret_reply = reply;
	return TS_OK;
}

/* Finds the run with which the sent ranks are joined: the staged one, else the run that the name has (a rank trains on,
 * or comes late), else none. */
static enum ts_status find_base(struct commit *c, struct ts_arena *arena, struct ts_ref *stage, bool *ret_staged,
				struct ts_run *base, bool *ret_has_base, struct ts_error *err)
{
	struct ts_engine *engine = c->call->engine;
	struct ts_ref ref;
	bool found = false;

	if (ts_ref_find(engine, TS_REF_STAGE, c->request->name, arena, stage, ret_staged, err))
		return err->status;
	if (!*ret_staged && !c->request->force &&
	    ts_ref_find(engine, TS_REF_RUN, c->request->name, arena, &ref, &found, err))
		return err->status;
	*ret_has_base = *ret_staged || found;
	if (*ret_has_base && ts_run_open(c->f, *ret_staged ? &stage->id : &ref.id, arena, base, err))
		return err->status;
	return TS_OK;
}

static enum ts_status is_complete(struct commit *c, const struct ts_run *run, struct ts_arena *arena,
				  bool *ret_complete, struct ts_error *err)
{
	struct ts_description d;

	if (ts_describe(c->f, run, arena, &d, err))
		return err->status;
	if (!d.has_world && !c->request->expose)
		return ts_error_set(err, TS_INVALID,
				    "the run does not record parallelism.world_size, so it is not known when its "
				    "ranks are complete; --expose makes it visible as it is");
	*ret_complete = d.n_missing == 0;
	return TS_OK;
}

/* Whether the joined run has another index for a rank than the stage has. */
static bool is_replaced(const struct ts_run *stage, const struct ts_run *joined, int32_t rank)
{
	const struct ts_rank_ref *old = NULL, *now = NULL;

	for (size_t i = 0; i < stage->head.n_ranks && !old; i++)
		old = stage->head.ranks[i].rank == rank ? &stage->head.ranks[i] : NULL;
	for (size_t i = 0; i < joined->head.n_ranks && !now; i++)
		now = joined->head.ranks[i].rank == rank ? &joined->head.ranks[i] : NULL;
	return old && now && !ts_id_eq(&old->index, &now->index);
}

/* A rank that waits is replaced by whoever staged it. */
static enum ts_status may_replace(struct commit *c, const struct ts_run *stage, const struct ts_run *sent, const struct ts_run *joined,
				  const struct ts_log_entry *entries, size_t n, struct ts_error *err)
{
	for (size_t i = 0; i < sent->head.n_ranks; i++) {
		int32_t rank = sent->head.ranks[i].rank;
		struct ts_span owner;

		if (!is_replaced(stage, joined, rank))
			continue;
		owner = ts_stage_owner(entries, n, rank);
		if (ts_call_need_rank(c->call, c->request->name, rank, owner, err))
			return err->status;
	}
	return TS_OK;
}

/* Checks what is joined with a stage, and makes the message of the log. */
static enum ts_status join_stage(struct commit *c, const struct ts_run *stage, const struct ts_run *sent, const struct ts_run *joined,
				 bool complete, struct ts_arena *arena, struct ts_error *err)
{
	struct ts_engine *engine = c->call->engine;
	struct ts_log_entry *entries = NULL;
	struct ts_span own;
	size_t n = 0;

	if (stage && (engine->ops->ref_log(engine, TS_REF_STAGE, c->request->name, 0, arena, &entries, &n, err) ||
		      may_replace(c, stage, sent, joined, entries, n, err)))
		return err->status;
	if (complete && !stage)
		return TS_OK;
	if (ts_stage_message(sent->head.ranks, sent->head.n_ranks, complete ? ts_span_of(NULL, 0) : c->request->message, arena, &own,
			     err))
		return err->status;
	c->message = own;
	if (!complete)
		return TS_OK;
	return ts_stage_joined(entries, n, c->call->caller, own, c->request->message, arena, &c->message, err);
}

static enum ts_status try_join(struct commit *c, const struct ts_run *sent, struct ts_arena *arena,
			       struct ts_commit_reply *ret_reply, bool *io_raced, struct ts_error *err)
{
	struct ts_run base, joined = *sent;
	struct ts_ref stage;
	bool staged = false, has_base = false, complete = false;
	struct ts_id id;

	if (find_base(c, arena, &stage, &staged, &base, &has_base, err))
		return err->status;
	if (has_base &&
	    (ts_runs_join(c->f, &base, sent, arena, &id, err) || ts_run_open(c->f, &id, arena, &joined, err) ||
	     check_rows(c, &joined, err)))
		return err->status;
	if (is_complete(c, &joined, arena, &complete, err))
		return err->status;
	complete = complete || c->request->expose;
	c->message = c->request->message;
	if (join_stage(c, staged ? &base : NULL, sent, &joined, complete, arena, err))
		return err->status;
	if (complete)
		return place(c, &joined, staged ? &stage : NULL, arena, ret_reply, io_raced, err);
	return stage_run(c, &joined, staged ? &stage : NULL, arena, ret_reply, io_raced, err);
}

static enum ts_status join(struct commit *c, const struct ts_run *sent, struct ts_commit_reply *ret_reply,
			   struct ts_arena *arena, struct ts_error *err)
{
	for (int i = 0;; i++) {
		bool raced = false;
		enum ts_status status;

		ts_arena_reset(arena);
		status = try_join(c, sent, arena, ret_reply, &raced, err);
		if (!raced || i == TS_PLACE_TRIES)
			return status;
	}
}

static enum ts_status commit(struct commit *c, struct ts_error *err)
{
	struct ts_arena run_arena, work;
	struct ts_commit_reply reply;
	struct ts_run run;
	bool raced = false;
	enum ts_status status;

	ts_arena_init(&run_arena, TS_ANALYSIS_ARENA);
	ts_arena_init(&work, TS_ANALYSIS_ARENA);
	status = open_sent(c, &run_arena, &run, err);
	if (!status && c->request->join)
		status = join(c, &run, &reply, &work, err);
	else if (!status)
		status = place(c, &run, NULL, &work, &reply, &raced, err);
	if (!status)
		status = reply_commit_reply(c->call, &reply, err);
	ts_arena_finish(&work);
	ts_arena_finish(&run_arena);
	return status;
}

enum ts_status ts_handle_commit_run(struct ts_call *call, void *state, struct ts_span in, struct ts_error *err)
{
	struct ts_commit_request request;
	struct ts_fetch f;
	enum ts_status status;

	(void)state;
	if (ts_wire_unpack_commit_request(in, call->arena, &request, err) || check_request(&request, err))
		return err->status;
	ts_fetch_init(&f, call);
	status = commit(&(struct commit){call, &f, &request, request.message}, err);
	ts_fetch_finish(&f);
	return status;
}
