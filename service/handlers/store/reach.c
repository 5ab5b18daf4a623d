#include "service/handlers/store/reach.h"

#include "base/object.h"
#include "base/order.h"
#include "service/handlers/core/read.h"
#include "service/handlers/core/sight.h"

#include <stdlib.h>

/* Ids that the heads of a request reach; sorted once it is whole. */
struct reach {
	struct ts_fetch f;
	struct ts_arena arena;
	struct ts_id *ids;
	size_t n, cap;
};

static enum ts_status add(struct reach *r, const struct ts_id *ids, size_t n, struct ts_error *err)
{
	if (n > r->cap - r->n) {
		size_t cap = 2 * (r->cap + n);
		struct ts_id *more = ts_arena_array(&r->arena, cap, sizeof *more);

		if (!more)
			return ts_arena_error(&r->arena, err);
		if (r->n)
			memcpy(more, r->ids, r->n * sizeof *more);
		r->ids = more;
		r->cap = cap;
	}
	if (n)
		memcpy(r->ids + r->n, ids, n * sizeof *ids);
	r->n += n;
	return TS_OK;
}

static enum ts_status add_refs(struct reach *r, struct ts_span object, struct ts_error *err)
{
	struct ts_object frame;

	if (ts_object_parse(object, &frame, err))
		return err->status;
	return add(r, (const struct ts_id *)(const void *)frame.refs.data, frame.nrefs, err); /* an id is bytes, of no alignment */
}

static enum ts_status add_index(struct reach *r, struct ts_id id, struct ts_index *index, struct ts_error *err)
{
	bool more = true;

	while (more) {
		struct ts_span object;

		if (ts_fetch_object(&r->f, &id, &r->arena, &object, err) || add_refs(r, object, err) ||
		    ts_index_decode(object, &r->arena, index, &more, &id, err))
			return err->status;
	}
	return TS_OK;
}

/* What the columns of files refer to counts as the rank's. */
static enum ts_status add_rank(struct reach *r, struct ts_id id, struct ts_error *err)
{
	struct ts_index index = {0};

	if (add_index(r, id, &index, err))
		return err->status;
	for (size_t i = 0; i < index.n_files; i++) {
		struct ts_index columns = {0};

		if (index.files[i].has_columns && add_index(r, index.files[i].columns, &columns, err))
			return err->status;
	}
	return TS_OK;
}

static enum ts_status add_head(struct reach *r, const struct ts_call *call, const struct ts_id *id, struct ts_error *err)
{
	struct ts_head head;
	struct ts_span object;
	bool sees = false;

	if (ts_call_sees(call, id, &sees, err))
		return err->status;
	if (!sees)
		return TS_OK; /* what only it reaches is not there */
	if (ts_fetch_object(&r->f, id, &r->arena, &object, err) || add(r, id, 1, err) || add_refs(r, object, err) ||
	    ts_head_decode(object, &r->arena, &head, err))
		return err->status;
	for (size_t i = 0; i < head.n_ranks; i++)
		if (add_rank(r, head.ranks[i].index, err))
			return err->status;
	return TS_OK;
}

/* Whether all ids are known without any head: what a readable run reaches, unless an older version wrote it, or what was sent. */
static enum ts_status knows_all(struct reach *r, const struct ts_call *call, const struct ts_objects_request *request, bool *ret_all,
				struct ts_error *err)
{
	bool *known = ts_arena_array(&r->arena, request->n + 1, sizeof *known);

	if (!known)
		return ts_arena_error(&r->arena, err);
	if (ts_sight_known(call, request->ids, request->n, known, NULL, err))
		return err->status;
	*ret_all = true;
	for (size_t i = 0; i < request->n; i++)
		*ret_all &= known[i];
	return TS_OK;
}

static enum ts_status check(struct reach *r, const struct ts_call *call, const struct ts_objects_request *request, struct ts_error *err)
{
	char hex[TS_ID_HEX + 1];
	bool all = false;

	if (knows_all(r, call, request, &all, err))
		return err->status;
	if (all)
		return TS_OK;
	for (size_t i = 0; i < request->n_heads; i++)
		if (add_head(r, call, &request->heads[i], err))
			return err->status;
	TS_SORT(r->ids, r->n, ts_by_id);
	for (size_t i = 0; i < request->n; i++) {
		bool sees = r->n && bsearch(&request->ids[i], r->ids, r->n, sizeof *r->ids, ts_by_id);

		if (!sees && ts_call_sees(call, &request->ids[i], &sees, err))
			return err->status;
		if (!sees)
			return ts_error_set(err, TS_NOT_FOUND,
					    "the store has no object %s, or %s may not read a run that has it (a request has to name "
					    "the head of such a run)",
					    ts_id_hex(&request->ids[i], hex), call->who->name);
	}
	return TS_OK;
}

enum ts_status ts_reach_check(struct ts_call *call, const struct ts_objects_request *request, struct ts_error *err)
{
	struct reach r = {.ids = NULL};
	enum ts_status status;

	if (ts_call_reads_all(call))
		return TS_OK;
	ts_fetch_init(&r.f, call);
	ts_arena_init(&r.arena, TS_ANALYSIS_ARENA);
	status = check(&r, call, request, err);
	ts_arena_finish(&r.arena);
	ts_fetch_finish(&r.f);
	return status;
}
