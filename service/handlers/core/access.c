#include "service/handlers/core/access.h"

#include "run/kind.h"
#include "service/handlers/core/handler.h"
#include "service/handlers/core/sight.h"

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

enum ts_status ts_call_need_own(const struct ts_call *call, enum ts_ref_kind kind, struct ts_span name, const char *what,
				struct ts_error *err)
{
	struct ts_span owner;
	struct ts_arena arena;
	enum ts_status status;

	if (everything(call) || ts_auth_may(call->who, TS_AUTH_MAINTAIN, project_of(name)))
		return TS_OK;
	if (ts_call_need(call, TS_AUTH_PUSH, name, err))
		return err->status;
	ts_arena_init(&arena, TS_CALL_ARENA);
	status = owner_of(call, kind, name, &arena, &owner, err);
	if (!status && !ts_identity_is(call->who, owner))
		status = ts_error_set(err, TS_DENIED,
				      "%s %.*s was made by %.*s; %s needs the role maintain in the project %.*s, and %s has only push",
				      ts_ref_word(kind), TS_SPAN_ARG(name),
				      TS_SPAN_ARG(owner.len ? owner : ts_span_str("nobody who is known")), what,
				      TS_SPAN_ARG(project_of(name)), call->who->name);
	ts_arena_finish(&arena);
	return status;
}

enum ts_status ts_call_need_branch(const struct ts_call *call, struct ts_span name, struct ts_error *err)
{
	if (everything(call) || !ts_auth_protects(call->who->policy, ts_span_after(name, '/')))
		return ts_call_need(call, TS_AUTH_PUSH, name, err);
	if (!ts_call_need(call, TS_AUTH_MAINTAIN, name, err))
		return TS_OK;
	return ts_error_prefix(err, "branch %.*s is protected and moves by pushes only", TS_SPAN_ARG(name));
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
	return err->status;
}

/* Leaves the names of other projects out of a page. A page may become empty before the end. */
static enum ts_status guard_ref_list(struct ts_engine *e, const struct ts_ref_query *query, struct ts_arena *arena,
				     struct ts_ref **ret_refs, size_t *ret_n, struct ts_span *ret_next, struct ts_error *err)
{
	struct ts_access *a = access_of(e);
	size_t n = 0, kept = 0;

	if (a->base->ops->ref_list(a->base, query, arena, ret_refs, &n, ret_next, err))
		return err->status;
	for (size_t i = 0; i < n; i++)
		if (ts_auth_may(a->call->who, TS_AUTH_READ, project_of((*ret_refs)[i].name)))
			(*ret_refs)[kept++] = (*ret_refs)[i];
	*ret_n = kept;
	return TS_OK;
}

enum ts_status ts_call_sees(const struct ts_call *call, const struct ts_id *head, bool *ret_sees, struct ts_error *err)
{
	if (ts_call_reads_all(call)) {
		*ret_sees = true;
		return TS_OK;
	}
	return ts_sight_of(call, head, ret_sees, err);
}

/* A head of another project counts as missing, so that a push sends it and thereby shows that it has it. */
static enum ts_status hide_heads(struct ts_access *a, const struct ts_id *ids, size_t n, bool *io_present, struct ts_error *err)
{
	char hex[TS_ID_HEX + 1];
	struct ts_arena arena;
	enum ts_status status = TS_OK;

	ts_arena_init(&arena, TS_CALL_ARENA);
	for (size_t i = 0; i < n && !status; i++) {
		struct ts_id *found;
		size_t heads = 0;

		if (!io_present[i])
			continue;
		ts_arena_reset(&arena);
		status = a->base->ops->find_prefix(a->base, TS_KIND_HEAD, ts_span_of(ts_id_hex(&ids[i], hex), TS_ID_HEX), 1, &arena,
						   &found, &heads, err);
		if (!status && heads > 0)
			status = ts_call_sees(a->call, &ids[i], &io_present[i], err);
	}
	ts_arena_finish(&arena);
	return status;
}

static enum ts_status guard_has_many(struct ts_engine *e, const struct ts_id *ids, size_t n, bool *ret_present, struct ts_error *err)
{
	struct ts_access *a = access_of(e);

