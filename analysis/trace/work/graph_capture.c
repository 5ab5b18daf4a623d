#include "analysis/trace/work/graph_capture.h"

#include "analysis/trace/device/device_events.h"
#include "base/bisect.h"
#include "base/door.h"
#include "base/map.h"
#include "base/order.h"

/* Keys of what a call launches: copies and fills are one each, as are kernels without a name; names follow. */
enum { KEY_COPY, KEY_FILL, KEY_KERNEL, KEYS };

enum { CAPTURES_TRIED = 256 }; /* where none is exactly what a graph ran */

/* A launch that was captured, or an event that a graph ran. */
struct item {
	uint64_t order; /* of events the node, if all of the graph say theirs, else the begin; of launches the begin */
	uint64_t group; /* number of the capture; correlation of the graph's launch */
	uint32_t key, row;
};

TS_ORDER(by_order, struct item, TS_UP(group); TS_UP(order); TS_UP(row))
TS_ORDER(by_key, struct item, TS_UP(key); TS_UP(order); TS_UP(row))

/* Items of one capture, or of one graph. */
struct part {
	uint64_t like; /* what both sides have to agree in: names and how often each, or, if not all are named, numbers of each kind */
	size_t first, n;
};

TS_ORDER(by_likeness, struct part, TS_UP(like); TS_UP(first))

struct work {
	const struct ts_trace *replay, *capture;
	struct ts_arena *arena;
	struct ts_map map; /* of names */
	struct ts_span *texts;
	uint32_t n_texts;
	struct item *launches, *events;
	size_t n_launches, n_events;
	struct part *captures;
	size_t n_captures;
	size_t *turn; /* of the first capture of those that look alike: how many graphs had one of them */
	struct item *sorted; /* the launches, those of each capture by key */
	bool named, has_nodes; /* all launches name their kernels; all events say their nodes */
	bool asked;	       /* `near` is of graphs that come to asked_like */
	uint64_t asked_like;
	const struct part *near;
	uint32_t *launch_of; /* of each event of `events` its launch, a row of the capture; TS_NEST_NONE */
};

/* --- names --- */

static uint32_t key_of_text(struct work *w, struct ts_span text)
{
	uint64_t hash = ts_hash_bytes(ts_hash_open, text);
	uint32_t number;

	if (!text.len)
		return KEY_KERNEL;
	TS_MAP_FIND(w->map, hash, i, ts_span_eq(w->texts[i], text), number);
	if (number == TS_MAP_NONE) {
		number = w->n_texts++;
		w->texts[number] = text;
		(void)ts_map_add(&w->map, hash, number);
	}
	return KEYS + number;
}

static uint32_t key_of_kind(uint8_t kind)
{
	return kind == TS_TRACE_COPY ? KEY_COPY : kind == TS_TRACE_FILL ? KEY_FILL : KEY_KERNEL;
}

/* --- launches that were captured --- */

enum call { CALL_OTHER, CALL_KERNEL, CALL_COPY, CALL_FILL, CALL_BEGIN, CALL_END, CALL_GRAPH };

static enum call call_of(struct ts_span name)
{
	static const struct {
		const char *part;
		enum call call;
	} calls[] = {{"GraphLaunch", CALL_GRAPH},	{"StreamBeginCapture", CALL_BEGIN}, {"StreamEndCapture", CALL_END},
		     {"LaunchKernel", CALL_KERNEL},	{"LaunchCooperativeKernel", CALL_KERNEL},
		     {"MemcpyAsync", CALL_COPY},	{"Memcpy2DAsync", CALL_COPY},	    {"MemsetAsync", CALL_FILL}};

	for (size_t i = 0; i < sizeof calls / sizeof calls[0]; i++)
		if (ts_span_contains(name, calls[i].part))
			return calls[i].call;
	return CALL_OTHER;
}

static enum ts_status calls_by_name(const struct ts_trace *trace, struct ts_arena *arena, uint8_t **ret, struct ts_error *err)
{
	uint8_t *calls = ts_arena_alloc(arena, trace->n_names + 1);

	if (!calls)
		return ts_arena_error(arena, err);
	for (size_t i = 0; i < trace->n_names; i++)
		calls[i] = (uint8_t)call_of(trace->names[i]);
	*ret = calls;
	return TS_OK;
}

