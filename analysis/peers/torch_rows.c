#include "analysis/peers/torch_rows.h"

#include "analysis/peers/torch_flops.h"
#include "analysis/trace/device_events.h"
#include "base/bisect.h"

#include <stdlib.h>

/* What the allocator did, in the order of a key, with the sum of all before. */
struct done {
	int64_t time_ns, bytes;
	uint32_t thread;
	uint8_t place;
	double before[TS_TORCH_PLACES];
};

struct gathering {
	const struct ts_trace *trace;
	struct ts_arena *arena;
	struct ts_nest nest;
	struct ts_torch_row *rows;
	size_t n;
	uint32_t *at[TS_TORCH_CLASSES];	 /* by name: which row, from 1 */
	uint32_t step[TS_TORCH_CLASSES]; /* the row of all ProfilerStep#N, from 1 */
	struct done *all, *threads;	 /* by time; by thread and time. n_done and one more */
	size_t n_done;
	uint32_t *order; /* spans of the host by thread and begin, the outer first; behind them those of overhead */
	size_t n_order;
	/* Of each span: */
	uint32_t *parent;   /* TS_NEST_NONE: none */
	uint32_t *merged;   /* itself, or the span that it counts as */
	uint32_t *children; /* how many */
	double *cuda, *self_cuda;
	/* The spans of the thread that are open, and of each row the outermost one that was seen last. */
	uint32_t *open, *outermost;
	int64_t *covers; /* of `all`: how many spans of the host begin to hold it, less those that end to */
};

static bool is_left_out(struct ts_span name)
{
	static const char *const names[] = {
		"[memory]",
		"[OutOfMemory]",
		"profiler::_record_function_enter",
		"profiler::_record_function_enter_new",
		"profiler::_record_function_exit",
		"aten::is_leaf",
		"aten::output_nr",
		"aten::_version",
	};

	for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
		if (ts_span_is(name, names[i]))
			return true;
	return false;
}

/* Of no class: TS_TORCH_CLASSES. */
static enum ts_torch_class class_of(const struct ts_trace *trace, size_t span)
{
	const struct ts_trace_spans *s = &trace->rows.spans;

	if (ts_trace_on_device(s->kind[span]))
		return TS_TORCH_DEVICE;
	switch (s->kind[span]) {
	case TS_TRACE_DEVICE_ANNOTATION:
		return TS_TORCH_DEVICE_MARK;
	case TS_TRACE_ANNOTATION:
		return TS_TORCH_MARK;
	case TS_TRACE_OPERATOR:
	case TS_TRACE_RUNTIME:
	case TS_TRACE_OVERHEAD:
		return is_left_out(trace->names[s->name[span]]) ? TS_TORCH_CLASSES : TS_TORCH_HOST;
	default:
		return TS_TORCH_CLASSES;
	}
}

static bool is_before(const struct ts_trace_spans *s, size_t span, const struct ts_torch_row *row)
{
	if (s->start_ns[span] != row->first_ns)
		return s->start_ns[span] < row->first_ns;
	return s->duration_ns[span] != row->first_took_ns ? s->duration_ns[span] > row->first_took_ns : span < row->first_span;
}

static struct ts_torch_row *row_of(struct gathering *g, size_t span, enum ts_torch_class is)
{
	const struct ts_trace_spans *s = &g->trace->rows.spans;
	struct ts_span name = g->trace->names[s->name[span]];
	bool step = name.len >= 13 && memcmp(name.data, "ProfilerStep#", 13) == 0;
	uint32_t *at = step ? &g->step[is] : &g->at[is][s->name[span]];
	struct ts_torch_row *row;

	if (!*at) {
		g->rows[g->n++] = (struct ts_torch_row){
			.name = step ? ts_span_str("ProfilerStep*") : name, .is = is, .first_ns = INT64_MAX, .first_span = SIZE_MAX};
		*at = (uint32_t)g->n;
	}
	row = &g->rows[*at - 1];
	if (is_before(s, span, row)) {
		row->first_ns = s->start_ns[span];
		row->first_took_ns = s->duration_ns[span];
		row->first_span = span;
	}
	return row;
}

