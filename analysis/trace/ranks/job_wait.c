/* job_wait.c - who arrives last at the collectives of a job, who waits for how long, and which rank is slow of its own (job.h). */
#include "analysis/trace/ranks/job_parts.h"
#include "base/order.h"

#include "base/door.h"

struct work {
	const struct ts_job_side *sides;
	const struct ts_job_matches *m;
	struct ts_trace_job *job;
	struct ts_job_waits *waits;
	uint64_t *lateness; /* of the collectives of a group */
	uint64_t *last;	    /* [rank]: how often last in the group */
	uint64_t *behind;   /* how far the last came behind the next to last, of all collectives */
	uint64_t *ends;	    /* last end - first end, of all collectives that end together */
	size_t n_ends;
};

/* The percentile by the nearest rank; x is sorted, n at least 1. */
static uint64_t percentile(const uint64_t *x, size_t n, size_t percent)
{
	size_t at = n / 100 * percent + (n % 100 * percent + 99) / 100;

	return x[at ? at - 1 : 0];
}

static uint64_t apart(int64_t from, int64_t to)
{
	return to > from ? (uint64_t)to - (uint64_t)from : 0;
}

/* --- one collective --- */

struct order {
	size_t last;			 /* place of the member that begins last */
	int64_t begin, last_begin, next; /* the first; the last; the one before it */
	int64_t first_end, end;
};

static struct order order_of(const struct ts_job_member *m, size_t n)
{
	struct order o = {.begin = INT64_MAX, .last_begin = INT64_MIN, .next = INT64_MIN, .first_end = INT64_MAX, .end = INT64_MIN};

	for (size_t i = 0; i < n; i++) {
		o.begin = m[i].begin < o.begin ? m[i].begin : o.begin;
		o.first_end = m[i].end < o.first_end ? m[i].end : o.first_end;
		o.end = m[i].end > o.end ? m[i].end : o.end;
		if (m[i].begin > o.last_begin) {
			o.next = o.last_begin;
			o.last_begin = m[i].begin;
			o.last = i;
		} else if (m[i].begin > o.next) {
			o.next = m[i].begin;
		}
	}
	return o;
}

static const struct ts_job_arrival *arrival(const struct work *w, const struct ts_job_member *m)
{
	return &w->sides[m->side].trace->arrivals[m->arrival];
}

static uint64_t duration_of(const struct work *w, const struct ts_job_member *m)
{
	return (uint64_t)arrival(w, m)->end - (uint64_t)arrival(w, m)->begin;
}

/* Of a kernel: how long it surely waits, from its begin on, and from when on everybody was there. Returns what it waits. */
static uint64_t split(struct work *w, enum ts_collective kind, const struct ts_job_member *m, int64_t waits_until, int64_t all_there)
{
	struct ts_job_rank *rank = &w->job->ranks[m->side];
	uint64_t duration = duration_of(w, m), waited = apart(m->begin, waits_until), before = apart(m->begin, all_there);

	waited = waited < duration ? waited : duration;
	before = before < duration ? before : duration;
	rank->kinds[kind].matched++;
	ts_job_add(&rank->ns[TS_JOB_WAITING], waited);
	ts_job_add(&rank->kinds[kind].waiting_ns, waited);
	ts_job_add(&rank->kinds[kind].transfer_ns, duration - (before > waited ? before : waited));
	if (waited)
		w->waits[m->side].items[w->waits[m->side].n++] =
			(struct ts_job_interval){arrival(w, m)->begin, (int64_t)((uint64_t)arrival(w, m)->begin + waited)};
	return waited;
}

/* No rank may end before `begin`. */
static void hold(struct work *w, int64_t end, int64_t begin)
{
	uint64_t by = apart(end, begin);

	if (by <= TS_JOB_TOLERANCE_NS)
		return;
	w->job->violations++;
	w->job->violation_ns = by > w->job->violation_ns ? by : w->job->violation_ns;
}

static struct ts_job_collective *new_collective(struct work *w, uint32_t group, uint8_t kind, const struct order *o)
{
	struct ts_job_collective *c = &w->job->collectives[w->job->n_collectives++];

	*c = (struct ts_job_collective){
		.group = group, .kind = (enum ts_collective)kind, .begin_ns = o->begin, .transfer_ns = apart(o->last_begin, o->end)};
	return c;
}

