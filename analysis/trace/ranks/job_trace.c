#include "analysis/trace/ranks/job_trace.h"

#include "analysis/trace/device/device_events.h"
#include "analysis/trace/device/nest.h"
#include "analysis/trace/device/timeline.h"
#include "analysis/trace/ranks/job_parts.h"
#include "base/door.h"
#include "base/order.h"

struct work {
	const struct ts_trace *trace;
	struct ts_arena *scratch, *arena;
	struct ts_device_event *events; /* by begin */
	size_t n_events;
	struct ts_timelines lines;
	struct ts_launches launches;
	struct ts_nest nest; /* parent is NULL unless some kernel needs it */
	struct ts_job_trace *out;
};

static enum ts_status no_memory(const struct work *w, struct ts_error *err)
{
	return ts_arena_error(w->scratch->failed ? w->scratch : w->arena, err);
}

/* --- who it is --- */

/* A text among the metadata, without its quotes; empty if it is none. */
static struct ts_span said_text(const struct ts_trace_about *about, const char *key)
{
	for (size_t i = 0; i < about->n_said; i++) {
		struct ts_span json = about->said[i].json;

		if (ts_span_is(about->said[i].key, key) && json.len > 2 && json.data[0] == '"')
			return ts_span_part(json, 1, json.len - 2);
	}
	return ts_span_str("");
}

static bool take_about(struct work *w)
{
	const struct ts_trace_about *about = &w->trace->about;
	const struct ts_trace_spans *s = &w->trace->rows.spans;
	struct ts_job_trace *out = w->out;
	struct ts_span host = said_text(about, "host_name");

	out->has_rank = about->rank != TS_TRACE_NONE;
	out->has_world_size = about->world_size != TS_TRACE_NONE;
	out->rank = about->rank;
	out->world_size = about->world_size;
	out->base_ns = about->base_ns;
	out->warmup = w->trace->warmup;
	out->backend = ts_arena_span(w->arena, about->backend);
	out->device_name = ts_arena_span(w->arena, about->n_devices ? about->devices[0].name : ts_span_str(""));
	out->host = ts_arena_span(w->arena, host.len ? host : said_text(about, "hostname"));
	for (size_t i = 0; i < s->n; i++) {
		int64_t end = s->start_ns[i] + s->duration_ns[i];

		out->from = !out->any || s->start_ns[i] < out->from ? s->start_ns[i] : out->from;
		out->until = !out->any || end > out->until ? end : out->until;
		out->any = true;
	}
	return out->backend.data && out->device_name.data && out->host.data;
}

/* --- collectives on the host --- */

/* "gloo:all_reduce": what gloo does in threads of its own, from when one of them takes it up to when it is done. */
static bool is_gloo(const struct ts_trace *trace, size_t row, enum ts_collective *ret)
{
	struct ts_span name = trace->names[trace->rows.spans.name[row]];

	if (trace->rows.spans.kind[row] != TS_TRACE_ANNOTATION || !ts_span_skip(&name, "gloo:"))
		return false;
	*ret = ts_kernel_collective(ts_span_str(""), name);
	return true;
}

/* Operators that start a collective, or wait for one, are no computation. */
static bool computes(const struct ts_trace *trace, size_t row)
{
	struct ts_span name = trace->names[trace->rows.spans.name[row]];

	return trace->rows.spans.kind[row] == TS_TRACE_OPERATOR && !ts_span_starts(name, ts_span_str("c10d::")) &&
	       !ts_span_starts(name, ts_span_str("_c10d_functional::")) && !ts_span_is(name, "record_param_comms");
}

/* Whether the trace has collectives of gloo, and none of devices. */
static bool is_on_host(const struct work *w)
{
	enum ts_collective unused;

	for (size_t i = 0; i < w->n_events; i++)
		if (w->events[i].class == TS_PART_COMMUNICATION)
			return false;
	for (size_t i = 0; i < w->trace->rows.spans.n; i++)
		if (is_gloo(w->trace, i, &unused))
			return true;
	return false;
}

/* Puts gloo's collectives in the place of those of devices, and, where there are no devices, operators in the place of kernels. */
static bool take_host(struct work *w)
{
	const struct ts_trace_spans *s = &w->trace->rows.spans;
	struct ts_device_event *events = ts_arena_array(w->scratch, s->n, sizeof *events);
	bool devices = w->n_events > 0;
	size_t n = 0;

	if (!events)
		return false;
	for (size_t i = 0; i < s->n; i++) {
		enum ts_collective collective = TS_COLLECTIVE_OTHER;
		bool gloo = is_gloo(w->trace, i, &collective);

		if (!gloo && (devices ? !ts_trace_on_device(s->kind[i]) : !computes(w->trace, i)))
			continue;
		events[n++] = (struct ts_device_event){.begin = s->start_ns[i],
						       .end = s->start_ns[i] + s->duration_ns[i],
						       .row = (uint32_t)i,
						       .class = gloo ? TS_PART_COMMUNICATION : TS_PART_COMPUTATION,
						       .collective = (uint8_t)collective};
	}
	w->events = events;
	w->n_events = n;
	w->out->on_host = true;
	return true;
}