	if (a->base->ops->has_many(a->base, ids, n, ret_present, err))
		return err->status;
	return ts_call_reads_all(a->call) ? TS_OK : hide_heads(a, ids, n, ret_present, err);
}

static enum ts_status guard_look_many(struct ts_engine *e, const struct ts_id *ids, size_t n, bool *ret_present, bool *ret_leased,
				      struct ts_error *err)
{
	struct ts_access *a = access_of(e);

	if (ts_call_reads_all(a->call))
		return a->base->ops->look_many(a->base, ids, n, ret_present, ret_leased, err);
	*ret_leased = false;
	return TS_OK;
}

enum { LOOKED_AT = 256, REMOVED_LOOKED_AT = 4096 }; /* heads with one prefix, names that were removed: some are hidden */

static enum ts_status guard_find_prefix(struct ts_engine *e, uint8_t kind, struct ts_span hex, size_t limit, struct ts_arena *arena,
					struct ts_id **ret_ids, size_t *ret_n, struct ts_error *err)
{
	struct ts_access *a = access_of(e);
	struct ts_id *ids;
	size_t n, kept = 0;

	if (ts_call_reads_all(a->call))
		return a->base->ops->find_prefix(a->base, kind, hex, limit, arena, ret_ids, ret_n, err);
	if (a->base->ops->find_prefix(a->base, kind, hex, LOOKED_AT, arena, &ids, &n, err))
		return err->status;
	for (size_t i = 0; i < n && kept < limit; i++) {
		bool sees = false;

		if (kind == TS_KIND_HEAD && ts_call_sees(a->call, &ids[i], &sees, err))
			return err->status;
		if (sees)
			ids[kept++] = ids[i];
	}
	*ret_ids = ids;
	*ret_n = kept;
	return TS_OK;
}

/* ---- the guard: writing ---- */

/* Whoever sends pays for what no name reaches. */
static enum ts_status guard_upload_many(struct ts_engine *e, struct ts_span sender, const struct ts_sealed *objects, size_t n,
					struct ts_put_stats *ret_stats, struct ts_error *err)
{
	struct ts_access *a = access_of(e);

	if (a->call->who->best < TS_AUTH_PUSH)
		return lacks(a->call, TS_AUTH_PUSH, ts_span_str("*"), err);
	if (a->base->ops->upload_many(a->base, sender, objects, n, ret_stats, err))
		return err->status;
	for (size_t i = 0; i < n; i++)
		if (objects[i].kind == TS_KIND_HEAD)
			ts_sight_note(a->call->who, &objects[i].id);
	return TS_OK;
}

static enum ts_status guard_put_many(struct ts_engine *e, const struct ts_sealed *objects, size_t n, struct ts_put_stats *ret_stats,
				     struct ts_error *err)
{
	char sender[TS_IDENTITY_TEXT];

	ts_identity_account(access_of(e)->call->who, sender);
	return guard_upload_many(e, ts_span_str(sender), objects, n, ret_stats, err);
}

/* A stage goes when its run is complete, whoever sent the last rank. */
static enum ts_status may_update(struct ts_access *a, const struct ts_ref_update *u, struct ts_error *err)
{
	bool sees = true;

	if (ts_call_need(a->call, u->kind == TS_REF_TAG ? TS_AUTH_MAINTAIN : TS_AUTH_PUSH, u->name, err))
		return err->status;
	if (u->remove)
		return u->kind == TS_REF_STAGE ? TS_OK : ts_call_need_own(a->call, u->kind, u->name, "removing it", err);
	if (ts_call_sees(a->call, &u->id, &sees, err))
		return err->status;
	return sees ? TS_OK
		    : ts_error_set(err, TS_NOT_FOUND, "the store does not have this run, or only in projects that %s may not read",
				   a->call->who->name);
}

static enum ts_status guard_commit(struct ts_engine *e, const struct ts_ref_update *updates, size_t n, struct ts_arena *arena,
				   struct ts_ref *ret_ref, struct ts_error *err)
{
	struct ts_access *a = access_of(e);

	for (size_t i = 0; i < n; i++)
		if (may_update(a, &updates[i], err))
			return err->status;
	return a->base->ops->commit(a->base, updates, n, arena, ret_ref, err);
}

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

