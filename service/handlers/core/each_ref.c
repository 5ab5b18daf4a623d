#include "service/handlers/core/each_ref.h"

#include "base/limits.h"

enum { PAGE = 256 };

static enum ts_status visit_page(const struct ts_ref *refs, size_t n, ts_ref_visit *visit, void *ctx, bool *ret_enough,
				 struct ts_error *err)
{
	for (size_t i = 0; i < n && !*ret_enough; i++)
		if (visit(ctx, &refs[i], ret_enough, err))
			return err->status;
	return TS_OK;
}

enum ts_status ts_each_ref(const struct ts_call *call, struct ts_engine *engine, enum ts_ref_kind kind, struct ts_span prefix,
			   enum ts_ref_order order, ts_ref_visit *visit, void *ctx, struct ts_error *err)
{
	struct ts_ref_query query = {.kind = kind, .prefix = prefix, .order = order, .limit = PAGE};
	struct ts_arena pages[2]; /* the token of one page is in its arena while the next is read */
	enum ts_status status;
	bool enough = false;
	int turn = 0;

	ts_arena_init(&pages[0], TS_CALL_ARENA);
	ts_arena_init(&pages[1], TS_CALL_ARENA);
	do {
		struct ts_ref *refs;
		struct ts_span next = {0};
		size_t n;

		turn = !turn;
		ts_arena_reset(&pages[turn]);
		status = ts_call_check(call, err);
		if (!status)
			status = engine->ops->ref_list(engine, &query, &pages[turn], &refs, &n, &next, err);
		if (!status)
			status = visit_page(refs, n, visit, ctx, &enough, err);
		query.after = next;
	} while (!status && !enough && query.after.len);
	ts_arena_finish(&pages[0]);
	ts_arena_finish(&pages[1]);
	return status;
}
