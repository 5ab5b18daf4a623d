/* idle.c - why a stream was idle, and a device: the time between its events by cause. */
#include "analysis/trace/host/trace_host.h"

#include "analysis/trace/device/stretches.h"
#include "base/door.h"
#include "base/scratch.h"

struct beside {
	struct ts_stretches busy, loading, not_work; /* of the device, and of the host: not_work is loading or setting up */
	const int64_t *first;			     /* when the first event of each name began */
};

static uint64_t within(const struct ts_stretches *s, int64_t from, int64_t to)
{
	return ts_stretches_before(s, to) - ts_stretches_before(s, from);
}

/* What of the gap from..to was a first launch: the first event of its name waits so long for its call, which lasts most of that. A call
 * that returned long before its event began loaded nothing for it. */
static uint64_t first_launch(const struct beside *b, int64_t from, int64_t to, uint32_t name, const struct ts_device_event *launch)
{
	int64_t begin = launch->begin > from ? launch->begin : from, end = launch->end < to ? launch->end : to;
	uint64_t delay = begin < to ? (uint64_t)to - (uint64_t)begin : 0;

	if (b->first[name] != to || delay < TS_FIRST_LAUNCH_NS || end <= begin || (uint64_t)end - (uint64_t)begin < delay - delay / 2)
		return 0;
	return delay;
}

/* The gap before whose end the host asked for nothing until `asked`. */
static void add_host(struct ts_idle *idle, const struct beside *b, int64_t from, int64_t asked)
{
	uint64_t host = (uint64_t)asked - (uint64_t)from, loading = within(&b->loading, from, asked);
	uint64_t setup = within(&b->not_work, from, asked) - loading;

	idle->host_ns += host;
	idle->setup_ns += setup;
	ts_longest_add(&idle->host_longest, host - setup);
	idle->loading_ns += loading;
	if (loading)
		ts_longest_add(&idle->loading_longest, loading);
}

/* Adds the gap from..to, behind which an event of this name begins that `launch` asked for. */
static void add_gap(struct ts_idle *idle, const struct beside *b, int64_t from, int64_t to, uint32_t name,
		    const struct ts_device_event *launch)
{
	uint64_t gap = (uint64_t)to - (uint64_t)from, behind, first;

	if (!idle->gaps++ || gap > idle->longest_ns) {
		idle->longest_ns = gap;
		idle->longest_at_ns = from;
	}
	idle->idle_ns += gap;
	if (!launch) {
		idle->unknown_ns += gap;
		return;
	}
	first = first_launch(b, from, to, name, launch);
	if (launch->begin >= from) {
		int64_t asked = launch->begin < to ? launch->begin : to;
		uint64_t launching = (uint64_t)to - (uint64_t)asked;

		add_host(idle, b, from, asked);
		idle->launch_ns += launching;
		idle->first_launch_ns += first;
		if (!first)
			ts_longest_add(&idle->launch_longest, launching);
		return;
	}
	behind = within(&b->busy, from, to);
	idle->behind_ns += behind;
	idle->queued_ns += gap - behind;
	if (first)
		idle->first_queued_ns += gap - behind;
}

/* The call that asked for what begins behind a gap. Of several events that begin at once, the first that was asked for: from then on
 * the host was no longer waited for. NULL: the trace has no call of any. */
static const struct ts_device_event *first_call(const struct ts_device_event *w, size_t n, const struct ts_trace *trace,
						struct ts_launches *launches)
{
	const struct ts_device_event *first = NULL;

	for (size_t i = 0; i < n && w[i].begin == w[0].begin; i++) {
		int64_t correlation = trace->rows.spans.correlation[w[i].row];
		const struct ts_device_event *call =
			correlation == TS_TRACE_NONE ? NULL : ts_launch_of(launches, (uint64_t)correlation);

		if (call && (!first || call->begin < first->begin))
			first = call;
	}
	return first;
}