static void place(const struct work *w, const struct ts_job_match *match, struct ts_job_collective *c)
{
	const struct ts_job_arrival *a = arrival(w, &w->m->members[match->first]);

	c->has_sequence = match->by_sequence;
	c->sequence = match->segment;
	c->in_step = match->by_sequence ? a->in_step : match->in_step;
	c->step = match->by_sequence ? a->step : match->segment;
}

/* One in which everybody waits for the last. */
static void take(struct work *w, const struct ts_job_match *match, size_t n)
{
	const struct ts_job_member *m = &w->m->members[match->first];
	struct order o = order_of(m, n);
	struct ts_job_rank *last = &w->job->ranks[m[o.last].side];
	struct ts_job_group *g = &w->job->groups[match->group];
	struct ts_job_collective *c = new_collective(w, match->group, match->collective, &o);

	place(w, match, c);
	c->last_rank = last->rank;
	c->lateness_ns = apart(o.begin, o.last_begin);
	for (size_t i = 0; i < n; i++) {
		w->job->ranks[m[i].side].collectives++;
		ts_job_add(&w->job->ranks[m[i].side].lateness_ns, apart(o.begin, m[i].begin));
		ts_job_add(&c->waiting_ns, split(w, c->kind, &m[i], o.last_begin, o.last_begin));
	}
	if (c->lateness_ns) {
		last->last++;
		w->last[m[o.last].side]++;
	}
	ts_job_add(&last->caused_ns, c->waiting_ns);
	ts_job_add(&last->behind_ns, apart(o.next, o.last_begin));
	w->lateness[g->waits++] = c->lateness_ns;
	w->behind[w->job->n_collectives - 1] = c->saves_ns = apart(o.next, o.last_begin);
	ts_job_add(&g->transfer_ns, c->transfer_ns);
	hold(w, o.first_end, o.last_begin);
	if (ts_job_even(match->collective))
		w->ends[w->n_ends++] = apart(o.first_end, o.end);
}

/* --- a collective with a root, and a pair --- */

/* Whether begins can be compared: clocks were aligned, or are of one host. */
static bool clocks_known(const struct work *w, const struct ts_job_member *m, size_t n)
{
	struct ts_span host = w->job->ranks[m->side].host;
	bool aligned = true, same = host.len > 0;

	for (size_t i = 0; i < n; i++) {
		aligned &= w->job->ranks[m[i].side].clock.connected;
		same &= ts_span_eq(w->job->ranks[m[i].side].host, host);
	}
	return aligned || same;
}

/* The place of the member that all who name a root name; n: there is none. */
static size_t root_of(const struct work *w, const struct ts_job_member *m, size_t n)
{
	int64_t root = TS_TRACE_NONE;

	for (size_t i = 0; i < n; i++) {
		int64_t said = arrival(w, &m[i])->root;

		if (said != TS_TRACE_NONE && root != TS_TRACE_NONE && said != root)
			return n;
		root = said == TS_TRACE_NONE ? root : said;
	}
	for (size_t i = 0; root != TS_TRACE_NONE && i < n; i++)
		if (w->job->ranks[m[i].side].rank == root)
			return i;
	return n;
}

/* Of one without a rule: what is spent after all have come is transfer, if it is known when that was. */
static void take_without_rule(struct work *w, enum ts_collective kind, enum ts_job_no_rule why, const struct ts_job_member *m, size_t n)
{
	struct order o = order_of(m, n);
	int64_t all_there = why == TS_JOB_NO_CLOCK ? INT64_MAX : o.last_begin;

	for (size_t i = 0; i < n; i++) {
		w->job->ranks[m[i].side].kinds[kind].no_rule[why]++;
		(void)split(w, kind, &m[i], INT64_MIN, all_there);
	}
}

/* Until when a member of a collective with a root surely waits. */
static int64_t waits_until(enum ts_collective kind, const struct ts_job_member *m, size_t i, size_t root, const struct order *o)
{
	if (kind == TS_COLLECTIVE_BROADCAST)
		return i == root ? INT64_MIN : m[root].begin;
	return i == root ? o->last_begin : INT64_MIN;
}

