#include "service/handlers/core/access.h"

#include "run/kind.h"
#include "service/handlers/core/audited.h"
#include "service/handlers/core/handler.h"
#include "service/handlers/core/sight.h"

#include <inttypes.h>
#include <stdio.h>

static struct ts_span project_of(struct ts_span name)
{
	struct ts_span through = ts_span_through(name, '/');

	return through.len ? ts_span_of(through.data, through.len - 1) : name;
}

static bool everything(const struct ts_call *call)
{
	return !call->who || call->who->everywhere == TS_AUTH_ADMIN;
}

bool ts_call_reads_all(const struct ts_call *call)
{
	return everything(call) || call->who->everywhere >= TS_AUTH_READ;
}

static enum ts_status lacks(const struct ts_call *call, enum ts_auth_role role, struct ts_span project, struct ts_error *err)
{
	enum ts_auth_role has = ts_identity_role(call->who, project);

	return ts_error_set(err, TS_DENIED, "this needs the role %s in the project %.*s, and %s has %s%s", ts_auth_role_word(role),
			    TS_SPAN_ARG(project), call->who->name, has ? "only " : "", has ? ts_auth_role_word(has) : "none there");
}

enum ts_status ts_call_need(const struct ts_call *call, enum ts_auth_role role, struct ts_span name, struct ts_error *err)
{
	if (everything(call) || ts_auth_may(call->who, role, project_of(name)))
		return TS_OK;
	return lacks(call, role, project_of(name), err);
}

/* Whoever made the name: the author of the first entry of its log, also when that was pruned. */
static enum ts_status owner_of(const struct ts_call *call, enum ts_ref_kind kind, struct ts_span name, struct ts_arena *arena,
			       struct ts_span *ret_owner, struct ts_error *err)
{
	struct ts_engine *base = call->access.base;
	struct ts_log_entry *entries;
	size_t n;

	*ret_owner = ts_span_of(NULL, 0);
	if (base->ops->ref_log(base, kind, name, 0, arena, &entries, &n, err))
		return err->status == TS_NOT_FOUND ? TS_OK : err->status;
	if (n > 0 && entries[n - 1].seq > 1) {
		struct ts_pruned pruned;

		if (base->ops->log_pruned(base, kind, name, arena, &pruned, err))
			return err->status;
		*ret_owner = pruned.owner;
	} else if (n > 0) {
		*ret_owner = entries[n - 1].who;
	}
	return TS_OK;
}

static bool maintains(const struct ts_call *call, struct ts_span name)
{
	return everything(call) || ts_auth_may(call->who, TS_AUTH_MAINTAIN, project_of(name));
}

enum ts_standing ts_call_standing(const struct ts_call *call, struct ts_span name)
{
	return maintains(call, name) ? TS_STANDING_MAINTAINER : TS_STANDING_PUSHER;
}

static const struct ts_auth_policy *policy_of(const struct ts_call *call)
{
	return call->who ? call->who->policy : NULL;
}

bool ts_call_protects(const struct ts_call *call, struct ts_span branch)
{
	return ts_auth_protects(policy_of(call), ts_span_after(branch, '/'));
}

bool ts_call_has_roles(const struct ts_call *call)
{
	const struct ts_auth_policy *policy = policy_of(call);

	return policy && policy->n_grants > 0;
}

/* The note of a key, or of any that steers if the key is empty and its author counts, as another wrote it. *ret_by is empty if there
 * is none. */
static enum ts_status marked_by(const struct ts_call *call, struct ts_span name, struct ts_span key, struct ts_arena *arena,
				struct ts_span *ret_by, struct ts_error *err)
{
	struct ts_engine *base = call->access.base;
	struct ts_note *notes;
	size_t n;

	*ret_by = ts_span_of(NULL, 0);
	if (base->ops->note_list(base, name, arena, NULL, &notes, &n, err))
		return err->status == TS_NOT_FOUND ? TS_OK : err->status;
	for (size_t i = 0; i < n; i++) {
		bool meant = key.len ? ts_span_eq(notes[i].key, key)
				     : ts_note_steers(notes[i].key) && !ts_span_is(notes[i].key, "state");

		if (meant && notes[i].standing == TS_STANDING_MAINTAINER && !ts_identity_is(call->who, notes[i].who))
			*ret_by = notes[i].who.len ? notes[i].who : ts_span_str("nobody who is known");
	}
	return TS_OK;
}

static enum ts_status is_anothers(const struct ts_call *call, enum ts_ref_kind kind, struct ts_span name, struct ts_span owner,
				  const char *what, struct ts_error *err)
{
	return ts_error_set(err, TS_DENIED,
			    "%s %.*s was made by %.*s; %s needs the role maintain in the project %.*s, and %s has only push",
			    ts_ref_word(kind), TS_SPAN_ARG(name), TS_SPAN_ARG(owner.len ? owner : ts_span_str("nobody who is known")),
			    what, TS_SPAN_ARG(project_of(name)), call->who->name);
}

