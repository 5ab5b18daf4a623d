/* path_points.c - the points of a graph: threads by their innermost spans, work of devices by its streams, and their order. */
#include "analysis/trace/device/kernel_table.h"
#include "analysis/trace/path/path_graph.h"
#include "base/bisect.h"
#include "base/door.h"
#include "base/row_order.h"
#include "base/scratch.h"

/* --- threads --- */

enum { NAMED = 1, DATA = 2, CALL_SHIFT = 2 };

/* The thread over which the pass goes. */
struct sweep {
	struct ts_path_graph *g;
	uint8_t *names; /* what a name says: NAMED | DATA | enum ts_path_call << CALL_SHIFT */
	struct open {
		uint32_t span;
		bool data; /* it or what is around it waits for the data loader */
	} * open;
	size_t depth;
	int64_t until; /* the last point's time */
};

static int64_t end_of(const struct ts_trace_spans *s, size_t i)
{
	return s->start_ns[i] + s->duration_ns[i];
}

static uint8_t said(struct sweep *w, uint32_t name)
{
	struct ts_span text = w->g->trace->names[name];

	if (!w->names[name])
		w->names[name] = (uint8_t)(NAMED | (ts_path_is_data(text) ? DATA : 0) | ts_path_call(text) << CALL_SHIFT);
	return w->names[name];
}

static uint8_t what_of_call(enum ts_path_call call)
{
	static const uint8_t whats[] = {[TS_PATH_CALL_OTHER] = TS_PATH_CALL,	     [TS_PATH_CALL_LAUNCH] = TS_PATH_LAUNCH_CALL,
					[TS_PATH_CALL_MEMORY] = TS_PATH_MEMORY_CALL, [TS_PATH_CALL_COPY] = TS_PATH_LAUNCH_CALL,
					[TS_PATH_CALL_WAIT_DEVICE] = TS_PATH_WAIT,   [TS_PATH_CALL_WAIT_STREAM] = TS_PATH_WAIT,
					[TS_PATH_CALL_WAIT_EVENT] = TS_PATH_WAIT};

	return whats[call];
}

static uint8_t what_of(struct sweep *w, const struct open *o)
{
	const struct ts_trace_spans *s = &w->g->trace->rows.spans;

	if (s->kind[o->span] == TS_TRACE_RUNTIME)
		return what_of_call((enum ts_path_call)(said(w, s->name[o->span]) >> CALL_SHIFT));
	if (o->data)
		return TS_PATH_DATA;
	switch (s->kind[o->span]) {
	case TS_TRACE_OPERATOR:
		return TS_PATH_OPERATOR;
	case TS_TRACE_PYTHON:
		return TS_PATH_PYTHON;
	case TS_TRACE_ANNOTATION:
		return TS_PATH_UNSAID;
	default:
		return TS_PATH_OTHER_SPAN;
	}
}

static uint32_t add_point(struct ts_path_graph *g, int64_t at, uint32_t span, uint8_t what, enum ts_path_how chain)
{
	g->at[g->n] = at;
	g->span[g->n] = span;
	g->what[g->n] = what;
	g->chain[g->n] = (uint8_t)chain;
	return (uint32_t)g->n++;
}

/* Makes the point at which the stretch of the innermost span ends; at the time of the last point there is one already. */
static void reach(struct sweep *w, int64_t at)
{
	struct open *top = w->depth ? &w->open[w->depth - 1] : NULL;

	if (at <= w->until)
		return;
	add_point(w->g, at, top ? top->span : TS_PATH_NONE, top ? what_of(w, top) : (uint8_t)TS_PATH_UNSAID, TS_PATH_CHAIN);
	w->until = at;
}

/* Closes the spans that end by then, of which some may have ended before what they should enclose did. */
static void close_until(struct sweep *w, int64_t at)
{
	const struct ts_trace_spans *s = &w->g->trace->rows.spans;

	while (w->depth && end_of(s, w->open[w->depth - 1].span) <= at) {
		uint32_t span = w->open[w->depth - 1].span;

		reach(w, end_of(s, span));
		if (s->kind[span] == TS_TRACE_RUNTIME && end_of(s, span) == w->until)
			w->g->call_end[span] = (uint32_t)w->g->n - 1;
		w->depth--;
	}
}