/* Whether it is work of a device that says which call asked for it. */
static bool is_asked_for(const struct ts_trace_spans *s, size_t i)
{
	return ts_trace_on_device(s->kind[i]) && s->correlation[i] != TS_TRACE_NONE;
}

/* Of each span, whether it is a call whose work a device did: that was not captured. */
static enum ts_status find_ran(const struct ts_trace *trace, struct ts_arena *arena, uint8_t **ret, struct ts_error *err)
{
	const struct ts_trace_spans *s = &trace->rows.spans;
	struct ts_launches launches = {0};
	uint8_t *ran = ts_arena_array(arena, s->n, 1);

	if (!ran)
		return ts_arena_error(arena, err);
	if (ts_launches_find(trace, arena, &launches, err))
		return err->status;
	for (size_t i = 0; i < s->n; i++) {
		const struct ts_device_event *by, *end = launches.items + launches.n;

		if (!is_asked_for(s, i))
			continue;
		by = ts_launch_of(&launches, (uint64_t)s->correlation[i]);
		for (; by && by < end && by->group == (uint64_t)s->correlation[i] && !ran[by->row]; by++)
			ran[by->row] = true;
	}
	*ret = ran;
	return TS_OK;
}

/* The kernel that a call names; empty: it names none. */
static struct ts_span launched(const struct ts_trace *trace, uint32_t span)
{
	const struct ts_trace_kernels *k = &trace->rows.kernels;
	size_t row = ts_trace_detail(k->span, k->n, span);

	return row == SIZE_MAX ? ts_span_of(NULL, 0) : trace->names[k->name[row]];
}

static bool is_call(const struct ts_trace_spans *s, const uint8_t *call, size_t i)
{
	return s->kind[i] == TS_TRACE_RUNTIME && call[s->name[i]] != CALL_OTHER;
}

/* Calls by begin: which launch, and between which begin and end of a capture. */
static enum ts_status find_launches(struct work *w, struct ts_error *err)
{
	const struct ts_trace_spans *s = &w->capture->rows.spans;
	struct ts_device_event *calls, *spare;
	uint8_t *call = NULL, *ran = NULL;
	size_t n = 0, begins = 0, open = 0;

	if (calls_by_name(w->capture, w->arena, &call, err) || find_ran(w->capture, w->arena, &ran, err))
		return err->status;
	for (size_t i = 0; i < s->n; i++)
		n += is_call(s, call, i);
	calls = ts_arena_array(w->arena, n, sizeof *calls);
	spare = ts_arena_array(w->arena, n, sizeof *spare);
	w->launches = ts_arena_array(w->arena, n, sizeof *w->launches);
	if (!calls || !spare || !w->launches)
		return ts_arena_error(w->arena, err);
	n = 0;
	for (size_t i = 0; i < s->n; i++)
		if (is_call(s, call, i)) {
			calls[n++] = (struct ts_device_event){.begin = s->start_ns[i], .row = (uint32_t)i, .class = call[s->name[i]]};
			begins += call[s->name[i]] == CALL_BEGIN;
		}
	ts_device_events_by_begin(calls, n, spare);
	for (size_t k = 0, seen = 0; k < n; k++) {
		uint32_t i = calls[k].row;
		struct item item = {.order = (uint64_t)k, .row = i};

		if (calls[k].class == CALL_BEGIN)
			open = ++seen;
		else if (calls[k].class == CALL_END)
			open = 0;
		if (calls[k].class > CALL_FILL || (begins && !open) || s->correlation[i] == TS_TRACE_NONE || ran[i])
			continue;
		item.group = open;
		item.key = calls[k].class == CALL_COPY	 ? (uint32_t)KEY_COPY
			   : calls[k].class == CALL_FILL ? (uint32_t)KEY_FILL
							 : key_of_text(w, launched(w->capture, i));
		w->launches[w->n_launches++] = item;
	}
	return TS_OK;
}

/* --- what graphs ran --- */