/* The gaps of events that are sorted by begin. */
static void add_gaps(struct ts_idle *idle, const struct beside *b, const struct ts_device_event *w, size_t n,
		     const struct ts_trace *trace, struct ts_launches *launches)
{
	int64_t until = n ? w[0].end : 0;

	for (size_t i = 1; i < n; i++) {
		if (w[i].begin > until)
			add_gap(idle, b, until, w[i].begin, trace->rows.spans.name[w[i].row],
				first_call(w + i, n - i, trace, launches));
		until = w[i].end > until ? w[i].end : until;
	}
}

/* The end of the events from i on that have the device, and if asked the stream, of the i-th. */
static size_t alike(const struct ts_device_event *w, size_t n, size_t i, const struct ts_trace_spans *s, bool stream)
{
	size_t end = i;

	while (end < n && s->device[w[end].row] == s->device[w[i].row] && (!stream || s->stream[w[end].row] == s->stream[w[i].row]))
		end++;
	return end;
}

static void by_place(struct ts_device_event *w, size_t n, struct ts_device_event *spare, const struct ts_trace_spans *s, bool streams)
{
	for (size_t i = 0; i < n; i++)
		w[i].group = (uint32_t)(streams ? s->stream : s->device)[w[i].row] ^ UINT32_C(0x80000000);
	ts_device_events_by_group(w, n, spare);
}

struct rows {
	struct ts_idle *items;
	size_t n;
};

/* One device: w are its events by begin; by stream and begin afterwards. */
static void one_device(struct rows *rows, struct beside *b, struct ts_device_event *w, size_t n, struct ts_device_event *spare,
		       const struct ts_trace *trace, struct ts_launches *launches)
{
	const struct ts_trace_spans *s = &trace->rows.spans;
	struct ts_idle *row = &rows->items[rows->n++];

	ts_stretches_find(&b->busy, w, n);
	*row = (struct ts_idle){.device = s->device[w[0].row], .stream = TS_TRACE_NO_DEVICE, .all_streams = true};
	add_gaps(row, b, w, n, trace, launches);
	by_place(w, n, spare, s, true);
	for (size_t i = 0; i < n;) {
		size_t end = alike(w, n, i, s, true);

		row = &rows->items[rows->n++];
		*row = (struct ts_idle){.device = s->device[w[i].row], .stream = s->stream[w[i].row]};
		add_gaps(row, b, w + i, end - i, trace, launches);
		i = end;
	}
}

/* How many rows there will be: each device and each stream. w is sorted by device and then stream. */
static size_t count_rows(const struct ts_device_event *w, size_t n, const struct ts_trace_spans *s)
{
	size_t rows = 0;

	for (size_t i = 0; i < n; i = alike(w, n, i, s, true))
		rows++;
	for (size_t i = 0; i < n; i = alike(w, n, i, s, false))
		rows++;
	return rows;
}

/* What names say of the host, as bits. */
enum { LOADS = 1, SETS_UP = 2 };

static uint8_t *what_names_say(const struct ts_trace *trace, struct ts_arena *arena)
{
	uint8_t *said = ts_arena_array(arena, trace->n_names + 1, sizeof *said);

	for (size_t i = 0; said && i < trace->n_names; i++)
		said[i] =
			(uint8_t)((ts_is_data_loader(trace->names[i]) ? LOADS : 0) | (ts_call_sets_up(trace->names[i]) ? SETS_UP : 0));
	return said;
}

static bool is_of(const struct ts_trace_spans *s, size_t i, const uint8_t *said, int what)
{
	if (s->kind[i] == TS_TRACE_ANNOTATION || s->kind[i] == TS_TRACE_OPERATOR)
		return said[s->name[i]] & what & LOADS;
	return s->kind[i] == TS_TRACE_RUNTIME && said[s->name[i]] & what & SETS_UP && s->duration_ns[i] >= (int64_t)TS_FIRST_LAUNCH_NS;
}

/* When some thread of the host was in what is asked for. */
static enum ts_status find_host(const struct ts_trace *trace, const uint8_t *said, int what, struct ts_arena *arena,
				struct ts_stretches *ret, struct ts_error *err)
{
	const struct ts_trace_spans *s = &trace->rows.spans;
	struct ts_device_event *w, *spare;
	size_t n = 0, at = 0;

