/* module_sums.c - what the modules of a model had devices do, forward and backward. */
#include "analysis/trace/work/trace_work.h"
#include "base/order.h"
#include "base/scratch.h"
#include "base/words.h"

#include "analysis/trace/work/work_parts.h"
#include "base/door.h"

TS_WORDS(ts_module_source_word, enum ts_module_source, "unknown", [TS_MODULES_NONE] = "not_recorded",
	 [TS_MODULES_FRAMES] = "python_functions", [TS_MODULES_TEXTS] = "module_hierarchy")

struct modules {
	const struct ts_trace *trace;
	const struct ts_nest *nest;
	enum ts_module_source source;
	uint32_t *key;		      /* of each span that is a module the number of its name; 0: it is none */
	uint32_t *node;		      /* of each span that is a node of autograd its row of operators, plus 1; 0: it is none */
	uint32_t *module;	      /* of each span the innermost module around it, or itself; TS_NEST_NONE */
	uint32_t *owner;	      /* the same with nodes */
	struct ts_module_sum *sums;   /* by name */
	struct ts_work_sum *backward; /* of each span of a module, and of what encloses it */
};

/* --- modules and nodes --- */

static bool is_module(const struct ts_trace *trace, uint32_t span, const void *ctx)
{
	(void)trace;
	return ((const struct modules *)ctx)->key[span] != 0;
}

static bool is_owner(const struct ts_trace *trace, uint32_t span, const void *ctx)
{
	return is_module(trace, span, ctx) || ((const struct modules *)ctx)->node[span] != 0;
}

static void find_frames(struct modules *m)
{
	const struct ts_trace_spans *s = &m->trace->rows.spans;
	struct ts_span begin = ts_span_str("nn.Module: ");

	for (size_t i = 0; i < s->n; i++) {
		if (s->kind[i] != TS_TRACE_PYTHON || !ts_span_starts(m->trace->names[s->name[i]], begin))
			continue;
		m->key[i] = s->name[i];
		m->source = TS_MODULES_FRAMES;
	}
}

static enum ts_status find_modules(struct modules *m, struct ts_arena *arena, struct ts_error *err)
{
	const struct ts_trace_operators *o = &m->trace->rows.operators;
	const struct ts_trace_spans *s = &m->trace->rows.spans;

	m->key = ts_arena_array(arena, s->n, sizeof *m->key);
	m->node = ts_arena_array(arena, s->n, sizeof *m->node);
	m->sums = ts_arena_array(arena, m->trace->n_names, sizeof *m->sums);
	if (!m->key || !m->node || !m->sums)
		return ts_arena_error(arena, err);
	find_frames(m);
	for (size_t i = 0; i < o->n; i++) {
		if (s->kind[o->span[i]] != TS_TRACE_OPERATOR)
			continue;
		m->node[o->span[i]] = ts_is_autograd_node(o, i) ? (uint32_t)i + 1 : 0;
		if (m->source == TS_MODULES_FRAMES || !o->module[i])
			continue;
		m->key[o->span[i]] = o->module[i];
		m->source = TS_MODULES_TEXTS;
	}
	if (m->source == TS_MODULES_NONE)
		return TS_OK;
	m->backward = ts_arena_array(arena, s->n, sizeof *m->backward);
	if (!m->backward)
		return ts_arena_error(arena, err);
	return ts_nest_nearest(m->trace, m->nest, is_module, m, arena, &m->module, err) ||
			       ts_nest_nearest(m->trace, m->nest, is_owner, m, arena, &m->owner, err)
		       ? err->status
		       : TS_OK;
}

/* --- sums --- */

/* The module that an event counts for. */
static void count_event(const struct modules *m, const struct ts_forward_ops *forward, size_t event, struct ts_module_sums *out)
{
	uint32_t at = ts_device_work_of(m->nest, event), owner = at == TS_NEST_NONE ? TS_NEST_NONE : m->owner[at];
	uint64_t ns = (uint64_t)m->trace->rows.spans.duration_ns[event];
	uint32_t op;

	if (owner == TS_NEST_NONE) {
		ts_work_add(&out->outside, 1, ns);
	} else if (m->key[owner]) {
		ts_work_add(&out->forward, 1, ns);
		ts_work_add(&m->sums[m->key[owner]].own_forward, 1, ns);
	} else if ((op = ts_forward_op_of(forward, m->node[owner] - 1)) == TS_NEST_NONE) {
		ts_work_add(&out->unlinked, 1, ns);
	} else if (m->module[op] == TS_NEST_NONE) {
		ts_work_add(&out->outside, 1, ns);
	} else {
		ts_work_add(&out->backward, 1, ns);
		ts_work_add(&m->sums[m->key[m->module[op]]].own_backward, 1, ns);
		ts_work_add(&m->backward[m->module[op]], 1, ns);
	}
}

