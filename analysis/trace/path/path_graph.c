#include "analysis/trace/path/path_graph.h"

#include "base/door.h"
#include "base/scratch.h"

/* --- times --- */

/* The least that the stretch before a point takes. */
static uint64_t least_chain_ns(const struct ts_path_graph *g, uint32_t point)
{
	uint64_t ns, quickest;

	if (g->chain[point] == TS_PATH_FIRST || g->chain[point] == TS_PATH_IDLES)
		return 0;
	ns = ts_path_between(g->at[point - 1], g->at[point]);
	if (g->chain[point] == TS_PATH_CHAIN)
		return ns;
	quickest = g->quickest[g->trace->rows.spans.name[g->span[point]]];
	quickest -= quickest > 0;
	return ns < quickest ? ns : quickest;
}

uint64_t ts_path_chain_ns(const struct ts_path_graph *g, uint32_t point)
{
	TS_DOOR(point < g->n);
	if (g->chain[point] != TS_PATH_FIRST && g->bound[point] == TS_PATH_NONE)
		return ts_path_between(g->at[point - 1], g->at[point]);
	return least_chain_ns(g, point);
}

uint64_t ts_path_link_ns(const struct ts_path_graph *g, uint32_t link)
{
	const struct ts_path_link *l = &g->links[link];

	TS_DOOR(link < g->n_links);
	return g->bound[l->to] == link ? ts_path_between(g->at[l->from], g->at[l->to]) : ts_path_least_ns(g, l);
}

uint8_t ts_path_link_what(const struct ts_path_graph *g, uint32_t link)
{
	static const uint8_t whats[TS_PATH_HOWS] = {[TS_PATH_BY_LAUNCH] = TS_PATH_LAUNCH,     [TS_PATH_BY_ORDER] = TS_PATH_STREAM_ORDER,
						    [TS_PATH_BY_EVENT] = TS_PATH_STREAM_WAIT, [TS_PATH_BY_BESIDE] = TS_PATH_STREAM_WAIT,
						    [TS_PATH_BY_RETURN] = TS_PATH_RETURN,     [TS_PATH_BY_START] = TS_PATH_THREADS,
						    [TS_PATH_BY_JOIN] = TS_PATH_THREADS};
	const struct ts_path_link *l = &g->links[link];

	TS_DOOR(link < g->n_links);
	return l->how == TS_PATH_BY_OVERLAP ? g->what[l->from + 1] : whats[l->how];
}

/* --- links --- */

static enum ts_status make_room(struct ts_path_graph *g, struct ts_arena *arena, struct ts_error *err)
{
	const struct ts_trace_rows *rows = &g->trace->rows;
	size_t calls = 0;

	for (size_t i = 0; i < rows->spans.n; i++)
		calls += rows->spans.kind[i] == TS_TRACE_RUNTIME;
	/* For each work a launch, an order, one beside, a return of its copy and one of waits for everything; for each other call and
	 * each row of syncs as many as a wait is followed through; at each point of a thread at most one start, and a join for each. */
	g->cap_links = 5 * g->n_work + 4 * (calls + rows->syncs.n) + 2 * g->n_host;
	g->links = ts_scratch_array(arena, g->cap_links, sizeof *g->links);
	g->first_link = ts_arena_array(arena, g->n + 1, sizeof *g->first_link);
	g->bound = ts_arena_array(arena, g->n, sizeof *g->bound);
	g->quickest = ts_arena_array(arena, g->trace->n_names + 1, sizeof *g->quickest);
	return g->links && g->first_link && g->bound && g->quickest ? TS_OK : ts_arena_error(arena, err);
}

/* Puts the links to each point together. */
static enum ts_status gather(struct ts_path_graph *g, struct ts_arena *arena, struct ts_error *err)
{
	struct ts_path_link *links = ts_scratch_array(arena, g->n_links, sizeof *links);

