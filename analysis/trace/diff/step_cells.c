/* step_cells.c - what each step of a trace took, by row (trace_diff.h). */
#include "analysis/trace/device/device_events.h"
#include "analysis/trace/device/kernel_sums.h"
#include "analysis/trace/device/kernel_table.h"
#include "analysis/trace/device/saturate.h"
#include "analysis/trace/device/trace_steps.h"
#include "analysis/trace/diff/trace_diff.h"
#include "analysis/trace/diff/trace_diff_parts.h"
#include "base/door.h"
#include "base/order.h"

struct cells {
	struct ts_trace_cell *items;
	size_t n;
};

TS_ORDER(by_row, struct ts_trace_cell, TS_UP(row); TS_UP(step))

static bool before(const struct ts_trace_cell *a, const struct ts_trace_cell *b)
{
	return a->row < b->row || (a->row == b->row && a->step < b->step);
}

static struct ts_trace_cell cell_of(uint32_t row, uint32_t step, int64_t at_ns, uint64_t ns, uint64_t count)
{
	return (struct ts_trace_cell){row, step, ns, count, {at_ns, ns}};
}

struct ts_trace_moment ts_trace_longer(struct ts_trace_moment a, struct ts_trace_moment b)
{
	if (a.ns == b.ns)
		return b.at_ns < a.at_ns ? b : a;
	return b.ns > a.ns ? b : a;
}

size_t ts_trace_cells_settle(struct ts_trace_cell *cells, size_t n)
{
	size_t kept = 0;

	TS_SORT(cells, n, by_row);
	for (size_t i = 0; i < n; i++) {
		if (kept && cells[kept - 1].row == cells[i].row && cells[kept - 1].step == cells[i].step) {
			cells[kept - 1].ns = ts_plus(cells[kept - 1].ns, cells[i].ns);
			cells[kept - 1].count = ts_plus(cells[kept - 1].count, cells[i].count);
			cells[kept - 1].longest = ts_trace_longer(cells[kept - 1].longest, cells[i].longest);
		} else {
			cells[kept++] = cells[i];
		}
	}
	TS_DOOR_SORTED(i, kept, before(&cells[i - 1], &cells[i]));
	return kept;
}

/* --- parts of devices --- */

/* Rows: categories of computation; exposed copies in the place of copies; then these. */
enum {
	PART_COLLECTIVE = TS_SUM_CATEGORIES,
	PART_HOST = PART_COLLECTIVE + TS_COLLECTIVES,
	PART_LAUNCH,
	PART_QUEUED,
	PART_UNKNOWN,
	PARTS
};

static enum ts_status part_names(struct ts_arena *arena, struct ts_trace_cells *ret, struct ts_error *err)
{
	struct ts_span *names = ts_arena_array(arena, PARTS, sizeof *names);

	if (!names)
		return ts_arena_error(arena, err);
	for (uint32_t i = 0; i < TS_SUM_CATEGORIES; i++)
		names[i] = ts_span_str(i == TS_SUM_COPY ? "exposed copies" : ts_sum_category_word(i));
	for (int i = 0; i < TS_COLLECTIVES; i++) {
		const char *text = ts_arena_printf(arena, "exposed %s", ts_collective_word((enum ts_collective)i));

		if (!text)
			return ts_arena_error(arena, err);
		names[PART_COLLECTIVE + i] = ts_span_str(text);
	}
	names[PART_HOST] = ts_span_str("idle: the host had not asked");
	names[PART_LAUNCH] = ts_span_str("idle: launching");
	names[PART_QUEUED] = ts_span_str("idle: queued");
	names[PART_UNKNOWN] = ts_span_str("idle: its call is not in the trace");
	ret->names = names;
	ret->n_names = PARTS;
	return TS_OK;
}

