/* path_waits.c - the links of what waits: calls for the work of devices, and streams for each other. */
#include "analysis/trace/path/path_graph.h"
#include "base/bisect.h"
#include "base/scratch.h"

enum {
	STREAMS_MAX = 1024, /* beyond, only what the table syncs says is linked */
	LOOK_BACK = 64,	    /* events of a stream that ended after the wait for them did, as clocks that are not aligned have it */
	TAIL_MOST = 4,	    /* streams that one wait is followed through */
};

/* The waits of a trace, and where streams stand when they come by time. */
struct waits {
	struct ts_path_graph *g;
	struct ts_launches calls;
	struct ts_device_event *items; /* calls that wait: begin, end, group = enum ts_path_call, row */
	size_t n;
	uint32_t *given;	       /* by stream: how much of its work was given before the call */
	uint32_t *waited;	       /* by stream: how much of it the last wait for everything was for */
	uint32_t *sync;		       /* by span: the row of syncs + 1 that has the same correlation */
	struct ts_device_event *holds; /* waits of streams, by stream: begin = that of the call, group = stream_key, row = of syncs */
	size_t n_holds;
};

static uint32_t end_point(const struct ts_path_graph *g, size_t work)
{
	return (uint32_t)(g->n_host + 2 * work + 1);
}

/* The number of events of a stream that were given to it before a time. Work whose call is unknown was given before the recording. */
static bool given_before(const struct ts_path_graph *g, size_t work, int64_t time)
{
	return g->call[work] == TS_PATH_NONE || g->at[g->call[work]] < time;
}

static uint32_t count_given(const struct ts_path_graph *g, const struct ts_path_stream *s, int64_t time)
{
	uint32_t low = 0;

	TS_BISECT(low, s->n, i, given_before(g, s->first + i, time));
	return low;
}

static const struct ts_path_stream *stream_of(const struct ts_path_graph *g, int32_t device, int32_t stream)
{
	const struct ts_path_stream *s = g->streams;
	size_t low = 0;

	TS_BISECT(low, g->n_streams, i, s[i].device < device || (s[i].device == device && s[i].stream < stream));
	return low < g->n_streams && s[low].device == device && s[low].stream == stream ? &s[low] : NULL;
}

/* The end of the last of the first n events of a stream, n > 0, that had ended by a time; TS_PATH_NONE: none had. Who waits for the
 * last of them waits for those before it, too. */
static uint32_t ended_by(const struct ts_path_graph *g, const struct ts_path_stream *s, uint32_t n, int64_t time)
{
	for (uint32_t i = n; i > 0 && n - i < LOOK_BACK; i--)
		if (g->work[s->first + i - 1].end <= time)
			return end_point(g, s->first + i - 1);
	return TS_PATH_NONE;
}

/* The point at which a call ended, if the stretch before it is the call's own. */
static uint32_t own_end(const struct ts_path_graph *g, uint32_t span)
{
	uint32_t to = g->call_end[span];

	return to != TS_PATH_NONE && g->chain[to] != TS_PATH_FIRST && g->span[to] == span ? to : TS_PATH_NONE;
}

/* Links a call with the end of what it waits for. If that was later than its begin, the call's own time is that of a quick one; else it
 * took what it took, and the link is there for a faster host. */
static bool waited(struct ts_path_graph *g, uint32_t from, const struct ts_device_event *call)
{
	uint32_t to = own_end(g, call->row);

	if (!ts_path_link(g, from, to, TS_PATH_BY_RETURN) || g->at[from] <= call->begin)
		return false;
	g->chain[to] = TS_PATH_WAITS;
	g->what[to] = TS_PATH_CALL;
	return true;
}

/* --- what the trace says --- */

/* All that a stream had been given at a time. */
struct tail {
	int32_t device, stream;
	int64_t given;
};

static uint64_t stream_key(int32_t device, int32_t stream)
{
	return (uint64_t)(uint32_t)device << 32 | (uint32_t)stream;
}

static bool is(const struct waits *w, size_t sync, const char *what)
{
	return ts_span_contains(w->g->trace->names[w->g->trace->rows.syncs.what[sync]], what);
}

