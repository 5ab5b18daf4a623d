#include "analysis/trace/idle.h"

#include "analysis/trace/stretches.h"

/* Adds the gap from..to, behind which an event begins that `launch` asked for. */
static void add_gap(struct ts_idle *idle, const struct ts_stretches *b, int64_t from, int64_t to, const struct ts_device_event *launch)
{
	uint64_t gap = (uint64_t)to - (uint64_t)from, behind;

	if (!idle->gaps++ || gap > idle->longest_ns) {
		idle->longest_ns = gap;
		idle->longest_at_ns = from;
	}
	idle->idle_ns += gap;
	if (!launch) {
		idle->unknown_ns += gap;
		return;
	}
	if (launch->begin >= from) {
		int64_t asked = launch->begin < to ? launch->begin : to;

		idle->host_ns += (uint64_t)asked - (uint64_t)from;
		idle->launch_ns += (uint64_t)to - (uint64_t)asked;
		return;
	}
	behind = ts_stretches_before(b, to) - ts_stretches_before(b, from);
	idle->behind_ns += behind;
	idle->queued_ns += gap - behind;
}

/* The gaps of events that are sorted by begin. */
static void add_gaps(struct ts_idle *idle, const struct ts_stretches *b, const struct ts_device_event *w, size_t n,
		     const struct ts_trace *trace, struct ts_launches *launches)
{
	int64_t until = n ? w[0].end : 0;

	for (size_t i = 1; i < n; i++) {
		if (w[i].begin > until) {
			int64_t correlation = trace->rows.spans.correlation[w[i].row];

			add_gap(idle, b, until, w[i].begin,
				correlation == TS_TRACE_NONE ? NULL : ts_launch_of(launches, (uint64_t)correlation));
		}
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
static void one_device(struct rows *rows, struct ts_stretches *b, struct ts_device_event *w, size_t n, struct ts_device_event *spare,
		       const struct ts_trace *trace, struct ts_launches *launches)
{
	const struct ts_trace_spans *s = &trace->rows.spans;
	struct ts_idle *row = &rows->items[rows->n++];

	ts_stretches_find(b, w, n);
	*row = (struct ts_idle){.device = s->device[w[0].row], .stream = TS_TRACE_NO_DEVICE};
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

enum ts_status ts_idle_rows(const struct ts_trace *trace, struct ts_arena *arena, struct ts_idle **ret, size_t *ret_n,
			    struct ts_error *err)
{
	const struct ts_trace_spans *s = &trace->rows.spans;
	struct ts_device_event *w = NULL, *spare;
	struct ts_launches launches = {0};
	struct rows rows = {0};
	struct ts_stretches busy = {0};
	size_t n = 0;

	if (ts_device_events(trace, arena, &w, &n, err) || ts_launches_find(trace, arena, &launches, err))
		return err->status;
	spare = ts_arena_array(arena, n, sizeof *spare);
	busy.items = ts_arena_array(arena, n, sizeof *busy.items);
	if (!spare || !busy.items)
		return ts_arena_error(arena, err);
	by_place(w, n, spare, s, true);
	by_place(w, n, spare, s, false);
	rows.items = ts_arena_array(arena, count_rows(w, n, s), sizeof *rows.items);
	if (!rows.items)
		return ts_arena_error(arena, err);
	for (size_t i = 0; i < n;) {
		size_t end = alike(w, n, i, s, false);

		ts_device_events_by_begin(w + i, end - i, spare);
		one_device(&rows, &busy, w + i, end - i, spare, trace, &launches);
		i = end;
	}
	*ret = rows.items;
	*ret_n = rows.n;
	return TS_OK;
}
