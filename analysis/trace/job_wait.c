#include "analysis/trace/job_wait.h"

#include <stdlib.h>

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

static int compare_u64(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return (x > y) - (x < y);
}

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

/* Returns what the others waited. */
static uint64_t add_waits(struct work *w, const struct ts_job_match *match, const struct ts_job_member *m, size_t n,
			  const struct order *o)
{
	uint64_t all = 0;

	for (size_t i = 0; i < n; i++) {
		const struct ts_job_arrival *a = &w->sides[m[i].side].trace->arrivals[m[i].arrival];
		struct ts_job_rank *rank = &w->job->ranks[m[i].side];
		struct ts_job_kind *kind = &rank->kinds[match->collective];
		uint64_t duration = (uint64_t)a->end - (uint64_t)a->begin, waited = apart(m[i].begin, o->last_begin);

		waited = waited < duration ? waited : duration;
		rank->collectives++;
		kind->matched++;
		ts_job_add(&rank->ns[TS_JOB_WAITING], waited);
		ts_job_add(&kind->waiting_ns, waited);
		ts_job_add(&kind->transfer_ns, duration - waited);
		ts_job_add(&rank->lateness_ns, apart(o->begin, m[i].begin));
		ts_job_add(&all, waited);
		if (waited)
			w->waits[m[i].side].items[w->waits[m[i].side].n++] =
				(struct ts_job_interval){a->begin, (int64_t)((uint64_t)a->begin + waited)};
	}
	return all;
}

static void take(struct work *w, const struct ts_job_match *match, size_t n)
{
	const struct ts_job_member *m = &w->m->members[match->first];
	struct order o = order_of(m, n);
	struct ts_job_rank *last = &w->job->ranks[m[o.last].side];
	struct ts_job_group *g = &w->job->groups[match->group];
	struct ts_job_collective *c = &w->job->collectives[w->job->n_collectives++];

	*c = (struct ts_job_collective){.group = match->group,
					.kind = (enum ts_collective)match->collective,
					.has_sequence = match->by_sequence,
					.in_step = !match->by_sequence && match->in_step,
					.sequence = match->segment,
					.step = match->segment,
					.begin_ns = o.begin,
					.last_rank = last->rank,
					.lateness_ns = apart(o.begin, o.last_begin),
					.transfer_ns = apart(o.last_begin, o.end)};
	if (match->by_sequence) {
		const struct ts_job_arrival *a = &w->sides[m->side].trace->arrivals[m->arrival];

		c->in_step = a->in_step;
		c->step = a->step;
	}
	c->waiting_ns = add_waits(w, match, m, n, &o);
	if (c->lateness_ns) {
		last->last++;
		w->last[m[o.last].side]++;
	}
	ts_job_add(&last->caused_ns, c->waiting_ns);
	ts_job_add(&last->behind_ns, apart(o.next, o.last_begin));
	w->lateness[g->waits++] = c->lateness_ns;
	w->behind[w->job->n_collectives - 1] = apart(o.next, o.last_begin);
	ts_job_add(&g->transfer_ns, c->transfer_ns);
	if (o.last_begin > o.first_end + TS_JOB_TOLERANCE_NS) {
		w->job->violations++;
		if (apart(o.first_end, o.last_begin) > w->job->violation_ns)
			w->job->violation_ns = apart(o.first_end, o.last_begin);
	}
	if (ts_job_even(match->collective))
		w->ends[w->n_ends++] = apart(o.first_end, o.end);
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
	qsort(w->lateness, g->waits, sizeof *w->lateness, compare_u64);
	g->skew_mean_ns = sum / g->waits;
	g->skew_p95_ns = percentile(w->lateness, g->waits, 95);
	g->skew_max_ns = w->lateness[g->waits - 1];
}

static int compare_collectives(const void *a, const void *b)
{
	const struct ts_job_collective *x = a, *y = b;

	if (x->begin_ns != y->begin_ns)
		return x->begin_ns < y->begin_ns ? -1 : 1;
	if (x->group != y->group)
		return x->group < y->group ? -1 : 1;
	return (x->sequence > y->sequence) - (x->sequence < y->sequence);
}

/* --- all --- */

static int compare_intervals(const void *a, const void *b)
{
	const struct ts_job_interval *x = a, *y = b;

	return (x->begin > y->begin) - (x->begin < y->begin);
}

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

enum ts_status ts_job_arrive(const struct ts_job_side *sides, const struct ts_job_matches *matches, struct ts_arena *arena,
			     struct ts_trace_job *job, struct ts_job_waits *ret_waits, struct ts_error *err)
{
	struct work w = {.sides = sides, .m = matches, .job = job, .waits = ret_waits};

	w.lateness = ts_arena_array(arena, matches->n, sizeof *w.lateness);
	w.ends = ts_arena_array(arena, matches->n, sizeof *w.ends);
	w.behind = ts_arena_array(arena, matches->n, sizeof *w.behind);
	w.last = ts_arena_array(arena, job->n_ranks, sizeof *w.last);
	job->collectives = ts_arena_array(arena, matches->n, sizeof *job->collectives);
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
	for (size_t i = 0; i < job->n_ranks; i++)
		if (ret_waits[i].n)
			qsort(ret_waits[i].items, ret_waits[i].n, sizeof *ret_waits[i].items, compare_intervals);
	if (job->n_collectives)
		qsort(job->collectives, job->n_collectives, sizeof *job->collectives, compare_collectives);
	if (w.n_ends) {
		qsort(w.ends, w.n_ends, sizeof *w.ends, compare_u64);
		job->ends_p50_ns = percentile(w.ends, w.n_ends, 50);
		job->ends_p95_ns = percentile(w.ends, w.n_ends, 95);
		job->ends_max_ns = w.ends[w.n_ends - 1];
	}
	for (size_t i = 0; i < job->n_collectives; i++)
		job->close += w.behind[i] < job->ends_p50_ns;
	return TS_OK;
}