/* Adds a stretch of time, that of each window for itself. *window is the first that ends behind what came before. */
static void add_stretch(const struct ts_trace_side *side, size_t *window, struct cells *out, uint32_t row, int64_t begin, int64_t end)
{
	while (*window < side->n && side->windows[*window].end <= begin)
		++*window;
	for (size_t k = *window; k < side->n && side->windows[k].begin < end; k++) {
		const struct ts_trace_window *w = &side->windows[k];
		int64_t from = w->begin > begin ? w->begin : begin, to = w->end < end ? w->end : end;

		if (to > from)
			out->items[out->n++] = cell_of(row, (uint32_t)k, from, (uint64_t)to - (uint64_t)from, 0);
	}
}

static uint32_t device_part(const struct ts_device_event *w, const struct ts_trace_spans *s, const struct ts_trace *trace,
			    uint32_t *categories)
{
	uint32_t name = s->name[w->row];

	if (w->class == TS_PART_COMMUNICATION)
		return (uint32_t)PART_COLLECTIVE + w->collective;
	if (w->class == TS_PART_MEMORY)
		return TS_SUM_COPY;
	if (s->kind[w->row] == TS_TRACE_FILL)
		return TS_SUM_FILL;
	if (!categories[name])
		categories[name] = 1 + (uint32_t)ts_kernel_category_in(trace, name);
	return categories[name] - 1;
}

/* The call that asked first for one of the events that begin together at the first of these, as in idle.c; TS_NEST_NONE: the trace has
 * none of theirs. */
static uint32_t first_call(const struct ts_trace_side *side, const struct ts_device_event *w, size_t n)
{
	const struct ts_trace_spans *s = &side->trace->rows.spans;
	uint32_t first = TS_NEST_NONE;

	for (size_t i = 0; i < n && w[i].begin == w[0].begin; i++) {
		uint32_t call = side->nest.parent[w[i].row];

		if (call != TS_NEST_NONE && (first == TS_NEST_NONE || s->start_ns[call] < s->start_ns[first]))
			first = call;
	}
	return first;
}

/* The gap from..to on all devices, behind which an event begins that this call asked for. */
static void add_gap(const struct ts_trace_side *side, size_t *window, struct cells *out, int64_t from, int64_t to, uint32_t call)
{
	const struct ts_trace_spans *s = &side->trace->rows.spans;

	if (call == TS_NEST_NONE) {
		add_stretch(side, window, out, PART_UNKNOWN, from, to);
	} else if (s->start_ns[call] < from) {
		add_stretch(side, window, out, PART_QUEUED, from, to);
	} else {
		int64_t asked = s->start_ns[call] < to ? s->start_ns[call] : to;

		add_stretch(side, window, out, PART_HOST, from, asked);
		add_stretch(side, window, out, PART_LAUNCH, asked, to);
	}
}

/* Before the first event nothing was queued. What is idle at the end of a window that no event closes, as of a step whose host ran on,
 * was asked for by nobody yet. */
static void add_idle(const struct ts_trace_side *side, const struct ts_device_event *w, size_t n, struct cells *out)
{
	int64_t until = INT64_MIN;
	size_t window = 0;

	for (size_t i = 0; i < n; i++) {
		if (w[i].begin > until)
			add_gap(side, &window, out, until, w[i].begin, first_call(side, w + i, n - i));
		until = w[i].end > until ? w[i].end : until;
	}
	add_stretch(side, &window, out, PART_HOST, until, side->windows[side->n - 1].end);
}

/* Events as the layers of moments.c, in their order. */
static struct ts_layered *layers_of(const struct ts_device_event *w, size_t n, struct ts_arena *arena)
{
	struct ts_layered *events = ts_arena_array(arena, n, sizeof *events);

	for (size_t i = 0; events && i < n; i++)
		events[i] = (struct ts_layered){w[i].begin, w[i].end, (uint32_t)i,
						w[i].class == TS_PART_COMPUTATION ? 0 : (w[i].class == TS_PART_COMMUNICATION ? 1 : 2)};
	return events;
}