/* What the profiler took for itself stands on threads of its own. */
static enum ts_status find_order(struct gathering *g, struct ts_error *err)
{
	const struct ts_trace_spans *s = &g->trace->rows.spans;
	struct ts_device_event *w, *spare;
	size_t n = 0;

	for (size_t i = 0; i < s->n; i++)
		n += s->kind[i] == TS_TRACE_OVERHEAD;
	w = ts_arena_array(g->arena, n, sizeof *w);
	spare = ts_arena_array(g->arena, n, sizeof *spare);
	g->order = ts_arena_array(g->arena, g->nest.n_order + n, sizeof *g->order);
	if (!w || !spare || !g->order)
		return ts_arena_error(g->arena, err);
	n = 0;
	for (size_t i = 0; i < s->n; i++)
		if (s->kind[i] == TS_TRACE_OVERHEAD)
			w[n++] = (struct ts_device_event){.begin = s->start_ns[i],
							  .end = s->start_ns[i] + s->duration_ns[i],
							  .group = s->thread[i],
							  .row = (uint32_t)i};
	ts_device_events_by_nesting(w, n, spare);
	for (; g->n_order < g->nest.n_order; g->n_order++)
		g->order[g->n_order] = g->nest.order[g->n_order];
	for (size_t i = 0; i < n; i++)
		g->order[g->n_order++] = w[i].row;
	return TS_OK;
}

/* The spans of a thread come by begin, the outer before the inner. A span that ends before this one, which stands beside it, is open no
 * more, even if a later one would lie in it. */
static void find_parents(struct gathering *g)
{
	const struct ts_trace_spans *s = &g->trace->rows.spans;
	size_t depth = 0;

	for (size_t k = 0; k < g->n_order; k++) {
		uint32_t row = g->order[k];
		int64_t begin = s->start_ns[row], end = begin + s->duration_ns[row];

		g->parent[row] = TS_NEST_NONE;
		g->merged[row] = row;
		if (class_of(g->trace, row) == TS_TORCH_CLASSES)
			continue;
		if (depth && s->thread[g->open[0]] != s->thread[row])
			depth = 0;
		while (depth) {
			uint32_t top = g->open[depth - 1];
			int64_t until = s->start_ns[top] + s->duration_ns[top];

			if (begin < until && end <= until)
				break;
			depth--;
		}
		if (depth) {
			g->parent[row] = g->open[depth - 1];
			g->children[g->parent[row]]++;
		}
		g->open[depth++] = row;
	}
}

static void add_device_times(struct gathering *g)
{
	const struct ts_trace_spans *s = &g->trace->rows.spans;

	for (size_t i = 0; i < s->n; i++)
		if (ts_trace_on_device(s->kind[i]) && g->nest.in_operator[i] != TS_NEST_NONE)
			g->self_cuda[g->nest.in_operator[i]] += (double)s->duration_ns[i];
}

/* Parents come first, so a chain of one name ends in its outermost span. What that one launched itself is lost, as in torch. */
static void merge_repeats(struct gathering *g)
{
	const struct ts_trace_spans *s = &g->trace->rows.spans;

	for (size_t k = 0; k < g->n_order; k++) {
		uint32_t row = g->order[k], parent = g->parent[row];

		if (parent == TS_NEST_NONE)
			continue;
		parent = g->parent[row] = g->merged[parent];
		if (s->name[parent] != s->name[row] || g->children[parent] != 1)
			continue;
		g->merged[row] = parent;
		g->children[parent] = g->children[row];
		g->self_cuda[parent] = g->self_cuda[row];
	}
}

static int by_time(const void *x, const void *y)
{
	const struct done *a = x, *b = y;

	return (a->time_ns > b->time_ns) - (a->time_ns < b->time_ns);
}

