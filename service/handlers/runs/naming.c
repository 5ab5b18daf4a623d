#include "service/handlers/runs/naming.h"

#include "base/clock.h"
#include "base/limits.h"
#include "run/ending.h"
#include "service/handlers/core/scores.h"
#include "service/handlers/runs/extend.h"

enum { SHORT = 12 };

enum ts_status ts_ref_find(struct ts_engine *engine, enum ts_ref_kind kind, struct ts_span name, struct ts_arena *arena,
			   struct ts_ref *ret_ref, bool *ret_found, struct ts_error *err)
{
	struct ts_error mine;
	enum ts_status status = engine->ops->ref_get(engine, kind, name, arena, ret_ref, &mine);

	if (status && status != TS_NOT_FOUND) {
		*err = mine;
		return status;
	}
	*ret_found = !status;
	return TS_OK;
}

enum ts_status ts_expectation(enum ts_expect expect, const struct ts_id *expected, const struct ts_ref *current,
			      struct ts_span name, struct ts_error *err)
{
	char now[TS_ID_HEX + 1], then[TS_ID_HEX + 1];

	if (expect == TS_EXPECT_ABSENT && current)
		return ts_error_set(err, TS_CONFLICT, "%.*s exists already and points at %.*s", TS_SPAN_ARG(name), SHORT,
				    ts_id_hex(&current->id, now));
	if (expect == TS_EXPECT_ID && !current)
		return ts_error_set(err, TS_CONFLICT, "%.*s does not exist, but it was expected to point at %.*s", TS_SPAN_ARG(name),
				    SHORT, ts_id_hex(expected, then));
	if (expect == TS_EXPECT_ID && !ts_id_eq(expected, &current->id))
		return ts_error_set(err, TS_CONFLICT, "%.*s points at %.*s, but it was expected to point at %.*s", TS_SPAN_ARG(name),
				    SHORT, ts_id_hex(&current->id, now), SHORT, ts_id_hex(expected, then));
	return TS_OK;
}

/* Unless the commit is forced, the new run must extend the old run of the name. */
static enum ts_status must_extend(const struct ts_placing *p, const struct ts_ref *current, struct ts_error *err)
{
	char reason[TS_EXTEND_REASON] = "", hex[TS_ID_HEX + 1];
	struct ts_arena arena;
	struct ts_run old_run;
	bool extends = false;
	enum ts_status status;

	ts_arena_init(&arena, TS_ANALYSIS_ARENA);
	status = ts_run_open(p->f, &current->id, &arena, &old_run, err);
	if (!status)
		status = ts_run_extends(p->f, &old_run, p->run, &extends, reason, err);
	ts_arena_finish(&arena);
	if (status)
		return ts_error_prefix(err, "%.*s", TS_SPAN_ARG(p->name));
	if (extends)
		return TS_OK;
	return ts_error_set(
		err, TS_CONFLICT,
		"%.*s points at %.*s, and this run does not continue that one: %s; use --force to move the name, or --name to "
		"give this run another name",
		TS_SPAN_ARG(p->name), SHORT, ts_id_hex(&current->id, hex), reason);
}

static enum ts_status decide(const struct ts_placing *p, const struct ts_ref *current,
			     enum ts_commit_outcome *ret_outcome, struct ts_error *err)
{
	if (ts_expectation(p->expect, &p->expected, current, p->name, err))
		return err->status;
	if (!current) {
		*ret_outcome = TS_COMMIT_CREATED;
	} else if (ts_id_eq(&current->id, &p->run->id)) {
		*ret_outcome = TS_COMMIT_UNCHANGED;
	} else if (p->force) {
		if (ts_call_need_own(p->f->call, TS_ACT_FORCE_RUN, TS_REF_RUN, p->name, "moving it by force", err))
			return err->status;
		*ret_outcome = TS_COMMIT_FORCED;
	} else {
		if (must_extend(p, current, err))
			return err->status;
		*ret_outcome = TS_COMMIT_EXTENDED;
	}
	return TS_OK;
}