static void add_busy(const struct ts_trace_side *side, const struct ts_layered *moments, size_t n, const struct ts_device_event *w,
		     uint32_t *categories, struct cells *out)
{
	size_t window = 0;

	for (size_t i = 0; i < n; i++)
		add_stretch(side, &window, out, device_part(&w[moments[i].row], &side->trace->rows.spans, side->trace, categories),
			    moments[i].begin, moments[i].end);
}

static enum ts_status device_parts(const struct ts_trace_side *side, struct ts_arena *arena, struct ts_trace_cells *ret,
				   struct ts_error *err)
{
	struct ts_device_event *w = NULL, *spare;
	uint32_t *categories = ts_arena_array(arena, side->trace->n_names + 1, sizeof *categories);
	struct ts_layered *events, *moments = NULL;
	struct cells out = {0};
	size_t n = 0, n_moments = 0;

	if (ts_device_events(side->trace, arena, &w, &n, err) || part_names(arena, ret, err))
		return err->status;
	spare = ts_arena_array(arena, n, sizeof *spare);
	if (!spare || !categories)
		return ts_arena_error(arena, err);
	ts_device_events_by_begin(w, n, spare);
	events = layers_of(w, n, arena);
	if (!events)
		return ts_arena_error(arena, err);
	if (ts_moments(events, n, arena, &moments, &n_moments, err))
		return err->status;
	out.items = ts_arena_array(arena, n_moments + n * 2 + side->n * 2 + 1, sizeof *out.items);
	if (!out.items)
		return ts_arena_error(arena, err);
	add_busy(side, moments, n_moments, w, categories, &out);
	add_idle(side, w, n, &out);
	ret->items = out.items;
	ret->n = ts_trace_cells_settle(out.items, out.n);
	return TS_OK;
}

/* --- parts of the host --- */

/* The thread of the first step; without steps, that of the longest span. */
static uint32_t step_thread(const struct ts_trace_side *side)
{
	const struct ts_trace_spans *s = &side->trace->rows.spans;
	struct ts_step_mark mark = ts_step_mark(side->trace);
	size_t best = SIZE_MAX;

	for (size_t i = 0; i < s->n; i++) {
		bool step = s->kind[i] == TS_TRACE_ANNOTATION && ts_is_step(&mark, side->trace->names[s->name[i]]);

		if (side->whole ? s->kind[i] == TS_TRACE_OPERATOR || s->kind[i] == TS_TRACE_PYTHON : step)
			best = best == SIZE_MAX || (side->whole && s->duration_ns[i] > s->duration_ns[best]) ? i : best;
	}
	return best == SIZE_MAX ? 0 : s->thread[best];
}

struct host {
	const struct ts_trace_spans *s;
	struct ts_device_event *items; /* group: thread of layers */
	size_t n;
	uint32_t thread;
};

static int64_t end_of(const struct ts_trace_spans *s, size_t i)
{
	return s->start_ns[i] + s->duration_ns[i];
}

static void take_own(struct host *h, uint32_t span, int64_t begin, int64_t end)
{
	uint8_t kind = h->s->kind[span];
	bool here = h->s->thread[span] == h->thread;

	if (kind == TS_TRACE_OPERATOR || kind == TS_TRACE_RUNTIME || (kind == TS_TRACE_PYTHON && here))
		h->items[h->n++] = (struct ts_device_event){
			.begin = begin, .end = end, .row = span, .class = kind == TS_TRACE_PYTHON ? 2 : (here ? 0 : 1)};
}

/* The moments of each span that its children do not cover. until: room for each span of the trace. */
static void own_moments(const struct ts_nest *nest, int64_t *until, struct host *h)
{
	const struct ts_trace_spans *s = h->s;

	for (size_t k = 0; k < nest->n_order; k++)
		until[nest->order[k]] = s->start_ns[nest->order[k]];
	for (size_t k = 0; k < nest->n_order; k++) {
		uint32_t i = nest->order[k], p = nest->parent[i];

		if (p == TS_NEST_NONE || end_of(s, i) <= until[p])
			continue;
		if (s->start_ns[i] > until[p])
			take_own(h, p, until[p], s->start_ns[i]);
		until[p] = end_of(s, i);
	}
	for (size_t k = 0; k < nest->n_order; k++)
		if (end_of(s, nest->order[k]) > until[nest->order[k]])
			take_own(h, nest->order[k], until[nest->order[k]], end_of(s, nest->order[k]));
}

