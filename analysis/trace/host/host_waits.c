/* host_waits.c - the calls with which the host waits for a device: how often, how long, for how much, and who asked. */
#include "analysis/trace/host/trace_host.h"
#include "base/order.h"

#include "analysis/trace/device/device_events.h"
#include "analysis/trace/device/saturate.h"
#include "base/bisect.h"
#include "base/door.h"
#include "base/scratch.h"

/* --- names --- */

static bool skip_maker(struct ts_span *name)
{
	return ts_span_skip(name, "cuda") || ts_span_skip(name, "hip") || ts_span_skip(name, "cu");
}

bool ts_call_waits(struct ts_span name)
{
	static const char *const waits[] = {"DeviceSynchronize", "StreamSynchronize", "EventSynchronize",
					    "CtxSynchronize",	 "ThreadSynchronize", "Free",
					    "MemFree",		 "FreeArray"};

	if (!skip_maker(&name))
		return false;
	if (ts_span_ends(name, "_ptsz") || ts_span_ends(name, "_ptds"))
		name = ts_span_part(name, 0, name.len - strlen("_ptsz"));
	if (ts_span_ends(name, "_v2") || ts_span_ends(name, "_spt"))
		name = ts_span_part(name, 0, name.len - (ts_span_ends(name, "_v2") ? 3 : 4));
	for (size_t i = 0; i < sizeof waits / sizeof waits[0]; i++)
		if (ts_span_is(name, waits[i]))
			return true;
	return ts_span_skip(&name, "Memcpy") && !ts_span_contains(name, "Async") && !ts_span_starts(name, ts_span_str("Batch"));
}

bool ts_call_sets_up(struct ts_span name)
{
	static const char *const begins[] = {"Malloc",	    "Free",	    "MemAlloc",	   "MemFree",	  "MemHostAlloc",
					     "HostAlloc",   "HostMalloc",   "HostFree",	   "HostRegister", "StreamCreate",
					     "EventCreate", "CtxCreate",    "ModuleLoad",  "LibraryLoad", "GetDeviceProperties",
					     "DeviceGetStreamPriorityRange"};

	if (!skip_maker(&name) || ts_span_contains(name, "Async"))
		return false;
	for (size_t i = 0; i < sizeof begins / sizeof begins[0]; i++)
		if (ts_span_starts(name, ts_span_str(begins[i])))
			return true;
	return false;
}

bool ts_is_torch_frame(struct ts_span name)
{
	return !name.len || name.data[0] == '<' || ts_span_starts(name, ts_span_str("torch/")) || ts_span_contains(name, "/torch/") ||
	       ts_span_starts(name, ts_span_str("nn.Module: ")) || !ts_span_contains(name, "(");
}

/* Of a call stack, whose frames have ';' between them, the first that is not torch's. */
static struct ts_span frame_of(struct ts_span stack)
{
	while (stack.len) {
		struct ts_span frame = ts_span_through(stack, ';');

		frame = frame.len ? ts_span_part(frame, 0, frame.len - 1) : stack;
		if (!ts_is_torch_frame(frame))
			return frame;
		stack = frame.len < stack.len ? ts_span_from(stack, frame.len + 1) : ts_span_str("");
	}
	return stack;
}

/* --- the work of devices, to be asked what is left of it at a time --- */

struct work {
	struct ts_device_event *asked, *ended; /* begin: when it was asked for, and when it ended; both sorted */
	int64_t *until, *next;		       /* the last end of the first i, and the first begin of those from i on */
	size_t n;
};

static size_t before(const struct ts_device_event *w, size_t n, int64_t time, bool at)
{
	size_t low = 0;

	TS_BISECT(low, n, i, w[i].begin < time || (at && w[i].begin == time));
	return low;
}

static enum ts_status gather_work(const struct ts_trace *trace, const struct ts_nest *nest, struct ts_arena *arena, struct work *w,
				  struct ts_error *err)
{
	const struct ts_trace_spans *s = &trace->rows.spans;
	struct ts_device_event *events = NULL, *spare;
	size_t n = 0;

