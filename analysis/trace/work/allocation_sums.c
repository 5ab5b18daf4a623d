#include "analysis/trace/work/allocation_sums.h"

#include "analysis/trace/device/device_events.h"
#include "analysis/trace/device/saturate.h"
#include "base/order.h"
#include "base/scratch.h"

/* An instant with bytes. */
struct instant {
	bool host;
	int32_t device;
	uint32_t name; /* of the operator; 0: none */
	uint32_t row;
};

TS_ORDER(by_place, struct instant, TS_UP(host); TS_UP(device); TS_UP(name); TS_UP(row))

TS_ORDER(most_first, struct ts_allocation_sum, TS_DOWN(allocated); TS_DOWN(freed); TS_TEXT(name))

/* --- whose they are --- */

/* The spans of the threads up to now, of which the last on the stack is the innermost that is open. */
struct sweep {
	const struct ts_trace_spans *spans;
	const struct ts_nest *nest;
	uint32_t *open;
	size_t depth, next;
};

static void open_until(struct sweep *w, uint64_t thread, int64_t time)
{
	const struct ts_trace_spans *s = w->spans;

	for (; w->next < w->nest->n_order; w->next++) {
		uint32_t i = w->nest->order[w->next];

		if (s->thread[i] > thread || (s->thread[i] == thread && s->start_ns[i] > time))
			break;
		while (w->depth && w->open[w->depth - 1] != w->nest->parent[i])
			w->depth--;
		w->open[w->depth++] = i;
	}
	for (; w->depth; w->depth--) {
		uint32_t i = w->open[w->depth - 1];

		if (s->thread[i] == thread && s->start_ns[i] + s->duration_ns[i] >= time)
			break;
	}
}

static uint32_t operator_of(const struct sweep *w)
{
	uint32_t i = w->depth ? w->open[w->depth - 1] : TS_NEST_NONE;

	if (i != TS_NEST_NONE && w->spans->kind[i] != TS_TRACE_OPERATOR)
		i = w->nest->in_operator[i];
	return i == TS_NEST_NONE ? 0 : w->spans->name[i];
}

static enum ts_status gather(const struct ts_trace *trace, const struct ts_nest *nest, struct ts_arena *arena, struct instant **ret,
			     size_t *ret_n, struct ts_error *err)
{
	const struct ts_trace_allocations *a = &trace->rows.allocations;
	struct ts_device_event *w = ts_arena_array(arena, a->n, sizeof *w), *spare = ts_arena_array(arena, a->n, sizeof *spare);
	struct instant *out = ts_arena_array(arena, a->n, sizeof *out);
	struct sweep sweep = {
		.spans = &trace->rows.spans, .nest = nest, .open = ts_arena_array(arena, nest->n_order, sizeof *sweep.open)};
	size_t n = 0;

	if (!w || !spare || !out || !sweep.open)
		return ts_arena_error(arena, err);
	for (size_t i = 0; i < a->n; i++)
		if (a->bytes[i] != TS_TRACE_NONE)
			w[n++] = (struct ts_device_event){
				.begin = a->time_ns[i], .end = a->time_ns[i], .group = a->thread[i], .row = (uint32_t)i};
	ts_device_events_by_nesting(w, n, spare);
	for (size_t k = 0; k < n; k++) {
		uint32_t row = w[k].row;

		open_until(&sweep, w[k].group, w[k].begin);
		out[k] = (struct instant){a->device_type[row] == 0, a->device_type[row] == 0 ? 0 : a->device[row], operator_of(&sweep),
					  row};
	}
	ts_scratch_give(arena, w);
	ts_scratch_give(arena, spare);
	ts_scratch_give(arena, sweep.open);
	TS_SORT(out, n, by_place);
	*ret = out;
	*ret_n = n;
	return TS_OK;
}

/* --- sums --- */

static void add(struct ts_allocation_sum *sum, int64_t bytes)
{
	if (bytes < 0) {
		sum->freed = ts_plus(sum->freed, -(uint64_t)bytes);
		return;
	}
	sum->count++;
	sum->allocated = ts_plus(sum->allocated, (uint64_t)bytes);
}

static void add_instant(const struct ts_trace *trace, struct ts_allocation_place *place, const struct instant *in)
{
	const struct ts_trace_allocations *a = &trace->rows.allocations;
	int64_t total = a->allocated[in->row];
	struct ts_span name = trace->names[in->name];

	if (!place->n || !ts_span_eq(place->items[place->n - 1].name, name))
		place->items[place->n++] = (struct ts_allocation_sum){.name = name};
	add(&place->items[place->n - 1], a->bytes[in->row]);
	add(&place->all, a->bytes[in->row]);
	if (total == TS_TRACE_NONE || (place->has_peak && total <= place->peak))
		return;
	place->has_peak = true;
	place->peak = total;
	place->peak_ns = a->time_ns[in->row];
	place->peak_in = name;
}

enum ts_status ts_allocation_sums(const struct ts_trace *trace, const struct ts_nest *nest, struct ts_arena *arena,
				  struct ts_allocation_place **ret, size_t *ret_n, struct ts_error *err)
{
	struct ts_allocation_place *places;
	struct ts_allocation_sum *sums;
	struct instant *in = NULL;
	size_t n = 0, n_places = 0;

	if (gather(trace, nest, arena, &in, &n, err))
		return err->status;
	places = ts_arena_array(arena, n, sizeof *places);
	sums = ts_arena_array(arena, n, sizeof *sums);
	if (!places || !sums)
		return ts_arena_error(arena, err);
	for (size_t k = 0; k < n; k++) {
		if (!k || in[k].host != in[k - 1].host || in[k].device != in[k - 1].device)
			places[n_places++] =
				(struct ts_allocation_place){.host = in[k].host, .device = in[k].device, .items = sums + k};
		add_instant(trace, &places[n_places - 1], &in[k]);
	}
	for (size_t i = 0; i < n_places; i++)
		TS_SORT(places[i].items, places[i].n, most_first);
	ts_scratch_give(arena, in);
	*ret = places;
	*ret_n = n_places;
	return TS_OK;
}