static enum ts_status is_marked(const struct ts_call *call, struct ts_span name, struct ts_span by, const char *what,
				struct ts_error *err)
{
	return ts_error_set(err, TS_DENIED,
			    "run %.*s was marked by %.*s; %s needs the role maintain in the project %.*s, and %s has only push",
			    TS_SPAN_ARG(name), TS_SPAN_ARG(by), what, TS_SPAN_ARG(project_of(name)), call->who->name);
}

/* Who only pushes may do to its own name what the table says, unless a maintainer marked the run: the mark would go with the name. */
static enum ts_status need_own(const struct ts_call *call, enum ts_act act, enum ts_ref_kind kind, struct ts_span name,
			       const char *what, struct ts_arena *arena, struct ts_error *err)
{
	enum ts_act marked = act == TS_ACT_FORCE_RUN ? TS_ACT_FORCE_MARKED : TS_ACT_REMOVE_MARKED;
	struct ts_span owner, by = {0};

	if (owner_of(call, kind, name, arena, &owner, err))
		return err->status;
	if (ts_right(act, ts_identity_is(call->who, owner)) > TS_AUTH_PUSH)
		return is_anothers(call, kind, name, owner, what, err);
	if (kind == TS_REF_RUN && marked_by(call, name, ts_span_of(NULL, 0), arena, &by, err))
		return err->status;
	return by.len && ts_right(marked, true) > TS_AUTH_PUSH ? is_marked(call, name, by, what, err) : TS_OK;
}

enum ts_status ts_call_need_own(const struct ts_call *call, enum ts_act act, enum ts_ref_kind kind, struct ts_span name,
				const char *what, struct ts_error *err)
{
	struct ts_arena arena;
	enum ts_status status;

	if (maintains(call, name))
		return TS_OK;
	if (ts_call_need(call, TS_AUTH_PUSH, name, err))
		return err->status;
	ts_arena_init(&arena, TS_CALL_ARENA);
	status = need_own(call, act, kind, name, what, &arena, err);
	ts_arena_finish(&arena);
	return status;
}

enum ts_status ts_call_need_branch(const struct ts_call *call, struct ts_span name, struct ts_error *err)
{
	if (everything(call) || !ts_call_protects(call, name))
		return ts_call_need(call, ts_right(TS_ACT_MOVE_BRANCH, false), name, err);
	if (!ts_call_need(call, ts_right(TS_ACT_MOVE_PROTECTED, false), name, err))
		return TS_OK;
	return ts_error_prefix(err, "branch %.*s is protected and moves by pushes only", TS_SPAN_ARG(name));
}

enum ts_status ts_call_need_rank(const struct ts_call *call, struct ts_span name, int32_t rank, struct ts_span owner,
				 struct ts_error *err)
{
	if (maintains(call, name) || ts_right(TS_ACT_REPLACE_RANK, ts_identity_is(call->who, owner)) <= TS_AUTH_PUSH)
		return ts_call_need(call, TS_AUTH_PUSH, name, err);
	return ts_error_set(err, TS_DENIED,
			    "rank %" PRId32 " of %.*s waits as %.*s pushed it; replacing it needs the role maintain in the project "
			    "%.*s, and %s has only push",
			    rank, TS_SPAN_ARG(name), TS_SPAN_ARG(owner.len ? owner : ts_span_str("nobody who is known")),
			    TS_SPAN_ARG(project_of(name)), call->who->name);
}

enum { LOOKED_BACK = 4096 }; /* entries of a protected branch among which a run that is pushed onto it must not be */

/* Who put a run on a branch, in its newest entries; empty: it is not there. */
static enum ts_status appended_by(const struct ts_call *call, struct ts_span branch, const struct ts_id *id, struct ts_arena *arena,
				  struct ts_span *ret_by, struct ts_error *err)
{
	struct ts_engine *base = call->access.base;
	struct ts_log_entry *entries;
	size_t n;

	*ret_by = ts_span_of(NULL, 0);
	if (base->ops->ref_log(base, TS_REF_BRANCH, branch, LOOKED_BACK, arena, &entries, &n, err))
		return err->status == TS_NOT_FOUND ? TS_OK : err->status;
	for (size_t i = 0; i < n && !ret_by->len; i++)
		if (ts_id_eq(&entries[i].id, id))
			*ret_by = entries[i].who.len ? entries[i].who : ts_span_str("nobody who is known");
	return TS_OK;
}

enum ts_status ts_call_need_append(const struct ts_call *call, struct ts_span branch, const struct ts_id *id, bool *ret_there,
				   struct ts_error *err)
{
	struct ts_arena arena;
	enum ts_status status;
	struct ts_span by;

