/* host_steps.c - what the host did during each step, on the thread of the step's annotation; and on the main thread over the whole
 * trace. */
#include "analysis/trace/host/trace_host.h"

#include "analysis/trace/device/stretches.h"
#include "base/door.h"
#include "base/scratch.h"

struct host {
	const struct ts_trace *trace;
	const struct ts_nest *nest;
	const struct ts_host_names *names;
	uint8_t *parts;		       /* of each span, of enum ts_host_part; a mark has TS_HOST_PARTS */
	struct ts_stretches backward;  /* when a backward thread was at work */
	struct ts_device_event *marks; /* begins and ends of rows, by thread and time; row: which, class: whether an end */
	size_t n_marks, next;
	struct ts_host_step *rows; /* the steps, and behind them the whole */
	uint32_t *open;
	size_t depth;
	int64_t now, until; /* until: the last end of the thread */
	uint64_t totals[TS_HOST_PARTS];
};

static int64_t end_of(const struct ts_trace_spans *s, uint32_t row)
{
	return s->start_ns[row] + s->duration_ns[row];
}

/* --- what each span counts as --- */

bool ts_is_data_loader(struct ts_span name)
{
	return ts_span_starts(name, ts_span_str("enumerate(DataLoader)")) || ts_span_starts(name, ts_span_str("enumerate(DataPipe)")) ||
	       (ts_span_starts(name, ts_span_str("[")) && ts_span_ends(name, "_dataloader_next"));
}

static uint8_t part_of(uint8_t kind, bool loading, bool waiting, uint8_t outside)
{
	if (outside == TS_HOST_LOADING || outside == TS_HOST_WAITS)
		return outside;
	if (loading && (kind == TS_TRACE_ANNOTATION || kind == TS_TRACE_OPERATOR))
		return TS_HOST_LOADING;
	if (waiting)
		return TS_HOST_WAITS;
	if (kind == TS_TRACE_RUNTIME)
		return TS_HOST_CALLS;
	if (kind == TS_TRACE_OPERATOR)
		return TS_HOST_OPERATORS;
	return kind == TS_TRACE_PYTHON ? TS_HOST_PYTHON : TS_HOST_PARTS;
}

static enum ts_status find_parts(struct host *h, const bool *waiting, struct ts_arena *arena, struct ts_error *err)
{
	const struct ts_trace_spans *s = &h->trace->rows.spans;
	bool *loading = ts_arena_array(arena, h->trace->n_names + 1, sizeof *loading);

	h->parts = ts_arena_array(arena, s->n, 1);
	if (!loading || !h->parts)
		return ts_arena_error(arena, err);
	for (size_t i = 0; i < h->trace->n_names; i++)
		loading[i] = ts_is_data_loader(h->trace->names[i]);
	for (size_t k = 0; k < h->nest->n_order; k++) {
		uint32_t i = h->nest->order[k], parent = h->nest->parent[i];

		h->parts[i] = part_of(s->kind[i], loading[s->name[i]], waiting[i],
				      parent == TS_NEST_NONE ? (uint8_t)TS_HOST_PARTS : h->parts[parent]);
	}
	return TS_OK;
}

static bool works_backward(const struct host *h, uint32_t row)
{
	const struct ts_trace_spans *s = &h->trace->rows.spans;

	return h->names->kinds[s->thread[row]] == TS_HOST_BACKWARD &&
	       (s->kind[row] == TS_TRACE_OPERATOR || s->kind[row] == TS_TRACE_RUNTIME);
}

/* The stretches have room for n. */
static enum ts_status stretch_backward(struct host *h, size_t n, struct ts_arena *scratch, struct ts_error *err)
{
	const struct ts_trace_spans *s = &h->trace->rows.spans;
	struct ts_device_event *w = ts_scratch_array(scratch, n, sizeof *w), *spare = ts_scratch_array(scratch, n, sizeof *spare);

	if (!w || !spare)
		return ts_arena_error(scratch, err);
	n = 0;
	for (size_t k = 0; k < h->nest->n_order; k++)
		if (works_backward(h, h->nest->order[k]))
			w[n++] = (struct ts_device_event){.begin = s->start_ns[h->nest->order[k]], .end = end_of(s, h->nest->order[k])};
	ts_device_events_by_begin(w, n, spare);
	ts_stretches_find(&h->backward, w, n);
	return TS_OK;
}

static enum ts_status find_backward(struct host *h, struct ts_arena *arena, struct ts_error *err)
{
	struct ts_arena scratch;
	enum ts_status status;
	size_t n = 0;

	for (size_t k = 0; k < h->nest->n_order; k++)
		n += works_backward(h, h->nest->order[k]);
	h->backward.items = ts_scratch_array(arena, n, sizeof *h->backward.items);
	if (!h->backward.items)
		return ts_arena_error(arena, err);
	ts_scratch_init(&scratch, arena);
	status = stretch_backward(h, n, &scratch, err);
	ts_arena_finish(&scratch);
	return status;
}

/* --- rows, and the marks of their begins and ends --- */

/* The first main thread from its first begin to its last end. */
static void whole(const struct host *h, struct ts_host_step *row)
{
	const struct ts_trace_spans *s = &h->trace->rows.spans;
	int64_t end = 0;
	bool any = false;

	for (size_t k = 0; k < h->nest->n_order; k++) {
		uint32_t i = h->nest->order[k];

		if (h->names->kinds[s->thread[i]] != TS_HOST_MAIN || (any && s->thread[i] != row->thread))
			continue;
		if (!any)
			*row = (struct ts_host_step){.thread = s->thread[i], .begin_ns = s->start_ns[i]};
		end = !any || end_of(s, i) > end ? end_of(s, i) : end;
		any = true;
	}
	row->wall_ns = any ? (uint64_t)end - (uint64_t)row->begin_ns : 0;
}

