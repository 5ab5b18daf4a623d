#include "analysis/trace/host/flame.h"

#include "analysis/trace/device/nest.h"
#include "analysis/trace/device/saturate.h"
#include "analysis/trace/device/trace_steps.h"
#include "base/door.h"
#include "base/map.h"
#include "base/order.h"

#include <stdlib.h>

/* --- the tree --- */

struct builder {
	const struct ts_trace *trace;
	const struct ts_nest *nest;
	const struct ts_host_names *names;
	struct ts_flame_node *nodes;
	size_t n;
	struct ts_map map; /* of nodes by parent, name and kind */
	uint32_t *of; /* the node of each span of the host */
	uint32_t threads[TS_HOST_THREAD_KINDS];
};

static uint32_t child_of(struct builder *b, uint32_t parent, uint32_t name, enum ts_flame_kind kind)
{
	uint64_t hash = ts_hash_u64(ts_hash_open, (uint64_t)parent << 32 | name);
	uint32_t node;

	TS_MAP_FIND(b->map, hash, i, b->nodes[i].parent == parent && b->nodes[i].name_id == name && b->nodes[i].kind == kind, node);
	if (node != TS_MAP_NONE)
		return node;
	node = (uint32_t)b->n++;
	(void)ts_map_add(&b->map, hash, node); /* there is room for all */
	b->nodes[node] = (struct ts_flame_node){.name = kind == TS_FLAME_THREADS ? ts_span_str("") : b->names->texts[name],
						.parent = parent,
						.name_id = name,
						.depth = b->nodes[parent].depth + 1,
						.kind = kind};
	return node;
}

static enum ts_flame_kind kind_of(uint8_t kind, bool waits)
{
	if (kind == TS_TRACE_RUNTIME)
		return waits ? TS_FLAME_WAIT : TS_FLAME_CALL;
	if (kind == TS_TRACE_OPERATOR)
		return TS_FLAME_OPERATOR;
	return kind == TS_TRACE_PYTHON ? TS_FLAME_PYTHON : TS_FLAME_ANNOTATION;
}

static bool is_step(const struct ts_trace *trace, const struct ts_step_mark *mark, uint32_t row)
{
	return trace->rows.spans.kind[row] == TS_TRACE_ANNOTATION && ts_is_step(mark, trace->names[trace->rows.spans.name[row]]);
}

/* The time of a step itself is no stack's where nothing encloses it: then nothing was recorded. */
static void add_host(struct builder *b, const bool *waiting, const uint64_t *self)
{
	const struct ts_trace_spans *s = &b->trace->rows.spans;
	struct ts_step_mark mark = ts_step_mark(b->trace);

	for (size_t k = 0; k < b->nest->n_order; k++) {
		uint32_t row = b->nest->order[k], parent = b->nest->parent[row], thread = s->thread[row], above;
		bool step = is_step(b->trace, &mark, row);

		above = parent != TS_NEST_NONE ? b->of[parent] : child_of(b, 0, b->names->kinds[thread], TS_FLAME_THREADS);
		if (parent == TS_NEST_NONE && (!k || s->thread[b->nest->order[k - 1]] != thread))
			b->nodes[above].count++;
		b->of[row] = step ? above : child_of(b, above, b->names->same[s->name[row]], kind_of(s->kind[row], waiting[row]));
		if (step && b->nodes[above].kind == TS_FLAME_THREADS)
			continue;
		b->nodes[b->of[row]].count += !step;
		b->nodes[b->of[row]].self_ns[TS_FLAME_HOST] = ts_plus(b->nodes[b->of[row]].self_ns[TS_FLAME_HOST], self[row]);
	}
}

/* The node that has the time of an event of devices, which this call launched. */
static uint32_t of_event(struct builder *b, size_t row, uint32_t call)
{
	const struct ts_trace_spans *s = &b->trace->rows.spans;
	uint32_t node = b->of[call];

	if (!ts_is_graph_launch(b->trace->names[s->name[call]]))
		return node;
	node = child_of(b, node, b->names->same[s->name[row]], TS_FLAME_KERNEL);
	b->nodes[node].count++;
	return node;
}