	*ret_there = false;
	if (ts_auth_closes(policy_of(call), ts_span_after(branch, '/')) &&
	    ts_call_need(call, ts_right(TS_ACT_APPEND_CLOSED, false), branch, err))
		return ts_error_prefix(err, "only maintainers put runs on the branch %.*s, which is closed", TS_SPAN_ARG(branch));
	if (ts_call_need(call, ts_right(TS_ACT_APPEND_PROTECTED, false), branch, err))
		return err->status;
	if (maintains(call, branch) || !ts_call_protects(call, branch))
		return TS_OK;
	ts_arena_init(&arena, TS_CALL_ARENA);
	status = appended_by(call, branch, id, &arena, &by, err);
	*ret_there = !status && by.len && ts_identity_is(call->who, by);
	if (!status && by.len && !*ret_there)
		status = ts_error_set(err, TS_DENIED,
				      "branch %.*s is protected and has had this run already, put there by %.*s; putting it on top "
				      "again needs the role maintain in the project %.*s, and %s has only push",
				      TS_SPAN_ARG(branch), TS_SPAN_ARG(by), TS_SPAN_ARG(project_of(branch)), call->who->name);
	ts_arena_finish(&arena);
	return status;
}

/* ---- the guard: reading ---- */

static struct ts_access *access_of(struct ts_engine *e)
{
	return (struct ts_access *)e;
}

static bool readable(struct ts_access *a, struct ts_span name)
{
	struct ts_span project = project_of(name);

	if (ts_auth_may(a->call->who, TS_AUTH_READ, project))
		return true;
	if (!a->hidden[0])
		(void)snprintf(a->hidden, sizeof a->hidden, "%.*s", TS_SPAN_ARG(project));
	return false;
}

static enum ts_status not_there(enum ts_ref_kind kind, struct ts_span name, struct ts_error *err)
{
	return ts_error_set(err, TS_NOT_FOUND, "there is no %s %.*s", ts_ref_word(kind), TS_SPAN_ARG(name));
}

enum ts_status ts_call_explain(const struct ts_call *call, struct ts_error *err)
{
	struct ts_error why = *err;

	if (err->status == TS_NOT_FOUND && call->access.hidden[0])
		(void)ts_error_set(err, TS_NOT_FOUND, "%s; %s may not read the project %s", why.text, call->who->name,
				   call->access.hidden);
	ts_audited_refusal(call, err);
	return err->status;
}

/* Asks for the names of the caller's projects alone, so that those of others cost it little. */
static enum ts_status guard_ref_list(struct ts_engine *e, const struct ts_ref_query *query, struct ts_arena *arena,
				     struct ts_ref **ret_refs, size_t *ret_n, struct ts_span *ret_next, struct ts_error *err)
{
	struct ts_access *a = access_of(e);
	struct ts_span projects[TS_GRANTS_MAX];
	struct ts_ref_query readable = *query;

	if (!ts_call_reads_all(a->call)) {
		readable.projects = projects;
		readable.n_projects = ts_sight_projects(a->call, projects);
	}
	return a->base->ops->ref_list(a->base, &readable, arena, ret_refs, ret_n, ret_next, err);
}

enum ts_status ts_call_sees(const struct ts_call *call, const struct ts_id *head, bool *ret_sees, struct ts_error *err)
{
	struct ts_error why;
	enum ts_status status = ts_call_reads_all(call) ? TS_OK : ts_sight_prove(call, head, &why);

	*ret_sees = !status;
	if (!status || status == TS_NOT_FOUND)
		return TS_OK;
	*err = why;
	return status;
}

enum ts_status ts_call_proves(const struct ts_call *call, const struct ts_id *head, struct ts_error *err)
{
	struct ts_error why;
	enum ts_status status = ts_call_reads_all(call) ? TS_OK : ts_sight_prove(call, head, &why);

	if (status == TS_NOT_FOUND)
		return ts_error_set(err, TS_NOT_FOUND, "%s, or only in projects that %s may not read; it must be sent first", why.text,
				    call->who->name);
	if (status)
		*err = why;
	return status;
}

/* What the caller may not know counts as missing, so that a push sends it and thereby shows that it has it. */
static enum ts_status guard_look_many(struct ts_engine *e, const struct ts_id *ids, size_t n, bool *ret_present, bool *ret_leased,
				      struct ts_error *err)
{
	struct ts_access *a = access_of(e);

	return ts_call_reads_all(a->call) ? a->base->ops->look_many(a->base, ids, n, ret_present, ret_leased, err)
					  : ts_sight_known(a->call, ids, n, ret_present, ret_leased, err);
}