static void take_rooted(struct work *w, const struct ts_job_match *match, size_t n)
{
	const struct ts_job_member *m = &w->m->members[match->first];
	bool known = clocks_known(w, m, n), broadcast = match->collective == TS_COLLECTIVE_BROADCAST;
	size_t root = root_of(w, m, n), awaited;
	struct order o = order_of(m, n);
	struct ts_job_collective *c;

	if (match->collective == TS_COLLECTIVE_OTHER || root == n || !known) {
		take_without_rule(w, (enum ts_collective)match->collective,
				  !known				     ? TS_JOB_NO_CLOCK
				  : match->collective == TS_COLLECTIVE_OTHER ? TS_JOB_NO_KIND
									     : TS_JOB_NO_ROOT,
				  m, n);
		return;
	}
	awaited = broadcast ? root : o.last;
	c = new_collective(w, match->group, match->collective, &o);
	place(w, match, c);
	c->last_rank = w->job->ranks[m[awaited].side].rank;
	c->lateness_ns = broadcast ? apart(o.begin, m[root].begin) : apart(m[root].begin, o.last_begin);
	for (size_t i = 0; i < n; i++) {
		uint64_t waited = split(w, c->kind, &m[i], waits_until(c->kind, m, i, root, &o), o.last_begin);
		uint64_t before = apart(m[i].begin, o.last_begin), duration = duration_of(w, &m[i]);

		before = before < duration ? before : duration;
		ts_job_add(&c->waiting_ns, waited);
		ts_job_add(&c->unknown_ns, before > waited ? before - waited : 0);
	}
	ts_job_add(&w->job->ranks[m[awaited].side].caused_ns, c->waiting_ns);
	w->behind[w->job->n_collectives - 1] = UINT64_MAX; /* who is awaited does not hang on who is last */
	hold(w, broadcast ? o.first_end : m[root].end, m[awaited].begin);
}

static void take_pair(struct work *w, const struct ts_job_pair *pair)
{
	const struct ts_job_member *m = &w->m->members[pair->first];
	struct order o = order_of(m, 2);
	struct ts_job_rank *late = &w->job->ranks[m[o.last].side];
	uint64_t before = apart(m[0].begin, m[1].begin), duration = duration_of(w, &m[0]);
	struct ts_job_collective *c;

	w->job->groups[pair->group].pairs++;
	if (!clocks_known(w, m, 2)) {
		take_without_rule(w, TS_COLLECTIVE_SEND_RECV, TS_JOB_NO_CLOCK, m, 2);
		return;
	}
	c = new_collective(w, pair->group, TS_COLLECTIVE_SEND_RECV, &o);
	c->in_step = pair->in_step;
	c->step = pair->step;
	c->last_rank = late->rank;
	c->lateness_ns = apart(o.begin, o.last_begin);
	(void)split(w, c->kind, &m[0], INT64_MIN, m[1].begin);
	c->waiting_ns = split(w, c->kind, &m[1], m[0].begin, m[0].begin);
	c->unknown_ns = before < duration ? before : duration;
	for (size_t i = 0; i < 2; i++)
		w->job->ranks[m[i].side].collectives++;
	late->last += c->lateness_ns > 0;
	ts_job_add(&late->lateness_ns, c->lateness_ns);
	ts_job_add(&late->behind_ns, c->lateness_ns);
	ts_job_add(&late->caused_ns, c->waiting_ns);
	w->behind[w->job->n_collectives - 1] = c->lateness_ns;
	c->saves_ns = c->waiting_ns; /* of a sender that came last: nobody waits for a receiver */
	hold(w, m[1].end, m[0].begin);
}

/* --- groups --- */

static void take_group(struct work *w, size_t at)
{
	const struct ts_job_party *p = &w->m->parties[at];
	struct ts_job_group *g = &w->job->groups[at];
	uint64_t sum = 0;

	for (size_t i = p->matches; i < p->matches + p->n_matches; i++) {
		if (w->m->items[i].dropped)
			continue;
		g->collectives++;
		if (ts_job_waits(w->m->items[i].collective))
			take(w, &w->m->items[i], p->n_sides);
		else
			take_rooted(w, &w->m->items[i], p->n_sides);
	}
	for (size_t i = 0; i < p->n_sides; i++) {
		uint64_t *last = &w->last[p->sides[i]];

		if (*last > g->last_times) {
			g->last_times = *last;
			g->last_rank = w->job->ranks[p->sides[i]].rank;
		}
		*last = 0;
	}
	if (!g->waits)
		return;
	for (size_t i = 0; i < g->waits; i++)
		ts_job_add(&sum, w->lateness[i]);
	TS_SORT(w->lateness, g->waits, ts_by_u64);
	g->skew_mean_ns = sum / g->waits;
	g->skew_p95_ns = percentile(w->lateness, g->waits, 95);
	g->skew_max_ns = w->lateness[g->waits - 1];
}