static uint64_t add_devices(struct builder *b)
{
	const struct ts_trace_spans *s = &b->trace->rows.spans;
	uint64_t unlaunched = 0;

	for (size_t i = 0; i < s->n; i++) {
		uint32_t call = b->nest->parent[i];

		if (!ts_trace_on_device(s->kind[i]))
			continue;
		if (call == TS_NEST_NONE) {
			unlaunched = ts_plus(unlaunched, (uint64_t)s->duration_ns[i]);
		} else {
			uint64_t *self = &b->nodes[of_event(b, i, call)].self_ns[TS_FLAME_DEVICE];

			*self = ts_plus(*self, (uint64_t)s->duration_ns[i]);
		}
	}
	return unlaunched;
}

/* At most so many nodes are below launches of graphs. */
static size_t graphed(const struct ts_trace *trace, const struct ts_nest *nest)
{
	const struct ts_trace_spans *s = &trace->rows.spans;
	size_t n = 0;

	for (size_t i = 0; i < s->n; i++)
		n += ts_trace_on_device(s->kind[i]) && nest->parent[i] != TS_NEST_NONE &&
		     ts_is_graph_launch(trace->names[s->name[nest->parent[i]]]);
	return n;
}

/* Children come behind their parents. */
static void add_up(struct builder *b)
{
	for (size_t i = b->n; i-- > 0;) {
		struct ts_flame_node *node = &b->nodes[i], *parent = &b->nodes[node->parent];

		for (int w = 0; w < TS_FLAME_WEIGHTS; w++) {
			node->ns[w] = ts_plus(node->ns[w], node->self_ns[w]);
			node->below[w] += node->ns[w] > 0;
			if (!i)
				continue;
			parent->ns[w] = ts_plus(parent->ns[w], node->ns[w]);
			parent->below[w] += node->below[w];
		}
	}
}

enum ts_status ts_flame(const struct ts_trace *trace, const struct ts_nest *nest, const struct ts_host_names *names,
			const bool *waiting, struct ts_arena *arena, struct ts_flame *ret, struct ts_error *err)
{
	size_t most = nest->n_order + TS_HOST_THREAD_KINDS + 1 + graphed(trace, nest);
	struct builder b = {.trace = trace, .nest = nest, .names = names};
	struct ts_flame out = {0};
	uint64_t *self;

	TS_DOOR(ts_trace_holds(trace));
	TS_DOOR(ts_nest_holds(nest, trace));
	b.nodes = ts_arena_array(arena, most, sizeof *b.nodes);
	b.of = ts_arena_array(arena, trace->rows.spans.n, sizeof *b.of);
	if (!ts_map_reserve_in(&b.map, arena, most) || !b.nodes || !b.of)
		return ts_arena_error(arena, err);
	if (ts_self_times(trace, nest, arena, &self, err))
		return err->status;
	b.n = 1;
	add_host(&b, waiting, self);
	out.unlaunched_ns = add_devices(&b);
	add_up(&b);
	out.nodes = b.nodes;
	out.n = b.n;
	*ret = out;
	return TS_OK;
}

/* --- the picture --- */

struct seen {
	uint32_t node;
	uint32_t kind; /* of threads, which stand in the order of their kinds */
	uint32_t depth, parent;
	uint64_t ns;
};

TS_ORDER(widest_first, uint64_t, TS_BY(*b, *a))

/* The width below which stacks are folded: a thousandth, or more where that would show too many. */
static enum ts_status find_least(const struct ts_flame *flame, size_t most, struct ts_arena *arena, struct ts_flame_view *v,
				 struct ts_error *err)
{
	uint64_t *widths;
	size_t n = 0;

	v->least = v->whole / 1000 + 1;
	for (size_t i = 1; i < flame->n; i++)
		n += flame->nodes[i].ns[v->weight] >= v->least;
	if (n <= most)
		return TS_OK;
	widths = ts_arena_array(arena, n, sizeof *widths);
	if (!widths)
		return ts_arena_error(arena, err);
	n = 0;
	for (size_t i = 1; i < flame->n; i++)
		if (flame->nodes[i].ns[v->weight] >= v->least)
			widths[n++] = flame->nodes[i].ns[v->weight];
	TS_SORT(widths, n, widest_first);
	v->least = widths[most] + 1;
	return TS_OK;
}