	if (!links)
		return ts_arena_error(arena, err);
	memset(g->first_link, 0, (g->n + 1) * sizeof *g->first_link);
	for (size_t i = 0; i < g->n_links; i++)
		g->first_link[g->links[i].to]++;
	for (size_t i = 0, sum = 0; i <= g->n; i++) {
		sum += g->first_link[i];
		g->first_link[i] = (uint32_t)sum;
	}
	/* Each begin is the end of its links now, from which they are filled downwards. */
	for (size_t i = g->n_links; i-- > 0;)
		links[--g->first_link[g->links[i].to]] = g->links[i];
	ts_scratch_give(arena, g->links);
	g->links = links;
	return TS_OK;
}

/* The links to a point that were looked at. */
struct binding {
	uint32_t exact, nearest; /* the nearest of those whose least time explains the point, and of all */
	uint64_t exact_ns, nearest_ns;
	bool any_exact, any;
};

static void consider(struct binding *b, uint32_t link, uint64_t ns, uint64_t least)
{
	if (ns == least && (!b->any_exact || ns < b->exact_ns)) {
		b->exact = link;
		b->exact_ns = ns;
		b->any_exact = true;
	}
	if (!b->any || ns < b->nearest_ns) {
		b->nearest = link;
		b->nearest_ns = ns;
		b->any = true;
	}
}

static void bind(struct ts_path_graph *g, uint32_t point)
{
	struct binding b = {.nearest = TS_PATH_NONE};

	if (g->chain[point] != TS_PATH_FIRST)
		consider(&b, TS_PATH_NONE, ts_path_between(g->at[point - 1], g->at[point]), least_chain_ns(g, point));
	for (uint32_t i = g->first_link[point]; i < g->first_link[point + 1]; i++)
		consider(&b, i, ts_path_between(g->at[g->links[i].from], g->at[point]), ts_path_least_ns(g, &g->links[i]));
	g->bound[point] = b.any_exact ? b.exact : b.nearest;
}

static bool places_hold(const struct ts_path_graph *g)
{
	for (size_t i = 0; i < g->n_threads; i++)
		if (g->threads[i].first > g->n_host || g->threads[i].n > g->n_host - g->threads[i].first)
			return false;
	for (size_t i = 0; i < g->n_streams; i++)
		if (g->streams[i].first > g->n_work || g->streams[i].n > g->n_work - g->streams[i].first)
			return false;
	for (size_t i = 0; i < g->n_work; i++)
		if (g->call[i] >= g->n_host && g->call[i] != TS_PATH_NONE)
			return false;
	return g->n == g->n_host + 2 * g->n_work;
}

bool ts_path_graph_holds(const struct ts_path_graph *g)
{
	for (size_t i = 0; i < g->n; i++) {
		if (g->order[i] >= g->n || g->rank[g->order[i]] != i || (i && g->at[g->order[i - 1]] > g->at[g->order[i]]))
			return false;
		if (g->first_link[i] > g->first_link[i + 1] || (g->bound[i] >= g->n_links && g->bound[i] != TS_PATH_NONE) ||
		    g->chain[i] >= TS_PATH_HOWS)
			return false;
	}
	for (size_t i = 0; i < g->n_links; i++)
		if (g->links[i].how >= TS_PATH_HOWS || g->rank[g->links[i].from] >= g->rank[g->links[i].to])
			return false;
	return g->n_links <= g->cap_links && places_hold(g);
}

enum ts_status ts_path_graph(const struct ts_trace *trace, const struct ts_nest *nest, struct ts_arena *arena,
			     struct ts_path_graph *ret, struct ts_error *err)
{
	struct ts_path_graph g = {.trace = trace};

	TS_DOOR(ts_trace_holds(trace));
	TS_DOOR(ts_nest_holds(nest, trace));
	if (ts_path_points(&g, nest, arena, err) || make_room(&g, arena, err))
		return err->status;
	ts_path_links(&g);
	if (ts_path_waits(&g, nest, arena, err) || ts_path_beside(&g, arena, err) || ts_path_threads(&g, arena, err) ||
	    gather(&g, arena, err))
		return err->status;
	for (size_t i = 0; i < g.n; i++)
		bind(&g, (uint32_t)i);
	TS_DOOR(ts_path_graph_holds(&g));
	*ret = g;
	return TS_OK;
}