/* What one has removed oneself comes back with the role push; what another has removed, and tags, need maintain. */
static enum ts_status guard_ref_restore(struct ts_engine *e, enum ts_ref_kind kind, struct ts_span name, struct ts_span as,
					struct ts_arena *arena, struct ts_ref *ret_ref, struct ts_error *err)
{
	struct ts_access *a = access_of(e);
	enum ts_auth_role role = TS_AUTH_PUSH;
	bool own;

	if (ts_call_need(a->call, TS_AUTH_PUSH, name, err) || removed_it(a, kind, name, &own, err))
		return err->status;
	if (kind == TS_REF_TAG || !own)
		role = TS_AUTH_MAINTAIN;
	if (ts_call_need(a->call, role, name, err) || (as.len && ts_call_need(a->call, role, as, err)))
		return err->status;
	return a->base->ops->ref_restore(a->base, kind, name, as, arena, ret_ref, err);
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
	  (E, struct ts_span name, struct ts_arena *arena, struct ts_note **ret, size_t *ret_n, ERR),                                  \
	  (BASE, name, arena, ret, ret_n, err))                                                                                        \
	X(note_put, PUSH, OF(TS_REF_RUN, name),                                                                                        \
	  (E, struct ts_span name, const struct ts_note *note, ERR), (BASE, name, note, err))                                          \
	X(verify, ADMIN, ALL,                                                                                                          \
	  (E, bool (*progress)(void *ctx, uint64_t done, uint64_t total), void *ctx, struct ts_arena *arena,                           \
	   struct ts_verify_report *ret, ERR),                                                                                         \
	  (BASE, progress, ctx, arena, ret, err))                                                                                      \
	X(sweep, ADMIN, ALL,                                                                                                           \
	  (E, const struct ts_sweep_options *options, struct ts_sweep_report *ret, ERR), (BASE, options, ret, err))                    \
	X(retire, ADMIN, ALL,                                                                                                          \
	  (E, const struct ts_retire *what, enum ts_retire_outcome *ret, ERR), (BASE, what, ret, err))                                 \
	X(record_put, ADMIN, ALL, (E, const struct ts_record *record, const struct ts_records_seen *seen, ERR),                        \
	  (BASE, record, seen, err))                                                                                                   \
	X(record_get, ADMIN, ALL,                                                                                                      \
	  (E, struct ts_span key, struct ts_arena *arena, struct ts_span *ret, ERR), (BASE, key, arena, ret, err))                     \
	X(record_list, ADMIN, ALL,                                                                                                     \
	  (E, struct ts_span prefix, struct ts_arena *arena, struct ts_record **ret, size_t *ret_n, ERR),                              \
	  (BASE, prefix, arena, ret, ret_n, err))                                                                                      \
	X(backup, ADMIN, ALL, (E, const char *path, ERR), (BASE, path, err))                                                           \
	X(recount, ADMIN, ALL, (E, ERR), (BASE, err))                                                                                  \
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
	.ref_list = guard_ref_list,
	.removed_list = guard_removed_list,
	.ref_restore = guard_ref_restore,
	.find_prefix = guard_find_prefix,
	.cache_put = guard_cache_put,
	.destroy = guard_destroy,
};

enum ts_status ts_call_begin(struct ts_call *call, const struct ts_handler *h, struct ts_error *err)
{
	call->access = (struct ts_access){.guard.ops = &guard_ops, .base = call->engine, .call = call};
	if (!call->who)
		return TS_OK;
	call->engine = &call->access.guard;
	if (everything(call))
		return TS_OK;
	if (h->needs == TS_AUTH_NONE || h->needs == TS_AUTH_ADMIN || call->who->best < h->needs) {
		if (h->needs == TS_AUTH_ADMIN)
			return ts_error_set(err, TS_DENIED, "%s is for admins of the server, and %s is none", h->method,
					    call->who->name);
		return ts_error_set(err, TS_DENIED,
				    "%s does not have the role %s in any project of this server; an admin can give it",
				    call->who->name, ts_auth_role_word(h->needs));
	}
	return TS_OK;
}
