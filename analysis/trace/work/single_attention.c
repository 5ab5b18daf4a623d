/* single_attention.c - attention that a program wrote in single operations, which compute all scores as the math attention does: a
 * batched product, a softmax of what it gave, and a batched product of that. */
#include "analysis/trace/work/work_parts.h"

#include "base/door.h"
#include "base/scratch.h"

enum operation { OTHER, PRODUCT, PRODUCT_ADDED, SOFTMAX };

static uint8_t operation_of(struct ts_span name)
{
	if (ts_span_is(name, "aten::bmm"))
		return PRODUCT;
	if (ts_span_is(name, "aten::baddbmm"))
		return PRODUCT_ADDED;
	return ts_span_is(name, "aten::_softmax") ? SOFTMAX : OTHER;
}

/* The scores that attention has: [b,n,m]. */
struct scores {
	uint64_t batch, rows, columns;
};

static bool same(const struct scores *x, const struct scores *y)
{
	return x->batch == y->batch && x->rows == y->rows && x->columns == y->columns;
}

/* What a product takes first and gives. added: to what stands before its factors. */
static bool product(struct ts_span shapes, bool added, struct scores *ret_from, struct scores *ret_to)
{
	struct ts_input_shape in[3];
	const struct ts_input_shape *x = &in[added], *y = x + 1;

	if (!ts_input_shapes(shapes, in, added ? 3 : 2) || x->n != 3 || y->n != 3 || x->at[0] != y->at[0] || x->at[2] != y->at[1])
		return false;
	*ret_from = (struct scores){x->at[0], x->at[1], x->at[2]};
	*ret_to = (struct scores){x->at[0], x->at[1], y->at[2]};
	return true;
}

static bool softmax(struct ts_span shapes, struct scores *ret)
{
	struct ts_input_shape x;

	if (!ts_input_shapes(shapes, &x, 1) || x.n < 3)
		return false;
	*ret = (struct scores){1, x.at[x.n - 2], x.at[x.n - 1]};
	for (size_t i = 0; i + 2 < x.n; i++)
		if (__builtin_mul_overflow(ret->batch, x.at[i], &ret->batch))
			return false;
	return true;
}

/* How far an attention has come on a thread. */
struct chain {
	bool begun, is_normal; /* the first product, and the softmax of what it gave */
	bool unsaid;	       /* shapes of them are not said */
	struct scores scores;
	struct ts_work_sum before; /* of the thread, until the first product began */
};

static void normalize(struct chain *c, struct ts_span shapes)
{
	struct scores of;

	c->unsaid |= !shapes.len;
	c->is_normal = c->begun && (c->unsaid || (softmax(shapes, &of) && same(&of, &c->scores)));
}

/* Whether the product ends an attention, or may if its shapes or those before are unsaid; otherwise it may begin one. */
static bool multiply(struct chain *c, bool added, struct ts_span shapes, const struct ts_work_sum *so_far)
{
	struct scores from = {0}, to = {0};
	bool fits = product(shapes, added, &from, &to);

	if (c->is_normal && (c->unsaid || !shapes.len || (fits && same(&from, &c->scores)))) {
		c->unsaid |= !shapes.len;
		return true;
	}
	*c = (struct chain){.begun = fits || !shapes.len, .unsaid = !shapes.len, .scores = to, .before = *so_far};
	return false;
}

/* What each span of the host launched that no span within it did. */
static struct ts_work_sum *own_work(const struct ts_trace *trace, const struct ts_nest *nest, struct ts_arena *arena)
{
	const struct ts_trace_spans *s = &trace->rows.spans;
	struct ts_work_sum *own = ts_arena_array(arena, s->n, sizeof *own);

	for (size_t i = 0; i < s->n && own; i++) {
		uint32_t span = ts_trace_on_device(s->kind[i]) ? ts_device_work_of(nest, i) : TS_NEST_NONE;

		if (span != TS_NEST_NONE)
			ts_work_add(&own[span], 1, (uint64_t)s->duration_ns[i]);
	}
	return own;
}

enum ts_status ts_single_attention(const struct ts_trace *trace, const struct ts_nest *nest, const struct ts_device_work *work,
				   const uint8_t *within, struct ts_arena *arena, struct ts_single_attention *ret, struct ts_error *err)
{
	const struct ts_trace_spans *s = &trace->rows.spans;
	struct ts_work_sum *own, so_far = {0};
	uint8_t *of_name = ts_arena_array(arena, trace->n_names, 1);
	struct ts_single_attention out = {0};
	struct chain chain = {0};
	bool any = false;

	TS_DOOR(ts_trace_holds(trace));
	TS_DOOR(ts_nest_holds(nest, trace));
	if (!of_name)
		return ts_arena_error(arena, err);
	for (size_t i = 0; i < trace->n_names; i++) {
		of_name[i] = operation_of(trace->names[i]);
		any |= of_name[i] == SOFTMAX;
	}
	own = any ? own_work(trace, nest, arena) : NULL;
	if (any && !own)
		return ts_arena_error(arena, err);
	for (size_t k = 0; k < nest->n_order && any; k++) {
		uint32_t i = nest->order[k];
		uint8_t operation = s->kind[i] == TS_TRACE_OPERATOR && !within[i] ? of_name[s->name[i]] : OTHER;
		struct ts_span shapes = trace->names[s->shapes[i]];

		if (k && s->thread[i] != s->thread[nest->order[k - 1]])
			chain = (struct chain){0};
		if (operation == SOFTMAX)
			normalize(&chain, shapes);
		else if (operation && multiply(&chain, operation == PRODUCT_ADDED, shapes, &so_far)) {
			out.unsaid += chain.unsaid;
			out.count += !chain.unsaid;
			if (!chain.unsaid)
				ts_work_add(&out.sum, so_far.count - chain.before.count + work->below[i].count,
					    so_far.ns - chain.before.ns + work->below[i].ns);
			chain = (struct chain){0};
		}
		ts_work_add(&so_far, own[i].count, own[i].ns);
	}
	ts_scratch_give(arena, own);
	*ret = out;
	return TS_OK;
}