static enum ts_status find_events(struct work *w, struct ts_error *err)
{
	const struct ts_trace_spans *s = &w->replay->rows.spans;
	const struct ts_trace_kernels *k = &w->replay->rows.kernels;
	struct ts_launches launches = {0};
	uint8_t *call = NULL;
	size_t most = 0;

	for (size_t i = 0; i < s->n; i++)
		most += is_asked_for(s, i);
	w->events = ts_arena_array(w->arena, most, sizeof *w->events);
	if (!w->events)
		return ts_arena_error(w->arena, err);
	if (calls_by_name(w->replay, w->arena, &call, err) || ts_launches_find(w->replay, w->arena, &launches, err))
		return err->status;
	for (size_t i = 0; i < s->n; i++) {
		const struct ts_device_event *by;

		if (!is_asked_for(s, i))
			continue;
		by = ts_launch_of(&launches, (uint64_t)s->correlation[i]);
		if (!by || call[s->name[by->row]] != CALL_GRAPH)
			continue;
		w->events[w->n_events++] = (struct item){
			.order = (uint64_t)s->start_ns[i],
			.group = (uint64_t)by->begin,
			.key = s->kind[i] == TS_TRACE_KERNEL ? key_of_text(w, w->replay->names[s->name[i]]) : key_of_kind(s->kind[i]),
			.row = (uint32_t)i};
	}
	for (size_t i = 0; i < w->n_events; i++) { /* nodes are numbered in the order in which they were captured */
		size_t row = ts_trace_detail(k->span, k->n, w->events[i].row);

		if (row == SIZE_MAX || k->node[row] == TS_TRACE_NONE)
			return TS_OK;
	}
	for (size_t i = 0; i < w->n_events; i++)
		w->events[i].order = (uint64_t)k->node[ts_trace_detail(k->span, k->n, w->events[i].row)];
	w->has_nodes = w->n_events > 0;
	return TS_OK;
}

/* --- captures and graphs --- */

/* The part that begins at `first`, and what it comes to whatever the order of its items. */
static struct part part_at(const struct work *w, const struct item *items, size_t n, size_t first)
{
	struct part part = {.first = first};

	for (; first < n && items[first].group == items[part.first].group; first++)
		part.like += ts_hash_u64(ts_hash_open, w->named || items[first].key < KEYS ? items[first].key : (uint32_t)KEY_KERNEL);
	part.n = first - part.first;
	return part;
}

static size_t count_parts(const struct item *items, size_t n)
{
	size_t parts = n > 0;

	for (size_t i = 1; i < n; i++)
		parts += items[i].group != items[i - 1].group;
	return parts;
}

/* The next capture that looks as the graph does, in turn; NULL: none does. */
static const struct part *capture_of(struct work *w, const struct part *graph)
{
	size_t low = 0, end;

	TS_BISECT(low, w->n_captures, i, w->captures[i].like < graph->like);
	for (end = low; end < w->n_captures && w->captures[end].like == graph->like;)
		end++;
	if (end == low)
		return NULL;
	return &w->captures[low + w->turn[low]++ % (end - low)];
}

static size_t run_at(const struct item *items, size_t n, size_t i)
{
	size_t end = i;

	while (end < n && items[end].key == items[i].key)
		end++;
	return end - i;
}

/* Of names that both have equally often the k-th is the k-th; `link`: writes it down. Both are sorted by key. Returns of how many
 * items that holds. */
static size_t same_names(struct work *w, const struct item *graph, size_t n, const struct item *capture, size_t n_capture, bool link)
{
	size_t same = 0;

	for (size_t i = 0, k = 0; i < n && k < n_capture;) {
		size_t here = run_at(graph, n, i), there = run_at(capture, n_capture, k);

		if (graph[i].key < capture[k].key) {
			i += here;
			continue;
		}
		for (size_t at = 0; link && graph[i].key == capture[k].key && here == there && at < here; at++)
			w->launch_of[graph + i + at - w->events] = capture[k + at].row;
		if (graph[i].key == capture[k].key) {
			same += here == there ? here : 0;
			i += here;
		}
		k += there;
	}
	return same;
}