/* A reader renews no lease. A lease that the writer of another project lets run out costs a push that counted on the object a second
 * try (docs/protocol.md). */
static enum ts_status renew_writable(struct ts_access *a, const struct ts_id *ids, size_t n, bool *io_present, struct ts_error *err)
{
	struct ts_arena *arena = a->call->arena;
	struct ts_id *mine = ts_arena_array(arena, n + 1, sizeof *mine);
	bool *writable = ts_arena_array(arena, n + 1, sizeof *writable);
	bool *present = ts_arena_array(arena, n + 1, sizeof *present);
	size_t n_mine = 0;
	bool leased;

	if (!mine || !writable || !present)
		return ts_arena_error(arena, err);
	if (ts_sight_writable(a->call, ids, n, writable, &leased, err))
		return err->status;
	if (leased)
		return TS_OK;
	for (size_t i = 0; i < n; i++)
		if (writable[i])
			mine[n_mine++] = ids[i];
	if (a->base->ops->has_many(a->base, mine, n_mine, present, err))
		return err->status;
	for (size_t i = 0, k = 0; i < n; i++)
		if (writable[i])
			io_present[i] = present[k++];
	return TS_OK;
}

/* Which ids are there for a caller who may read every project; no lease is renewed. */
static enum ts_status look_all(struct ts_access *a, const struct ts_id *ids, size_t n, bool *ret_present, struct ts_error *err)
{
	struct ts_outline *outlines = ts_arena_array(a->call->arena, n + 1, sizeof *outlines);

	if (!outlines)
		return ts_arena_error(a->call->arena, err);
	if (a->base->ops->outline_many(a->base, ids, n, outlines, err))
		return err->status;
	for (size_t i = 0; i < n; i++)
		ret_present[i] = outlines[i].present;
	return TS_OK;
}

static enum ts_status guard_has_many(struct ts_engine *e, const struct ts_id *ids, size_t n, bool *ret_present, struct ts_error *err)
{
	struct ts_access *a = access_of(e);
	bool leased = false;

	if (everything(a->call) || a->call->who->everywhere >= TS_AUTH_PUSH)
		return a->base->ops->has_many(a->base, ids, n, ret_present, err);
	if (ts_call_reads_all(a->call) ? look_all(a, ids, n, ret_present, err)
				       : ts_sight_known(a->call, ids, n, ret_present, &leased, err))
		return err->status;
	return leased || a->call->who->best < TS_AUTH_PUSH ? TS_OK : renew_writable(a, ids, n, ret_present, err);
}

static enum ts_status guard_find_prefix(struct ts_engine *e, uint8_t kind, struct ts_span hex, size_t limit, struct ts_arena *arena,
					struct ts_id **ret_ids, size_t *ret_n, struct ts_error *err)
{
	struct ts_access *a = access_of(e);

	if (ts_call_reads_all(a->call))
		return a->base->ops->find_prefix(a->base, kind, hex, limit, arena, ret_ids, ret_n, err);
	return ts_sight_find(a->call, hex, kind == TS_KIND_HEAD ? limit : 0, arena, ret_ids, ret_n, err);
}

/* ---- the guard: writing ---- */

/* Whoever sends pays for what no name reaches. */
static enum ts_status guard_upload_many(struct ts_engine *e, struct ts_span sender, const struct ts_sealed *objects, size_t n,
					struct ts_put_stats *ret_stats, struct ts_error *err)
{
	struct ts_access *a = access_of(e);
	struct ts_put_stats stats = {.objects = n};

	if (a->call->who->best < TS_AUTH_PUSH)
		return lacks(a->call, TS_AUTH_PUSH, ts_span_str("*"), err);
	if (a->base->ops->upload_many(a->base, sender, objects, n, &stats, err))
		return err->status;
	if (!ts_call_reads_all(a->call)) { /* what others have is new to this caller */
		stats.new_objects += stats.again_objects;
		stats.new_bytes += stats.again_bytes;
	}
	if (ret_stats)
		*ret_stats = stats;
	return TS_OK;
}

static enum ts_status guard_put_many(struct ts_engine *e, const struct ts_sealed *objects, size_t n, struct ts_put_stats *ret_stats,
				     struct ts_error *err)
{
	char sender[TS_IDENTITY_TEXT];

	ts_identity_account(access_of(e)->call->who, sender);
	return guard_upload_many(e, ts_span_str(sender), objects, n, ret_stats, err);
}