/* --- times and steps --- */

static void add_times(uint64_t *ns, const struct ts_timeline *t)
{
	ts_job_add(&ns[TS_JOB_SPAN], t->span_ns);
	ts_job_add(&ns[TS_JOB_BUSY], t->busy_ns);
	ts_job_add(&ns[TS_JOB_IDLE], t->idle_ns);
	ts_job_add(&ns[TS_JOB_COMPUTATION], t->computation_ns);
	ts_job_add(&ns[TS_JOB_COMMUNICATION], t->communication_ns);
	ts_job_add(&ns[TS_JOB_EXPOSED], t->exposed_communication_ns);
	ts_job_add(&ns[TS_JOB_MEMORY], t->memory_ns);
}

static int64_t later(int64_t a, int64_t b)
{
	return a > b ? a : b;
}

static bool take_steps(struct work *w)
{
	struct ts_job_trace *out = w->out;
	int64_t until = 0;

	add_times(out->ns, &w->lines.all);
	out->events = w->lines.all.events;
	out->n_steps = w->lines.n_steps;
	out->steps = ts_arena_array(w->arena, out->n_steps, sizeof *out->steps);
	for (size_t i = 0; out->steps && i < out->n_steps; i++) {
		const struct ts_timeline_step *from = &w->lines.steps[i];
		int64_t begin = i ? until : (w->trace->warmup.steps ? w->trace->warmup.done_ns : from->start_ns);

		until = from->timeline.events && from->timeline.end_ns > begin ? from->timeline.end_ns : begin;
		if (!out->events)
			until = later(begin, from->start_ns + (int64_t)from->duration_ns);
		out->steps[i] = (struct ts_job_step){.number = from->number,
						     .begin = begin,
						     .end = until,
						     .host_ns = from->duration_ns,
						     .there = from->timeline.events || !out->events};
		add_times(out->step_ns, &from->timeline);
	}
	return out->steps;
}

/* --- groups --- */

static bool is_named(const struct ts_job_group_name *g)
{
	return g->name.len || g->ranks.len;
}

/* The group of an event in words; texts are the trace's. says: the row that says it, the event's own or that of an operator. */
static struct ts_job_group_name name_of(const struct ts_trace *trace, uint32_t row, uint32_t says)
{
	const struct ts_trace_spans *s = &trace->rows.spans;
	const struct ts_trace_collectives *c = &trace->rows.collectives;
	size_t at = ts_trace_detail(c->span, c->n, says);
	struct ts_job_group_name g = {
		.name = trace->names[s->group[says]], .size = TS_TRACE_NONE, .ordinal = -1, .stream = s->stream[row]};

	if (at == SIZE_MAX)
		return g;
	g.ranks = trace->names[c->ranks[at]];
	g.about = trace->names[c->about[at]];
	g.size = c->group_size[at];
	if (ts_span_is(g.ranks, "[]"))
		g.ranks = ts_span_str("");
	return g;
}

/* The texts of equal groups are the same bytes of the same trace, so pointers tell groups apart. */
static bool same_group(const struct ts_job_group_name *a, const struct ts_job_group_name *b)
{
	if (!is_named(a) || !is_named(b))
		return !is_named(a) && !is_named(b) && a->stream == b->stream;
	return a->name.data == b->name.data && a->ranks.data == b->ranks.data;
}

struct group_key {
	struct ts_job_group_name name;
	uint32_t arrival;
};

TS_ORDER(compare_groups, struct group_key, TS_BY(is_named(&a->name), is_named(&b->name)); if (is_named(&a->name)) {
	TS_UP(name.name.data);
	TS_UP(name.ranks.data);
} else TS_UP(name.stream); TS_UP(arrival))

static bool keep_group(struct work *w, const struct ts_job_group_name *name, int64_t *unnamed)
{
	struct ts_job_group_name *g = &w->out->groups[w->out->n_groups++];

	*g = *name;
	g->ordinal = is_named(g) ? -1 : (*unnamed)++;
	g->name = ts_arena_span(w->arena, name->name);
	g->ranks = ts_arena_span(w->arena, name->ranks);
	g->about = ts_arena_span(w->arena, name->about);
	return g->name.data && g->ranks.data && g->about.data;
}

