/* what_if.c - how long the windows of a critical path would take if some of their stretches took no time. */
#include "analysis/trace/path/path_graph.h"

/* Times are counted from the first point of the trace, so that they fit in 64 bits whatever the trace says. */
struct replay {
	const struct ts_path_graph *g;
	const struct ts_what_if_change *change;
	int64_t zero, begin_ns;
	uint64_t *when;
};

static uint64_t was(const struct replay *r, uint32_t point)
{
	return ts_path_between(r->zero, r->g->at[point]);
}

static uint64_t when(const struct replay *r, uint32_t point)
{
	return r->g->at[point] <= r->begin_ns ? was(r, point) : r->when[point];
}

static bool removed(const struct replay *r, uint8_t what)
{
	return r->change->none >> what & 1;
}

/* The time of a stretch of work, of which some may be gone. */
static uint64_t less(const struct replay *r, uint32_t work_point, uint64_t ns)
{
	uint64_t gone = r->change->less ? r->change->less[ts_path_work(r->g, work_point)] : 0;

	return ns < gone ? 0 : ns - gone;
}

static uint64_t by_chain(const struct replay *r, uint32_t point)
{
	const struct ts_path_graph *g = r->g;
	uint64_t ns = removed(r, g->what[point]) ? 0 : ts_path_chain_ns(g, point);

	return when(r, point - 1) + (point < g->n_host ? ns : less(r, point, ns));
}

static uint64_t by_link(const struct replay *r, uint32_t link)
{
	const struct ts_path_link *l = &r->g->links[link];
	uint64_t ns = removed(r, ts_path_link_what(r->g, link)) ? 0 : ts_path_link_ns(r->g, link);

	return when(r, l->from) + (l->how == TS_PATH_BY_OVERLAP ? less(r, l->from, ns) : ns);
}

static uint64_t place(const struct replay *r, uint32_t point)
{
	const struct ts_path_graph *g = r->g;
	bool any = g->chain[point] != TS_PATH_FIRST;
	uint64_t at = any ? by_chain(r, point) : 0;

	for (uint32_t i = g->first_link[point]; i < g->first_link[point + 1]; i++) {
		uint64_t ns = by_link(r, i);

		at = ns > at ? ns : at;
		any = true;
	}
	return any ? at : was(r, point);
}

uint64_t ts_what_if_ns(const struct ts_path_graph *g, const struct ts_what_if_range *range, const struct ts_what_if_change *change,
		       uint64_t *spare)
{
	struct replay r = {.g = g, .change = change, .zero = g->at[g->order[0]], .begin_ns = range->begin_ns, .when = spare};
	uint64_t begin = ts_path_between(r.zero, range->begin_ns), end = begin;

	for (size_t i = 0; i < g->n; i++) {
		uint32_t point = g->order[i];

		if (g->at[point] <= range->begin_ns)
			continue;
		if (g->at[point] > range->end_ns)
			break;
		spare[point] = place(&r, point);
		if (range->sink[point] && spare[point] > end)
			end = spare[point];
	}
	return end - begin;
}