static enum ts_status may_remove(struct ts_access *a, const struct ts_ref_update *u, struct ts_error *err)
{
	/* A stage goes when its run is complete, whoever sent the last rank. */
	if (u->kind == TS_REF_STAGE)
		return TS_OK;
	if (u->kind == TS_REF_RUN)
		return ts_call_need_own(a->call, TS_ACT_REMOVE_RUN, u->kind, u->name, "removing it", err);
	if (u->kind == TS_REF_BRANCH && ts_call_protects(a->call, u->name) &&
	    ts_call_need(a->call, ts_right(TS_ACT_REMOVE_PROTECTED, true), u->name, err))
		return ts_error_prefix(err, "branch %.*s is protected", TS_SPAN_ARG(u->name));
	return ts_call_need_own(a->call, TS_ACT_REMOVE_BRANCH, u->kind, u->name, "removing it", err);
}

/* A push appends to a protected branch what that has not had. Other ways to move one are a handler's to ask for. */
static enum ts_status may_append(struct ts_access *a, const struct ts_ref_update *u, struct ts_error *err)
{
	bool there;

	if (ts_call_need_append(a->call, u->name, &u->id, &there, err))
		return err->status;
	return there ? ts_error_set(err, TS_DENIED, "branch %.*s has had this run already", TS_SPAN_ARG(u->name)) : TS_OK;
}

static enum ts_status may_update(struct ts_access *a, const struct ts_ref_update *u, struct ts_error *err)
{
	enum ts_act act = u->kind == TS_REF_TAG ? TS_ACT_MOVE_TAG : TS_ACT_CREATE_RUN;

	if (ts_call_need(a->call, ts_right(act, true), u->name, err))
		return err->status;
	if (u->remove)
		return may_remove(a, u, err);
	if (u->kind == TS_REF_BRANCH && may_append(a, u, err))
		return err->status;
	return ts_call_proves(a->call, &u->id, err);
}

static enum ts_status guard_commit(struct ts_engine *e, const struct ts_ref_update *updates, size_t n, struct ts_arena *arena,
				   struct ts_ref *ret_ref, struct ts_error *err)
{
	struct ts_access *a = access_of(e);

	for (size_t i = 0; i < n; i++)
		if (may_update(a, &updates[i], err))
			return err->status;
	return ts_audited_commit(a->call, updates, n, arena, ret_ref, err);
}

enum { REMOVED_LOOKED_AT = 4096 }; /* names that were removed: some are hidden */

/* Names that were removed in projects that the caller may read. */
static enum ts_status guard_removed_list(struct ts_engine *e, const struct ts_removed_query *query, struct ts_arena *arena,
					 struct ts_removed_name **ret_names, size_t *ret_n, bool *ret_more, struct ts_error *err)
{
	struct ts_removed_query all = {.prefix = query->prefix, .limit = REMOVED_LOOKED_AT};
	struct ts_access *a = access_of(e);
	struct ts_removed_name *names;
	size_t n, kept = 0;
	bool more;

	if (ts_call_reads_all(a->call))
		return a->base->ops->removed_list(a->base, query, arena, ret_names, ret_n, ret_more, err);
	if (a->base->ops->removed_list(a->base, &all, arena, &names, &n, &more, err))
		return err->status;
	for (size_t i = 0; i < n; i++) {
		if (!readable(a, names[i].ref.name))
			continue;
		if (kept == query->limit) {
			more = true;
			break;
		}
		names[kept++] = names[i];
	}
	*ret_names = names;
	*ret_n = kept;
	*ret_more = more;
	return TS_OK;
}

/* Whether the caller itself removed what was last removed under this name. */
static enum ts_status removed_it(struct ts_access *a, enum ts_ref_kind kind, struct ts_span name, bool *ret_did, struct ts_error *err)
{
	struct ts_removed_query query = {.prefix = name, .limit = REMOVED_LOOKED_AT};
	struct ts_removed_name *names;
	struct ts_arena arena;
	enum ts_status status;
	bool more, found = false;
	size_t n = 0;

	*ret_did = false;
	ts_arena_init(&arena, TS_CALL_ARENA);
	status = a->base->ops->removed_list(a->base, &query, &arena, &names, &n, &more, err);
	for (size_t i = 0; !status && i < n && !found; i++) {
		found = names[i].ref.kind == kind && ts_span_eq(names[i].ref.name, name);
		*ret_did = found && ts_span_eq(names[i].by, a->call->caller);
	}
	ts_arena_finish(&arena);
	return status;
}

/* What bringing a name back needs. */
static enum ts_act restoring(const struct ts_access *a, enum ts_ref_kind kind, struct ts_span name)
{
	if (kind == TS_REF_TAG)
		return TS_ACT_RESTORE_TAG;
	if (kind == TS_REF_BRANCH)
		return ts_call_protects(a->call, name) ? TS_ACT_RESTORE_PROTECTED : TS_ACT_RESTORE_BRANCH;
	return TS_ACT_RESTORE_RUN;
}