static void open_span(struct sweep *w, uint32_t span)
{
	const struct ts_trace_spans *s = &w->g->trace->rows.spans;
	struct open open = {.span = span, .data = said(w, s->name[span]) & DATA};

	close_until(w, s->start_ns[span]);
	reach(w, s->start_ns[span]);
	if (s->kind[span] == TS_TRACE_RUNTIME)
		w->g->call_begin[span] = (uint32_t)w->g->n - 1;
	open.data |= w->depth && w->open[w->depth - 1].data;
	w->open[w->depth++] = open;
}

static void one_thread(struct sweep *w, const uint32_t *spans, size_t n)
{
	const struct ts_trace_spans *s = &w->g->trace->rows.spans;
	struct ts_path_thread *thread = &w->g->threads[w->g->n_threads++];

	*thread = (struct ts_path_thread){.thread = s->thread[spans[0]], .first = (uint32_t)w->g->n};
	w->until = s->start_ns[spans[0]];
	add_point(w->g, w->until, TS_PATH_NONE, TS_PATH_UNKNOWN, TS_PATH_FIRST);
	for (size_t i = 0; i < n; i++)
		open_span(w, spans[i]);
	close_until(w, INT64_MAX);
	thread->n = (uint32_t)w->g->n - thread->first;
}

static size_t thread_end(const struct ts_trace_spans *s, const struct ts_nest *nest, size_t i)
{
	size_t end = i;

	while (end < nest->n_order && s->thread[nest->order[end]] == s->thread[nest->order[i]])
		end++;
	return end;
}

static enum ts_status host(struct ts_path_graph *g, const struct ts_nest *nest, struct ts_arena *arena, struct ts_error *err)
{
	const struct ts_trace_spans *s = &g->trace->rows.spans;
	struct sweep w = {.g = g,
			  .names = ts_arena_array(arena, g->trace->n_names + 1, 1),
			  .open = ts_scratch_array(arena, nest->n_order, sizeof *w.open)};
	size_t threads = 0;

	for (size_t i = 0; i < nest->n_order; i = thread_end(s, nest, i))
		threads++;
	g->threads = ts_arena_array(arena, threads, sizeof *g->threads);
	if (!w.names || !w.open || !g->threads)
		return ts_arena_error(arena, err);
	for (size_t i = 0, end; i < nest->n_order; i = end) {
		end = thread_end(s, nest, i);
		one_thread(&w, nest->order + i, end - i);
	}
	g->n_host = g->n;
	ts_scratch_give(arena, w.open);
	return TS_OK;
}

/* --- devices --- */

enum { OFFSET = -INT32_MAX - 1 };

static uint64_t place_of(const struct ts_trace_spans *s, uint32_t row)
{
	return (uint64_t)((uint32_t)s->device[row] ^ (uint32_t)OFFSET) << 32 | ((uint32_t)s->stream[row] ^ (uint32_t)OFFSET);
}

static enum ts_status sort_work(struct ts_path_graph *g, struct ts_arena *arena, struct ts_error *err)
{
	const struct ts_trace_spans *s = &g->trace->rows.spans;
	struct ts_device_event *spare = ts_arena_array(arena, g->n_work, sizeof *spare);
	size_t n = g->n_work > 0;

	if (!spare)
		return ts_arena_error(arena, err);
	for (size_t i = 0; i < g->n_work; i++)
		g->work[i].group = place_of(s, g->work[i].row);
	ts_device_events_by_begin(g->work, g->n_work, spare);
	ts_device_events_by_group(g->work, g->n_work, spare);
	ts_scratch_give(arena, spare);
	for (size_t i = 1; i < g->n_work; i++)
		n += g->work[i].group != g->work[i - 1].group;
	g->streams = ts_arena_array(arena, n, sizeof *g->streams);
	if (!g->streams)
		return ts_arena_error(arena, err);
	for (size_t i = 0; i < g->n_work; i++) {
		if (!i || g->work[i].group != g->work[i - 1].group)
			g->streams[g->n_streams++] = (struct ts_path_stream){
				.device = s->device[g->work[i].row], .stream = s->stream[g->work[i].row], .first = (uint32_t)i};
		g->streams[g->n_streams - 1].n++;
	}
	return TS_OK;
}

static uint8_t what_of_work(struct ts_path_graph *g, const struct ts_device_event *w, uint8_t *names)
{
	const struct ts_trace_spans *s = &g->trace->rows.spans;
	uint32_t name = s->name[w->row];

	if (w->class == TS_PART_COMMUNICATION)
		return (uint8_t)(TS_PATH_COLLECTIVES + w->collective);
	if (s->kind[w->row] != TS_TRACE_KERNEL)
		return s->kind[w->row] == TS_TRACE_COPY ? TS_SUM_COPY : TS_SUM_FILL;
	if (!names[name])
		names[name] = (uint8_t)(1 + ts_kernel_category_in(g->trace, name));
	return (uint8_t)(names[name] - 1);
}

