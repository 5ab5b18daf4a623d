/* path_links.c - the links of work: launches, the order on streams, and what other streams explain where a trace lacks their waits. */
#include "analysis/trace/path/path_graph.h"

bool ts_path_link(struct ts_path_graph *g, uint32_t from, uint32_t to, enum ts_path_how how)
{
	if (from == TS_PATH_NONE || to == TS_PATH_NONE || g->rank[from] >= g->rank[to])
		return false;
	g->links[g->n_links++] = (struct ts_path_link){.from = from, .to = to, .how = (uint8_t)how};
	return true;
}

uint64_t ts_path_least_ns(const struct ts_path_graph *g, const struct ts_path_link *l)
{
	uint64_t ns = ts_path_between(g->at[l->from], g->at[l->to]), least = g->least[l->how];

	if (l->how == TS_PATH_BY_LAUNCH)
		least = g->least_launch[g->trace->rows.spans.kind[g->work[ts_path_work(g, l->to)].row]];
	return ns < least ? ns : least;
}

static uint32_t begin_point(const struct ts_path_graph *g, size_t work)
{
	return (uint32_t)(g->n_host + 2 * work);
}

static void least(uint64_t *of, uint64_t ns)
{
	*of = ns < *of ? ns : *of;
}

/* --- the quickest of each kind --- */

/* Whether the stream had nothing to do when the work was asked for, so that nothing but the launch took time. last: the work that ended
 * last before, or NULL. */
static bool onto_idle(const struct ts_path_graph *g, size_t work, const struct ts_device_event *last)
{
	uint32_t call = g->call[work];

	return call != TS_PATH_NONE && g->at[call] <= g->work[work].begin && (!last || last->end <= g->at[call]);
}

static void measure_launches(struct ts_path_graph *g)
{
	for (size_t i = 0; i < g->n_streams; i++) {
		const struct ts_path_stream *s = &g->streams[i];
		const struct ts_device_event *last = NULL;

		for (size_t k = s->first; k < s->first + s->n; k++) {
			if (onto_idle(g, k, last))
				least(&g->least_launch[g->trace->rows.spans.kind[g->work[k].row]],
				      ts_path_between(g->at[g->call[k]], g->work[k].begin));
			last = !last || g->work[k].end >= last->end ? &g->work[k] : last;
		}
	}
}

/* Whether the work was launched so early that only the one before it can have held it up. */
static bool was_queued(const struct ts_path_graph *g, size_t work, const struct ts_device_event *last)
{
	uint32_t call = g->call[work];
	uint64_t launch = g->least_launch[g->trace->rows.spans.kind[g->work[work].row]];

	return call != TS_PATH_NONE && last && last->end <= g->work[work].begin && g->at[call] <= last->end && launch != UINT64_MAX &&
	       ts_path_between(g->at[call], last->end) >= launch;
}

static void measure_order(struct ts_path_graph *g)
{
	for (size_t i = 0; i < g->n_streams; i++) {
		const struct ts_path_stream *s = &g->streams[i];
		const struct ts_device_event *last = NULL;

		for (size_t k = s->first; k < s->first + s->n; k++) {
			if (was_queued(g, k, last))
				least(&g->least[TS_PATH_BY_ORDER], ts_path_between(last->end, g->work[k].begin));
			last = !last || g->work[k].end >= last->end ? &g->work[k] : last;
		}
	}
}

/* What was never seen without another reason to wait takes no time at least. */
static void settle(uint64_t *of)
{
	*of = *of == UINT64_MAX ? 0 : *of;
}

static void measure(struct ts_path_graph *g)
{
	memset(g->least_launch, 0xff, sizeof g->least_launch);
	g->least[TS_PATH_BY_ORDER] = UINT64_MAX;
	measure_launches(g);
	measure_order(g);
	for (int i = 0; i < TS_TRACE_KINDS; i++)
		settle(&g->least_launch[i]);
	settle(&g->least[TS_PATH_BY_ORDER]);
	g->least[TS_PATH_BY_EVENT] = g->least[TS_PATH_BY_BESIDE] = g->least[TS_PATH_BY_ORDER];
}

/* --- links --- */

