#include "analysis/trace/device/nest.h"

#include "analysis/trace/device/device_events.h"
#include "base/door.h"
#include "base/row_order.h"
#include "base/scratch.h"

static bool on_host(uint8_t kind)
{
	return kind <= TS_TRACE_RUNTIME;
}

/* The outer of two spans of the same time has the lower one. */
static uint8_t outwardness(uint8_t kind)
{
	static const uint8_t ranks[] = {[TS_TRACE_ANNOTATION] = 0,
					[TS_TRACE_OTHER] = 1,
					[TS_TRACE_PYTHON] = 2,
					[TS_TRACE_OPERATOR] = 3,
					[TS_TRACE_RUNTIME] = 4};

	return ranks[kind];
}

static int64_t end_of(const struct ts_trace_spans *s, size_t i)
{
	return s->start_ns[i] + s->duration_ns[i];
}

/* --- the host --- */

static bool stands_before(const void *spans, uint32_t a, uint32_t b)
{
	const struct ts_trace_spans *s = spans;

	if (s->thread[a] != s->thread[b])
		return s->thread[a] < s->thread[b];
	if (s->start_ns[a] != s->start_ns[b])
		return s->start_ns[a] < s->start_ns[b];
	return s->duration_ns[a] != s->duration_ns[b] ? s->duration_ns[a] > s->duration_ns[b]
						      : outwardness(s->kind[a]) < outwardness(s->kind[b]);
}

static enum ts_status host_order(const struct ts_trace_spans *s, struct ts_arena *arena, struct ts_nest *nest, struct ts_error *err)
{
	uint32_t *spare;
	size_t n = 0;

	for (size_t i = 0; i < s->n; i++)
		n += on_host(s->kind[i]);
	nest->order = ts_scratch_array(arena, n, sizeof *nest->order);
	spare = ts_scratch_array(arena, n, sizeof *spare);
	if (!nest->order || !spare)
		return ts_arena_error(arena, err);
	for (size_t i = 0; i < s->n; i++)
		if (on_host(s->kind[i]))
			nest->order[nest->n_order++] = (uint32_t)i;
	ts_rows_sort(nest->order, n, spare, stands_before, s);
	ts_scratch_give(arena, spare);
	return TS_OK;
}

/* One pass with a stack of the spans that are open. One that ends before a later one does encloses nothing more that the later one
 * does not, too: it leaves the stack, whose ends so never rise from the bottom up. */
static enum ts_status host_parents(const struct ts_trace_spans *s, struct ts_arena *arena, struct ts_nest *nest, struct ts_error *err)
{
	uint32_t *open = ts_scratch_array(arena, nest->n_order, sizeof *open);
	uint32_t thread = 0;
	size_t depth = 0;

	if (!open)
		return ts_arena_error(arena, err);
	for (size_t k = 0; k < nest->n_order; k++) {
		uint32_t i = nest->order[k];

		if (s->thread[i] != thread)
			depth = 0;
		thread = s->thread[i];
		while (depth && (end_of(s, open[depth - 1]) < end_of(s, i) || end_of(s, open[depth - 1]) <= s->start_ns[i]))
			depth--;
		if (depth) {
			uint32_t parent = open[depth - 1];

			nest->parent[i] = parent;
			nest->in_operator[i] = s->kind[parent] == TS_TRACE_OPERATOR ? parent : nest->in_operator[parent];
		}
		open[depth++] = i;
	}
	ts_scratch_give(arena, open);
	return TS_OK;
}

/* --- devices --- */

/* Whether "External id" of the work of devices is another number than its correlation. */
static bool has_external(const struct ts_trace_spans *s)
{
	for (size_t i = 0; i < s->n; i++)
		if (ts_trace_on_device(s->kind[i]) && s->external[i] != TS_TRACE_NONE && s->external[i] != s->correlation[i])
			return true;
	return false;
}

enum ts_status ts_operators_by_external(const struct ts_trace *trace, struct ts_arena *arena, struct ts_launches *ret,
					struct ts_error *err)
{
	const struct ts_trace_spans *s = &trace->rows.spans;
	struct ts_device_event *spare;
	size_t n = 0;