static enum ts_status mark(struct host *h, size_t n, struct ts_arena *arena, struct ts_error *err)
{
	struct ts_device_event *spare = ts_arena_array(arena, 2 * n, sizeof *spare);

	h->marks = ts_arena_array(arena, 2 * n, sizeof *h->marks);
	if (!spare || !h->marks)
		return ts_arena_error(arena, err);
	for (size_t i = 0; i < n; i++)
		for (uint8_t end = 0; end < 2; end++)
			h->marks[h->n_marks++] = (struct ts_device_event){
				.begin = (int64_t)((uint64_t)h->rows[i].begin_ns + (end ? h->rows[i].wall_ns : 0)),
				.group = h->rows[i].thread,
				.row = (uint32_t)i,
				.class = end};
	ts_device_events_by_begin(h->marks, h->n_marks, spare);
	ts_device_events_by_group(h->marks, h->n_marks, spare);
	return TS_OK;
}

/* --- one thread after another --- */

static void spend(struct host *h, int64_t to, uint8_t part)
{
	uint64_t ns = (uint64_t)to - (uint64_t)h->now, behind = 0;

	if (part == TS_HOST_PYTHON || part == TS_HOST_NOTHING)
		behind = ts_stretches_before(&h->backward, to) - ts_stretches_before(&h->backward, h->now);
	h->totals[part] += ns - behind;
	h->totals[TS_HOST_BACKWARD_PASS] += behind;
	h->now = to;
}

/* Goes on to a time, and stops at the marks on the way. A row's parts are the totals at its end less those at its begin. */
static void go_on(struct host *h, int64_t to, uint32_t thread)
{
	uint8_t part = h->depth ? h->parts[h->open[h->depth - 1]] : (uint8_t)TS_HOST_NOTHING;

	for (; h->next < h->n_marks && h->marks[h->next].group == thread && h->marks[h->next].begin <= to; h->next++) {
		const struct ts_device_event *m = &h->marks[h->next];

		if (m->begin > h->now)
			spend(h, m->begin, part);
		for (int i = 0; i < TS_HOST_PARTS; i++)
			h->rows[m->row].parts[i] += m->class ? h->totals[i] : 0 - h->totals[i];
	}
	if (to > h->now)
		spend(h, to, part);
}

static void close_until(struct host *h, int64_t time, bool all, uint32_t thread)
{
	const struct ts_trace_spans *s = &h->trace->rows.spans;

	while (h->depth && (all || end_of(s, h->open[h->depth - 1]) <= time)) {
		int64_t end = end_of(s, h->open[h->depth - 1]);

		go_on(h, end > h->now ? end : h->now, thread);
		h->depth--;
	}
}

static void walk(struct host *h)
{
	const struct ts_trace_spans *s = &h->trace->rows.spans;
	size_t n = h->nest->n_order;

	for (size_t k = 0; k < n; k++) {
		uint32_t row = h->nest->order[k], thread = s->thread[row];
		bool last = k + 1 == n || s->thread[h->nest->order[k + 1]] != thread;

		if (!k || s->thread[h->nest->order[k - 1]] != thread)
			h->now = h->until = s->start_ns[row];
		h->until = end_of(s, row) > h->until ? end_of(s, row) : h->until;
		close_until(h, s->start_ns[row], false, thread);
		go_on(h, s->start_ns[row], thread);
		if (h->parts[row] != TS_HOST_PARTS)
			h->open[h->depth++] = row;
		if (!last)
			continue;
		close_until(h, 0, true, thread);
		go_on(h, h->until, thread);
	}
}

static bool adds_up(const struct ts_host_step *row)
{
	uint64_t sum = 0;

	for (int i = 0; i < TS_HOST_PARTS; i++)
		sum += row->parts[i];
	return sum == row->wall_ns;
}

enum ts_status ts_host_steps(const struct ts_trace *trace, const struct ts_nest *nest, const struct ts_host_names *names,
			     const struct ts_timelines *lines, const bool *waiting, struct ts_arena *arena, struct ts_host_steps *ret,
			     struct ts_error *err)
{
	struct host h = {.trace = trace, .nest = nest, .names = names};
	size_t n = lines->n_steps;

	TS_DOOR(ts_trace_holds(trace));
	TS_DOOR(ts_nest_holds(nest, trace));
	h.rows = ts_arena_array(arena, n + 1, sizeof *h.rows);
	h.open = ts_arena_array(arena, nest->n_order, sizeof *h.open);
	if (!h.rows || !h.open)
		return ts_arena_error(arena, err);
	for (size_t i = 0; i < n; i++)
		h.rows[i] = (struct ts_host_step){.number = lines->steps[i].number,
						  .thread = trace->rows.spans.thread[lines->steps[i].row],
						  .begin_ns = lines->steps[i].start_ns,
						  .wall_ns = lines->steps[i].duration_ns};
	whole(&h, &h.rows[n]);
	if (find_parts(&h, waiting, arena, err) || find_backward(&h, arena, err) || mark(&h, n + 1, arena, err))
		return err->status;
	walk(&h);
	ts_scratch_give(arena, h.open);
	ts_scratch_give(arena, h.parts);
	ts_scratch_give(arena, h.backward.items);
	TS_DOOR_ALL(i, n + 1, adds_up(&h.rows[i]));
	*ret = (struct ts_host_steps){.all = h.rows[n], .items = h.rows, .n = n};
	return TS_OK;
}
