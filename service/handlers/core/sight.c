#include "service/handlers/core/sight.h"

#include "base/order.h"
#include "run/kind.h"

struct viewing {
	struct ts_viewer viewer;
	struct ts_span projects[TS_GRANTS_MAX];
	char sender[TS_IDENTITY_TEXT];
};

/* The projects in which the caller has a role. */
static size_t projects_of(const struct ts_call *call, enum ts_auth_role role, struct ts_span ret_projects[TS_GRANTS_MAX])
{
	struct ts_span project;
	size_t at = 0, n = 0;

	while (n < TS_GRANTS_MAX && ts_identity_next_project(call->who, &at, &project))
		if (ts_auth_may(call->who, role, project))
			ret_projects[n++] = project;
	return n;
}

size_t ts_sight_projects(const struct ts_call *call, struct ts_span ret_projects[TS_GRANTS_MAX])
{
	size_t n = projects_of(call, TS_AUTH_READ, ret_projects);

	TS_SORT(ret_projects, n, ts_by_span);
	return n;
}

/* What the caller has sent, and what the projects reach in which it has a role. */
static void view(const struct ts_call *call, enum ts_auth_role role, struct viewing *ret)
{
	ts_identity_account(call->who, ret->sender);
	ret->viewer = (struct ts_viewer){
		.sender = ts_span_str(ret->sender), .projects = ret->projects, .n = projects_of(call, role, ret->projects)};
}

static enum ts_status known_as(const struct ts_call *call, enum ts_auth_role role, const struct ts_id *ids, size_t n, bool *ret_known,
			       bool *ret_leased, struct ts_error *err)
{
	enum ts_known *known = ts_arena_array(call->arena, n + 1, sizeof *known);
	struct ts_engine *base = call->access.base;
	struct viewing v;

	if (!known)
		return ts_arena_error(call->arena, err);
	view(call, role, &v);
	if (ts_call_check(call, err) || base->ops->known_many(base, &v.viewer, ids, n, known, ret_leased, err))
		return err->status;
	for (size_t i = 0; i < n; i++)
		ret_known[i] = known[i] != TS_KNOWN_NOT;
	return TS_OK;
}

enum ts_status ts_sight_known(const struct ts_call *call, const struct ts_id *ids, size_t n, bool *ret_known, bool *ret_leased,
			      struct ts_error *err)
{
	return known_as(call, TS_AUTH_READ, ids, n, ret_known, ret_leased, err);
}

enum ts_status ts_sight_writable(const struct ts_call *call, const struct ts_id *ids, size_t n, bool *ret_writable, bool *ret_leased,
				 struct ts_error *err)
{
	return known_as(call, TS_AUTH_PUSH, ids, n, ret_writable, ret_leased, err);
}

enum ts_status ts_sight_prove(const struct ts_call *call, const struct ts_id *id, struct ts_error *err)
{
	struct ts_engine *base = call->access.base;
	struct viewing v;

	view(call, TS_AUTH_READ, &v);
	return base->ops->prove(base, &v.viewer, id, err);
}

struct search {
	struct ts_engine *base;
	struct ts_span hex;
	struct ts_arena *arena;
	struct ts_id *ids;
	size_t n, cap;
};

static void add(struct search *s, const struct ts_id *id)
{
	for (size_t i = 0; i < s->n; i++)
		if (ts_id_eq(&s->ids[i], id))
			return;
	if (s->n < s->cap)
		s->ids[s->n++] = *id;
}

/* Every project is asked, so that what is found in the first costs what is found in none. */
static enum ts_status look_in(struct search *s, struct ts_span project, struct ts_error *err)
{
	struct ts_id *ids;
	size_t n;

	if (s->base->ops->heads_find(s->base, project, s->hex, s->cap, s->arena, &ids, &n, err))
		return err->status;
	for (size_t i = 0; i < n; i++)
		add(s, &ids[i]);
	return TS_OK;
}

static enum ts_status add_sent(struct search *s, const struct ts_viewer *viewer, const struct ts_id *id, struct ts_error *err)
{
	struct ts_error why;
	enum ts_status status = s->base->ops->prove(s->base, viewer, id, &why);

	if (!status)
		add(s, id);
	else if (status != TS_NOT_FOUND)
		*err = why;
	return status == TS_NOT_FOUND ? TS_OK : status;
}

/* A log keeps entries whose objects are gone. */
static enum ts_status keep_present(struct search *s, struct ts_error *err)
{
	struct ts_outline *outlines = ts_arena_array(s->arena, s->n + 1, sizeof *outlines);
	size_t kept = 0;

	if (!outlines)
		return ts_arena_error(s->arena, err);
	if (s->n && s->base->ops->outline_many(s->base, s->ids, s->n, outlines, err))
		return err->status;
	for (size_t i = 0; i < s->n; i++)
		if (outlines[i].present && outlines[i].kind == TS_KIND_HEAD)
			s->ids[kept++] = s->ids[i];
	s->n = kept;
	return TS_OK;
}

enum ts_status ts_sight_find(const struct ts_call *call, struct ts_span hex, size_t limit, struct ts_arena *arena,
			     struct ts_id **ret_ids, size_t *ret_n, struct ts_error *err)
{
	struct search s = {.base = call->access.base, .hex = hex, .arena = arena, .cap = limit};
	struct viewing v;
	struct ts_id whole;

	s.ids = ts_arena_array(arena, limit + 1, sizeof *s.ids);
	if (!s.ids)
		return ts_arena_error(arena, err);
	view(call, TS_AUTH_READ, &v);
	for (size_t i = 0; i < v.viewer.n; i++)
		if (look_in(&s, v.projects[i], err))
			return err->status;
	if (ts_id_parse(hex, &whole) && add_sent(&s, &v.viewer, &whole, err))
		return err->status;
	if (keep_present(&s, err))
		return err->status;
	*ret_ids = s.ids;
	*ret_n = s.n;
	return TS_OK;
}
