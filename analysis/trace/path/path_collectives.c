/* path_collectives.c - by how much the work of a graph would be shorter if it had not waited for other ranks. */
#include "analysis/trace/path/path_graph.h"
#include "base/door.h"
#include "base/order.h"
#include <stdlib.h>

struct collective {
	int64_t elements_in, elements_out;
	uint32_t group, type;
	uint8_t kind;
	uint64_t ns;
	uint32_t work;
};

TS_ORDER(alike, struct collective, TS_UP(kind); TS_UP(group); TS_UP(type); TS_UP(elements_in); TS_UP(elements_out))

TS_ORDER(quickest_first, struct collective, TS_THEN(alike(a, b)); TS_UP(ns); TS_UP(work))

static size_t find(const struct ts_path_graph *g, struct collective *items)
{
	const struct ts_trace_rows *rows = &g->trace->rows;
	const struct ts_trace_collectives *c = &rows->collectives;
	size_t n = 0;

	for (size_t k = 0; k < g->n_work; k++) {
		uint32_t span = g->work[k].row;
		size_t row = g->work[k].class == TS_PART_COMMUNICATION ? ts_trace_detail(c->span, c->n, span) : SIZE_MAX;

		if (row == SIZE_MAX || c->elements_in[row] == TS_TRACE_NONE)
			continue;
		items[n++] = (struct collective){.kind = g->work[k].collective,
						 .group = rows->spans.group[span],
						 .type = c->type[row],
						 .elements_in = c->elements_in[row],
						 .elements_out = c->elements_out[row],
						 .ns = ts_path_between(g->work[k].begin, g->work[k].end),
						 .work = (uint32_t)k};
	}
	return n;
}

enum ts_status ts_path_collectives(const struct ts_path_graph *g, struct ts_arena *arena, uint64_t *less, bool *ret_any,
				   struct ts_error *err)
{
	struct collective *items;
	size_t n, first = 0;

	TS_DOOR(ts_path_graph_holds(g));
	*ret_any = false;
	memset(less, 0, g->n_work * sizeof *less);
	if (!g->trace->rows.collectives.n)
		return TS_OK;
	items = ts_arena_array(arena, g->n_work, sizeof *items);
	if (!items)
		return ts_arena_error(arena, err);
	n = find(g, items);
	TS_SORT(items, n, quickest_first);
	for (size_t i = 0; i < n; i++) {
		if (alike(&items[first], &items[i]))
			first = i;
		less[items[i].work] = items[i].ns - items[first].ns;
		*ret_any |= items[i].ns > items[first].ns;
	}
	return TS_OK;
}

enum ts_status ts_path_shorter(const struct ts_path_graph *g, const uint32_t *spans, const uint64_t *by_ns, size_t n,
			       struct ts_arena *arena, uint64_t *less, struct ts_error *err)
{
	uint64_t *by_span = ts_arena_array(arena, g->trace->rows.spans.n, sizeof *by_span);

	TS_DOOR(ts_path_graph_holds(g));
	if (!by_span)
		return ts_arena_error(arena, err);
	for (size_t i = 0; i < n; i++)
		by_span[spans[i]] = by_ns[i];
	for (size_t k = 0; k < g->n_work; k++)
		less[k] = by_span[g->work[k].row];
	return TS_OK;
}