static void one_stream(struct ts_path_graph *g, const struct ts_path_stream *s)
{
	size_t last = SIZE_MAX;

	for (size_t k = s->first; k < s->first + s->n; k++) {
		if (g->call[k] != TS_PATH_NONE)
			g->early += !ts_path_link(g, g->call[k], begin_point(g, k), TS_PATH_BY_LAUNCH);
		if (last != SIZE_MAX && g->work[last].end <= g->work[k].begin)
			ts_path_link(g, begin_point(g, last) + 1, begin_point(g, k), TS_PATH_BY_ORDER);
		else if (last != SIZE_MAX)
			ts_path_link(g, begin_point(g, last), begin_point(g, k), TS_PATH_BY_OVERLAP);
		last = last == SIZE_MAX || g->work[k].end >= g->work[last].end ? k : last;
	}
}

void ts_path_links(struct ts_path_graph *g)
{
	measure(g);
	for (size_t i = 0; i < g->n_streams; i++)
		one_stream(g, &g->streams[i]);
}

/* --- what other streams explain --- */

/* Of one device, the work that ended last, and the one of another stream than that. */
struct ended {
	uint32_t stream, point, other_point;
	bool any, other;
};

static void has_ended(struct ended *e, uint32_t stream, uint32_t point)
{
	if (e->any && e->stream != stream) {
		e->other_point = e->point;
		e->other = true;
	}
	e->stream = stream;
	e->point = point;
	e->any = true;
}

/* How long before the begin of each work its links leave unexplained. */
static void unexplained(const struct ts_path_graph *g, uint64_t *left)
{
	memset(left, 0xff, g->n_work * sizeof *left);
	for (size_t i = 0; i < g->n_links; i++) {
		const struct ts_path_link *l = &g->links[i];

		if (l->to >= g->n_host)
			least(&left[ts_path_work(g, l->to)], ts_path_between(g->at[l->from], g->at[l->to]) - ts_path_least_ns(g, l));
	}
}

static void link_beside(struct ts_path_graph *g, size_t work, uint32_t from, uint64_t left)
{
	uint64_t launch = g->least_launch[g->trace->rows.spans.kind[g->work[work].row]];

	if (left > launch && ts_path_between(g->at[from], g->work[work].begin) <= launch)
		g->inferred += ts_path_link(g, from, begin_point(g, work), TS_PATH_BY_BESIDE);
}

/* By work: its stream; by stream: its device, as numbers from 0. */
static void number_places(const struct ts_path_graph *g, uint32_t *streams, uint32_t *devices)
{
	for (size_t i = 0; i < g->n_streams; i++) {
		devices[i] = !i ? 0 : devices[i - 1] + (g->streams[i].device != g->streams[i - 1].device);
		for (size_t k = 0; k < g->streams[i].n; k++)
			streams[g->streams[i].first + k] = (uint32_t)i;
	}
}

enum ts_status ts_path_beside(struct ts_path_graph *g, struct ts_arena *arena, struct ts_error *err)
{
	uint64_t *left = ts_arena_array(arena, g->n_work, sizeof *left);
	uint32_t *streams = ts_arena_array(arena, g->n_work, sizeof *streams);
	uint32_t *devices = ts_arena_array(arena, g->n_streams, sizeof *devices);
	struct ended *ended = ts_arena_array(arena, g->n_streams, sizeof *ended);

	if (!left || !streams || !devices || !ended)
		return ts_arena_error(arena, err);
	if (g->trace->rows.syncs.n)
		return TS_OK;
	unexplained(g, left);
	number_places(g, streams, devices);
	for (size_t i = 0; i < g->n; i++) {
		uint32_t point = g->order[i];
		size_t work = ts_path_work(g, point);
		struct ended *e;

		if (point < g->n_host)
			continue;
		e = &ended[devices[streams[work]]];
		if (g->chain[point] == TS_PATH_CHAIN)
			has_ended(e, streams[work], point);
		else if (e->any && e->stream != streams[work])
			link_beside(g, work, e->point, left[work]);
		else if (e->other)
			link_beside(g, work, e->other_point, left[work]);
	}
	return TS_OK;
}