	*ret = (struct ts_launches){0};
	if (!has_external(s))
		return TS_OK;
	for (size_t i = 0; i < s->n; i++)
		n += s->kind[i] == TS_TRACE_OPERATOR && s->external[i] != TS_TRACE_NONE;
	ret->items = ts_arena_array(arena, n, sizeof *ret->items);
	spare = ts_arena_array(arena, n, sizeof *spare);
	if (!ret->items || !spare)
		return ts_arena_error(arena, err);
	for (size_t i = 0; i < s->n; i++)
		if (s->kind[i] == TS_TRACE_OPERATOR && s->external[i] != TS_TRACE_NONE)
			ret->items[ret->n++] = (struct ts_device_event){.group = (uint64_t)s->external[i], .row = (uint32_t)i};
	ts_device_events_by_group(ret->items, ret->n, spare);
	ts_scratch_give(arena, spare);
	return TS_OK;
}

static enum ts_status device_parents(const struct ts_trace *trace, struct ts_arena *arena, struct ts_nest *nest, struct ts_error *err)
{
	const struct ts_trace_spans *s = &trace->rows.spans;
	struct ts_launches calls = {0}, operators;

	if (ts_launches_find(trace, arena, &calls, err) || ts_operators_by_external(trace, arena, &operators, err))
		return err->status;
	for (size_t i = 0; i < s->n; i++) {
		const struct ts_device_event *found = NULL;

		if (!ts_trace_on_device(s->kind[i]))
			continue;
		if (s->correlation[i] != TS_TRACE_NONE)
			found = ts_launch_of(&calls, (uint64_t)s->correlation[i]);
		if (found) {
			nest->parent[i] = found->row;
			nest->in_operator[i] = nest->in_operator[found->row];
		}
		if (nest->in_operator[i] != TS_NEST_NONE || s->external[i] == TS_TRACE_NONE)
			continue;
		found = ts_launch_of(&operators, (uint64_t)s->external[i]);
		nest->in_operator[i] = found ? found->row : TS_NEST_NONE;
	}
	ts_scratch_give(arena, calls.items);
	ts_scratch_give(arena, operators.items);
	return TS_OK;
}

bool ts_nest_holds(const struct ts_nest *nest, const struct ts_trace *trace)
{
	const struct ts_trace_spans *s = &trace->rows.spans;

	for (size_t i = 0; i < s->n; i++)
		if ((nest->parent[i] >= s->n && nest->parent[i] != TS_NEST_NONE) ||
		    (nest->in_operator[i] >= s->n && nest->in_operator[i] != TS_NEST_NONE))
			return false;
	for (size_t k = 0; k < nest->n_order; k++) {
		uint32_t row = nest->order[k], parent = row < s->n ? nest->parent[row] : TS_NEST_NONE;

		if (row >= s->n || ts_trace_on_device(s->kind[row]) || (k && s->thread[nest->order[k - 1]] > s->thread[row]))
			return false;
		if (parent != TS_NEST_NONE && (s->thread[parent] != s->thread[row] || s->start_ns[parent] > s->start_ns[row]))
			return false;
	}
	return true;
}

enum ts_status ts_nest(const struct ts_trace *trace, struct ts_arena *arena, struct ts_nest *ret, struct ts_error *err)
{
	const struct ts_trace_spans *s = &trace->rows.spans;
	struct ts_nest nest = {.parent = ts_scratch_array(arena, s->n, sizeof *nest.parent),
			       .in_operator = ts_scratch_array(arena, s->n, sizeof *nest.in_operator)};

	TS_DOOR(ts_trace_holds(trace));
	if (!nest.parent || !nest.in_operator)
		return ts_arena_error(arena, err);
	for (size_t i = 0; i < s->n; i++)
		nest.parent[i] = nest.in_operator[i] = TS_NEST_NONE;
	if (host_order(s, arena, &nest, err) || host_parents(s, arena, &nest, err) || device_parents(trace, arena, &nest, err))
		return err->status;
	TS_DOOR(ts_nest_holds(&nest, trace));
	*ret = nest;
	return TS_OK;
}

void ts_nest_give(const struct ts_nest *nest, struct ts_arena *arena)
{
	ts_scratch_give(arena, nest->parent);
	ts_scratch_give(arena, nest->in_operator);
	ts_scratch_give(arena, nest->order);
}

bool ts_is_graph_launch(struct ts_span name)
{
	return ts_span_is(name, "cudaGraphLaunch") || ts_span_is(name, "hipGraphLaunch");
}
