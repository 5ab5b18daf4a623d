/* launch_rows.c - how long it took from a call to the event that it launched, and how much was queued: of each device and stream. */
#include "analysis/trace/host/trace_host.h"

#include "analysis/trace/device/device_events.h"
#include "analysis/trace/device/saturate.h"
#include "base/door.h"
#include "base/scratch.h"

enum { FIRST_OF_CALL = 1 };

struct launches {
	const struct ts_trace_spans *spans;
	const struct ts_nest *nest;
	struct ts_device_event *up, *down, *spare; /* room for all events */
	struct ts_launch_row *items;
	size_t n;
};

static int64_t end_of(const struct ts_trace_spans *s, uint32_t row)
{
	return s->start_ns[row] + s->duration_ns[row];
}

/* --- how deep the queue is --- */

static void add_depth(struct ts_queue *q, uint64_t depth, int64_t from, int64_t to)
{
	uint64_t ns = (uint64_t)to - (uint64_t)from;

	q->most = depth > q->most ? depth : q->most;
	q->sum_ns = ts_plus(q->sum_ns, ts_times(depth, ns));
	q->empty_ns += depth ? 0 : ns;
	q->full_ns += depth >= TS_QUEUE_FULL ? ns : 0;
}

static void count_full(struct ts_launch_row *row, const struct ts_device_event *up)
{
	if (!(up->class & FIRST_OF_CALL))
		return;
	row->full_calls++;
	row->full_calls_ns = ts_plus(row->full_calls_ns, (uint64_t)up->end - (uint64_t)up->begin);
}

/* up and down are sorted by begin, and the k-th down never lies before the k-th up. row: whose full calls are counted, or NULL. */
static struct ts_queue depths(const struct ts_device_event *up, const struct ts_device_event *down, size_t n, int64_t from, int64_t to,
			      struct ts_launch_row *row)
{
	struct ts_queue q = {0};
	size_t i = 0, j = 0, before = 0; /* this instant */

	while (j < n) {
		bool rises = i < n && up[i].begin < down[j].begin;
		int64_t at = rises ? up[i].begin : down[j].begin;

		if (at != from)
			add_depth(&q, before = i - j, from, at);
		from = at;
		if (rises && row && before >= TS_QUEUE_NEARLY_FULL)
			count_full(row, &up[i]);
		*(rises ? &i : &j) += 1;
	}
	if (from != to)
		add_depth(&q, 0, from, to);
	return q;
}

/* The intervals from the begin of calls to the begins, or the ends, of their events, without empty ones. */
static size_t intervals(struct launches *l, const struct ts_device_event *w, size_t n, bool ends)
{
	size_t kept = 0;

	for (size_t i = 0; i < n; i++) {
		uint32_t call = l->nest->parent[w[i].row];
		int64_t until = ends ? w[i].end : w[i].begin;

		if (call == TS_NEST_NONE || l->spans->start_ns[call] >= until)
			continue;
		l->up[kept] =
			(struct ts_device_event){.begin = l->spans->start_ns[call], .end = end_of(l->spans, call), .class = w[i].class};
		l->down[kept++] = (struct ts_device_event){.begin = until};
	}
	ts_device_events_by_begin(l->up, kept, l->spare);
	ts_device_events_by_begin(l->down, kept, l->spare);
	return kept;
}

static void measure_queues(struct launches *l, const struct ts_device_event *w, size_t n, struct ts_launch_row *row)
{
	int64_t from = INT64_MAX, to = INT64_MIN;
	size_t kept;

	for (size_t i = 0; i < n; i++) {
		uint32_t call = l->nest->parent[w[i].row];
		int64_t begin = w[i].begin;

		if (call == TS_NEST_NONE)
			continue;
		row->before_call += begin < l->spans->start_ns[call];
		begin = l->spans->start_ns[call] < begin ? l->spans->start_ns[call] : begin;
		from = begin < from ? begin : from;
		to = w[i].end > to ? w[i].end : to;
	}
	if (from > to)
		return;
	row->window_ns = (uint64_t)to - (uint64_t)from;
	kept = intervals(l, w, n, false);
	row->queued = depths(l->up, l->down, kept, from, to, row);
	kept = intervals(l, w, n, true);
	row->outstanding = depths(l->up, l->down, kept, from, to, NULL);
}

/* --- delays --- */

static int64_t ranked(const struct ts_device_event *w, size_t n, unsigned percent)
{
	return w[(n * percent + 99) / 100 - 1].begin;
}

static struct ts_launch_times times_of(const struct ts_device_event *w, size_t n)
{
	return (struct ts_launch_times){
		.least_ns = w[0].begin, .median_ns = ranked(w, n, 50), .p95_ns = ranked(w, n, 95), .most_ns = w[n - 1].begin};
}

static void add_delay(struct ts_launch_row *row, const struct ts_trace_spans *s, uint32_t event, uint32_t call, int64_t delay)
{
	uint64_t clipped = delay > 0 ? (uint64_t)delay : 0;

	row->delays++;
	row->calls_ns = ts_plus(row->calls_ns, (uint64_t)s->duration_ns[call]);
	row->sum_ns = ts_plus(row->sum_ns, clipped);
	row->early += delay < 0;
	row->long_delays += clipped > TS_LAUNCH_LONG_NS;
	row->long_calls += s->duration_ns[call] > TS_CALL_LONG_NS;
	row->short_kernels += s->kind[event] == TS_TRACE_KERNEL && s->duration_ns[event] < s->duration_ns[call];
}