static int by_thread(const void *x, const void *y)
{
	const struct done *a = x, *b = y;

	return a->thread != b->thread ? (a->thread > b->thread ? 1 : -1) : by_time(x, y);
}

static void add_up(struct done *done, size_t n)
{
	for (size_t i = 0; i < n; i++)
		for (int p = 0; p < TS_TORCH_PLACES; p++)
			done[i + 1].before[p] = done[i].before[p] + (done[i].place == p ? (double)done[i].bytes : 0);
}

static enum ts_status sort_allocations(struct gathering *g, struct ts_error *err)
{
	const struct ts_trace_allocations *a = &g->trace->rows.allocations;

	g->all = ts_arena_array(g->arena, a->n + 1, sizeof *g->all);
	g->threads = ts_arena_array(g->arena, a->n + 1, sizeof *g->threads);
	g->covers = ts_arena_array(g->arena, a->n + 1, sizeof *g->covers);
	if (!g->all || !g->threads || !g->covers)
		return ts_arena_error(g->arena, err);
	for (size_t i = 0; i < a->n; i++)
		if (a->bytes[i] != TS_TRACE_NONE)
			g->all[g->n_done++] = (struct done){a->time_ns[i], a->bytes[i], a->thread[i],
							    a->device_type[i] == 0 ? TS_TORCH_CPU : TS_TORCH_CUDA, {0}};
	memcpy(g->threads, g->all, g->n_done * sizeof *g->all);
	qsort(g->all, g->n_done, sizeof *g->all, by_time);
	qsort(g->threads, g->n_done, sizeof *g->threads, by_thread);
	add_up(g->all, g->n_done);
	add_up(g->threads, g->n_done);
	return TS_OK;
}

static bool is_before_time(const struct done *d, const uint32_t *thread, int64_t time_ns, bool behind)
{
	if (thread && d->thread != *thread)
		return d->thread < *thread;
	return d->time_ns < time_ns || (behind && d->time_ns == time_ns);
}

/* The first that is not before a time, or behind it; of a thread, or (thread NULL) of all. */
static size_t bound(const struct done *done, size_t n, const uint32_t *thread, int64_t time_ns, bool behind)
{
	size_t at = 0;

	TS_BISECT(at, n, i, is_before_time(&done[i], thread, time_ns, behind));
	return at;
}

/* What was allocated less what was freed in a span, its begin and end included. */
static void memory_of(const struct gathering *g, size_t span, bool own, double *ret)
{
	const struct ts_trace_spans *s = &g->trace->rows.spans;
	const struct done *done = own ? g->threads : g->all;
	const uint32_t *thread = own ? &s->thread[span] : NULL;
	size_t from = bound(done, g->n_done, thread, s->start_ns[span], false);
	size_t to = bound(done, g->n_done, thread, s->start_ns[span] + s->duration_ns[span], true);

	for (int p = 0; p < TS_TORCH_PLACES; p++)
		ret[p] = done[to].before[p] - done[from].before[p];
	if (!own) {
		g->covers[from]++;
		g->covers[to]--;
	}
}

/* Whether it stands in another span of its row. */
static bool is_within_its_like(struct gathering *g, const struct ts_torch_row *row, uint32_t span)
{
	const struct ts_trace_spans *s = &g->trace->rows.spans;
	uint32_t *last = &g->outermost[row - g->rows];
	int64_t end = s->start_ns[span] + s->duration_ns[span];

	if (*last != TS_NEST_NONE && s->thread[*last] == s->thread[span] && end <= s->start_ns[*last] + s->duration_ns[*last])
		return true;
	*last = span;
	return false;
}