	if (ts_device_events(trace, arena, &events, &n, err))
		return err->status;
	spare = ts_arena_array(arena, n, sizeof *spare);
	w->asked = ts_arena_array(arena, n, sizeof *w->asked);
	w->until = ts_arena_array(arena, n + 1, sizeof *w->until);
	w->next = ts_arena_array(arena, n + 1, sizeof *w->next);
	if (!spare || !w->asked || !w->until || !w->next)
		return ts_arena_error(arena, err);
	for (size_t i = 0; i < n; i++) {
		uint32_t call = nest->parent[events[i].row];
		int64_t asked = call == TS_NEST_NONE ? events[i].begin : s->start_ns[call];

		if (asked > events[i].begin)
			asked = events[i].begin;
		if (asked == events[i].end)
			continue;
		w->asked[w->n] = (struct ts_device_event){.begin = asked, .end = events[i].end, .row = events[i].row};
		events[w->n++].begin = events[i].end;
	}
	w->ended = events;
	ts_device_events_by_begin(w->asked, w->n, spare);
	ts_device_events_by_begin(w->ended, w->n, spare);
	ts_scratch_give(arena, spare);
	w->until[0] = INT64_MIN;
	w->next[w->n] = INT64_MAX;
	for (size_t i = 0; i < w->n; i++)
		w->until[i + 1] = w->asked[i].end > w->until[i] ? w->asked[i].end : w->until[i];
	for (size_t i = w->n; i-- > 0;) {
		int64_t begin = s->start_ns[w->asked[i].row];

		w->next[i] = begin < w->next[i + 1] ? begin : w->next[i + 1];
	}
	return TS_OK;
}

/* --- waits --- */

struct wait {
	int64_t begin, end;
	uint32_t row, call, in_operator, in_outer; /* row of spans, and names */
	struct ts_span source;
	struct ts_host_wait_sum sum;
};

#define OF_STACK (UINT32_C(1) << 31)

/* What surrounds each span of the host, found from the outer to the inner; and what is known of names. */
struct around {
	uint32_t *source; /* 0: none; a name, or that of a call stack with OF_STACK */
	uint32_t *outer;  /* the outermost operator */
	bool *waiting;	  /* it or what encloses it waits */
	uint8_t *frames, *stacks, *calls;
};

enum { UNKNOWN, NO, YES };

static bool known(uint8_t *of, bool (*ask)(struct ts_span name), const struct ts_trace *trace, uint32_t name)
{
	if (of[name] == UNKNOWN)
		of[name] = ask(trace->names[name]) ? YES : NO;
	return of[name] == YES;
}

static bool has_frame(struct ts_span stack)
{
	return frame_of(stack).len > 0;
}

static uint32_t source_of(const struct ts_trace *trace, const struct around *a, uint32_t row, uint32_t outside)
{
	const struct ts_trace_operators *ops = &trace->rows.operators;
	uint32_t name = trace->rows.spans.name[row];
	size_t detail;

	if (trace->rows.spans.kind[row] == TS_TRACE_PYTHON)
		return known(a->frames, ts_is_torch_frame, trace, name) ? outside : name;
	if (trace->rows.spans.kind[row] != TS_TRACE_OPERATOR || !ops->n || (outside && !(outside & OF_STACK)))
		return outside;
	detail = ts_trace_detail(ops->span, ops->n, row);
	if (detail == SIZE_MAX || !ops->stack[detail] || !known(a->stacks, has_frame, trace, ops->stack[detail]))
		return outside;
	return ops->stack[detail] | OF_STACK;
}

/* Copies that are called asynchronous, and ended before their call did. */
static void find_copies_that_waited(const struct ts_trace *trace, const struct ts_nest *nest, const struct around *a)
{
	const struct ts_trace_spans *s = &trace->rows.spans;

	for (size_t i = 0; i < s->n; i++) {
		uint32_t call = nest->parent[i];

		if (s->kind[i] == TS_TRACE_COPY && call != TS_NEST_NONE &&
		    s->start_ns[i] + s->duration_ns[i] <= s->start_ns[call] + s->duration_ns[call] &&
		    ts_span_contains(trace->names[s->name[i]], "Pageable"))
			a->waiting[call] = true;
	}
}