static void add_work(struct ts_work_sum *sum, const struct ts_work_sum *more)
{
	ts_work_add(sum, more->count, more->ns);
}

/* As operator_sums.c has it, for functions that are modules. */
static enum ts_status totals(struct modules *m, const struct ts_device_work *work, struct ts_arena *arena, struct ts_error *err)
{
	uint32_t *stack = ts_arena_array(arena, m->nest->n_order, sizeof *stack);
	uint32_t *open = ts_arena_array(arena, m->trace->n_names, sizeof *open);
	size_t depth = 0;

	if (!stack || !open)
		return ts_arena_error(arena, err);
	for (size_t k = m->nest->n_order; k-- > 0;) {
		uint32_t i = m->nest->order[k];

		if (m->nest->parent[i] != TS_NEST_NONE)
			add_work(&m->backward[m->nest->parent[i]], &m->backward[i]);
	}
	for (size_t k = 0; k < m->nest->n_order; k++) {
		uint32_t i = m->nest->order[k];
		struct ts_module_sum *sum = &m->sums[m->key[i]];

		while (depth && stack[depth - 1] != m->nest->parent[i])
			open[m->key[stack[--depth]]]--;
		stack[depth++] = i;
		open[m->key[i]]++;
		if (!m->key[i])
			continue;
		sum->count++;
		if (open[m->key[i]] > 1 || m->source == TS_MODULES_TEXTS)
			continue;
		add_work(&sum->total_forward, &work->below[i]);
		add_work(&sum->total_backward, &m->backward[i]);
	}
	ts_scratch_give(arena, stack);
	return TS_OK;
}

TS_ORDER(most_first, struct ts_module_sum, TS_BY(b->own_forward.ns + b->own_backward.ns, a->own_forward.ns + a->own_backward.ns);
	 TS_TEXT(name))

static void settle(struct modules *m, struct ts_module_sums *out)
{
	for (size_t i = 1; i < m->trace->n_names; i++) {
		struct ts_module_sum sum = m->sums[i];

		if (!sum.count)
			continue;
		sum.name = m->trace->names[i];
		if (m->source == TS_MODULES_TEXTS) {
			sum.total_forward = sum.own_forward;
			sum.total_backward = sum.own_backward;
		}
		m->sums[out->n++] = sum;
	}
	out->items = m->sums;
	TS_SORT(out->items, out->n, most_first);
}

static void give(const struct modules *m, struct ts_arena *arena)
{
	ts_scratch_give(arena, m->key);
	ts_scratch_give(arena, m->node);
	ts_scratch_give(arena, m->backward);
	ts_scratch_give(arena, m->module);
	ts_scratch_give(arena, m->owner);
}

enum ts_status ts_module_sums(const struct ts_trace *trace, const struct ts_nest *nest, const struct ts_device_work *work,
			      struct ts_arena *arena, struct ts_module_sums *ret, struct ts_error *err)
{
	struct modules m = {.trace = trace, .nest = nest};
	struct ts_module_sums out = {0};
	struct ts_forward_ops forward;

	TS_DOOR(ts_trace_holds(trace));
	TS_DOOR(ts_nest_holds(nest, trace));
	*ret = out;
	if (find_modules(&m, arena, err))
		return err->status;
	if (m.source == TS_MODULES_NONE) {
		give(&m, arena);
		return TS_OK;
	}
	if (ts_forward_ops_find(trace, arena, &forward, err))
		return err->status;
	for (size_t i = 0; i < trace->rows.spans.n; i++)
		if (ts_trace_on_device(trace->rows.spans.kind[i]))
			count_event(&m, &forward, i, &out);
	if (totals(&m, work, arena, err))
		return err->status;
	give(&m, arena);
	out.source = m.source;
	settle(&m, &out);
	TS_DOOR(out.forward.count + out.backward.count + out.unlinked.count + out.outside.count == work->all.count);
	*ret = out;
	return TS_OK;
}
