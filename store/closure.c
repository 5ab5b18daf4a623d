#include "store/closure.h"

#include "base/alloc.h"
#include "base/grow.h"
#include "base/limits.h"

void ts_closure_init(struct ts_closure *c, const struct ts_closure_ops *ops, void *ctx)
{
	*c = (struct ts_closure){.ops = ops, .ctx = ctx};
	ts_arena_init(&c->arena, 0);
}

void ts_closure_finish(struct ts_closure *c)
{
	ts_free(c->stack);
	ts_arena_finish(&c->arena);
}

static enum ts_status reserve(struct ts_closure *c, size_t n, struct ts_error *err)
{
	return TS_GROW(c->stack, c->cap, c->n + n, 64)
		       ? TS_OK
		       : ts_error_set(err, TS_NO_MEMORY, "out of memory for %zu references", c->n + n);
}

/* Puts the references that are seen for the first time on the stack. */
static enum ts_status push_refs(struct ts_closure *c, const struct ts_sealed *sealed, struct ts_error *err)
{
	struct ts_object object;
	struct ts_span bytes;
	size_t before = c->n;

	if (ts_unseal(sealed, &c->arena, &bytes, err) || ts_object_parse(bytes, &object, err) ||
	    reserve(c, object.nrefs, err))
		return err->status;
	for (uint32_t i = object.nrefs; i-- > 0;) {
		struct ts_id id = ts_object_ref(&object, i);
		bool first;

		if (c->ops->visit(c->ctx, &id, &first, err))
			return err->status;
		if (first)
			c->stack[c->n++] = id;
	}
	return c->ops->ahead ? c->ops->ahead(c->ctx, c->stack + before, c->n - before, err) : TS_OK;
}

static enum ts_status step(struct ts_closure *c, const struct ts_id *id, struct ts_error *err)
{
	struct ts_found found = {0};

	ts_arena_reset(&c->arena);
	if (c->ops->look(c->ctx, id, &c->arena, &found, err))
		return err->status;
	return found.follow ? push_refs(c, &found.sealed, err) : TS_OK;
}

enum ts_status ts_closure_walk(struct ts_closure *c, const struct ts_id *root, struct ts_error *err)
{
	bool first;

	if (c->ops->visit(c->ctx, root, &first, err) || reserve(c, 1, err))
		return err->status;
	if (first)
		c->stack[c->n++] = *root;
	while (c->n) {
		struct ts_id id = c->stack[--c->n];
		enum ts_status status = step(c, &id, err);

		if (status == TS_NOT_FOUND || status == TS_DAMAGED)
			status = c->ops->trouble(c->ctx, &id, err);
		if (status) {
			c->n = 0;
			return status;
		}
	}
	return TS_OK;
}