static enum ts_status guard_ref_restore(struct ts_engine *e, enum ts_ref_kind kind, struct ts_span name, struct ts_span as,
					struct ts_arena *arena, struct ts_ref *ret_ref, struct ts_error *err)
{
	struct ts_access *a = access_of(e);
	enum ts_auth_role role;
	bool own;

	if (ts_call_need(a->call, TS_AUTH_PUSH, name, err) || removed_it(a, kind, name, &own, err))
		return err->status;
	role = ts_right(restoring(a, kind, name), own);
	if (ts_call_need(a->call, role, name, err) ||
	    (as.len && ts_call_need(a->call, ts_right(restoring(a, kind, as), own), as, err)))
		return err->status;
	return ts_audited_restore(a->call, kind, name, as, arena, ret_ref, err);
}

/* A mark may be written by whoever made the run, and changed while no maintainer has written it; accepting is for maintainers. */
static enum ts_status may_note(struct ts_access *a, struct ts_span name, struct ts_span key, struct ts_arena *arena,
			       struct ts_error *err)
{
	bool accept = ts_span_is(key, "accepted");
	struct ts_span owner, by;
	char what[TS_NAME_MAX];

	(void)snprintf(what, sizeof what, "writing its note %.*s", TS_SPAN_ARG(key));
	if (owner_of(a->call, TS_REF_RUN, name, arena, &owner, err) || marked_by(a->call, name, key, arena, &by, err))
		return err->status;
	if (accept && ts_right(TS_ACT_ACCEPT, true) > TS_AUTH_PUSH)
		return ts_call_need(a->call, ts_right(TS_ACT_ACCEPT, true), name, err);
	if (ts_right(TS_ACT_MARK, ts_identity_is(a->call->who, owner)) > TS_AUTH_PUSH)
		return is_anothers(a->call, TS_REF_RUN, name, owner, what, err);
	return by.len && ts_right(TS_ACT_MARK_AGAIN, true) > TS_AUTH_PUSH ? is_marked(a->call, name, by, what, err) : TS_OK;
}

static enum ts_status guard_note_put(struct ts_engine *e, struct ts_span name, const struct ts_note *note, struct ts_error *err)
{
	struct ts_access *a = access_of(e);
	struct ts_arena arena;
	enum ts_status status;

	if (ts_call_need(a->call, ts_right(TS_ACT_NOTE, false), name, err))
		return err->status;
	ts_arena_init(&arena, TS_CALL_ARENA);
	status = ts_note_steers(note->key) && !maintains(a->call, name) ? may_note(a, name, note->key, &arena, err) : TS_OK;
	ts_arena_finish(&arena);
	return status ? status : ts_audited_note(a->call, name, note, err);
}

/* ---- what changes the rules for all projects ---- */

static enum ts_status rules(struct ts_access *a, struct ts_error *err)
{
	return everything(a->call) ? TS_OK : lacks(a->call, ts_right(TS_ACT_RULE, false), ts_span_str("*"), err);
}

static enum ts_status guard_sweep(struct ts_engine *e, const struct ts_sweep_options *options, struct ts_sweep_report *ret,
				  struct ts_error *err)
{
	struct ts_access *a = access_of(e);

	return rules(a, err) ? err->status : ts_audited_sweep(a->call, options, ret, err);
}

static enum ts_status guard_retire(struct ts_engine *e, const struct ts_retire *what, enum ts_retire_outcome *ret, struct ts_error *err)
{
	struct ts_access *a = access_of(e);

	return rules(a, err) ? err->status : ts_audited_retire(a->call, what, ret, err);
}

static enum ts_status guard_record_put(struct ts_engine *e, const struct ts_record *record, const struct ts_records_seen *seen,
				       struct ts_error *err)
{
	struct ts_access *a = access_of(e);

	return rules(a, err) ? err->status : ts_audited_record(a->call, record, seen, err);
}

/* ---- what is used: that of projects that the caller may read, and its own ---- */

static bool may_see_account(const struct ts_access *a, bool sender, struct ts_span name)
{
	char own[TS_IDENTITY_TEXT];

	if (everything(a->call))
		return true;
	if (!sender)
		return ts_auth_may(a->call->who, TS_AUTH_READ, name);
	ts_identity_account(a->call->who, own);
	return ts_span_is(name, own);
}

static enum ts_status guard_usage_get(struct ts_engine *e, bool sender, struct ts_span name, uint64_t ret_used[TS_USES],
				      bool *ret_counted, struct ts_error *err)
{
	struct ts_access *a = access_of(e);

	if (!may_see_account(a, sender, name))
		return lacks(a->call, sender ? TS_AUTH_ADMIN : TS_AUTH_READ, sender ? ts_span_str("*") : name, err);
	return a->base->ops->usage_get(a->base, sender, name, ret_used, ret_counted, err);
}

