/* job_pairs.c - which send is which receive. NCCL has no sequence numbers that both sides share; it takes the messages from one rank to
 * another in their order. */
#include "analysis/trace/ranks/job_parts.h"
#include "base/order.h"

#include "base/bisect.h"

/* A kernel that sends or receives. */
struct point {
	int64_t step;
	uint32_t group, from, to; /* sides */
	uint32_t arrival;
	bool in_step, receives;
};

struct work {
	const struct ts_job_side *sides;
	size_t n_sides;
	struct ts_arena *arena;
	struct ts_job_matches *out;
	struct point *points;
	size_t n;
};

/* The side of a rank of the world, of which sides are in ascending order; n_sides: it has no trace here. */
static size_t side_of(const struct work *w, int64_t rank)
{
	size_t at = 0;

	TS_BISECT(at, w->n_sides, i, w->sides[i].trace->rank < rank);
	return at < w->n_sides && w->sides[at].trace->rank == rank ? at : w->n_sides;
}

static void add_points(struct work *w, uint32_t side)
{
	const struct ts_job_trace *t = w->sides[side].trace;
	bool launches = ts_job_has_launches(t);

	for (uint32_t i = 0; i < t->n_arrivals; i++) {
		const struct ts_job_arrival *a = &t->arrivals[i];
		uint32_t group = w->sides[side].groups[a->group];
		uint64_t *unmatched = w->out->groups[group].unmatched;
		size_t peer;

		if (a->collective != TS_COLLECTIVE_SEND_RECV)
			continue;
		peer = a->peer == TS_TRACE_NONE ? w->n_sides : side_of(w, a->peer);
		if (a->way == TS_JOB_WAY_UNKNOWN || a->peer == TS_TRACE_NONE || peer == side)
			unmatched[TS_JOB_PEER]++;
		else if (peer == w->n_sides || !w->sides[side].comparable || !w->sides[peer].comparable)
			unmatched[TS_JOB_ALONE]++;
		else if (launches && !a->launched)
			unmatched[TS_JOB_BEFORE]++;
		else
			w->points[w->n++] = (struct point){.step = a->in_step ? a->step : 0,
							   .group = group,
							   .from = a->way == TS_JOB_SENDS ? side : (uint32_t)peer,
							   .to = a->way == TS_JOB_SENDS ? (uint32_t)peer : side,
							   .arrival = i,
							   .in_step = a->in_step,
							   .receives = a->way == TS_JOB_RECEIVES};
	}
}

TS_ORDER(compare_places, struct point, TS_UP(group); TS_UP(from); TS_UP(to); TS_UP(in_step); TS_UP(step))

TS_ORDER(compare_points, struct point, TS_THEN(compare_places(a, b)); TS_UP(receives); TS_UP(arrival))

static const struct ts_job_arrival *arrival(const struct work *w, const struct point *p)
{
	return &w->sides[p->receives ? p->to : p->from].trace->arrivals[p->arrival];
}

static struct ts_job_member member(const struct work *w, const struct point *p)
{
	uint32_t side = p->receives ? p->to : p->from;
	const struct ts_job_arrival *a = arrival(w, p);

	return (struct ts_job_member){side, p->arrival, a->begin + w->sides[side].shift, a->end + w->sides[side].shift};
}

/* What is sent must be received whole. */
static bool sizes_differ(const struct work *w, const struct point *sends, const struct point *receives, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		int64_t sent = arrival(w, &sends[i])->elements_in, got = arrival(w, &receives[i])->elements_out;

		if (sent != TS_TRACE_NONE && got != TS_TRACE_NONE && sent != got)
			return true;
	}
	return false;
}

/* The n kernels from one rank to another in a step: first the sends, then the receives. False: no memory. */
static bool take(struct work *w, const struct point *p, size_t n)
{
	struct ts_job_group *g = &w->out->groups[p->group];
	size_t sends = 0;

	while (sends < n && !p[sends].receives)
		sends++;
	if (sends * 2 != n || sizes_differ(w, p, p + sends, sends)) {
		enum ts_job_unmatched why = sends * 2 == n ? TS_JOB_SIZES : !sends || sends == n ? TS_JOB_MISSING : TS_JOB_COUNTS;

		g->unmatched[why] += n;
		if (!g->example)
			g->example = ts_arena_printf(w->arena,
						     "from rank %" PRId64 " to rank %" PRId64 ": %zu sent and %zu received %s",
						     w->sides[p->from].trace->rank, w->sides[p->to].trace->rank, sends, n - sends,
						     p->in_step ? "in a step" : "outside of steps");
		return g->example;
	}
	for (size_t i = 0; i < sends; i++) {
		w->out->pairs[w->out->n_pairs++] = (struct ts_job_pair){w->out->n_members, p->group, p->in_step, p->step};
		w->out->members[w->out->n_members++] = member(w, &p[i]);
		w->out->members[w->out->n_members++] = member(w, &p[sends + i]);
	}
	return true;
}

enum ts_status ts_job_match_pairs(const struct ts_job_side *sides, size_t n_sides, struct ts_arena *arena, struct ts_job_matches *ret,
				  struct ts_error *err)
{
	struct work w = {.sides = sides, .n_sides = n_sides, .arena = arena, .out = ret};
	size_t n = 0;

	for (size_t i = 0; i < n_sides; i++)
		for (size_t k = 0; k < sides[i].trace->n_arrivals; k++)
			n += sides[i].trace->arrivals[k].collective == TS_COLLECTIVE_SEND_RECV;
	w.points = ts_arena_array(arena, n, sizeof *w.points);
	ret->pairs = ts_arena_array(arena, n / 2, sizeof *ret->pairs);
	if (!w.points || !ret->pairs)
		return ts_arena_error(arena, err);
	for (uint32_t i = 0; i < n_sides; i++)
		add_points(&w, i);
	TS_SORT(w.points, w.n, compare_points);
	for (size_t i = 0, end; i < w.n; i = end) {
		for (end = i + 1; end < w.n && compare_places(&w.points[i], &w.points[end]) == 0; end++)
			;
		if (!take(&w, w.points + i, end - i))
			return ts_arena_error(arena, err);
	}
	return TS_OK;
}