static enum ts_status devices(struct ts_path_graph *g, const struct ts_nest *nest, struct ts_arena *arena, struct ts_error *err)
{
	uint8_t *names = ts_arena_array(arena, g->trace->n_names + 1, 1);

	g->call = ts_arena_array(arena, g->n_work, sizeof *g->call);
	if (!names || !g->call || sort_work(g, arena, err))
		return ts_arena_error(arena, err);
	for (size_t i = 0; i < g->n_work; i++) {
		const struct ts_device_event *w = &g->work[i];
		uint8_t what = what_of_work(g, w, names);
		uint32_t call = nest->parent[w->row];

		add_point(g, w->begin, w->row, TS_PATH_UNKNOWN, TS_PATH_FIRST);
		add_point(g, w->end, w->row, what, TS_PATH_CHAIN);
		g->call[i] = call == TS_NEST_NONE ? TS_PATH_NONE : g->call_begin[call];
	}
	return TS_OK;
}

/* --- order --- */

static void add_to_order(struct ts_path_graph *g, size_t *n, size_t point)
{
	g->order[(*n)++] = (uint32_t)point;
}

static bool sooner(const void *at, uint32_t a, uint32_t b)
{
	return ((const int64_t *)at)[a] < ((const int64_t *)at)[b];
}

/* By time. Of the same time: ends of work, then the host, then begins of work, each with its end if it took no time; so that what a
 * clock of microseconds shows as one moment stays in the order in which it happened. */
static enum ts_status sort_points(struct ts_path_graph *g, struct ts_arena *arena, struct ts_error *err)
{
	size_t n = 0;

	g->order = ts_scratch_array(arena, g->n, sizeof *g->order);
	g->rank = ts_scratch_array(arena, g->n, sizeof *g->rank);
	if (!g->order || !g->rank)
		return ts_arena_error(arena, err);
	for (size_t i = 0; i < g->n_work; i++)
		if (g->work[i].begin != g->work[i].end)
			add_to_order(g, &n, g->n_host + 2 * i + 1);
	for (size_t i = 0; i < g->n_host; i++)
		add_to_order(g, &n, i);
	for (size_t i = 0; i < g->n_work; i++) {
		add_to_order(g, &n, g->n_host + 2 * i);
		if (g->work[i].begin == g->work[i].end)
			add_to_order(g, &n, g->n_host + 2 * i + 1);
	}
	ts_rows_sort(g->order, n, g->rank, sooner, g->at);
	for (size_t i = 0; i < n; i++)
		g->rank[g->order[i]] = (uint32_t)i;
	return TS_OK;
}

enum ts_status ts_path_points(struct ts_path_graph *g, const struct ts_nest *nest, struct ts_arena *arena, struct ts_error *err)
{
	size_t spans = g->trace->rows.spans.n, most;

	if (ts_device_events(g->trace, arena, &g->work, &g->n_work, err))
		return err->status;
	most = 3 * nest->n_order + 2 * g->n_work; /* a thread has a point more than its spans have begins and ends */
	g->at = ts_scratch_array(arena, most, sizeof *g->at);
	g->span = ts_scratch_array(arena, most, sizeof *g->span);
	g->what = ts_scratch_array(arena, most, 1);
	g->chain = ts_scratch_array(arena, most, 1);
	g->call_begin = ts_scratch_array(arena, spans, sizeof *g->call_begin);
	g->call_end = ts_scratch_array(arena, spans, sizeof *g->call_end);
	if (!g->at || !g->span || !g->what || !g->chain || !g->call_begin || !g->call_end)
		return ts_arena_error(arena, err);
	memset(g->call_begin, 0xff, spans * sizeof *g->call_begin);
	memset(g->call_end, 0xff, spans * sizeof *g->call_end);
	if (host(g, nest, arena, err) || devices(g, nest, arena, err))
		return err->status;
	return sort_points(g, arena, err);
}

uint32_t ts_path_last_at(const struct ts_path_graph *g, const struct ts_path_thread *t, int64_t time)
{
	uint32_t low = t->first;

	TS_DOOR(t->n);
	TS_BISECT(low, t->n, i, g->at[i] <= time);
	return low == t->first ? low : low - 1;
}