static enum ts_status guard_usage_list(struct ts_engine *e, struct ts_arena *arena, struct ts_account **ret_accounts, size_t *ret_n,
				       bool *ret_counted, struct ts_error *err)
{
	struct ts_access *a = access_of(e);
	size_t n, kept = 0;

	if (a->base->ops->usage_list(a->base, arena, ret_accounts, &n, ret_counted, err))
		return err->status;
	for (size_t i = 0; i < n; i++)
		if (may_see_account(a, (*ret_accounts)[i].sender, (*ret_accounts)[i].name))
			(*ret_accounts)[kept++] = (*ret_accounts)[i];
	*ret_n = kept;
	return TS_OK;
}

/* ---- the table: operation, role, whose, parameters, arguments ----
 *
 * OF(kind, name): the role in the project of a name; without read, the name is not there. ALL: the role on the whole server, for what
 * is about all projects. NOBODYS: anybody, for what follows from content alone. What looks at its answer or at each part of what it
 * writes stands above. */

struct whose {
	enum ts_ref_kind kind;
	struct ts_span name;
	bool all;
};
#define OF(of_kind, of_name) ((struct whose){.kind = (of_kind), .name = (of_name)})
#define ALL ((struct whose){.all = true})
#define NOBODYS ((struct whose){.all = false})

static enum ts_status may(struct ts_access *a, enum ts_auth_role role, struct whose whose, struct ts_error *err)
{
	if (whose.all)
		return everything(a->call) ? TS_OK : lacks(a->call, role, ts_span_str("*"), err);
	if (role == TS_AUTH_READ)
		return readable(a, whose.name) ? TS_OK : not_there(whose.kind, whose.name, err);
	return role == TS_AUTH_NONE ? TS_OK : ts_call_need(a->call, role, whose.name, err);
}

#define GUARDED(X)                                                                                                                     \
	X(ref_get, READ, OF(kind, name),                                                                                               \
	  (E, enum ts_ref_kind kind, struct ts_span name, struct ts_arena *arena, struct ts_ref *ret, ERR),                            \
	  (BASE, kind, name, arena, ret, err))                                                                                         \
	X(ref_log, READ, OF(kind, name),                                                                                               \
	  (E, enum ts_ref_kind kind, struct ts_span name, size_t limit, struct ts_arena *arena, struct ts_log_entry **ret,             \
	   size_t *ret_n, ERR),                                                                                                        \
	  (BASE, kind, name, limit, arena, ret, ret_n, err))                                                                           \
	X(log_pruned, READ, OF(kind, name),                                                                                            \
	  (E, enum ts_ref_kind kind, struct ts_span name, struct ts_arena *arena, struct ts_pruned *ret, ERR),                         \
	  (BASE, kind, name, arena, ret, err))                                                                                         \
	X(note_list, READ, OF(TS_REF_RUN, name),                                                                                       \
	  (E, struct ts_span name, struct ts_arena *arena, struct ts_ref *ref, struct ts_note **ret, size_t *ret_n, ERR),              \
	  (BASE, name, arena, ref, ret, ret_n, err))                                                                                   \
	X(note_log, READ, OF(TS_REF_RUN, name),                                                                                        \
	  (E, struct ts_span name, struct ts_arena *arena, struct ts_note **ret, size_t *ret_n, ERR),                                  \
	  (BASE, name, arena, ret, ret_n, err))                                                                                        \
	X(verify, ADMIN, ALL,                                                                                                          \
	  (E, const struct ts_verify_options *options, struct ts_arena *arena, struct ts_verify_report *ret, ERR),                     \
	  (BASE, options, arena, ret, err))                                                                                            \
	X(record_get, ADMIN, ALL,                                                                                                      \
	  (E, struct ts_span key, struct ts_arena *arena, struct ts_span *ret, ERR), (BASE, key, arena, ret, err))                     \
	X(record_list, ADMIN, ALL,                                                                                                     \
	  (E, struct ts_span prefix, struct ts_arena *arena, struct ts_record **ret, size_t *ret_n, ERR),                              \
	  (BASE, prefix, arena, ret, ret_n, err))                                                                                      \
	X(backup, ADMIN, ALL, (E, const char *path, ERR), (BASE, path, err))                                                           \
	X(mirror, ADMIN, ALL,                                                                                                          \
	  (E, struct ts_span asked, ts_mirror_send *send, void *ctx, ERR), (BASE, asked, send, ctx, err))                              \
	X(recount, ADMIN, ALL, (E, ERR), (BASE, err))                                                                                  \
	X(heads_find, READ, OF(TS_REF_RUN, project),                                                                                   \
	  (E, struct ts_span project, struct ts_span hex, size_t limit, struct ts_arena *arena, struct ts_id **ret, size_t *ret_n,     \
	   ERR),                                                                                                                       \
	  (BASE, project, hex, limit, arena, ret, ret_n, err))                                                                         \
	X(known_many, ADMIN, ALL,                                                                                                      \
	  (E, const struct ts_viewer *viewer, const struct ts_id *ids, size_t n, enum ts_known *ret, bool *ret_leased, ERR),           \
	  (BASE, viewer, ids, n, ret, ret_leased, err))                                                                                \
	X(prove, ADMIN, ALL, (E, const struct ts_viewer *viewer, const struct ts_id *id, ERR), (BASE, viewer, id, err))                \
	X(sound, NONE, NOBODYS, (E, ERR), (BASE, err))                                                                                 \
	X(get, NONE, NOBODYS,                                                                                                          \
	  (E, const struct ts_id *id, struct ts_arena *arena, struct ts_sealed *ret, ERR), (BASE, id, arena, ret, err))                \
	X(outline_many, NONE, NOBODYS,                                                                                                 \
	  (E, const struct ts_id *ids, size_t n, struct ts_outline *ret, ERR), (BASE, ids, n, ret, err))                               \
	X(extracts_put, NONE, NOBODYS, (E, const struct ts_extracts *runs, size_t n, ERR), (BASE, runs, n, err))                       \
	X(extract_get, NONE, NOBODYS,                                                                                                  \
	  (E, const struct ts_extract_key *key, const struct ts_id *id, struct ts_arena *arena, struct ts_span *ret, ERR),             \
	  (BASE, key, id, arena, ret, err))                                                                                            \
	X(extracts_walk, NONE, NOBODYS,                                                                                                \
	  (E, const struct ts_extract_key *key, ts_extract_visit *visit, void *ctx, ERR), (BASE, key, visit, ctx, err))                \
	X(cache_get, NONE, NOBODYS,                                                                                                    \
	  (E, struct ts_span key, struct ts_arena *arena, struct ts_span *ret, ERR), (BASE, key, arena, ret, err))                     \
	X(stats, NONE, NOBODYS, (E, struct ts_store_stats *ret, ERR), (BASE, ret, err))                                                \
	X(vitals, NONE, NOBODYS, (E, struct ts_store_vitals *ret, ERR), (BASE, ret, err))