/* keys has the group of each arrival; gives each group a number. */
static bool number_groups(struct work *w, struct group_key *keys, size_t n)
{
	size_t groups = 0;
	int64_t unnamed = 0;

	TS_SORT(keys, n, compare_groups);
	for (size_t i = 0; i < n; i++)
		groups += !i || !same_group(&keys[i - 1].name, &keys[i].name);
	w->out->groups = ts_arena_array(w->arena, groups, sizeof *w->out->groups);
	if (!w->out->groups)
		return false;
	for (size_t i = 0; i < n; i++) {
		if ((!i || !same_group(&keys[i - 1].name, &keys[i].name)) && !keep_group(w, &keys[i].name, &unnamed))
			return false;
		w->out->arrivals[keys[i].arrival].group = (uint32_t)(w->out->n_groups - 1);
	}
	return true;
}

/* --- arrivals --- */

static bool is_said(const struct ts_trace *trace, uint32_t row)
{
	const struct ts_trace_collectives *c = &trace->rows.collectives;

	return trace->rows.spans.group[row] || trace->rows.spans.collective[row] || ts_trace_detail(c->span, c->n, row) != SIZE_MAX;
}

static bool says_nothing(const struct work *w, const struct ts_device_event *e)
{
	return e->class == TS_PART_COMMUNICATION && !w->out->on_host && !is_said(w->trace, e->row);
}

static bool has_root(uint8_t collective)
{
	return collective == TS_COLLECTIVE_BROADCAST || collective == TS_COLLECTIVE_REDUCE;
}

/* No kernel says its root, but the operator around its call does. */
static bool needs_nest(const struct work *w, const struct ts_device_event *e)
{
	return says_nothing(w, e) || (e->class == TS_PART_COMMUNICATION && !w->out->on_host && has_root(e->collective));
}

/* Kernels of some versions do not say what they are of. Then the operator around the call does, record_param_comms. */
static enum ts_status find_nest(struct work *w, struct ts_error *err)
{
	for (size_t i = 0; i < w->n_events; i++)
		if (needs_nest(w, &w->events[i]))
			return ts_nest(w->trace, w->scratch, &w->nest, err);
	return TS_OK;
}

/* The row that says of what group and collective an event is: its own, or that of the innermost span around its call that does. */
static uint32_t who_says(const struct work *w, const struct ts_device_event *e)
{
	if (says_nothing(w, e))
		for (uint32_t i = w->nest.parent[e->row]; i != TS_NEST_NONE; i = w->nest.parent[i])
			if (is_said(w->trace, i))
				return i;
	return e->row;
}

/* To NCCL an all-to-all is sends and receives. Where neither the kernel nor an operator says what it is of, the annotation around the
 * call does: "nccl:all_to_all". */
static enum ts_collective annotated(const struct work *w, uint32_t row)
{
	const struct ts_trace_spans *s = &w->trace->rows.spans;

	for (uint32_t i = w->nest.parent[row]; i != TS_NEST_NONE; i = w->nest.parent[i]) {
		struct ts_span name = w->trace->names[s->name[i]];

		if (s->kind[i] == TS_TRACE_ANNOTATION && ts_span_skip(&name, "nccl:"))
			return ts_kernel_collective(ts_span_str(""), name);
	}
	return TS_COLLECTIVE_SEND_RECV;
}

static enum ts_collective collective_of(const struct work *w, const struct ts_device_event *e, uint32_t says)
{
	const struct ts_trace_spans *s = &w->trace->rows.spans;

	if (says != e->row && s->collective[says])
		return ts_kernel_collective(w->trace->names[s->name[e->row]], w->trace->names[s->collective[says]]);
	if (e->collective == TS_COLLECTIVE_SEND_RECV && says_nothing(w, e))
		return annotated(w, e->row);
	return (enum ts_collective)e->collective;
}

/* What the innermost operator around the call says is the "Rank", and of which group. */
static int64_t root_of(const struct work *w, const struct ts_device_event *e)
{
	const struct ts_trace_collectives *c = &w->trace->rows.collectives;

	for (uint32_t i = w->nest.parent[e->row]; i != TS_NEST_NONE; i = w->nest.parent[i]) {
		size_t at = ts_trace_detail(c->span, c->n, i);

		if (at != SIZE_MAX && c->rank[at] != TS_TRACE_NONE)
			return ts_rank_list_at(w->trace->names[c->ranks[at]], c->rank[at]);
	}
	return TS_TRACE_NONE;
}