/* What a row of syncs waits for by an event: what its stream had been given when the event was recorded. */
static bool recorded(struct waits *w, size_t sync, int64_t call_begin, struct tail *ret)
{
	const struct ts_trace_rows *rows = &w->g->trace->rows;
	int64_t recorded_by = rows->syncs.recorded_by[sync];
	const struct ts_device_event *record = recorded_by == TS_TRACE_NONE ? NULL : ts_launch_of(&w->calls, (uint64_t)recorded_by);

	if (!record || record->begin > call_begin || rows->syncs.on_stream[sync] != (int32_t)rows->syncs.on_stream[sync])
		return false;
	*ret = (struct tail){.device = rows->spans.device[rows->syncs.span[sync]],
			     .stream = (int32_t)rows->syncs.on_stream[sync],
			     .given = record->begin};
	return true;
}

/* The number of waits of streams that come before those of this stream at this time. */
static size_t holds_before(const struct waits *w, uint64_t key, int64_t time)
{
	const struct ts_device_event *h = w->holds;
	size_t low = 0;

	TS_BISECT(low, w->n_holds, i, h[i].group < key || (h[i].group == key && h[i].begin < time));
	return low;
}

/* Adds the events for which a stream waited since it was given work last: who waits for the stream waits for them. */
static size_t add_holds(struct waits *w, const struct tail *t, int64_t since, struct tail *open, size_t n)
{
	uint64_t key = stream_key(t->device, t->stream);

	for (size_t i = holds_before(w, key, t->given); i > 0 && n < TAIL_MOST; i--) {
		const struct ts_device_event *h = &w->holds[i - 1];

		if (h->group != key || h->begin <= since)
			break;
		n += recorded(w, h->row, h->begin, &open[n]);
	}
	return n;
}

/* Links a point with the end of all that a stream was given, as far as it had ended by a time: the begin of work, or with `call` the
 * end of a call. Returns whether there was any; *ret_later, whether any of it ended within the call. */
static bool link_tail(struct waits *w, const struct tail *tail, uint32_t to, int64_t ended, const struct ts_device_event *call,
		      bool *ret_later)
{
	struct tail open[TAIL_MOST] = {*tail};
	bool any = false;

	for (size_t i = 0, n = 1; i < n; i++) {
		const struct ts_path_stream *s = stream_of(w->g, open[i].device, open[i].stream);
		uint32_t given = s ? count_given(w->g, s, open[i].given) : 0, from;
		uint32_t last = given ? w->g->call[s->first + given - 1] : TS_PATH_NONE;

		if (given) {
			from = ended_by(w->g, s, given, ended);
			any = true;
			if (call)
				*ret_later |= waited(w->g, from, call) || from == TS_PATH_NONE;
			else
				(void)ts_path_link(w->g, from, to, TS_PATH_BY_EVENT);
		}
		n = add_holds(w, &open[i], last == TS_PATH_NONE ? INT64_MIN : w->g->at[last], open, n);
	}
	return any;
}

/* The first work that the stream was given behind a cudaStreamWaitEvent. */
static void link_hold(struct waits *w, const struct ts_device_event *hold)
{
	const struct ts_trace_spans *spans = &w->g->trace->rows.spans;
	uint32_t span = w->g->trace->rows.syncs.span[hold->row], given;
	const struct ts_path_stream *s = stream_of(w->g, spans->device[span], spans->stream[span]);
	struct tail tail;

	given = s ? count_given(w->g, s, hold->begin) : 0;
	if (s && given < s->n && recorded(w, hold->row, hold->begin, &tail))
		(void)link_tail(w, &tail, end_point(w->g, s->first + given) - 1, w->g->work[s->first + given].begin, NULL, NULL);
}

/* --- what calls waited for --- */

/* A call that took no longer than without a wait. */
static void did_not_wait(struct ts_path_graph *g, const struct ts_device_event *call)
{
	uint64_t *quickest = &g->quickest[g->trace->rows.spans.name[call->row]], ns = ts_path_between(call->begin, call->end);
	uint32_t to = own_end(g, call->row);

	*quickest = !*quickest || ns < *quickest - 1 ? ns + 1 : *quickest;
	if (to != TS_PATH_NONE)
		g->what[to] = TS_PATH_CALL;
}