TS_ORDER(by_place, struct seen, TS_UP(depth); TS_UP(parent); if (a->depth == 1) TS_UP(kind); TS_DOWN(ns); TS_UP(node))

struct folding {
	uint64_t *cursor;    /* of each node, where its next child begins */
	uint64_t *folded_ns; /* of each node, its children that are not shown */
	uint32_t *folded;    /* how many stacks these are */
};

static bool shows(const struct ts_flame_view *v, const struct ts_flame_node *node, uint32_t levels)
{
	return node->ns[v->weight] >= v->least && node->depth <= levels;
}

/* The nodes that are shown, the outer first; what is not is added to its parent, if that is shown. */
static size_t choose(const struct ts_flame *flame, struct ts_flame_view *v, uint32_t levels, struct folding *f, struct seen *seen)
{
	size_t n = 0;

	for (size_t i = 1; i < flame->n; i++) {
		const struct ts_flame_node *node = &flame->nodes[i];

		if (shows(v, node, levels)) {
			seen[n++] = (struct seen){.node = (uint32_t)i,
						  .kind = node->name_id,
						  .depth = node->depth,
						  .parent = node->parent,
						  .ns = node->ns[v->weight]};
		} else if (node->ns[v->weight] && (!node->parent || shows(v, &flame->nodes[node->parent], levels))) {
			f->folded_ns[node->parent] += node->ns[v->weight];
			f->folded[node->parent] += node->below[v->weight];
			v->folded += node->below[v->weight];
		}
	}
	TS_SORT(seen, n, by_place);
	return n;
}

static void place(const struct ts_flame *flame, struct ts_flame_view *v, const struct seen *seen, size_t n, struct folding *f)
{
	for (size_t i = 0; i < n; i++) {
		const struct ts_flame_node *node = &flame->nodes[seen[i].node];
		uint64_t *cursor = &f->cursor[seen[i].parent];

		v->frames[v->n++] =
			(struct ts_flame_frame){.node = seen[i].node, .depth = node->depth, .left = *cursor, .width = seen[i].ns};
		f->cursor[seen[i].node] = *cursor;
		*cursor += seen[i].ns;
		v->deepest = node->depth > v->deepest ? node->depth : v->deepest;
	}
	for (size_t i = 0; i < n; i++) {
		uint32_t node = seen[i].node;

		if (f->folded_ns[node] < v->least)
			continue;
		v->frames[v->n++] = (struct ts_flame_frame){.node = node,
							    .folded = f->folded[node],
							    .depth = seen[i].depth + 1,
							    .left = f->cursor[node],
							    .width = f->folded_ns[node]};
		v->deepest = seen[i].depth + 1 > v->deepest ? seen[i].depth + 1 : v->deepest;
	}
}

enum ts_status ts_flame_look(const struct ts_flame *flame, enum ts_flame_weight weight, size_t most, uint32_t levels,
			     struct ts_arena *arena, struct ts_flame_view *ret, struct ts_error *err)
{
	struct ts_flame_view v = {.weight = weight, .whole = flame->nodes[0].ns[weight]};
	struct folding f = {.cursor = ts_arena_array(arena, flame->n, sizeof *f.cursor),
			    .folded_ns = ts_arena_array(arena, flame->n, sizeof *f.folded_ns),
			    .folded = ts_arena_array(arena, flame->n, sizeof *f.folded)};
	struct seen *seen = ts_arena_array(arena, flame->n, sizeof *seen);
	size_t n;

	if (!f.cursor || !f.folded_ns || !f.folded || !seen)
		return ts_arena_error(arena, err);
	if (v.whole) {
		if (find_least(flame, most, arena, &v, err))
			return err->status;
		n = choose(flame, &v, levels, &f, seen);
		v.frames = ts_arena_array(arena, 2 * n, sizeof *v.frames);
		if (!v.frames)
			return ts_arena_error(arena, err);
		place(flame, &v, seen, n, &f);
	}
	*ret = v;
	return TS_OK;
}