static void host_cells(const struct ts_trace_side *side, const struct ts_layered *moments, size_t n, uint32_t nothing,
		       struct cells *out)
{
	int64_t until = side->windows[0].begin;
	size_t window = 0;

	for (size_t i = 0; i < n; i++) {
		if (moments[i].end <= side->windows[0].begin)
			continue;
		if (moments[i].begin > until)
			add_stretch(side, &window, out, nothing, until, moments[i].begin);
		add_stretch(side, &window, out, side->trace->rows.spans.name[moments[i].row], moments[i].begin, moments[i].end);
		until = moments[i].end;
	}
	if (side->windows[side->n - 1].end > until)
		add_stretch(side, &window, out, nothing, until, side->windows[side->n - 1].end);
}

/* "<built-in method mul_ of Tensor object at 0x7f2a>" is another address in each run: the name ends before it. */
static struct ts_span without_address(struct ts_span name)
{
	static const char at[] = " at 0x";

	for (size_t i = 0; name.len && name.data[0] == '<' && i + sizeof at - 1 <= name.len; i++)
		if (memcmp(name.data + i, at, sizeof at - 1) == 0)
			return ts_span_part(name, 0, i);
	return name;
}

static enum ts_status host_names(const struct ts_trace_side *side, struct ts_arena *arena, struct ts_trace_cells *ret,
				 struct ts_error *err)
{
	struct ts_span *names = ts_arena_array(arena, side->trace->n_names + 1, sizeof *names);

	if (!names)
		return ts_arena_error(arena, err);
	for (size_t i = 0; i < side->trace->n_names; i++)
		names[i] = without_address(side->trace->names[i]);
	names[side->trace->n_names] = ts_span_str("nothing recorded");
	ret->names = names;
	ret->n_names = side->trace->n_names + 1;
	return TS_OK;
}

static enum ts_status host_parts(const struct ts_trace_side *side, struct ts_arena *arena, struct ts_trace_cells *ret,
				 struct ts_error *err)
{
	struct host h = {.s = &side->trace->rows.spans, .thread = step_thread(side)};
	struct ts_device_event *spare;
	struct ts_layered *events, *moments = NULL;
	struct cells out = {0};
	int64_t *until = ts_arena_array(arena, h.s->n, sizeof *until);
	size_t n_moments = 0;

	if (host_names(side, arena, ret, err))
		return err->status;
	h.items = ts_arena_array(arena, side->nest.n_order * 2, sizeof *h.items);
	spare = ts_arena_array(arena, side->nest.n_order * 2, sizeof *spare);
	events = ts_arena_array(arena, side->nest.n_order * 2, sizeof *events);
	if (!until || !h.items || !spare || !events)
		return ts_arena_error(arena, err);
	own_moments(&side->nest, until, &h);
	ts_device_events_by_begin(h.items, h.n, spare);
	for (size_t i = 0; i < h.n; i++)
		events[i] = (struct ts_layered){h.items[i].begin, h.items[i].end, h.items[i].row, h.items[i].class};
	if (ts_moments(events, h.n, arena, &moments, &n_moments, err))
		return err->status;
	out.items = ts_arena_array(arena, n_moments * 2 + side->n * 2 + 2, sizeof *out.items);
	if (!out.items)
		return ts_arena_error(arena, err);
	host_cells(side, moments, n_moments, (uint32_t)side->trace->n_names, &out);
	ret->items = out.items;
	ret->n = ts_trace_cells_settle(out.items, out.n);
	return TS_OK;
}

/* --- sums --- */