/* Brings the count of what a stream was given up to a call. Returns the last of it, or NULL. */
static const struct ts_device_event *given_by(struct waits *w, size_t stream, const struct ts_device_event *call)
{
	const struct ts_path_graph *g = w->g;
	const struct ts_path_stream *s = &g->streams[stream];

	while (w->given[stream] < s->n && given_before(g, s->first + w->given[stream], call->begin))
		w->given[stream]++;
	return w->given[stream] ? &g->work[s->first + w->given[stream] - 1] : NULL;
}

/* A wait for everything: it is linked with what each stream was given since the last one. */
static void link_device(struct waits *w, const struct ts_device_event *call)
{
	bool pending = false, any = false;

	for (size_t i = 0; i < w->g->n_streams; i++) {
		const struct ts_device_event *last = given_by(w, i, call);

		if (!last || w->given[i] == w->waited[i])
			continue;
		w->waited[i] = w->given[i];
		pending |= last->end > call->begin;
		any |= waited(w->g, ended_by(w->g, &w->g->streams[i], w->given[i], call->end), call);
	}
	if (!any && !pending)
		did_not_wait(w->g, call);
}

/* A wait for a stream that is not named: if it waited at all, for one whose work had ended when it returned; of these that which ended
 * last, because it would have returned earlier from a wait for another. */
static void link_stream(struct waits *w, const struct ts_device_event *call)
{
	uint32_t best = TS_PATH_NONE;
	bool pending = false;

	for (size_t i = 0; i < w->g->n_streams; i++) {
		const struct ts_device_event *last = given_by(w, i, call);
		uint32_t point = end_point(w->g, w->g->streams[i].first + w->given[i] - 1);

		if (!last || last->end <= call->begin)
			continue;
		pending = true;
		if (last->end <= call->end && (best == TS_PATH_NONE || w->g->rank[point] > w->g->rank[best]))
			best = point;
	}
	if (best != TS_PATH_NONE)
		(void)waited(w->g, best, call);
	else if (!pending)
		did_not_wait(w->g, call);
}

static void link_said(struct waits *w, const struct ts_device_event *call, const struct tail *tail)
{
	bool later = false;

	if (!link_tail(w, tail, TS_PATH_NONE, call->end, call, &later) || !later)
		did_not_wait(w->g, call);
}

static void link_call(struct waits *w, const struct ts_device_event *call)
{
	const struct ts_trace_spans *spans = &w->g->trace->rows.spans;
	uint32_t sync = w->sync[call->row], span = sync ? w->g->trace->rows.syncs.span[sync - 1] : 0;
	struct tail tail = {.device = spans->device[span], .stream = spans->stream[span], .given = call->begin};

	if (sync && is(w, sync - 1, "Event Sync")) {
		if (recorded(w, sync - 1, call->begin, &tail))
			link_said(w, call, &tail);
	} else if (sync && is(w, sync - 1, "Stream Sync")) {
		link_said(w, call, &tail);
	} else if (w->g->n_streams <= STREAMS_MAX && call->group == TS_PATH_CALL_WAIT_DEVICE) {
		link_device(w, call);
	} else if (w->g->n_streams <= STREAMS_MAX && call->group == TS_PATH_CALL_WAIT_STREAM) {
		link_stream(w, call);
	}
}

/* Copies that return when they are done: cudaMemcpy, and those from a device to memory that is not pinned. */
static void link_copies(struct ts_path_graph *g, const struct ts_nest *nest)
{
	const struct ts_trace *trace = g->trace;
	const struct ts_trace_spans *s = &trace->rows.spans;

	for (size_t k = 0; k < g->n_work; k++) {
		uint32_t row = g->work[k].row, call = nest->parent[row];
		struct ts_span name = trace->names[s->name[row]];
		struct ts_device_event of;

		if (s->kind[row] != TS_TRACE_COPY || call == TS_NEST_NONE)
			continue;
		if (ts_path_call(trace->names[s->name[call]]) != TS_PATH_CALL_COPY &&
		    !(ts_span_contains(name, "DtoH") && ts_span_contains(name, "Pageable")))
			continue;
		of = (struct ts_device_event){.begin = s->start_ns[call], .row = call};
		(void)waited(g, end_point(g, k), &of);
	}
}

/* --- */

static enum ts_status find_calls(struct waits *w, struct ts_arena *arena, struct ts_error *err)
{
	const struct ts_trace *trace = w->g->trace;
	const struct ts_trace_spans *s = &trace->rows.spans;
	uint8_t *calls = ts_arena_array(arena, trace->n_names + 1, 1);
	struct ts_device_event *spare;