/* Kernels without a name: the kinds of both have to agree one by one. */
static size_t same_order(struct work *w, const struct item *graph, const struct item *capture, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if ((graph[i].key < KEY_KERNEL || capture[i].key < KEY_KERNEL) && graph[i].key != capture[i].key)
			return 0;
	for (size_t i = 0; i < n; i++)
		w->launch_of[graph + i - w->events] = capture[i].row;
	return n;
}

/* The capture that shares most names, equally often, with a graph of which no capture has all: a profiler may miss a kernel of a graph.
 * NULL: none shares nine tenths. */
static const struct part *nearest(struct work *w, const struct item *graph, size_t n)
{
	const struct part *best = NULL;
	size_t most = n - n / 10;

	for (size_t i = 0; i < w->n_captures && w->n_captures <= CAPTURES_TRIED; i++) {
		const struct part *part = &w->captures[i];
		size_t same = same_names(w, graph, n, w->sorted + part->first, part->n, false);

		if (same >= most) {
			most = same + 1;
			best = part;
		}
	}
	return best;
}

/* Links the events of a graph, and returns how many. Sorts them. */
static size_t link_graph(struct work *w, const struct part *graph)
{
	const struct part *capture = capture_of(w, graph);
	struct item *events = w->events + graph->first;

	if (!w->named)
		return capture && capture->n == graph->n ? same_order(w, events, w->launches + capture->first, graph->n) : 0;
	TS_SORT(events, graph->n, by_key);
	if (!capture && (!w->asked || w->asked_like != graph->like)) {
		w->asked = true;
		w->asked_like = graph->like;
		w->near = nearest(w, events, graph->n);
	}
	if (!capture)
		capture = w->near;
	return capture ? same_names(w, events, graph->n, w->sorted + capture->first, capture->n, true) : 0;
}

static enum ts_status make_captures(struct work *w, struct ts_error *err)
{
	TS_SORT(w->launches, w->n_launches, by_order);
	w->n_captures = count_parts(w->launches, w->n_launches);
	w->captures = ts_arena_array(w->arena, w->n_captures, sizeof *w->captures);
	w->turn = ts_arena_array(w->arena, w->n_captures, sizeof *w->turn);
	w->sorted = ts_arena_array(w->arena, w->n_launches, sizeof *w->sorted);
	if (!w->captures || !w->turn || !w->sorted)
		return ts_arena_error(w->arena, err);
	memcpy(w->sorted, w->launches, w->n_launches * sizeof *w->sorted);
	w->named = true;
	for (size_t i = 0; i < w->n_launches; i++)
		w->named &= w->launches[i].key != KEY_KERNEL;
	for (size_t i = 0, at = 0; i < w->n_captures; at += w->captures[i++].n) {
		w->captures[i] = part_at(w, w->launches, w->n_launches, at);
		TS_SORT(w->sorted + at, w->captures[i].n, by_key);
	}
	TS_SORT(w->captures, w->n_captures, by_likeness);
	return TS_OK;
}

static enum ts_status link_all(struct work *w, struct ts_graph_work *out, struct ts_error *err)
{
	const struct ts_trace_spans *s = &w->replay->rows.spans;

	w->launch_of = ts_arena_array(w->arena, w->n_events, sizeof *w->launch_of);
	if (make_captures(w, err))
		return err->status;
	if (!w->launch_of)
		return ts_arena_error(w->arena, err);
	for (size_t i = 0; i < w->n_events; i++)
		w->launch_of[i] = TS_NEST_NONE;
	TS_SORT(w->events, w->n_events, by_order);
	for (size_t at = 0; at < w->n_events;) {
		struct part graph = part_at(w, w->events, w->n_events, at);

		out->graphs++;
		out->found += link_graph(w, &graph) > 0;
		for (; at < graph.first + graph.n; at++) {
			uint64_t ns = (uint64_t)s->duration_ns[w->events[at].row];

			ts_work_add(&out->all, 1, ns);
			if (w->launch_of[at] != TS_NEST_NONE)
				ts_work_add(&out->linked, 1, ns);
			if (w->launch_of[at] != TS_NEST_NONE && !w->named && !w->has_nodes)
				ts_work_add(&out->by_order, 1, ns);
		}
	}
	out->captures = w->n_captures;
	return TS_OK;
}

/* --- the trace of the capture, with what its graphs ran --- */

enum { BATCH = 4096 };