/* Goes through the host from the outer to the inner, and takes the calls that wait. waits has room for those. */
static size_t surround(const struct ts_trace *trace, const struct ts_nest *nest, const struct around *a, struct wait *waits)
{
	const struct ts_trace_spans *s = &trace->rows.spans;
	size_t n = 0;

	for (size_t k = 0; k < nest->n_order; k++) {
		uint32_t i = nest->order[k], parent = nest->parent[i], operator= nest->in_operator[i];
		bool waits_within = parent != TS_NEST_NONE && a->waiting[parent];

		a->source[i] = source_of(trace, a, i, parent == TS_NEST_NONE ? 0 : a->source[parent]);
		a->outer[i] = operator== TS_NEST_NONE || a->outer[operator] == TS_NEST_NONE ? operator: a->outer[operator];
		a->waiting[i] = waits_within || a->waiting[i] ||
				(s->kind[i] == TS_TRACE_RUNTIME && known(a->calls, ts_call_waits, trace, s->name[i]));
		if (!a->waiting[i] || waits_within)
			continue;
		if (waits)
			waits[n] = (struct wait){
				.begin = s->start_ns[i],
				.end = s->start_ns[i] + s->duration_ns[i],
				.row = i,
				.call = s->name[i],
				.in_operator =
				operator== TS_NEST_NONE
					? 0
					: s->name[operator], .in_outer = operator== TS_NEST_NONE ? 0 : s->name[a->outer[i]] };
		n++;
	}
	return n;
}

static enum ts_status find_waits(const struct ts_trace *trace, const struct ts_nest *nest, struct ts_arena *arena,
				 struct ts_host_waits *out, struct wait **ret, size_t *ret_n, struct ts_error *err)
{
	size_t spans = trace->rows.spans.n, names = trace->n_names + 1;
	struct around a = {.source = ts_arena_array(arena, spans, sizeof *a.source),
			   .outer = ts_arena_array(arena, spans, sizeof *a.outer),
			   .waiting = ts_arena_array(arena, spans, sizeof *a.waiting),
			   .frames = ts_arena_array(arena, names, 1),
			   .stacks = ts_arena_array(arena, names, 1),
			   .calls = ts_arena_array(arena, names, 1)};
	struct wait *waits;

	if (!a.source || !a.outer || !a.waiting || !a.frames || !a.stacks || !a.calls)
		return ts_arena_error(arena, err);
	find_copies_that_waited(trace, nest, &a);
	*ret_n = surround(trace, nest, &a, NULL);
	waits = ts_arena_array(arena, *ret_n, sizeof *waits);
	if (!waits)
		return ts_arena_error(arena, err);
	(void)surround(trace, nest, &a, waits);
	for (size_t i = 0; i < *ret_n; i++) {
		uint32_t source = a.source[waits[i].row];

		waits[i].source = trace->names[source & ~OF_STACK];
		if (source & OF_STACK)
			waits[i].source = frame_of(waits[i].source);
	}
	ts_scratch_give(arena, a.source);
	ts_scratch_give(arena, a.outer);
	out->waiting = a.waiting;
	*ret = waits;
	return TS_OK;
}

/* --- what each waited for --- */

TS_ORDER(by_end, struct wait, TS_UP(end); TS_UP(row))

/* The waits by their ends, so that the first in a gap that had something to wait for takes it. */
static void measure(struct wait *waits, size_t n, const struct work *w, struct ts_longest *io_idle)
{
	size_t taken = SIZE_MAX;

	TS_SORT(waits, n, by_end);
	for (size_t i = 0; i < n; i++) {
		size_t asked = before(w->asked, w->n, waits[i].begin, false), then = before(w->asked, w->n, waits[i].end, false);
		uint64_t ns = (uint64_t)waits[i].end - (uint64_t)waits[i].begin, idle;

		waits[i].sum = (struct ts_host_wait_sum){.calls = 1, .ns = ns, .max_ns = ns};
		waits[i].sum.outstanding = asked - before(w->ended, w->n, waits[i].begin, true);
		if (waits[i].sum.outstanding)
			waits[i].sum.outstanding_ns = (uint64_t)w->until[asked] - (uint64_t)waits[i].begin;
		if (!then || then != before(w->ended, w->n, waits[i].end, true))
			continue;
		waits[i].sum.drained = 1;
		if (then == w->n || then == taken || !waits[i].sum.outstanding)
			continue;
		taken = then;
		idle = (uint64_t)w->next[then] - (uint64_t)(w->until[then] > waits[i].begin ? w->until[then] : waits[i].begin);
		waits[i].sum.idle_ns = idle < ns ? idle : ns;
		ts_longest_add(io_idle, waits[i].sum.idle_ns);
	}
}

/* --- groups and steps --- */

TS_ORDER(by_asker, struct wait, TS_UP(call); TS_UP(in_operator); TS_UP(in_outer);
	 if (a->source.data != b->source.data || a->source.len != b->source.len) TS_TEXT(source))