/* Whom a send or receive, of which this row says, is with. */
static void take_peer(const struct work *w, uint32_t says, struct ts_job_arrival *a)
{
	const struct ts_trace_collectives *c = &w->trace->rows.collectives;
	struct ts_span name = w->trace->names[w->trace->rows.spans.collective[says]];
	size_t at = ts_trace_detail(c->span, c->n, says);
	int64_t to = at == SIZE_MAX ? TS_TRACE_NONE : c->destination[at], from = at == SIZE_MAX ? TS_TRACE_NONE : c->source[at];

	if ((to == TS_TRACE_NONE) != (from == TS_TRACE_NONE)) {
		a->way = to == TS_TRACE_NONE ? TS_JOB_RECEIVES : TS_JOB_SENDS;
		a->peer = to == TS_TRACE_NONE ? from : to;
		return;
	}
	a->way = ts_span_is(name, "send") ? TS_JOB_SENDS : ts_span_is(name, "recv") ? TS_JOB_RECEIVES : TS_JOB_WAY_UNKNOWN;
	if (at != SIZE_MAX && w->out->has_rank)
		a->peer = ts_rank_list_other(w->trace->names[c->ranks[at]], w->out->rank);
}

/* "[[64,3],[3]]" has 195 elements; TS_TRACE_NONE: not said. */
static int64_t elements_of(struct ts_span shapes)
{
	int64_t sum = 0, product = 0;

	for (size_t i = 0; i < shapes.len; i++) {
		int64_t n = 0;

		for (; i < shapes.len && shapes.data[i] >= '0' && shapes.data[i] <= '9'; i++)
			n = n < INT32_MAX ? n * 10 + shapes.data[i] - '0' : n;
		if (n && __builtin_mul_overflow(product ? product : 1, n, &product))
			return TS_TRACE_NONE;
		if (i < shapes.len && shapes.data[i] == ']') {
			if (__builtin_add_overflow(sum, product, &sum))
				return TS_TRACE_NONE;
			product = 0;
		}
	}
	return sum ? sum : TS_TRACE_NONE;
}

static struct ts_job_arrival arrival_of(struct work *w, const struct ts_device_event *e, uint32_t says)
{
	const struct ts_trace_collectives *c = &w->trace->rows.collectives;
	int64_t correlation = w->trace->rows.spans.correlation[e->row];
	const struct ts_device_event *launch = correlation == TS_TRACE_NONE ? NULL : ts_launch_of(&w->launches, (uint64_t)correlation);
	size_t at = ts_trace_detail(c->span, c->n, says), step;
	struct ts_job_arrival a = {.begin = e->begin,
				   .end = e->end,
				   .root = TS_TRACE_NONE,
				   .peer = TS_TRACE_NONE,
				   .sequence = TS_TRACE_NONE,
				   .elements_in = TS_TRACE_NONE,
				   .elements_out = TS_TRACE_NONE,
				   .collective = (uint8_t)collective_of(w, e, says),
				   .launched = launch};

	if (at != SIZE_MAX) {
		a.sequence = c->sequence[at];
		a.elements_in = c->elements_in[at];
		a.elements_out = c->elements_out[at];
	} else if (w->out->on_host) {
		a.elements_in = elements_of(w->trace->names[w->trace->rows.spans.shapes[e->row]]);
	}
	if (has_root(a.collective) && has_root(e->collective) && !w->out->on_host)
		a.root = root_of(w, e);
	if (a.collective == TS_COLLECTIVE_SEND_RECV && !w->out->on_host)
		take_peer(w, says, &a);
	step = ts_timelines_step_at(&w->lines, launch ? launch->begin : e->begin);
	a.in_step = step > 0;
	a.step = step ? w->lines.steps[step - 1].number : 0;
	return a;
}

static bool take_arrivals(struct work *w)
{
	struct group_key *keys;
	size_t n = 0;

	for (size_t i = 0; i < w->n_events; i++)
		n += w->events[i].class == TS_PART_COMMUNICATION;
	keys = ts_arena_array(w->scratch, n, sizeof *keys);
	w->out->arrivals = ts_arena_array(w->arena, n, sizeof *w->out->arrivals);
	if (!keys || !w->out->arrivals)
		return false;
	n = 0;
	for (size_t i = 0; i < w->n_events; i++) {
		uint32_t says;

		if (w->events[i].class != TS_PART_COMMUNICATION)
			continue;
		says = who_says(w, &w->events[i]);
		keys[n] = (struct group_key){.name = name_of(w->trace, w->events[i].row, says), .arrival = (uint32_t)n};
		w->out->arrivals[n++] = arrival_of(w, &w->events[i], says);
	}
	w->out->n_arrivals = n;
	return number_groups(w, keys, n);
}

