/* device_work.c - what each span of the host had a device do: the kernels, copies and fills that were launched within it. */
#include "analysis/trace/work/trace_work.h"

#include "analysis/trace/device/kernel_table.h"
#include "base/door.h"

enum ts_status ts_kernel_names(const struct ts_trace *trace, struct ts_arena *arena, uint8_t **ret, struct ts_error *err)
{
	const struct ts_trace_spans *s = &trace->rows.spans;
	uint8_t *categories = ts_arena_alloc(arena, trace->n_names + 1);

	TS_DOOR(ts_trace_holds(trace));
	if (!categories)
		return ts_arena_error(arena, err);
	memset(categories, TS_KERNEL_CATEGORIES, trace->n_names + 1);
	for (size_t i = 0; i < s->n; i++)
		if (s->kind[i] == TS_TRACE_KERNEL && categories[s->name[i]] == TS_KERNEL_CATEGORIES)
			categories[s->name[i]] = (uint8_t)ts_kernel_category_in(trace, s->name[i]);
	*ret = categories;
	return TS_OK;
}

enum ts_status ts_nest_nearest(const struct ts_trace *trace, const struct ts_nest *nest, ts_span_is_fn *is, const void *ctx,
			       struct ts_arena *arena, uint32_t **ret, struct ts_error *err)
{
	uint32_t *nearest = ts_arena_array(arena, trace->rows.spans.n, sizeof *nearest);

	TS_DOOR(ts_nest_holds(nest, trace));
	if (!nearest)
		return ts_arena_error(arena, err);
	for (size_t i = 0; i < trace->rows.spans.n; i++)
		nearest[i] = TS_NEST_NONE;
	for (size_t k = 0; k < nest->n_order; k++) {
		uint32_t i = nest->order[k], parent = nest->parent[i];

		if (is(trace, i, ctx))
			nearest[i] = i;
		else if (parent != TS_NEST_NONE)
			nearest[i] = nearest[parent];
	}
	*ret = nearest;
	return TS_OK;
}

uint32_t ts_device_work_of(const struct ts_nest *nest, size_t event)
{
	uint32_t call = nest->parent[event], op = nest->in_operator[event];

	if (call == TS_NEST_NONE || op == TS_NEST_NONE)
		return call == TS_NEST_NONE ? op : call;
	return nest->in_operator[call] == op ? call : op;
}

enum ts_status ts_device_work(const struct ts_trace *trace, const struct ts_nest *nest, struct ts_arena *arena,
			      struct ts_device_work *ret, struct ts_error *err)
{
	const struct ts_trace_spans *s = &trace->rows.spans;
	struct ts_device_work out = {.below = ts_arena_array(arena, s->n, sizeof *out.below)};

	TS_DOOR(ts_trace_holds(trace));
	TS_DOOR(ts_nest_holds(nest, trace));
	if (!out.below)
		return ts_arena_error(arena, err);
	for (size_t i = 0; i < s->n; i++) {
		uint32_t span;

		if (!ts_trace_on_device(s->kind[i]))
			continue;
		span = ts_device_work_of(nest, i);
		ts_work_add(&out.all, 1, (uint64_t)s->duration_ns[i]);
		ts_work_add(nest->in_operator[i] == TS_NEST_NONE ? &out.unknown : &out.known, 1, (uint64_t)s->duration_ns[i]);
		if (span != TS_NEST_NONE)
			ts_work_add(&out.below[span], 1, (uint64_t)s->duration_ns[i]);
	}
	for (size_t k = nest->n_order; k-- > 0;) {
		uint32_t i = nest->order[k], parent = nest->parent[i];

		if (parent != TS_NEST_NONE)
			ts_work_add(&out.below[parent], out.below[i].count, out.below[i].ns);
	}
	TS_DOOR(out.known.count + out.unknown.count == out.all.count);
	TS_DOOR_ALL(i, s->n, out.below[i].count <= out.all.count);
	*ret = out;
	return TS_OK;
}