static struct ts_ref_update update_of(const struct ts_placing *p, enum ts_ref_kind kind, struct ts_span name,
				      const struct ts_ref *current)
{
	struct ts_ref_update u = {
		.kind = kind,
		.name = name,
		.id = p->run->id,
		.expect = current ? TS_EXPECT_ID : TS_EXPECT_ABSENT,
		.now_ns = ts_now_real_ns(),
		.who = p->f->call->caller,
		.standing = ts_call_standing(p->f->call, name),
		.summary = p->summary,
		.message = p->message,
	};

	if (current)
		u.expected = current->id;
	return u;
}

/* Makes what a list shows of the columns. A run that cannot be scored gets none, which is no reason to refuse it. */
static void score(const struct ts_placing *p, struct ts_arena *arena, struct ts_ref_update *u)
{
	struct ts_scores scores;
	struct ts_extract *extracts;
	struct ts_error ignored;
	size_t n;

	if (ts_scores_make(p->f, p->run, arena, &scores, &ignored) || ts_scores_extracts(&scores, arena, &extracts, &n, &ignored))
		return;
	u->extracts = extracts;
	u->n_extracts = n;
}

/* Updates the run's name and its branch, and removes its stage: all or none. */
static enum ts_status try_place(const struct ts_placing *p, struct ts_arena *arena, struct ts_placed *placed,
				bool *ret_raced, struct ts_error *err)
{
	struct ts_engine *engine = p->f->call->engine;
	struct ts_ref_update updates[3];
	struct ts_ref branch;
	bool found, branch_found = false, there = false;
	size_t n = 0;

	memset(placed, 0, sizeof *placed);
	if (ts_ref_find(engine, TS_REF_RUN, p->name, arena, &placed->ref, &found, err))
		return err->status;
	if (p->branch.len && ts_ref_find(engine, TS_REF_BRANCH, p->branch, arena, &branch, &branch_found, err))
		return err->status;
	if (branch_found && !ts_id_eq(&branch.id, &p->run->id) &&
	    ts_call_need_append(p->f->call, p->branch, &p->run->id, &there, err))
		return err->status;
	placed->had_previous = found;
	placed->previous = placed->ref.id;
	if (decide(p, found ? &placed->ref : NULL, &placed->outcome, err))
		return err->status;
	if (placed->outcome != TS_COMMIT_UNCHANGED)
		updates[n++] = update_of(p, TS_REF_RUN, p->name, found ? &placed->ref : NULL);
	if (n) {
		updates[0].note = p->note;
		score(p, arena, &updates[0]);
	}
	if (p->branch.len && !there && !(branch_found && ts_id_eq(&branch.id, &p->run->id)))
		updates[n++] = update_of(p, TS_REF_BRANCH, p->branch, branch_found ? &branch : NULL);
	if (p->stage) {
		updates[n] = update_of(p, TS_REF_STAGE, p->name, p->stage);
		updates[n++].remove = true;
	}
	if (n == 0)
		return TS_OK;
	if (!engine->ops->commit(engine, updates, n, arena,
				 placed->outcome == TS_COMMIT_UNCHANGED ? NULL : &placed->ref, err))
		return TS_OK;
	*ret_raced = err->status == TS_CONFLICT;
	return err->status;
}

enum ts_status ts_run_place(const struct ts_placing *p, struct ts_arena *arena, struct ts_placed *ret_placed,
			    bool *io_raced, struct ts_error *err)
{
	for (int i = 0;; i++) {
		struct ts_placed placed;
		bool raced = false;
		enum ts_status status = try_place(p, arena, &placed, &raced, err);

		if (!status)
			*ret_placed = placed;
		*io_raced |= raced;
		if (!raced || p->stage || i == TS_PLACE_TRIES)
			return status;
	}
}

enum ts_status ts_run_state_check(struct ts_span state, struct ts_error *err)
{
	enum ts_end_state known;

	if (state.len == 0 || ts_end_state_of(state, &known))
		return TS_OK;
	return ts_error_set(err, TS_INVALID, "a state must be running, finished, crashed, killed, hung or unknown; it is \"%.*s\"",
			    TS_SPAN_ARG(state));
}