static void add_flops(struct gathering *g, struct ts_torch_row *row, size_t span)
{
	const struct ts_trace_spans *s = &g->trace->rows.spans;
	const struct ts_trace_operators *o = &g->trace->rows.operators;
	enum ts_torch_flops kind = s->kind[span] == TS_TRACE_OPERATOR ? ts_torch_flops_kind(row->name) : TS_FLOPS_NONE;
	size_t at = kind == TS_FLOPS_CONV ? ts_trace_detail(o->span, o->n, (uint32_t)span) : SIZE_MAX;
	struct ts_span inputs = at == SIZE_MAX ? ts_span_str("") : g->trace->names[o->inputs[at]];
	uint64_t flops = kind == TS_FLOPS_NONE ? 0 : ts_torch_flops(kind, g->trace->names[s->shapes[span]], inputs);

	row->flops = row->flops + flops < flops ? UINT64_MAX : row->flops + flops;
	row->shapeless |= kind != TS_FLOPS_NONE && !flops;
}

/* A span of the host and what it takes from the one around it. */
static void add_host(struct gathering *g, uint32_t span, enum ts_torch_class is)
{
	const struct ts_trace_spans *s = &g->trace->rows.spans;
	double took = (double)s->duration_ns[span], all[TS_TORCH_PLACES], own[TS_TORCH_PLACES];
	uint32_t parent = g->parent[span];
	struct ts_torch_row *row = row_of(g, span, is);
	bool inner = is_within_its_like(g, row, span);
	struct ts_torch_row *around =
		parent == TS_NEST_NONE ? NULL : row_of(g, parent, class_of(g->trace, parent));

	memory_of(g, span, false, all);
	memory_of(g, span, true, own);
	row->count++;
	row->self_cpu += took;
	row->cpu += took;
	row->self_cuda += g->self_cuda[span];
	row->cuda += g->cuda[span];
	row->cpu_once += inner ? 0 : took;
	row->cuda_once += inner ? 0 : g->cuda[span];
	if (around)
		around->self_cpu -= took;
	for (int p = 0; p < TS_TORCH_PLACES; p++) {
		row->memory[p] += all[p];
		row->self_memory[p] += all[p];
		row->own_memory[p] += inner ? 0 : own[p];
		row->own_self_memory[p] += own[p];
		if (around) {
			around->self_memory[p] -= all[p];
			around->own_self_memory[p] -= own[p];
		}
	}
	add_flops(g, row, span);
}

static void gather_host(struct gathering *g)
{
	for (size_t k = g->n_order; k-- > 0;) {
		uint32_t row = g->order[k];

		if (g->merged[row] != row || class_of(g->trace, row) == TS_TORCH_CLASSES)
			continue;
		g->cuda[row] += g->self_cuda[row];
		if (g->parent[row] != TS_NEST_NONE)
			g->cuda[g->parent[row]] += g->cuda[row];
	}
	for (size_t k = 0; k < g->n_order; k++) {
		uint32_t row = g->order[k];
		enum ts_torch_class is = class_of(g->trace, row);

		if (g->merged[row] == row && is != TS_TORCH_CLASSES)
			add_host(g, row, is);
	}
}

static void gather_device(struct gathering *g)
{
	const struct ts_trace_spans *s = &g->trace->rows.spans;

	for (size_t i = 0; i < s->n; i++) {
		enum ts_torch_class is = class_of(g->trace, i);
		struct ts_torch_row *row;

		if (is != TS_TORCH_DEVICE && is != TS_TORCH_DEVICE_MARK)
			continue;
		row = row_of(g, i, is);
		row->count++;
		row->self_cuda += (double)s->duration_ns[i];
		row->cuda += (double)s->duration_ns[i];
		row->cuda_once += (double)s->duration_ns[i];
	}
}

/* What the allocator did while nothing of the host was open has a row of its own. */
static void gather_memory(struct gathering *g)
{
	struct ts_torch_row row = {.name = ts_span_str("[memory]"), .first_span = SIZE_MAX};
	int64_t held = 0;

	for (size_t i = 0; i < g->n_done; i++) {
		held += g->covers[i];
		if (held)
			continue;
		if (!row.count)
			row.first_ns = g->all[i].time_ns;
		row.count++;
		row.memory[g->all[i].place] += (double)g->all[i].bytes;
	}
	if (!row.count)
		return;
	memcpy(row.own_memory, row.memory, sizeof row.memory);
	memcpy(row.self_memory, row.memory, sizeof row.memory);
	memcpy(row.own_self_memory, row.memory, sizeof row.memory);
	g->rows[g->n++] = row;
}