static bool in_table(enum ts_side_table table, uint8_t kind)
{
	if (table == TS_SIDE_OPERATORS)
		return kind == TS_TRACE_OPERATOR;
	if (table == TS_SIDE_FUNCTIONS)
		return kind == TS_TRACE_PYTHON;
	return table == TS_SIDE_CALLS ? kind == TS_TRACE_RUNTIME : ts_trace_on_device(kind);
}

static uint32_t row_of(const struct ts_trace_side *side, enum ts_side_table table, size_t i, uint32_t *categories)
{
	const struct ts_trace_spans *s = &side->trace->rows.spans;

	if (table == TS_SIDE_DEVICE_OPERATORS)
		return side->nest.in_operator[i] == TS_NEST_NONE ? (uint32_t)side->trace->n_names : s->name[side->nest.in_operator[i]];
	if (table != TS_SIDE_CATEGORIES)
		return s->name[i];
	if (s->kind[i] != TS_TRACE_KERNEL)
		return s->kind[i] == TS_TRACE_COPY ? TS_SUM_COPY : TS_SUM_FILL;
	if (!categories[s->name[i]])
		categories[s->name[i]] = 1 + (uint32_t)ts_kernel_category_in(side->trace, s->name[i]);
	return categories[s->name[i]] - 1;
}

static enum ts_status sum_names(const struct ts_trace_side *side, enum ts_side_table table, struct ts_arena *arena,
				struct ts_trace_cells *ret, struct ts_error *err)
{
	size_t n = table == TS_SIDE_CATEGORIES ? (size_t)TS_SUM_CATEGORIES : side->trace->n_names + 1;
	struct ts_span *names = ts_arena_array(arena, n, sizeof *names);

	if (!names)
		return ts_arena_error(arena, err);
	for (size_t i = 0; i < n; i++)
		if (table == TS_SIDE_CATEGORIES)
			names[i] = ts_span_str(ts_sum_category_word((uint32_t)i));
		else if (i == side->trace->n_names)
			names[i] = ts_span_str("no operator in the trace");
		else
			names[i] = table == TS_SIDE_KERNELS ? ts_kernel_without_arguments(side->trace->names[i])
							    : without_address(side->trace->names[i]);
	ret->names = names;
	ret->n_names = n;
	return TS_OK;
}

static enum ts_status sums(const struct ts_trace_side *side, enum ts_side_table table, struct ts_arena *arena,
			   struct ts_trace_cells *ret, struct ts_error *err)
{
	const struct ts_trace_spans *s = &side->trace->rows.spans;
	uint32_t *categories = ts_arena_array(arena, side->trace->n_names + 1, sizeof *categories);
	bool own = table == TS_SIDE_OPERATORS || table == TS_SIDE_FUNCTIONS;
	struct cells out = {0};
	size_t n = 0;

	for (size_t i = 0; i < s->n; i++)
		n += in_table(table, s->kind[i]) && side->step[i] != TS_SIDE_NO_STEP;
	out.items = ts_arena_array(arena, n, sizeof *out.items);
	if (!out.items || !categories)
		return ts_arena_error(arena, err);
	if (sum_names(side, table, arena, ret, err))
		return err->status;
	for (size_t i = 0; i < s->n; i++)
		if (in_table(table, s->kind[i]) && side->step[i] != TS_SIDE_NO_STEP)
			out.items[out.n++] = cell_of(row_of(side, table, i, categories), side->step[i], s->start_ns[i],
						     own ? side->self[i] : (uint64_t)s->duration_ns[i], 1);
	ret->items = out.items;
	ret->n = ts_trace_cells_settle(out.items, out.n);
	return TS_OK;
}

enum ts_status ts_trace_cells(const struct ts_trace_side *side, enum ts_side_table table, struct ts_arena *arena,
			      struct ts_trace_cells *ret, struct ts_error *err)
{
	TS_DOOR(table < TS_SIDE_TABLES && side->n);
	if (table == TS_SIDE_PARTS)
		return (side->device ? device_parts : host_parts)(side, arena, ret, err);
	return sums(side, table, arena, ret, err);
}
