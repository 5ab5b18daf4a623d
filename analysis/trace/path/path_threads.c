/* path_threads.c - the links between a forward thread and the backward threads that autograd runs for it. */
#include "analysis/trace/device/trace_steps.h"
#include "analysis/trace/path/path_graph.h"

enum { NO_THREAD = UINT32_MAX };

struct threads {
	struct ts_path_graph *g;
	uint32_t *chain;   /* by thread of the trace: its number among those of the graph, or NO_THREAD */
	uint32_t *forward; /* by thread of the trace: the thread that it works for, or NO_THREAD */
};

/* --- who works for whom --- */

static size_t flows_of(const struct ts_trace *trace, uint32_t category, struct ts_device_event *w)
{
	const struct ts_trace_flows *f = &trace->rows.flows;
	size_t n = 0;

	for (size_t i = 0; i < f->n; i++) {
		if (f->category[i] != category)
			continue;
		if (w)
			w[n] = (struct ts_device_event){.group = (uint64_t)f->id[i], .begin = f->end[i], .row = (uint32_t)i};
		n++;
	}
	return n;
}

/* Arrows from forward operators to their backward ones: the trace says which thread works for which. */
static enum ts_status by_flows(struct threads *t, struct ts_arena *arena, bool *ret_any, struct ts_error *err)
{
	const struct ts_trace *trace = t->g->trace;
	uint32_t category = 0;
	struct ts_device_event *w, *spare;
	size_t n;

	*ret_any = false;
	for (uint32_t i = 1; i < trace->n_names; i++)
		if (ts_span_is(trace->names[i], "fwdbwd"))
			category = i;
	n = category ? flows_of(trace, category, NULL) : 0;
	w = ts_arena_array(arena, n, sizeof *w);
	spare = ts_arena_array(arena, n, sizeof *spare);
	if (!w || !spare)
		return ts_arena_error(arena, err);
	if (n)
		(void)flows_of(trace, category, w);
	ts_device_events_by_begin(w, n, spare);
	ts_device_events_by_group(w, n, spare);
	for (size_t i = 0; i + 1 < n; i++) {
		uint32_t from = trace->rows.flows.thread[w[i].row], to = trace->rows.flows.thread[w[i + 1].row];

		if (w[i].group != w[i + 1].group || w[i].begin || !w[i + 1].begin)
			continue;
		*ret_any = true;
		if (from != to && t->forward[to] == NO_THREAD)
			t->forward[to] = from;
	}
	return TS_OK;
}

/* Without arrows: the thread with the operators of autograd's engine works for the one with the steps, else for the one with the most
 * operators of its own. */
static enum ts_status by_names(struct threads *t, struct ts_arena *arena, struct ts_error *err)
{
	const struct ts_trace *trace = t->g->trace;
	const struct ts_trace_spans *s = &trace->rows.spans;
	uint8_t *engine = ts_arena_array(arena, trace->n_names + 1, 1);
	size_t *operators = ts_arena_array(arena, trace->n_threads + 1, sizeof *operators);
	uint8_t *backward = ts_arena_array(arena, trace->n_threads + 1, 1);
	struct ts_step_mark mark = ts_step_mark(trace);
	uint32_t forward = NO_THREAD;

	if (!engine || !operators || !backward)
		return ts_arena_error(arena, err);
	for (size_t i = 0; i < trace->n_names; i++)
		engine[i] = ts_span_contains(trace->names[i], "autograd::engine::evaluate_function") ||
			    ts_span_is(trace->names[i], "torch::autograd::AccumulateGrad");
	for (size_t i = 0; i < s->n; i++) {
		operators[s->thread[i]] += s->kind[i] == TS_TRACE_OPERATOR;
		backward[s->thread[i]] |= s->kind[i] == TS_TRACE_OPERATOR && engine[s->name[i]];
		if (s->kind[i] == TS_TRACE_ANNOTATION && ts_is_step(&mark, trace->names[s->name[i]]))
			operators[s->thread[i]] = SIZE_MAX / 2;
	}
	for (uint32_t i = 0; i < trace->n_threads; i++)
		if (operators[i] && !backward[i] && (forward == NO_THREAD || operators[i] > operators[forward]))
			forward = i;
	for (uint32_t i = 0; i < trace->n_threads; i++)
		if (backward[i])
			t->forward[i] = forward;
	return TS_OK;
}

/* --- when --- */

/* Whether the trace has neither an operator nor a call in the stretch before a point. */
static bool idle(const struct ts_path_graph *g, uint32_t point)
{
	return g->what[point] == TS_PATH_UNSAID || g->what[point] == TS_PATH_PYTHON;
}

/* Links the work that a backward thread begins at `begin` with the stretch of the forward thread around it. Returns the point from
 * which to go on. */
static uint32_t link_stretch(struct ts_path_graph *g, const struct ts_path_thread *forward, const struct ts_path_thread *backward,
			     uint32_t begin)
{
	uint32_t end = backward->first + backward->n, from = ts_path_last_at(g, forward, g->at[begin]), last;

	if (g->at[from] > g->at[begin] || from + 1 >= forward->first + forward->n || !idle(g, from + 1))
		return begin + 1;
	if (!ts_path_link(g, from, begin, TS_PATH_BY_START))
		return begin + 1;
	if (g->chain[begin] == TS_PATH_CHAIN)
		g->chain[begin] = TS_PATH_IDLES;
	last = ts_path_last_at(g, backward, g->at[from + 1]);
	if (last + 1 < end && !idle(g, last + 1))
		return last + 1; /* it goes on beyond the stretch */
	while (last > begin && idle(g, last))
		last--;
	if (last > begin && ts_path_link(g, last, from + 1, TS_PATH_BY_JOIN))
		g->chain[from + 1] = TS_PATH_IDLES;
	return last + 1;
}

static void link_thread(struct ts_path_graph *g, const struct ts_path_thread *forward, const struct ts_path_thread *backward)
{
	uint32_t end = backward->first + backward->n;

	for (uint32_t i = backward->first; i + 1 < end;)
		i = (i == backward->first || idle(g, i)) && !idle(g, i + 1) ? link_stretch(g, forward, backward, i) : i + 1;
}

enum ts_status ts_path_threads(struct ts_path_graph *g, struct ts_arena *arena, struct ts_error *err)
{
	size_t n = g->trace->n_threads + 1;
	struct threads t = {
		.g = g, .chain = ts_arena_array(arena, n, sizeof *t.chain), .forward = ts_arena_array(arena, n, sizeof *t.forward)};
	bool any = false;

	if (!t.chain || !t.forward)
		return ts_arena_error(arena, err);
	memset(t.chain, 0xff, n * sizeof *t.chain);
	memset(t.forward, 0xff, n * sizeof *t.forward);
	for (uint32_t i = 0; i < g->n_threads; i++)
		t.chain[g->threads[i].thread] = i;
	if (by_flows(&t, arena, &any, err) || (!any && by_names(&t, arena, err)))
		return err->status;
	for (size_t i = 0; i < g->n_threads; i++) {
		uint32_t forward = t.forward[g->threads[i].thread];

		if (forward == NO_THREAD || t.chain[forward] == NO_THREAD || t.chain[forward] == i)
			continue;
		link_thread(g, &g->threads[t.chain[forward]], &g->threads[i]);
	}
	return TS_OK;
}