#define E struct ts_engine *e
#define ERR struct ts_error *err
#define BASE access_of(e)->base
#define DEFINE(operation, role, whose, parameters, arguments)                                                                          \
	static enum ts_status guard_##operation parameters                                                                             \
	{                                                                                                                              \
		return may(access_of(e), TS_AUTH_##role, whose, err) ? err->status : BASE->ops->operation arguments;                   \
	}
GUARDED(DEFINE)

static void guard_cache_put(struct ts_engine *e, struct ts_span key, struct ts_span value)
{
	struct ts_access *a = access_of(e);

	a->base->ops->cache_put(a->base, key, value);
}

static void guard_destroy(struct ts_engine *e)
{
	(void)e; /* it is a part of its call */
}

#define ROW(operation, ...) .operation = guard_##operation,

static const struct ts_engine_ops guard_ops = {
	GUARDED(ROW)
	.has_many = guard_has_many,
	.look_many = guard_look_many,
	.put_many = guard_put_many,
	.upload_many = guard_upload_many,
	.usage_get = guard_usage_get,
	.usage_list = guard_usage_list,
	.commit = guard_commit,
	.note_put = guard_note_put,
	.sweep = guard_sweep,
	.retire = guard_retire,
	.record_put = guard_record_put,
	.ref_list = guard_ref_list,
	.removed_list = guard_removed_list,
	.ref_restore = guard_ref_restore,
	.find_prefix = guard_find_prefix,
	.cache_put = guard_cache_put,
	.destroy = guard_destroy,
};

static enum ts_status lacks_method(const struct ts_call *call, const struct ts_handler *h, struct ts_error *err)
{
	if (h->needs == TS_AUTH_ADMIN)
		return ts_error_set(err, TS_DENIED, "%s is for admins of the server, and %s is none", h->method, call->who->name);
	return ts_error_set(err, TS_DENIED, "%s does not have the role %s in any project of this server; an admin can give it",
			    call->who->name, ts_auth_role_word(h->needs));
}

enum ts_status ts_call_begin(struct ts_call *call, const struct ts_handler *h, struct ts_error *err)
{
	call->access = (struct ts_access){.guard.ops = &guard_ops, .base = call->engine, .call = call};
	if (!call->who)
		return TS_OK;
	call->engine = &call->access.guard;
	if (everything(call))
		return TS_OK;
	if (h->needs == TS_AUTH_NONE || h->needs == TS_AUTH_ADMIN || call->who->best < h->needs) {
		(void)lacks_method(call, h, err);
		ts_audited_refusal(call, err);
		return TS_DENIED;
	}
	return TS_OK;
}
