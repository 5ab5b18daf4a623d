/* operator_sums.c - what operators had devices do. */
#include "analysis/trace/work/trace_work.h"
#include "base/order.h"

#include "base/door.h"
#include "base/scratch.h"

TS_ORDER(most_first, struct ts_operator_sum, TS_DOWN(own.ns); TS_DOWN(total.ns); TS_TEXT(name))

static void add_own(const struct ts_trace *trace, const struct ts_nest *nest, struct ts_operator_sum *sums)
{
	const struct ts_trace_spans *s = &trace->rows.spans;

	for (size_t i = 0; i < s->n; i++)
		if (ts_trace_on_device(s->kind[i]) && nest->in_operator[i] != TS_NEST_NONE)
			ts_work_add(&sums[s->name[nest->in_operator[i]]].own, 1, (uint64_t)s->duration_ns[i]);
}

/* One pass over the spans, the outer before the inner, with a stack of those that are open and a count of them by name. */
static enum ts_status add_total(const struct ts_trace *trace, const struct ts_nest *nest, const struct ts_device_work *work,
				struct ts_arena *arena, struct ts_operator_sum *sums, struct ts_error *err)
{
	const struct ts_trace_spans *s = &trace->rows.spans;
	uint32_t *stack = ts_arena_array(arena, nest->n_order, sizeof *stack);
	uint32_t *open = ts_arena_array(arena, trace->n_names, sizeof *open);
	size_t depth = 0;

	if (!stack || !open)
		return ts_arena_error(arena, err);
	for (size_t k = 0; k < nest->n_order; k++) {
		uint32_t i = nest->order[k];
		struct ts_operator_sum *sum = &sums[s->name[i]];

		while (depth && stack[depth - 1] != nest->parent[i]) {
			depth--;
			open[s->name[stack[depth]]] -= s->kind[stack[depth]] == TS_TRACE_OPERATOR;
		}
		stack[depth++] = i;
		if (s->kind[i] != TS_TRACE_OPERATOR)
			continue;
		sum->name = trace->names[s->name[i]];
		sum->count++;
		if (open[s->name[i]]++ == 0)
			ts_work_add(&sum->total, work->below[i].count, work->below[i].ns);
	}
	ts_scratch_give(arena, stack);
	return TS_OK;
}

enum ts_status ts_operator_sums(const struct ts_trace *trace, const struct ts_nest *nest, const struct ts_device_work *work,
				struct ts_arena *arena, struct ts_operator_sum **ret, size_t *ret_n, struct ts_error *err)
{
	struct ts_operator_sum *sums = ts_arena_array(arena, trace->n_names, sizeof *sums);
	size_t n = 0;

	TS_DOOR(ts_trace_holds(trace));
	TS_DOOR(ts_nest_holds(nest, trace));
	if (!sums)
		return ts_arena_error(arena, err);
	add_own(trace, nest, sums);
	if (add_total(trace, nest, work, arena, sums, err))
		return err->status;
	for (size_t i = 0; i < trace->n_names; i++)
		if (sums[i].count)
			sums[n++] = sums[i];
	TS_SORT(sums, n, most_first);
	TS_DOOR_SORTED(i, n, sums[i - 1].own.ns >= sums[i].own.ns);
	*ret = sums;
	*ret_n = n;
	return TS_OK;
}