static void put(const struct work *w, struct ts_trace_spans *to, size_t event)
{
	const struct ts_trace_spans *s = &w->replay->rows.spans, *c = &w->capture->rows.spans;
	uint32_t from = w->events[event].row;
	size_t i = to->n++;

	to->start_ns[i] = s->start_ns[from];
	to->duration_ns[i] = s->duration_ns[from];
	to->correlation[i] = c->correlation[w->launch_of[event]];
	to->external[i] = TS_TRACE_NONE;
	to->bytes[i] = s->bytes[from];
	to->name[i] = (uint32_t)w->capture->n_names + s->name[from];
	to->thread[i] = c->thread[w->launch_of[event]];
	to->category[i] = to->shapes[i] = to->collective[i] = to->group[i] = 0;
	to->device[i] = s->device[from];
	to->stream[i] = s->stream[from];
	to->kind[i] = s->kind[from];
}

static enum ts_status join(struct work *w, struct ts_trace *capture, struct ts_error *err)
{
	size_t n = capture->n_names + w->replay->n_names;
	struct ts_span *names = ts_arena_array(w->arena, n, sizeof *names);
	struct ts_trace_rows rows = {0};
	enum ts_status status = TS_OK;

	if (!names)
		return ts_arena_error(w->arena, err);
	memcpy(names, capture->names, capture->n_names * sizeof *names);
	memcpy(names + capture->n_names, w->replay->names, w->replay->n_names * sizeof *names);
	for (size_t i = 0; i < capture->rows.spans.n; i++)
		if (ts_trace_on_device(capture->rows.spans.kind[i]))
			capture->rows.spans.kind[i] = TS_TRACE_OTHER;
	if (ts_trace_rows_reserve(&rows, BATCH, err))
		return err->status;
	for (size_t i = 0; i < w->n_events && !status; i++) {
		if (w->launch_of[i] != TS_NEST_NONE)
			put(w, &rows.spans, i);
		if (rows.spans.n && (rows.spans.n == BATCH || i + 1 == w->n_events)) {
			status = ts_trace_append(capture, &rows, err);
			ts_trace_rows_clear(&rows);
		}
	}
	ts_trace_rows_finish(&rows);
	capture->names = names;
	capture->n_names = n;
	capture->kernels = NULL;
	return status;
}

enum ts_status ts_graph_work(const struct ts_trace *replay, struct ts_trace *io_capture, struct ts_arena *arena,
			     struct ts_graph_work *ret, struct ts_error *err)
{
	size_t most = replay->n_names + io_capture->n_names;
	struct work w = {.replay = replay, .capture = io_capture, .arena = arena};
	struct ts_graph_work out = {0};
	struct ts_device_work work;
	struct ts_nest nest;

	TS_DOOR(ts_trace_holds(replay) && ts_trace_holds(io_capture));
	w.texts = ts_arena_array(arena, most, sizeof *w.texts);
	if (!w.texts || !ts_map_reserve_in(&w.map, arena, most))
		return ts_arena_error(arena, err);
	for (size_t i = 0; i < replay->rows.spans.n; i++)
		if (ts_trace_on_device(replay->rows.spans.kind[i]))
			ts_work_add(&out.device, 1, (uint64_t)replay->rows.spans.duration_ns[i]);
	if (find_launches(&w, err) || find_events(&w, err) || link_all(&w, &out, err) || join(&w, io_capture, err) ||
	    ts_nest(io_capture, arena, &nest, err) || ts_device_work(io_capture, &nest, arena, &work, err) ||
	    ts_operator_sums(io_capture, &nest, &work, arena, &out.operators, &out.n_operators, err) ||
	    ts_module_sums(io_capture, &nest, &work, arena, &out.modules, err))
		return err->status;
	out.in_operator = work.known;
	out.in_module = out.modules.forward;
	ts_work_add(&out.in_module, out.modules.backward.count, out.modules.backward.ns);
	TS_DOOR(out.linked.count == work.all.count && out.linked.count <= out.all.count && out.by_order.count <= out.linked.count);
	TS_DOOR(out.found <= out.graphs && out.in_module.count <= out.linked.count);
	*ret = out;
	return TS_OK;
}