/* --- exposed communication --- */

/* Joins the intervals of a class, which come by begin, into disjoint ones. */
static size_t join(const struct work *w, uint8_t class, struct ts_job_interval *ret)
{
	size_t n = 0;

	for (size_t i = 0; i < w->n_events; i++) {
		const struct ts_device_event *e = &w->events[i];

		if (e->class != class || e->begin == e->end)
			continue;
		if (n && e->begin <= ret[n - 1].end)
			ret[n - 1].end = e->end > ret[n - 1].end ? e->end : ret[n - 1].end;
		else
			ret[n++] = (struct ts_job_interval){e->begin, e->end};
	}
	return n;
}

/* Writes a less b, or counts its intervals if ret is NULL. Both are disjoint and by time. */
static size_t less(const struct ts_job_interval *a, size_t n_a, const struct ts_job_interval *b, size_t n_b,
		   struct ts_job_interval *ret)
{
	size_t n = 0, k = 0;

	for (size_t i = 0; i < n_a; i++) {
		int64_t begin = a[i].begin;

		while (k < n_b && b[k].end <= begin)
			k++;
		for (size_t j = k; j < n_b && b[j].begin < a[i].end; k = j++) {
			if (b[j].begin > begin && ret)
				ret[n] = (struct ts_job_interval){begin, b[j].begin};
			n += b[j].begin > begin;
			begin = b[j].end > begin ? b[j].end : begin;
		}
		if (begin < a[i].end && ret)
			ret[n] = (struct ts_job_interval){begin, a[i].end};
		n += begin < a[i].end;
	}
	return n;
}

static bool take_exposed(struct work *w)
{
	struct ts_job_interval *communication = ts_arena_array(w->scratch, w->n_events, sizeof *communication);
	struct ts_job_interval *computation = ts_arena_array(w->scratch, w->n_events, sizeof *computation);
	size_t n, m;

	if (!communication || !computation)
		return false;
	n = join(w, TS_PART_COMMUNICATION, communication);
	m = join(w, TS_PART_COMPUTATION, computation);
	w->out->n_exposed = less(communication, n, computation, m, NULL);
	w->out->exposed = ts_arena_array(w->arena, w->out->n_exposed, sizeof *w->out->exposed);
	if (w->out->exposed)
		(void)less(communication, n, computation, m, w->out->exposed);
	return w->out->exposed;
}

enum ts_status ts_job_trace_of(const struct ts_trace *trace, struct ts_arena *scratch, struct ts_arena *arena, struct ts_job_trace *ret,
			       struct ts_error *err)
{
	struct ts_job_trace out = {0};
	struct work w = {.trace = trace, .scratch = scratch, .arena = arena, .out = &out};
	struct ts_device_event *spare;

	TS_DOOR(ts_trace_holds(trace));
	if (ts_timelines(trace, scratch, &w.lines, err) || ts_device_events(trace, scratch, &w.events, &w.n_events, err) ||
	    ts_launches_find(trace, scratch, &w.launches, err))
		return err->status;
	if (is_on_host(&w) && !take_host(&w))
		return no_memory(&w, err);
	spare = ts_arena_array(scratch, w.n_events, sizeof *spare);
	if (!spare)
		return no_memory(&w, err);
	ts_device_events_by_begin(w.events, w.n_events, spare);
	if (find_nest(&w, err))
		return err->status;
	if (ts_trace_recorded(&trace->about, arena, &out.recorded, err))
		return err->status;
	if (!take_about(&w) || !take_steps(&w) || !take_arrivals(&w) || !take_exposed(&w))
		return no_memory(&w, err);
	TS_DOOR_SORTED(i, out.n_arrivals, out.arrivals[i - 1].begin <= out.arrivals[i].begin);
	TS_DOOR_ALL(i, out.n_arrivals, out.arrivals[i].group < out.n_groups && out.arrivals[i].collective < TS_COLLECTIVES);
	TS_DOOR_SORTED(i, out.n_exposed, out.exposed[i - 1].end <= out.exposed[i].begin);
	TS_DOOR_ALL(i, out.n_exposed, out.exposed[i].begin < out.exposed[i].end);
	TS_DOOR_SORTED(i, out.n_steps, out.steps[i - 1].end <= out.steps[i].begin);
	*ret = out;
	return TS_OK;
}

bool ts_job_has_launches(const struct ts_job_trace *t)
{
	for (size_t i = 0; i < t->n_arrivals; i++)
		if (t->arrivals[i].launched)
			return true;
	return false;
}