	for (size_t i = 0; i < s->n; i++)
		n += is_of(s, i, said, what);
	w = ts_arena_array(arena, n, sizeof *w);
	spare = ts_arena_array(arena, n, sizeof *spare);
	ret->items = ts_arena_array(arena, n, sizeof *ret->items);
	if (!w || !spare || !ret->items)
		return ts_arena_error(arena, err);
	for (size_t i = 0; i < s->n; i++)
		if (is_of(s, i, said, what))
			w[at++] = (struct ts_device_event){
				.begin = s->start_ns[i], .end = s->start_ns[i] + s->duration_ns[i], .row = (uint32_t)i};
	ts_device_events_by_begin(w, n, spare);
	ts_stretches_find(ret, w, n);
	ts_scratch_give(arena, w);
	ts_scratch_give(arena, spare);
	return TS_OK;
}

/* When the first event of each name began. */
static int64_t *find_first(const struct ts_trace *trace, const struct ts_device_event *w, size_t n, struct ts_arena *arena)
{
	int64_t *first = ts_arena_array(arena, trace->n_names + 1, sizeof *first);

	for (size_t i = 0; first && i < trace->n_names; i++)
		first[i] = INT64_MAX;
	for (size_t i = 0; first && i < n; i++) {
		uint32_t name = trace->rows.spans.name[w[i].row];

		first[name] = w[i].begin < first[name] ? w[i].begin : first[name];
	}
	return first;
}

static bool adds_up(const struct ts_idle *row)
{
	return row->host_ns + row->launch_ns + row->behind_ns + row->queued_ns + row->unknown_ns == row->idle_ns &&
	       row->loading_ns + row->setup_ns <= row->host_ns && row->first_queued_ns <= row->queued_ns &&
	       ts_longest_sum(&row->host_longest, SIZE_MAX) <= row->host_ns - row->setup_ns &&
	       ts_longest_sum(&row->launch_longest, SIZE_MAX) <= row->launch_ns - row->first_launch_ns &&
	       ts_longest_sum(&row->loading_longest, SIZE_MAX) <= row->loading_ns && row->first_launch_ns <= row->launch_ns &&
	       row->longest_ns <= row->idle_ns && (row->gaps || !row->idle_ns);
}

enum ts_status ts_idle_rows(const struct ts_trace *trace, struct ts_arena *arena, struct ts_idle **ret, size_t *ret_n,
			    struct ts_error *err)
{
	const struct ts_trace_spans *s = &trace->rows.spans;
	struct ts_device_event *w = NULL, *spare;
	struct ts_launches launches = {0};
	struct rows rows = {0};
	struct beside beside = {0};
	uint8_t *said;
	size_t n = 0;

	TS_DOOR(ts_trace_holds(trace));
	said = what_names_say(trace, arena);
	if (!said)
		return ts_arena_error(arena, err);
	if (ts_device_events(trace, arena, &w, &n, err) || ts_launches_find(trace, arena, &launches, err) ||
	    find_host(trace, said, LOADS, arena, &beside.loading, err) ||
	    find_host(trace, said, LOADS | SETS_UP, arena, &beside.not_work, err))
		return err->status;
	spare = ts_arena_array(arena, n, sizeof *spare);
	beside.busy.items = ts_arena_array(arena, n, sizeof *beside.busy.items);
	beside.first = find_first(trace, w, n, arena);
	if (!spare || !beside.busy.items || !beside.first)
		return ts_arena_error(arena, err);
	by_place(w, n, spare, s, true);
	by_place(w, n, spare, s, false);
	rows.items = ts_arena_array(arena, count_rows(w, n, s), sizeof *rows.items);
	if (!rows.items)
		return ts_arena_error(arena, err);
	for (size_t i = 0; i < n;) {
		size_t end = alike(w, n, i, s, false);

		ts_device_events_by_begin(w + i, end - i, spare);
		one_device(&rows, &beside, w + i, end - i, spare, trace, &launches);
		i = end;
	}
	ts_scratch_give(arena, w);
	ts_scratch_give(arena, spare);
	ts_scratch_give(arena, launches.items);
	ts_scratch_give(arena, beside.busy.items);
	TS_DOOR_ALL(i, rows.n, adds_up(&rows.items[i]));
	*ret = rows.items;
	*ret_n = rows.n;
	return TS_OK;
}