	if (!calls)
		return ts_arena_error(arena, err);
	for (size_t i = 0; i < trace->n_names; i++)
		calls[i] = (uint8_t)ts_path_call(trace->names[i]);
	for (size_t i = 0; i < s->n; i++)
		w->n += s->kind[i] == TS_TRACE_RUNTIME && calls[s->name[i]] >= TS_PATH_CALL_WAIT_DEVICE;
	w->items = ts_arena_array(arena, w->n, sizeof *w->items);
	spare = ts_arena_array(arena, w->n, sizeof *spare);
	if (!w->items || !spare)
		return ts_arena_error(arena, err);
	w->n = 0;
	for (size_t i = 0; i < s->n; i++)
		if (s->kind[i] == TS_TRACE_RUNTIME && calls[s->name[i]] >= TS_PATH_CALL_WAIT_DEVICE)
			w->items[w->n++] = (struct ts_device_event){.begin = s->start_ns[i],
								    .end = s->start_ns[i] + s->duration_ns[i],
								    .group = calls[s->name[i]],
								    .row = (uint32_t)i};
	ts_device_events_by_begin(w->items, w->n, spare);
	return TS_OK;
}

/* Which call each row of syncs is of; those of cudaStreamWaitEvent are the holds. */
static enum ts_status join_syncs(struct waits *w, struct ts_arena *arena, struct ts_error *err)
{
	const struct ts_trace_rows *rows = &w->g->trace->rows;
	struct ts_device_event *spare = ts_arena_array(arena, rows->syncs.n, sizeof *spare);

	w->holds = ts_arena_array(arena, rows->syncs.n, sizeof *w->holds);
	w->sync = ts_arena_array(arena, rows->spans.n, sizeof *w->sync);
	if (!spare || !w->holds || !w->sync)
		return ts_arena_error(arena, err);
	for (size_t i = 0; i < rows->syncs.n; i++) {
		uint32_t span = rows->syncs.span[i];
		int64_t correlation = rows->spans.correlation[span];
		const struct ts_device_event *call =
			correlation == TS_TRACE_NONE ? NULL : ts_launch_of(&w->calls, (uint64_t)correlation);

		if (call && is(w, i, "Stream Wait"))
			w->holds[w->n_holds++] =
				(struct ts_device_event){.begin = call->begin,
							 .group = stream_key(rows->spans.device[span], rows->spans.stream[span]),
							 .row = (uint32_t)i};
		else if (call)
			w->sync[call->row] = (uint32_t)i + 1;
	}
	ts_device_events_by_begin(w->holds, w->n_holds, spare);
	ts_device_events_by_group(w->holds, w->n_holds, spare);
	return TS_OK;
}

/* The quickest return from a wait. */
static void measure_returns(struct ts_path_graph *g, size_t from)
{
	uint64_t quickest = UINT64_MAX;

	for (size_t i = from; i < g->n_links; i++) {
		uint64_t ns = ts_path_between(g->at[g->links[i].from], g->at[g->links[i].to]);

		if (g->links[i].how == TS_PATH_BY_RETURN && ns < quickest)
			quickest = ns;
	}
	g->least[TS_PATH_BY_RETURN] = quickest == UINT64_MAX ? 0 : quickest;
}

enum ts_status ts_path_waits(struct ts_path_graph *g, const struct ts_nest *nest, struct ts_arena *arena, struct ts_error *err)
{
	struct waits w = {.g = g};
	size_t from = g->n_links;

	if (ts_launches_find(g->trace, arena, &w.calls, err) || find_calls(&w, arena, err) || join_syncs(&w, arena, err))
		return err->status;
	w.given = ts_arena_array(arena, g->n_streams, sizeof *w.given);
	w.waited = ts_arena_array(arena, g->n_streams, sizeof *w.waited);
	if (!w.given || !w.waited)
		return ts_arena_error(arena, err);
	for (size_t i = 0; i < w.n_holds; i++)
		link_hold(&w, &w.holds[i]);
	for (size_t i = 0; i < w.n; i++)
		link_call(&w, &w.items[i]);
	link_copies(g, nest);
	measure_returns(g, from);
	ts_scratch_give(arena, w.calls.items);
	ts_scratch_give(arena, w.items);
	ts_scratch_give(arena, w.sync);
	return TS_OK;
}