TS_ORDER(longest_first, struct ts_host_wait, TS_DOWN(sum.ns); TS_TEXT(call); TS_TEXT(in_operator); TS_TEXT(in_outer);
	 TS_TEXT(source))

static void add(struct ts_host_wait_sum *to, const struct ts_host_wait_sum *sum)
{
	to->calls += sum->calls;
	to->ns = ts_plus(to->ns, sum->ns);
	to->max_ns = sum->max_ns > to->max_ns ? sum->max_ns : to->max_ns;
	to->outstanding = ts_plus(to->outstanding, sum->outstanding);
	to->outstanding_ns = ts_plus(to->outstanding_ns, sum->outstanding_ns);
	to->drained += sum->drained;
	to->idle_ns = ts_plus(to->idle_ns, sum->idle_ns);
}

static enum ts_status group(struct wait *waits, size_t n, const struct ts_trace *trace, struct ts_arena *arena,
			    struct ts_host_waits *out, struct ts_error *err)
{
	size_t groups = 0;

	TS_SORT(waits, n, by_asker);
	for (size_t i = 0; i < n; i++)
		groups += !i || by_asker(&waits[i], &waits[i - 1]) != 0;
	out->items = ts_arena_array(arena, groups, sizeof *out->items);
	if (!out->items)
		return ts_arena_error(arena, err);
	for (size_t i = 0; i < n; i++) {
		if (!i || by_asker(&waits[i], &waits[i - 1]) != 0)
			out->items[out->n++] = (struct ts_host_wait){.call = trace->names[waits[i].call],
								     .in_operator = trace->names[waits[i].in_operator],
								     .in_outer = trace->names[waits[i].in_outer],
								     .source = waits[i].source};
		add(&out->items[out->n - 1].sum, &waits[i].sum);
		add(&out->all, &waits[i].sum);
	}
	TS_SORT(out->items, out->n, longest_first);
	return TS_OK;
}

static enum ts_status by_step(const struct wait *waits, size_t n, const struct ts_timelines *lines, struct ts_arena *arena,
			      struct ts_host_waits *out, struct ts_error *err)
{
	out->n_steps = lines->n_steps;
	out->steps = ts_arena_array(arena, lines->n_steps, sizeof *out->steps);
	if (!out->steps)
		return ts_arena_error(arena, err);
	for (size_t i = 0; i < lines->n_steps; i++)
		out->steps[i].number = lines->steps[i].number;
	for (size_t i = 0; i < n; i++) {
		size_t step = ts_timelines_step_at(lines, waits[i].begin);

		if (!step)
			continue;
		out->steps[step - 1].calls++;
		out->steps[step - 1].ns = ts_plus(out->steps[step - 1].ns, waits[i].sum.ns);
	}
	return TS_OK;
}

static bool has_sources(const struct ts_trace *trace)
{
	for (size_t i = 0; i < trace->rows.spans.n; i++)
		if (trace->rows.spans.kind[i] == TS_TRACE_PYTHON)
			return true;
	for (size_t i = 0; i < trace->rows.operators.n; i++)
		if (trace->rows.operators.stack[i])
			return true;
	return false;
}

enum ts_status ts_host_waits(const struct ts_trace *trace, const struct ts_nest *nest, const struct ts_timelines *lines,
			     struct ts_arena *arena, struct ts_host_waits *ret, struct ts_error *err)
{
	struct ts_host_waits out = {.has_sources = has_sources(trace), .has_work = lines->all.events > 0};
	struct wait *waits = NULL;
	struct work work = {0};
	size_t n = 0;

	TS_DOOR(ts_trace_holds(trace));
	TS_DOOR(ts_nest_holds(nest, trace));
	if (find_waits(trace, nest, arena, &out, &waits, &n, err))
		return err->status;
	if (n && gather_work(trace, nest, arena, &work, err))
		return err->status;
	if (n)
		measure(waits, n, &work, &out.idle_longest);
	ts_scratch_give(arena, work.asked);
	ts_scratch_give(arena, work.ended);
	ts_scratch_give(arena, work.until);
	ts_scratch_give(arena, work.next);
	if (by_step(waits, n, lines, arena, &out, err) || group(waits, n, trace, arena, &out, err))
		return err->status;
	ts_scratch_give(arena, waits);
	*ret = out;
	return TS_OK;
}
