/* refs.c - UpdateRef, RefLog, SetNote: names, what they pointed at, and what is written beside them. */
#include "base/clock.h"
#include "base/text.h"
#include "service/handlers/core/methods.h"
#include "service/handlers/core/resolve.h"
#include "service/handlers/core/summary.h"
#include "service/handlers/runs/naming.h"

TS_REPLIER(ref_reply, ts_ref_reply);
TS_REPLIER(log_reply, ts_log_reply);

enum { SHORT = 12, NOTE_KEY_MAX = 64 };

static enum ts_status check_request(const struct ts_ref_request *r, struct ts_error *err)
{
	if (r->kind == TS_REF_STAGE && !r->remove)
		return ts_error_set(err, TS_INVALID, "a stage can only be made by joining ranks");
	if (r->remove && r->target.len)
		return ts_error_set(err, TS_INVALID, "the request has both a target and remove");
	if (!r->remove && r->target.len == 0)
		return ts_error_set(err, TS_INVALID, "the request has no target for %.*s", TS_SPAN_ARG(r->name));
	return r->remove ? ts_name_check(r->name, err) : ts_name_new_check(r->name, err);
}

/* Removes a ref, unless another writer moved the name since it was read. */
static enum ts_status remove_ref(struct ts_call *call, const struct ts_ref_request *r, const struct ts_ref *current,
				 struct ts_error *err)
{
	struct ts_ref_update u = {
		.kind = r->kind,
		.name = r->name,
		.remove = true,
		.expect = TS_EXPECT_ID,
		.now_ns = ts_now_real_ns(),
		.who = call->caller,
		.message = r->message,
	};

	if (!current)
		return ts_error_set(err, TS_NOT_FOUND, "there is no %s %.*s", ts_ref_word(r->kind), TS_SPAN_ARG(r->name));
	u.expected = current->id;
	/* The guard of the engine lets stages go, because the last rank of a run removes its stage. */
	if (r->kind == TS_REF_STAGE && ts_call_need_own(call, TS_ACT_REMOVE_STAGE, r->kind, r->name, "removing it", err))
		return err->status;
	return call->engine->ops->commit(call->engine, &u, 1, call->arena, NULL, err);
}

/* A branch may always move, because its log keeps its history, but a protected one only by a push. A run's name and a tag move only if
 * forced. */
static enum ts_status may_move(const struct ts_call *call, const struct ts_ref_request *r, const struct ts_ref *current,
			       struct ts_error *err)
{
	char hex[TS_ID_HEX + 1];

	if (current && r->kind == TS_REF_BRANCH)
		return ts_call_need_branch(call, r->name, err);
	if (current && r->force && r->kind == TS_REF_RUN)
		return ts_call_need_own(call, TS_ACT_FORCE_RUN, r->kind, r->name, "moving it", err);
	if (!current || r->force)
		return TS_OK;
	return ts_error_set(err, TS_CONFLICT, "%s %.*s exists already and points at %.*s; use --force to move it", ts_ref_word(r->kind),
			    TS_SPAN_ARG(r->name), SHORT, ts_id_hex(&current->id, hex));
}

/* Opens the run that a name is to have. */
static enum ts_status summarize(struct ts_call *call, struct ts_span name, const struct ts_id *id, struct ts_span *ret_summary,
				struct ts_error *err)
{
	struct ts_arena arena;
	struct ts_fetch f;
	struct ts_run run;
	struct ts_description d;
	enum ts_status status;

	ts_arena_init(&arena, TS_ANALYSIS_ARENA);
	ts_fetch_init(&f, call);
	status = ts_run_open(&f, id, &arena, &run, err);
	if (!status)
		status = ts_quota_check_rows(call->server->quotas, name, ts_run_count_rows(&run), err);
	if (!status)
		status = ts_describe(&f, &run, &arena, &d, err);
	if (!status)
		status = ts_summary_make(&d, call->arena, ret_summary, err);
	ts_fetch_finish(&f);
	ts_arena_finish(&arena);
	return status;
}

static enum ts_status move_ref(struct ts_call *call, const struct ts_ref_request *r, const struct ts_ref *current,
			       struct ts_ref *ret_ref, struct ts_error *err)
{
	struct ts_resolved target;
	struct ts_ref_update u = {
		.kind = r->kind,
		.name = r->name,
		.expect = current ? TS_EXPECT_ID : TS_EXPECT_ABSENT,
		.now_ns = ts_now_real_ns(),
		.who = call->caller,
		.standing = ts_call_standing(call, r->name),
		.message = r->message,
	};