static int by_first(const void *x, const void *y)
{
	const struct ts_torch_row *a = x, *b = y;

	if (a->first_ns != b->first_ns)
		return a->first_ns < b->first_ns ? -1 : 1;
	if (a->first_took_ns != b->first_took_ns)
		return a->first_took_ns > b->first_took_ns ? -1 : 1;
	return (a->first_span > b->first_span) - (a->first_span < b->first_span);
}

/* The most rows that there can be: names of spans, by class. Other texts have numbers, too, and are many more. */
static size_t most_rows(struct gathering *g)
{
	const struct ts_trace_spans *s = &g->trace->rows.spans;
	size_t n = TS_TORCH_CLASSES + 1; /* steps, and [memory] */

	for (size_t i = 0; i < s->n; i++) {
		enum ts_torch_class is = class_of(g->trace, i);

		if (is == TS_TORCH_CLASSES || g->at[is][s->name[i]])
			continue;
		g->at[is][s->name[i]] = 1;
		n++;
	}
	for (int i = 0; i < TS_TORCH_CLASSES; i++)
		memset(g->at[i], 0, g->trace->n_names * sizeof *g->at[i]);
	return n;
}

static enum ts_status make_room(struct gathering *g, struct ts_error *err)
{
	size_t n = g->trace->rows.spans.n + 1, names = g->trace->n_names + 1, rows;
	bool ok = true;

	for (int i = 0; i < TS_TORCH_CLASSES; i++)
		ok &= (g->at[i] = ts_arena_array(g->arena, names, sizeof *g->at[i])) != NULL;
	if (!ok)
		return ts_arena_error(g->arena, err);
	rows = most_rows(g);
	g->rows = ts_arena_array(g->arena, rows, sizeof *g->rows);
	g->outermost = ts_arena_array(g->arena, rows, sizeof *g->outermost);
	g->parent = ts_arena_array(g->arena, n, sizeof *g->parent);
	g->merged = ts_arena_array(g->arena, n, sizeof *g->merged);
	g->children = ts_arena_array(g->arena, n, sizeof *g->children);
	g->open = ts_arena_array(g->arena, n, sizeof *g->open);
	g->cuda = ts_arena_array(g->arena, n, sizeof *g->cuda);
	g->self_cuda = ts_arena_array(g->arena, n, sizeof *g->self_cuda);
	if (!g->rows || !g->outermost || !g->parent || !g->merged || !g->children || !g->open || !g->cuda || !g->self_cuda)
		return ts_arena_error(g->arena, err);
	memset(g->outermost, 0xff, rows * sizeof *g->outermost);
	return TS_OK;
}

enum ts_status ts_torch_rows(const struct ts_trace *trace, uint64_t busy_ns, struct ts_arena *arena, struct ts_torch_rows *ret,
			     struct ts_error *err)
{
	struct gathering g = {.trace = trace, .arena = arena};
	struct ts_torch_rows out = {.busy = (double)busy_ns};

	if (make_room(&g, err) || ts_nest(trace, arena, &g.nest, err) || find_order(&g, err) || sort_allocations(&g, err))
		return err->status;
	find_parents(&g);
	add_device_times(&g);
	merge_repeats(&g);
	gather_host(&g);
	gather_device(&g);
	gather_memory(&g);
	qsort(g.rows, g.n, sizeof *g.rows, by_first);
	out.rows = g.rows;
	out.n = g.n;
	out.with_memory = g.n_done > 0;
	for (size_t i = 0; i < g.n; i++) {
		out.self_cpu += g.rows[i].self_cpu;
		out.cuda += g.rows[i].is == TS_TORCH_DEVICE ? g.rows[i].self_cuda : 0;
		out.with_device_memory |= g.rows[i].self_memory[TS_TORCH_CUDA] > 0;
	}
	*ret = out;
	return TS_OK;
}