static void measure_delays(struct launches *l, const struct ts_device_event *w, size_t n, struct ts_launch_row *row)
{
	struct ts_device_event *delays = l->up;
	size_t kept = 0;

	for (size_t i = 0; i < n; i++) {
		uint32_t call = l->nest->parent[w[i].row];
		int64_t delay;

		row->launched += call != TS_NEST_NONE;
		if (!(w[i].class & FIRST_OF_CALL))
			continue;
		delay = ts_minus(w[i].begin, end_of(l->spans, call));
		add_delay(row, l->spans, w[i].row, call, delay);
		delays[kept++] = (struct ts_device_event){.begin = delay};
	}
	if (!kept)
		return;
	ts_device_events_by_begin(delays, kept, l->spare);
	row->unclipped = times_of(delays, kept);
	for (size_t i = 0; i < kept && delays[i].begin < 0; i++)
		delays[i].begin = 0;
	row->delay = times_of(delays, kept);
}

/* --- rows --- */

static void add_row(struct launches *l, const struct ts_device_event *w, size_t n, bool all_streams)
{
	struct ts_launch_row *row = &l->items[l->n++];

	*row = (struct ts_launch_row){.device = l->spans->device[w[0].row],
				      .stream = all_streams ? TS_TRACE_NO_DEVICE : l->spans->stream[w[0].row],
				      .all_streams = all_streams,
				      .events = n};
	measure_delays(l, w, n, row);
	measure_queues(l, w, n, row);
}

static size_t alike(const struct ts_device_event *w, size_t n, size_t i)
{
	size_t end = i;

	while (end < n && w[end].group == w[i].group)
		end++;
	return end;
}

static uint32_t ascending(int32_t n)
{
	return (uint32_t)n ^ UINT32_C(0x80000000);
}

/* Marks the first event of each call: w is sorted by begin, and what begins at once by device and stream. */
static void mark_first(struct launches *l, struct ts_device_event *w, size_t n)
{
	for (size_t i = 0; i < n; i++)
		w[i].group = l->nest->parent[w[i].row];
	ts_device_events_by_group(w, n, l->spare);
	for (size_t i = 0; i < n; i = alike(w, n, i))
		w[i].class = w[i].group == TS_NEST_NONE ? 0 : FIRST_OF_CALL;
}

/* Sorts w by device and stream, and counts them. */
static size_t by_place(struct launches *l, struct ts_device_event *w, size_t n)
{
	size_t rows = 0;

	for (size_t i = 0; i < n; i++)
		w[i].group = (uint64_t)ascending(l->spans->device[w[i].row]) << 32 | ascending(l->spans->stream[w[i].row]);
	ts_device_events_by_group(w, n, l->spare);
	for (size_t i = 0; i < n; i++)
		rows += !i || w[i].group != w[i - 1].group;
	for (size_t i = 0; i < n; i++)
		rows += !i || w[i].group >> 32 != w[i - 1].group >> 32;
	return rows;
}

static void one_device(struct launches *l, const struct ts_device_event *w, size_t n)
{
	add_row(l, w, n, true);
	for (size_t i = 0; i < n;) {
		size_t end = alike(w, n, i);

		add_row(l, w + i, end - i, false);
		i = end;
	}
}

enum ts_status ts_launch_rows(const struct ts_trace *trace, const struct ts_nest *nest, struct ts_arena *arena,
			      struct ts_launch_row **ret, size_t *ret_n, struct ts_error *err)
{
	struct launches l = {.spans = &trace->rows.spans, .nest = nest};
	struct ts_device_event *w = NULL;
	size_t n = 0;

	TS_DOOR(ts_trace_holds(trace));
	TS_DOOR(ts_nest_holds(nest, trace));
	if (ts_device_events(trace, arena, &w, &n, err))
		return err->status;
	l.up = ts_arena_array(arena, n, sizeof *l.up);
	l.down = ts_arena_array(arena, n, sizeof *l.down);
	l.spare = ts_arena_array(arena, n, sizeof *l.spare);
	if (!l.up || !l.down || !l.spare)
		return ts_arena_error(arena, err);
	for (size_t i = 0; i < n; i++)
		w[i].class = 0;
	(void)by_place(&l, w, n);
	ts_device_events_by_begin(w, n, l.spare);
	mark_first(&l, w, n);
	l.items = ts_arena_array(arena, by_place(&l, w, n), sizeof *l.items);
	if (!l.items)
		return ts_arena_error(arena, err);
	for (size_t i = 0; i < n;) {
		size_t end = i;

		while (end < n && w[end].group >> 32 == w[i].group >> 32)
			end++;
		one_device(&l, w + i, end - i);
		i = end;
	}
	ts_scratch_give(arena, w);
	ts_scratch_give(arena, l.up);
	ts_scratch_give(arena, l.down);
	ts_scratch_give(arena, l.spare);
	*ret = l.items;
	*ret_n = l.n;
	return TS_OK;
}