	if (ts_resolve(call->engine, r->target, call->arena, &target, err))
		return err->status;
	if (current && ts_id_eq(&current->id, &target.id)) {
		*ret_ref = *current;
		return TS_OK;
	}
	if (may_move(call, r, current, err) || summarize(call, r->name, &target.id, &u.summary, err))
		return err->status;
	u.id = target.id;
	if (current)
		u.expected = current->id;
	return call->engine->ops->commit(call->engine, &u, 1, call->arena, ret_ref, err);
}

enum ts_status ts_handle_update_ref(struct ts_call *call, void *state, struct ts_span in, struct ts_error *err)
{
	struct ts_ref_request request;
	struct ts_ref_reply reply = {.had_previous = false};
	struct ts_ref current;
	bool found;

	(void)state;
	if (ts_wire_unpack_ref_request(in, call->arena, &request, err) || check_request(&request, err) ||
	    ts_ref_find(call->engine, request.kind, request.name, call->arena, &current, &found, err) ||
	    ts_expectation(request.expect, &request.expected, found ? &current : NULL, request.name, err))
		return err->status;
	reply.had_previous = found;
	if (found)
		reply.previous = current.id;
	if (request.remove) {
		if (remove_ref(call, &request, found ? &current : NULL, err))
			return err->status;
		reply.ref = current;
	} else if (move_ref(call, &request, found ? &current : NULL, &reply.ref, err)) {
		return err->status;
	}
	return reply_ref_reply(call, &reply, err);
}

enum ts_status ts_handle_ref_log(struct ts_call *call, void *state, struct ts_span in, struct ts_error *err)
{
	struct ts_log_request request;
	struct ts_log_reply reply = {.n = 0};
	struct ts_resolved what;

	(void)state;
	if (ts_wire_unpack_log_request(in, call->arena, &request, err) ||
	    ts_resolve(call->engine, request.spec, call->arena, &what, err))
		return err->status;
	if (!what.by_ref)
		return ts_error_set(err, TS_INVALID, "%.*s is an id, and only names have a log",
				    TS_SPAN_ARG(request.spec));
	if (call->engine->ops->ref_log(call->engine, what.ref.kind, what.ref.name, request.limit, call->arena,
				       &reply.entries, &reply.n, err))
		return err->status;
	if (call->engine->ops->log_pruned(call->engine, what.ref.kind, what.ref.name, call->arena, &reply.pruned, err))
		return err->status;
	if (request.notes && what.ref.kind == TS_REF_RUN &&
	    call->engine->ops->note_log(call->engine, what.ref.name, call->arena, &reply.notes, &reply.n_notes, err))
		return err->status;
	reply.kind = what.ref.kind;
	reply.name = what.ref.name;
	return reply_log_reply(call, &reply, err);
}

static enum ts_status check_key(struct ts_span key, struct ts_error *err)
{
	if (key.len == 0 || key.len > NOTE_KEY_MAX)
		return ts_error_set(err, TS_INVALID, "a note's key must have 1 to %d bytes", NOTE_KEY_MAX);
	for (size_t i = 0; i < key.len; i++) {
		uint8_t c = key.data[i];

		if (!ts_is_digit(c) && !(c >= 'a' && c <= 'z') && c != '_' && c != '.' && c != '-')
			return ts_error_set(
				err, TS_INVALID,
				"a note's key can only have a-z, 0-9 and _.-, and byte %zu is another character",
				i + 1);
	}
	return TS_OK;
}

enum ts_status ts_handle_set_note(struct ts_call *call, void *state, struct ts_span in, struct ts_error *err)
{
	struct ts_note_request request;
	struct ts_resolved what;
	struct ts_note note = {.at_ns = ts_now_real_ns(), .who = call->caller};

	(void)state;
	if (ts_wire_unpack_note_request(in, call->arena, &request, err) || check_key(request.key, err) ||
	    ts_resolve(call->engine, request.name, call->arena, &what, err))
		return err->status;
	if (!what.by_ref || what.ref.kind != TS_REF_RUN)
		return ts_error_set(err, TS_INVALID, "only the names of runs can have notes, and %.*s is not the name of a run",
				    TS_SPAN_ARG(request.name));
	if (ts_span_is(request.key, "state") && ts_run_state_check(request.value, err))
		return err->status;
	note.standing = ts_call_standing(call, what.ref.name);
	note.key = request.key;
	note.value = request.value;
	if (call->engine->ops->note_put(call->engine, what.ref.name, &note, err))
		return err->status;
	return call->reply(call, ts_span_of(NULL, 0), err);
}