TS_ORDER(compare_collectives, struct ts_job_collective, TS_UP(begin_ns); TS_UP(group); TS_UP(sequence))

/* --- all --- */

TS_ORDER(compare_intervals, struct ts_job_interval, TS_UP(begin))

static void count_kernels(struct work *w)
{
	for (size_t i = 0; i < w->job->n_ranks; i++)
		for (size_t k = 0; k < TS_COLLECTIVES; k++)
			w->job->ranks[i].kinds[k].kind = (enum ts_collective)k;
	for (size_t i = 0; i < w->job->n_ranks; i++)
		for (size_t k = 0; k < w->sides[i].trace->n_arrivals; k++) {
			const struct ts_job_arrival *a = &w->sides[i].trace->arrivals[k];
			struct ts_job_kind *kind = &w->job->ranks[i].kinds[a->collective];

			kind->kernels++;
			ts_job_add(&kind->ns, (uint64_t)a->end - (uint64_t)a->begin);
		}
}

static void rest_is_unknown(struct ts_trace_job *job)
{
	for (size_t i = 0; i < job->n_ranks; i++)
		for (size_t k = 0; k < TS_COLLECTIVES; k++) {
			struct ts_job_kind *kind = &job->ranks[i].kinds[k];

			kind->unknown_ns = kind->waiting_ns < kind->ns ? kind->ns - kind->waiting_ns : 0;
			kind->unknown_ns -= kind->transfer_ns < kind->unknown_ns ? kind->transfer_ns : kind->unknown_ns;
		}
}

enum ts_status ts_job_arrive(const struct ts_job_side *sides, const struct ts_job_matches *matches, struct ts_arena *arena,
			     struct ts_trace_job *job, struct ts_job_waits *ret_waits, struct ts_error *err)
{
	struct work w = {.sides = sides, .m = matches, .job = job, .waits = ret_waits};

	TS_DOOR_SORTED(i, job->n_ranks, job->ranks[i - 1].rank < job->ranks[i].rank);
	w.lateness = ts_arena_array(arena, matches->n, sizeof *w.lateness);
	w.ends = ts_arena_array(arena, matches->n, sizeof *w.ends);
	w.behind = ts_arena_array(arena, matches->n + matches->n_pairs, sizeof *w.behind);
	w.last = ts_arena_array(arena, job->n_ranks, sizeof *w.last);
	job->collectives = ts_arena_array(arena, matches->n + matches->n_pairs, sizeof *job->collectives);
	if (!w.lateness || !w.ends || !w.behind || !w.last || !job->collectives)
		return ts_arena_error(arena, err);
	for (size_t i = 0; i < job->n_ranks; i++) {
		ret_waits[i].items = ts_arena_array(arena, sides[i].trace->n_arrivals, sizeof *ret_waits[i].items);
		if (!ret_waits[i].items)
			return ts_arena_error(arena, err);
	}
	count_kernels(&w);
	for (size_t g = 0; g < job->n_groups; g++)
		take_group(&w, g);
	for (size_t i = 0; i < matches->n_pairs; i++)
		take_pair(&w, &matches->pairs[i]);
	rest_is_unknown(job);
	for (size_t i = 0; i < job->n_ranks; i++)
		TS_SORT(ret_waits[i].items, ret_waits[i].n, compare_intervals);
	TS_SORT(job->collectives, job->n_collectives, compare_collectives);
	if (w.n_ends) {
		TS_SORT(w.ends, w.n_ends, ts_by_u64);
		job->ends_p50_ns = percentile(w.ends, w.n_ends, 50);
		job->ends_p95_ns = percentile(w.ends, w.n_ends, 95);
		job->ends_max_ns = w.ends[w.n_ends - 1];
	}
	for (size_t i = 0; i < job->n_collectives; i++)
		job->close += w.behind[i] < job->ends_p50_ns;
	return TS_OK;
}
